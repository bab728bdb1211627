// How many commands of one agent's connections wait in the inbox of the hub, which all callers
// share: an agent that fills its share is refused, and nobody else is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace parlance::gateway {

class InboxShare {
  public:
    /// A quarter of the inbox, and four times what a connection may have sent and not heard of.
    static constexpr std::uint64_t kCommandsMax = 16'384;

    /// `left` is how many commands have left the inbox, of whomever.
    bool is_full(std::uint64_t left) {
        while (!runs_.empty() && runs_.front().first <= left) {
            auto& run = runs_.front();
            const auto end = std::min(run.last, left);
            count_ -= end - run.first + 1;
            run.first = end + 1;
            if (run.first > run.last) runs_.pop_front();
        }
        return count_ >= kCommandsMax;
    }

    /// A command of this agent is in the inbox, and leaves it as this number.
    void add(std::uint64_t number) {
        ++count_;
        if (!runs_.empty() && runs_.back().last + 1 == number) {
            runs_.back().last = number;
        } else {
            runs_.push_back({number, number});
        }
    }

  private:
    /// Commands that stand one behind the other in the inbox.
    struct Run {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
    };
    std::deque<Run> runs_;
    std::uint64_t count_ = 0;
};

}  // namespace parlance::gateway
