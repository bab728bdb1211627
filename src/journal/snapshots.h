// Snapshot files: whole or not there. One is written beside its name, synced, and only then named.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "journal/disk.h"
#include "journal/format.h"
#include "journal/health.h"
#include "journal/journal.h"

namespace parlance::journal {

struct StoredSnapshot {
    Snapshot snapshot;
    Chain chain{};  ///< Of the journal, right after the snapshot's last record.
};

/// Newest first.
std::vector<Sequence> list_snapshots(const std::vector<std::string>& names);

/// Unsupported if any was written by a newer version.
Result<void> check_snapshot_versions(Disk& disk, const std::vector<Sequence>& snapshots);

Result<StoredSnapshot> load_snapshot(Disk& disk, Sequence sequence);

/// Writes one and removes all but the newest two.
Result<void> store_snapshot(Disk& disk,
                            Health& health,
                            const Snapshot& snapshot,
                            const Chain& chain);

}  // namespace parlance::journal
