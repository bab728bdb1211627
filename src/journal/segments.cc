#include "journal/segments.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace parlance::journal {

Result<Segment> load_segment(Disk& disk,
                             const std::string& name,
                             Sequence first,
                             bool may_be_short) {
    const auto file = TRY(disk.open(name, Disk::Mode::Read));
    std::array<char, kSegmentHeadBytes> bytes;
    const auto read = file->read_at(0, bytes);
    if (!read) return fail(read.error().fault, fmt::format("{}:0: {}", name, read.error().message));
    auto head = TRY(decode_segment_head(name, {bytes.data(), *read}));
    if (head.first != first) {
        return fail(Fault::Corrupt,
                    fmt::format("{}: the segment inside begins at {}", name, head.first.value));
    }
    const auto size = TRY(file->size());
    if (size > head.bytes || (size < head.bytes && !may_be_short)) {
        return fail(
            Fault::Corrupt,
            fmt::format("{} is {} bytes long, but was made with {}", name, size, head.bytes));
    }
    return Segment{name, head};
}

std::vector<Sequence> segment_firsts(const std::vector<std::string>& names) {
    std::vector<Sequence> firsts;
    for (const auto& name : names) {
        if (const auto first = parse_segment_name(name)) firsts.push_back(*first);
    }
    std::ranges::sort(firsts);
    return firsts;
}

SegmentListing list_segments(Disk& disk,
                             const std::vector<std::string>& names,
                             std::optional<Sequence> short_one) {
    const auto firsts = segment_firsts(names);
    SegmentListing listing;
    auto& segments = listing.segments;
    segments.reserve(firsts.size());
    for (const auto first : firsts) {
        auto segment = load_segment(disk, segment_name(first), first, short_one == first);
        if (!segment) {
            listing.problem = std::move(segment).error();
            break;
        }
        const bool is_first = segments.empty();
        const auto before = is_first ? Sequence{0} : segments.back().head.first;
        if (segment->head.before != before ||
            (is_first && segment->head.last_before() != Sequence{0})) {
            listing.problem = {Fault::Corrupt,
                               fmt::format("the segment before {} is missing", segment->name)};
            break;
        }
        segments.push_back(*std::move(segment));
    }
    return listing;
}

Result<std::optional<Sequence>> segment_after_accepted_loss(Disk& disk, Sequence due) {
    const auto firsts = segment_firsts(TRY(disk.list()));
    const auto following = std::ranges::upper_bound(firsts, due);
    if (following == firsts.end()) return std::nullopt;
    const auto segment = load_segment(disk, segment_name(*following), *following);
    if (!segment && segment.error().fault != Fault::Corrupt) {
        return tl::unexpected(segment.error());
    }
    const bool is_accepted =
        segment && segment->head.skipped > 0 && segment->head.last_before().value + 1 == due.value;
    return is_accepted ? std::optional{*following} : std::nullopt;
}

Result<std::vector<Segment>> load_segments(Disk& disk,
                                           const std::vector<std::string>& names,
                                           std::optional<Sequence> short_one) {
    auto listing = list_segments(disk, names, short_one);
    if (listing.problem) return tl::unexpected(*std::move(listing.problem));
    return std::move(listing.segments);
}

Result<std::vector<Segment>> load_segments(Disk& disk) {
    const auto names = TRY(disk.list());
    return load_segments(disk, names);
}

std::size_t segment_holding(const std::vector<Segment>& segments, Sequence sequence) {
    const auto after = std::ranges::upper_bound(
        segments, sequence, {}, [](const Segment& segment) { return segment.head.first; });
    return after == segments.begin() ? 0 : static_cast<std::size_t>(after - segments.begin()) - 1;
}

Result<void> write_zeros(File& file, std::uint64_t from, std::uint64_t to) {
    static constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;
    static const std::string zeros(kBlockBytes, '\0');
    for (std::uint64_t at = from; at < to; at += kBlockBytes) {
        TRY(file.write_at(at, std::string_view{zeros}.substr(0, std::min(kBlockBytes, to - at))));
    }
    return {};
}

namespace {

/// Syncs after every stretch: a single sync of a whole segment would keep the disk busy for long,
/// and every turn of the hub would wait.
Result<void> write_zeros_gently(File& file, Health& health, std::uint64_t bytes) {
    constexpr std::uint64_t kStretchBytes = std::uint64_t{2} << 20;
    for (std::uint64_t at = 0; at < bytes; at += kStretchBytes) {
        if (at > 0) TRY(health.sync(file));
        TRY(write_zeros(file, at, std::min(at + kStretchBytes, bytes)));
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<File>> make_blank_file(Disk& disk,
                                              Health& health,
                                              const std::string& name,
                                              std::uint64_t bytes) {
    auto file = TRY(disk.open(name, Disk::Mode::Create));
    auto written = write_zeros_gently(*file, health, bytes);
    if (!written) {
        // A half-made file would keep space that the next append may need.
        file.reset();
        (void)disk.remove(name);
        return tl::unexpected(std::move(written).error());
    }
    return file;
}

Result<void> blank_out(
    Disk& disk, File& file, Health& health, std::uint64_t from, std::uint64_t to) {
    // If the file cannot be made, for example for want of space, only a second fault makes the
    // absence matter.
    (void)disk.open(kMendingName, Disk::Mode::Create);
    TRY(health.sync_directory(disk));
    // The head is wiped last and alone: until then the head tells how much was to follow, and once
    // only zeros follow, a torn head still reads as an append that was cut short.
    const auto head_end = from + kBatchHeadBytes;
    if (to > head_end) {
        TRY(write_zeros(file, head_end, to));
        TRY(health.sync(file));
    }
    TRY(write_zeros(file, from, std::min(to, head_end)));
    TRY(health.sync(file));
    (void)disk.remove(kMendingName);  // A leftover file costs the next start only time.
    return {};
}

}  // namespace parlance::journal
