// Judges the bytes after the last whole batch: nothing, an append that a crash cut short, or damage
// to acknowledged records. Only an append that a crash cut short may be cut off.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "journal/walk.h"
#include "journal/window.h"
#include "model/ids.h"

namespace parlance::journal {

/// The end of the last non-zero byte: `offset` itself if nothing follows, more if the rest of an
/// interrupted append of record `next` follows. Damage is Corrupt. A truncated file is judged as if
/// zeros followed.
Result<std::uint64_t> judge_tail(Window& window,
                                 const Segment& segment,
                                 std::uint64_t offset,
                                 Sequence next);

/// Walks to the end of the journal and judges the tail as above. A journal that is written to
/// during the walk is followed, not reported as damaged.
Result<std::uint64_t> walk_to_tail(Walk& walk, const std::function<Result<void>()>& each_batch);

/// The end of the last non-zero byte at or after `offset`; `offset` if all bytes are zero.
Result<std::uint64_t> end_of_writing(Window& window, std::uint64_t offset);

}  // namespace parlance::journal
