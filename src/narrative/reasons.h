// Why something did not come, in the hub's own words for users (K11): what the parts of the hub and
// the agents say to one another about it is for operators.
#pragma once

#include <string_view>

namespace parlance::narrative {

/// A part of a sentence, "it took too long", for a refusal's code. `said` is what was said about
/// it: an agent with a code of its own may say why itself, if that reads like a sentence for users.
std::string_view reason_for(std::string_view code, std::string_view said = {});

}  // namespace parlance::narrative
