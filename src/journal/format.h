// How segments, batches and snapshots stand on disk: the only file that knows offsets.
//
//   segment   one block of 4096 bytes (version, first sequence, chain before), then batches, then
//             zeros: a segment is written full of zeros before its first use
//   batch     head of 72 bytes, records, one closing byte; written at once, synced at once
//   record    length (a varint; in batches of data version 1 four bytes), CRC-32C over sequence,
//             length and payload, payload
//   snapshot  head of 68 bytes, frames of a head of 8 bytes and a piece of the payload, trailer
//   high-water mark  sequence, chain and origin (journal/high_water.h), in a file of its own
//
// Numbers are little-endian. No byte at either end of a batch or of its head is ever zero: that is
// how a write that was cut short is told from damage.
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
/// Every file opens with its kind, its data version and a checksum of the two. This much will be
/// the same in every version, so that a newer one is told from a damaged one.
inline constexpr std::size_t kPrefixBytes = 16;
/// What a disk writes as one: of an interrupted write, each is there or not.
inline constexpr std::size_t kSectorBytes = 512;

struct SegmentHead {
    std::uint32_t version = kDataVersion;
    Sequence first{};
    Sequence before{};  ///< The first sequence of the segment before; 0 for the first one.
    Time time_before{};
    Chain chain_before{};
    std::uint64_t bytes = 0;  ///< Of the whole file, so that one cut off is noticed.
    /// How many sequence numbers before `first` belong to records whose loss was accepted, and
    /// when. Both 0 where nothing was lost.
    std::uint64_t skipped = 0;
    Time accepted_at{};

    /// The last sequence number that the segments before this one account for.
    Sequence last_before() const { return {first.value - 1 - skipped}; }
};

std::string encode(const SegmentHead& head);
Result<SegmentHead> decode_segment_head(const std::string& name, std::string_view bytes);

/// How the length of a record is written.
enum class Lengths : std::uint8_t {
    Words,    ///< In data version 1.
    Varints,  ///< Since data version 2; the highest bit of the batch's count says so.
};

struct BatchHead {
    Lengths lengths = Lengths::Varints;
    std::uint32_t records_bytes = 0;
    std::uint32_t count = 0;
    std::uint32_t blank_sectors = 0;  ///< How many of its sectors hold nothing but zeros.
    Sequence first{};
    Time at{};
    Chain chain{};  ///< After this batch.

    std::uint64_t frame_bytes() const { return kBatchHeadBytes + records_bytes + kBatchCloseBytes; }
    Sequence last() const { return {first.value + count - 1}; }
};

/// A frame's first and last bytes; put there before its sectors are counted.
void open_frame(char* frame);
inline constexpr char kBatchClose = '\xE5';

void encode(const BatchHead& head, char* frame);
/// Nothing unless every byte of the head is right.
std::optional<BatchHead> decode_batch_head(std::string_view bytes);
/// Where a byte sequence that could be the start of a batch is, or npos.
std::size_t find_batch_mark(std::string_view bytes, std::size_t from);

/// The chain after a batch, from the chain before it and its frame (whose own chain is not in it).
Chain link(Sha256& hasher, const Chain& before, std::string_view frame);
std::string_view records_of(std::string_view frame);

/// How many of the sectors that `bytes` at `offset` of a file touches are blank within it.
std::uint32_t count_blank_sectors(std::string_view bytes, std::uint64_t offset);
bool is_blank(std::string_view bytes);

std::uint32_t record_crc(Sequence sequence, std::string_view payload);

struct RecordHead {
    std::uint32_t payload_bytes = 0;
    std::uint32_t crc = 0;
    std::size_t bytes = 0;  ///< Of the head itself.
};
/// Of the record at the front; nothing if it is not all there.
std::optional<RecordHead> read_record_head(std::string_view records, Lengths lengths);
inline constexpr std::size_t kRecordCrcBytes = 4;  ///< Follow the length.

struct SnapshotHead {
    Sequence sequence{};
    Time at{};
    Chain chain{};
};

std::string encode(const SnapshotHead& head);
Result<SnapshotHead> decode_snapshot_head(const std::string& name, std::string_view bytes);

/// A piece of a snapshot's payload follows it. The checksum covers the frame's place among the
/// others, its length and its piece, so that no frame is taken for another one.
struct SnapshotFrameHead {
    std::uint32_t bytes = 0;  ///< Of the piece; none: this is the trailer.
    std::uint32_t crc = 0;
};
inline constexpr std::size_t kSnapshotFrameHeadBytes = 8;
std::string encode_snapshot_frame_head(std::uint64_t index, std::string_view piece);
SnapshotFrameHead decode_snapshot_frame_head(std::string_view bytes);
std::uint32_t snapshot_frame_crc(std::uint64_t index, std::string_view piece);

/// Behind the last frame: without the total a file that was cut between two frames would look
/// whole.
inline constexpr std::size_t kSnapshotTrailerBytes = 24;
std::string encode_snapshot_trailer(std::uint64_t frames, std::uint64_t payload_bytes);

/// Unsupported if the file was written by a newer version; nothing said about damage.
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
/// Of files that belong to records whose loss was accepted: kept for whoever wants to look.
inline constexpr std::string_view kLostSuffix = ".lost";

}  // namespace parlance::journal
