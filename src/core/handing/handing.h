// Requests on their way to an agent: requests passed on after a refusal, calls put to several
// candidates, and the state that requesters save until their answer comes.
//
//   passing   asked ──refused──▶ asked (the next one) … ──▶ answered
//   call      opened ──▶ each is asked ──▶ each has answered, or the time is over ──▶ ended
//
// Knows agents by name and requests by ticket.
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
    std::vector<std::string> tried{};  ///< Agents that declined, failed or were silent.
};

enum class Stage : std::uint8_t { Waiting, Asked, Answered, Failed };

/// An agent that a call is for.
struct Candidate {
    std::string agent{};
    Stage stage = Stage::Waiting;
    Ticket request{};     ///< Asked: the request to the candidate.
    EnvelopePtr reply{};  ///< Answered.
    std::string code{};   ///< Failed.
    std::string detail{};
};

struct Call {
    CallKind kind = CallKind::Earliest;
    std::string capability{};
    Time until{};
    std::vector<Candidate> candidates{};
    std::string by{};  ///< As in CallOpened, like the next two.
    Ticket parent{};
    bool is_placed = false;
};

/// Requester, recipient and task of a request.
using Address = std::tuple<std::string, std::string, std::string>;

struct Handing {
    std::map<Ticket, Pass> passes;                      ///< By the request passed on.
    std::map<Ticket, Call> calls;                       ///< By the request of the call.
    std::map<Ticket, std::vector<std::string>> former;  ///< Previous holders of a moved request.
    std::map<Ticket, std::string> pushed;  ///< Saved state, by the requester's request.

    // Derived from the maps above.
    std::map<Ticket, Ticket> by_task;  ///< Passes, by the task handed over.
    /// Call and candidate index, by request.
    std::map<Ticket, std::pair<Ticket, std::uint32_t>> asked;
    std::map<Address, Ticket> moved;        ///< A moved request, by its former address.
    std::set<std::pair<Time, Ticket>> due;  ///< When a pass's patience or a call ends.
    std::set<Ticket> restless;              ///< Calls with a decision due.
    std::uint64_t bytes = 0;                ///< Of saved state and of kept replies.
};

const Pass* find_pass(const Handing& handing, Ticket request);
const Call* find_call(const Handing& handing, Ticket request);
/// Keeps a requester's state until its request ends.
void push(Handing& handing, Ticket request, std::string state);
/// The open requests of a call; empty if there is no such call.
std::vector<Ticket> asked_by(const Handing& handing, Ticket call);

void apply(Handing& handing, const PassingBegan& event);
void apply(Handing& handing, const PassingRefused& event);
void apply(Handing& handing, const CallOpened& event);
void apply(Handing& handing, const CallAsked& event);
void apply(Handing& handing, const CallEnded& event);
void apply(Handing& handing, const StatePushed& event);

/// Notes that a request moved away from the recipient of `before`.
void note_moved(Handing& handing, Ticket request, const Envelope& before);
/// Records a reply or failure in the call that waits for the request, if any.
void take_answer(Handing& handing, Ticket request, const EnvelopePtr& reply);
void take_failure(Handing& handing, Ticket request, std::string code, std::string detail);
/// Forgets everything about an ended request; returns the state that its requester saved.
std::string end(Handing& handing, const Envelope& asked, Ticket request);

/// Enters an item into the derived maps; also used after a snapshot was loaded.
void index(Handing& handing, Ticket request, const Pass& pass);
void index(Handing& handing, Ticket request, const Call& call);
void index(Handing& handing, Ticket request, const Envelope& asked, std::string_view before);

}  // namespace parlance::core::handing
