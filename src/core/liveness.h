// When each instance was last heard of, for whoever drives the core: the engine, or a test.
//
// A sign of life is no event, so that an idle hub records nothing. It is kept here, beside the
// State and in no snapshot. An instance that was silent for too long is named in a Tick; decide()
// says what becomes of it, and that is recorded. After a restart nobody has been silent yet.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/core.h"

namespace parlance::core {

class Liveness {
  public:
    /// The process starts: whoever is on record has its whole time from now on.
    void begin(const State& state, Time now);
    /// One decision was made: `heard` is of whom it was a sign of life.
    void note(const Stamped& request, const Events& events, const Heard& heard);
    /// The instance that has been silent longest, if that is too long.
    std::optional<InstanceNumber> silent(Time now, Duration heartbeat_timeout) const;
    /// When the next instance will have been silent for too long; the end of time if there is none.
    Time next_due(Duration heartbeat_timeout) const;
    /// The last sign of life in this process, or what was on record at its start; zero if unknown.
    Time last_seen(InstanceNumber instance) const;

  private:
    struct Sign {
        Time heard{};
        Time since{};             ///< From when silence counts.
        bool is_watched = false;  ///< An endpoint has nothing to say while nothing is posted to it.
    };

    void add(InstanceNumber instance, const Sign& sign);
    void hear(InstanceNumber instance, Time now);
    void count_from(InstanceNumber instance, Time now);
    void forget(InstanceNumber instance);

    std::map<InstanceNumber, Sign> signs_;
    std::set<std::pair<Time, InstanceNumber>> by_silence_;  ///< Those that are watched.
};

}  // namespace parlance::core
