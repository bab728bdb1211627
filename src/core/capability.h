// Finds the capability asked for by a request, whatever the dialect: the capability's rules apply
// to the request, and a stand-in agent must have the capability.
#pragma once

#include <string_view>

#include "core/core.h"

namespace parlance::core {

/// The capability named by the claim, if the target has registered it or the dialect always names
/// one; else the target's only one. Empty: unknown. Valid as long as the state and the claim.
std::string_view capability_asked(const State& state, AgentHandle target, const Claim& claim);

}  // namespace parlance::core
