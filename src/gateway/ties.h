// Values that contradict each other and are equally sure (K18): put to the user, whose next words
// can settle which one counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "narrative/aggregate.h"

namespace parlance::gateway {

/// Those of the conflicts that nothing has settled, as a JSON list; empty if there is none.
std::string ties_in(std::string_view conflicts);

/// Which value of the tie these words name: by its place ("2", "the second", "the last"), as it is
/// written, or by where it comes from.
std::optional<narrative::Decision> settled(json::Value tie, std::string_view words);

/// The question, in words for the user.
std::string question_about(json::Value tie);

}  // namespace parlance::gateway
