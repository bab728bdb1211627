#include "journal/tail.h"

#include <fmt/format.h>

#include "journal/format.h"

namespace parlance::journal {

namespace {

/// A batch that follows was acknowledged, and so was everything before it.
bool holds_a_later_batch(std::string_view bytes, Sequence next) {
    for (auto at = find_batch_mark(bytes, 1); at != std::string_view::npos;
         at = find_batch_mark(bytes, at + 1)) {
        const auto head = decode_batch_head(bytes.substr(at));
        if (head && head->first > next) return true;
    }
    return false;
}

/// The head is whole: it says how far the append would have gone.
Result<bool> is_cut_short(Window& window,
                          std::uint64_t offset,
                          std::uint64_t end,
                          const BatchHead& head) {
    if (end > offset + head.frame_bytes()) return false;
    const auto frame = TRY(window.at(offset, head.frame_bytes()));
    if (frame.size() != head.frame_bytes()) return false;
    return frame.back() == 0 || count_blank_sectors(frame, offset) > head.blank_sectors;
}

/// The head is not whole. Of an acknowledged batch no sector of the head is blank, nor all that
/// follows the head.
Result<bool> is_cut_in_the_head(Window& window,
                                std::uint64_t offset,
                                std::uint64_t end,
                                Sequence next) {
    if (end <= offset + kBatchHeadBytes) return true;
    const auto head = TRY(window.at(offset, kBatchHeadBytes));
    if (count_blank_sectors(head, offset) == 0) return false;
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
                                 const std::string& segment,
                                 std::uint64_t offset,
                                 Sequence next) {
    const auto end = TRY(end_of_writing(window, offset));
    if (end == offset) return end;
    const auto head = decode_batch_head(TRY(window.at(offset, kBatchHeadBytes)));
    const bool is_torn = head && head->first == next
                             ? TRY(is_cut_short(window, offset, end, *head))
                             : !head && TRY(is_cut_in_the_head(window, offset, end, next));
    if (is_torn) return end;
    return fail(
        Fault::Corrupt,
        fmt::format(
            "{}:{}: record {} is damaged, and it was acknowledged", segment, offset, next.value));
}

Result<std::uint64_t> walk_to_tail(Walk& walk, const std::function<Result<void>()>& each_batch) {
    while (true) {
        while (TRY(walk.next())) TRY(each_batch());
        auto end =
            judge_tail(walk.window(), walk.segment().name, walk.offset(), {walk.last().value + 1});
        if (end || end.error().fault != Fault::Corrupt) return end;
        // What looks damaged may have been half-written when the walk came by.
        walk.window().forget();
        if (!TRY(walk.next())) return end;
        TRY(each_batch());
    }
}

}  // namespace parlance::journal
