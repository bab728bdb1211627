// Reads of the journal for streams, a few at a time, so that the memory for passages between the
// reading thread and the connections is bounded however many streams are open.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace parlance::gateway {

class ReadQueue {
  public:
    /// With passages of 256 KiB: 8 MiB.
    static constexpr std::size_t kReadsMax = 32;

    /// Calls `begin` now or later, in the order of the calls. `begin` returns whether a read began,
    /// whose end done() reports; for a stream that was closed meanwhile none begins.
    void push(std::function<bool()> begin) {
        waiting_.push_back(std::move(begin));
        begin_some();
    }

    /// A read has ended, and its passage is about to be written to the stream.
    void done() {
        --under_way_;
        begin_some();
    }

  private:
    void begin_some() {
        while (under_way_ < kReadsMax && !waiting_.empty()) {
            const auto begin = std::move(waiting_.front());
            waiting_.pop_front();
            if (begin()) ++under_way_;
        }
    }

    std::size_t under_way_ = 0;
    std::deque<std::function<bool()>> waiting_;
};

}  // namespace parlance::gateway
