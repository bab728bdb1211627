// How many commands of an agent's connections wait in the hub's inbox, which all callers share: an
// agent that fills its share is refused, and no other agent is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace parlance::gateway {

class InboxShare {
  public:
    /// A quarter of the inbox, and four times the send credit of a connection.
    static constexpr std::uint64_t kCommandsMax = 16'384;

    /// `left`: commands of all callers that have left the inbox.
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

    /// A command of this agent is in the inbox, and will be number `number` to leave.
    void add(std::uint64_t number) {
        ++count_;
        if (!runs_.empty() && runs_.back().last + 1 == number) {
            runs_.back().last = number;
        } else {
            runs_.push_back({number, number});
        }
    }

  private:
    /// Consecutive commands in the inbox.
    struct Run {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
    };
    std::deque<Run> runs_;
    std::uint64_t count_ = 0;
};

}  // namespace parlance::gateway
