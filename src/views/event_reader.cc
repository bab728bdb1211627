#include "views/event_reader.h"

#include "journal/event_codec.h"

namespace parlance::views {

namespace {

/// Up to this distance, reading on is faster than starting again at a landmark.
constexpr std::uint64_t kNearRecords = 2048;

}  // namespace

Result<void> EventReader::go_to(Sequence sequence) {
    const bool is_near =
        reader_ && sequence >= next_ && sequence.value - next_.value < kNearRecords;
    if (is_near) return {};
    const auto place = TRY(sources_.ledger.traces().landmark_before(sequence));
    reader_.emplace(place ? TRY(journal::Reader::open(sources_.disk, *place, sequence))
                          : TRY(journal::Reader::open(sources_.disk, sequence)));
    return {};
}

Result<Event> EventReader::at(Sequence sequence) {
    TRY(go_to(sequence));
    reader_->want(sequence);
    journal::Record record;
    if (!TRY(reader_->next(record, sources_.folded)) || record.sequence != sequence) {
        return fail(Fault::NotFound, "there is no such record");
    }
    next_ = {sequence.value + 1};
    return journal::decode(record);
}

}  // namespace parlance::views
