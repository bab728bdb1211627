// JSON for people: indented and coloured on a terminal; and lookups of members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/colour.h"
#include "base/json.h"

namespace parlance::cli {

/// Of checked JSON. Short objects and lists stay on one line; `indent` is the current column.
std::string pretty(const Screen& screen, json::Value value, int indent = 0);
/// Without any space between tokens, as one line for a program.
std::string one_line(std::string_view checked);

/// A member's text; empty if absent or no string.
std::string text_member(json::Value object, std::string_view key);
std::optional<std::int64_t> number_member(json::Value object, std::string_view key);
/// A member, or null.
json::Value member(json::Value object, std::string_view key);

}  // namespace parlance::cli
