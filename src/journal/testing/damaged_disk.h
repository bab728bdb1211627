// A journal of several segments, and every kind of damage that a disk can do to an old segment.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "journal/format.h"
#include "journal/journal.h"
#include "journal/testing/diary.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal::testing {

/// Two records in each batch; at least four segments.
inline std::unique_ptr<MemoryDisk> disk_of_segments(Diary& diary) {
    auto disk = std::make_unique<MemoryDisk>();
    auto journal = Journal::open(*disk, kSmall).value();
    for (int round = 0; round < 2; ++round) {
        for (const std::size_t bytes : {1500U, 13U, 1430U, 900U, 2200U, 700U, 333U, 1234U, 90U}) {
            EXPECT_TRUE(diary.append(*journal, {bytes, 24}));
        }
    }
    return disk;
}

inline std::vector<std::string> segments_of(MemoryDisk& disk) {
    std::vector<std::string> names;
    const auto all = disk.list().value();
    for (const auto& name : all) {
        if (parse_segment_name(name)) names.push_back(name);
    }
    return names;
}

inline void zero(MemoryDisk& disk, const std::string& name, std::uint64_t at, std::size_t bytes) {
    const auto file = *disk.open(name, Disk::Mode::ReadWrite);
    ASSERT_TRUE(file->write_at(at, std::string(bytes, '\0')));
    ASSERT_TRUE(file->sync());
}

struct DamageCase {
    std::string name;
    std::function<void(MemoryDisk&, const std::string& segment)> harm;
    std::uint64_t records_lost;  ///< Counted from the first record of the segment.
    bool breaks_header = false;  ///< Every record can be read, but a start needs the header.
};

/// The segment's first batch begins at 4096, and its records follow a head of 72 bytes. The first
/// record has a length of two bytes and a checksum of four.
inline std::vector<DamageCase> damage_cases(std::uint64_t segment_records) {
    const auto flip = [](std::uint64_t byte) {
        return [byte](MemoryDisk& disk, const std::string& name) { disk.flip_bit(name, byte, 3); };
    };
    return {
        {"record length", flip(4096 + 72), 2},
        {"record checksum", flip(4096 + 72 + 3), 1},
        {"record payload", flip(4096 + 72 + 200), 1},
        {"batch mark", flip(4096), 2},
        {"batch head", flip(4096 + 8), 2},
        {"chain", flip(4096 + 40), 2},
        {"segment header", flip(40), 0, true},
        {"header kind", flip(0), 0, true},
        {"zeroed block",
         [](MemoryDisk& disk, const std::string& name) { zero(disk, name, 4096, 512); },
         2},
        // Reads fail in blocks of 4096 bytes: every batch of the segment lies in this block.
        {"unreadable block",
         [](MemoryDisk& disk, const std::string& name) { disk.refuse_reads(name, 4096, 4608); },
         segment_records},
        {"unreadable header",
         [](MemoryDisk& disk, const std::string& name) { disk.refuse_reads(name, 0, 4096); },
         0,
         true},
        {"missing segment",
         [](MemoryDisk& disk, const std::string& name) { ASSERT_TRUE(disk.remove(name)); },
         segment_records},
    };
}

/// The records and damages that a reader returns when it continues after damage.
struct ReadAround {
    std::map<std::uint64_t, std::string> records{};
    std::vector<Damage> damages{};
};

inline ReadAround read_around(Disk& disk, Sequence from, Sequence up_to) {
    ReadAround read;
    auto reader = Reader::open(disk, from).value();
    Record record;
    for (;;) {
        const auto is_there = reader.next(record, up_to);
        if (!is_there) {
            EXPECT_EQ(is_there.error().fault, Fault::Corrupt) << is_there.error().message;
            read.damages.push_back(reader.damage());
            if (read.damages.size() > 1000) return read;
        } else if (!*is_there) {
            return read;
        } else {
            read.records.emplace(record.sequence.value, record.payload);
        }
    }
}

}  // namespace parlance::journal::testing
