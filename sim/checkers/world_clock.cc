#include "sim/checkers/world_clock.h"

#include <algorithm>

namespace parlance::sim {

namespace {

std::vector<Pause> joined(std::vector<Pause> pauses) {
    std::ranges::sort(pauses, {}, &Pause::from);
    std::vector<Pause> all;
    for (const auto& pause : pauses) {
        if (pause.until <= pause.from) continue;
        if (all.empty() || all.back().until < pause.from) {
            all.push_back(pause);
        } else {
            all.back().until = std::max(all.back().until, pause.until);
        }
    }
    return all;
}

}  // namespace

WorldClock::WorldClock(const History& history) : pauses_(joined(history.pauses)) {
    for (const auto& process : history.processes) {
        auto hub_time = process.wall;
        const auto records = process.last.value;
        if (records > 0 && records <= history.journal.size()) {
            hub_time = std::max(hub_time, history.journal[records - 1].at);
        }
        runs_.push_back({process.begin, hub_time, process.end});
    }
}

Time WorldClock::hub_time(Time world) const {
    // Of several processes that began at the same moment, only the last lived on.
    const auto after = std::ranges::upper_bound(runs_, world, {}, &Run::begin);
    if (after == runs_.begin()) return world;
    const auto& run = *std::prev(after);
    return run.hub_time + (world - run.begin);
}

Time WorldClock::end_of_pause(Time world) const {
    const auto after = std::ranges::upper_bound(pauses_, world, {}, &Pause::from);
    if (after == pauses_.begin()) return world;
    return std::max(world, std::prev(after)->until);
}

Time WorldClock::pause_began(Time world) const {
    const auto after = std::ranges::upper_bound(pauses_, world, {}, &Pause::from);
    if (after == pauses_.begin()) return world;
    const auto& pause = *std::prev(after);
    if (world > pause.until) return world;
    // Pauses of two processes may touch: a process decides nothing before it begins.
    const auto run = std::ranges::upper_bound(runs_, world, {}, &Run::begin);
    return run == runs_.begin() ? pause.from : std::max(pause.from, std::prev(run)->begin);
}

Time WorldClock::first_opportunity(Time due, Time since) const {
    if (runs_.empty()) return end_of_pause(std::max(due, since));
    for (const auto& run : runs_) {
        const auto is_due = run.begin + std::max(due - run.hub_time, Duration{});
        const auto opportunity = end_of_pause(std::max(is_due, since));
        // The hub has a tick for due work, and work at its last moment may not have reached the
        // disk.
        if (end_of_pause(opportunity + kTick) < run.end) {
            // A pause that begins within the tick, for example when a disk fails, preceded the
            // hub's turn.
            return std::max(opportunity, end_of_pause(opportunity + kTick) - kTick);
        }
    }
    return Time::max();
}

}  // namespace parlance::sim
