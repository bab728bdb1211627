#include "core/capability.h"

#include <algorithm>

namespace parlance::core {

std::string_view capability_asked(const State& state, AgentHandle target, const Claim& claim) {
    if (!claim.capability.empty()) return claim.capability;
    if (target == kNoAgent) return {};
    const auto& capabilities = state.registry.agents[target].capabilities;
    for (const auto& word : claim.words) {
        if (std::ranges::find(capabilities, word) != capabilities.end()) return word;
    }
    return capabilities.size() == 1 ? std::string_view{capabilities.front()} : std::string_view{};
}

}  // namespace parlance::core
