// A hash table in a single array: rows ordered by hash position, with gaps between. The table grows
// by a fraction of its size, so a large table is never half empty: for a million small rows.
//
// A Row gives its position, as a fraction of the whole table, and whether the row is a gap:
//   std::uint64_t place() const;  bool empty() const;
//
// Rows of equal position are adjacent. A search needs more than the position to identify a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace parlance {

/// Spreads numbers that may be close together over all positions, without collisions.
constexpr std::uint64_t spread(std::uint64_t number) { return number * 0x9E37'79B9'7F4A'7C15U; }

/// Roomy: filled to five sixths, grows by a quarter. Dense: filled to seven eighths, grows by an
/// eighth, so adding a row moves more rows; for small, short-lived rows.
enum class Fill { Roomy, Dense };

template <class Row, Fill kFill = Fill::Roomy>
class FlatTable {
  public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// Memory of the rows, gaps included.
    std::size_t bytes() const { return rows_.capacity() * sizeof(Row); }

    /// Prefetches the row that find() will read first. A large table is not in the cache; a caller
    /// with many searches need not wait for each row in turn.
    void prefetch(std::uint64_t place) const {
        if (size_ > 0) __builtin_prefetch(&rows_[home(place)]);
    }

    /// The row at this position for which `is` holds; null if none.
    template <class Is>
    const Row* find(std::uint64_t place, Is is) const {
        if (size_ == 0) return nullptr;
        auto at = home(place);
        while (!rows_[at].empty() && rows_[at].place() < place) ++at;
        for (; !rows_[at].empty() && rows_[at].place() == place; ++at) {
            if (is(rows_[at])) return &rows_[at];
        }
        return nullptr;
    }
    template <class Is>
    Row* find(std::uint64_t place, Is is) {
        return const_cast<Row*>(std::as_const(*this).find(place, is));
    }

    /// Inserts after existing rows of the same position.
    Row& add(const Row& row) {
        if ((size_ + 1) * (kFull + 1) > homes_ * kFull) grow(homes_ + homes_ / kGrowth + kHomesMin);
        ++size_;
        return put(row);
    }
    /// Removes a row that find() returned.
    void remove(const Row* row) {
        auto at = static_cast<std::size_t>(row - rows_.data());
        for (; !rows_[at + 1].empty() && home(rows_[at + 1].place()) <= at; ++at) {
            rows_[at] = rows_[at + 1];
        }
        rows_[at] = Row{};
        // An emptied large table frees its memory. A small table keeps its memory: a table emptied
        // by each message would otherwise be reallocated for each message.
        if (--size_ == 0 && rows_.capacity() > kKept) *this = {};
    }

    void reserve(std::size_t count) {
        const auto homes = count / kFull * (kFull + 1) + kHomesMin;
        if (homes > homes_) grow(homes);
    }

    /// Visits rows in the order of their positions.
    template <class Do>
    void for_each(Do what) const {
        for (const auto& row : rows_) {
            if (!row.empty()) what(row);
        }
    }

  private:
    static constexpr std::size_t kFull = kFill == Fill::Dense ? 7 : 5;  ///< Of kFull + 1.
    static constexpr std::size_t kGrowth = kFill == Fill::Dense ? 8 : 4;
    static constexpr std::size_t kHomesMin = 8;
    static constexpr std::size_t kKept = 64;
    /// Room for rows pushed past the last home; more such rows are rare.
    static constexpr std::size_t kBehind = 16;

    std::size_t home(std::uint64_t place) const {
        return (place >> 32U) * homes_ >> 32U;  // A table has fewer than 2^32 homes.
    }
    Row& put(const Row& row) {
        const auto place = row.place();
        auto at = home(place);
        while (!rows_[at].empty() && rows_[at].place() <= place) ++at;
        auto gap = at;
        while (!rows_[gap].empty()) ++gap;
        // The last row is always a gap: every search ends there. Only a few rows are added, not as
        // many as the table has.
        if (gap + 1 == rows_.size()) {
            if (rows_.size() == rows_.capacity()) rows_.reserve(rows_.size() + kBehind);
            rows_.emplace_back();
        }
        std::copy_backward(&rows_[at], &rows_[gap], &rows_[gap] + 1);
        return rows_[at] = row;
    }
    void grow(std::size_t homes) {
        std::vector<Row> rows;
        rows.reserve(homes + kBehind);
        rows.resize(homes + 1);
        const auto before = std::exchange(rows_, std::move(rows));
        homes_ = homes;
        for (const auto& row : before) {
            if (!row.empty()) put(row);
        }
    }

    std::vector<Row> rows_;  ///< The homes, and some room after the last home.
    std::size_t homes_ = 0;
    std::size_t size_ = 0;
};

}  // namespace parlance
