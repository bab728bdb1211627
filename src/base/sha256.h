// SHA-256 by OpenSSL, without what its newer interface does around each hash: that takes longer
// than a short text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <openssl/sha.h>

namespace parlance {

using Digest = std::array<std::uint8_t, 32>;

/// add() pieces, then finish(); it is empty again after that. A copy goes on from where it was
/// made.
class Sha256 {
  public:
    Sha256();
    void add(std::string_view bytes);
    Digest finish();

  private:
    SHA256_CTX context_;
};

/// HMAC-SHA-256 with the key and the begin of the text taken in once: a message may have a hundred
/// thousand short texts to be hashed by one key.
class KeyedSha256 {
  public:
    KeyedSha256(std::string_view key, std::string_view begin);
    /// Of that begin and these bytes.
    Digest of(std::string_view bytes) const;

  private:
    Sha256 inner_;
    Sha256 outer_;
};

Digest sha256(std::string_view bytes);

/// Lower-case hexadecimal.
std::string to_hex(const Digest& digest);

}  // namespace parlance
