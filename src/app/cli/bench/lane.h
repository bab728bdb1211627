// One lane of a load: a thread with connections of its own, sending in a closed loop.
//
// Nothing is shared between lanes but two counters, so that they measure the hub and not each
// other. A lane does both sides of its traffic: one clock, and no wake-ups between threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <string>
#include <vector>

#include "app/cli/bench/mill.h"
#include "app/cli/histogram.h"
#include "sdk/cpp/agent.h"

namespace parlance::cli::bench {

using Clock = std::chrono::steady_clock;

enum class Window { Settled, Accepted };

struct LanePlan {
    sdk::HubAddress hub{};
    MillPlan mill{};
    std::uint64_t outstanding = 256;
    std::uint64_t messages = 0;  ///< 0: until the time is over.
    std::chrono::milliseconds time{0};
    Window window = Window::Settled;
};

struct LaneResult {
    std::uint64_t messages = 0;
    std::uint64_t redeliveries = 0;
    Histogram latency{};  ///< Of what the verb is about.
    Histogram settled{};  ///< deliver: until the hub confirmed the acknowledgement.
    Clock::time_point begin{};
    Clock::time_point end{};
};

/// What lanes and the one who watches them share.
struct Scoreboard {
    std::atomic<std::uint64_t> done = 0;
    std::atomic<bool> is_over = false;  ///< Stop sending; finish what is under way.
};

/// Where all lanes wait for each other. One that fails on the way does not hold up the rest.
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

/// When each message was sent, by its number. Only so many are under way at once.
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

/// Takes and acknowledges `count` messages that wait for the agents, so that nothing is left.
Result<void> drain(const sdk::HubAddress& hub,
                   const std::vector<std::string>& agents,
                   std::uint64_t count);

}  // namespace parlance::cli::bench
