// Equality of JSON values: objects in any order of members, strings however escaped.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace parlance::json {

/// 1.0 and 1 are equal by value, and differ by digits.
enum class Numbers : std::uint8_t { ByDigits, ByValue };

bool is_equal(Value left, Value right, Numbers numbers);

}  // namespace parlance::json
