// The segment files as files: which there are, whether they belong together, and how a new one is
// made. A segment is full of real zeros before it gets its name, so that an append never waits for
// the file system to find space, and whatever is not zero was written by an append.
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

/// The first sequences of all segments, by the names of their files, in order.
std::vector<Sequence> segment_firsts(const std::vector<std::string>& names);

/// One of them with its header read, and the file as long as that says, or shorter if it may be.
/// Corrupt: it is damaged.
Result<Segment> load_segment(Disk& disk,
                             const std::string& name,
                             Sequence first,
                             bool may_be_short = false);

/// All of them in order up to the first that is missing or cannot be read, and why it ends there.
/// The file of `short_one` may be shorter than its header says.
struct SegmentListing {
    std::vector<Segment> segments{};
    std::optional<Error> problem{};
};
SegmentListing list_segments(Disk& disk,
                             const std::vector<std::string>& names,
                             std::optional<Sequence> short_one = {});

/// The segment behind the records from `due` on, if an operator accepted the loss of all of them.
Result<std::optional<Sequence>> segment_after_accepted_loss(Disk& disk, Sequence due);

/// All of them in order, every header read, no gap between them. Corrupt names what is missing.
Result<std::vector<Segment>> load_segments(Disk& disk,
                                           const std::vector<std::string>& names,
                                           std::optional<Sequence> short_one = {});

Result<std::vector<Segment>> load_segments(Disk& disk);

/// The index of the segment that holds `sequence`, or would: the last one for what is to come.
std::size_t segment_holding(const std::vector<Segment>& segments, Sequence sequence);

Result<void> write_zeros(File& file, std::uint64_t from, std::uint64_t to);

/// A new file of zeros, not yet synced to its end. When it cannot be made nothing is left of it.
Result<std::unique_ptr<File>> make_blank_file(Disk& disk,
                                              Health& health,
                                              const std::string& name,
                                              std::uint64_t bytes);

/// Zeros over what an append left between `from` and `to`, in an order that at every instant
/// still reads as an append that was cut short.
Result<void> blank_out(
    Disk& disk, File& file, Health& health, std::uint64_t from, std::uint64_t to);

/// Stands while blank_out() is at work. Found at a start, it tells that a sync of zeros may have
/// failed: the system's cache then shows zeros where the disk has none, and all are written again.
inline constexpr const char* kMendingName = "mending";

}  // namespace parlance::journal
