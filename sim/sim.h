// A simulated world around the real hub: one thread, one seed, one life. Clock, disk, network,
// entropy, agents and operators are simulated; core, engine and journal are the code that users
// run. The same seed and program give the same life, bit for bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parlance::sim {

struct Options {
    bool tells_stories = false;  ///< A failure comes with the records of the message concerned.
    bool tells_all = false;      ///< Prints the whole journal, failure or not.
    bool is_plain = false;       ///< Leaves out the traffic of sim/collaboration.h.
};

struct Verdict {
    std::uint64_t seed = 0;
    bool ok = true;
    std::string promise;                ///< The first broken promise.
    std::string what;                   ///< How the promise was broken.
    std::vector<std::string> promises;  ///< All broken promises.
    std::uint64_t steps = 0;
    std::uint64_t messages = 0;
    std::uint64_t records = 0;
    std::uint64_t crashes = 0;
    std::uint64_t trace_hash = 0;
    std::vector<std::uint64_t> coverage{};  ///< In the order of coverage_rows().
};

/// Runs one life of a hub: faults for a while, then everything must settle within 60 simulated
/// seconds and every promise must have been kept.
Verdict run(std::uint64_t seed, const Options& options = {});

}  // namespace parlance::sim
