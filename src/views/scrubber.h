// Runs the scrub of the journal slowly on its own thread: a bounded number of bytes per second, a
// pause between two rounds, and less while the hub is busy. A restart begins a new round.
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
    /// Called once per damaged place, not again in later rounds.
    std::function<void(const std::string& line)> log = [](const std::string&) {};
    /// A hub that wrote this many records since the last step is busy.
    std::uint64_t busy_records = 1'000;
};

/// Progress of the scrub, and the known damage.
struct ScrubStatus {
    journal::ScrubCounts counts{};
    Time round_ended{};  ///< End of the last whole round; 0 if none yet.
    std::vector<journal::Damage> damages{};

    std::uint64_t damaged_records() const;
};

/// Progress of the hub between two steps.
struct ScrubPace {
    std::uint64_t looked = 0;   ///< The journal's end at the last step.
    std::uint64_t durable = 0;  ///< The journal's end now.
    std::uint64_t put_off = 0;  ///< Steps skipped since the last step.
};

/// Whether a step is skipped because the hub is busy: at most nine of ten, so that a hub that is
/// always busy is scrubbed too.
bool puts_off(const ScrubPace& pace, const ScrubberOptions& options);

/// The pause after a step that read this many bytes.
Duration pause_after(std::uint64_t bytes, const ScrubberOptions& options);

class Scrubber {
  public:
    /// `bytes_per_second` must not be 0.
    Scrubber(journal::Disk& disk, ScrubberOptions options);
    ~Scrubber();
    Scrubber(const Scrubber&) = delete;
    Scrubber& operator=(const Scrubber&) = delete;

    /// Announces the last durable sequence. Callable from any thread; costs one store.
    void follow(Sequence durable) { durable_.store(durable.value, std::memory_order_relaxed); }
    ScrubStatus status() const;

  private:
    void run();
    Duration take_step();
    void take(const journal::ScrubStep& step);

    journal::Scrub scrub_;  ///< Used by the thread only, like the next three.
    ScrubberOptions options_;
    ScrubPace pace_;
    std::string problem_;  ///< The last logged problem of the disk.
    std::atomic<std::uint64_t> durable_{0};

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    ScrubStatus status_;
    bool stops_ = false;
    std::thread thread_;
};

}  // namespace parlance::views
