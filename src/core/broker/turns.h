// Turns between the priorities of a mailbox.
//
// Two promises compete (D8): a critical message waits behind at most one lower hand-over per
// consumer, and every waiting level gets one of `low_every` hand-overs, if need be before a
// critical message. So such a favour never follows a lower hand-over of the same mailbox or to the
// same consumer. Knows levels only, no messages.
#pragma once

#include <array>
#include <cstdint>

#include "model/message.h"

namespace parlance::core::broker {

/// For each priority, whether a message of the level can be handed over.
using Waiting = std::array<bool, kPriorities>;

struct Turns {
    /// Hand-overs of other levels while it waits.
    std::array<std::uint32_t, kPriorities> passed_over{};
    bool was_lower = false;  ///< The last hand-over was less than critical.
    bool operator==(const Turns&) const = default;
};

/// Counts a hand-over of level `given` while the levels in `waiting` had a message ready.
void count_hand_over(Turns& turns, Priority given, const Waiting& waiting);

/// How often a level is passed over until a favour is due: early enough for all hand-overs that may
/// still come first to fit into `low_every`, which cannot be kept below `consumers` + 8.
std::uint32_t patience(std::uint32_t low_every, std::size_t consumers);

/// The level to go next; some level is waiting. `taker_was_lower`: the consumer's last hand-over
/// was less than critical.
Priority next_turn(const Turns& turns,
                   const Waiting& waiting,
                   bool taker_was_lower,
                   std::uint32_t patience);

}  // namespace parlance::core::broker
