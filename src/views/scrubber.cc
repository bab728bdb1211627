#include "views/scrubber.h"

#include <algorithm>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace parlance::views {

namespace {

constexpr std::uint64_t kStepsPerSecond = 10;
constexpr Duration kStepPause{1000 / kStepsPerSecond};
/// Pause after a failure of the disk.
constexpr Duration kRetryPause{std::chrono::seconds{10}};
constexpr std::uint64_t kPutOffMax = 9;
/// All other threads get the core first.
constexpr int kNiceness = 19;

std::uint64_t bytes_per_step(const ScrubberOptions& options) {
    return std::max<std::uint64_t>(options.bytes_per_second / kStepsPerSecond, 1);
}

}  // namespace

std::uint64_t ScrubStatus::damaged_records() const {
    std::uint64_t records = 0;
    for (const auto& damage : damages) records += journal::records_in(damage);
    return records;
}

bool puts_off(const ScrubPace& pace, const ScrubberOptions& options) {
    const bool is_busy = pace.durable - pace.looked >= options.busy_records;
    return is_busy && pace.put_off < kPutOffMax;
}

Duration pause_after(std::uint64_t bytes, const ScrubberOptions& options) {
    // A batch is read whole, however long; the pause compensates.
    const Duration due{static_cast<std::int64_t>(bytes * 1000 / options.bytes_per_second)};
    return std::max(due, kStepPause);
}

Scrubber::Scrubber(journal::Disk& disk, ScrubberOptions options)
    : scrub_(disk), options_(std::move(options)), thread_([this] { run(); }) {}

Scrubber::~Scrubber() {
    {
        const std::lock_guard lock{mutex_};
        stops_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

ScrubStatus Scrubber::status() const {
    const std::lock_guard lock{mutex_};
    return status_;
}

void Scrubber::run() {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);  // Of this thread.
    std::unique_lock lock{mutex_};
    while (!stops_) {
        lock.unlock();
        const auto pause = take_step();
        lock.lock();
        wake_.wait_for(lock, pause, [this] { return stops_; });
    }
}

/// Takes or skips a step; returns the pause afterwards.
Duration Scrubber::take_step() {
    pace_.durable = durable_.load(std::memory_order_relaxed);
    if (pace_.durable == 0) return kStepPause;
    const bool waits = puts_off(pace_, options_);
    pace_.looked = pace_.durable;
    pace_.put_off = waits ? pace_.put_off + 1 : 0;
    if (waits) return kStepPause;
    const auto step = scrub_.step({pace_.durable}, bytes_per_step(options_));
    if (!step) {
        const auto& message = step.error().message;
        if (std::exchange(problem_, message) != message) {
            options_.log("the scrub of the journal stands still, and tries again: " + message);
        }
        return kRetryPause;
    }
    problem_.clear();
    take(*step);
    return step->is_round_over ? options_.round_pause : pause_after(step->bytes, options_);
}

void Scrubber::take(const journal::ScrubStep& step) {
    for (const auto& damage : step.found) {
        options_.log("the journal is damaged: " + journal::print(damage) +
                     ". The hub serves on; restore the segment with `parlance journal repair "
                     "--from COPY`");
    }
    const std::lock_guard lock{mutex_};
    status_.counts = scrub_.counts();
    if (step.is_round_over) status_.round_ended = options_.clock();
    if (step.is_round_over || !step.found.empty()) status_.damages = scrub_.damages();
}

}  // namespace parlance::views
