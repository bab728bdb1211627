// A hash table that is one array: rows in the order of their places, with gaps between. It grows by
// a fraction, so that what is large is never half empty; a table for a million small things.
//
// A Row says where it belongs, as a fraction of the whole table, and whether it is none:
//   std::uint64_t place() const;  bool empty() const;
// Rows of one place stand together. Whoever looks for one says by more than its place which it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace parlance {

/// Spreads numbers that may lie close together over all places; no two get the same.
constexpr std::uint64_t spread(std::uint64_t number) { return number * 0x9E37'79B9'7F4A'7C15U; }

/// Roomy: filled to five sixths, grows by a quarter. Dense: seven eighths and an eighth, so that to
/// add a row moves more of the others; for small rows of what comes and goes.
enum class Fill { Roomy, Dense };

template <class Row, Fill kFill = Fill::Roomy>
class FlatTable {
  public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// What it takes, rows that are none included.
    std::size_t bytes() const { return rows_.capacity() * sizeof(Row); }

    /// Has the processor fetch what find() will look at first. In a large table that is not in its
    /// cache, and whoever looks for many things need not wait for each in turn.
    void prefetch(std::uint64_t place) const {
        if (size_ > 0) __builtin_prefetch(&rows_[home(place)]);
    }

    /// The row at this place for which it holds; null if there is none.
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

    /// Behind those of its place that are there.
    Row& add(const Row& row) {
        if ((size_ + 1) * (kFull + 1) > homes_ * kFull) grow(homes_ + homes_ / kGrowth + kHomesMin);
        ++size_;
        return put(row);
    }
    /// One that find() named.
    void remove(const Row* row) {
        auto at = static_cast<std::size_t>(row - rows_.data());
        for (; !rows_[at + 1].empty() && home(rows_[at + 1].place()) <= at; ++at) {
            rows_[at] = rows_[at + 1];
        }
        rows_[at] = Row{};
        // An empty table is a small one; but one that each message empties is not made anew for
        // each.
        if (--size_ == 0 && rows_.capacity() > kKept) *this = {};
    }

    void reserve(std::size_t count) {
        const auto homes = count / kFull * (kFull + 1) + kHomesMin;
        if (homes > homes_) grow(homes);
    }

    /// In the order of their places.
    template <class Do>
    void for_each(Do what) const {
        for (const auto& row : rows_) {
            if (!row.empty()) what(row);
        }
    }

  private:
    static constexpr std::size_t kFull = kFill == Fill::Dense ? 7 : 5;  ///< Of one more.
    static constexpr std::size_t kGrowth = kFill == Fill::Dense ? 8 : 4;
    static constexpr std::size_t kHomesMin = 8;
    static constexpr std::size_t kKept = 64;
    /// Room for those that are pushed past the last home. More than that is rare.
    static constexpr std::size_t kBehind = 16;

    std::size_t home(std::uint64_t place) const {
        return (place >> 32U) * homes_ >> 32U;  // There are never as many as 2^32.
    }
    Row& put(const Row& row) {
        const auto place = row.place();
        auto at = home(place);
        while (!rows_[at].empty() && rows_[at].place() <= place) ++at;
        auto gap = at;
        while (!rows_[gap].empty()) ++gap;
        // The last row is always a gap: every search ends there. A few more are made, and not as
        // many as there are.
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

    std::vector<Row> rows_;  ///< The homes, and some room behind the last of them.
    std::size_t homes_ = 0;
    std::size_t size_ = 0;
};

}  // namespace parlance
