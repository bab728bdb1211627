// One segment file checked by itself: what of it is whole, and the chain at the end of each batch.
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

/// The chain right after the record that ends a batch.
struct ChainMark {
    Sequence last{};
    Chain chain{};
};

struct Survey {
    std::string name{};
    Sequence first{};                   ///< As the file's name says.
    std::optional<SegmentHead> head{};  ///< None: it is damaged.
    /// Of every batch whose head is whole, in the order of the file; also behind damage.
    std::vector<ChainMark> marks{};
    Sequence last{};        ///< The last record up to which everything is whole.
    Chain chain{};          ///< After that record.
    std::uint64_t end = 0;  ///< Where its batch ends.
    std::string problem{};  ///< Empty: the segment is whole.
};

/// `is_newest`: an append that a crash cut short may stand at the end. `up_to`: the last record
/// that can be in it; the file of a damaged segment may hold what belongs into another one. Faults
/// are of the disk; damage is in the survey.
Result<Survey> survey_segment(Disk& disk,
                              const std::string& name,
                              Sequence first,
                              bool is_newest,
                              Sequence up_to = {UINT64_MAX});

}  // namespace parlance::journal
