// A workflow lived through again (P3): what its agents and people said is taken from the record,
// what followed from that is decided anew by the rules of this program, and the first difference
// is what there is to tell. Reads the journal, of a running hub too, and writes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "journal/journal.h"
#include "model/limits.h"
#include "model/scribe.h"

namespace parlance::engine {

struct ReplayOptions {
    Limits limits{};
    const Scribe* scribe = nullptr;
    bool has_policy_of_now = false;  ///< Else the policy is the one that was in force then.
};

/// Where the record and the rules part. Each side is an event as JSON; empty: nothing happens.
struct Difference {
    Sequence sequence;
    std::string recorded;
    std::string decided;
};

struct Replay {
    Sequence first;  ///< Where it was started,
    Sequence last;   ///< and where it ended, or the journal does.
    bool has_ended = false;
    std::uint64_t compared = 0;  ///< Records that the rules came to as well.
    std::optional<Difference> difference;
};

/// NotFound, if no workflow of this id is on record up to `last`.
Result<Replay> replay_workflow(journal::Disk& disk,
                               Sequence last,
                               std::string_view id,
                               const ReplayOptions& options);

}  // namespace parlance::engine
