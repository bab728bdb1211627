// What hub time must be at any moment of the world, and when the hub can act on what is due.
//
// A model of its own, made of what the world knows: when each process of the hub began, what the
// wall clock said then and what the disk held. Hub time begins at the later of the wall clock and
// the last record, and goes on as the world does. Of the hub's own word only the time of that last
// record is used, which the checker of G8 holds against this clock.
#pragma once

#include <vector>

#include "sim/history.h"

namespace parlance::sim {

/// The world's clock counts so finely: what is due at a moment is done by the next one.
inline constexpr Duration kTick{1};

class WorldClock {
  public:
    /// Without processes: as if one had served all the time, with a wall clock that is right.
    WorldClock() = default;
    explicit WorldClock(const History& history);

    /// At this moment of the world.
    Time hub_time(Time world) const;
    /// The first moment of the world, not before `since`, at which hub time is `due` or later and
    /// the hub can do something; the end of time if this history has none.
    Time first_chance(Time due, Time since) const;
    /// When the pause began in which this moment lies; the moment itself if it lies in none.
    Time pause_began(Time world) const;
    /// When the pause ends in which this moment lies; the moment itself if it lies in none.
    Time end_of_pause(Time world) const;

  private:
    struct Run {
        Time begin{};     ///< True time.
        Time hub_time{};  ///< At that moment.
        Time end{};
    };

    std::vector<Run> runs_;
    std::vector<Pause> pauses_;  ///< In order, none touching the next.
};

}  // namespace parlance::sim
