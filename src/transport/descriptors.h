// How many files the process may have open, and the share of connections in that number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parlance::transport {

/// Connections above the limit that still get a refusal; further connections are closed silently.
inline constexpr std::size_t kConnectionsTurnedAwayMax = 64;
/// Reserved for files other than connections: journal segments, snapshots, views, key files.
inline constexpr std::size_t kDescriptorsReserved = 128;
/// One descriptor in this many is for calls that the hub makes (Loop::limit_outgoing).
inline constexpr std::size_t kOutgoingShare = 8;

/// Raises the limit of open files to the hard limit of the process, and returns the new limit.
std::uint64_t raise_descriptor_limit();

/// How many descriptors below `limit` are open: a process may be started with many.
std::uint64_t open_descriptors(std::uint64_t limit);

struct DescriptorShares {
    std::size_t connections_max = 0;
    std::size_t outgoing_max = 0;
    bool operator==(const DescriptorShares&) const = default;
};
/// Divides `descriptors` so that connections and calls together leave the reserve untouched. With
/// too few descriptors, the reserve is half of them.
DescriptorShares share_descriptors(std::uint64_t descriptors, std::size_t connections_wanted);

}  // namespace parlance::transport
