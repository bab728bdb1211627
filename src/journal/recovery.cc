// Opens a journal. Recovery reads everything before it changes anything: versions first, then the
// end of the last segment; only bytes that were certainly never acknowledged are cut.
#include <algorithm>

#include <fmt/format.h>

#include "journal/format.h"
#include "journal/high_water.h"
#include "journal/journal.h"
#include "journal/segments.h"
#include "journal/snapshots.h"
#include "journal/tail.h"
#include "journal/walk.h"

namespace parlance::journal {

namespace {

/// A spare got its name only after it was all zeros, durably; checking the size and a few positions
/// is enough to trust the file. The first block may hold the head of a roll that was cut short.
Result<bool> is_usable_spare(Disk& disk, std::uint64_t bytes) {
    static constexpr std::uint64_t kStrideBytes = std::uint64_t{1} << 20;
    const auto file = TRY(disk.open(kSpareName, Disk::Mode::Read));
    if (TRY(file->size()) != bytes) return false;
    std::string piece(kSegmentHeadBytes, '\0');
    for (std::uint64_t at = kSegmentHeadBytes; at < bytes; at += kStrideBytes) {
        const auto read = file->read_at(at, piece);
        if (!read && read.error().fault == Fault::Corrupt) return false;  // A bad sector.
        if (!read) return tl::unexpected(read.error());
        if (!is_blank(std::string_view{piece}.substr(0, *read))) return false;
    }
    return true;
}

/// Restores the truncated part of a segment as zeros.
Result<void> fill_up(File& file, Health& health, std::uint64_t bytes) {
    const auto size = TRY(file.size());
    TRY(write_zeros(file, size, bytes));
    return health.sync(file);
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
    // The mark is read first: if a hub is writing, the segments can only be further than the mark.
    MarkCheck check{TRY(read_high_water(disk_))};
    const auto evidence = TRY(gather_evidence(disk_, options_.viewed));
    auto segments = TRY(load_segments(disk_, evidence.names, evidence.short_first()));
    TRY(check_snapshot_versions(disk_, list_snapshots(evidence.names)));
    origin_ = TRY(origin_of(disk_, segments));
    recovery_.gaps = gaps_of(segments);
    if (segments.empty()) return recover_empty(check, evidence);

    const auto index = segments.size() - 1;
    auto walk = TRY(Walk::start(disk_, std::move(segments), index));
    const auto written_end = TRY(find_tail(walk, check));
    TRY(judge_loss(check, evidence));
    if (options_.is_read_only) return {};
    TRY(adopt_leftovers(evidence.names));
    const bool was_mending =
        std::ranges::find(evidence.names, kMendingName) != evidence.names.end();
    TRY(mend_tail(walk, was_mending ? segment_bytes_ : written_end));
    if (recovery_.lost) return accept_loss(check, evidence);
    TRY(begin_marking(check));
    // A segment's version promises who can read all of it, so an older segment is not continued.
    if (walk.segment().head.version < kDataVersion) return roll(0);
    return {};
}

Result<void> Journal::recover_empty(const MarkCheck& check, const Evidence& evidence) {
    TRY(judge_loss(check, evidence));
    // A directory that no hub has served has no mark and needs none yet.
    if (!check.stored().is_there) recovery_.mark_note.clear();
    if (options_.is_read_only) return {};
    TRY(adopt_leftovers(evidence.names));
    if (recovery_.lost) return accept_loss(check, evidence);
    TRY(roll(0));
    return begin_marking(check);
}

/// Takes the journal's state from the last segment, and returns where the written bytes end.
Result<std::uint64_t> Journal::find_tail(Walk& walk, MarkCheck& check) {
    check.pass(walk.last(), walk.chain());
    const auto end = TRY(walk_to_tail(walk, [&]() -> Result<void> {
        check.pass(walk.last(), walk.chain());
        return {};
    }));
    last_sequence_ = walk.last();
    last_time_ = walk.last_time();
    chain_ = walk.chain();
    segment_first_ = walk.segment().head.first;
    named_.store(segment_first_.value, std::memory_order_release);
    segment_before_ = walk.segment().head.before;
    segment_bytes_ = walk.segment().head.bytes;
    segment_skipped_ = walk.segment().head.skipped;
    segment_accepted_at_ = walk.segment().head.accepted_at;
    tail_ = walk.offset();
    if (end > tail_) {
        recovery_.bytes_cut = end - tail_;
        recovery_.cut_from = fmt::format("{}:{}", walk.segment().name, tail_);
    }
    return end;
}

/// A writer continues only if nothing is missing, or if exactly the missing records were accepted
/// as lost.
Result<void> Journal::judge_loss(const MarkCheck& check, const Evidence& evidence) {
    const bool is_foreign = check.is_foreign(last_sequence_, origin_);
    recovery_.mark_note = check.note(last_sequence_, origin_);
    recovery_.lost =
        find_lost_tail(last_sequence_, evidence, is_foreign ? std::nullopt : check.stored().mark);
    if (options_.is_read_only) return {};
    const auto accepted = options_.accepted_loss;
    if (recovery_.lost && !accepted) return fail(Fault::Corrupt, describe(*recovery_.lost));
    if (!recovery_.lost && accepted) {
        return fail(Fault::Malformed,
                    fmt::format("nothing is missing at the end of the journal: its last record is "
                                "{}, and nothing tells of a later one",
                                last_sequence_.value));
    }
    if (recovery_.lost && *accepted != recovery_.lost->last) {
        return fail(Fault::Malformed,
                    fmt::format("the loss to accept ends with record {}, not {}: {}",
                                recovery_.lost->last.value,
                                accepted->value,
                                describe(*recovery_.lost)));
    }
    return {};
}

/// The journal continues in a segment after the lost records, whose sequence numbers stay unused.
/// Until the new segment exists, the mark says that the records are missing: if the process dies
/// meanwhile, the next start asks the operator again.
Result<void> Journal::accept_loss(const MarkCheck& check, const Evidence& evidence) {
    const auto& lost = *recovery_.lost;
    const HighWater accepted{lost.last, chain_, origin_};
    const auto& mark = check.stored().mark;
    const bool is_marked =
        mark && mark->sequence == lost.last && !check.is_foreign(last_sequence_, origin_);
    if (!is_marked) TRY(mark_file_->write(disk_, health_, accepted));

    const auto set_aside = [&](const std::string& name) {
        return disk_.rename(name, name + std::string{kLostSuffix});
    };
    // From the end backwards, each rename durable before the next: a crash still leaves a lost end.
    for (const auto& segment : evidence.lost) {
        TRY(set_aside(segment_name(segment.first)));
        TRY(health_.sync_directory(disk_));
    }
    if (evidence.short_one) TRY(fill_up(*file_, health_, segment_bytes_));
    for (const auto snapshot : evidence.snapshots) {
        if (snapshot > lost.found) TRY(set_aside(snapshot_name(snapshot)));
    }
    TRY(health_.sync_directory(disk_));

    skipped_ = lost.records();
    if (skipped_ > 0 || file_ == nullptr) TRY(roll(0));
    if (lost.records() > 0) {
        recovery_.gaps.push_back({{lost.found.value + 1}, lost.last, options_.accepted_at});
    }
    mark_file_->discard();
    return mark_file_->write(disk_, health_, accepted);
}

/// Writes the mark at the journal's present end. A failed write is ignored: a disk without room for
/// a small file must not keep the hub from starting.
Result<void> Journal::begin_marking(const MarkCheck& check) {
    if (!check.is_foreign(last_sequence_, origin_)) mark_file_->adopt(check.stored());
    (void)mark_file_->write(disk_, health_, high_water());
    return health_.check();
}

Result<void> Journal::mend_tail(Walk& walk, std::uint64_t written_end) {
    file_ = TRY(disk_.open(walk.segment().name, Disk::Mode::ReadWrite));
    if (written_end > tail_) TRY(blank_out(disk_, *file_, health_, tail_, written_end));

    // The process before may have died of a failed sync; then its last batch is in the system's
    // cache, counts as written, and is not on the disk. Writing the batch again repairs the disk.
    const auto begin = walk.last_frame_at();
    const auto frame = TRY(walk.window().at(begin, tail_ - begin));
    if (const auto why = walk.window().unreadable(begin, tail_ - begin); !why.empty()) {
        return fail(Fault::Corrupt, fmt::format("{}: {}", walk.segment().name, why));
    }
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
        spare_file_ = TRY(disk_.open(kSpareName, Disk::Mode::ReadWrite));
        spare_ = Spare::Ready;
        return {};
    }
    return disk_.remove(kSpareName);
}

}  // namespace parlance::journal
