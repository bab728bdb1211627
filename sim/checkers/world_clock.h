// The right hub time at any moment of the world, and when the hub can act on due work.
//
// A model of its own, made of the world's knowledge: when each process of the hub began, and the
// wall clock and the disk at that moment. Hub time begins at the later of the wall clock and the
// last record, and then advances with the world. From the hub's own records the model uses only the
// time of that last record, which the checker of G8 compares with this clock.
#pragma once

#include <vector>

#include "sim/history.h"

namespace parlance::sim {

/// Resolution of the world's clock: work due at a moment is done by the next.
inline constexpr Duration kTick{1};

class WorldClock {
  public:
    /// Without processes: as if a single process had served all the time, with a right wall clock.
    WorldClock() = default;
    explicit WorldClock(const History& history);

    /// Hub time at a moment of the world.
    Time hub_time(Time world) const;
    /// The first moment of the world, not before `since`, at which hub time is `due` or later and
    /// the hub can act; the end of time if the history has none.
    Time first_opportunity(Time due, Time since) const;
    /// The start of the pause around a moment; the moment itself outside of pauses.
    Time pause_began(Time world) const;
    /// The end of the pause around a moment; the moment itself outside of pauses.
    Time end_of_pause(Time world) const;

  private:
    struct Run {
        Time begin{};     ///< True time.
        Time hub_time{};  ///< Hub time at `begin`.
        Time end{};
    };

    std::vector<Run> runs_;
    std::vector<Pause> pauses_;  ///< In order, none touching the next.
};

}  // namespace parlance::sim
