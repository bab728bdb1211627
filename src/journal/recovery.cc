// How a journal is opened: everything is looked at before anything is touched. Versions first, then
// the end of the last segment; only what was certainly never acknowledged is cut.
#include <algorithm>

#include <fmt/format.h>

#include "journal/format.h"
#include "journal/journal.h"
#include "journal/segments.h"
#include "journal/snapshots.h"
#include "journal/tail.h"
#include "journal/walk.h"

namespace parlance::journal {

namespace {

/// A spare got its name only after it was all zeros, durably; a look at the size and at a few
/// places is enough to trust it. Its first block may hold the head of a roll that was cut short.
Result<bool> is_usable_spare(Disk& disk, std::uint64_t bytes) {
    static constexpr std::uint64_t kStrideBytes = std::uint64_t{1} << 20;
    const auto file = TRY(disk.open(kSpareName, Disk::Mode::Read));
    if (TRY(file->size()) != bytes) return false;
    std::string piece(kSegmentHeadBytes, '\0');
    for (std::uint64_t at = kSegmentHeadBytes; at < bytes; at += kStrideBytes) {
        const auto read = TRY(file->read_at(at, piece));
        if (!is_blank(std::string_view{piece}.substr(0, read))) return false;
    }
    return true;
}

Result<void> check_snapshots_are_of_the_past(const std::vector<Sequence>& snapshots,
                                             Sequence last) {
    if (snapshots.empty() || snapshots.front() <= last) return {};
    return fail(Fault::Corrupt,
                fmt::format("{} is there, but the journal ends with record {}",
                            snapshot_name(snapshots.front()),
                            last.value));
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(Disk& disk, Options options) {
    if (options.segment_bytes < 2 * kSegmentHeadBytes) {
        return fail(Fault::Malformed,
                    fmt::format("segments of {} bytes are too small", options.segment_bytes));
    }
    if (!options.is_read_only) TRY(disk.lock());
    std::unique_ptr<Journal> journal{new Journal{disk, options}};
    TRY(journal->recover());
    return journal;
}

Result<void> Journal::recover() {
    const auto names = TRY(disk_.list());
    auto segments = TRY(load_segments(disk_, names));
    const auto snapshots = list_snapshots(names);
    TRY(check_snapshot_versions(disk_, snapshots));
    if (segments.empty()) {
        TRY(check_snapshots_are_of_the_past(snapshots, last_sequence_));
        if (options_.is_read_only) return {};
        TRY(adopt_leftovers(names));
        return roll(0);
    }

    const auto index = segments.size() - 1;
    auto walk = TRY(Walk::start(disk_, std::move(segments), index));
    const auto written_end = TRY(find_tail(walk));
    TRY(check_snapshots_are_of_the_past(snapshots, last_sequence_));
    if (options_.is_read_only) return {};
    TRY(adopt_leftovers(names));
    const bool was_mending = std::ranges::find(names, kMendingName) != names.end();
    TRY(mend_tail(walk, was_mending ? segment_bytes_ : written_end));
    // A segment says by which version all of it can be read, so an older one is not continued.
    if (walk.segment().head.version < kDataVersion) return roll(0);
    return {};
}

/// Takes the journal's state from the last segment, and returns where its writing ends.
Result<std::uint64_t> Journal::find_tail(Walk& walk) {
    const auto end = TRY(walk_to_tail(walk, []() -> Result<void> { return {}; }));
    last_sequence_ = walk.last();
    last_time_ = walk.last_time();
    chain_ = walk.chain();
    segment_first_ = walk.segment().head.first;
    segment_before_ = walk.segment().head.before;
    segment_bytes_ = walk.segment().head.bytes;
    tail_ = walk.offset();
    if (end > tail_) {
        recovery_ = {.bytes_cut = end - tail_,
                     .cut_from = fmt::format("{}:{}", walk.segment().name, tail_)};
    }
    return end;
}

Result<void> Journal::mend_tail(Walk& walk, std::uint64_t written_end) {
    file_ = TRY(disk_.open(walk.segment().name, Disk::Mode::ReadWrite));
    if (written_end > tail_) TRY(blank_out(disk_, *file_, health_, tail_, written_end));

    // The process before this one may have died of a failed sync, and then its last batch is in
    // the system's cache, counts as written, and is not on the disk. Writing it again mends that.
    const auto begin = walk.last_frame_at();
    const auto frame = TRY(walk.window().at(begin, tail_ - begin));
    TRY(file_->write_at(begin, frame));
    TRY(health_.sync(*file_));
    return health_.sync_directory(disk_);
}

Result<void> Journal::adopt_leftovers(const std::vector<std::string>& names) {
    for (const auto& name : names) {
        if (is_temporary_name(name)) TRY(disk_.remove(name));
    }
    if (std::ranges::find(names, kSpareName) == names.end()) return {};
    if (TRY(is_usable_spare(disk_, options_.segment_bytes))) {
        spare_ = Spare::Ready;
        return {};
    }
    return disk_.remove(kSpareName);
}

}  // namespace parlance::journal
