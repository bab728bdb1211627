// A pool of objects addressed by small numbers. The pool grows by chunks, so addresses stay valid
// and a large pool is never copied; freed slots are reused last in, first out, which is
// deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"

namespace parlance {

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = 0xFFFF'FFFFU;

template <class T>
class Slab {
  public:
    Slot add(T value) {
        Slot slot = 0;
        if (!free_.empty()) {
            slot = free_.back();
            free_.pop_back();
        } else {
            slot = end_++;
            if (slot / kChunk == chunks_.size()) chunks_.push_back(std::make_unique<T[]>(kChunk));
        }
        (*this)[slot] = std::move(value);
        ++size_;
        return slot;
    }

    void remove(Slot slot) {
        (*this)[slot] = T{};
        free_.push_back(slot);
        --size_;
        if (size_ == 0) start_over();
    }

    T& operator[](Slot slot) { return chunks_[slot / kChunk][slot % kChunk]; }
    const T& operator[](Slot slot) const { return chunks_[slot / kChunk][slot % kChunk]; }
    std::size_t size() const { return size_; }

  private:
    /// Frees the memory of an emptied pool. One chunk is kept: a pool emptied by every message
    /// would otherwise be reallocated for each message.
    void start_over() {
        free_.clear();
        end_ = 0;
        if (chunks_.size() == 1) return;
        chunks_.resize(1);
        free_.shrink_to_fit();
    }

    static constexpr std::size_t kChunk = 1024;
    std::vector<std::unique_ptr<T[]>> chunks_;  // NOLINT(*-avoid-c-arrays): one allocation a chunk.
    std::vector<Slot> free_;
    Slot end_ = 0;
    std::size_t size_ = 0;
};

}  // namespace parlance
