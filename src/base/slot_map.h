// Slots by number, in few bytes each: which object of a slab is the one of this ticket.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "base/slab.h"

namespace parlance {

/// A number of 64 bits that may stand anywhere, so that a row has no gaps.
class Halves {
  public:
    constexpr Halves() = default;
    constexpr explicit Halves(std::uint64_t number)
        : low_{static_cast<std::uint32_t>(number)},
          high_{static_cast<std::uint32_t>(number >> 32U)} {}
    constexpr std::uint64_t value() const { return std::uint64_t{high_} << 32U | low_; }

  private:
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0;
};

class SlotMap {
  public:
    using Row = std::pair<std::uint64_t, Slot>;

    std::size_t size() const { return table_.size(); }
    bool empty() const { return table_.empty(); }
    void reserve(std::size_t count) { table_.reserve(count); }

    /// kNoSlot if there is none.
    Slot find(std::uint64_t number) const {
        const auto* row = find_row(number);
        return row == nullptr ? kNoSlot : row->slot;
    }
    bool contains(std::uint64_t number) const { return find_row(number) != nullptr; }
    /// A number that is not in it.
    void add(std::uint64_t number, Slot slot) { table_.add({Halves{number}, slot}); }
    void remove(std::uint64_t number) {
        if (const auto* row = find_row(number)) table_.remove(row);
    }

    /// All, by their numbers.
    std::vector<Row> sorted() const {
        std::vector<Row> rows;
        rows.reserve(size());
        table_.for_each(
            [&](const Packed& row) { rows.emplace_back(row.number.value(), row.slot); });
        std::ranges::sort(rows);
        return rows;
    }
    /// All, in no order that means anything.
    template <class Do>
    void for_each(Do what) const {
        table_.for_each([&](const Packed& row) { what(row.number.value(), row.slot); });
    }

  private:
    struct Packed {
        Halves number{};
        Slot slot = kNoSlot;

        std::uint64_t place() const { return spread(number.value()); }
        bool empty() const { return slot == kNoSlot; }
    };
    static_assert(sizeof(Packed) == 12);

    const Packed* find_row(std::uint64_t number) const {
        return table_.find(spread(number),
                           [&](const Packed& row) { return row.number.value() == number; });
    }

    FlatTable<Packed> table_;
};

}  // namespace parlance
