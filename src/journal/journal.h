// The memory of the hub: an append-only, hash-chained log of records, and snapshots beside it.
//
// It stores bytes under consecutive sequence numbers and knows nothing of what they mean. What
// append() has returned success for survives any crash; anything else may be cut back by the next
// open(), a whole batch at a time, so that a turn of the hub is either there or not.
// Damage to what was acknowledged is reported and never repaired here (repair.h restores a segment
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

/// What a batch's hash adds up to with all before it; all zeros before the first.
using Chain = Digest;

/// Written into every segment and snapshot. A higher one than this is refused untouched.
inline constexpr std::uint32_t kDataVersion = 2;

/// How far the journal certainly was, kept apart from the segments (journal/high_water.h).
struct HighWater {
    Sequence sequence{};  ///< The end of a batch.
    Chain chain{};        ///< After that batch.
    Chain origin{};       ///< After the journal's first batch: tells two journals apart.
    bool operator==(const HighWater&) const = default;
};

/// Records that were written, and are not in the journal any more.
struct LostTail {
    Sequence found{};  ///< The last record that is there.
    Sequence last{};   ///< The last record that is known to have been there.
    std::string evidence{};
    std::uint64_t records() const { return last.value - found.value; }
};
std::string describe(const LostTail& lost);

/// Records whose loss an operator has accepted. Their sequence numbers are not used again.
struct Gap {
    Sequence first{};
    Sequence last{};
    Time accepted_at{};
};

struct Options {
    std::uint64_t segment_bytes = std::uint64_t{64} << 20;
    bool is_read_only = false;  ///< Never cuts, creates or prepares anything.
    /// The last record that views.db has, which is further evidence of how far the journal was.
    Sequence viewed{};
    /// The operator's word: records up to this one are lost, and the journal goes on after it. It
    /// must be the last record of the loss that open() would report.
    std::optional<Sequence> accepted_loss{};
    Time accepted_at{};
};

/// The records of one turn, framed as they will stand on disk. Kept and cleared rather than made
/// anew, it allocates nothing once it has been as large as it gets.
class Batch {
  public:
    Batch();
    void add(std::string_view payload);
    /// The buffer to append one record's payload to, in place; close() completes its frame.
    std::string& open();
    void close();

    bool empty() const { return count_ == 0; }
    std::uint32_t count() const { return count_; }
    std::size_t bytes() const;  ///< On disk, with everything around the records.
    void clear();

  private:
    friend class Journal;
    // The frame's head and tail depend on where and when it is appended: append() fills them in
    // without changing the records, so to everyone else the batch stays as it was.
    mutable std::string frame_;
    std::size_t open_at_ = 0;  ///< Of the record being written; 0 when none is.
    std::uint32_t count_ = 0;
};

struct Record {
    Sequence sequence;
    Time at{};
    std::string_view payload;  ///< Until the next record is asked for.
    std::size_t bytes = 0;     ///< On disk, with its head.
};

/// A snapshot that is small enough to be held as a whole.
struct Snapshot {
    Sequence sequence;  ///< The last record it contains: always the end of a batch.
    Time at{};
    std::string payload;
};

/// Reads a snapshot piece by piece, as it was written.
class SnapshotReader {
  public:
    /// Corrupt if its head is damaged.
    static Result<SnapshotReader> open(Disk& disk, Sequence sequence);

    Sequence sequence() const { return sequence_; }
    Time at() const { return at_; }
    std::uint64_t bytes() const { return size_; }  ///< Of the file: all pieces have fewer.
    /// Overwrites `piece`. False behind the last one, and then the file was whole. Corrupt if this
    /// piece is not as it was written, if there are fewer or more of them, or if bytes follow.
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

/// Writes a snapshot piece by piece. For one thread at a time, which may be another one than that
/// of append(). Touches no disk before the first piece, nor when it goes.
class SnapshotWriter {
  public:
    SnapshotWriter(Disk& disk, Health& health, Sequence sequence, Time at);
    SnapshotWriter(const SnapshotWriter&) = delete;
    SnapshotWriter& operator=(const SnapshotWriter&) = delete;

    /// After a failure every later call returns the same error, and the unfinished file is gone.
    Result<void> add(std::string_view piece);
    /// Syncs the snapshot, gives it its name, and removes all but the newest two.
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

/// What recovery found, for the log and for `parlance journal`.
struct Recovery {
    std::uint64_t bytes_cut = 0;  ///< Of a batch that was never acknowledged.
    std::string cut_from;         ///< "segment:offset", empty if nothing was cut.
    /// Read-only: what a writer would refuse to start with. Else: the loss that was accepted now.
    std::optional<LostTail> lost{};
    std::vector<Gap> gaps{};  ///< All losses accepted so far.
    std::string mark_note{};  ///< About a high-water mark that is missing or cannot be used.
};

class HighWaterFile;
class MarkCheck;
class Walk;
class Window;
struct Evidence;

/// For one thread, except where said.
class Journal {
  public:
    /// Faults: Corrupt and Unsupported leave every byte as it is; Unavailable when another process
    /// writes here; Malformed when another loss is accepted than there is. A lost tail is Corrupt.
    static Result<std::unique_ptr<Journal>> open(Disk& disk, Options options);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    const Recovery& recovery() const { return recovery_; }
    Sequence last_sequence() const { return last_sequence_; }
    Time last_time() const { return last_time_; }
    const Chain& chain() const { return chain_; }

    /// The newest one that verifies, all frames of which were read for that. `passed_over` is told
    /// why a newer one is not it.
    Result<std::optional<SnapshotReader>> open_newest_snapshot(
        const std::function<void(const std::string& why)>& passed_over = {});
    /// The same as a whole, for tests and tools.
    Result<std::optional<Snapshot>> newest_snapshot(
        const std::function<void(const std::string& why)>& passed_over = {});
    /// Every record after `after` to the end, with checksums and chain verified.
    Result<void> replay(Sequence after, const std::function<Result<void>(const Record&)>& each);

