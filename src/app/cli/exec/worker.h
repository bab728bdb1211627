// One copy of the program and the message it works on.
//
//   Resting ──start──▶ Idle ──give──▶ Busy ──line──▶ Idle
//      ▲                 │              │
//      └──── backoff ────┴───── end ────┘   (a message it held is handed back)
//
// A line of an idle program answers nothing: it is dropped, counted and reported. A program is
// given a message only once nothing that it said is unread, and one that goes on and on is ended.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/exec/child.h"
#include "app/cli/exec/verdict.h"
#include "sdk/cpp/backoff.h"

namespace parlance::cli::exec {

using Clock = std::chrono::steady_clock;

struct Work {
    std::string delivery_id{};
    std::string message{};
};

/// A message that is settled: what it was, and how.
struct Outcome {
    Work work{};
    Verdict verdict{};
};

class Worker {
  public:
    Worker(std::vector<std::string> command, std::string dialect)
        : command_(std::move(command)), dialect_(std::move(dialect)) {}

    /// Lines and bytes that a program may say unasked between two messages.
    static constexpr std::uint64_t kUnaskedLinesMax = 10'000;
    static constexpr std::uint64_t kUnaskedBytesMax = Lines::kBytesMax;
    static constexpr std::uint64_t kReportEvery = 1'000;

    bool is_idle() const { return child_ && !work_ && is_drained_; }
    /// Whether all that the program has said so far is read, and the last of it was asked for.
    bool is_drained() const { return is_drained_; }
    bool is_busy() const { return work_.has_value(); }
    const Work& work() const { return *work_; }
    Child* child() { return child_ ? &*child_ : nullptr; }
    Clock::time_point rests_until() const { return rests_until_; }

    /// Starts the program if it does not run and has rested.
    Result<void> start(Clock::time_point now);
    void give(Work work);
    /// Reads what the program says; an outcome once it has said a line, or died over its message.
    /// One piece of what it says is read at a time, so that nothing is read for longer than that.
    std::vector<Outcome> listen(Clock::time_point now);
    /// What the user should know of lines that no message asked for: on the first, after each
    /// further kReportEvery, and when the program was ended for them. Empty if nothing is new.
    std::string take_report() { return std::exchange(report_, {}); }
    /// The delivery is no longer ours: whatever the program says about it is dropped.
    void disown();
    /// Says so to the program, in a line that asks for none: it still owes the one of its message.
    void tell_cancelled(std::string_view reason);

  private:
    void hear(const std::string& line, std::vector<Outcome>& outcomes);
    void review_unasked();
    bool is_flooding() const {
        return unasked_lines_ > kUnaskedLinesMax || unasked_bytes_ > kUnaskedBytesMax;
    }
    std::optional<Outcome> end(Clock::time_point now);

    std::vector<std::string> command_;
    std::string dialect_;
    std::optional<Child> child_{};
    Lines lines_{};
    std::optional<Work> work_{};
    sdk::Backoff backoff_{std::chrono::milliseconds{200}, std::chrono::seconds{30}};
    /// An answer does not shorten it: a program that floods may answer once in each of its lives.
    sdk::Backoff flood_backoff_{std::chrono::seconds{1}, std::chrono::seconds{30}};
    Clock::time_point rests_until_{};
    bool is_drained_ = false;
    std::uint64_t unasked_lines_ = 0;  ///< Since the program started or last answered.
    std::uint64_t unasked_bytes_ = 0;
    std::uint64_t reported_lines_ = 0;  ///< Of the unasked ones.
    std::string report_{};
};

}  // namespace parlance::cli::exec
