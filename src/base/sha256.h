// SHA-256 by OpenSSL's older functions: the newer interface's overhead per hash takes longer than
// hashing a short text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <openssl/sha.h>

namespace parlance {

using Digest = std::array<std::uint8_t, 32>;

/// Call add() with pieces, then finish(), which also resets the hasher. A copy continues from the
/// state at the time of copying.
class Sha256 {
  public:
    Sha256();
    void add(std::string_view bytes);
    Digest finish();

  private:
    SHA256_CTX context_;
};

/// HMAC-SHA-256 that absorbs the key and the begin of the text once: a message may have a hundred
/// thousand short texts to hash with one key.
class KeyedSha256 {
  public:
    KeyedSha256(std::string_view key, std::string_view begin);
    /// The HMAC of `begin` followed by `bytes`.
    Digest of(std::string_view bytes) const;

  private:
    Sha256 inner_;
    Sha256 outer_;
};

Digest sha256(std::string_view bytes);

/// Lower-case hexadecimal.
std::string to_hex(const Digest& digest);

}  // namespace parlance
