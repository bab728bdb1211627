#include "journal/damage.h"

#include <algorithm>

#include <fmt/format.h>

#include "journal/segments.h"

namespace parlance::journal {

namespace {

/// Whether a batch of a record from `due` to `up_to` begins here, and the frame ends inside the
/// file.
bool is_next_batch(const Window& window,
                   std::uint64_t offset,
                   const std::optional<BatchHead>& head,
                   Sequence due,
                   Sequence up_to) {
    return head && head->count > 0 && head->first >= due && head->first <= up_to &&
           offset + head->frame_bytes() <= window.file_bytes();
}

}  // namespace

std::uint64_t records_in(const Damage& damage) {
    return damage.last == Sequence{} ? 0 : damage.last.value - damage.first.value + 1;
}

std::string print(const Damage& damage) {
    const auto where = fmt::format("{}:{}: {}", damage.segment, damage.offset, damage.problem);
    switch (records_in(damage)) {
        case 0:
            return where + "; every record can still be read";
        case 1:
            return fmt::format("{}; record {} cannot be read", where, damage.first.value);
        default:
            return fmt::format("{}; records {} to {} cannot be read",
                               where,
                               damage.first.value,
                               damage.last.value);
    }
}

bool is_record_whole(std::string_view records, Lengths lengths, Sequence sequence) {
    const auto head = read_record_head(records, lengths);
    return head &&
           record_crc(sequence, records.substr(head->bytes, head->payload_bytes)) == head->crc;
}

DamagedRun measure_damaged_run(std::string_view records,
                               Lengths lengths,
                               Sequence first,
                               Sequence batch_last) {
    std::size_t at = 0;
    for (auto sequence = first; sequence < batch_last; ++sequence.value) {
        const auto head = read_record_head(records.substr(at), lengths);
        if (!head) break;
        at += head->bytes + head->payload_bytes;
        if (is_record_whole(records.substr(at), lengths, {sequence.value + 1})) {
            return {sequence, at};
        }
    }
    return {batch_last, records.size()};
}

Result<std::optional<BatchHead>> find_whole_head(Window& window,
                                                 std::uint64_t offset,
                                                 Sequence first) {
    auto head = decode_batch_head(TRY(window.at(offset, kBatchHeadBytes)));
    const bool is_due = head && head->first == first && head->count > 0;
    if (!is_due || offset + head->frame_bytes() > window.file_bytes()) return std::nullopt;
    return head;
}

Result<std::optional<Place>> find_next_in_file(Window& window,
                                               const Place& damaged,
                                               Sequence up_to) {
    static constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;
    const auto begin = damaged.offset + 1;
    for (auto at = begin; at < window.file_bytes(); at += kBlockBytes) {
        // The block includes a head that begins at the end of the block.
        const auto block = TRY(window.at(at, kBlockBytes + kBatchHeadBytes));
        // npos ends the loop where no mark is left.
        for (auto mark = find_batch_mark(block, 0); mark < kBlockBytes;
             mark = find_batch_mark(block, mark + 1)) {
            const auto head = decode_batch_head(block.substr(mark));
            if (!is_next_batch(window, at + mark, head, damaged.first, up_to)) continue;
            return Place{damaged.segment, at + mark, head->first};
        }
    }
    return std::nullopt;
}

Result<std::optional<Place>> find_next_place(Disk& disk,
                                             Window* window,
                                             const Place& damaged,
                                             Sequence up_to) {
    if (window != nullptr) {
        if (auto place = TRY(find_next_in_file(*window, damaged, up_to))) return place;
    }
    const auto firsts = segment_firsts(TRY(disk.list()));
    const auto later = std::ranges::find_if(
        firsts, [&](Sequence first) { return first > damaged.segment && first >= damaged.first; });
    if (later == firsts.end() || *later > up_to) return std::nullopt;
    return Place{*later, kSegmentHeadBytes, *later};
}

std::string missing_problem(Sequence sequence) {
    return fmt::format("record {} is missing", sequence.value);
}

Damage damage_between(Disk& disk,
                      const Place& damaged,
                      const std::optional<Place>& next,
                      Sequence up_to,
                      const std::string& problem) {
    Damage damage{segment_name(damaged.segment),
                  damaged.offset,
                  damaged.first,
                  next ? Sequence{next->first.value - 1} : up_to,
                  problem};
    const bool is_gone =
        problem == missing_problem(damaged.first) && next && next->segment != damaged.segment;
    if (!is_gone) return damage;
    const auto segment = load_segment(disk, segment_name(next->segment), next->segment);
    if (!segment || segment->head.before == damaged.segment) return damage;
    damage.segment = segment_name(damaged.first);
    damage.offset = 0;
    damage.problem = "the segment is missing";
    return damage;
}

}  // namespace parlance::journal
