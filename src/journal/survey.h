// Checks one segment file by itself: which part is whole, and the chain at the end of each batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/disk.h"
#include "journal/format.h"
#include "model/ids.h"

namespace parlance::journal {

/// The chain after the record that ends a batch.
struct ChainMark {
    Sequence last{};
    Chain chain{};
};

struct Survey {
    std::string name{};
    Sequence first{};                   ///< As in the file's name.
    std::optional<SegmentHead> head{};  ///< Empty: the header is damaged.
    /// The ends of all batches with a whole head, in file order; includes batches after damage.
    std::vector<ChainMark> marks{};
    Sequence last{};        ///< Everything up to this record is whole.
    Chain chain{};          ///< The chain after `last`.
    std::uint64_t end = 0;  ///< Where the batch of `last` ends.
    std::string problem{};  ///< Empty: the segment is whole.
};

/// `is_newest`: the segment may end with an append that a crash cut short. `up_to`: the last record
/// that the segment can hold; the file of a damaged segment may also hold bytes of other segments.
/// Faults are faults of the disk; damage is reported in the survey.
Result<Survey> survey_segment(Disk& disk,
                              const std::string& name,
                              Sequence first,
                              bool is_newest,
                              Sequence up_to = {UINT64_MAX});

}  // namespace parlance::journal
