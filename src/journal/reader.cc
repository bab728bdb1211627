#include <fmt/format.h>

#include "journal/damage.h"
#include "journal/format.h"
#include "journal/journal.h"
#include "journal/segments.h"
#include "journal/walk.h"
#include "journal/window.h"

namespace parlance::journal {

Reader::Reader(Disk& disk) : disk_(&disk) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

// The segment is found by file name: a damaged header or a missing segment elsewhere does not keep
// a reader from the records here.
Result<Reader> Reader::open(Disk& disk, Sequence from) {
    const auto firsts = segment_firsts(TRY(disk.list()));
    if (firsts.empty()) return fail(Fault::NotFound, "there is no journal here");
    const auto after = std::ranges::upper_bound(firsts, from);
    const auto segment = after == firsts.begin() ? Sequence{1} : *(after - 1);
    return open(disk, {segment, kSegmentHeadBytes, segment}, from);
}

Result<Reader> Reader::open(Disk& disk, const Place& place, Sequence from) {
    Reader reader{disk};
    reader.wanted_ = from;
    reader.next_ = place.first;
    TRY(reader.enter_if_there(place.segment));
    reader.offset_ = place.offset;
    return reader;
}

Result<void> Reader::enter(Sequence segment) {
    window_ = TRY(Window::open(*disk_, segment_name(segment)));
    segment_ = segment_name(segment);
    segment_first_ = segment;
    offset_ = kSegmentHeadBytes;
    return {};
}

/// Records whose loss an operator accepted are not damage: reading continues after them.
Result<bool> Reader::pass_accepted_loss() {
    const auto following = TRY(segment_after_accepted_loss(*disk_, next_));
    if (!following) return false;
    TRY(enter(*following));
    next_ = *following;
    return true;
}

/// A missing segment file is damage like any other: reported when its records are read.
Result<void> Reader::enter_if_there(Sequence segment) {
    auto entered = enter(segment);
    if (entered || entered.error().fault != Fault::NotFound) return entered;
    window_.reset();
    segment_ = segment_name(segment);
    segment_first_ = segment;
    offset_ = 0;
    return {};
}

/// Whether the batch of next_ begins here, with all or some records intact.
Result<bool> Reader::try_batch() {
    if (window_ == nullptr) {
        problem_ = "the segment is missing";
        return false;
    }
    const auto found = TRY(find_batch(*window_, offset_, next_));
    is_whole_ = found.kind == Found::Kind::Batch;
    auto head =
        is_whole_ ? std::optional{found.head} : TRY(find_whole_head(*window_, offset_, next_));
    if (!head) {
        problem_ = found.problem.empty() ? missing_problem(next_) : found.problem;
        return false;
    }
    records_ = records_of(TRY(window_->at(offset_, head->frame_bytes())));
    has_varints_ = head->lengths == Lengths::Varints;
    place_ = {segment_first_, offset_, next_};
    batch_last_ = head->last();
    at_ = head->at;
    offset_ += head->frame_bytes();
    return true;
}

/// Finds the durable batch of next_: here, or at the beginning of the next segment.
Result<bool> Reader::read_batch() {
    if (TRY(try_batch())) return true;
    if (next_ == segment_first_) return false;
    auto entered = enter(next_);
    if (!entered && entered.error().fault == Fault::NotFound) return false;
    if (!entered) return tl::unexpected(std::move(entered).error());
    return try_batch();
}

/// The record next_; false if the record cannot be read.
Result<bool> Reader::take_next(Record& record) {
    if (next_ > batch_last_ && !TRY(read_batch())) return false;
    const auto lengths = has_varints_ ? Lengths::Varints : Lengths::Words;
    if (!is_whole_ && !is_record_whole(records_, lengths, next_)) {
        problem_ = fmt::format("record {} is damaged", next_.value);
        const auto why = window_->unreadable(place_.offset, offset_ - place_.offset);
        if (!why.empty()) problem_ += fmt::format(" ({})", why);
        return false;
    }
    record = {.sequence = next_, .at = at_, .payload = {}};
    take_record(records_, lengths, record);
    ++next_.value;
    return true;
}

/// Some records of a batch cannot be read: continues with the first whole record after them.
void Reader::pass_damaged_run() {
    const auto lengths = has_varints_ ? Lengths::Varints : Lengths::Words;
    const auto run = measure_damaged_run(records_, lengths, next_, batch_last_);
    records_.remove_prefix(run.bytes);
    damage_ = {segment_, place_.offset, next_, run.last, problem_};
    next_ = {run.last.value + 1};
}

/// next_ cannot be read: continues with the first readable record after next_, and notes the loss.
Result<void> Reader::pass_damage(Sequence up_to) {
    if (next_ <= batch_last_) {
        pass_damaged_run();
        return {};
    }
    const Place damaged{segment_first_, offset_, next_};
    const auto place = TRY(find_next_place(*disk_, window_.get(), damaged, up_to));
    damage_ = damage_between(*disk_, damaged, place, up_to, problem_);
    if (!place) {
        next_ = {up_to.value + 1};
        return {};
    }
    if (place->segment != segment_first_) TRY(enter_if_there(place->segment));
    offset_ = place->offset;
    next_ = place->first;
    return {};
}

Result<bool> Reader::next(Record& record, Sequence up_to) {
    while (next_ <= up_to) {
        // Bytes read before their records were durable may have been half-written at that time.
        if (next_ > batch_last_ && next_ > trusted_) {
            if (window_ != nullptr) window_->forget();
            trusted_ = up_to;
        }
        if (TRY(take_next(record))) {
            if (record.sequence >= wanted_) return true;
            continue;
        }
        if (next_ > batch_last_ && TRY(pass_accepted_loss())) continue;
        TRY(pass_damage(up_to));
        damage_.first = std::max(damage_.first, wanted_);
        // The caller loses nothing if all damaged records are before the wanted records.
        if (damage_.first <= damage_.last) return fail(Fault::Corrupt, print(damage_));
    }
    return false;
}

}  // namespace parlance::journal