    /// One write, one sync; durable on success, under the sequences after last_sequence().
    /// Exhausted: the disk is full, or there are no descriptors, or whatever else may pass. Nothing
    /// has changed, and the same call may be made again later. Only a failed sync is final: every
    /// later append is refused with the same error.
    Result<void> append(Time at, const Batch& batch);

    /// A batch of up to this many bytes() can be appended without new space from the disk.
    std::uint64_t room_bytes() const;

    bool wants_spare() const;
    /// Makes the next segment ahead of its need. May run on another thread beside append().
    Result<void> prepare_spare();

    /// Of the records up to `sequence`, the last one of a batch. Fails when it is first written to.
    Result<std::unique_ptr<SnapshotWriter>> start_snapshot(Sequence sequence, Time at);
    /// One that is held as a whole. May run on another thread beside append().
    Result<void> write_snapshot(const Snapshot& snapshot);

    /// Where the journal is now. For append()'s thread.
    HighWater high_water() const { return {last_sequence_, chain_, origin_}; }
    /// May run on another thread beside append().
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
    std::unique_ptr<File> file_;  ///< The current segment's.
    Sequence segment_first_{};
    Sequence segment_before_{};  ///< The first sequence of the segment before it.
    std::uint64_t segment_bytes_ = 0;
    std::uint64_t segment_skipped_ = 0;  ///< As in its head.
    Time segment_accepted_at_{};
    std::uint64_t tail_ = 0;           ///< Where the next batch goes.
    std::uint64_t unclean_bytes_ = 0;  ///< After the tail, from a write that failed halfway.

    std::optional<std::pair<Sequence, Chain>> snapshot_mark_;  ///< Of the snapshot given out.

    std::mutex spare_mutex_;  ///< Held while the spare is made or used.
    /// The segment before. A new one is made in the memory that it leaves: where a machine is not
    /// given its memory before it touches it, to take some afresh is several times slower.
    std::unique_ptr<File> full_;
    /// Open ahead of need: to go on to the spare takes no descriptor.
    std::unique_ptr<File> spare_file_;
    std::atomic<Spare> spare_ = Spare::None;
};

/// Where a batch begins: its segment, by the first sequence of that, and the place in it.
struct Place {
    Sequence segment{};
    std::uint64_t offset = 0;
    Sequence first{};  ///< Of the batch.
    bool operator==(const Place&) const = default;
};

/// A place in the journal where acknowledged bytes are not as they were written.
struct Damage {
    std::string segment{};     ///< The name of the file.
    std::uint64_t offset = 0;  ///< Where in it a batch or the header begins.
    Sequence first{};          ///< The records that cannot be read.
    Sequence last{};           ///< 0: all of them can (a header, the chain, bytes behind the last).
    std::string problem{};
    bool operator==(const Damage&) const = default;
};
std::uint64_t records_in(const Damage& damage);
/// "SEGMENT:OFFSET: record 7 is damaged; records 7 to 9 cannot be read".
std::string print(const Damage& damage);

/// Follows the journal from another thread or process, with file handles of its own. It trusts
/// what is at or below `up_to` to be durable and reads nothing beyond.
class Reader {
  public:
    /// `from` is the first sequence wanted.
    static Result<Reader> open(Disk& disk, Sequence from);
    /// The same, from a batch that another reader found at or before it.
    static Result<Reader> open(Disk& disk, const Place& place, Sequence from);
    /// False: nothing further up to `up_to` for now; ask again later. Checks every checksum.
    /// Corrupt: the records of damage() cannot be read, and the next call goes on behind them.
    Result<bool> next(Record& record, Sequence up_to);
    /// From here on only records from this sequence on are given, and only damage to them is told.
    void want(Sequence from) { wanted_ = std::max(wanted_, from); }
    const Damage& damage() const { return damage_; }

    /// Of the batch that the last record stands in.
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
    std::unique_ptr<Window> window_;  ///< None: the file of this segment is missing.
    std::string segment_;
    Sequence segment_first_{};
    std::uint64_t offset_ = 0;
    Place place_{};
    Sequence wanted_{};
    Sequence next_{};     ///< The next one in the file, wanted or not.
    Sequence trusted_{};  ///< What is in the window was durable up to here when it was read.
    Time at_{};
    std::string_view records_;  ///< Of the batch being given out.
    Sequence batch_last_{};     ///< Its last one.
    bool has_varints_ = true;   ///< Their lengths.
    bool is_whole_ = true;      ///< Else each record is checked before it is given out.
    std::string problem_{};     ///< Why take_next() had nothing to give.
    Damage damage_{};
};

struct Verification {
    std::uint64_t records = 0;
    std::uint64_t batches = 0;
    std::uint64_t segments = 0;
    Sequence last{};
    Chain chain{};
    std::string problem;             ///< Empty: all is well. Else names segment, offset and record.
    bool is_journal_whole = false;   ///< What is wrong, if anything, is wrong with a snapshot.
    std::optional<LostTail> lost{};  ///< What is wrong is that the end is missing.
    std::vector<Gap> gaps{};         ///< Losses that were accepted.
    std::string mark_note{};         ///< As in Recovery.
};

/// Reads everything and believes nothing. Needs no lock and changes nothing. `viewed` is as in
/// Options.
Result<Verification> verify(
    Disk& disk,
    const std::function<void(std::uint64_t done_bytes, std::uint64_t all_bytes)>& progress,
    Sequence viewed = {});

}  // namespace parlance::journal
