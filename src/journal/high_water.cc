#include "journal/high_water.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "journal/format.h"
#include "journal/snapshots.h"
#include "journal/survey.h"
#include "journal/tail.h"
#include "journal/window.h"

namespace parlance::journal {

namespace {

constexpr std::uint64_t kSlotBytes = 4096;
constexpr std::uint64_t kSlots = 2;

}  // namespace

Result<StoredHighWater> read_high_water(Disk& disk) {
    StoredHighWater stored;
    auto file = disk.open(kHighWaterName, Disk::Mode::Read);
    if (!file && file.error().fault == Fault::NotFound) return stored;
    if (!file) return tl::unexpected(std::move(file).error());
    stored.is_there = true;
    std::array<char, kHighWaterBytes> bytes;
    for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
        const auto read = (*file)->read_at(slot * kSlotBytes, bytes);
        if (!read && read.error().fault != Fault::Corrupt) return tl::unexpected(read.error());
        if (!read) {
            stored.is_unreadable = true;
            continue;
        }
        auto mark = decode_high_water(kHighWaterName, {bytes.data(), *read});
        if (!mark && mark.error().fault == Fault::Unsupported) {
            return tl::unexpected(std::move(mark).error());
        }
        if (!mark || (stored.mark && stored.mark->sequence >= mark->sequence)) continue;
        stored.mark = *mark;
        stored.slot = slot;
    }
    return stored;
}

void HighWaterFile::adopt(const StoredHighWater& stored) {
    const std::lock_guard lock{mutex_};
    is_there_ = stored.mark.has_value() && !stored.is_unreadable;
    if (!is_there_) return;
    written_ = stored.mark->sequence;
    slot_ = (stored.slot + 1) % kSlots;
}

void HighWaterFile::discard() {
    const std::lock_guard lock{mutex_};
    file_.reset();
    is_there_ = false;
    written_ = {};
}

Result<void> HighWaterFile::write(Disk& disk, Health& health, const HighWater& mark) {
    const std::lock_guard lock{mutex_};
    TRY(health.check());
    TRY(let_go_unless_named(disk));
    if (is_there_ && mark.sequence <= written_) return {};
    TRY(open(disk));
    if (!is_there_) return create(disk, health, mark);
    TRY(file_->write_at(slot_ * kSlotBytes, encode(mark)));
    TRY(health.sync(*file_));
    written_ = mark.sequence;
    slot_ = (slot_ + 1) % kSlots;
    return {};
}

/// Drops the open file unless the file still has its name: the next start would not find a mark in
/// a file without the name.
Result<void> HighWaterFile::let_go_unless_named(Disk& disk) {
    if (!is_there_) return {};
    const auto named = disk.id_of(kHighWaterName);
    if (!named && named.error().fault != Fault::NotFound) return tl::unexpected(named.error());
    const bool is_named = named && (file_ == nullptr || TRY(file_->id()) == *named);
    if (is_named) return {};
    file_.reset();
    is_there_ = false;
    return {};
}

/// A file that somebody removed meanwhile counts as absent.
Result<void> HighWaterFile::open(Disk& disk) {
    if (!is_there_ || file_ != nullptr) return {};
    auto file = disk.open(kHighWaterName, Disk::Mode::ReadWrite);
    if (!file && file.error().fault != Fault::NotFound) {
        return tl::unexpected(std::move(file).error());
    }
    is_there_ = file.has_value();
    if (file) file_ = *std::move(file);
    return {};
}

