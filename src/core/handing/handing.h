// What is being handed over: requests that go on to somebody else if they are refused, calls that
// several are asked for, and what askers laid down until their answer comes.
//
//   passing   asked ──refused──▶ asked (the next one) … ──▶ answered
//   call      opened ──▶ each is asked ──▶ each has answered, or the time is over ──▶ ended
//
// Knows agents by their names and requests by their tickets.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/event.h"

namespace parlance::core::handing {

struct Pass {
    PassingBegan began;
    std::vector<std::string> tried{};  ///< Who said no, or nothing.
};

enum class Stage : std::uint8_t { Waiting, Asked, Answered, Failed };

/// One of those that a call is for.
struct Candidate {
    std::string agent{};
    Stage stage = Stage::Waiting;
    Ticket request{};     ///< Asked: what it is asked with.
    EnvelopePtr reply{};  ///< Answered.
    std::string code{};   ///< Failed.
    std::string detail{};
};

struct Call {
    CallKind kind = CallKind::Earliest;
    std::string capability{};
    Time until{};
    std::vector<Candidate> candidates{};
    std::string by{};  ///< As CallOpened has it, with the next two.
    Ticket parent{};
    bool is_placed = false;
};

/// Who wrote to whom about which task.
using Address = std::tuple<std::string, std::string, std::string>;

struct Handing {
    std::map<Ticket, Pass> passes;                      ///< By the request that is passed on.
    std::map<Ticket, Call> calls;                       ///< By the request they are for.
    std::map<Ticket, std::vector<std::string>> former;  ///< Who had a moved request before.
    std::map<Ticket, std::string> pushed;               ///< By the request that was asked.

    // Found again from these.
    std::map<Ticket, Ticket> by_task;                          ///< The pass by what changes hands.
    std::map<Ticket, std::pair<Ticket, std::uint32_t>> asked;  ///< Call and place, by request.
    std::map<Address, Ticket> moved;                           ///< The request that went elsewhere.
    std::set<std::pair<Time, Ticket>> due;                     ///< When somebody's time is over.
    std::set<Ticket> restless;                                 ///< Calls with something to decide.
    std::uint64_t bytes = 0;  ///< Of what is pushed, and of the answers that calls keep.
};

const Pass* find_pass(const Handing& handing, Ticket request);
const Call* find_call(const Handing& handing, Ticket request);
/// Keeps the state that an asker laid down until its request ends.
void push(Handing& handing, Ticket request, std::string state);
/// What a call has asked and has no answer to; nothing, if it is none.
std::vector<Ticket> asked_by(const Handing& handing, Ticket call);

void apply(Handing& handing, const PassingBegan& event);
void apply(Handing& handing, const PassingRefused& event);
void apply(Handing& handing, const CallOpened& event);
void apply(Handing& handing, const CallAsked& event);
void apply(Handing& handing, const CallEnded& event);
void apply(Handing& handing, const StatePushed& event);

/// The request has been moved away from `before`.
void note_moved(Handing& handing, Ticket request, const Envelope& before);
/// What became of a request, if a call is waiting for it.
void take_answer(Handing& handing, Ticket request, const EnvelopePtr& reply);
void take_failure(Handing& handing, Ticket request, std::string code, std::string detail);
/// The request has ended: nothing of it is handed over any more. What was laid down comes back.
std::string end(Handing& handing, const Envelope& asked, Ticket request);

/// Puts what a snapshot has into what is found by.
void index(Handing& handing, Ticket request, const Pass& pass);
void index(Handing& handing, Ticket request, const Call& call);
void index(Handing& handing, Ticket request, const Envelope& asked, std::string_view before);

}  // namespace parlance::core::handing
