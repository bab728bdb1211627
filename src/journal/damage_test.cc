// Flipped bits, missing files, newer versions: reported, never repaired, and never a reason to
// return bytes that were not written.
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "journal/format.h"
#include "journal/journal.h"
#include "journal/testing/diary.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal {
namespace {

using testing::Diary;
using testing::kSmall;
using testing::MemoryDisk;

/// Three segments, with batches that end in every part of a sector.
std::unique_ptr<MemoryDisk> written_disk(Diary& diary) {
    auto disk = std::make_unique<MemoryDisk>();
    auto journal = Journal::open(*disk, kSmall).value();
    for (const std::size_t bytes : {1500U, 13U, 1430U, 900U, 2200U, 700U, 333U, 1234U, 90U}) {
        EXPECT_TRUE(diary.append(*journal, {bytes, 24}));
    }
    EXPECT_TRUE(journal->write_high_water(journal->high_water()));  // As a clean stop does.
    return disk;
}

/// Only segments: high_water_test.cc covers damage to the high-water mark.
std::vector<std::string> segments_of(MemoryDisk& disk) {
    auto names = *disk.list();
    std::erase_if(names, [](const std::string& name) { return !parse_segment_name(name); });
    return names;
}

enum class Outcome { Reported, Harmless, Wrong };

/// The outcome of a start and a full read of the disk.
Outcome outcome_of(MemoryDisk& disk, const Diary& diary) {
    auto opened = Journal::open(disk, kSmall);
    if (!opened) return Outcome::Reported;
    std::vector<std::string> found;
    const auto replayed = (*opened)->replay({0}, [&](const Record& record) -> Result<void> {
        found.emplace_back(record.payload);
        return {};
    });
    if (!replayed) return Outcome::Reported;
    return found == diary.acknowledged ? Outcome::Harmless : Outcome::Wrong;
}

TEST(Damage, OfAnyBitIsReportedOrHarmless) {
    Diary diary;
    const auto disk = written_disk(diary);
    const auto contents = disk->contents();
    for (const auto& name : segments_of(*disk)) {
        const auto& bytes = contents.at(name);
        for (std::uint64_t byte = 0; byte < bytes.size(); ++byte) {
            const auto bit = static_cast<unsigned>(byte % 8);
            disk->flip_bit(name, byte, bit);
            const auto before = disk->contents();
            const auto verified = verify(*disk, {});
            const auto outcome = outcome_of(*disk, diary);
            ASSERT_NE(outcome, Outcome::Wrong) << name << ":" << byte;
            const bool is_reported = !verified || !verified->problem.empty();
            if (outcome == Outcome::Reported) {
                ASSERT_TRUE(is_reported) << name << ":" << byte;
                ASSERT_EQ(disk->contents(), before) << name << ":" << byte;
                disk->flip_bit(name, byte, bit);
            } else {
                ASSERT_EQ(bytes[byte], 0) << name << ":" << byte;  // Only padding is harmless.
                if (disk->contents() == before) disk->flip_bit(name, byte, bit);
            }
            ASSERT_EQ(disk->contents(), contents) << name << ":" << byte;
        }
    }
}

TEST(Damage, InARecordOfManyZerosIsNotTakenForATornWrite) {
    MemoryDisk disk;
    const auto batch = testing::batch_of({std::string(3000, '\0'), "end"});
    {
        auto journal = Journal::open(disk, kSmall).value();
        ASSERT_TRUE(journal->append({}, batch));
    }
    for (std::uint64_t byte = 4096; byte < 4096 + batch.bytes(); ++byte) {
        disk.flip_bit("00000000000000000001.journal", byte, 5);
        const auto opened = Journal::open(disk, kSmall);
        ASSERT_FALSE(opened) << byte;
        ASSERT_EQ(opened.error().fault, Fault::Corrupt) << byte;
        disk.flip_bit("00000000000000000001.journal", byte, 5);
    }
}

TEST(Damage, IsReportedWithSegmentOffsetAndRecord) {
    Diary diary;
    const auto disk = written_disk(diary);
    disk->flip_bit("00000000000000000001.journal", 4096 + 72 + 200, 0);
    const auto verified = verify(*disk, {});
    EXPECT_EQ(verified->problem, "00000000000000000001.journal:4096: record 1 is damaged");
    EXPECT_EQ(verified->records, 0U);
}

TEST(Damage, BySwappedBatchesIsReported) {
    MemoryDisk disk;
    {
        auto journal = Journal::open(disk, kSmall).value();
        ASSERT_TRUE(journal->append({}, testing::batch_of({"aaaa"})));
        ASSERT_TRUE(journal->append({}, testing::batch_of({"bbbb"})));
    }
    const std::string name = "00000000000000000001.journal";
    const auto bytes = disk.contents().at(name);
    const std::size_t frame = testing::batch_of({"aaaa"}).bytes();
    const auto file = *disk.open(name, Disk::Mode::ReadWrite);
    ASSERT_TRUE(file->write_at(4096, bytes.substr(4096 + frame, frame)));
    ASSERT_TRUE(file->write_at(4096 + frame, bytes.substr(4096, frame)));
    EXPECT_EQ(Journal::open(disk, kSmall).error().fault, Fault::Corrupt);
    EXPECT_NE(verify(disk, {})->problem, "");
}

TEST(Damage, IsReportedForAMissingSegmentBeforeOthers) {
    Diary diary;
    const auto disk = written_disk(diary);
    auto names = segments_of(*disk);
    ASSERT_GE(names.size(), 3U);
    names.pop_back();
    for (const auto& name : names) {
        const auto copy = disk->clone();
        ASSERT_TRUE(copy->remove(name));
        EXPECT_EQ(Journal::open(*copy, kSmall).error().fault, Fault::Corrupt) << name;
        EXPECT_NE(verify(*copy, {})->problem, "") << name;
    }
}

TEST(Damage, OfASegmentLeavesEarlierRecordsCounted) {
    Diary diary;
    const auto disk = written_disk(diary);
    const auto names = segments_of(*disk);
    ASSERT_GE(names.size(), 3U);
    const auto second = parse_segment_name(names[1]);
    ASSERT_TRUE(disk->remove(names[1]));
    const auto verified = verify(*disk, {});
    EXPECT_EQ(verified->problem, "the segment before " + names[2] + " is missing");
    EXPECT_EQ(verified->records, second->value - 1);
}

TEST(Damage, IsReportedWhenASnapshotIsAheadOfTheJournal) {
    Diary diary;
    const auto disk = written_disk(diary);
    {
        auto journal = Journal::open(*disk, kSmall).value();
        ASSERT_TRUE(journal->write_snapshot({journal->last_sequence(), {}, "state"}));
    }
    ASSERT_TRUE(disk->remove(segments_of(*disk).back()));
    EXPECT_EQ(Journal::open(*disk, kSmall).error().fault, Fault::Corrupt);
    EXPECT_NE(verify(*disk, {})->problem, "");
}

TEST(Damage, OfASnapshotThatTheDiskCannotReadKeepsNobodyFromStarting) {
    Diary diary;
    const auto disk = written_disk(diary);
    const auto last = Journal::open(*disk, kSmall).value()->last_sequence();
    ASSERT_TRUE(Journal::open(*disk, kSmall).value()->write_snapshot({last, {}, "state"}));
    disk->refuse_reads(snapshot_name(last), 0, 512);
    EXPECT_TRUE(verify(*disk, {})->is_journal_whole);
    const auto journal = Journal::open(*disk, kSmall);
    ASSERT_TRUE(journal) << journal.error().message;
    EXPECT_EQ(*(*journal)->newest_snapshot(), std::nullopt);
}

/// A hub removes its older snapshots after their names were read.
class DiskOfARunningHub final : public Disk {
  public:
    explicit DiskOfARunningHub(Disk& disk) : disk_(disk) {}

