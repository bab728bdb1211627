// The memory of the hub: an append-only, hash-chained log of records, and snapshots beside it.
//
// It stores bytes under consecutive sequence numbers and knows nothing of what they mean. What
// append() has returned success for survives any crash; anything else may be cut back by the next
// open(), a whole batch at a time, so that a turn of the hub is either there or not.
// Damage to what was acknowledged is reported and never repaired; old segments are never removed.
#pragma once

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

struct Options {
    std::uint64_t segment_bytes = std::uint64_t{64} << 20;
    bool is_read_only = false;  ///< Never cuts, creates or prepares anything.
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

struct Snapshot {
    Sequence sequence;  ///< The last record it contains: always the end of a batch.
    Time at{};
    std::string payload;
};

/// What recovery found, for the log and for `parlance journal`.
struct Recovery {
    std::uint64_t bytes_cut = 0;  ///< Of a batch that was never acknowledged.
    std::string cut_from;         ///< "segment:offset", empty if nothing was cut.
};

class Walk;
class Window;

/// For one thread, except where said.
class Journal {
  public:
    /// Faults: Corrupt and Unsupported leave every byte as it is; Unavailable when another process
    /// writes here.
    static Result<std::unique_ptr<Journal>> open(Disk& disk, Options options);

    const Recovery& recovery() const { return recovery_; }
    Sequence last_sequence() const { return last_sequence_; }
    Time last_time() const { return last_time_; }
    const Chain& chain() const { return chain_; }

    /// The newest one that verifies. `passed_over` is told why a newer one is not it.
    Result<std::optional<Snapshot>> newest_snapshot(
        const std::function<void(const std::string& why)>& passed_over = {});
    /// Every record after `after` to the end, with checksums and chain verified.
    Result<void> replay(Sequence after, const std::function<Result<void>(const Record&)>& each);

    /// One write, one sync; durable on success, under the sequences after last_sequence().
    /// Exhausted: the disk is full, nothing has changed, the same call may be made again later.
    /// Any other fault is final: every later append is refused with the same error.
    Result<void> append(Time at, const Batch& batch);

    /// A batch of up to this many bytes() can be appended without new space from the disk.
    std::uint64_t room_bytes() const;

    bool wants_spare() const;
    /// Makes the next segment ahead of its need. May run on another thread beside append().
    Result<void> prepare_spare();

    /// May run on another thread beside append(). Keeps the newest two.
    Result<void> write_snapshot(const Snapshot& snapshot);

  private:
    enum class Spare { None, Preparing, Ready };

    Journal(Disk& disk, Options options) : disk_(disk), options_(options) {}
    Result<void> recover();
    Result<std::uint64_t> find_tail(Walk& walk);
    Result<void> mend_tail(Walk& walk, std::uint64_t written_end);
    Result<void> adopt_leftovers(const std::vector<std::string>& names);
    Result<void> append_frame(Time at, const Batch& batch);
    Result<void> clean_tail();
    Result<void> roll(std::uint64_t frame_bytes);
    Result<void> enter_segment(const std::string& from,
                               std::unique_ptr<File> file,
                               std::uint64_t bytes);
    Result<void> make_spare();
    std::string_view seal(Time at, const Batch& batch, Chain& chain);

    Disk& disk_;
    Options options_;
    Recovery recovery_;
    Health health_;
    Sha256 hasher_;

    Sequence last_sequence_{};
    Time last_time_{};
    Chain chain_{};

    std::unique_ptr<File> file_;  ///< The current segment's.
    Sequence segment_first_{};
    Sequence segment_before_{};  ///< The first sequence of the segment before it.
    std::uint64_t segment_bytes_ = 0;
    std::uint64_t tail_ = 0;           ///< Where the next batch goes.
    std::uint64_t unclean_bytes_ = 0;  ///< After the tail, from a write that failed halfway.

    std::optional<std::pair<Sequence, Chain>> snapshot_mark_;  ///< Of the snapshot given out.

    std::mutex spare_mutex_;  ///< Held while the spare is made or used.
    /// The segment before. A new one is made in the memory that it leaves: where a machine is not
    /// given its memory before it touches it, to take some afresh is several times slower.
    std::unique_ptr<File> full_;
    std::atomic<Spare> spare_ = Spare::None;
};

/// Where a batch begins: its segment, by the first sequence of that, and the place in it.
struct Place {
    Sequence segment{};
    std::uint64_t offset = 0;
    Sequence first{};  ///< Of the batch.
    bool operator==(const Place&) const = default;
};

/// Follows the journal from another thread or process, with file handles of its own. It trusts
/// what is at or below `up_to` to be durable and reads nothing beyond.
class Reader {
  public:
    /// `from` is the first sequence wanted.
    static Result<Reader> open(Disk& disk, Sequence from);
    /// The same, from a batch that another reader found at or before it.
    static Result<Reader> open(Disk& disk, const Place& place, Sequence from);
    /// False: nothing further up to `up_to` for now; ask again later. Checks every checksum.
    Result<bool> next(Record& record, Sequence up_to);

    /// Of the batch that the last record stands in.
    const Place& place() const { return place_; }

    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    ~Reader();

  private:
    explicit Reader(Disk& disk);
    Result<void> enter(Sequence segment);
    Result<void> read_batch();

    Disk* disk_;
    std::unique_ptr<Window> window_;
    std::string segment_;
    Sequence segment_first_{};
    std::uint64_t offset_ = 0;
    Place place_{};
    Sequence wanted_{};
    Sequence next_{};     ///< The next one in the file, wanted or not.
    Sequence trusted_{};  ///< What is in the window was durable up to here when it was read.
    Time at_{};
    std::string_view records_;  ///< Of the batch being given out.
    bool has_varints_ = true;   ///< Their lengths.
};

struct Verification {
    std::uint64_t records = 0;
    std::uint64_t batches = 0;
    std::uint64_t segments = 0;
    Sequence last{};
    Chain chain{};
    std::string problem;            ///< Empty: all is well. Else names segment, offset and record.
    bool is_journal_whole = false;  ///< What is wrong, if anything, is wrong with a snapshot.
};

/// Reads everything and believes nothing. Needs no lock and changes nothing.
Result<Verification> verify(
    Disk& disk,
    const std::function<void(std::uint64_t done_bytes, std::uint64_t all_bytes)>& progress);

}  // namespace parlance::journal
