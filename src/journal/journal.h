// The hub's durable storage: an append-only, hash-chained log of records, and snapshots beside the
// log.
//
// The journal stores bytes under consecutive sequence numbers and does not know what the bytes
// mean. Records for which append() returned success survive any crash. The next open() may cut off
// anything later, a whole batch at a time, so a turn of the hub is stored completely or not at all.
// Damage to acknowledged records is reported and never repaired here (repair.h restores a segment
// from a copy); old segments are never removed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "base/time.h"
#include "journal/disk.h"
#include "journal/health.h"
#include "model/ids.h"

namespace parlance::journal {

/// The hash over a batch and all batches before the batch; all zeros before the first batch.
using Chain = Digest;

/// Written into every segment and snapshot. Files with a higher version are refused and not
/// changed.
inline constexpr std::uint32_t kDataVersion = 2;

/// A position that the journal has certainly reached, stored apart from the segments
/// (journal/high_water.h).
struct HighWater {
    Sequence sequence{};  ///< The end of a batch.
    Chain chain{};        ///< The chain after the batch that ends with `sequence`.
    Chain origin{};  ///< The chain after the journal's first batch: distinguishes two journals.
    bool operator==(const HighWater&) const = default;
};

/// Records that were written and are no longer in the journal.
struct LostTail {
    Sequence found{};  ///< The last record still in the journal.
    Sequence last{};   ///< The last record known to have been in the journal.
    std::string evidence{};
    std::uint64_t records() const { return last.value - found.value; }
};
std::string describe(const LostTail& lost);

/// Records whose loss an operator has accepted. The lost sequence numbers are never used again.
struct Gap {
    Sequence first{};
    Sequence last{};
    Time accepted_at{};
};

struct Options {
    std::uint64_t segment_bytes = std::uint64_t{64} << 20;
    bool is_read_only = false;  ///< A read-only journal never cuts, creates or prepares anything.
    /// The last record in views.db: further evidence of how far the journal was.
    Sequence viewed{};
    /// Set by the operator: the records up to this number are lost, and the journal continues after
    /// them. Must be the last record of the loss that open() would report.
    std::optional<Sequence> accepted_loss{};
    Time accepted_at{};
};

/// The records of one turn, framed as on disk. A batch that is cleared and reused allocates nothing
/// after reaching its largest size.
class Batch {
  public:
    Batch();
    void add(std::string_view payload);
    /// The buffer to append one record's payload to; close() completes the record's frame.
    std::string& open();
    void close();

    bool empty() const { return count_ == 0; }
    std::uint32_t count() const { return count_; }
    std::size_t bytes() const;  ///< The size on disk, including the batch's head and closing byte.
    void clear();

  private:
    friend class Journal;
    // The frame's head and tail depend on the position and time of the append. append() fills both
    // in and leaves the records unchanged, so the batch stays the same for every other caller.
    mutable std::string frame_;
    std::size_t open_at_ = 0;  ///< Where the record being written begins; 0 when no record is open.
    std::uint32_t count_ = 0;
};

struct Record {
    Sequence sequence;
    Time at{};
    std::string_view payload;  ///< Valid until the next record is requested.
    std::size_t bytes = 0;     ///< The size on disk, including the record's head.
};

/// A snapshot small enough to be held in memory as a whole.
struct Snapshot {
    Sequence sequence;  ///< The last record in the snapshot: always the end of a batch.
    Time at{};
    std::string payload;
};

/// Reads a snapshot in the pieces in which the snapshot was written.
class SnapshotReader {
  public:
    /// Corrupt if the snapshot's head is damaged.
    static Result<SnapshotReader> open(Disk& disk, Sequence sequence);

    Sequence sequence() const { return sequence_; }
    Time at() const { return at_; }
    std::uint64_t bytes() const { return size_; }  ///< The file's size; the pieces' sum is smaller.
    /// Overwrites `piece`. False after the last piece: the whole file was intact. Corrupt if the
    /// piece differs from the written piece, if pieces are missing or too many, or if bytes follow
    /// the trailer.
    Result<bool> next(std::string& piece);

  private:
    SnapshotReader() = default;
    Result<bool> check_end();

    std::string name_;
    Sequence sequence_{};
    Time at_{};
    std::unique_ptr<File> file_;
    std::uint64_t size_ = 0;
    std::uint64_t offset_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t payload_bytes_ = 0;
};

/// Writes a snapshot piece by piece. For one thread at a time, not necessarily the thread of
/// append(). The constructor and the destructor do not touch the disk.
class SnapshotWriter {
  public:
    SnapshotWriter(Disk& disk, Health& health, Sequence sequence, Time at);
    SnapshotWriter(const SnapshotWriter&) = delete;
    SnapshotWriter& operator=(const SnapshotWriter&) = delete;

    /// After a failure every later call returns the same error, and the unfinished file is removed.
    Result<void> add(std::string_view piece);
    /// Syncs the snapshot, renames the file to its final name, and removes all but the newest two
    /// snapshots.
    Result<void> finish();