/// Writes a temporary file, syncs, and only then renames: the previous file stays until the new
/// file is whole.
Result<void> HighWaterFile::create(Disk& disk, Health& health, const HighWater& mark) {
    const auto temporary = kHighWaterName + std::string{kTemporarySuffix};
    (void)disk.remove(temporary);  // Left by a failed attempt; usually absent.
    auto file = TRY(disk.open(temporary, Disk::Mode::Create));
    for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
        auto bytes = encode(mark);
        bytes.resize(kSlotBytes);
        TRY(file->write_at(slot * kSlotBytes, bytes));
    }
    TRY(health.sync(*file));
    TRY(disk.rename(temporary, kHighWaterName));
    TRY(health.sync_directory(disk));
    file_ = std::move(file);
    is_there_ = true;
    written_ = mark.sequence;
    slot_ = 0;
    return {};
}

void MarkCheck::pass(Sequence at, const Chain& chain) {
    if (!begin_) begin_ = at;
    if (stored_.mark && stored_.mark->sequence == at) does_fit_ = stored_.mark->chain == chain;
}

bool MarkCheck::is_foreign(Sequence found, const Chain& origin) const {
    if (!stored_.mark) return false;
    const auto& mark = *stored_.mark;
    if (origin != Chain{} && mark.origin != Chain{} && mark.origin != origin) return true;
    return begin_ && *begin_ <= mark.sequence && mark.sequence <= found && !does_fit_;
}

std::string MarkCheck::note(Sequence found, const Chain& origin) const {
    if (is_foreign(found, origin)) {
        return fmt::format("the file {} names record {} of another journal",
                           kHighWaterName,
                           stored_.mark->sequence.value);
    }
    if (stored_.mark && !stored_.is_unreadable) return {};
    if (stored_.is_there) return fmt::format("the file {} is damaged", kHighWaterName);
    return fmt::format(
        "there is no file {}: an earlier version wrote this journal, or the file was removed",
        kHighWaterName);
}

namespace {

/// The last record that the heads of the batches name, counted from the first batch on. A batch
/// whose end was cut off counts too.
Result<Sequence> last_by_heads(Window& window, Sequence first) {
    Sequence last{first.value - 1};
    std::uint64_t offset = kSegmentHeadBytes;
    while (const auto head = decode_batch_head(TRY(window.at(offset, kBatchHeadBytes)))) {
        if (head->first != Sequence{last.value + 1} || head->count == 0) break;
        last = head->last();
        offset += head->frame_bytes();
    }
    return last;
}

/// A segment has its head and all its bytes, durably, before its name. A segment without head or
/// bytes has lost them. Empty: the file's head and length are as they were made.
Result<std::optional<BrokenSegment>> find_breakage(Disk& disk, Sequence first) {
    const auto name = segment_name(first);
    const auto window = TRY(Window::open(disk, name));
    const auto written = TRY(window->at(0, kSegmentHeadBytes));
    const auto head = decode_segment_head(name, written);
    if (!head && head.error().fault != Fault::Corrupt) return tl::unexpected(head.error());
    // A lost write leaves zeros or too few bytes. Any other bytes are a damaged head, and the
    // batches after the head were acknowledged.
    const bool is_lost = written.size() < kSegmentHeadBytes || is_blank(written);
    if (!head && !is_lost) return std::nullopt;
    const bool is_short = head && head->first == first && window->file_bytes() < head->bytes;
    if (head && !is_short) return std::nullopt;
    BrokenSegment broken{.first = first,
                         .has_head = is_short,
                         .last = {first.value - 1},
                         .problem = "has no whole head"};
    if (is_short) {
        broken.problem =
            fmt::format("ends after {} of its {} bytes", window->file_bytes(), head->bytes);
    } else if (TRY(end_of_writing(*window, 0)) == 0) {
        broken.problem = "is full of zeros";
        return broken;
    }
    const auto survey = TRY(survey_segment(disk, name, first, true));
    broken.last = TRY(last_by_heads(*window, first));
    if (!survey.marks.empty()) broken.last = std::max(broken.last, survey.marks.back().last);
    return broken;
}

/// Damage followed by a whole segment is no lost end. Of the segments in a lost end, only the first
/// can still hold usable records: if its head is whole and its end is not.
Result<void> find_lost_segments(Disk& disk, Evidence& evidence) {
    auto firsts = segment_firsts(evidence.names);
    bool is_head_whole = false;
    for (; !firsts.empty(); firsts.pop_back()) {
        auto broken = TRY(find_breakage(disk, firsts.back()));
        if (!broken) break;
        is_head_whole = broken->has_head;
        evidence.lost.push_back(*std::move(broken));
    }
    if (is_head_whole) {
        evidence.short_one = std::move(evidence.lost.back());
        evidence.lost.pop_back();
    }
    for (const auto& lost : evidence.lost) std::erase(evidence.names, segment_name(lost.first));
    return {};
}

}  // namespace

