// Acknowledged records that are lost: noticed by evidence kept apart from the segments, and never
// passed over without an operator's approval.
#include "journal/high_water.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "journal/testing/diary.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal {
namespace {

using testing::at_ms;
using testing::batch_of;
using testing::Crashed;
using testing::Diary;
using testing::DiskFailure;
using testing::kSmall;
using testing::MemoryDisk;
using testing::read_all;

constexpr Options kReading{.segment_bytes = 8192, .is_read_only = true};

Options accepting(std::uint64_t last) {
    auto options = kSmall;
    options.accepted_loss = Sequence{last};
    options.accepted_at = at_ms(77);
    return options;
}

std::vector<std::string> segments_of(MemoryDisk& disk) {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : disk.contents()) {
        if (parse_segment_name(name)) names.push_back(name);
    }
    return names;
}

void zero(MemoryDisk& disk, const std::string& name, std::uint64_t from) {
    const auto bytes = disk.contents().at(name).size();
    const auto file = disk.open(name, Disk::Mode::ReadWrite).value();
    ASSERT_TRUE(file->write_at(from, std::string(bytes - from, '\0')));
    ASSERT_TRUE(file->sync());
}

std::string problem_of(MemoryDisk& disk) { return verify(disk, {})->problem; }

/// Three segments of five records each, and the mark after the last record.
struct LostTailTest : ::testing::Test {
    MemoryDisk disk;
    Diary diary;

    void SetUp() override {
        const auto journal = Journal::open(disk, kSmall).value();
        for (int i = 0; i < 15; ++i) ASSERT_TRUE(diary.append(*journal, {700}));
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
        ASSERT_EQ(segments_of(disk).size(), 3U);
    }
    std::string last_segment() { return segments_of(disk).back(); }
    Sequence first_of_last() { return *parse_segment_name(last_segment()); }
    std::uint64_t found() { return first_of_last().value - 1; }
};

TEST_F(LostTailTest, DeletedSegmentIsReportedAndAWriterRefused) {
    const auto left = found();
    ASSERT_TRUE(disk.remove(last_segment()));
    const auto before = disk.contents();
    const auto refused = Journal::open(disk, kSmall);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, Fault::Corrupt);
    EXPECT_EQ(refused.error().message,
              fmt::format("the end of the journal is lost: the last record found is {}, but the "
                          "high-water mark is at record 15; at least {} records are missing",
                          left,
                          15 - left));
    EXPECT_EQ(disk.contents(), before);
    const auto verified = verify(disk, {}).value();
    EXPECT_EQ(verified.problem, refused.error().message);
    ASSERT_TRUE(verified.lost);
    EXPECT_EQ(verified.lost->found, Sequence{left});
    EXPECT_EQ(verified.lost->last, Sequence{15});
    EXPECT_EQ(Journal::open(disk, kReading).value()->recovery().lost->records(), 15 - left);
}

TEST_F(LostTailTest, ZeroedSegmentIsReported) {
    const auto whole = disk.clone();
    for (const std::uint64_t from : {0U, 4096U}) {
        SCOPED_TRACE(from);
        const auto copy = whole->clone();
        zero(*copy, last_segment(), from);
        EXPECT_EQ(Journal::open(*copy, kSmall).error().fault, Fault::Corrupt);
        EXPECT_TRUE(verify(*copy, {})->lost);
        ASSERT_TRUE(Journal::open(*copy, accepting(15)));
        const auto journal = Journal::open(*copy, kSmall).value();
        EXPECT_EQ(journal->last_sequence(), Sequence{15});
        ASSERT_TRUE(journal->append({}, batch_of({"sixteen"})));
        EXPECT_EQ(problem_of(*copy), "");
        auto reader = Reader::open(*copy, {found()}).value();
        Record record;
        ASSERT_TRUE(reader.next(record, {16}).value());
        ASSERT_TRUE(reader.next(record, {16}).value());
        EXPECT_EQ(record.sequence, Sequence{16});
    }
}

