#include "journal/survey.h"

#include <fmt/format.h>

#include "journal/damage.h"
#include "journal/segments.h"
#include "journal/tail.h"
#include "journal/walk.h"

namespace parlance::journal {

namespace {

/// Checks the bytes after the last batch: zeros, or in the newest segment a torn append.
Result<void> check_end(Walk& walk, bool is_newest) {
    if (is_newest) {
        TRY(walk_to_tail(walk, []() -> Result<void> { return {}; }));
        return {};
    }
    const auto end = TRY(end_of_writing(walk.window(), walk.offset()));
    if (end == walk.offset()) return {};
    const auto unreadable = walk.window().unreadable(walk.offset(), end - walk.offset());
    const auto why = !unreadable.empty() ? unreadable
                     : walk.ending().empty()
                         ? fmt::format("there are bytes behind record {}", walk.last().value)
                         : walk.ending();
    return fail(Fault::Corrupt, fmt::format("{}:{}: {}", walk.segment().name, walk.offset(), why));
}

/// Surveys everything up to the first damage.
Result<void> walk_whole_part(Disk& disk, const Segment& segment, bool is_newest, Survey& survey) {
    auto walk = TRY(Walk::start(disk, {segment}, 0));
    while (TRY(walk.next())) survey.marks.push_back({walk.last(), walk.chain()});
    survey.last = walk.last();
    survey.chain = walk.chain();
    survey.end = walk.offset();
    return check_end(walk, is_newest);
}

/// Collects the batch heads after the damage: they belong to this journal, but no chain links them.
Result<void> scan_rest(Disk& disk, Sequence up_to, Survey& survey) {
    const auto window = TRY(Window::open(disk, survey.name));
    Place at{survey.first, survey.end > 0 ? survey.end : kSegmentHeadBytes - 1, survey.first};
    if (survey.last >= survey.first) at.first = {survey.last.value + 1};
    while (at.offset < window->file_bytes()) {
        const auto head = decode_batch_head(TRY(window->at(at.offset, kBatchHeadBytes)));
        if (head && head->count > 0 && head->first >= at.first && head->last() <= up_to) {
            survey.marks.push_back({head->last(), head->chain});
            at.first = {head->last().value + 1};
        }
        const auto next = TRY(find_next_in_file(*window, at, up_to));
        if (!next) break;
        at.offset = next->offset;
    }
    return {};
}

}  // namespace

Result<Survey> survey_segment(
    Disk& disk, const std::string& name, Sequence first, bool is_newest, Sequence up_to) {
    Survey survey{.name = name, .first = first, .last = {first.value - 1}};
    auto segment = load_segment(disk, name, first);
    auto checked = Result<void>{};
    if (segment) {
        survey.head = segment->head;
        checked = walk_whole_part(disk, *segment, is_newest, survey);
    } else {
        checked = tl::unexpected(segment.error());
    }
    if (checked) return survey;
    if (checked.error().fault != Fault::Corrupt) return tl::unexpected(checked.error());
    survey.problem = checked.error().message;
    TRY(scan_rest(disk, up_to, survey));
    return survey;
}

}  // namespace parlance::journal
