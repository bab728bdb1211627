// How many files the process may have open, and which part of them connections may take.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parlance::transport {

/// Connections above the limit that are told so; beyond these, they are closed without a word.
inline constexpr std::size_t kConnectionsTurnedAwayMax = 64;
/// Kept for what is no connection: the journal's segments and snapshots, the views, key files.
inline constexpr std::size_t kDescriptorsReserved = 128;
/// One descriptor in so many is for calls that the hub makes (Loop::limit_outgoing).
inline constexpr std::size_t kOutgoingShare = 8;

/// Raises the limit of open files to the most that the process may give itself, and returns it.
std::uint64_t raise_descriptor_limit();

/// How many descriptors below `limit` are open: a process may be started with many.
std::uint64_t open_descriptors(std::uint64_t limit);

struct DescriptorShares {
    std::size_t connections_max = 0;
    std::size_t outgoing_max = 0;
    bool operator==(const DescriptorShares&) const = default;
};
/// Divides `descriptors` so that connections and calls together leave the reserve alone. Where
/// there are too few for that, the reserve is half of them.
DescriptorShares share_descriptors(std::uint64_t descriptors, std::size_t connections_wanted);

}  // namespace parlance::transport