void cut(MemoryDisk& disk, const std::string& name, std::size_t bytes) {
    const auto whole = disk.contents().at(name);
    ASSERT_TRUE(disk.remove(name));
    const auto file = disk.open(name, Disk::Mode::Create).value();
    ASSERT_TRUE(file->write_at(0, whole.substr(0, bytes)));
    ASSERT_TRUE(file->sync());
    ASSERT_TRUE(disk.sync_directory());
}

/// The start refuses, an operator accepts the loss, and the journal continues after the last known
/// record.
void expect_an_answer_is_enough(MemoryDisk& disk, std::uint64_t found, std::uint64_t last) {
    const auto before = disk.contents();
    EXPECT_EQ(Journal::open(disk, kSmall).error().fault, Fault::Corrupt);
    const auto verified = verify(disk, {}).value();
    ASSERT_TRUE(verified.lost) << verified.problem;
    EXPECT_EQ(verified.lost->found, Sequence{found});
    EXPECT_EQ(verified.lost->last, Sequence{last});
    EXPECT_EQ(disk.contents(), before);
    const auto accepted = Journal::open(disk, accepting(last));
    ASSERT_TRUE(accepted) << accepted.error().message;
    EXPECT_EQ(problem_of(disk), "");
    const auto journal = Journal::open(disk, kSmall).value();
    EXPECT_EQ(journal->last_sequence(), Sequence{last});
    ASSERT_TRUE(journal->append({}, batch_of({"next"})));
    EXPECT_EQ(problem_of(disk), "");
}

TEST_F(LostTailTest, TruncatedSegmentIsReported) {
    const auto name = last_segment();
    const auto whole = disk.contents().at(name);
    const auto frame = batch_of({testing::text_of(14, 700)}).bytes();
    const auto batches = (15 - found()) * frame;
    for (const std::size_t bytes : {std::size_t{0},
                                    std::size_t{100},
                                    std::size_t{4095},
                                    std::size_t{4096},
                                    4096 + frame / 2,
                                    4096 + frame,
                                    4096 + frame + 30,
                                    4096 + batches,
                                    std::size_t{8000}}) {
        SCOPED_TRACE(bytes);
        const auto copy = disk.clone();
        cut(*copy, name, bytes);
        const auto kept = bytes < 4096 ? 0 : std::min((bytes - 4096) / frame, batches / frame);
        expect_an_answer_is_enough(*copy, found() + kept, 15);
        EXPECT_EQ(copy->contents().contains(name + ".lost"), bytes < 4096);
        if (kept > 0) {
            EXPECT_EQ(copy->contents().at(name).size(), 8192U);
        }
    }
}

TEST_F(LostTailTest, OfASegmentThatWasCutOffInABatchHasTheRecordsOfThatBatch) {
    ASSERT_TRUE(disk.remove(kHighWaterName));  // The head of the batch tells as much.
    const auto frame = batch_of({testing::text_of(14, 700)}).bytes();
    for (const std::size_t bytes : {4096 + frame + 72, 4096 + 2 * frame - 1}) {
        SCOPED_TRACE(bytes);
        const auto copy = disk.clone();
        cut(*copy, last_segment(), bytes);
        expect_an_answer_is_enough(*copy, found() + 1, found() + 2);
    }
}

TEST_F(LostTailTest, SegmentWithoutAHeadIsReported) {
    const auto name = last_segment();
    const auto file = disk.open(name, Disk::Mode::ReadWrite).value();
    ASSERT_TRUE(file->write_at(0, std::string(4096, '\0')));
    ASSERT_TRUE(disk.remove(kHighWaterName));  // The batches after the head prove as much.
    expect_an_answer_is_enough(disk, found(), 15);
    EXPECT_TRUE(disk.contents().contains(name + ".lost"));
}

TEST_F(LostTailTest, WrongBytesInAHeadAreNoLostTail) {
    const auto name = last_segment();
    for (const std::size_t place : {0U, 20U}) {
        const auto copy = disk.clone();
        const auto file = copy->open(name, Disk::Mode::ReadWrite).value();
        ASSERT_TRUE(file->write_at(place, std::string(16, '\xff')));
        EXPECT_EQ(Journal::open(*copy, accepting(15)).error().fault, Fault::Corrupt);
        EXPECT_FALSE(verify(*copy, {})->lost) << "its batches are there, and a copy restores it";
        EXPECT_NE(problem_of(*copy).find(name), std::string::npos) << problem_of(*copy);
    }
}

