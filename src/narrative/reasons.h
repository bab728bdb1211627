// Why a result is missing, in words for users (K11). Error texts between the hub's parts and agents
// are for operators.
#pragma once

#include <string_view>

namespace parlance::narrative {

/// Part of a sentence, like "it took too long", for a refusal code. `said` is an agent's own
/// explanation: used if the code is the agent's own and the text reads like a sentence for users.
std::string_view reason_for(std::string_view code, std::string_view said = {});

}  // namespace parlance::narrative
