// UUIDs in the usual text form, from random bits or a text given by the caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parlance {

/// A version 4 UUID, in lower case. Version and variant replace six of the 128 bits.
std::string uuid_v4(std::uint64_t random_high, std::uint64_t random_low);

/// Thirty-six characters, hexadecimal in either case, of any version.
bool is_uuid(std::string_view text);
bool is_uuid4(std::string_view text);

/// A UUID v4 derived from a text. Agents receive these ids and send them later, so the derivation
/// never changes.
std::string derived_uuid(std::string_view text);
/// The same from a digest.
std::string derived_uuid(std::uint64_t digest);

}  // namespace parlance
