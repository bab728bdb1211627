// For which capability a request asks, whatever its dialect: what a rule for that capability holds
// for, and what another agent would have to be able to do.
#pragma once

#include <string_view>

#include "core/core.h"

namespace parlance::core {

/// The one that it names, if its target has registered it or its dialect always names one; else the
/// target's only one. Empty: that cannot be told. It is valid as long as the state and the claim.
std::string_view capability_asked(const State& state, AgentHandle target, const Claim& claim);

}  // namespace parlance::core
