// Damage to acknowledged records: which records are lost, and where reading can continue.
//
// Every record has its own checksum, which also covers its sequence. A whole record is therefore
// trusted even where other records of its batch are damaged, and a single flipped bit costs a
// single record.
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

/// Whether the record at the front of `records` is `sequence` and every byte is right.
bool is_record_whole(std::string_view records, Lengths lengths, Sequence sequence);

/// Records that cannot be read, from the front of a batch's records on.
struct DamagedRun {
    Sequence last{};
    std::size_t bytes = 0;  ///< The distance to the first whole record after the run.
};

/// The record at the front is `first` and is not whole; the batch ends with `batch_last`.
DamagedRun measure_damaged_run(std::string_view records,
                               Lengths lengths,
                               Sequence first,
                               Sequence batch_last);

/// The head of the batch of record `first` at `offset`, if the head and the frame's length are
/// right: the reader can then tell the records in the batch apart.
Result<std::optional<BatchHead>> find_whole_head(Window& window,
                                                 std::uint64_t offset,
                                                 Sequence first);

/// The first batch in the file after `damaged` with a whole head, of record `damaged.first` or a
/// later record up to `up_to`.
Result<std::optional<Place>> find_next_in_file(Window& window,
                                               const Place& damaged,
                                               Sequence up_to);

/// Where the next batch of record `damaged.first` or a later record begins, up to record `up_to`:
/// in the same segment after `damaged`, or else at the start of a later segment. `window` shows the
/// damaged segment; null if the file is missing.
Result<std::optional<Place>> find_next_place(Disk& disk,
                                             Window* window,
                                             const Place& damaged,
                                             Sequence up_to);

/// "record 7 is missing": nothing is written where the record's batch should begin.
std::string missing_problem(Sequence sequence);

/// The damage from `damaged` to `next`. If nothing is written at `damaged`, and the segment at
/// `next` continues a segment other than the damaged one, a whole segment between the two is
/// missing.
Damage damage_between(Disk& disk,
                      const Place& damaged,
                      const std::optional<Place>& next,
                      Sequence up_to,
                      const std::string& problem);

}  // namespace parlance::journal
