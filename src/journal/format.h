// The layout of segments, batches and snapshots on disk: the only file that knows offsets.
//
//   segment   one block of 4096 bytes (version, first sequence, chain before), then batches, then
//             zeros: a segment is written full of zeros before its first use
//   batch     head of 72 bytes, records, one closing byte; written at once, synced at once
//   record    length (a varint; in batches of data version 1 four bytes), CRC-32C over sequence,
//             length and payload, payload
//   snapshot  head of 68 bytes, frames of a head of 8 bytes and a piece of the payload, trailer
//   high-water mark  sequence, chain and origin (journal/high_water.h), in a separate file
//
// Numbers are little-endian. The first and last bytes of a batch and of a batch head are never
// zero: recovery uses them to tell a write that was cut short from damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sha256.h"
#include "base/time.h"
#include "journal/journal.h"
#include "model/ids.h"

namespace parlance::journal {

inline constexpr std::size_t kSegmentHeadBytes = 4096;
inline constexpr std::size_t kBatchHeadBytes = 72;
inline constexpr std::size_t kBatchCloseBytes = 1;
inline constexpr std::size_t kSnapshotHeadBytes = 68;
/// Every file begins with its kind, its data version and a checksum of both. This prefix stays the
/// same in every version, so a program can tell a newer file from a damaged file.
inline constexpr std::size_t kPrefixBytes = 16;
/// The unit in which a disk writes: after an interrupted write, each sector is stored or not.
inline constexpr std::size_t kSectorBytes = 512;

struct SegmentHead {
    std::uint32_t version = kDataVersion;
    Sequence first{};
    Sequence before{};  ///< The first sequence of the previous segment; 0 in the first segment.
    Time time_before{};
    Chain chain_before{};
    std::uint64_t bytes = 0;  ///< The size of the whole file, so that a truncated file is noticed.
    /// How many sequence numbers before `first` belong to records whose loss was accepted, and
    /// when. Both 0 where nothing was lost.
    std::uint64_t skipped = 0;
    Time accepted_at{};

    /// The last sequence number before this segment, not counting skipped numbers.
    Sequence last_before() const { return {first.value - 1 - skipped}; }
};

std::string encode(const SegmentHead& head);
Result<SegmentHead> decode_segment_head(const std::string& name, std::string_view bytes);

/// How a record's length is written.
enum class Lengths : std::uint8_t {
    Words,    ///< In data version 1.
    Varints,  ///< Since data version 2; marked by the highest bit of the batch's count.
};

struct BatchHead {
    Lengths lengths = Lengths::Varints;
    std::uint32_t records_bytes = 0;
    std::uint32_t count = 0;
    std::uint32_t blank_sectors = 0;  ///< How many of the batch's sectors contain only zeros.
    Sequence first{};
    Time at{};
    Chain chain{};  ///< The chain after this batch.

    std::uint64_t frame_bytes() const { return kBatchHeadBytes + records_bytes + kBatchCloseBytes; }
    Sequence last() const { return {first.value + count - 1}; }
};

/// Writes a frame's first bytes and the head's last bytes; done before the blank sectors are
/// counted.
void open_frame(char* frame);
inline constexpr char kBatchClose = '\xE5';

void encode(const BatchHead& head, char* frame);
/// Empty unless every byte of the head is right.
std::optional<BatchHead> decode_batch_head(std::string_view bytes);
/// The position of the next bytes that could begin a batch, or npos.
std::size_t find_batch_mark(std::string_view bytes, std::size_t from);

/// The chain after a batch, from the chain before and the batch's frame (without the chain in the
/// frame).
Chain link(Sha256& hasher, const Chain& before, std::string_view frame);
std::string_view records_of(std::string_view frame);

/// How many of the sectors that `bytes` at `offset` of a file touches are blank within `bytes`.
std::uint32_t count_blank_sectors(std::string_view bytes, std::uint64_t offset);
bool is_blank(std::string_view bytes);

std::uint32_t record_crc(Sequence sequence, std::string_view payload);

struct RecordHead {
    std::uint32_t payload_bytes = 0;
    std::uint32_t crc = 0;
    std::size_t bytes = 0;  ///< The size of the record head itself.
};
/// The head of the first record in `records`; empty if the record is incomplete.
std::optional<RecordHead> read_record_head(std::string_view records, Lengths lengths);
inline constexpr std::size_t kRecordCrcBytes = 4;  ///< Directly after the length.

struct SnapshotHead {
    Sequence sequence{};
    Time at{};
    Chain chain{};
};

std::string encode(const SnapshotHead& head);
Result<SnapshotHead> decode_snapshot_head(const std::string& name, std::string_view bytes);

/// Precedes a piece of a snapshot's payload. The checksum covers the frame's index, length and
/// piece, so no frame is accepted in the position of a different frame.
struct SnapshotFrameHead {
    std::uint32_t bytes = 0;  ///< The length of the piece; 0: the frame is the trailer.
    std::uint32_t crc = 0;
};
inline constexpr std::size_t kSnapshotFrameHeadBytes = 8;
std::string encode_snapshot_frame_head(std::uint64_t index, std::string_view piece);
SnapshotFrameHead decode_snapshot_frame_head(std::string_view bytes);
std::uint32_t snapshot_frame_crc(std::uint64_t index, std::string_view piece);

/// Follows the last frame: without the totals in the trailer a file cut between two frames would
/// look complete.
inline constexpr std::size_t kSnapshotTrailerBytes = 24;
std::string encode_snapshot_trailer(std::uint64_t frames, std::uint64_t payload_bytes);

/// Unsupported if a newer version wrote the file; damage is not reported.
Result<void> check_snapshot_version(const std::string& name, std::string_view bytes);

inline constexpr std::size_t kHighWaterBytes = 92;
std::string encode(const HighWater& mark);
Result<HighWater> decode_high_water(const std::string& name, std::string_view bytes);

std::string segment_name(Sequence first);
std::string snapshot_name(Sequence sequence);
std::optional<Sequence> parse_segment_name(std::string_view name);
std::optional<Sequence> parse_snapshot_name(std::string_view name);
bool is_temporary_name(std::string_view name);
inline constexpr std::string_view kTemporarySuffix = ".tmp";
inline constexpr const char* kSpareName = "spare.journal";
/// The suffix of files that belong to records whose loss was accepted: kept for inspection.
inline constexpr std::string_view kLostSuffix = ".lost";

}  // namespace parlance::journal
