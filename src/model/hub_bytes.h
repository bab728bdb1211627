// Default bound on the bytes of messages in a hub, from the machine's memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/limits.h"

namespace parlance {

/// A quarter: each message also has a record, and snapshots, views and connections need memory too.
constexpr std::uint64_t kHubBytesShare = 4;
constexpr std::uint64_t kHubBytesFloor = std::uint64_t{64} << 20;

/// Only decide reads the limit; journal and snapshot do not contain it, so that a journal replays
/// alike on a smaller machine. Unknown memory (0) gives the fixed default, also the maximum.
inline std::uint64_t hub_bytes_for(std::uint64_t memory_bytes) {
    const auto most = Limits{}.hub_bytes_max;
    if (memory_bytes == 0) return most;
    return std::clamp(memory_bytes / kHubBytesShare, kHubBytesFloor, most);
}

}  // namespace parlance
