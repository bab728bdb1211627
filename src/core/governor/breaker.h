// A breaker in front of each agent's queue (K21, G5): who fails too often is left alone for a
// while, and whoever asks is told at once. Only what the hub itself observed moves it.
//
//        failures in a row reach the limit         its time is over
//   Closed ───────────────────────────▶ Open ──────────────────────▶ Probing
//      ▲                                  ▲        another failure      │ │
//      │                                  └─────────────────────────────┘ │
//      └────────────────────────────────────────────── an answer ─────────┘
//
// A failure is what the hub saw (no answer in a fair time, not deliverable, one that breaks its
// schema) or an answer by which the agent says that it has failed. An answer that declines the
// request is neither a failure nor a success. While it is open nothing is handed to the agent.
// While it is probing one delivery is, at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "base/time.h"
#include "core/handles.h"
#include "model/event.h"

namespace parlance::core::governor {

enum class BreakerStage : std::uint8_t { Closed = 1, Open, Probing };

struct Breaker {
    BreakerStage stage = BreakerStage::Closed;
    Time open_until{};
    std::deque<Time> failures{};  ///< The oldest first; no more than can matter.
};

/// Only agents that failed lately have one.
using Breakers = std::map<AgentHandle, Breaker>;

BreakerStage stage_of(const Breakers& breakers, AgentHandle agent);
/// Whether a request that ends so is its agent's failure, as far as the hub can see. A deadline is
/// the asker's word: it says something of the agent only if that was handed the request with a fair
/// time left. Else whoever gives none, or asks one that is away, would open another's breaker.
bool is_failure(Refusal refusal, bool had_time = true);
/// The request that its agent failed with this event if it had the time, so that it ended or went
/// on to another; none for any other event.
Ticket failed_by(const Event& event);
/// How many failures count at this time.
std::uint64_t failures_at(const Breakers& breakers, AgentHandle agent, Time now, Duration window);

void note_failure(Breakers& breakers, AgentHandle agent, Time now, std::uint64_t count_max);
/// What was asked was done: what failed before it counts no longer.
void note_success(Breakers& breakers, AgentHandle agent);
void open(Breakers& breakers, AgentHandle agent, Time until);
void probe(Breakers& breakers, AgentHandle agent);
void close(Breakers& breakers, AgentHandle agent);

}  // namespace parlance::core::governor
