// The promises of RELIABILITY.md, each as a function that reads a life and reports violations. A
// file each, except for promises that share a model; sim/hub.cc checks W11 and the half of A2 that
// needs the disk.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/checkers/book.h"
#include "sim/history.h"

namespace parlance::sim {

using Findings = std::vector<Finding>;

void check_d1(const Book& book, Findings& findings);
void check_d2(const Book& book, Findings& findings);
void check_d3(const Book& book, Findings& findings);
void check_d4(const Book& book, Findings& findings);
void check_d5(const Book& book, Findings& findings);
void check_d6(const Book& book, Findings& findings);
void check_d7(const Book& book, Findings& findings);
void check_d8(const Book& book, Findings& findings);
void check_d9(const Book& book, Findings& findings);
void check_w1(const Book& book, Findings& findings);
void check_w2(const Book& book, Findings& findings);
void check_w3(const Book& book, Findings& findings);
void check_w4(const Book& book, Findings& findings);
/// W8, and W1 of workflows: each workflow ends once, in time.
void check_w8(const Book& book, Findings& findings);
void check_w9(const Book& book, Findings& findings);
/// W9 of requests that wait for budget approval.
void check_held(const Book& book, Findings& findings);
/// Notifications of people about their human tasks.
void check_s13(const Book& book, Findings& findings);
/// W5, W6, W7 and W10, by one model of contexts and tasks.
void check_shared(const Book& book, Findings& findings);
/// G1 to G4, I2 and I3, by one model of the tree of delegations.
void check_delegations(const Book& book, Findings& findings);
/// G5 and G6: both are about open breakers.
void check_g5(const Book& book, Findings& findings);
void check_g7(const Book& book, Findings& findings);
/// G8: hub time agrees with the world's clocks.
void check_time_goes_on(const Book& book, Findings& findings);
void check_i4(const Book& book, Findings& findings);
void check_a1(const Book& book, Findings& findings);
void check_a4(const Book& book, Findings& findings);

struct Checker {
    std::string_view promise;
    void (*check)(const Book& book, Findings& findings);
};

inline constexpr std::array kCheckers{
    Checker{"D1", check_d1},           Checker{"D2", check_d2},          Checker{"D3", check_d3},
    Checker{"D4", check_d4},           Checker{"D5", check_d5},          Checker{"D6", check_d6},
    Checker{"D7", check_d7},           Checker{"D8", check_d8},          Checker{"D9", check_d9},
    Checker{"W1", check_w1},           Checker{"W2", check_w2},          Checker{"W3", check_w3},
    Checker{"W9", check_w9},           Checker{"G1", check_delegations}, Checker{"G5", check_g5},
    Checker{"G7", check_g7},           Checker{"I4", check_i4},          Checker{"A1", check_a1},
    Checker{"W5", check_shared},       Checker{"W4", check_w4},          Checker{"W8", check_w8},
    Checker{"A4", check_a4},           Checker{"W9", check_held},        Checker{"S13", check_s13},
    Checker{"G8", check_time_goes_on},
};

Findings check_all(const History& history);

/// The records of a message and of its request, a line each; empty for no ticket.
std::string tell_story(const History& history, Ticket ticket);

/// "message 'm-7' of agent-1 (ticket 4711)", for the text of a finding.
std::string name_of(const Copy& copy);

}  // namespace parlance::sim
