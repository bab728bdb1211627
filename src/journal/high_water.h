// The high-water mark: a small file beside the segments that says how far the journal certainly
// was. A segment that is lost or zeroed also loses the evidence inside; the mark remains.
//
// The file has two slots, written in turn, so a write that is cut short leaves the other slot
// intact. The mark is written after the records up to the mark are durable and before anything
// depends on the mark: the mark is a lower bound, never a promise of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/disk.h"
#include "journal/health.h"
#include "journal/journal.h"
#include "journal/segments.h"

namespace parlance::journal {

inline constexpr const char* kHighWaterName = "high-water";

/// The contents of the file. Empty `mark`: the file is missing, or neither slot verifies.
struct StoredHighWater {
    bool is_there = false;
    bool is_unreadable = false;  ///< The disk cannot read all of it: it is written anew elsewhere.
    std::optional<HighWater> mark{};
    std::uint64_t slot = 0;  ///< The slot that holds the mark.
};

/// Unsupported if a newer program wrote the file.
Result<StoredHighWater> read_high_water(Disk& disk);

/// Writes the file, in place once opened: a write then needs neither space nor a descriptor. If the
/// file was removed, moved or replaced meanwhile, write() creates a new file. Safe for any number
/// of threads.
class HighWaterFile {
  public:
    /// Continues after the mark read at the start.
    void adopt(const StoredHighWater& stored);
    /// Forgets a mark that does not belong to this journal; the next write() replaces the file.
    void discard();
    /// Never goes back: does nothing for a mark at or below the stored mark.
    Result<void> write(Disk& disk, Health& health, const HighWater& mark);

  private:
    Result<void> let_go_unless_named(Disk& disk);
    Result<void> open(Disk& disk);
    Result<void> create(Disk& disk, Health& health, const HighWater& mark);

    std::mutex mutex_;
    std::unique_ptr<File> file_;
    bool is_there_ = false;  ///< The file has its name, and a slot that verifies.
    Sequence written_{};
    std::uint64_t slot_ = 0;  ///< The next slot to write.
};

/// Compares the mark with the batches that a walk passes, to tell whether the mark belongs to this
/// journal.
class MarkCheck {
  public:
    explicit MarkCheck(const StoredHighWater& stored) : stored_(stored) {}

    /// Called where a batch ends, and where the walk begins.
    void pass(Sequence at, const Chain& chain);
    /// Called after the walk, which found `found` as the last record. For a mark beyond `found`,
    /// only the origin can show that the mark belongs to a different journal.
    bool is_foreign(Sequence found, const Chain& origin) const;
    /// For the log: why the mark file is replaced. Empty if the file is kept.
    std::string note(Sequence found, const Chain& origin) const;
    const StoredHighWater& stored() const { return stored_; }

  private:
    StoredHighWater stored_;
    std::optional<Sequence> begin_;
    bool does_fit_ = false;  ///< The walk passed the mark's batch, with the mark's chain.
};

/// A segment at the journal's end that lost its head, its end, or everything.
struct BrokenSegment {
    Sequence first{};
    bool has_head = false;
    Sequence last{};        ///< The last record in any batch head; first - 1 if none.
    std::string problem{};  ///< For example "is full of zeros".
};

/// The names of a directory, and the evidence beside the whole segments of how far the journal was.
struct Evidence {
    std::vector<std::string> names{};   ///< Without the segments in `lost`.
    std::vector<Sequence> snapshots{};  ///< Snapshots with a head that verifies, newest first.
    std::vector<BrokenSegment> lost{};  ///< At the end, newest first: their records are unused.
    std::optional<BrokenSegment> short_one{};  ///< The last segment before `lost`, if cut off.
    Sequence viewed{};                         ///< As in Options.

    std::optional<Sequence> short_first() const {
        return short_one ? std::optional{short_one->first} : std::nullopt;
    }
};
Result<Evidence> gather_evidence(Disk& disk, Sequence viewed);

/// Says what is missing and by which evidence; empty if no evidence goes beyond `found`.
std::optional<LostTail> find_lost_tail(Sequence found,
                                       const Evidence& evidence,
                                       const std::optional<HighWater>& mark);

/// The chain after the journal's first batch; zeros if the journal has no batch.
Result<Chain> origin_of(Disk& disk, const std::vector<Segment>& segments);

/// The losses that were accepted so far.
std::vector<Gap> gaps_of(const std::vector<Segment>& segments);

}  // namespace parlance::journal
