// The governor: the policy in force, the tree of delegations and its budgets, circuit breakers, and
// whether any work may begin at all.
//
// Knows agents only by handle and requests only by ticket. Refusals come before any work starts,
// and every admission is on record before anyone sees it.
#pragma once

#include <map>
#include <string>

#include "core/governor/breaker.h"
#include "core/governor/lineage.h"
#include "core/governor/rate.h"
#include "model/plan.h"
#include "model/policy.h"

namespace parlance::core::governor {

/// Approval of a held request, given while the fleet was stopped: the request begins when the fleet
/// resumes.
struct Leave {
    std::string by;
    std::uint64_t tokens = 0;  ///< Granted by the approver; 0: the requested amount.
};

/// Who stopped the fleet, and why. Further orders to stop are recorded and change nothing here.
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
    std::map<Ticket, RequestHeld> held;  ///< Open requests that wait for a person's approval.
    std::map<Ticket, Leave> approved;    ///< Held requests already approved.
    Stop stop;                           ///< While the fleet is stopped.
    bool is_stopped = false;  ///< By an operator: no new work begins, and only answers go out.
};

/// The bytes of a held request's words that are kept beside the request itself.
inline std::uint64_t bytes_of(const RequestHeld& held) {
    std::uint64_t bytes = held.objective.size();
    for (const auto& tool : held.tools) bytes += tool.size();
    return bytes;
}

/// How many requests of a workflow may be open at a time: the fan-out limit of the orchestrator.
inline std::size_t open_max(const Policy& policy) {
    return static_cast<std::size_t>(limit_of(policy, Rule::FanoutMax, {.agent = kOrchestrator}));
}

inline Duration window_of(const Policy& policy) {
    return Duration{limit_of(policy, Rule::BudgetWindowMs)};
}

}  // namespace parlance::core::governor