    Result<std::unique_ptr<File>> open(const std::string& name, Mode mode) override {
        if (parse_snapshot_name(name)) return fail(Fault::NotFound, "no " + name);
        return disk_.open(name, mode);
    }
    Result<std::vector<std::string>> list() override { return disk_.list(); }
    Result<FileId> id_of(const std::string& name) override { return disk_.id_of(name); }
    Result<void> rename(const std::string& from, const std::string& to) override {
        return disk_.rename(from, to);
    }
    Result<void> link(const std::string& from, const std::string& to) override {
        return disk_.link(from, to);
    }
    Result<void> remove(const std::string& name) override { return disk_.remove(name); }
    Result<void> sync_directory() override { return disk_.sync_directory(); }

  private:
    Disk& disk_;
};

TEST(Verify, IsNotDisturbedByAHubThatRemovesASnapshot) {
    Diary diary;
    const auto disk = written_disk(diary);
    const auto last = Journal::open(*disk, kSmall).value()->last_sequence();
    ASSERT_TRUE(Journal::open(*disk, kSmall).value()->write_snapshot({last, {}, "state"}));
    DiskOfARunningHub running{*disk};
    const auto verified = verify(running, {});
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->problem, "");
    auto reading = kSmall;
    reading.is_read_only = true;
    EXPECT_TRUE(Journal::open(running, reading));
}

