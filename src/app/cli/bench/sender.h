// The sending half of a lane: fills the window, stamps messages, and detects the end of the load.
#pragma once

#include <algorithm>

#include "app/cli/bench/lane.h"

namespace parlance::cli::bench {

class Sender {
  public:
    Sender(const LanePlan& plan, MessageGenerator generator, const Scoreboard& board)
        : plan_(plan),
          generator_(std::move(generator)),
          board_(board),
          end_(Clock::now() + plan.time) {}

    std::uint64_t sent() const { return sent_; }
    const SendTimes& times() const { return times_; }

    bool is_over() const {
        if (board_.is_over) return true;
        if (plan_.messages != 0) return sent_ >= plan_.messages;
        return Clock::now() >= end_;
    }

    /// Sends messages until `window` are under way.
    Result<void> fill(sdk::Agent& agent, std::uint64_t under_way, std::uint64_t window) {
        if (under_way >= window || is_over()) return {};
        std::uint64_t count = window - under_way;
        if (plan_.messages != 0) count = std::min(count, plan_.messages - sent_);
        const auto now = Clock::now();
        for (; count > 0; --count, ++sent_) {
            MessageGenerator::number(agent.say().send_to_alter(generator_.blank(sent_)), sent_);
            times_.set(sent_, now);
            if (agent.is_full()) TRY(agent.flush());
        }
        return agent.flush();
    }

  private:
    const LanePlan& plan_;
    MessageGenerator generator_;
    const Scoreboard& board_;
    Clock::time_point end_;
    SendTimes times_{};
    std::uint64_t sent_ = 0;
};

inline auto refusal_error(const sdk::Refused& refused) {
    return fail(Fault::Malformed, std::string(refused.code) + ": " + std::string(refused.message));
}

/// A load without progress for so long has failed.
inline constexpr std::chrono::seconds kPatience{20};

}  // namespace parlance::cli::bench
