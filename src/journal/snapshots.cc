#include "journal/snapshots.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "journal/walk.h"

namespace parlance::journal {

namespace {

constexpr std::size_t kKept = 2;

auto damaged(const std::string& name) {
    return fail(Fault::Corrupt, fmt::format("{} fails its checksum", name));
}

Result<void> remove_older(Disk& disk) {
    const auto names = TRY(disk.list());
    const auto all = list_snapshots(names);
    for (std::size_t i = kKept; i < all.size(); ++i) TRY(disk.remove(snapshot_name(all[i])));
    return {};
}

}  // namespace

std::vector<Sequence> list_snapshots(const std::vector<std::string>& names) {
    std::vector<Sequence> found;
    for (const auto& name : names) {
        if (const auto sequence = parse_snapshot_name(name)) found.push_back(*sequence);
    }
    std::ranges::sort(found, std::greater{});
    return found;
}

Result<void> check_snapshot_versions(Disk& disk, const std::vector<Sequence>& snapshots) {
    for (const auto sequence : snapshots) {
        const auto name = snapshot_name(sequence);
        const auto file = disk.open(name, Disk::Mode::Read);
        // A hub that is writing removes the older ones.
        if (!file && file.error().fault == Fault::NotFound) continue;
        if (!file) return tl::unexpected(file.error());
        std::array<char, kPrefixBytes> bytes;
        const auto read = (*file)->read_at(0, bytes);
        if (!read && read.error().fault == Fault::Corrupt) continue;  // It is not loaded.
        if (!read) return tl::unexpected(read.error());
        TRY(check_snapshot_version(name, {bytes.data(), *read}));
    }
    return {};
}

Result<SnapshotHead> read_snapshot_head(Disk& disk, Sequence sequence) {
    const auto name = snapshot_name(sequence);
    const auto file = TRY(disk.open(name, Disk::Mode::Read));
    std::array<char, kSnapshotHeadBytes> bytes;
    const auto read = TRY(file->read_at(0, bytes));
    return decode_snapshot_head(name, {bytes.data(), read});
}

// --- reading -------------------------------------------------------------------------------

Result<SnapshotReader> SnapshotReader::open(Disk& disk, Sequence sequence) {
    SnapshotReader reader;
    reader.name_ = snapshot_name(sequence);
    const auto head = TRY(read_snapshot_head(disk, sequence));
    if (head.sequence != sequence) return damaged(reader.name_);
    reader.sequence_ = sequence;
    reader.at_ = head.at;
    reader.file_ = TRY(disk.open(reader.name_, Disk::Mode::Read));
    reader.size_ = TRY(reader.file_->size());
    reader.offset_ = kSnapshotHeadBytes;
    return reader;
}

Result<bool> SnapshotReader::next(std::string& piece) {
    std::array<char, kSnapshotFrameHeadBytes> bytes;
    if (TRY(file_->read_at(offset_, bytes)) != bytes.size()) return damaged(name_);
    const auto head = decode_snapshot_frame_head({bytes.data(), bytes.size()});
    if (head.bytes == 0) return check_end();
    const auto piece_at = offset_ + kSnapshotFrameHeadBytes;
    // Compared before memory is allocated: a damaged length may have any value.
    if (head.bytes > size_ - piece_at) return damaged(name_);
    piece.resize(head.bytes);
    const auto filled = TRY(file_->read_at(piece_at, piece));
    if (filled != piece.size() || snapshot_frame_crc(frames_, piece) != head.crc) {
        return damaged(name_);
    }
    offset_ = piece_at + piece.size();
    payload_bytes_ += piece.size();
    ++frames_;
    return true;
}

/// The trailer must match the frames, and nothing may follow.
Result<bool> SnapshotReader::check_end() {
    std::array<char, kSnapshotTrailerBytes> bytes;
    const auto filled = TRY(file_->read_at(offset_, bytes));
    const bool is_whole = std::string_view{bytes.data(), filled} ==
                              encode_snapshot_trailer(frames_, payload_bytes_) &&
                          size_ == offset_ + kSnapshotTrailerBytes;
    if (!is_whole) return damaged(name_);
    return false;
}

Result<SnapshotHead> check_snapshot(Disk& disk, Sequence sequence) {
    auto reader = TRY(SnapshotReader::open(disk, sequence));
    std::string piece;
    while (TRY(reader.next(piece))) {
    }
    return read_snapshot_head(disk, sequence);
}

// --- writing -------------------------------------------------------------------------------

SnapshotWriter::SnapshotWriter(Disk& disk, Health& health, Sequence sequence, Time at)
    : disk_(disk), health_(health), sequence_(sequence), at_(at), name_(snapshot_name(sequence)) {}

Result<void> SnapshotWriter::add(std::string_view piece) {
    return noted([&]() -> Result<void> {
        CHECK(!piece.empty() && piece.size() <= std::numeric_limits<std::uint32_t>::max());
        if (file_ == nullptr) TRY(begin());
        TRY(write(encode_snapshot_frame_head(frames_, piece)));
        TRY(write(piece));
        payload_bytes_ += piece.size();
        ++frames_;
        return {};
    });
}

Result<void> SnapshotWriter::finish() {
    TRY(noted([this] { return complete(); }));
    TRY(disk_.rename(temporary(), name_));
    TRY(health_.sync_directory(disk_));
    return remove_older(disk_);
}

Result<void> SnapshotWriter::complete() {
    if (file_ == nullptr) TRY(begin());
    TRY(write(encode_snapshot_trailer(frames_, payload_bytes_)));
    return health_.sync(*file_);
}

void SnapshotWriter::give_up() {
    if (file_ == nullptr) return;
    file_.reset();
    (void)disk_.remove(temporary());
}

Result<void> SnapshotWriter::begin() {
    TRY(health_.check());
    const auto chain = TRY(chain_at(disk_, sequence_));
    (void)disk_.remove(temporary());  // Left by a failed attempt; usually absent.
    file_ = TRY(disk_.open(temporary(), Disk::Mode::Create));
    return write(encode(SnapshotHead{.sequence = sequence_, .at = at_, .chain = chain}));
}

Result<void> SnapshotWriter::write(std::string_view bytes) {
    TRY(file_->write_at(offset_, bytes));
    offset_ += bytes.size();
    return {};
}

/// The first failure is final: the file is removed, and every later call returns the same error.
template <class Step>
Result<void> SnapshotWriter::noted(const Step& step) {
    if (failure_) return tl::unexpected(*failure_);
    auto done = step();
    if (done) return done;
    failure_ = done.error();
    give_up();
    return done;
}

std::string SnapshotWriter::temporary() const { return name_ + std::string{kTemporarySuffix}; }

}  // namespace parlance::journal
