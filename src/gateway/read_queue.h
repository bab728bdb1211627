// Reads of the journal for streams: a few at a time, so that of a thousand streams only a few have
// a passage between the reading thread and their connection.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace parlance::gateway {

class ReadQueue {
  public:
    /// With passages of 256 KiB these are 8 MiB.
    static constexpr std::size_t kReadsMax = 32;

    /// `begin` is called now or later, in the order of the calls. It says whether it began a read,
    /// whose end is told by done(): a stream that was closed meanwhile begins none.
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
