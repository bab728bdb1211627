// Many lives in a row: seeds with the hub as it is, none of which may fail, or with a planted bug,
// which must be found. Prints what it does; the whole of `parlance sim`.
#pragma once

#include <cstdint>
#include <string>

namespace parlance::sim {

struct CampaignOptions {
    std::uint64_t seed_first = 1;
    std::uint64_t seed_last = 1;
    std::string mutant{};      ///< Plant this one; it must be found within the seeds.
    bool all_mutants = false;  ///< Plant each in turn.
    unsigned jobs = 0;         ///< 0: as many as there are processors.
    bool is_json = false;
    bool is_traced = false;       ///< One seed, in this process, with its whole journal printed.
    bool is_plain = false;        ///< Without the traffic of sim/collaboration.h.
    bool shows_coverage = false;  ///< Print how often everything occurred; all of it must.
    std::string scenarios{};      ///< A file of seeds that are run first, one a line.
    /// A file with a seed for each planted bug, "name seed" a line: the hunt for the bug begins
    /// there.
    std::string known_seeds{};
    std::string save{};  ///< The file to which the seeds of all planted bugs found are written.
};

/// With `shows_coverage` 0 means that everything the simulator can do occurred in these seeds; else
/// 0: every seed kept every promise, or every planted bug was found. 1: not so. 2: cannot be run.
int run_campaign(const CampaignOptions& options);

}  // namespace parlance::sim
