#include "journal/tail.h"

#include <fmt/format.h>

#include "journal/format.h"
#include "journal/one_bit.h"

namespace parlance::journal {

namespace {

/// If a later batch exists, everything before that batch was acknowledged.
bool holds_a_later_batch(std::string_view bytes, Sequence next) {
    for (auto at = find_batch_mark(bytes, 1); at != std::string_view::npos;
         at = find_batch_mark(bytes, at + 1)) {
        const auto head = decode_batch_head(bytes.substr(at));
        if (head && head->first > next) return true;
    }
    return false;
}

/// A disk that does not write a sector atomically leaves the first part of the sector, then zeros.
/// Acknowledged bytes may look the same: then one bit was flipped, or the high-water mark covers
/// the bytes.
bool has_torn_sector(std::string_view bytes, std::uint64_t offset) {
    for (std::size_t end = kSectorBytes - offset % kSectorBytes; end <= bytes.size();
         end += kSectorBytes) {
        if (bytes[end - 1] == 0) return true;
    }
    return false;
}

/// For a whole head, which says how far the append would have gone.
Result<bool> is_cut_short(Window& window,
                          std::uint64_t offset,
                          std::uint64_t end,
                          std::uint64_t segment_bytes,
                          const BatchHead& head) {
    if (end > offset + head.frame_bytes()) return false;
    const auto frame = TRY(window.at(offset, head.frame_bytes()));
    if (frame.size() != head.frame_bytes()) return offset + head.frame_bytes() <= segment_bytes;
    if (frame.back() == 0 || count_blank_sectors(frame, offset) > head.blank_sectors) return true;
    return has_torn_sector(frame, offset) && !is_frame_but_for_one_bit(head, frame);
}

/// For a damaged head. In an acknowledged batch no sector of the head is blank or torn, and the
/// bytes after the head are not all blank.
Result<bool> is_cut_in_the_head(Window& window,
                                std::uint64_t offset,
                                std::uint64_t end,
                                Sequence next) {
    if (end <= offset + kBatchHeadBytes) return true;
    const std::string head{TRY(window.at(offset, kBatchHeadBytes))};
    // To the end of the last sector that the head touches.
    const auto around = kBatchHeadBytes + kSectorBytes - 1 -
                        (offset + kBatchHeadBytes + kSectorBytes - 1) % kSectorBytes;
    const bool is_torn = count_blank_sectors(head, offset) > 0 ||
                         (has_torn_sector(TRY(window.at(offset, around)), offset) &&
                          !is_head_but_for_one_bit(head, next));
    if (!is_torn) return false;
    const auto rest = TRY(window.at(offset, end - offset));
    return !holds_a_later_batch(rest, next);
}

}  // namespace

Result<std::uint64_t> end_of_writing(Window& window, std::uint64_t offset) {
    static constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;
    std::uint64_t end = offset;
    for (std::uint64_t at = offset; at < window.file_bytes(); at += kBlockBytes) {
        const auto block = TRY(window.at(at, kBlockBytes));
        if (is_blank(block)) continue;
        end = at + block.find_last_not_of('\0') + 1;
    }
    return end;
}

Result<std::uint64_t> judge_tail(Window& window,
                                 const Segment& segment,
                                 std::uint64_t offset,
                                 Sequence next) {
    const auto end = TRY(end_of_writing(window, offset));
    if (end == offset) return end;
    // An acknowledged record may stand in bytes that the disk cannot read: such bytes are never
    // cut.
    if (const auto why = window.unreadable(offset, end - offset); !why.empty()) {
        return fail(Fault::Corrupt,
                    fmt::format("{}:{}: record {} or a later one may stand in bytes that cannot be "
                                "read ({})",
                                segment.name,
                                offset,
                                next.value,
                                why));
    }
    const auto head = decode_batch_head(TRY(window.at(offset, kBatchHeadBytes)));
    const bool is_torn = head && head->first == next
                             ? TRY(is_cut_short(window, offset, end, segment.head.bytes, *head))
                             : !head && TRY(is_cut_in_the_head(window, offset, end, next));
    if (is_torn) return end;
    return fail(Fault::Corrupt,
                fmt::format("{}:{}: record {} is damaged, and it was acknowledged",
                            segment.name,
                            offset,
                            next.value));
}

Result<std::uint64_t> walk_to_tail(Walk& walk, const std::function<Result<void>()>& each_batch) {
    while (true) {
        while (TRY(walk.next())) TRY(each_batch());
        auto end =
            judge_tail(walk.window(), walk.segment(), walk.offset(), {walk.last().value + 1});
        if (end || end.error().fault != Fault::Corrupt) return end;
        // A batch that looks damaged may have been half-written when the walk first read the bytes.
        walk.window().forget();
        if (!TRY(walk.next())) return end;
        TRY(each_batch());
    }
}

}  // namespace parlance::journal
