// Equality of two pieces of JSON: members in any order, strings in any escaping, numbers digit by
// digit.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json_equal.h"

namespace parlance::dialects {

inline bool is_same(json::Value left, json::Value right) {
    return json::is_equal(left, right, json::Numbers::ByDigits);
}

/// The same for values that is_same(). Unkeyed: the digest recognises repeats and proves nothing.
std::uint64_t digest_of(json::Value value);
/// The digest of an object without one member; of the whole object if `left_out` is empty.
std::uint64_t digest_of(json::Value object, std::string_view left_out);

}  // namespace parlance::dialects
