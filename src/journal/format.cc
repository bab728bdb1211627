#include "journal/format.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/crc32c.h"

namespace parlance::journal {

namespace {

constexpr std::string_view kSegmentKind = "PARLSEGM";
constexpr std::string_view kSnapshotKind = "PARLSNAP";
constexpr std::string_view kHighWaterKind = "PARLMARK";
constexpr std::string_view kSegmentSuffix = ".journal";
constexpr std::string_view kSnapshotSuffix = ".snapshot";
constexpr std::size_t kNameDigits = 20;

// Several bits are set in each byte, so a single flipped bit never makes a byte zero. The escape
// character in the first mark is not allowed in JSON, so no message can look like a batch.
constexpr std::string_view kBatchMark = "\xB7\xC3\xE6\x1B";
constexpr std::string_view kHeadClose = "\x6E\xD3\xA7\x5C";

constexpr std::size_t kHashedHeadBytes = 32;  // The part of a batch's head that the chain covers.
constexpr std::size_t kBatchCrcAt = 64;
constexpr std::uint32_t kVarintsMark = 0x8000'0000U;  // Set in a batch's count.

std::string encode_prefix(std::string_view kind, std::uint32_t version = kDataVersion) {
    std::string out{kind};
    append_word(out, version);
    append_word(out, crc32c(out));
    return out;
}

enum class Prefix { Right, Newer, Wrong };

Prefix read_prefix(std::string_view kind, std::string_view bytes) {
    if (bytes.size() < kPrefixBytes || bytes.substr(0, kind.size()) != kind) return Prefix::Wrong;
    if (load<std::uint32_t>(bytes.data() + 12) != crc32c(bytes.substr(0, 12))) return Prefix::Wrong;
    const auto version = load<std::uint32_t>(bytes.data() + 8);
    return version > kDataVersion ? Prefix::Newer : Prefix::Right;
}

auto newer(const std::string& name, std::string_view bytes) {
    return fail(Fault::Unsupported,
                fmt::format("{} has data version {}, but this program knows versions up to {}",
                            name,
                            load<std::uint32_t>(bytes.data() + 8),
                            kDataVersion));
}

auto damaged(const std::string& name) {
    return fail(Fault::Corrupt, fmt::format("{}:0: the header fails its checksum", name));
}

std::int64_t to_ms(Time time) { return time.time_since_epoch().count(); }
Time from_ms(std::int64_t ms) { return Time{Duration{ms}}; }

void append_chain(std::string& out, const Chain& chain) {
    out.append(reinterpret_cast<const char*>(chain.data()), chain.size());
}

Chain load_chain(const char* at) {
    Chain chain;
    std::memcpy(chain.data(), at, chain.size());
    return chain;
}

std::optional<Sequence> parse_name(std::string_view name, std::string_view suffix) {
    if (name.size() != kNameDigits + suffix.size() || !name.ends_with(suffix)) return {};
    std::uint64_t number = 0;
    for (const char digit : name.substr(0, kNameDigits)) {
        if (digit < '0' || digit > '9') return {};
        number = number * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return Sequence{number};
}

}  // namespace

std::string encode(const SegmentHead& head) {
    std::string out = encode_prefix(kSegmentKind, head.version);
    append_word(out, head.first.value);
    append_word(out, head.before.value);
    append_word(out, to_ms(head.time_before));
    append_chain(out, head.chain_before);
    append_word(out, head.bytes);
    append_word(out, head.skipped);
    append_word(out, to_ms(head.accepted_at));
    out.resize(kSegmentHeadBytes - sizeof(std::uint32_t));
    append_word(out, crc32c(out));
    return out;
}

Result<SegmentHead> decode_segment_head(const std::string& name, std::string_view bytes) {
    const auto prefix = read_prefix(kSegmentKind, bytes);
    if (prefix == Prefix::Newer) return newer(name, bytes);
    if (prefix == Prefix::Wrong || bytes.size() != kSegmentHeadBytes) return damaged(name);
    const auto covered = bytes.substr(0, kSegmentHeadBytes - sizeof(std::uint32_t));
    if (load<std::uint32_t>(bytes.data() + covered.size()) != crc32c(covered)) return damaged(name);
    return SegmentHead{.version = load<std::uint32_t>(bytes.data() + 8),
                       .first = {load<std::uint64_t>(bytes.data() + 16)},
                       .before = {load<std::uint64_t>(bytes.data() + 24)},
                       .time_before = from_ms(load<std::int64_t>(bytes.data() + 32)),
                       .chain_before = load_chain(bytes.data() + 40),
                       .bytes = load<std::uint64_t>(bytes.data() + 72),
                       .skipped = load<std::uint64_t>(bytes.data() + 80),
                       .accepted_at = from_ms(load<std::int64_t>(bytes.data() + 88))};
}

void open_frame(char* frame) {
    std::memcpy(frame, kBatchMark.data(), kBatchMark.size());
    std::memcpy(frame + kBatchHeadBytes - kHeadClose.size(), kHeadClose.data(), kHeadClose.size());
}

void encode(const BatchHead& head, char* frame) {
    open_frame(frame);
    store(frame + 4, head.records_bytes);
    store(frame + 8, head.count | (head.lengths == Lengths::Varints ? kVarintsMark : 0U));
    store(frame + 12, head.blank_sectors);
    store(frame + 16, head.first.value);
    store(frame + 24, to_ms(head.at));
    std::memcpy(frame + kHashedHeadBytes, head.chain.data(), head.chain.size());
    store(frame + kBatchCrcAt, crc32c({frame, kBatchCrcAt}));
}

std::optional<BatchHead> decode_batch_head(std::string_view bytes) {
    if (bytes.size() < kBatchHeadBytes || !bytes.starts_with(kBatchMark)) return {};
    const char* const at = bytes.data();
    if (bytes.substr(kBatchHeadBytes - kHeadClose.size(), kHeadClose.size()) != kHeadClose ||
        load<std::uint32_t>(at + kBatchCrcAt) != crc32c(bytes.substr(0, kBatchCrcAt))) {
        return {};
    }
    const auto count = load<std::uint32_t>(at + 8);
    return BatchHead{.lengths = (count & kVarintsMark) != 0 ? Lengths::Varints : Lengths::Words,
                     .records_bytes = load<std::uint32_t>(at + 4),
                     .count = count & ~kVarintsMark,
                     .blank_sectors = load<std::uint32_t>(at + 12),
                     .first = {load<std::uint64_t>(at + 16)},
                     .at = from_ms(load<std::int64_t>(at + 24)),
                     .chain = load_chain(at + kHashedHeadBytes)};
}

std::size_t find_batch_mark(std::string_view bytes, std::size_t from) {
    return bytes.find(kBatchMark, from);
}

std::string_view records_of(std::string_view frame) {
    return frame.substr(kBatchHeadBytes, frame.size() - kBatchHeadBytes - kBatchCloseBytes);
}

Chain link(Sha256& hasher, const Chain& before, std::string_view frame) {
    hasher.add({reinterpret_cast<const char*>(before.data()), before.size()});
    hasher.add(frame.substr(0, kHashedHeadBytes));
    hasher.add(records_of(frame));
    return hasher.finish();
}

bool is_blank(std::string_view bytes) {
    if (bytes.empty()) return true;
    return bytes.front() == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

std::uint32_t count_blank_sectors(std::string_view bytes, std::uint64_t offset) {
    std::uint32_t blank = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t left = kSectorBytes - (offset + at) % kSectorBytes;
        if (is_blank(bytes.substr(at, left))) ++blank;
        at += left;
    }
    return blank;
}

std::uint32_t record_crc(Sequence sequence, std::string_view payload) {
    char front[sizeof sequence.value + sizeof(std::uint32_t)];
    store(front, sequence.value);
    store(front + sizeof sequence.value, static_cast<std::uint32_t>(payload.size()));
    return crc32c(payload, crc32c({front, sizeof front}));
}

std::optional<RecordHead> read_record_head(std::string_view records, Lengths lengths) {
    ByteReader in{records};
    const std::uint64_t bytes =
        lengths == Lengths::Varints ? in.varint() : in.word<std::uint32_t>();
    const auto crc = in.word<std::uint32_t>();
    if (!in.ok() || bytes > in.left()) return {};
    return RecordHead{.payload_bytes = static_cast<std::uint32_t>(bytes),
                      .crc = crc,
                      .bytes = records.size() - in.left()};
}

std::string encode(const SnapshotHead& head) {
    std::string out = encode_prefix(kSnapshotKind);
    append_word(out, head.sequence.value);
    append_word(out, to_ms(head.at));
    append_chain(out, head.chain);
    append_word(out, crc32c(out));
    CHECK(out.size() == kSnapshotHeadBytes);
    return out;
}

std::uint32_t snapshot_frame_crc(std::uint64_t index, std::string_view piece) {
    char front[sizeof index + sizeof(std::uint32_t)];
    store(front, index);
    store(front + sizeof index, static_cast<std::uint32_t>(piece.size()));
    return crc32c(piece, crc32c({front, sizeof front}));
}

std::string encode_snapshot_frame_head(std::uint64_t index, std::string_view piece) {
    std::string out;
    append_word(out, static_cast<std::uint32_t>(piece.size()));
    append_word(out, snapshot_frame_crc(index, piece));
    CHECK(out.size() == kSnapshotFrameHeadBytes);
    return out;
}

SnapshotFrameHead decode_snapshot_frame_head(std::string_view bytes) {
    CHECK(bytes.size() == kSnapshotFrameHeadBytes);
    return {.bytes = load<std::uint32_t>(bytes.data()),
            .crc = load<std::uint32_t>(bytes.data() + sizeof(std::uint32_t))};
}

std::string encode_snapshot_trailer(std::uint64_t frames, std::uint64_t payload_bytes) {
    std::string total;
    append_word(total, frames);
    append_word(total, payload_bytes);
    std::string out;
    append_word(out, std::uint32_t{0});
    append_word(out, snapshot_frame_crc(frames, total));
    out.append(total);
    CHECK(out.size() == kSnapshotTrailerBytes);
    return out;
}

Result<void> check_snapshot_version(const std::string& name, std::string_view bytes) {
    if (read_prefix(kSnapshotKind, bytes) == Prefix::Newer) return newer(name, bytes);
    return {};
}

Result<SnapshotHead> decode_snapshot_head(const std::string& name, std::string_view bytes) {
    TRY(check_snapshot_version(name, bytes));
    if (read_prefix(kSnapshotKind, bytes) == Prefix::Wrong || bytes.size() != kSnapshotHeadBytes) {
        return damaged(name);
    }
    const char* const at = bytes.data();
    const auto covered = bytes.substr(0, kSnapshotHeadBytes - sizeof(std::uint32_t));
    if (load<std::uint32_t>(at + covered.size()) != crc32c(covered)) return damaged(name);
    return SnapshotHead{.sequence = {load<std::uint64_t>(at + 16)},
                        .at = from_ms(load<std::int64_t>(at + 24)),
                        .chain = load_chain(at + 32)};
}

std::string encode(const HighWater& mark) {
    std::string out = encode_prefix(kHighWaterKind);
    append_word(out, mark.sequence.value);
    append_chain(out, mark.chain);
    append_chain(out, mark.origin);
    append_word(out, crc32c(out));
    CHECK(out.size() == kHighWaterBytes);
    return out;
}

Result<HighWater> decode_high_water(const std::string& name, std::string_view bytes) {
    const auto prefix = read_prefix(kHighWaterKind, bytes);
    if (prefix == Prefix::Newer) return newer(name, bytes);
    if (prefix == Prefix::Wrong || bytes.size() != kHighWaterBytes) return damaged(name);
    const char* const at = bytes.data();
    const auto covered = bytes.substr(0, kHighWaterBytes - sizeof(std::uint32_t));
    if (load<std::uint32_t>(at + covered.size()) != crc32c(covered)) return damaged(name);
    return HighWater{.sequence = {load<std::uint64_t>(at + 16)},
                     .chain = load_chain(at + 24),
                     .origin = load_chain(at + 56)};
}

std::string segment_name(Sequence first) { return fmt::format("{:020}.journal", first.value); }
std::string snapshot_name(Sequence sequence) {
    return fmt::format("{:020}.snapshot", sequence.value);
}
std::optional<Sequence> parse_segment_name(std::string_view name) {
    return parse_name(name, kSegmentSuffix);
}
std::optional<Sequence> parse_snapshot_name(std::string_view name) {
    return parse_name(name, kSnapshotSuffix);
}
bool is_temporary_name(std::string_view name) { return name.ends_with(kTemporarySuffix); }

}  // namespace parlance::journal
