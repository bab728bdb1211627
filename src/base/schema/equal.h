// When two values of JSON are equal, as a schema has it: numbers by their value, objects in any
// order of members, strings however escaped.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace parlance::schema {

bool is_equal(json::Value left, json::Value right);

/// The same for equal values. Keyed: nobody can prepare others for which it is the same.
std::uint64_t hash_of(json::Value value);

}  // namespace parlance::schema
