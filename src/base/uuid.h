// UUIDs in their usual text form, from random bits that the caller brings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parlance {

/// A version 4 UUID, in lower case. Six of the 128 bits give way to version and variant.
std::string uuid_v4(std::uint64_t random_high, std::uint64_t random_low);

/// Thirty-six characters, hexadecimal in either case, of any version.
bool is_uuid(std::string_view text);

}  // namespace parlance
