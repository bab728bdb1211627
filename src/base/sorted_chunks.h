// An ordered set as a sequence of short sorted arrays: a third of the bytes of a tree with a node
// per value, and a search reads few memory locations. For up to a million small values.
//
// Any change invalidates iterators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace parlance {

template <class Value>
class SortedChunks {
  public:
    class Iterator {
      public:
        // NOLINTBEGIN(readability-identifier-naming): the standard library asks by these names.
        using iterator_category = std::bidirectional_iterator_tag;
        using value_type = Value;
        using difference_type = std::ptrdiff_t;
        using pointer = const Value*;
        using reference = const Value&;
        // NOLINTEND(readability-identifier-naming)

        Iterator() = default;
        Iterator(const SortedChunks* set, std::size_t chunk, std::size_t row)
            : set_{set}, chunk_{chunk}, row_{row} {}
        reference operator*() const { return set_->chunks_[chunk_].values[row_]; }
        pointer operator->() const { return &**this; }
        Iterator& operator++() {
            if (++row_ == set_->chunks_[chunk_].values.size()) *this = {set_, chunk_ + 1, 0};
            return *this;
        }
        Iterator operator++(int) { return std::exchange(*this, std::next(*this)); }
        Iterator& operator--() {
            if (row_ == 0) row_ = set_->chunks_[--chunk_].values.size();
            --row_;
            return *this;
        }
        Iterator operator--(int) { return std::exchange(*this, std::prev(*this)); }
        bool operator==(const Iterator&) const = default;

      private:
        friend class SortedChunks;
        const SortedChunks* set_ = nullptr;
        std::size_t chunk_ = 0;
        std::size_t row_ = 0;
    };
    using value_type = Value;         // NOLINT(readability-identifier-naming): as above.
    using const_iterator = Iterator;  // NOLINT(readability-identifier-naming): as above.

    SortedChunks() = default;
    SortedChunks(std::initializer_list<Value> values) {
        for (const auto& value : values) insert(value);
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Iterator begin() const { return {this, 0, 0}; }
    Iterator end() const { return {this, chunks_.size(), 0}; }
    /// The first value that is not less.
    Iterator lower_bound(const Value& value) const {
        const auto chunk = std::ranges::lower_bound(chunks_, value, {}, &Chunk::last);
        if (chunk == chunks_.end()) return end();
        const auto row = std::ranges::lower_bound(chunk->values, value);
        return {this, index_of(chunks_, chunk), index_of(chunk->values, row)};
    }
    bool contains(const Value& value) const {
        const auto found = lower_bound(value);
        return found != end() && *found == value;
    }
    bool operator==(const SortedChunks& other) const { return std::ranges::equal(*this, other); }

    /// False if the value is already in the set.
    bool insert(const Value& value) {
        if (chunks_.empty() || chunks_.back().last < value) return append(value);
        const auto place = lower_bound(value);
        if (*place == value) return false;
        ++size_;
        auto& chunk = chunks_[place.chunk_];
        make_room(chunk);
        chunk.values.insert(chunk.values.begin() + static_cast<std::ptrdiff_t>(place.row_), value);
        if (chunk.values.size() > kChunk) split(place.chunk_);
        return true;
    }
    template <class... Parts>
    bool emplace(Parts&&... parts) {
        return insert(Value{std::forward<Parts>(parts)...});
    }
    /// False if the value was not in the set.
    bool erase(const Value& value) {
        const auto place = lower_bound(value);
        if (place == end() || *place != value) return false;
        --size_;
        auto& chunk = chunks_[place.chunk_];
        chunk.values.erase(chunk.values.begin() + static_cast<std::ptrdiff_t>(place.row_));
        if (chunk.values.empty()) {
            chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(place.chunk_));
            return true;
        }
        chunk.last = chunk.values.back();
        if (place.chunk_ > 0) join(place.chunk_ - 1);
        return true;
    }

  private:
    static constexpr std::size_t kChunk = 128;

    struct Chunk {
        Value last;  ///< The largest value: the search for a chunk reads nothing else.
        std::vector<Value> values;
    };

    template <class Range, class At>
    static std::size_t index_of(const Range& range, At at) {
        return static_cast<std::size_t>(at - range.begin());
    }
    /// Grows by an eighth of a chunk instead of doubling.
    static void make_room(Chunk& chunk) {
        auto& values = chunk.values;
        if (values.size() == values.capacity()) values.reserve(values.size() + kChunk / 8);
    }
    bool append(const Value& value) {
        // Ascending inserts fill one chunk after the other.
        if (chunks_.empty() || chunks_.back().values.size() >= kChunk) chunks_.push_back({});
        auto& chunk = chunks_.back();
        make_room(chunk);
        chunk.values.push_back(value);
        chunk.last = value;
        ++size_;
        return true;
    }
    void split(std::size_t at) {
        auto& values = chunks_[at].values;
        const auto middle = values.begin() + kChunk / 2;
        Chunk upper{chunks_[at].last, {middle, values.end()}};
        values = {values.begin(), middle};
        chunks_[at].last = values.back();
        chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
    }
    /// Merges two neighbours that are nearly empty.
    void join(std::size_t at) {
        auto& lower = chunks_[at];
        const auto& upper = chunks_[at + 1];
        if (lower.values.size() + upper.values.size() > kChunk / 2) return;
        lower.values.insert(lower.values.end(), upper.values.begin(), upper.values.end());
        lower.last = upper.last;
        chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }

    std::vector<Chunk> chunks_;
    std::size_t size_ = 0;
};

}  // namespace parlance
