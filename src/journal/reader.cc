#include <fmt/format.h>

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

Result<Reader> Reader::open(Disk& disk, Sequence from) {
    const auto segments = TRY(load_segments(disk));
    if (segments.empty()) return fail(Fault::NotFound, "there is no journal here");
    const auto& head = segments[segment_holding(segments, from)].head;
    Reader reader{disk};
    reader.wanted_ = from;
    reader.next_ = head.first;
    TRY(reader.enter(head.first));
    return reader;
}

Result<Reader> Reader::open(Disk& disk, const Place& place, Sequence from) {
    Reader reader{disk};
    reader.wanted_ = from;
    reader.next_ = place.first;
    TRY(reader.enter(place.segment));
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

/// The batch of next_, which is durable: it stands here or begins the next segment.
Result<void> Reader::read_batch() {
    auto found = TRY(find_batch(*window_, offset_, next_));
    if (found.kind != Found::Kind::Batch) {
        const auto problem = found.problem.empty()
                                 ? fmt::format("record {} is missing", next_.value)
                                 : found.problem;
        auto corrupt = fail(Fault::Corrupt, fmt::format("{}:{}: {}", segment_, offset_, problem));
        auto entered = enter(next_);
        if (!entered && entered.error().fault != Fault::NotFound) return entered;
        if (!entered) return corrupt;
        found = TRY(find_batch(*window_, offset_, next_));
        if (found.kind != Found::Kind::Batch) return corrupt;
    }
    records_ = records_of(found.frame);
    has_varints_ = found.head.lengths == Lengths::Varints;
    place_ = {segment_first_, offset_, next_};
    at_ = found.head.at;
    offset_ += found.head.frame_bytes();
    return {};
}

Result<bool> Reader::next(Record& record, Sequence up_to) {
    while (next_ <= up_to) {
        if (records_.empty()) {
            // What was read before its records were durable may have been half-written then.
            if (next_ > trusted_) {
                window_->forget();
                trusted_ = up_to;
            }
            TRY(read_batch());
        }
        record = {.sequence = next_, .at = at_, .payload = {}};
        take_record(records_, has_varints_ ? Lengths::Varints : Lengths::Words, record);
        ++next_.value;
        if (record.sequence >= wanted_) return true;
    }
    return false;
}

}  // namespace parlance::journal
