// Restores damaged and missing segments from a copy of the same journal: another data directory, or
// a backup.
//
// The chain decides whether a copy is one of this journal: what comes from it must continue the
// segment before, be continued by the segment behind, and hold every batch that is still whole in
// the damaged file. All of that is checked before the first byte is written, and no acknowledged
// record is given up: a copy that ends too early is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/disk.h"
#include "model/ids.h"

namespace parlance::journal {

struct RepairOptions {
    bool is_dry_run = false;  ///< Say what would be restored, and write nothing.
    Sequence viewed{};        ///< As in Options (journal.h).
};

struct RestoredSegment {
    std::string name{};
    Sequence first{};
    Sequence last{};
    std::string problem{};  ///< What was wrong with it.
    bool was_missing = false;
    std::string kept_as{};  ///< The name of the damaged file from here on; empty: there was none.
};

struct Repair {
    std::vector<RestoredSegment> restored{};  ///< Empty: nothing is damaged.
};

/// Faults: Unavailable while a hub uses `disk`; NotFound if there is no journal in `copy`; Corrupt
/// if the copy does not match or does not have what is needed, naming the first mismatch. Nothing
/// is changed then.
Result<Repair> repair(Disk& disk, Disk& copy, const RepairOptions& options);

}  // namespace parlance::journal