TEST_F(LostTailTest, SeveralLostSegmentsAreReported) {
    const auto names = segments_of(disk);
    const auto first_lost = *parse_segment_name(names[1]);
    using Harm = std::function<void(MemoryDisk&, const std::string&)>;
    const Harm zero_all = [](MemoryDisk& at, const std::string& name) { zero(at, name, 0); };
    const Harm cut_head = [](MemoryDisk& at, const std::string& name) { cut(at, name, 100); };
    const Harm cut_batches = [](MemoryDisk& at, const std::string& name) { cut(at, name, 4096); };
    for (const auto& harm : {zero_all, cut_head, cut_batches}) {
        for (const auto& other : {zero_all, cut_head, cut_batches}) {
            const auto copy = disk.clone();
            harm(*copy, names[1]);
            other(*copy, names[2]);
            expect_an_answer_is_enough(*copy, first_lost.value - 1, 15);
        }
    }
}

TEST_F(LostTailTest, DamageInTheMiddleIsNoLostTail) {
    const auto name = segments_of(disk)[1];
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{4096}, std::size_t{6000}}) {
        const auto copy = disk.clone();
        cut(*copy, name, bytes);
        EXPECT_EQ(Journal::open(*copy, accepting(15)).error().fault, Fault::Corrupt);
        EXPECT_FALSE(verify(*copy, {})->lost);
        EXPECT_NE(problem_of(*copy).find(name), std::string::npos) << problem_of(*copy);
    }
}

TEST_F(LostTailTest, LossOfATruncatedSegmentSurvivesAnInterruptedAcceptance) {
    const auto frame = batch_of({testing::text_of(14, 700)}).bytes();
    const auto whole = disk.clone();
    for (const std::size_t bytes : {std::size_t{100}, 4096 + frame + 30}) {
        const auto harmed = whole->clone();
        cut(*harmed, last_segment(), bytes);
        const auto counting = harmed->clone();
        ASSERT_TRUE(Journal::open(*counting, accepting(15)));
        for (std::uint64_t n = 0; n < counting->operations(); ++n) {
            for (const auto disk_failure : testing::kDiskFailures) {
                SCOPED_TRACE(
                    fmt::format("{} bytes operation {} failure {}", bytes, n, int(disk_failure)));
                const auto copy = harmed->clone();
                copy->plan(n, disk_failure);
                try {
                    (void)Journal::open(*copy, accepting(15));
                } catch (const Crashed&) {
                }
                copy->lose_power([&](std::uint64_t) { return n % 2; });
                const auto lost = Journal::open(*copy, kReading).value()->recovery().lost;
                if (lost) {
                    EXPECT_EQ(lost->last, Sequence{15});
                    const auto accepted = Journal::open(*copy, accepting(15));
                    ASSERT_TRUE(accepted) << accepted.error().message;
                }
                ASSERT_EQ(Journal::open(*copy, kSmall).value()->last_sequence(), Sequence{15});
                ASSERT_EQ(problem_of(*copy), "");
            }
        }
    }
}

TEST_F(LostTailTest, OneLostRecordIsReportedAndAWholeJournalIsNot) {
    const auto begin = disk.contents().at(last_segment());
    const auto frame = batch_of({testing::text_of(14, 700)}).bytes();
    const auto end = begin.find_last_not_of('\0') + 1;
    const auto copy = disk.clone();
    zero(*copy, last_segment(), end - frame);
    const auto lost = verify(*copy, {})->lost;
    ASSERT_TRUE(lost);
    EXPECT_EQ(lost->records(), 1U);
    EXPECT_EQ(problem_of(disk), "");
    EXPECT_TRUE(Journal::open(disk, kSmall));
}

