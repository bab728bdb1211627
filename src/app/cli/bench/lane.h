// One lane of a load: a thread with its own connections, sending in a closed loop.
//
// Lanes share only two counters, so that they measure the hub and not each other. A lane handles
// both sides of its traffic: one clock, and no wake-ups between threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <string>
#include <vector>

#include "app/cli/bench/message_generator.h"
#include "app/cli/histogram.h"
#include "sdk/cpp/agent.h"

namespace parlance::cli::bench {

using Clock = std::chrono::steady_clock;

enum class Window { Settled, Accepted };

struct LanePlan {
    sdk::HubAddress hub{};
    MessagePlan generator{};
    std::uint64_t outstanding = 256;
    std::uint64_t messages = 0;  ///< 0: until the time is over.
    std::chrono::milliseconds time{0};
    Window window = Window::Settled;
};

struct LaneResult {
    std::uint64_t messages = 0;
    std::uint64_t redeliveries = 0;
    Histogram latency{};  ///< The main measure of the verb.
    Histogram settled{};  ///< deliver: until the hub confirmed the acknowledgement.
    Clock::time_point begin{};
    Clock::time_point end{};
};

/// Shared by the lanes and their observer.
struct Scoreboard {
    std::atomic<std::uint64_t> done = 0;
    std::atomic<bool> is_over = false;  ///< Stop sending; finish messages under way.
};

/// A barrier for the start of all lanes. A lane that fails earlier does not block the rest.
class Start {
  public:
    explicit Start(std::latch& all) : all_(all) {}
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;
    ~Start() {
        if (!has_arrived_) all_.count_down();
    }
    void arrive() {
        has_arrived_ = true;
        all_.arrive_and_wait();
    }

  private:
    std::latch& all_;
    bool has_arrived_ = false;
};

/// Send times by message number, for at most kMost messages under way.
class SendTimes {
  public:
    static constexpr std::uint64_t kMost = std::uint64_t{1} << 17U;
    SendTimes() : times_(kMost) {}
    void set(std::uint64_t index, Clock::time_point at) { times_[index % kMost] = at; }
    std::uint64_t since(std::uint64_t index, Clock::time_point now) const {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(now - times_[index % kMost])
                .count());
    }

  private:
    std::vector<Clock::time_point> times_;
};

Result<LaneResult> run_publish(const LanePlan& plan, Scoreboard& board, Start& start);
Result<LaneResult> run_publish_http(const LanePlan& plan, Scoreboard& board, Start& start);
Result<LaneResult> run_deliver(const LanePlan& plan, Scoreboard& board, Start& start);
Result<LaneResult> run_request(const LanePlan& plan, Scoreboard& board, Start& start);

/// Takes and acknowledges `count` waiting messages of the agents, so that no message is left.
Result<void> drain(const sdk::HubAddress& hub,
                   const std::vector<std::string>& agents,
                   std::uint64_t count);

}  // namespace parlance::cli::bench
