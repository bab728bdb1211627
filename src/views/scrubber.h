// Runs the scrub of the journal on a thread of its own, slowly: so many bytes a second, a pause
// between two rounds, and less while the hub is busy. A restart begins anew.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"
#include "journal/journal.h"
#include "journal/scrub.h"

namespace parlance::views {

struct ScrubberOptions {
    std::uint64_t bytes_per_second = std::uint64_t{4} << 20;
    Duration round_pause{std::chrono::minutes{10}};
    std::function<Time()> clock = [] { return Time{}; };
    /// Once for each damaged place, and not again in later rounds.
    std::function<void(const std::string& line)> log = [](const std::string&) {};
    /// A hub that wrote so many records since the last step is busy.
    std::uint64_t busy_records = 1'000;
};

/// How far the scrub is, and what it knows to be damaged.
struct ScrubStatus {
    journal::ScrubCounts counts{};
    Time round_ended{};  ///< The last whole round; 0 if there is none yet.
    std::vector<journal::Damage> damages{};

    std::uint64_t damaged_records() const;
};

/// How the hub does between two steps.
struct ScrubPace {
    std::uint64_t looked = 0;   ///< How far the journal was at the last step.
    std::uint64_t durable = 0;  ///< How far it is now.
    std::uint64_t put_off = 0;  ///< How many steps were left out since the last one.
};

/// Whether a step is left out for a busy hub: nine in ten at most, so that a hub without a pause is
/// scrubbed too.
bool puts_off(const ScrubPace& pace, const ScrubberOptions& options);

/// How long to wait after a step that read so many bytes.
Duration pause_after(std::uint64_t bytes, const ScrubberOptions& options);

class Scrubber {
  public:
    /// `bytes_per_second` is not 0.
    Scrubber(journal::Disk& disk, ScrubberOptions options);
    ~Scrubber();
    Scrubber(const Scrubber&) = delete;
    Scrubber& operator=(const Scrubber&) = delete;

    /// The journal is durable up to here. For any thread; costs one store.
    void follow(Sequence durable) { durable_.store(durable.value, std::memory_order_relaxed); }
    ScrubStatus status() const;

  private:
    void run();
    Duration take_step();
    void take(const journal::ScrubStep& step);

    journal::Scrub scrub_;  ///< The thread's alone, as the next three.
    ScrubberOptions options_;
    ScrubPace pace_;
    std::string problem_;  ///< Of the disk, as it was last logged.
    std::atomic<std::uint64_t> durable_{0};

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    ScrubStatus status_;
    bool stops_ = false;
    std::thread thread_;
};

}  // namespace parlance::views
