// When two pieces of JSON say the same: members in any order, strings however escaped, numbers
// digit by digit.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json_equal.h"

namespace parlance::dialects {

inline bool is_same(json::Value left, json::Value right) {
    return json::is_equal(left, right, json::Numbers::ByDigits);
}

/// The same for whatever is_same(). Not keyed: it recognises, and proves nothing.
std::uint64_t digest_of(json::Value value);
/// Of an object without one of its members; all of it if `left_out` is empty.
std::uint64_t digest_of(json::Value object, std::string_view left_out);

}  // namespace parlance::dialects
