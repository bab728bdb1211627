// The values of a plan, that is JSON in which {"$from": "/steps/a/output/x"} stands for the value
// at the pointer, and the conditions under which a step runs (X20).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace parlance::core::workflow {

/// The value that a plan's pointer leads to; an empty value if none.
using Lookup = std::function<json::Value(std::string_view pointer)>;

/// The text with every placeholder replaced by its value, else by its "default", else by null.
std::string filled(json::Value text, const Lookup& lookup);

/// Whether the condition holds as a whole. Numbers are compared by value, exactly.
bool holds(json::Value condition, const Lookup& lookup);

}  // namespace parlance::core::workflow
