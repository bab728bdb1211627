// Whose turn it is between the priorities of one mailbox.
//
// Two promises pull at each other (D8): a critical message waits behind at most one lower one per
// consumer, and whoever waits gets one in `low_every` hand-overs, if need be before a critical one.
// So such a favour is never the second lower hand-over in a row: not the mailbox's, and not that
// of the consumer who takes it. Knows levels only, no messages.
#pragma once

#include <array>
#include <cstdint>

#include "model/message.h"

namespace parlance::core::broker {

/// For each priority, whether something of it can be handed over.
using Waiting = std::array<bool, kPriorities>;

struct Turns {
    std::array<std::uint32_t, kPriorities> passed_over{};  ///< Hand-overs of others while it waits.
    bool was_lower = false;  ///< The last hand-over was of something less than critical.
    bool operator==(const Turns&) const = default;
};

/// One of level `given` was handed over while these were waiting.
void count_hand_over(Turns& turns, Priority given, const Waiting& waiting);

/// How often a level is passed over until it is due for a favour. Early enough that what can still
/// come between is inside `low_every`; that cannot be kept below `consumers` + 8.
std::uint32_t patience(std::uint32_t low_every, std::size_t consumers);

/// The level that goes next; something is waiting. `taker_was_lower`: so was the last hand-over to
/// the consumer who takes it.
Priority next_turn(const Turns& turns,
                   const Waiting& waiting,
                   bool taker_was_lower,
                   std::uint32_t patience);

}  // namespace parlance::core::broker
