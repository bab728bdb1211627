// Secrets, by OpenSSL: keyed hashes, fresh random bytes, a comparison whose time tells nothing, and
// base64url, in which bytes travel through headers and file names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace parlance {

/// HMAC-SHA-256 (RFC 2104).
Digest hmac_sha256(std::string_view key, std::string_view bytes);

/// Unpredictable to everybody. A system that has none to give is a reason to stop.
std::string random_bytes(std::size_t count);

/// In a time that depends on the sizes alone.
bool is_same_secret(std::string_view left, std::string_view right);

/// RFC 4648, section 5, without padding.
std::string to_base64url(std::string_view bytes);
/// Nothing if it is not what to_base64url() would have written, to the last bit.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace parlance
