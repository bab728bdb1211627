// When each instance was last heard of, for the engine or test that drives the core.
//
// A sign of life is no event, so an idle hub records nothing. Signs are kept here, beside the State
// and in no snapshot. An instance that was silent for too long is named in a Tick, and decide()
// records the consequence. After a restart no instance has been silent yet.
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
    /// The process starts: every instance on record has its whole timeout from now on.
    void begin(const State& state, Time now);
    /// A decision was made; `heard` are the instances for which it was a sign of life.
    void note(const Stamped& request, const Events& events, const Heard& heard);
    /// The instance with the longest silence, if too long.
    std::optional<InstanceNumber> silent(Time now, Duration heartbeat_timeout) const;
    /// When the next instance will have been silent for too long; the end of time if there is none.
    Time next_due(Duration heartbeat_timeout) const;
    /// The last sign of life in this process, or the time on record at its start; zero if unknown.
    Time last_seen(InstanceNumber instance) const;

  private:
    struct Sign {
        Time heard{};
        Time since{};  ///< Silence counts from here.
        /// False for an endpoint: silent while nothing is posted.
        bool is_watched = false;
    };

    void add(InstanceNumber instance, const Sign& sign);
    void hear(InstanceNumber instance, Time now);
    void count_from(InstanceNumber instance, Time now);
    void forget(InstanceNumber instance);

    std::map<InstanceNumber, Sign> signs_;
    std::set<std::pair<Time, InstanceNumber>> by_silence_;  ///< Watched instances only.
};

}  // namespace parlance::core
