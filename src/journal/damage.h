// Damage to records that were acknowledged: which records it takes, and where reading can go on.
//
// A record has a checksum of its own, over its sequence too. So one that is whole is trusted where
// others of its batch are not, and a single flipped bit costs a single record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "journal/disk.h"
#include "journal/format.h"
#include "journal/journal.h"
#include "journal/window.h"
#include "model/ids.h"

namespace parlance::journal {

/// Whether the record at the front of `records` is `sequence`, every byte of it.
bool is_record_whole(std::string_view records, Lengths lengths, Sequence sequence);

/// Records that cannot be read, from the front of a batch's records on.
struct DamagedRun {
    Sequence last{};
    std::size_t bytes = 0;  ///< Until the first record behind them that is whole.
};

/// The record at the front is `first` and is not whole; the batch ends with `batch_last`.
DamagedRun measure_damaged_run(std::string_view records,
                               Lengths lengths,
                               Sequence first,
                               Sequence batch_last);

/// The head of the batch of record `first` at `offset`, if that and the frame's length are right:
/// the records in it can then be told apart.
Result<std::optional<BatchHead>> find_whole_head(Window& window,
                                                 std::uint64_t offset,
                                                 Sequence first);

/// The first batch behind `damaged` in its file whose head is whole, of record `damaged.first` or
/// a later one up to `up_to`.
Result<std::optional<Place>> find_next_in_file(Window& window,
                                               const Place& damaged,
                                               Sequence up_to);

/// Where the next batch of record `damaged.first` or a later one begins, up to record `up_to`: in
/// the same segment behind `damaged`, or else at the start of a later segment. `window` is of the
/// damaged segment; null if that file is missing.
Result<std::optional<Place>> find_next_place(Disk& disk,
                                             Window* window,
                                             const Place& damaged,
                                             Sequence up_to);

/// "record 7 is missing": where its batch should begin there is nothing.
std::string missing_problem(Sequence sequence);

/// The damage from `damaged` to `next`. Where nothing is written at `damaged` and the segment at
/// `next` continues another one, it is that one which is missing.
Damage damage_between(Disk& disk,
                      const Place& damaged,
                      const std::optional<Place>& next,
                      Sequence up_to,
                      const std::string& problem);

}  // namespace parlance::journal
