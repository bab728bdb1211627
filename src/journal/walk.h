// Walks the batches of the journal in order, from segment to segment, and checks frames, checksums,
// sequence and chain on the way. Replay, recovery and verification all use this walk; each treats
// the end of the walk in its own way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "journal/disk.h"
#include "journal/format.h"
#include "journal/segments.h"
#include "journal/window.h"

namespace parlance::journal {

/// The contents of a position where a batch may begin.
struct Found {
    enum class Kind { Batch, Blank, Damaged };
    Kind kind = Kind::Blank;
    BatchHead head{};
    std::string_view frame{};  ///< Valid until the window moves.
    std::string problem{};     ///< Only if Damaged.
};

/// A batch is whole when the frame and every record are whole and the batch begins with record
/// `first`.
Result<Found> find_batch(Window& window, std::uint64_t offset, Sequence first);

/// Takes one record off the front of records that find_batch() has checked.
void take_record(std::string_view& records, Lengths lengths, Record& record);

class Walk {
  public:
    /// Starts at the beginning of segments[index]; `segments` must contain that segment.
    static Result<Walk> start(Disk& disk, std::vector<Segment> segments, std::size_t index);

    /// The next batch, or false at the end: where the last segment holds no further whole batch.
    /// Damage in an earlier segment is Corrupt, because the records after the damage were
    /// acknowledged later.
    Result<bool> next();

    const BatchHead& head() const { return found_.head; }
    std::string_view frame() const { return found_.frame; }

    // The walk's position: after the last batch returned.
    Sequence last() const { return last_; }
    Time last_time() const { return last_time_; }
    const Chain& chain() const { return chain_; }
    std::uint64_t offset() const { return offset_; }
    std::uint64_t last_frame_at() const { return frame_at_; }  ///< offset() before any batch.
    const Segment& segment() const { return segments_[index_]; }
    Window& window() { return *window_; }
    bool is_in_last_segment() const { return index_ + 1 == segments_.size(); }
    const std::string& ending() const { return found_.problem; }

  private:
    Walk(Disk& disk, std::vector<Segment> segments)
        : disk_(&disk), segments_(std::move(segments)) {}
    Result<void> enter(std::size_t index);
    Result<void> cross();

    Disk* disk_;
    std::vector<Segment> segments_;
    std::size_t index_ = 0;
    std::unique_ptr<Window> window_;
    Sha256 hasher_;
    Found found_;
    std::uint64_t offset_ = 0;
    std::uint64_t frame_at_ = 0;
    Sequence last_{};
    Time last_time_{};
    Chain chain_{};
};

/// The chain after `sequence`, which must be the end of a batch; reads only batch heads.
Result<Chain> chain_at(Disk& disk, Sequence sequence);

}  // namespace parlance::journal
