// Where the time of messages goes: waiting for an agent, being worked on, and waiting for other
// agents or people. Pure: spans in, figures out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "views/span.h"

namespace parlance::views {

/// The 50th, 90th and 99th percentile by nearest rank.
struct Percentiles {
    Duration p50{};
    Duration p90{};
    Duration p99{};
    bool operator==(const Percentiles&) const = default;
};
Percentiles percentiles_of(std::vector<Duration> durations);

/// Figures of the messages sent to one agent, of all types or of one type.
struct Share {
    std::string agent{};
    std::string type{};  ///< Empty: all types.
    std::uint64_t count = 0;
    std::uint64_t failures = 0;
    Percentiles queue{};
    Percentiles run{};
    Duration queue_total{};
    Duration run_total{};
    Percentiles human{};
    Duration human_total{};
    bool has_people = false;  ///< Whether any message was with people.
    Duration own_total{};     ///< run_total, less the time with own requests open.
    bool operator==(const Share&) const = default;
};

struct Timeline {
    Duration whole{};             ///< From the first message to the last step.
    std::vector<Span> spans{};    ///< Open spans are measured up to now.
    std::vector<Duration> own{};  ///< Own time of each span, as in Share.
    std::vector<Share> agents{};  ///< Sorted by name.
    std::vector<Share> steps{};   ///< Sorted by name and type.
};

/// Open spans are measured up to `now`.
Timeline timeline_of(std::span<const Span> spans, Time now);

/// Names the agent with the longest queue and own work in a sentence; empty if no agent was sent a
/// message.
std::string bottleneck_of(const Timeline& timeline);

std::string print(const Share& share);
/// A span with its times; `more` holds further members, each preceded by a comma.
std::string print(const Span& span, std::string_view more);

}  // namespace parlance::views
