// What is permitted: the policy in force, the tree of delegations, and what may still be spent.
//
// Knows agents only by their handle and requests only by their ticket. It says no before any work
// starts; what it allows is on record before anybody sees it.
#pragma once

#include "core/governor/lineage.h"
#include "model/policy.h"

namespace parlance::core::governor {

struct Governor {
    Policy policy;
    Lineage lineage;
};

inline Duration window_of(const Policy& policy) {
    return Duration{limit_of(policy, Rule::BudgetWindowMs)};
}

}  // namespace parlance::core::governor
