// Simulated time: a queue of events. Nothing waits; time jumps to the next event.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/time.h"

namespace parlance::sim {

class Timeline {
  public:
    Time now() const { return now_; }
    std::uint64_t steps() const { return steps_; }

    void after(Duration wait, std::function<void()> happening) {
        queue_.push({now_ + wait, ++number_, std::move(happening)});
    }
    /// Lets time pass without events, while a simulated sync takes place.
    void pass(Duration by) { now_ += by; }

    Time next_at() const { return queue_.empty() ? Time::max() : queue_.top().at; }
    /// Goes to the next event and runs the event, unless the event is later than `until`.
    void step(Time until) {
        ++steps_;
        if (next_at() > until) {
            now_ = std::max(now_, until);
            return;
        }
        auto happening = std::move(const_cast<Entry&>(queue_.top()).happening);
        now_ = std::max(now_, queue_.top().at);
        queue_.pop();
        happening();
    }

  private:
    struct Entry {
        Time at{};
        std::uint64_t number = 0;  ///< Breaks ties: first come, first served.
        std::function<void()> happening;
        bool operator<(const Entry& other) const {
            return at != other.at ? at > other.at : number > other.number;
        }
    };

    Time now_{std::chrono::hours{480'000}};
    std::uint64_t number_ = 0;
    std::uint64_t steps_ = 0;
    std::priority_queue<Entry> queue_;
};

}  // namespace parlance::sim
