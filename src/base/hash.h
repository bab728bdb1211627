// SipHash: a keyed 64-bit hash. With a secret key, an attacker cannot choose colliding inputs.
#pragma once

#include <cstdint>
#include <string_view>

namespace parlance {

struct SipKey {
    std::uint64_t low = 0;   ///< Key bytes 0 to 7, little-endian.
    std::uint64_t high = 0;  ///< Key bytes 8 to 15.
};

/// Drawn once per process, so that an attacker cannot prepare colliding keys.
SipKey process_key();

/// SipHash-2-4.
std::uint64_t siphash(SipKey key, std::string_view bytes);

/// SipHash-1-3, in half the time: for tables where a collision costs time but is no attack.
std::uint64_t siphash_short(SipKey key, std::string_view bytes);

}  // namespace parlance