  private:
    Result<void> begin();
    Result<void> complete();
    void give_up();
    Result<void> write(std::string_view bytes);
    template <class Step>
    Result<void> noted(const Step& step);
    std::string temporary() const;

    Disk& disk_;
    Health& health_;
    Sequence sequence_;
    Time at_;
    std::string name_;
    std::unique_ptr<File> file_;
    std::uint64_t offset_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t payload_bytes_ = 0;
    std::optional<Error> failure_;
};

/// The findings of a recovery, for the log and for `parlance journal`.
struct Recovery {
    std::uint64_t bytes_cut = 0;  ///< The size of a batch that was never acknowledged.
    std::string cut_from;         ///< "segment:offset"; empty if nothing was cut.
    /// Read-only: the loss with which a writer would refuse to start. Otherwise: the loss accepted
    /// in this start.
    std::optional<LostTail> lost{};
    std::vector<Gap> gaps{};  ///< All losses accepted so far.
    std::string mark_note{};  ///< Why the high-water mark is missing or unusable.
};

class HighWaterFile;
class MarkCheck;
class Walk;
class Window;
struct Evidence;

/// For one thread, except where stated otherwise.
class Journal {
  public:
    /// Faults: Corrupt and Unsupported leave every byte unchanged; Unavailable when another process
    /// writes to this disk; Malformed when the accepted loss differs from the actual loss. A lost
    /// tail is Corrupt.
    static Result<std::unique_ptr<Journal>> open(Disk& disk, Options options);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    const Recovery& recovery() const { return recovery_; }
    Sequence last_sequence() const { return last_sequence_; }
    Time last_time() const { return last_time_; }
    const Chain& chain() const { return chain_; }

    /// The newest snapshot whose frames all verify. `passed_over` receives the reason for each
    /// newer snapshot that was rejected.
    Result<std::optional<SnapshotReader>> open_newest_snapshot(
        const std::function<void(const std::string& why)>& passed_over = {});
    /// The newest snapshot in one piece, for tests and tools.
    Result<std::optional<Snapshot>> newest_snapshot(
        const std::function<void(const std::string& why)>& passed_over = {});
    /// Calls `each` for every record after `after`, with checksums and chain verified.
    Result<void> replay(Sequence after, const std::function<Result<void>(const Record&)>& each);

    /// One write and one sync; durable on success, under the sequences after last_sequence().
    /// Exhausted: the disk is full, no descriptor is left, or another condition that may pass. The
    /// journal is unchanged, and the caller may repeat the call later. Only a failed sync and a
    /// segment that lost its name are final: every later append is refused with the same error.
    Result<void> append(Time at, const Batch& batch);

    /// A batch of up to this many bytes() fits without allocating disk space.
    std::uint64_t room_bytes() const;

    bool wants_spare() const;
    /// Makes the next segment ahead of need. May run on another thread beside append().
    Result<void> prepare_spare();

    /// `sequence` must be the end of a batch; the writer reports a wrong `sequence` on the first
    /// write.
    Result<std::unique_ptr<SnapshotWriter>> start_snapshot(Sequence sequence, Time at);
    /// Writes a snapshot held in memory. May run on another thread beside append().
    Result<void> write_snapshot(const Snapshot& snapshot);

    /// The journal's current position. Only for the thread of append().
    HighWater high_water() const { return {last_sequence_, chain_, origin_}; }
    /// May run on another thread beside append(). Also checks that the segment still has its name.
    Result<void> write_high_water(const HighWater& mark);

  private:
    enum class Spare { None, Preparing, Ready };

    Journal(Disk& disk, Options options);
    Result<void> recover();
    Result<void> recover_empty(const MarkCheck& check, const Evidence& evidence);
    Result<std::uint64_t> find_tail(Walk& walk, MarkCheck& check);
    Result<void> judge_loss(const MarkCheck& check, const Evidence& evidence);
    Result<void> accept_loss(const MarkCheck& check, const Evidence& evidence);
    Result<void> begin_marking(const MarkCheck& check);
    Result<void> mend_tail(Walk& walk, std::uint64_t written_end);
    Result<void> adopt_leftovers(const std::vector<std::string>& names);
    Result<void> append_frame(Time at, const Batch& batch);
    Result<void> clean_tail();
    Result<void> roll(std::uint64_t frame_bytes);
    Result<bool> roll_into_spare();
    Result<bool> is_spare_named() const;
    Result<void> check_named();
    Result<void> enter_segment(const std::string& from,
                               std::unique_ptr<File>& file,
                               std::uint64_t bytes);
    Result<void> make_spare();
    Result<void> told(Result<void> result) const;
    std::string_view seal(Time at, const Batch& batch, Chain& chain);

    Disk& disk_;
    Options options_;
    Recovery recovery_;
    Health health_;
    Sha256 hasher_;

    Sequence last_sequence_{};
    Time last_time_{};
    Chain chain_{};
    Chain origin_{};
    std::uint64_t skipped_ = 0;  ///< Sequence numbers of an accepted loss, for the next segment.

