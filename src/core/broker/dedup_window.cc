#include "core/broker/dedup_window.h"

#include <utility>

namespace parlance::core::broker {

namespace {

std::uint64_t key_of(const NumberRow& row) { return row.key; }
std::uint64_t key_of(const IdRow& row) { return row.key.value(); }

/// Null if absent.
template <class Row>
const Row* find(const FlatTable<Row>& table, std::uint64_t key) {
    return table.find(spread(key), [&](const Row& row) { return key_of(row) == key; });
}

template <class Row>
void put(FlatTable<Row>& table, const Row& row) {
    if (const auto* known = find(table, key_of(row))) {
        *const_cast<Row*>(known) = row;
    } else {
        table.add(row);
    }
}

/// In the newer generation, else in the older.
template <auto Table>
auto find(const DedupWindow& window, std::uint64_t key) {
    const auto* newer = find(window.newer.*Table, key);
    return newer != nullptr ? newer : find(window.older.*Table, key);
}

}  // namespace

std::optional<Remembered> find_id(const DedupWindow& window, std::uint64_t key) {
    const auto* row = find<&Generation::ids>(window, key);
    if (row == nullptr) return std::nullopt;
    return Remembered{.ticket = {row->ticket.value()}, .fingerprint = row->fingerprint};
}

Sequence find_answer(const Generation& generation, std::uint64_t key) {
    const auto* row = find(generation.answers, key);
    return {row == nullptr ? 0 : row->number};
}

Sequence find_answer(const DedupWindow& window, std::uint64_t key) {
    const auto* row = find<&Generation::answers>(window, key);
    return {row == nullptr ? 0 : row->number};
}

Ticket find_closed(const DedupWindow& window, std::uint64_t key) {
    const auto* row = find<&Generation::closed>(window, key);
    return {row == nullptr ? 0 : row->number};
}

void remember(FlatTable<IdRow>& table, const IdRow& row) { put(table, row); }
void remember(FlatTable<NumberRow>& table, const NumberRow& row) { put(table, row); }

void remember_id(DedupWindow& window, std::uint64_t key, Remembered remembered) {
    remember(window.newer.ids,
             {.key = PackedUint64{key},
              .ticket = PackedUint64{remembered.ticket.value},
              .fingerprint = remembered.fingerprint});
    ++window.taken;
}

void remember_answer(DedupWindow& window, std::uint64_t key, Sequence answer) {
    remember(window.newer.answers, {.key = key, .number = answer.value});
}

void remember_closed(DedupWindow& window, std::uint64_t key, Ticket request) {
    remember(window.newer.closed, {.key = key, .number = request.value});
}

bool is_full(const DedupWindow& window, std::uint64_t ids_max) {
    return window.taken * 2 >= ids_max;
}

void age_closed(DedupWindow& window, std::uint64_t ids_max) {
    if (window.newer.closed.size() < closed_names_max(ids_max)) return;
    window.older.closed = std::exchange(window.newer.closed, {});
}

std::size_t bytes_of(const DedupWindow& window) {
    std::size_t bytes = 0;
    for (const auto* generation : {&window.newer, &window.older}) {
        bytes += generation->ids.bytes() + generation->answers.bytes() + generation->closed.bytes();
    }
    return bytes;
}

}  // namespace parlance::core::broker
