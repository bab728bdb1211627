// A circuit breaker in front of each agent's queue (K21, G5): an agent that fails too often gets no
// work for a while, and requesters are answered at once. Only the hub's own observations move a
// breaker.
//
//        failures in a row reach the limit         its time is over
//   Closed ───────────────────────────▶ Open ──────────────────────▶ Probing
//      ▲                                  ▲        another failure      │ │
//      │                                  └─────────────────────────────┘ │
//      └────────────────────────────────────────────── an answer ─────────┘
//
// A failure is observed by the hub (no answer in a fair time, undeliverable, an answer that breaks
// its schema) or reported by the agent in its answer. An answer that declines the request is
// neither failure nor success. An open breaker hands the agent nothing; a probing breaker one
// delivery at a time.
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
    std::deque<Time> failures{};  ///< The oldest first; only as many as can matter.
};

/// Only for agents that failed lately.
using Breakers = std::map<AgentHandle, Breaker>;

BreakerStage stage_of(const Breakers& breakers, AgentHandle agent);
/// Whether a refused request counts as a failure of its agent. A deadline is the requester's
/// choice: a timeout counts only if the agent got the request with a fair time left. Otherwise a
/// requester with a short deadline, or asking an absent agent, could open the agent's breaker.
bool is_failure(Refusal refusal, bool had_time = true);
/// The request that its agent failed with this event, ended or passed on (a timeout only if the
/// agent had time); none for any other event.
Ticket failed_by(const Event& event);
/// How many failures count at `now`.
std::uint64_t failures_at(const Breakers& breakers, AgentHandle agent, Time now, Duration window);

void note_failure(Breakers& breakers, AgentHandle agent, Time now, std::uint64_t count_max);
/// A completed request: earlier failures no longer count.
void note_success(Breakers& breakers, AgentHandle agent);
void open(Breakers& breakers, AgentHandle agent, Time until);
void probe(Breakers& breakers, AgentHandle agent);
void close(Breakers& breakers, AgentHandle agent);

}  // namespace parlance::core::governor
