// What is said of a conversation: where it stands, who takes part, what it waits for, and where
// its time goes. Pure: journeys in, figures out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "views/journey.h"

namespace parlance::views {

/// One that has not ended.
struct OpenMessage {
    Ticket ticket{};
    Time since{};
    Part part = Part::OneWay;
    Standing standing = Standing::Waiting;
    bool operator==(const OpenMessage&) const = default;
};

/// The sum of its journeys. In whatever order their steps are added, it is the same.
struct Conversation {
    Sequence first{};
    Sequence last{};
    Time started{};
    Time changed{};
    std::string starter{};
    std::vector<std::string> agents{};  ///< By name.
    std::uint64_t messages = 0;
    std::uint64_t requests = 0;
    std::uint64_t failures = 0;
    std::vector<OpenMessage> open{};  ///< By ticket.
    /// The workflow, or else the starter's last request: what becomes of it is the outcome.
    Sequence decisive{};
    Part decides = Part::Request;
    Standing outcome = Standing::Waiting;
    bool operator==(const Conversation&) const = default;
};

/// A journey begins.
void begin(Conversation& conversation, const Journey& journey);
/// The step that `journey` has just taken, from where it stood before.
void go_on(Conversation& conversation, const Journey& journey, Standing before, const Step& step);
/// All of them, each up to the record `at`.
Conversation fold(std::span<const Journey> journeys, Sequence at);
void add(Conversation& conversation, const Journey& journey, Sequence at);

/// "active", "waiting_for_human" if nobody else has anything to do, "completed" or "failed".
std::string_view status_of(const Conversation& conversation);
/// As GET /v1/correlations/{id} shows it. `asked` are its open requests, or some of them.
std::string print(const Conversation& conversation,
                  std::string_view id,
                  std::span<const Journey> asked,
                  Sequence as_of);

}  // namespace parlance::views
