// The numbers by which parts of the state refer to each other without including each other.
#pragma once

#include <cstdint>

#include "model/ids.h"

namespace parlance::core {

/// An agent's number inside the state: given in the order of first mention, never reused.
using AgentHandle = std::uint32_t;
inline constexpr AgentHandle kNoAgent = 0xFFFF'FFFFU;

/// The key of every hash that hostile input could aim at; drawn at random when a hub is founded.
struct HashKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    bool operator==(const HashKey&) const = default;
};

/// A ticket is the sequence of the event that put the copy into a mailbox, and the number of the
/// copy: no counter is needed, and a ticket leads back to its record.
constexpr Ticket ticket_at(Sequence sequence, std::uint64_t copy = 0) {
    return Ticket{sequence.value * kCopiesMax + copy};
}
constexpr Sequence sequence_of(Ticket ticket) { return Sequence{ticket.value / kCopiesMax}; }

}  // namespace parlance::core
