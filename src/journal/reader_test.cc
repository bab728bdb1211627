// A reader continues after damage: reports which records are lost, returns every other record, and
// returns nothing that was not written.
#include <gtest/gtest.h>

#include "journal/damage.h"
#include "journal/journal.h"
#include "journal/testing/damaged_disk.h"

namespace parlance::journal {
namespace {

using testing::Diary;
using testing::MemoryDisk;

class ReaderTest : public ::testing::Test {
  protected:
    Sequence last() const { return {diary_.acknowledged.size()}; }

    /// Every record is either returned as written or reported lost, never both.
    void expect_all_accounted_for(const testing::ReadAround& read, Sequence from) {
        std::map<std::uint64_t, std::string> all = read.records;
        for (const auto& damage : read.damages) {
            for (auto i = damage.first.value; i <= damage.last.value; ++i) {
                EXPECT_TRUE(all.emplace(i, "lost").second) << "record " << i << " is told twice";
            }
        }
        EXPECT_EQ(all.size(), last().value - from.value + 1);
        for (const auto& [sequence, payload] : read.records) {
            EXPECT_EQ(payload, diary_.acknowledged.at(sequence - 1)) << sequence;
        }
    }

    Diary diary_;
    std::unique_ptr<MemoryDisk> disk_ = testing::disk_of_segments(diary_);
    std::vector<std::string> segments_ = testing::segments_of(*disk_);
    Sequence second_ = *parse_segment_name(segments_.at(1));
    Sequence third_ = *parse_segment_name(segments_.at(2));
};

TEST_F(ReaderTest, ReturnsEveryWholeRecordAndReportsTheDamagedRecords) {
    ASSERT_GE(segments_.size(), 4U);
    for (const auto& damage : testing::damage_cases(third_.value - second_.value)) {
        SCOPED_TRACE(damage.name);
        const auto disk = disk_->clone();
        damage.harm(*disk, segments_[1]);
        const auto read = testing::read_around(*disk, {1}, last());
        expect_all_accounted_for(read, {1});
        std::uint64_t lost = 0;
        for (const auto& each : read.damages) {
            lost += records_in(each);
            EXPECT_EQ(each.segment, segments_[1]);
        }
        EXPECT_EQ(lost, damage.records_lost);
        EXPECT_EQ(read.damages.empty(), damage.records_lost == 0);
        for (const auto& each : read.damages) EXPECT_GE(each.first, second_);
    }
}

TEST_F(ReaderTest, IgnoresDamageBeforeTheFirstRecordRead) {
    for (const auto& damage : testing::damage_cases(third_.value - second_.value)) {
        SCOPED_TRACE(damage.name);
        const auto disk = disk_->clone();
        damage.harm(*disk, segments_[1]);
        const auto read = testing::read_around(*disk, third_, last());
        EXPECT_TRUE(read.damages.empty());
        expect_all_accounted_for(read, third_);
    }
}

TEST_F(ReaderTest, IgnoresDamageBeforeTheWantedRecord) {
    disk_->flip_bit(segments_[0], 4096 + 72 + 200, 0);  // Record 1.
    auto reader = Reader::open(*disk_, {1}).value();
    reader.want({3});
    Record record;
    const auto is_there = reader.next(record, last());
    ASSERT_TRUE(is_there) << is_there.error().message;
    EXPECT_EQ(record.sequence, Sequence{3});
}

TEST_F(ReaderTest, ReportsSegmentOffsetAndRecords) {
    disk_->flip_bit(segments_[0], 4096, 0);
    auto reader = Reader::open(*disk_, {1}).value();
    Record record;
    const auto is_there = reader.next(record, last());
    ASSERT_FALSE(is_there);
    EXPECT_EQ(is_there.error().message,
              "00000000000000000001.journal:4096: the batch of record 1 has no whole head; records "
              "1 to 2 cannot be read");
}

TEST(LongSegments, A2_LoseToABadSectorNoMoreThanToAsManyZeros) {
    Diary diary;
    MemoryDisk disk;
    {
        auto journal = Journal::open(disk, {.segment_bytes = 65'536}).value();
        for (int i = 0; i < 150; ++i) ASSERT_TRUE(diary.append(*journal, {500, 300}));
    }
    const auto name = testing::segments_of(disk).front();
    const Sequence last{diary.acknowledged.size()};
    const auto zeroed = disk.clone();
    testing::zero(*zeroed, name, 20'480, 4096);
    disk.refuse_reads(name, 20'480, 24'576);
    const auto expected = testing::read_around(*zeroed, {1}, last);
    const auto read = testing::read_around(disk, {1}, last);
    EXPECT_GT(read.records.size(), 280U);
    EXPECT_EQ(read.records, expected.records);
    EXPECT_FALSE(read.damages.empty());
    EXPECT_FALSE(verify(disk, {})->problem.empty());
}

TEST_F(ReaderTest, A2_ReportsWhichBytesTheDiskCannotRead) {
    disk_->refuse_reads(segments_[0], 4096, 4608);
    auto reader = Reader::open(*disk_, {1}).value();
    Record record;
    const auto is_there = reader.next(record, last());
    ASSERT_FALSE(is_there);
    EXPECT_EQ(is_there.error().message,
              "00000000000000000001.journal:4096: the batch of record 1 has no whole head (bytes "
              "4096 to 8191: cannot read: Input/output error); records 1 to 6 cannot be read");
}

TEST_F(ReaderTest, ContinuesWithRecordsAppendedAfterALostEnd) {
    auto journal = Journal::open(*disk_, testing::kSmall).value();
    const auto before = last();
    const auto newest = segments_.back();
    ASSERT_TRUE(diary_.append(*journal, {40}));
    const auto contents = disk_->contents().at(newest);
    const auto at = contents.find(diary_.acknowledged.back());
    ASSERT_NE(at, std::string::npos);
    disk_->flip_bit(newest, at - 72, 0);
    auto reader = Reader::open(*disk_, last()).value();
    Record record;
    EXPECT_FALSE(reader.next(record, last()));
    EXPECT_EQ(reader.damage().first.value, before.value + 1);
    EXPECT_EQ(reader.damage().last, last());
    EXPECT_FALSE(*reader.next(record, last()));

    ASSERT_TRUE(diary_.append(*journal, {50}));
    const auto is_there = reader.next(record, last());
    ASSERT_TRUE(is_there) << is_there.error().message;
    EXPECT_TRUE(*is_there);
    EXPECT_EQ(record.payload, diary_.acknowledged.back());
}

TEST_F(ReaderTest, ReportsAMissingFirstSegment) {
    ASSERT_TRUE(disk_->remove(segments_[0]));
    const auto read = testing::read_around(*disk_, {1}, last());
    ASSERT_EQ(read.damages.size(), 1U);
    EXPECT_EQ(read.damages[0].first, Sequence{1});
    EXPECT_EQ(read.damages[0].last.value, second_.value - 1);
    EXPECT_EQ(read.damages[0].problem, "the segment is missing");
    expect_all_accounted_for(read, {1});
}

TEST_F(ReaderTest, NeverReturnsAWrongRecordAfterABitFlip) {
    const auto& name = segments_[1];
    const auto bytes = disk_->contents().at(name).size();
    for (std::uint64_t byte = 0; byte < bytes; byte += 7) {
        disk_->flip_bit(name, byte, static_cast<unsigned>(byte % 8));
        SCOPED_TRACE(byte);
        expect_all_accounted_for(testing::read_around(*disk_, {1}, last()), {1});
        disk_->flip_bit(name, byte, static_cast<unsigned>(byte % 8));
    }
}

}  // namespace
}  // namespace parlance::journal
