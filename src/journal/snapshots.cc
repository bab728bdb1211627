#include "journal/snapshots.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "base/crc32c.h"

namespace parlance::journal {

namespace {

constexpr std::size_t kKept = 2;

auto damaged(const std::string& name) {
    return fail(Fault::Corrupt, fmt::format("{} fails its checksum", name));
}

Result<void> write_file(Disk& disk,
                        Health& health,
                        const std::string& name,
                        const Snapshot& snapshot,
                        const Chain& chain) {
    const auto file = TRY(disk.open(name, Disk::Mode::Create));
    TRY(file->write_at(0,
                       encode(SnapshotHead{.sequence = snapshot.sequence,
                                           .at = snapshot.at,
                                           .chain = chain,
                                           .payload_bytes = snapshot.payload.size(),
                                           .payload_crc = crc32c(snapshot.payload)})));
    TRY(file->write_at(kSnapshotHeadBytes, snapshot.payload));
    return health.sync(*file);
}

}  // namespace

std::vector<Sequence> list_snapshots(const std::vector<std::string>& names) {
    std::vector<Sequence> found;
    for (const auto& name : names) {
        if (const auto sequence = parse_snapshot_name(name)) found.push_back(*sequence);
    }
    std::ranges::sort(found, std::greater{});
    return found;
}

Result<void> check_snapshot_versions(Disk& disk, const std::vector<Sequence>& snapshots) {
    for (const auto sequence : snapshots) {
        const auto name = snapshot_name(sequence);
        const auto file = TRY(disk.open(name, Disk::Mode::Read));
        std::array<char, kPrefixBytes> bytes;
        const auto read = TRY(file->read_at(0, bytes));
        TRY(check_snapshot_version(name, {bytes.data(), read}));
    }
    return {};
}

Result<StoredSnapshot> load_snapshot(Disk& disk, Sequence sequence) {
    const auto name = snapshot_name(sequence);
    const auto file = TRY(disk.open(name, Disk::Mode::Read));
    std::array<char, kSnapshotHeadBytes> bytes;
    const auto read = TRY(file->read_at(0, bytes));
    const auto head = TRY(decode_snapshot_head(name, {bytes.data(), read}));
    const auto size = TRY(file->size());
    if (head.sequence != sequence || size != kSnapshotHeadBytes + head.payload_bytes) {
        return damaged(name);
    }
    StoredSnapshot stored{.snapshot = {.sequence = sequence, .at = head.at, .payload = {}},
                          .chain = head.chain};
    auto& payload = stored.snapshot.payload;
    payload.resize(head.payload_bytes);
    const auto filled = TRY(file->read_at(kSnapshotHeadBytes, payload));
    if (filled != payload.size() || crc32c(payload) != head.payload_crc) return damaged(name);
    return stored;
}

Result<void> store_snapshot(Disk& disk,
                            Health& health,
                            const Snapshot& snapshot,
                            const Chain& chain) {
    const auto name = snapshot_name(snapshot.sequence);
    const auto temporary = name + std::string{kTemporarySuffix};
    (void)disk.remove(temporary);  // Of an attempt that failed; usually there is none.
    auto written = write_file(disk, health, temporary, snapshot, chain);
    if (!written) {
        (void)disk.remove(temporary);
        return written;
    }
    TRY(disk.rename(temporary, name));
    TRY(health.sync_directory(disk));

    const auto names = TRY(disk.list());
    const auto all = list_snapshots(names);
    for (std::size_t i = kKept; i < all.size(); ++i) TRY(disk.remove(snapshot_name(all[i])));
    return {};
}

}  // namespace parlance::journal
