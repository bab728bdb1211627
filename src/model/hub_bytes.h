// How many bytes of messages a hub holds by default on a machine with so much memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/limits.h"

namespace parlance {

/// A quarter: a message has a record of its own beside its bytes, and a snapshot, the views and the
/// connections need memory too.
constexpr std::uint64_t kHubBytesShare = 4;
constexpr std::uint64_t kHubBytesFloor = std::uint64_t{64} << 20;

/// The limit is configuration: it is asked by decide alone, and neither journal nor snapshot has
/// it, so that a journal is replayed alike on a smaller machine. Memory that is not known (0)
/// leaves the fixed default, which is also the most.
inline std::uint64_t hub_bytes_for(std::uint64_t memory_bytes) {
    const auto most = Limits{}.hub_bytes_max;
    if (memory_bytes == 0) return most;
    return std::clamp(memory_bytes / kHubBytesShare, kHubBytesFloor, most);
}

}  // namespace parlance
