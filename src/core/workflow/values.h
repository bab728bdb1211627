// The values of a plan: JSON in which {"$from": "/steps/a/output/x"} stands for what is there, and
// the conditions under which a step runs (X20).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace parlance::core::workflow {

/// What a pointer of a plan leads to; an empty value if there is nothing.
using Lookup = std::function<json::Value(std::string_view pointer)>;

/// The text with every place filled; by its "default", or null, where there is nothing.
std::string filled(json::Value text, const Lookup& lookup);

/// Whether all that the condition says is so. Numbers are compared by value, exactly.
bool holds(json::Value condition, const Lookup& lookup);

}  // namespace parlance::core::workflow
