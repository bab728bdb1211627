// What stands after the last whole batch: nothing, an append that a crash cut short, or damage to
// something that was acknowledged. Only the middle one may ever be cut.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "journal/walk.h"
#include "journal/window.h"
#include "model/ids.h"

namespace parlance::journal {

/// Where the last byte that is not zero ends: `offset` itself if all is clean, more if there is
/// the rest of an interrupted append of record `next`. Damage is Corrupt. A file that was cut off
/// is judged as if zeros followed.
Result<std::uint64_t> judge_tail(Window& window,
                                 const Segment& segment,
                                 std::uint64_t offset,
                                 Sequence next);

/// Walks on to the end of the journal and judges what stands there, as above. A journal that is
/// being written to while it is read is followed, not taken for damaged.
Result<std::uint64_t> walk_to_tail(Walk& walk, const std::function<Result<void>()>& each_batch);

/// Where the last byte at or after `offset` that is not zero ends; `offset` if there is none.
Result<std::uint64_t> end_of_writing(Window& window, std::uint64_t offset);

}  // namespace parlance::journal
