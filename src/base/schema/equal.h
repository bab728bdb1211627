// Equality of JSON values as JSON Schema defines it: numbers by value.
#pragma once

#include <cstdint>

#include "base/json_equal.h"

namespace parlance::schema {

inline bool is_equal(json::Value left, json::Value right) {
    return json::is_equal(left, right, json::Numbers::ByValue);
}

/// Equal values have equal hashes. Keyed: nobody outside can prepare collisions.
std::uint64_t hash_of(json::Value value);

}  // namespace parlance::schema
