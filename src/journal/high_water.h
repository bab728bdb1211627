// The high-water mark: a small file beside the segments that says how far the journal certainly
// was. A segment that is lost or zeroed takes its own evidence along; the mark stays.
//
// The file has two slots, written in turn, so that a write that is cut short leaves the other one.
// The mark is written after the records it names are durable and before anything depends on it:
// it is a lower bound, never a promise of its own.
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

/// What the file says. Nothing in `mark`: the file is missing, or no slot of it verifies.
struct StoredHighWater {
    bool is_there = false;
    std::optional<HighWater> mark{};
    std::uint64_t slot = 0;  ///< Where the mark stands.
};

/// Unsupported if a newer program wrote the file.
Result<StoredHighWater> read_high_water(Disk& disk);

/// Writes the file, in place once it is open: neither space nor a descriptor is needed then. A file
/// that was removed, moved or replaced meanwhile is made anew.
/// Safe for any number of threads.
class HighWaterFile {
  public:
    /// Continues after what the file said at the start.
    void adopt(const StoredHighWater& stored);
    /// Forgets a mark that does not belong to this journal; the next write() replaces the file.
    void discard();
    /// Never goes back: a mark at or below the stored one is left alone.
    Result<void> write(Disk& disk, Health& health, const HighWater& mark);

  private:
    Result<void> let_go_unless_named(Disk& disk);
    Result<void> open(Disk& disk);
    Result<void> create(Disk& disk, Health& health, const HighWater& mark);

    std::mutex mutex_;
    std::unique_ptr<File> file_;
    bool is_there_ = false;  ///< Under its name, with a slot that verifies.
    Sequence written_{};
    std::uint64_t slot_ = 0;  ///< The next one to write.
};

/// Holds the mark against the batches that a walk passes, to tell whether it is of this journal.
class MarkCheck {
  public:
    explicit MarkCheck(const StoredHighWater& stored) : stored_(stored) {}

    /// A batch ends here, or the walk begins here.
    void pass(Sequence at, const Chain& chain);
    /// After the walk, which found `found` as the last record. A mark beyond that one can be told
    /// from that of another journal by the origin alone.
    bool is_foreign(Sequence found, const Chain& origin) const;
    /// For the log: why the file is made anew. Empty if it is not.
    std::string note(Sequence found, const Chain& origin) const;
    const StoredHighWater& stored() const { return stored_; }

  private:
    StoredHighWater stored_;
    std::optional<Sequence> begin_;
    bool does_fit_ = false;  ///< The batch that the mark names was passed, with its chain.
};

/// A segment behind which nothing is whole: its head is gone, or its end, or all of it.
struct BrokenSegment {
    Sequence first{};
    bool has_head = false;
    Sequence last{};        ///< The last record that its batches' heads tell of; first - 1 if none.
    std::string problem{};  ///< "is full of zeros".
};

/// The names of a directory, and what beside the whole segments tells how far the journal was.
struct Evidence {
    std::vector<std::string> names{};   ///< Without the segments of `lost`.
    std::vector<Sequence> snapshots{};  ///< With a head that verifies, newest first.
    std::vector<BrokenSegment> lost{};  ///< At the end, newest first: no record of them is used.
    std::optional<BrokenSegment> short_one{};  ///< The last one before those was cut off.
    Sequence viewed{};                         ///< As in Options.

    std::optional<Sequence> short_first() const {
        return short_one ? std::optional{short_one->first} : std::nullopt;
    }
};
Result<Evidence> gather_evidence(Disk& disk, Sequence viewed);

/// Names what is missing, by which evidence; nothing if no witness knows more than `found`.
std::optional<LostTail> find_lost_tail(Sequence found,
                                       const Evidence& evidence,
                                       const std::optional<HighWater>& mark);

/// The chain after the journal's first batch; zeros if there is none.
Result<Chain> origin_of(Disk& disk, const std::vector<Segment>& segments);

/// The losses that were accepted so far.
std::vector<Gap> gaps_of(const std::vector<Segment>& segments);

}  // namespace parlance::journal
