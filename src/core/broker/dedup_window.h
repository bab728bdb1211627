// The dedup window: message ids already taken and their outcomes, to recognise a repeat.
//
// Two generations bound the window. When the newer generation is full the older is forgotten,
// except ids of messages still in the hub: a waiting message can never be accepted a second time.
// Only taken ids fill a generation. A burst of timeouts ends many requests at once and takes no id;
// the names of ended requests therefore have their own bound, and ids outlive such a burst.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "base/packed_uint64.h"
#include "model/ids.h"

namespace parlance::core::broker {

struct Remembered {
    Ticket ticket;  ///< Of the first copy; leads to the record of its acceptance.
    std::uint32_t fingerprint = 0;
};

// A hub holds a million of each row, so every byte here is counted.

/// A name's keyed hash and a nonzero number: a ticket or a sequence.
struct NumberRow {
    std::uint64_t key = 0;
    std::uint64_t number = 0;

    std::uint64_t place() const { return spread(key); }
    bool empty() const { return number == 0; }
};
struct IdRow {
    PackedUint64 key{};
    PackedUint64 ticket{};
    std::uint32_t fingerprint = 0;

    std::uint64_t place() const { return spread(key.value()); }
    bool empty() const { return ticket.value() == 0; }
};
static_assert(sizeof(IdRow) == 20);

struct Generation {
    FlatTable<IdRow> ids;
    FlatTable<NumberRow> answers;  ///< Sequences, by the request's id key.
    FlatTable<NumberRow> closed;   ///< Tickets, by the names of ended requests.
};

struct DedupWindow {
    Generation newer;
    Generation older;
    std::uint64_t taken = 0;  ///< Ids since the newer generation began, without those carried over.
};

Sequence find_answer(const Generation& generation, std::uint64_t key);
std::optional<Remembered> find_id(const DedupWindow& window, std::uint64_t key);
/// Has the processor fetch the rows that find_id() will read.
inline void prefetch_id(const DedupWindow& window, std::uint64_t key) {
    window.newer.ids.prefetch(spread(key));
    window.older.ids.prefetch(spread(key));
}
Sequence find_answer(const DedupWindow& window, std::uint64_t key);
Ticket find_closed(const DedupWindow& window, std::uint64_t key);

void remember_id(DedupWindow& window, std::uint64_t key, Remembered remembered);
void remember_answer(DedupWindow& window, std::uint64_t key, Sequence answer);
void remember_closed(DedupWindow& window, std::uint64_t key, Ticket request);

/// Adds the row, or replaces the row with its key.
void remember(FlatTable<IdRow>& table, const IdRow& row);
void remember(FlatTable<NumberRow>& table, const NumberRow& row);

/// Whether the newer generation holds its half of `ids_max`.
bool is_full(const DedupWindow& window, std::uint64_t ids_max);

/// Bound on the names of ended requests in a generation. A request has three as a rule; the
/// constant leaves room for a burst of timeouts in a hub with a small window.
constexpr std::uint64_t closed_names_max(std::uint64_t ids_max) { return 2 * ids_max + 65'536; }

/// Forgets the older names of ended requests, and nothing else, once the newer names are too many.
void age_closed(DedupWindow& window, std::uint64_t ids_max);

/// Of all tables.
std::size_t bytes_of(const DedupWindow& window);

/// Forgets the older generation once the newer is full; ids with `is_live(ticket)` are carried
/// over.
template <class IsLive>
void age(DedupWindow& window, std::uint64_t ids_max, IsLive is_live) {
    if (!is_full(window, ids_max)) return;
    const auto forgotten = std::exchange(window.older, std::exchange(window.newer, {}));
    window.taken = 0;
    std::vector<IdRow> live;
    forgotten.ids.for_each([&](const IdRow& row) {
        if (is_live(Ticket{row.ticket.value()})) live.push_back(row);
    });
    // Reserve first: rows come in hash order and would crowd at the beginning of a growing table,
    // where each insertion moves all the others.
    window.newer.ids.reserve(live.size());
    window.newer.answers.reserve(std::min(live.size(), forgotten.answers.size()));
    for (const auto& row : live) {
        remember(window.newer.ids, row);
        const auto answer = find_answer(forgotten, row.key.value());
        if (answer != Sequence{}) remember_answer(window, row.key.value(), answer);
    }
}

}  // namespace parlance::core::broker