Result<Evidence> gather_evidence(Disk& disk, Sequence viewed) {
    Evidence evidence{.viewed = viewed};
    evidence.names = TRY(disk.list());
    TRY(find_lost_segments(disk, evidence));
    for (const auto sequence : list_snapshots(evidence.names)) {
        const auto head = read_snapshot_head(disk, sequence);
        if (head && head->sequence == sequence) evidence.snapshots.push_back(sequence);
        // A hub that is writing removes the older ones.
        const bool says_nothing = !head && (head.error().fault == Fault::Corrupt ||
                                            head.error().fault == Fault::NotFound);
        if (!head && !says_nothing) return tl::unexpected(head.error());
    }
    return evidence;
}

std::optional<LostTail> find_lost_tail(Sequence found,
                                       const Evidence& evidence,
                                       const std::optional<HighWater>& mark) {
    LostTail lost{.found = found, .last = found, .evidence = {}};
    const auto tell = [&](Sequence last, const std::string& text) {
        lost.last = std::max(lost.last, last);
        lost.evidence += (lost.evidence.empty() ? "" : ", ") + text;
    };
    if (mark && mark->sequence > found) {
        tell(mark->sequence,
             fmt::format("the high-water mark is at record {}", mark->sequence.value));
    }
    if (!evidence.snapshots.empty() && evidence.snapshots.front() > found) {
        const auto newest = evidence.snapshots.front();
        tell(newest, fmt::format("{} has record {}", snapshot_name(newest), newest.value));
    }
    if (evidence.viewed > found) {
        tell(evidence.viewed, fmt::format("views.db has record {}", evidence.viewed.value));
    }
    const auto tell_of = [&](const BrokenSegment& broken) {
        tell(broken.last, fmt::format("{} {}", segment_name(broken.first), broken.problem));
    };
    if (evidence.short_one) tell_of(*evidence.short_one);
    std::for_each(evidence.lost.rbegin(), evidence.lost.rend(), tell_of);
    if (lost.evidence.empty()) return {};
    return lost;
}

Result<Chain> origin_of(Disk& disk, const std::vector<Segment>& segments) {
    if (segments.empty()) return Chain{};
    const auto window = TRY(Window::open(disk, segments.front().name));
    const auto head = decode_batch_head(TRY(window->at(kSegmentHeadBytes, kBatchHeadBytes)));
    return head ? head->chain : Chain{};
}

std::vector<Gap> gaps_of(const std::vector<Segment>& segments) {
    std::vector<Gap> gaps;
    for (const auto& [name, head] : segments) {
        if (head.skipped == 0) continue;
        gaps.push_back({.first = {head.last_before().value + 1},
                        .last = {head.first.value - 1},
                        .accepted_at = head.accepted_at});
    }
    return gaps;
}

std::string describe(const LostTail& lost) {
    const auto what = lost.records() == 0 ? std::string{"records behind it may be"}
                      : lost.records() == 1
                          ? std::string{"at least 1 record is"}
                          : fmt::format("at least {} records are", lost.records());
    return fmt::format(
        "the end of the journal is lost: the last record found is {}, but {}; {} missing",
        lost.found.value,
        lost.evidence,
        what);
}

}  // namespace parlance::journal
