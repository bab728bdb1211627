// What is permitted: the policy in force, the tree of delegations and what may still be spent, who
// is left alone for a while, and whether anything may begin at all.
//
// Knows agents only by their handle and requests only by their ticket. It says no before any work
// starts; what it allows is on record before anybody sees it.
#pragma once

#include <map>
#include <string>

#include "core/governor/breaker.h"
#include "core/governor/lineage.h"
#include "core/governor/rate.h"
#include "model/plan.h"
#include "model/policy.h"

namespace parlance::core::governor {

/// What people have let through while the fleet was stopped: it begins when that goes on.
struct Leave {
    std::string by;
    std::uint64_t tokens = 0;  ///< What they gave it to spend; 0: what it asks for.
};

/// Who stopped the fleet, and why. Orders to stop what is stopped are on record only.
struct Stop {
    std::string by;
    std::string reason;
    Time at{};
};

struct Governor {
    Policy policy;
    Lineage lineage;
    Breakers breakers;
    Rates rates;
    std::map<Ticket, RequestHeld> held;  ///< Open requests that wait for a person's leave.
    std::map<Ticket, Leave> approved;    ///< Of those held.
    Stop stop;                           ///< While it is stopped.
    bool is_stopped = false;  ///< By an operator: no new work begins, and only answers go out.
};

/// How many requests of one workflow may be open at a time: as many as anybody may delegate.
inline std::size_t open_max(const Policy& policy) {
    return static_cast<std::size_t>(limit_of(policy, Rule::FanoutMax, {.agent = kOrchestrator}));
}

inline Duration window_of(const Policy& policy) {
    return Duration{limit_of(policy, Rule::BudgetWindowMs)};
}

}  // namespace parlance::core::governor
