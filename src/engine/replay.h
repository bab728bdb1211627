// Replays one workflow (P3): recorded messages and decisions of agents and people are taken from
// the journal, the consequences are decided again by the rules of this program, and the first
// difference is reported. Reads the journal, also of a running hub, and writes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "journal/journal.h"
#include "model/limits.h"
#include "model/message_writer.h"

namespace parlance::engine {

struct ReplayOptions {
    Limits limits{};
    const MessageWriter* message_writer = nullptr;
    bool has_policy_of_now = false;  ///< False: the policy in force at the time of each record.
};

/// The first record at which journal and rules differ. Each side is an event as JSON; empty: no
/// event.
struct Difference {
    Sequence sequence;
    std::string recorded;
    std::string decided;
};

struct Replay {
    Sequence first;  ///< Record of the workflow's start.
    Sequence last;   ///< Record of the workflow's end, or the last record of the journal.
    bool has_ended = false;
    std::uint64_t compared = 0;  ///< Records that the rules decided equally.
    std::optional<Difference> difference;
};

/// NotFound if the journal has no workflow with this id up to `last`.
Result<Replay> replay_workflow(journal::Disk& disk,
                               Sequence last,
                               std::string_view id,
                               const ReplayOptions& options);

}  // namespace parlance::engine
