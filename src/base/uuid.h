// UUIDs in their usual text form, from random bits or a text that the caller brings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parlance {

/// A version 4 UUID, in lower case. Six of the 128 bits give way to version and variant.
std::string uuid_v4(std::uint64_t random_high, std::uint64_t random_low);

/// Thirty-six characters, hexadecimal in either case, of any version.
bool is_uuid(std::string_view text);
bool is_uuid4(std::string_view text);

/// A UUID v4 that follows from a text. Agents are shown it and name it later, so it never changes.
std::string derived_uuid(std::string_view text);
/// The same from a digest.
std::string derived_uuid(std::uint64_t digest);

}  // namespace parlance