TEST(Verify, CountsRecordsAndReportsProgress) {
    Diary diary;
    const auto disk = written_disk(diary);
    std::uint64_t done = 0;
    std::uint64_t all = 0;
    const auto verified = verify(*disk, [&](std::uint64_t done_bytes, std::uint64_t all_bytes) {
        EXPECT_GE(done_bytes, done);
        done = done_bytes;
        all = all_bytes;
    });
    EXPECT_EQ(verified->problem, "");
    EXPECT_EQ(verified->records, diary.acknowledged.size());
    EXPECT_EQ(verified->batches, 9U);
    EXPECT_EQ(verified->segments, segments_of(*disk).size());
    EXPECT_EQ(verified->last.value, diary.acknowledged.size());
    EXPECT_EQ(verified->chain, Journal::open(*disk, kSmall).value()->chain());
    EXPECT_EQ(done, all);
}

/// As a newer program would write the file: the prefix is the same in every version.
void make_newer(MemoryDisk& disk, const std::string& name) {
    auto prefix = disk.contents().at(name).substr(0, 12);
    store(prefix.data() + 8, kDataVersion + 1);
    append_word(prefix, crc32c(prefix));
    const auto file = *disk.open(name, Disk::Mode::ReadWrite);
    ASSERT_TRUE(file->write_at(0, prefix));
}

TEST(NewerVersion, IsRefusedWithoutTouchingAByte) {
    for (const std::string name :
         {"00000000000000000001.journal", "00000000000000000002.snapshot"}) {
        Diary diary;
        const auto disk = written_disk(diary);
        {
            auto journal = Journal::open(*disk, kSmall).value();
            ASSERT_TRUE(journal->prepare_spare());
            ASSERT_TRUE(journal->write_snapshot({{2}, {}, "state"}));
        }
        // Files that a start would otherwise tidy up.
        ASSERT_TRUE(disk->open("left.tmp", Disk::Mode::Create));
        make_newer(*disk, name);
        const auto before = disk->contents();
        const auto opened = Journal::open(*disk, {.segment_bytes = 16384, .is_read_only = false});
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().fault, Fault::Unsupported);
        EXPECT_NE(opened.error().message.find("version 3"), std::string::npos);
        EXPECT_NE(opened.error().message.find("up to 2"), std::string::npos);
        EXPECT_EQ(disk->contents(), before);
    }
}

TEST(NewerVersion, IsNotReportedForAFlippedBit) {
    Diary diary;
    const auto disk = written_disk(diary);
    disk->flip_bit("00000000000000000001.journal", 8, 4);
    EXPECT_EQ(Journal::open(*disk, kSmall).error().fault, Fault::Corrupt);
}

}  // namespace
}  // namespace parlance::journal
