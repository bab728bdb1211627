// Snapshot files: whole or not there. One is written beside its name, piece by piece, synced, and
// only then named. It is read piece by piece too: a snapshot may be as large as the hub's state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "journal/disk.h"
#include "journal/format.h"
#include "journal/health.h"
#include "journal/journal.h"

namespace parlance::journal {

/// Newest first.
std::vector<Sequence> list_snapshots(const std::vector<std::string>& names);

/// Unsupported if any was written by a newer version.
Result<void> check_snapshot_versions(Disk& disk, const std::vector<Sequence>& snapshots);

/// Corrupt if it fails its checksum; the frames are not read.
Result<SnapshotHead> read_snapshot_head(Disk& disk, Sequence sequence);

/// Reads and checks every frame, holding one of them at a time. Its head, if the file is whole.
Result<SnapshotHead> check_snapshot(Disk& disk, Sequence sequence);

}  // namespace parlance::journal
