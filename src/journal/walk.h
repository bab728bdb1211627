// Walks the batches of the journal as they stand, from one segment into the next, and checks
// everything on the way: frames, checksums, sequence, chain. Replay, recovery and verification are
// all this walk; they differ in what they make of its end.
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

/// What stands at a place where a batch may begin.
struct Found {
    enum class Kind { Batch, Blank, Damaged };
    Kind kind = Kind::Blank;
    BatchHead head{};
    std::string_view frame{};  ///< Until the window moves.
    std::string problem{};     ///< Damaged only.
};

/// A batch is whole when its frame and every record in it are, and it begins at `first`.
Result<Found> find_batch(Window& window, std::uint64_t offset, Sequence first);

/// Takes one record off the front of records that find_batch() has passed.
void take_record(std::string_view& records, Lengths lengths, Record& record);

class Walk {
  public:
    /// From the beginning of segments[index]; there is at least that one.
    static Result<Walk> start(Disk& disk, std::vector<Segment> segments, std::size_t index);

    /// The next batch, or false at the end: where, in the last segment, no whole batch stands.
    /// Damage in an earlier one is Corrupt, because what follows it was acknowledged after it.
    Result<bool> next();

    const BatchHead& head() const { return found_.head; }
    std::string_view frame() const { return found_.frame; }

    // Where the walk stands: after the last batch it gave.
    Sequence last() const { return last_; }
    Time last_time() const { return last_time_; }
    const Chain& chain() const { return chain_; }
    std::uint64_t offset() const { return offset_; }
    std::uint64_t last_frame_at() const { return frame_at_; }  ///< offset() if there is none here.
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

/// The chain right after `sequence`, which is the end of a batch; reads heads only.
Result<Chain> chain_at(Disk& disk, Sequence sequence);

}  // namespace parlance::journal