    std::unique_ptr<HighWaterFile> mark_file_;
    std::unique_ptr<File> file_;  ///< The current segment's file.
    Sequence segment_first_{};
    std::atomic<std::uint64_t> named_ = 0;  ///< segment_first_ for any thread; 0: no segment yet.
    Sequence segment_before_{};  ///< The first sequence of the segment before the current segment.
    std::uint64_t segment_bytes_ = 0;
    std::uint64_t segment_skipped_ = 0;  ///< As in the current segment's head.
    Time segment_accepted_at_{};
    std::uint64_t tail_ = 0;           ///< Where the next batch goes.
    std::uint64_t unclean_bytes_ = 0;  ///< Bytes after the tail from a write that failed halfway.

    std::optional<std::pair<Sequence, Chain>> snapshot_mark_;  ///< Of the snapshot last opened.

    std::mutex spare_mutex_;  ///< Held while the spare is made or used.
    /// The previous segment's file. The cached memory of this file is freed before a spare is made:
    /// on machines that get memory only on first touch, allocating fresh memory is several times
    /// slower.
    std::unique_ptr<File> full_;
    /// Opened ahead of need: switching to the spare takes no descriptor.
    std::unique_ptr<File> spare_file_;
    std::atomic<Spare> spare_ = Spare::None;
};

/// Where a batch begins: the first sequence of the segment, and the offset in the segment.
struct Place {
    Sequence segment{};
    std::uint64_t offset = 0;
    Sequence first{};  ///< The first record of the batch.
    bool operator==(const Place&) const = default;
};

/// A position in the journal where acknowledged bytes differ from the written bytes.
struct Damage {
    std::string segment{};     ///< The name of the file.
    std::uint64_t offset = 0;  ///< Where in the file a batch or the header begins.
    Sequence first{};          ///< The first record that cannot be read.
    Sequence last{};           ///< 0: all records are readable (header, chain or padding is bad).
    std::string problem{};
    bool operator==(const Damage&) const = default;
};
std::uint64_t records_in(const Damage& damage);
/// "SEGMENT:OFFSET: record 7 is damaged; records 7 to 9 cannot be read".
std::string print(const Damage& damage);

/// Follows the journal from another thread or process, with separate file handles. The reader
/// trusts that records up to `up_to` are durable and reads nothing beyond.
class Reader {
  public:
    /// `from` is the first sequence wanted.
    static Result<Reader> open(Disk& disk, Sequence from);
    /// As above, but starts at a batch at or before `from` that another reader has found.
    static Result<Reader> open(Disk& disk, const Place& place, Sequence from);
    /// False: no further record up to `up_to` for now; ask again later. Checks every checksum.
    /// Corrupt: the records of damage() cannot be read, and the next call continues after the
    /// damage.
    Result<bool> next(Record& record, Sequence up_to);
    /// From now on, next() returns only records from `from` on and reports only damage to such
    /// records.
    void want(Sequence from) { wanted_ = std::max(wanted_, from); }
    const Damage& damage() const { return damage_; }

    /// The batch that holds the last record returned.
    const Place& place() const { return place_; }

    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    ~Reader();

  private:
    explicit Reader(Disk& disk);
    Result<void> enter(Sequence segment);
    Result<void> enter_if_there(Sequence segment);
    Result<bool> try_batch();
    Result<bool> read_batch();
    Result<bool> take_next(Record& record);
    Result<void> pass_damage(Sequence up_to);
    void pass_damaged_run();
    Result<bool> pass_accepted_loss();

    Disk* disk_;
    std::unique_ptr<Window> window_;  ///< Null: the file of this segment is missing.
    std::string segment_;
    Sequence segment_first_{};
    std::uint64_t offset_ = 0;
    Place place_{};
    Sequence wanted_{};
    Sequence next_{};     ///< The next record in the file, wanted or not.
    Sequence trusted_{};  ///< The window's bytes were read when records up to here were durable.
    Time at_{};
    std::string_view records_;  ///< The rest of the current batch.
    Sequence batch_last_{};     ///< The last record of the current batch.
    bool has_varints_ = true;   ///< How the current batch writes its record lengths.
    bool is_whole_ = true;      ///< False: each record is checked before next() returns the record.
    std::string problem_{};     ///< Why take_next() returned no record.
    Damage damage_{};
};

struct Verification {
    std::uint64_t records = 0;
    std::uint64_t batches = 0;
    std::uint64_t segments = 0;
    Sequence last{};
    Chain chain{};
    std::string problem;  ///< Empty if all is well; otherwise names segment, offset and record.
    bool is_journal_whole = false;   ///< True if any problem is only in a snapshot.
    std::optional<LostTail> lost{};  ///< Set if the problem is a missing end.
    std::vector<Gap> gaps{};         ///< Losses that were accepted.
    std::string mark_note{};         ///< As in Recovery.
};

/// Checks everything on the disk and trusts nothing. Needs no lock and changes nothing. `viewed` is
/// as in Options.
Result<Verification> verify(
    Disk& disk,
    const std::function<void(std::uint64_t done_bytes, std::uint64_t all_bytes)>& progress,
    Sequence viewed = {});

}  // namespace parlance::journal
