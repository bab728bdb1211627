// Secrets, by OpenSSL: keyed hashes, fresh random bytes, comparison in constant time, and base64url
// for bytes in headers and file names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace parlance {

/// HMAC-SHA-256 (RFC 2104).
Digest hmac_sha256(std::string_view key, std::string_view bytes);

/// Unpredictable bytes. The process stops if the system can give none.
std::string random_bytes(std::size_t count);

/// Takes a time that depends on the sizes alone.
bool is_same_secret(std::string_view left, std::string_view right);

/// RFC 4648, section 5, without padding.
std::string to_base64url(std::string_view bytes);
/// Nothing unless `text` is exactly, to the last bit, an output of to_base64url().
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace parlance
