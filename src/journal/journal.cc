#include "journal/journal.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/mutant.h"
#include "journal/format.h"
#include "journal/high_water.h"
#include "journal/segments.h"
#include "journal/snapshots.h"
#include "journal/walk.h"

namespace parlance::journal {

namespace {

constexpr const char* kNewSegmentName = "segment.tmp";
constexpr const char* kNewSpareName = "spare.tmp";

}  // namespace

Journal::Journal(Disk& disk, Options options)
    : disk_(disk), options_(options), mark_file_(std::make_unique<HighWaterFile>()) {}

Journal::~Journal() = default;

Result<std::optional<SnapshotReader>> Journal::open_newest_snapshot(
    const std::function<void(const std::string& why)>& passed_over) {
    const auto names = TRY(disk_.list());
    for (const auto sequence : list_snapshots(names)) {
        const auto checked = check_snapshot(disk_, sequence);
        if (checked) {
            snapshot_mark_.emplace(sequence, checked->chain);
            return TRY(SnapshotReader::open(disk_, sequence));
        }
        if (checked.error().fault != Fault::Corrupt) return tl::unexpected(checked.error());
        if (passed_over) passed_over(checked.error().message);
    }
    return std::nullopt;
}

Result<std::optional<Snapshot>> Journal::newest_snapshot(
    const std::function<void(const std::string& why)>& passed_over) {
    auto reader = TRY(open_newest_snapshot(passed_over));
    if (!reader) return std::nullopt;
    Snapshot snapshot{.sequence = reader->sequence(), .at = reader->at(), .payload = {}};
    std::string piece;
    while (TRY(reader->next(piece))) snapshot.payload += piece;
    return snapshot;
}

Result<void> Journal::replay(Sequence after,
                             const std::function<Result<void>(const Record&)>& each) {
    auto segments = TRY(load_segments(disk_));
    if (segments.empty()) return {};
    const auto index = segment_holding(segments, {after.value + 1});
    auto walk = TRY(Walk::start(disk_, std::move(segments), index));
    const auto is_another_journals = [&] {
        return snapshot_mark_ && snapshot_mark_->first == walk.last() &&
               snapshot_mark_->second != walk.chain();
    };
    while (!is_another_journals() && walk.last() < last_sequence_ && TRY(walk.next())) {
        Record record{.sequence = walk.head().first, .at = walk.head().at, .payload = {}};
        auto records = records_of(walk.frame());
        for (; !records.empty(); ++record.sequence.value) {
            take_record(records, walk.head().lengths, record);
            if (record.sequence > after) TRY(each(record));
        }
    }
    if (is_another_journals()) {
        return fail(Fault::Corrupt,
                    fmt::format("{} is not a snapshot of this journal",
                                snapshot_name(snapshot_mark_->first)));
    }
    if (walk.last() != last_sequence_ || walk.chain() != chain_) {
        return fail(Fault::Corrupt,
                    fmt::format("{}:{}: {}", walk.segment().name, walk.offset(), walk.ending()));
    }
    return {};
}

Result<void> Journal::append(Time at, const Batch& batch) {
    if (batch.empty()) return {};
    TRY(health_.check());
    if (options_.is_read_only) return fail(Fault::Unavailable, "the journal is open for reading");
    return told(append_frame(at, batch));
}

/// Whatever the system reports, a failed operation may be tried again: nothing was promised, and a
/// half-written batch is wiped before the next append. Only after a failed sync is the disk's state
/// unknown.
Result<void> Journal::told(Result<void> result) const {
    if (result) return result;
    TRY(health_.check());
    result.error().fault = Fault::Exhausted;
    return result;
}

Result<void> Journal::append_frame(Time at, const Batch& batch) {
    TRY(clean_tail());
    if (tail_ + batch.bytes() > segment_bytes_) TRY(roll(batch.bytes()));

    Chain chain;
    const auto frame = seal(at, batch, chain);
    auto written = file_->write_at(tail_, frame);
    batch.frame_.resize(batch.frame_.size() - kBatchCloseBytes);
    if (!written) {
        unclean_bytes_ = batch.bytes();
        return written;
    }
    TRY(health_.sync(*file_));

    tail_ += batch.bytes();
    last_sequence_.value += batch.count();
    last_time_ = at;
    chain_ = chain;
    if (origin_ == Chain{}) origin_ = chain;
    return {};
}

/// Fills in the fields that depend on the position: checksums, sequences, chain. Returns the
/// finished frame.
std::string_view Journal::seal(Time at, const Batch& batch, Chain& chain) {
    CHECK(batch.open_at_ == 0);
    auto& frame = batch.frame_;
    BatchHead head{.records_bytes = static_cast<std::uint32_t>(frame.size() - kBatchHeadBytes),
                   .count = batch.count(),
                   .blank_sectors = 0,
                   .first = {last_sequence_.value + 1},
                   .at = at,
                   .chain = {}};

    char* record = frame.data() + kBatchHeadBytes;
    for (std::uint32_t i = 0; i < head.count; ++i) {
        const auto one = read_record_head(
            {record, static_cast<std::size_t>(frame.data() + frame.size() - record)}, head.lengths);
        char* const payload = record + one->bytes;
        store(payload - kRecordCrcBytes,
              record_crc({head.first.value + i}, {payload, one->payload_bytes}));
        record = payload + one->payload_bytes;
    }

    frame.push_back(kBatchClose);
    open_frame(frame.data());
    head.blank_sectors = count_blank_sectors(frame, tail_);
    encode(head, frame.data());
    const bool forgets = is_planted(Mutant::BreakTheChain) && head.first.value % 16 == 0;
    chain = link(hasher_, forgets ? Chain{} : chain_, frame);
    head.chain = chain;
    encode(head, frame.data());
    return frame;
}

/// Wipes the remains of a write that failed halfway, durably: otherwise a crash could mix sectors
/// of the failed write with sectors of the next batch, and the mix would look like damage.
Result<void> Journal::clean_tail() {
    if (unclean_bytes_ == 0) return {};
    TRY(blank_out(disk_, *file_, health_, tail_, tail_ + unclean_bytes_));
    unclean_bytes_ = 0;
    return {};
}

Result<void> Journal::roll(std::uint64_t frame_bytes) {
    TRY(check_named());
    const std::lock_guard lock{spare_mutex_};
    const auto bytes = std::max(options_.segment_bytes, kSegmentHeadBytes + frame_bytes);
    if (bytes == options_.segment_bytes && TRY(roll_into_spare())) return {};
    (void)disk_.remove(kNewSegmentName);  // Left by a failed attempt; usually absent.
    auto blank = TRY(make_blank_file(disk_, health_, kNewSegmentName, bytes));
    auto entered = enter_segment(kNewSegmentName, blank, bytes);
    if (!entered && health_.is_well()) (void)disk_.remove(kNewSegmentName);
    return entered;
}

/// False: no spare is ready, or somebody has removed or replaced the spare. The caller then makes a
/// new segment.
Result<bool> Journal::roll_into_spare() {
    if (spare_ != Spare::Ready) return false;
    if (!TRY(is_spare_named())) {
        spare_file_.reset();
        spare_ = Spare::None;
        return false;
    }
    auto entered = enter_segment(kSpareName, spare_file_, options_.segment_bytes);
    if (entered) return true;
    if (entered.error().fault != Fault::NotFound) return tl::unexpected(std::move(entered).error());
    spare_file_.reset();
    spare_ = Spare::None;
    return false;
}

/// Bytes written to a segment without a name are gone when this process ends: the journal then
/// refuses every append.
Result<void> Journal::check_named() {
    const Sequence first{named_.load(std::memory_order_acquire)};
    if (first == Sequence{}) return {};
    const auto name = segment_name(first);
    const auto named = disk_.id_of(name);
    const bool is_gone = !named && named.error().fault == Fault::NotFound;
    if (!is_gone) return {};
    return health_.fail_for_good(
        {Fault::Unavailable,
         fmt::format("somebody removed or moved {} while the hub writes to it", name)});
}

/// Bytes written to a spare without a name would be gone when this process ends.
Result<bool> Journal::is_spare_named() const {
    const auto named = disk_.id_of(kSpareName);
    if (!named && named.error().fault == Fault::NotFound) return false;
    return TRY(spare_file_->id()) == TRY(named);
}

/// Writes the head of the blank file and makes the file the current segment. The file's name is
/// durable before the first batch goes into the file. A current segment that is still empty is
/// replaced, unless sequence numbers are skipped: then the names differ, and both files stay.
Result<void> Journal::enter_segment(const std::string& from,
                                    std::unique_ptr<File>& file,
                                    std::uint64_t bytes) {
    const bool is_replaced = tail_ == kSegmentHeadBytes && skipped_ == 0;
    const SegmentHead head{.first = {last_sequence_.value + skipped_ + 1},
                           .before = is_replaced ? segment_before_ : segment_first_,
                           .time_before = last_time_,
                           .chain_before = chain_,
                           .bytes = bytes,
                           .skipped = is_replaced ? segment_skipped_ : skipped_,
                           .accepted_at = is_replaced    ? segment_accepted_at_
                                          : skipped_ > 0 ? options_.accepted_at
                                                         : Time{}};
    TRY(file->write_at(0, encode(head)));
    TRY(health_.sync(*file));
    TRY(disk_.rename(from, segment_name(head.first)));
    if (from == kSpareName) spare_ = Spare::None;
    TRY(health_.sync_directory(disk_));

    full_ = std::exchange(file_, std::move(file));
    segment_first_ = head.first;
    named_.store(head.first.value, std::memory_order_release);
    segment_before_ = head.before;
    segment_bytes_ = bytes;
    segment_skipped_ = head.skipped;
    segment_accepted_at_ = head.accepted_at;
    last_sequence_.value += std::exchange(skipped_, 0);
    tail_ = kSegmentHeadBytes;
    return {};
}

std::uint64_t Journal::room_bytes() const {
    const auto here = segment_bytes_ - tail_;
    if (spare_ != Spare::Ready) return here;
    return std::max(here, options_.segment_bytes - kSegmentHeadBytes);
}

bool Journal::wants_spare() const {
    return !options_.is_read_only && spare_ == Spare::None && health_.is_well();
}

Result<void> Journal::prepare_spare() {
    TRY(health_.check());
    if (options_.is_read_only) return fail(Fault::Unavailable, "the journal is open for reading");
    const std::lock_guard lock{spare_mutex_};
    if (spare_ == Spare::Ready) return {};
    spare_ = Spare::Preparing;
    auto made = make_spare();
    spare_ = made ? Spare::Ready : Spare::None;
    return told(std::move(made));
}

Result<void> Journal::make_spare() {
    if (full_ != nullptr) full_->let_go();
    full_.reset();
    (void)disk_.remove(kNewSpareName);  // Left by a failed attempt; usually absent.
    auto file = TRY(make_blank_file(disk_, health_, kNewSpareName, options_.segment_bytes));
    TRY(health_.sync(*file));
    TRY(disk_.rename(kNewSpareName, kSpareName));
    TRY(health_.sync_directory(disk_));
    spare_file_ = std::move(file);
    return {};
}

Result<std::unique_ptr<SnapshotWriter>> Journal::start_snapshot(Sequence sequence, Time at) {
    if (options_.is_read_only) return fail(Fault::Unavailable, "the journal is open for reading");
    return std::make_unique<SnapshotWriter>(disk_, health_, sequence, at);
}

Result<void> Journal::write_snapshot(const Snapshot& snapshot) {
    const auto writer = TRY(start_snapshot(snapshot.sequence, snapshot.at));
    if (!snapshot.payload.empty()) TRY(writer->add(snapshot.payload));
    return writer->finish();
}

Result<void> Journal::write_high_water(const HighWater& mark) {
    TRY(health_.check());
    if (options_.is_read_only) return fail(Fault::Unavailable, "the journal is open for reading");
    // The mark is written first: after the loss of the segment, the mark is what tells of the loss.
    auto written = mark_file_->write(disk_, health_, mark);
    TRY(check_named());
    return written;
}

}  // namespace parlance::journal
