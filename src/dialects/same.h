// When two pieces of JSON say the same: members in any order, strings however escaped, numbers
// digit by digit.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace parlance::dialects {

bool is_same(json::Value left, json::Value right);

/// The same for whatever is_same(). Not keyed: it recognises, and proves nothing.
std::uint64_t digest_of(json::Value value);

}  // namespace parlance::dialects
