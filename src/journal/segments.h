// The segment files as files: which segments exist, whether they belong together, and how to make a
// new segment. A segment is filled with real zeros before it gets its name, so an append never
// waits for the file system to find space, and every non-zero byte was written by an append.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/disk.h"
#include "journal/format.h"
#include "journal/health.h"

namespace parlance::journal {

struct Segment {
    std::string name;
    SegmentHead head;
};

/// The first sequences of all segments, from the file names, in order.
std::vector<Sequence> segment_firsts(const std::vector<std::string>& names);

/// Reads one segment's header. Corrupt: the header is damaged, or the file's length differs from
/// the length in the header (a shorter file is accepted if `may_be_short`).
Result<Segment> load_segment(Disk& disk,
                             const std::string& name,
                             Sequence first,
                             bool may_be_short = false);

/// The segments in order up to the first that is missing or unreadable, and why the list ends
/// there. The file of `short_one` may be shorter than its header says.
struct SegmentListing {
    std::vector<Segment> segments{};
    std::optional<Error> problem{};
};
SegmentListing list_segments(Disk& disk,
                             const std::vector<std::string>& names,
                             std::optional<Sequence> short_one = {});

/// The segment after the records from `due` on, if an operator accepted the loss of all those
/// records.
Result<std::optional<Sequence>> segment_after_accepted_loss(Disk& disk, Sequence due);

/// All segments in order, every header read, no gap between segments. Corrupt names the missing
/// segment.
Result<std::vector<Segment>> load_segments(Disk& disk,
                                           const std::vector<std::string>& names,
                                           std::optional<Sequence> short_one = {});

Result<std::vector<Segment>> load_segments(Disk& disk);

/// The index of the segment that holds or would hold `sequence`: the last segment for future
/// records.
std::size_t segment_holding(const std::vector<Segment>& segments, Sequence sequence);

Result<void> write_zeros(File& file, std::uint64_t from, std::uint64_t to);

/// Makes a file of zeros, whose last part is not yet synced. On failure the file is removed.
Result<std::unique_ptr<File>> make_blank_file(Disk& disk,
                                              Health& health,
                                              const std::string& name,
                                              std::uint64_t bytes);

/// Writes zeros over an append's remains between `from` and `to`, in an order that at every instant
/// still reads as an append that was cut short.
Result<void> blank_out(
    Disk& disk, File& file, Health& health, std::uint64_t from, std::uint64_t to);

/// This file exists while blank_out() is at work. If a start finds the file, a sync of zeros may
/// have failed: the system's cache then shows zeros that the disk does not have, so the start
/// writes all zeros again.
inline constexpr const char* kMendingName = "mending";

}  // namespace parlance::journal
