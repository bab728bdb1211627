#include "journal/walk.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"

namespace parlance::journal {

namespace {

/// Empty if every record is right; otherwise names the first wrong record.
std::string check_records(const BatchHead& head, std::string_view records) {
    for (std::uint32_t i = 0; i < head.count; ++i) {
        const Sequence sequence{head.first.value + i};
        const auto wrong = [&] { return fmt::format("record {} is damaged", sequence.value); };
        const auto one = read_record_head(records, head.lengths);
        if (!one) return wrong();
        records.remove_prefix(one->bytes);
        if (record_crc(sequence, records.substr(0, one->payload_bytes)) != one->crc) return wrong();
        records.remove_prefix(one->payload_bytes);
    }
    return records.empty() ? "" : fmt::format("bytes follow record {}", head.last().value);
}

Found damaged(std::string problem, const std::string& unreadable = {}) {
    if (!unreadable.empty()) problem += fmt::format(" ({})", unreadable);
    return {.kind = Found::Kind::Damaged, .problem = std::move(problem)};
}

}  // namespace

Result<Found> find_batch(Window& window, std::uint64_t offset, Sequence first) {
    const auto at_head = TRY(window.at(offset, kBatchHeadBytes));
    if (is_blank(at_head)) return Found{};
    const auto head = decode_batch_head(at_head);
    if (!head) {
        return damaged(fmt::format("the batch of record {} has no whole head", first.value),
                       window.unreadable(offset, kBatchHeadBytes));
    }
    if (head->first != first || head->count == 0) {
        return damaged(fmt::format(
            "a batch of record {} stands where record {} is due", head->first.value, first.value));
    }
    const auto frame = TRY(window.at(offset, head->frame_bytes()));
    if (frame.size() != head->frame_bytes()) {
        return damaged(fmt::format("the batch of record {} goes beyond the file", first.value));
    }
    auto problem = check_records(*head, records_of(frame));
    if (problem.empty() && frame.back() != kBatchClose) {
        problem = fmt::format("the batch of record {} is not closed", first.value);
    }
    if (!problem.empty()) {
        return damaged(std::move(problem), window.unreadable(offset, frame.size()));
    }
    return Found{.kind = Found::Kind::Batch, .head = *head, .frame = frame, .problem = {}};
}

void take_record(std::string_view& records, Lengths lengths, Record& record) {
    const auto head = *read_record_head(records, lengths);
    record.payload = records.substr(head.bytes, head.payload_bytes);
    record.bytes = head.bytes + head.payload_bytes;
    records.remove_prefix(record.bytes);
}

Result<Walk> Walk::start(Disk& disk, std::vector<Segment> segments, std::size_t index) {
    Walk walk{disk, std::move(segments)};
    TRY(walk.enter(index));
    const auto& head = walk.segment().head;
    walk.last_ = {head.first.value - 1};
    walk.last_time_ = head.time_before;
    walk.chain_ = head.chain_before;
    return walk;
}

Result<void> Walk::enter(std::size_t index) {
    index_ = index;
    window_ = TRY(Window::open(*disk_, segments_[index].name));
    offset_ = kSegmentHeadBytes;
    frame_at_ = offset_;
    return {};
}

/// Enters the next segment, if that segment continues at the walk's position.
Result<void> Walk::cross() {
    const auto& next = segments_[index_ + 1];
    if (next.head.last_before() != last_ || next.head.chain_before != chain_) {
        const auto why = found_.problem.empty()
                             ? fmt::format("record {} is missing", last_.value + 1)
                             : found_.problem;
        return fail(Fault::Corrupt, fmt::format("{}:{}: {}", segment().name, offset_, why));
    }
    last_ = {next.head.first.value - 1};  // Records whose loss was accepted are passed over.
    return enter(index_ + 1);
}

Result<bool> Walk::next() {
    while (true) {
        found_ = TRY(find_batch(*window_, offset_, {last_.value + 1}));
        if (found_.kind == Found::Kind::Batch) {
            const auto chain = link(hasher_, chain_, found_.frame);
            if (chain == found_.head.chain) {
                chain_ = chain;
                break;
            }
            found_ = damaged(fmt::format("the chain breaks at record {}", last_.value + 1));
        }
        if (is_in_last_segment()) return false;
        TRY(cross());
    }
    frame_at_ = offset_;
    offset_ += found_.head.frame_bytes();
    last_ = found_.head.last();
    last_time_ = found_.head.at;
    return true;
}

Result<Chain> chain_at(Disk& disk, Sequence sequence) {
    if (sequence == Sequence{0}) return Chain{};
    // Uses file names only: damage to a different segment must not prevent a snapshot.
    const auto firsts = segment_firsts(TRY(disk.list()));
    const auto no_end = [&] {
        return fail(Fault::NotFound, fmt::format("no batch ends with record {}", sequence.value));
    };
    const auto after = std::ranges::upper_bound(firsts, sequence);
    if (after == firsts.begin()) return no_end();
    const auto window = TRY(Window::open(disk, segment_name(*(after - 1))));
    std::uint64_t offset = kSegmentHeadBytes;
    while (const auto head = decode_batch_head(TRY(window->at(offset, kBatchHeadBytes)))) {
        if (head->last() == sequence) return head->chain;
        if (head->last() > sequence) break;
        offset += head->frame_bytes();
    }
    return no_end();
}

}  // namespace parlance::journal
