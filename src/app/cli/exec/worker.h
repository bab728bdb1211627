// One copy of the program and the message it works on.
//
//   Resting ──start──▶ Idle ──give──▶ Busy ──line──▶ Idle
//      ▲                 │              │
//      └──── backoff ────┴───── end ────┘   (a message it held is handed back)
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
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

    bool is_idle() const { return child_ && !work_; }
    bool is_busy() const { return work_.has_value(); }
    const Work& work() const { return *work_; }
    Child* child() { return child_ ? &*child_ : nullptr; }
    Clock::time_point rests_until() const { return rests_until_; }

    /// Starts the program if it does not run and has rested.
    Result<void> start(Clock::time_point now);
    void give(Work work);
    /// Reads what the program says; an outcome once it has said a line, or died over its message.
    std::vector<Outcome> listen(Clock::time_point now);
    /// The delivery is no longer ours: whatever the program says about it is dropped.
    void disown();
    /// Says so to the program, in a line that asks for none: it still owes the one of its message.
    void tell_cancelled(std::string_view reason);

  private:
    std::optional<Outcome> end(Clock::time_point now);

    std::vector<std::string> command_;
    std::string dialect_;
    std::optional<Child> child_{};
    Lines lines_{};
    std::optional<Work> work_{};
    sdk::Backoff backoff_{std::chrono::milliseconds{200}, std::chrono::seconds{30}};
    Clock::time_point rests_until_{};
};

}  // namespace parlance::cli::exec
