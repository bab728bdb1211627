// Where the time of messages goes: waiting for an agent, being worked on, and for whom the rest
// waited. Pure: journeys in, figures out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "views/journey.h"

namespace parlance::views {

/// By nearest rank: of a hundred, the fiftieth, ninetieth and ninety-ninth.
struct Percentiles {
    Duration p50{};
    Duration p90{};
    Duration p99{};
    bool operator==(const Percentiles&) const = default;
};
Percentiles percentiles_of(std::vector<Duration> durations);

/// The messages that one agent was sent, all of them or those of one type.
struct Share {
    std::string agent{};
    std::string type{};  ///< Empty: all.
    std::uint64_t count = 0;
    std::uint64_t failures = 0;
    Percentiles queue{};
    Percentiles run{};
    Duration queue_total{};
    Duration run_total{};
    Percentiles human{};
    Duration human_total{};
    bool has_people = false;  ///< Any of it was with a person.
    Duration own_total{};     ///< Of run_total: when nothing that it had asked for was still open.
    bool operator==(const Share&) const = default;
};

struct Timeline {
    Duration whole{};                 ///< From the first message to the last step.
    std::vector<Journey> journeys{};  ///< Those that are open measured up to now.
    std::vector<Duration> own{};      ///< For each of them, as in Share.
    std::vector<Share> agents{};      ///< By name.
    std::vector<Share> steps{};       ///< By name and type.
};

/// What has not ended is measured up to `now`.
Timeline timeline_of(std::span<const Journey> journeys, Time now);

/// Whose queue and own work took longest, in a sentence; empty if nobody was sent anything.
std::string bottleneck_of(const Timeline& timeline);

std::string print(const Share& share);
/// A journey with its times; `more` are members to add, with a comma before each.
std::string print(const Journey& journey, std::string_view more);

}  // namespace parlance::views
