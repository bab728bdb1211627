// Why something did not come, in the hub's own words for users (K11): what the parts of the hub and
// the agents say to one another about it is for operators.
#pragma once

#include <string_view>

namespace parlance::narrative {

/// A part of a sentence, "it took too long", for a refusal's code, a step's or an agent's own.
/// Empty: what was said about it is for users already.
std::string_view reason_for(std::string_view code);

}  // namespace parlance::narrative
