// When two values of JSON are equal, as a schema has it: numbers by their value.
#pragma once

#include <cstdint>

#include "base/json_equal.h"

namespace parlance::schema {

inline bool is_equal(json::Value left, json::Value right) {
    return json::is_equal(left, right, json::Numbers::ByValue);
}

/// The same for equal values. Keyed: nobody can prepare others for which it is the same.
std::uint64_t hash_of(json::Value value);

}  // namespace parlance::schema
