// Runs many lives in a row: seeds of the unchanged hub, none of which may fail, or seeds with a
// planted bug, which must be found. The whole of `parlance sim`.
#pragma once

#include <cstdint>
#include <string>

namespace parlance::sim {

struct CampaignOptions {
    std::uint64_t seed_first = 1;
    std::uint64_t seed_last = 1;
    std::string mutant{};      ///< Name of the bug to plant; must be found within the seeds.
    bool all_mutants = false;  ///< Plant each bug in turn.
    unsigned jobs = 0;         ///< 0: as many as processors.
    bool is_json = false;
    bool is_traced = false;       ///< One seed, in this process, with its whole journal printed.
    bool is_plain = false;        ///< Without the traffic of sim/collaboration.h.
    bool shows_coverage = false;  ///< Print how often each coverage row occurred; none may be zero.
    std::string scenarios{};      ///< A file of seeds to run first, a seed per line.
    /// A file of lines "name seed": the hunt for the named bug begins with the seed.
    std::string known_seeds{};
    std::string save{};  ///< The file to write the seeds of the planted bugs found to.
};

/// Returns 0 on success: with `shows_coverage` every coverage row occurred; else every seed kept
/// every promise, or every planted bug was found. 1: failure. 2: the campaign cannot be run.
int run_campaign(const CampaignOptions& options);

}  // namespace parlance::sim
