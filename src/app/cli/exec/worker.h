// A copy of the program and its current message.
//
//   Resting ──start──▶ Idle ──give──▶ Busy ──line──▶ Idle
//      ▲                 │              │
//      └──── backoff ────┴───── end ────┘   (its message is nacked)
//
// A line from an idle program is unsolicited: the line is dropped, counted and reported. A program
// gets a message only once all its output is read, and a program that floods is killed.
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

/// A settled message.
struct Outcome {
    Work work{};
    Verdict verdict{};
};

class Worker {
  public:
    Worker(std::vector<std::string> command, std::string dialect)
        : command_(std::move(command)), dialect_(std::move(dialect)) {}

    /// Bounds on unsolicited output between two messages.
    static constexpr std::uint64_t kUnaskedLinesMax = 10'000;
    static constexpr std::uint64_t kUnaskedBytesMax = Lines::kBytesMax;
    static constexpr std::uint64_t kReportEvery = 1'000;

    bool is_idle() const { return child_ && !work_ && is_drained_; }
    /// True if all output so far is read, and the last line was an answer.
    bool is_drained() const { return is_drained_; }
    bool is_busy() const { return work_.has_value(); }
    const Work& work() const { return *work_; }
    Child* child() { return child_ ? &*child_ : nullptr; }
    Clock::time_point rests_until() const { return rests_until_; }

    /// Starts the program unless running or in its backoff.
    Result<void> start(Clock::time_point now);
    void give(Work work);
    /// Reads the program's output; returns an outcome after a line, or after the program's death
    /// with a message. Reads only one piece, so that one program does not occupy the loop.
    std::vector<Outcome> listen(Clock::time_point now);
    /// A report for the user about unsolicited lines: on the first, after each further
    /// kReportEvery, and when the program was killed for them. Empty if nothing is new.
    std::string take_report() { return std::exchange(report_, {}); }
    /// The delivery belongs to the hub again: the program's answer will be dropped.
    void disown();
    /// Notifies the program of the cancellation in a line without an answer; the program still owes
    /// the answer to its message.
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
    /// Not reset by an answer: a flooding program may answer once per start.
    sdk::Backoff flood_backoff_{std::chrono::seconds{1}, std::chrono::seconds{30}};
    Clock::time_point rests_until_{};
    bool is_drained_ = false;
    std::uint64_t unasked_lines_ = 0;  ///< Since the program started or last answered.
    std::uint64_t unasked_bytes_ = 0;
    std::uint64_t reported_lines_ = 0;  ///< Of the unsolicited lines.
    std::string report_{};
};

}  // namespace parlance::cli::exec
