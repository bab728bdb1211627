#include "core/broker/turns.h"

#include <algorithm>

#include "base/mutant.h"

namespace parlance::core::broker {

void count_hand_over(Turns& turns, Priority given, const Waiting& waiting) {
    const auto level = static_cast<std::size_t>(given);
    // Critical needs no count: it is never passed over twice.
    for (std::size_t other = 1; other < kPriorities; ++other) {
        if (other != level && waiting[other]) ++turns.passed_over[other];
    }
    turns.passed_over[level] = 0;
    turns.was_lower = given != Priority::Critical;
}

std::uint32_t patience(std::uint32_t low_every, std::size_t consumers) {
    // When a level becomes due, every consumer may have had a lower hand-over last, and each gets a
    // critical message first. Then the two other levels may be due for longer, and after either
    // favour the mailbox and the consumer each owe a critical message.
    const auto between = static_cast<std::uint32_t>(consumers) + 2 * 3;
    return low_every > between + 2 ? low_every - 1 - between : 1;
}

Priority next_turn(const Turns& turns,
                   const Waiting& waiting,
                   bool taker_was_lower,
                   std::uint32_t patience) {
    auto chosen = static_cast<std::size_t>(std::ranges::find(waiting, true) - waiting.begin());
    const bool is_owed = turns.was_lower || taker_was_lower;
    if (chosen == 0 && is_owed && !is_planted(Mutant::FavourInARow)) return Priority::Critical;

    const auto overdue = [&](std::size_t level) {
        const auto times = turns.passed_over[level];
        return times >= patience ? times : 0;
    };
    // The level passed over for longest; among equals the lowest.
    for (std::size_t level = chosen + 1; level < kPriorities; ++level) {
        const bool is_due = waiting[level] && overdue(level) > 0;
        if (is_due && overdue(level) >= overdue(chosen)) chosen = level;
    }
    return static_cast<Priority>(chosen);
}

}  // namespace parlance::core::broker
