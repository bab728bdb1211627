// Finds a slab's slot by number (for example a ticket), in eight bytes per row.
//
// A row holds half of the number's hash. The object knows the full number: callers pass
// `number_of(slot)`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "base/slab.h"

namespace parlance {

/// A slot under half of a hash. The object in the slot knows the key.
struct HashedSlot {
    std::uint32_t hash = 0;
    Slot slot = kNoSlot;

    /// The upper half of a 64-bit hash.
    static constexpr std::uint32_t half(std::uint64_t hash) {
        return static_cast<std::uint32_t>(hash >> 32U);
    }
    static constexpr std::uint64_t place_of(std::uint64_t hash) {
        return std::uint64_t{half(hash)} << 32U;
    }
    std::uint64_t place() const { return std::uint64_t{hash} << 32U; }
    bool empty() const { return slot == kNoSlot; }
};
static_assert(sizeof(HashedSlot) == 8);
using HashedSlots = FlatTable<HashedSlot, Fill::Dense>;

class SlotMap {
  public:
    using Row = std::pair<std::uint64_t, Slot>;

    std::size_t size() const { return table_.size(); }
    bool empty() const { return table_.empty(); }
    void reserve(std::size_t count) { table_.reserve(count); }

    /// kNoSlot if the number is absent.
    template <class NumberOf>
    Slot find(std::uint64_t number, NumberOf number_of) const {
        const auto* row = find_row(number, number_of);
        return row == nullptr ? kNoSlot : row->slot;
    }
    /// `number` must be absent.
    void add(std::uint64_t number, Slot slot) {
        table_.add({.hash = HashedSlot::half(spread(number)), .slot = slot});
    }
    /// The object must still exist.
    template <class NumberOf>
    void remove(std::uint64_t number, NumberOf number_of) {
        if (const auto* row = find_row(number, number_of)) table_.remove(row);
    }

    /// All rows, sorted by number.
    template <class NumberOf>
    std::vector<Row> sorted(NumberOf number_of) const {
        std::vector<Row> rows;
        rows.reserve(size());
        for_each([&](Slot slot) { rows.emplace_back(number_of(slot), slot); });
        std::ranges::sort(rows);
        return rows;
    }
    /// Visits all slots, in no meaningful order.
    template <class Do>
    void for_each(Do what) const {
        table_.for_each([&](const HashedSlot& row) { what(row.slot); });
    }

  private:
    template <class NumberOf>
    const HashedSlot* find_row(std::uint64_t number, NumberOf number_of) const {
        return table_.find(HashedSlot::place_of(spread(number)),
                           [&](const HashedSlot& row) { return number_of(row.slot) == number; });
    }

    HashedSlots table_;
};

}  // namespace parlance