TEST_F(LostTailTest, LossOfAllSegmentsIsReported) {
    for (const auto& name : segments_of(disk)) ASSERT_TRUE(disk.remove(name));
    EXPECT_EQ(Journal::open(disk, kSmall).error().fault, Fault::Corrupt);
    EXPECT_EQ(verify(disk, {})->lost->records(), 15U);
    ASSERT_TRUE(Journal::open(disk, accepting(15)));
    const auto journal = Journal::open(disk, kSmall).value();
    ASSERT_TRUE(journal->append({}, batch_of({"next"})));
    EXPECT_EQ(journal->last_sequence(), Sequence{16});
    EXPECT_EQ(problem_of(disk), "");
}

TEST_F(LostTailTest, SnapshotsAndViewsAreEvidenceToo) {
    ASSERT_TRUE(Journal::open(disk, kSmall).value()->write_snapshot({{14}, {}, "state"}));
    ASSERT_TRUE(disk.remove(kHighWaterName));
    ASSERT_TRUE(disk.remove(last_segment()));
    EXPECT_NE(problem_of(disk).find("00000000000000000014.snapshot has record 14"),
              std::string::npos)
        << problem_of(disk);
    auto options = kSmall;
    options.viewed = {15};
    const auto refused = Journal::open(disk, options);
    EXPECT_NE(refused.error().message.find("views.db has record 15"), std::string::npos);
    EXPECT_EQ(verify(disk, {}, {15})->lost->last, Sequence{15});

    // The snapshot of lost records is not loaded any more, and not deleted.
    options = accepting(15);
    options.viewed = {15};
    ASSERT_TRUE(Journal::open(disk, options));
    EXPECT_EQ(*Journal::open(disk, kSmall).value()->newest_snapshot(), std::nullopt);
    EXPECT_TRUE(disk.contents().contains("00000000000000000014.snapshot.lost"));
}

TEST_F(LostTailTest, AcceptedLossIsRecordedAndItsNumbersStayUnused) {
    const auto left = found();
    diary.acknowledged.resize(left);
    ASSERT_TRUE(disk.remove(last_segment()));
    ASSERT_TRUE(Journal::open(disk, accepting(15)));
    EXPECT_EQ(problem_of(disk), "");
    {
        const auto journal = Journal::open(disk, kSmall).value();
        EXPECT_EQ(journal->last_sequence(), Sequence{15});
        EXPECT_EQ(journal->recovery().mark_note, "");
        for (int i = 0; i < 12; ++i) ASSERT_TRUE(diary.append(*journal, {700}));
        EXPECT_EQ(journal->last_sequence(), Sequence{27});
    }
    const auto verified = verify(disk, {}).value();
    EXPECT_EQ(verified.problem, "");
    EXPECT_EQ(verified.records, left + 12);
    ASSERT_EQ(verified.gaps.size(), 1U);
    EXPECT_EQ(verified.gaps[0].first, Sequence{left + 1});
    EXPECT_EQ(verified.gaps[0].last, Sequence{15});
    EXPECT_EQ(verified.gaps[0].accepted_at, at_ms(77));

    std::vector<std::string> replayed;
    std::vector<std::uint64_t> sequences;
    const auto journal = Journal::open(disk, kSmall).value();
    ASSERT_TRUE(journal->replay({0}, [&](const Record& record) -> Result<void> {
        replayed.emplace_back(record.payload);
        sequences.push_back(record.sequence.value);
        return {};
    }));
    EXPECT_EQ(replayed, diary.acknowledged);
    EXPECT_EQ(sequences[left - 1], left);
    EXPECT_EQ(sequences[left], 16U);
    ASSERT_TRUE(journal->write_snapshot({journal->last_sequence(), {}, "state"}));
    EXPECT_EQ(problem_of(disk), "");
}

TEST_F(LostTailTest, AcceptedLossIsPassedByReaders) {
    const auto left = found();
    ASSERT_TRUE(disk.remove(last_segment()));
    const auto journal = Journal::open(disk, accepting(15)).value();
    ASSERT_TRUE(journal->append({}, batch_of({"sixteen"})));
    for (std::uint64_t from = left; from <= 16; ++from) {
        auto reader = Reader::open(disk, {from}).value();
        Record record;
        if (from == left) {
            ASSERT_TRUE(reader.next(record, {16}).value());
            EXPECT_EQ(record.sequence, Sequence{left});
        }
        EXPECT_FALSE(reader.next(record, {15}).value()) << from;
        ASSERT_TRUE(reader.next(record, {16}).value()) << from;
        EXPECT_EQ(record.sequence, Sequence{16});
        EXPECT_EQ(record.payload, "sixteen");
    }
}

