// Restores damaged and missing segments from a copy of the same journal: another data directory, or
// a backup.
//
// The chain decides whether a copy is a copy of this journal: a copied segment must continue the
// segment before, be continued by the segment after, and contain every batch that is still whole in
// the damaged file. repair() checks all three before the first write, and gives up no acknowledged
// record: a copy that ends too early is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/disk.h"
#include "model/ids.h"

namespace parlance::journal {

struct RepairOptions {
    bool is_dry_run = false;  ///< Report what would be restored, and write nothing.
    Sequence viewed{};        ///< As in Options (journal.h).
};

struct RestoredSegment {
    std::string name{};
    Sequence first{};
    Sequence last{};
    std::string problem{};  ///< The problem that the repair fixed.
    bool was_missing = false;
    std::string kept_as{};  ///< The damaged file's new name; empty if the file was missing.
};

struct Repair {
    std::vector<RestoredSegment> restored{};  ///< Empty: nothing is damaged.
};

/// Faults: Unavailable while a hub uses `disk`; NotFound if `copy` holds no journal; Corrupt if the
/// copy does not match or lacks needed records, naming the first mismatch. After a fault from these
/// checks nothing has changed.
Result<Repair> repair(Disk& disk, Disk& copy, const RepairOptions& options);

}  // namespace parlance::journal
