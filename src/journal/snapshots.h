// Snapshot files: a snapshot is whole or absent. The writer writes pieces to a temporary file,
// syncs, and only then renames the file. Readers also read piece by piece: a snapshot may be as
// large as the hub's state.
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

/// Unsupported if a newer version wrote any of the snapshots.
Result<void> check_snapshot_versions(Disk& disk, const std::vector<Sequence>& snapshots);

/// Corrupt if the head fails its checksum; the frames are not read.
Result<SnapshotHead> read_snapshot_head(Disk& disk, Sequence sequence);

/// Reads and checks every frame, one frame in memory at a time. Returns the head if the file is
/// whole.
Result<SnapshotHead> check_snapshot(Disk& disk, Sequence sequence);

}  // namespace parlance::journal