TEST_F(LostTailTest, AcceptedLossMayBeFollowedByABatchLargerThanASegment) {
    ASSERT_TRUE(disk.remove(last_segment()));
    const auto journal = Journal::open(disk, accepting(15)).value();
    ASSERT_TRUE(journal->append({}, batch_of({std::string(20'000, 'x')})));
    EXPECT_EQ(verify(disk, {})->gaps.size(), 1U);
    EXPECT_EQ(problem_of(disk), "");
    EXPECT_EQ(Journal::open(disk, kSmall).value()->last_sequence(), Sequence{16});
}

TEST_F(LostTailTest, AcceptanceMustNameTheActualLoss) {
    EXPECT_EQ(Journal::open(disk, accepting(15)).error().fault, Fault::Malformed);
    ASSERT_TRUE(disk.remove(last_segment()));
    const auto before = disk.contents();
    for (const std::uint64_t wrong : {0U, 14U, 16U}) {
        EXPECT_EQ(Journal::open(disk, accepting(wrong)).error().fault, Fault::Malformed) << wrong;
    }
    EXPECT_EQ(disk.contents(), before);
}

TEST_F(LostTailTest, CannotBeAcceptedWhereASegmentInTheMiddleIsMissing) {
    ASSERT_TRUE(disk.remove(segments_of(disk)[1]));
    const auto refused = Journal::open(disk, accepting(15));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, Fault::Corrupt);
    EXPECT_EQ(refused.error().message, "the segment before " + last_segment() + " is missing");
    EXPECT_EQ(problem_of(disk), refused.error().message);
}

TEST_F(LostTailTest, LossSurvivesAnInterruptedAcceptance) {
    ASSERT_TRUE(Journal::open(disk, kSmall).value()->write_snapshot({{15}, {}, "state"}));
    // Only the snapshot proves the last records.
    ASSERT_TRUE(disk.remove(kHighWaterName));
    ASSERT_TRUE(disk.remove(last_segment()));
    const auto counting = disk.clone();
    ASSERT_TRUE(Journal::open(*counting, accepting(15)));
    for (std::uint64_t n = 0; n < counting->operations(); ++n) {
        for (const auto disk_failure : testing::kDiskFailures) {
            for (const std::uint64_t kept : {0U, 1U}) {
                SCOPED_TRACE(
                    fmt::format("operation {} failure {} kept {}", n, int(disk_failure), kept));
                const auto copy = disk.clone();
                copy->plan(n, disk_failure);
                try {
                    (void)Journal::open(*copy, accepting(15));
                } catch (const Crashed&) {
                }
                copy->lose_power([&](std::uint64_t) { return kept; });
                const auto lost = Journal::open(*copy, kReading).value()->recovery().lost;
                if (lost) {
                    EXPECT_EQ(lost->last, Sequence{15});
                    ASSERT_TRUE(Journal::open(*copy, accepting(15)));
                }
                const auto journal = Journal::open(*copy, kSmall);
                ASSERT_TRUE(journal) << journal.error().message;
                ASSERT_EQ((*journal)->last_sequence(), Sequence{15});
                ASSERT_EQ(problem_of(*copy), "");
            }
        }
    }
}

struct HighWaterTest : LostTailTest {};

TEST_F(HighWaterTest, IsCreatedWhereMissing) {
    ASSERT_TRUE(disk.remove(kHighWaterName));
    EXPECT_EQ(problem_of(disk), "");
    EXPECT_NE(verify(disk, {})->mark_note, "");
    EXPECT_NE(Journal::open(disk, kSmall).value()->recovery().mark_note, "");
    EXPECT_EQ(Journal::open(disk, kSmall).value()->recovery().mark_note, "");
    EXPECT_EQ(read_high_water(disk)->mark->sequence, Sequence{15});
}

TEST_F(HighWaterTest, IsRecreatedAfterRemovalMoveOrReplacementWhileTheHubRuns) {
    const auto journal = Journal::open(disk, kSmall).value();
    const auto remark = [&] {
        ASSERT_TRUE(journal->append({}, batch_of({"next"})));
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
        EXPECT_EQ(read_high_water(disk)->mark, journal->high_water());
        EXPECT_FALSE(disk.has_unsynced(kHighWaterName));
    };
    remark();
    ASSERT_TRUE(disk.remove(kHighWaterName));
    remark();
    ASSERT_TRUE(disk.rename(kHighWaterName, "moved"));
    remark();
    ASSERT_TRUE(disk.rename("moved", kHighWaterName));
    remark();
    // Also without a later record.
    ASSERT_TRUE(disk.remove(kHighWaterName));
    ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    EXPECT_EQ(read_high_water(disk)->mark, journal->high_water());
}

TEST_F(HighWaterTest, DamagedFileNeverKeepsAWholeJournalFromStarting) {
    for (const auto& bytes : {std::string{},
                              std::string(8192, '\0'),
                              std::string(8192, 'x'),
                              disk.contents().at(kHighWaterName).substr(0, 50)}) {
        const auto copy = disk.clone();
        ASSERT_TRUE(copy->remove(kHighWaterName));
        const auto file = copy->open(kHighWaterName, Disk::Mode::Create).value();
        ASSERT_TRUE(file->write_at(0, bytes));
        EXPECT_EQ(problem_of(*copy), "");
        const auto journal = Journal::open(*copy, kSmall);
        ASSERT_TRUE(journal) << journal.error().message;
        EXPECT_NE((*journal)->recovery().mark_note.find("damaged"), std::string::npos);
        EXPECT_EQ(read_high_water(*copy)->mark->sequence, Sequence{15});
    }
}

TEST_F(HighWaterTest, KeepsNoWholeJournalFromStartingWhereTheDiskCannotReadIt) {
    for (const auto& [begin, end] : {std::pair{0U, 512U}, {4096U, 4608U}, {0U, 8192U}}) {
        SCOPED_TRACE(begin);
        const auto copy = disk.clone();
        copy->refuse_reads(kHighWaterName, begin, end);
        EXPECT_EQ(problem_of(*copy), "");
        const auto journal = Journal::open(*copy, kSmall);
        ASSERT_TRUE(journal) << journal.error().message;
        EXPECT_NE((*journal)->recovery().mark_note.find("damaged"), std::string::npos);
        const auto stored = read_high_water(*copy).value();
        EXPECT_FALSE(stored.is_unreadable) << "it stands where the disk cannot read it";
        EXPECT_EQ(stored.mark->sequence, Sequence{15});
    }
}

TEST_F(HighWaterTest, TellsOfALostEndWithTheSlotThatTheDiskCanRead) {
    disk.refuse_reads(kHighWaterName, 4096, 4608);  // The mark of before.
    ASSERT_TRUE(disk.remove(last_segment()));
    EXPECT_EQ(verify(disk, {})->lost->last, Sequence{15});
    ASSERT_TRUE(Journal::open(disk, accepting(15)));
    EXPECT_FALSE(read_high_water(disk)->is_unreadable);
}

TEST_F(HighWaterTest, SurvivesAnyFlippedBitInOneOfItsSlots) {
    for (const std::uint64_t slot : {0U, 4096U}) {
        for (std::uint64_t byte = slot; byte < slot + kHighWaterBytes; ++byte) {
            const auto copy = disk.clone();
            copy->flip_bit(kHighWaterName, byte, byte % 8);
            EXPECT_EQ(problem_of(*copy), "") << byte;
            EXPECT_TRUE(Journal::open(*copy, kSmall)) << byte;
            EXPECT_EQ(read_high_water(*copy)->mark->sequence, Sequence{15}) << byte;
        }
    }
}

TEST_F(HighWaterTest, OfAnotherJournalIsReplaced) {
    MemoryDisk other;
    {
        const auto journal = Journal::open(other, kSmall).value();
        for (int i = 0; i < 99; ++i) ASSERT_TRUE(journal->append({}, batch_of({"other"})));
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    }
    ASSERT_TRUE(disk.remove(kHighWaterName));
    const auto file = disk.open(kHighWaterName, Disk::Mode::Create).value();
    ASSERT_TRUE(file->write_at(0, other.contents().at(kHighWaterName)));
    EXPECT_EQ(problem_of(disk), "");
    const auto journal = Journal::open(disk, kSmall);
    ASSERT_TRUE(journal) << journal.error().message;
    EXPECT_NE((*journal)->recovery().mark_note.find("another journal"), std::string::npos);
    EXPECT_EQ(read_high_water(disk)->mark->sequence, Sequence{15});
}

TEST_F(HighWaterTest, OfANewerProgramIsRefusedUntouched) {
    auto prefix = disk.contents().at(kHighWaterName).substr(0, 12);
    store(prefix.data() + 8, kDataVersion + 1);
    append_word(prefix, crc32c(prefix));
    ASSERT_TRUE(disk.open(kHighWaterName, Disk::Mode::ReadWrite).value()->write_at(0, prefix));
    const auto before = disk.contents();
    EXPECT_EQ(Journal::open(disk, kSmall).error().fault, Fault::Unsupported);
    EXPECT_EQ(disk.contents(), before);
}

TEST_F(HighWaterTest, AgreesWithAnOlderCopyOfTheWholeDirectory) {
    const auto copy = disk.clone();
    const auto journal = Journal::open(disk, kSmall).value();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(diary.append(*journal, {700}));
    ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    EXPECT_TRUE(Journal::open(*copy, kSmall));
    EXPECT_EQ(problem_of(*copy), "");
}

TEST_F(HighWaterTest, IsWrittenWithOneWriteAndOneSyncAndNeverGoesBack) {
    const auto journal = Journal::open(disk, kSmall).value();
    ASSERT_TRUE(journal->append({}, batch_of({"a"})));
    ASSERT_TRUE(journal->write_high_water(journal->high_water()));  // Opens the file.
    ASSERT_TRUE(journal->append({}, batch_of({"b"})));
    const auto operations = disk.operations();
    ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    EXPECT_EQ(disk.operations(), operations + 2);
    ASSERT_TRUE(journal->write_high_water({{3}, {}, {}}));
    EXPECT_EQ(disk.operations(), operations + 2);
    EXPECT_EQ(read_high_water(disk)->mark, journal->high_water());
}

TEST_F(HighWaterTest, IsNeverAheadOfTheJournalAfterAnyFailure) {
    for (std::uint64_t n = 0; n < 8; ++n) {
        for (const auto disk_failure : testing::kDiskFailures) {
            SCOPED_TRACE(fmt::format("operation {} failure {}", n, int(disk_failure)));
            const auto copy = disk.clone();
            auto life = diary;
            try {
                const auto journal = Journal::open(*copy, kSmall).value();
                ASSERT_TRUE(life.append(*journal, {30}));
                copy->plan(n, disk_failure);
                (void)journal->write_high_water(journal->high_water());
                if (life.append(*journal, {30})) {
                    (void)journal->write_high_water(journal->high_water());
                }
            } catch (const Crashed&) {
            }
            copy->lose_power([](std::uint64_t) { return 0; });
            const auto again = Journal::open(*copy, kSmall);
            ASSERT_TRUE(again) << again.error().message;
            life.expect_kept(read_all(**again));
        }
    }
}

TEST_F(HighWaterTest, DoesNotPreventAStartOnAFullDisk) {
    ASSERT_TRUE(disk.remove(kHighWaterName));
    std::uint64_t used = 0;
    for (const auto& [name, bytes] : disk.contents()) used += bytes.size();
    disk.set_capacity(used);
    const auto journal = Journal::open(disk, kSmall);
    ASSERT_TRUE(journal) << journal.error().message;
    EXPECT_EQ((*journal)->write_high_water((*journal)->high_water()).error().fault,
              Fault::Exhausted);
    disk.set_capacity(used + 100'000);
    EXPECT_TRUE((*journal)->write_high_water((*journal)->high_water()));
    EXPECT_EQ(read_high_water(disk)->mark->sequence, Sequence{15});
}

}  // namespace
}  // namespace parlance::journal
