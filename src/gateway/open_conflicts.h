// Ties: contradicting values with equal confidence (K18). The user is asked, and the next turn can
// name the value that counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "narrative/aggregate.h"

namespace parlance::gateway {

/// The conflicts without a preferred value, as a JSON list; empty if there is none.
std::string open_conflicts_in(std::string_view conflicts);

/// The value of the tie that the text names: by position ("2", "the second", "the last"), as
/// written, or by source.
std::optional<narrative::Decision> settled(json::Value conflict, std::string_view words);

/// The question to the user.
std::string question_about(json::Value conflict);

}  // namespace parlance::gateway
