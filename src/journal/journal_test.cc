#include "journal/journal.h"

#include <thread>

#include <gtest/gtest.h>

#include "journal/testing/diary.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal {
namespace {

using testing::at_ms;
using testing::batch_of;
using testing::Diary;
using testing::DiskFailure;
using testing::kSmall;
using testing::MemoryDisk;
using testing::read_all;
using testing::text_of;

std::unique_ptr<Journal> opened(Disk& disk, Options options = kSmall) {
    auto journal = Journal::open(disk, options);
    EXPECT_TRUE(journal) << journal.error().message;
    return *std::move(journal);
}

TEST(Batch, IsFilledInPlaceOrAtOnceWithTheSameResult) {
    Batch in_place;
    in_place.open().append("one");
    in_place.close();
    const auto at_once = batch_of({"one"});
    EXPECT_EQ(in_place.bytes(), at_once.bytes());
    EXPECT_EQ(in_place.count(), 1U);
    in_place.clear();
    EXPECT_TRUE(in_place.empty());
    EXPECT_EQ(in_place.bytes(), Batch{}.bytes());
}

TEST(Journal, BeginsEmpty) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    EXPECT_EQ(journal->last_sequence(), Sequence{0});
    EXPECT_EQ(journal->chain(), Chain{});
    EXPECT_TRUE(read_all(*journal).empty());
    EXPECT_EQ(*journal->newest_snapshot(), std::nullopt);
}

TEST(Journal, NumbersRecordsFromOneAndKeepsTheirTime) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    ASSERT_TRUE(journal->append(at_ms(10), batch_of({"a", ""})));
    ASSERT_TRUE(journal->append(at_ms(20), batch_of({"c"})));
    EXPECT_EQ(journal->last_sequence(), Sequence{3});
    EXPECT_EQ(journal->last_time(), at_ms(20));
    std::vector<Time> times;
    ASSERT_TRUE(journal->replay({0}, [&](const Record& record) -> Result<void> {
        times.push_back(record.at);
        return {};
    }));
    EXPECT_EQ(times, (std::vector{at_ms(10), at_ms(10), at_ms(20)}));
    EXPECT_EQ(read_all(*journal), (std::vector<std::string>{"a", "", "c"}));
    EXPECT_EQ(read_all(*journal, {1}), (std::vector<std::string>{"", "c"}));
}

TEST(Journal, AppendsWithOneWriteAndOneSync) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    const auto operations = disk.operations();
    const auto syncs = disk.syncs();
    ASSERT_TRUE(journal->append({}, batch_of({"a", "b", "c"})));
    EXPECT_EQ(disk.operations() - operations, 2U);
    EXPECT_EQ(disk.syncs() - syncs, 1U);
}

TEST(Journal, IgnoresAnEmptyBatch) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    const auto operations = disk.operations();
    EXPECT_TRUE(journal->append({}, Batch{}));
    EXPECT_EQ(disk.operations(), operations);
}

TEST(Journal, ContinuesAfterARestartWithTheSameChain) {
    MemoryDisk whole_disk;
    MemoryDisk parted_disk;
    const auto whole = opened(whole_disk);
    for (std::size_t i = 0; i < 30; ++i) {
        const auto parted = opened(parted_disk);
        ASSERT_TRUE(whole->append(at_ms(5), batch_of({text_of(i, 900)})));
        ASSERT_TRUE(parted->append(at_ms(5), batch_of({text_of(i, 900)})));
        EXPECT_EQ(whole->chain(), parted->chain());
    }
    EXPECT_EQ(opened(parted_disk)->chain(), whole->chain());
    EXPECT_EQ(opened(parted_disk)->last_time(), at_ms(5));
}

TEST(Journal, StopsReplayingWhenTheCallbackFails) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    ASSERT_TRUE(journal->append({}, batch_of({"a", "b"})));
    int seen = 0;
    const auto replayed = journal->replay({0}, [&](const Record&) -> Result<void> {
        ++seen;
        return fail(Fault::Unsupported, "enough");
    });
    EXPECT_EQ(replayed.error().message, "enough");
    EXPECT_EQ(seen, 1);
}

TEST(Journal, MakesALargerSegmentForALargeBatch) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    ASSERT_TRUE(diary.append(*journal, {50'000}));
    ASSERT_TRUE(diary.append(*journal, {100}));
    ASSERT_TRUE(diary.append(*journal, {20'000}));
    EXPECT_EQ(read_all(*journal), diary.acknowledged);
    EXPECT_EQ(read_all(*opened(disk)), diary.acknowledged);
    EXPECT_EQ(verify(disk, {})->problem, "");
}

TEST(Journal, RollsIntoItsSpareWithoutNewSpace) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    EXPECT_TRUE(journal->wants_spare());
    ASSERT_TRUE(journal->prepare_spare());
    EXPECT_FALSE(journal->wants_spare());
    disk.set_capacity(0);
    ASSERT_TRUE(diary.append(*journal, {3000}));
    EXPECT_EQ(journal->room_bytes(), 4096U);
    ASSERT_TRUE(diary.append(*journal, {3000}));
    EXPECT_TRUE(journal->wants_spare());
    EXPECT_LT(journal->room_bytes(), 1096U);
    EXPECT_EQ(journal->prepare_spare().error().fault, Fault::Exhausted);
    EXPECT_TRUE(journal->wants_spare());
}

TEST(Journal, RollsIntoItsSpareWithoutOpeningAFile) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    ASSERT_TRUE(diary.append(*journal, {3000}));
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(journal->prepare_spare());
        const auto operations = disk.operations();
        ASSERT_TRUE(diary.append(*journal, {3000}));
        // Head, sync, rename, sync of the directory; then the batch and its sync.
        EXPECT_EQ(disk.operations() - operations, 6U);
    }
}

TEST(Journal, MakesASegmentWhenTheSpareWasRemoved) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    ASSERT_TRUE(journal->prepare_spare());
    ASSERT_TRUE(disk.remove("spare.journal"));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(diary.append(*journal, {3000}));
    EXPECT_TRUE(journal->wants_spare());
    EXPECT_EQ(read_all(*opened(disk)), diary.acknowledged);
    EXPECT_EQ(verify(disk, {})->problem, "");
}

TEST(Journal, MakesASegmentWhereSomebodyReplacedItsSpare) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    ASSERT_TRUE(journal->prepare_spare());
    const auto bytes = disk.contents().at("spare.journal");
    ASSERT_TRUE(disk.remove("spare.journal"));
    ASSERT_TRUE(disk.open("spare.journal", Disk::Mode::Create).value()->write_at(0, bytes));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(diary.append(*journal, {3000}));
    ASSERT_TRUE(journal->prepare_spare());
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(diary.append(*journal, {3000}));
    EXPECT_EQ(read_all(*opened(disk)), diary.acknowledged);
    EXPECT_EQ(verify(disk, {})->problem, "");
}

TEST(Journal, PromisesNothingMoreOnceItsSegmentHasNoName) {
    for (const bool is_rolling : {false, true}) {
        MemoryDisk disk;
        Diary diary;
        const auto journal = opened(disk);
        ASSERT_TRUE(diary.append(*journal, {30}));
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
        ASSERT_TRUE(disk.rename("00000000000000000001.journal", "moved"));
        const auto told = is_rolling ? journal->append({}, batch_of({text_of(1, 5000)}))
                                     : journal->write_high_water(journal->high_water());
        ASSERT_FALSE(told);
        EXPECT_EQ(told.error().fault, Fault::Unavailable);
        EXPECT_NE(told.error().message.find("00000000000000000001.journal"), std::string::npos);
        EXPECT_EQ(journal->append({}, batch_of({"a"})).error().message, told.error().message);
        EXPECT_EQ(verify(disk, {})->lost->last, Sequence{1});
    }
}

TEST(Journal, RecoversFromAnyFailureExceptAFailedSync) {
    for (const auto disk_failure :
         {DiskFailure::Error, DiskFailure::Full, DiskFailure::ShortError, DiskFailure::ShortFull}) {
        for (std::uint64_t n = 0;; ++n) {
            MemoryDisk disk;
            Diary diary;
            const auto journal = opened(disk);
            ASSERT_TRUE(diary.append(*journal, {3000}));
            const auto operations = disk.operations();
            disk.plan(n, disk_failure);
            const auto batch = batch_of({text_of(1, 3000)});
            const auto rolled = journal->append({}, batch);
            if (rolled && disk.operations() - operations <= n) break;
            const auto again = journal->append({}, batch);
            SCOPED_TRACE(fmt::format("operation {} failure {}", n, int(disk_failure)));
            // After a failed sync nothing is tried again; after any other failure the second append
            // succeeds.
            EXPECT_TRUE(again || again.error().fault != Fault::Exhausted);
            if (rolled) continue;
            EXPECT_EQ(rolled.error().fault == Fault::Exhausted, again.has_value());
            EXPECT_TRUE(again || again.error().message == rolled.error().message);
        }
    }
}

TEST(Journal, WaitsForRoomOnAFullDiskAndLosesNothing) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    ASSERT_TRUE(diary.append(*journal, {3000}));
    const auto before = disk.contents();
    disk.set_capacity(12'000);
    const auto batch = batch_of({text_of(1, 3000)});
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(journal->append({}, batch).error().fault, Fault::Exhausted);
    }
    EXPECT_EQ(disk.contents(), before);  // A half-made segment does not keep its space either.
    EXPECT_EQ(journal->last_sequence(), Sequence{1});
    disk.set_capacity(100'000);
    ASSERT_TRUE(journal->append({}, batch));
    EXPECT_EQ(read_all(*opened(disk)).size(), 2U);
}

TEST(Journal, AcceptsADifferentBatchAfterAFullDisk) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    disk.plan(0, DiskFailure::ShortFull);
    EXPECT_EQ(journal->append({}, batch_of({text_of(1, 3000)})).error().fault, Fault::Exhausted);
    ASSERT_TRUE(journal->append({}, batch_of({"short"})));
    EXPECT_EQ(read_all(*opened(disk)), std::vector<std::string>{"short"});
}

TEST(Journal, RefusesEverythingAfterAFailedSyncWithTheSameError) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    disk.plan(1, DiskFailure::Full);
    const auto failed = journal->append({}, batch_of({"a"}));
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().fault, Fault::Exhausted);
    const auto syncs = disk.syncs();
    EXPECT_EQ(journal->append({}, batch_of({"a"})).error().message, failed.error().message);
    EXPECT_FALSE(journal->prepare_spare());
    EXPECT_FALSE(journal->write_snapshot({}));
    EXPECT_FALSE(journal->wants_spare());
    EXPECT_EQ(disk.syncs(), syncs);
    EXPECT_EQ(journal->last_sequence(), Sequence{0});
}

TEST(Journal, StopsAppendingWhenASyncOfTheSpareFailed) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    disk.plan(3, DiskFailure::Error);  // After remove, open and one write.
    ASSERT_FALSE(journal->prepare_spare());
    EXPECT_FALSE(journal->append({}, batch_of({"a"})));
}

TEST(Journal, RejectsASpareOfTheWrongSize) {
    MemoryDisk disk;
    ASSERT_TRUE(opened(disk)->prepare_spare());
    EXPECT_FALSE(opened(disk)->wants_spare());
    const auto journal = opened(disk, {.segment_bytes = 16384, .is_read_only = false});
    EXPECT_TRUE(journal->wants_spare());
}

TEST(Journal, RejectsASpareThatIsNotBlank) {
    MemoryDisk disk;
    ASSERT_TRUE(opened(disk)->prepare_spare());
    disk.flip_bit("spare.journal", 5000, 3);
    EXPECT_TRUE(opened(disk)->wants_spare());
}

TEST(Journal, A2_RefusesToStartWithUnreadableLastRecordsAndCutsNothing) {
    MemoryDisk disk;
    Diary diary;
    {
        const auto journal = Journal::open(disk, kSmall).value();
        ASSERT_TRUE(diary.append(*journal, {400, 40}));
    }
    const auto before = disk.contents();
    const std::string name{"00000000000000000001.journal"};
    for (const std::uint64_t end : {4097U, 8192U}) {
        disk.refuse_reads(name, end - 1, end);  // In the batch, or in the zeros after the batch.
        const auto refused = Journal::open(disk, kSmall);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().fault, Fault::Corrupt) << refused.error().message;
    }
    EXPECT_EQ(disk.contents(), before);
    disk.refuse_reads(name, 0, 0);
    EXPECT_EQ(read_all(*Journal::open(disk, kSmall).value()), diary.acknowledged);
}

TEST(Journal, ReplacesAnUnreadableSpare) {
    MemoryDisk disk;
    { ASSERT_TRUE(Journal::open(disk, kSmall).value()->prepare_spare()); }
    disk.refuse_reads("spare.journal", 4096, 8192);
    const auto journal = Journal::open(disk, kSmall);
    ASSERT_TRUE(journal) << journal.error().message;
    EXPECT_TRUE((*journal)->wants_spare());
}

TEST(Journal, RefusesSegmentsTooSmallToHoldAnything) {
    MemoryDisk disk;
    EXPECT_FALSE(Journal::open(disk, {.segment_bytes = 4096, .is_read_only = false}));
}

TEST(Journal, AppendsWhileASpareAndASnapshotAreWritten) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    for (int round = 0; round < 20; ++round) {
        const Snapshot snapshot{journal->last_sequence(), {}, std::string(3000, 's')};
        std::jthread chores{[&] {
            EXPECT_TRUE(journal->prepare_spare());
            EXPECT_TRUE(journal->write_snapshot(snapshot));
        }};
        for (int i = 0; i < 6; ++i) ASSERT_TRUE(diary.append(*journal, {700, 200}));
    }
    EXPECT_EQ(read_all(*opened(disk)), diary.acknowledged);
    EXPECT_EQ(verify(disk, {})->problem, "");
}

Snapshot snapshot_at(const Journal& journal, std::string payload) {
    return {journal.last_sequence(), journal.last_time(), std::move(payload)};
}

TEST(Snapshots, ComeBackAndTheNewestTwoAreKept) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    for (const auto* payload : {"first", "second", "third"}) {
        ASSERT_TRUE(diary.append(*journal, {500, 50}));
        ASSERT_TRUE(journal->write_snapshot(snapshot_at(*journal, payload)));
    }
    ASSERT_TRUE(diary.append(*journal, {70}));
    const auto again = opened(disk);
    const auto snapshot = **again->newest_snapshot();
    EXPECT_EQ(snapshot.payload, "third");
    EXPECT_EQ(snapshot.sequence, Sequence{6});
    EXPECT_EQ(read_all(*again, snapshot.sequence).size(), 1U);
    const auto names = *disk.list();
    EXPECT_EQ(std::ranges::count_if(
                  names, [](const std::string& name) { return name.ends_with(".snapshot"); }),
              2);
}

TEST(Snapshots, AreSkippedWhenDamagedForTheOneBefore) {
    MemoryDisk disk;
    Diary diary;
    {
        const auto journal = opened(disk);
        for (const auto* payload : {"first", "second"}) {
            ASSERT_TRUE(diary.append(*journal, {500, 50}));
            ASSERT_TRUE(journal->write_snapshot(snapshot_at(*journal, payload)));
        }
    }
    const auto bytes = disk.contents().at("00000000000000000004.snapshot").size();
    for (std::uint64_t byte = 0; byte < bytes; ++byte) {
        disk.flip_bit("00000000000000000004.snapshot", byte, byte % 8);
        const auto journal = opened(disk);
        std::string why;
        const auto snapshot =
            journal->newest_snapshot([&](const std::string& said) { why = said; });
        EXPECT_EQ((*snapshot)->payload, "first");
        EXPECT_NE(why.find("00000000000000000004.snapshot"), std::string::npos) << why;
        EXPECT_EQ(read_all(*journal, {2}).size(), 2U);
        const auto found = verify(disk, {});
        EXPECT_NE(found->problem, "");
        EXPECT_TRUE(found->is_journal_whole);
        EXPECT_EQ(found->records, 4U);
        disk.flip_bit("00000000000000000004.snapshot", byte, byte % 8);
    }
}

/// Writes a snapshot in these pieces, after a whole snapshot.
std::string write_pieces(MemoryDisk& disk, const std::vector<std::string>& pieces) {
    const auto journal = opened(disk);
    EXPECT_TRUE(journal->append({}, batch_of({"a"})));
    EXPECT_TRUE(journal->write_snapshot(snapshot_at(*journal, "first")));
    EXPECT_TRUE(journal->append({}, batch_of({"b"})));
    auto writer = journal->start_snapshot(journal->last_sequence(), {}).value();
    for (const auto& piece : pieces) EXPECT_TRUE(writer->add(piece));
    EXPECT_TRUE(writer->finish());
    return "00000000000000000002.snapshot";
}

std::vector<std::string> some_pieces() {
    return {std::string(10, 'a'), std::string(1, 'b'), std::string(700, 'c'), std::string(99, 'd')};
}

/// The payload of the newest whole snapshot on a disk where the file `name` has these bytes.
std::string newest_payload(const std::string& name, const std::string& bytes) {
    MemoryDisk disk;
    (void)write_pieces(disk, some_pieces());
    EXPECT_TRUE(disk.remove(name));
    auto file = disk.open(name, Disk::Mode::Create).value();
    EXPECT_TRUE(file->write_at(0, bytes));
    const auto journal = opened(disk);
    return (*journal->newest_snapshot())->payload;
}

TEST(Snapshots, ComeBackPieceByPiece) {
    MemoryDisk disk;
    (void)write_pieces(disk, some_pieces());
    const auto journal = opened(disk);
    auto reader = journal->open_newest_snapshot();
    ASSERT_TRUE(reader && reader->has_value());
    EXPECT_EQ((*reader)->sequence(), Sequence{2});
    std::string piece;
    for (const auto& written : some_pieces()) {
        ASSERT_TRUE((*reader)->next(piece).value());
        EXPECT_EQ(piece, written);
    }
    EXPECT_FALSE((*reader)->next(piece).value());
}

TEST(Snapshots, AreRefusedWhenTruncatedAnywhere) {
    MemoryDisk disk;
    const auto name = write_pieces(disk, some_pieces());
    const auto bytes = disk.contents().at(name);
    ASSERT_EQ(newest_payload(name, bytes).size(), 810U);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_EQ(newest_payload(name, bytes.substr(0, size)), "first") << size;
    }
    EXPECT_EQ(newest_payload(name, bytes + '\0'), "first") << "and so is a byte too many";
    EXPECT_EQ(newest_payload(name, bytes + bytes.substr(bytes.size() - 24)), "first");
}

TEST(Snapshots, AreRefusedWithAFlippedBitInAnyFrame) {
    MemoryDisk disk;
    const auto name = write_pieces(disk, some_pieces());
    const auto bytes = disk.contents().at(name);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        auto flipped = bytes;
        flipped[at] = static_cast<char>(static_cast<unsigned char>(flipped[at]) ^ (1U << at % 8));
        EXPECT_EQ(newest_payload(name, flipped), "first") << at;
    }
}

TEST(Snapshots, AreRefusedWithMissingDoubledOrSwappedFrames) {
    MemoryDisk disk;
    const std::string piece(50, 'p');
    const auto name = write_pieces(disk, {piece, piece, std::string(50, 'q')});
    const auto bytes = disk.contents().at(name);
    constexpr std::size_t kHead = 68;
    constexpr std::size_t kFrame = 58;
    const auto head = bytes.substr(0, kHead);
    const auto trailer = bytes.substr(kHead + 3 * kFrame);
    const auto frame = [&](std::size_t i) { return bytes.substr(kHead + i * kFrame, kFrame); };
    ASSERT_EQ(head + frame(0) + frame(1) + frame(2) + trailer, bytes);
    EXPECT_EQ(newest_payload(name, head + frame(0) + frame(1) + trailer), "first");
    EXPECT_EQ(newest_payload(name, head + frame(0) + frame(2) + trailer), "first");
    EXPECT_EQ(newest_payload(name, head + frame(0) + frame(2) + frame(1) + trailer), "first");
    EXPECT_EQ(newest_payload(name, head + frame(0) + bytes.substr(kHead)), "first");
    EXPECT_EQ(newest_payload(name, head + trailer), "first");
}

TEST(Snapshots, LeaveNothingBehindAfterAFailureAndRepeatTheError) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    ASSERT_TRUE(journal->append({}, batch_of({"a"})));
    auto writer = journal->start_snapshot(journal->last_sequence(), {}).value();
    ASSERT_TRUE(writer->add("one"));
    disk.plan(1, DiskFailure::ShortFull);
    const auto failed = writer->add("two");
    ASSERT_FALSE(failed);
    EXPECT_EQ(writer->add("three").error().message, failed.error().message);
    EXPECT_EQ(writer->finish().error().message, failed.error().message);
    for (const auto& [name, bytes] : disk.contents()) {
        EXPECT_EQ(name.find(".snapshot"), std::string::npos) << name;
    }
}

TEST(Snapshots, AreTakenAtTheEndOfABatchOnly) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    ASSERT_TRUE(journal->append({}, batch_of({"a", "b"})));
    EXPECT_FALSE(journal->write_snapshot({{1}, {}, "x"}));
    EXPECT_FALSE(journal->write_snapshot({{3}, {}, "x"}));
    EXPECT_TRUE(journal->write_snapshot({{2}, {}, "x"}));
}

TEST(Snapshots, OfADifferentJournalAreRefused) {
    MemoryDisk ours;
    MemoryDisk theirs;
    for (auto* disk : {&ours, &theirs}) {
        const auto journal = opened(*disk);
        ASSERT_TRUE(journal->append({}, batch_of({disk == &ours ? "ours" : "theirs"})));
        ASSERT_TRUE(journal->write_snapshot(snapshot_at(*journal, "state")));
    }
    const std::string name = "00000000000000000001.snapshot";
    const auto file = *ours.open(name, Disk::Mode::ReadWrite);
    ASSERT_TRUE(file->write_at(0, theirs.contents().at(name)));
    const auto journal = opened(ours);
    ASSERT_TRUE(journal->newest_snapshot());
    const auto replayed = journal->replay({1}, [](const Record&) -> Result<void> { return {}; });
    EXPECT_EQ(replayed.error().fault, Fault::Corrupt);
    EXPECT_NE(verify(ours, {})->problem, "");
}

TEST(Snapshots, LeaveNothingBehindOnAFullDisk) {
    MemoryDisk disk;
    const auto journal = opened(disk);
    ASSERT_TRUE(journal->append({}, batch_of({"a"})));
    const auto before = disk.contents();
    disk.set_capacity(9000);
    const auto written = journal->write_snapshot(snapshot_at(*journal, std::string(5000, 's')));
    EXPECT_EQ(written.error().fault, Fault::Exhausted);
    EXPECT_EQ(disk.contents(), before);
    EXPECT_TRUE(journal->append({}, batch_of({"b"})));
}

TEST(Reader, FollowsAJournalThatGrows) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    auto reader = *Reader::open(disk, {1});
    Record record;
    for (int i = 0; i < 40; ++i) {
        EXPECT_FALSE(*reader.next(record, journal->last_sequence()));
        const auto before = diary.acknowledged.size();
        ASSERT_TRUE(diary.append(*journal, {300, i == 20 ? 20'000U : 400U}));
        for (auto at = before; at < diary.acknowledged.size(); ++at) {
            const auto got = reader.next(record, journal->last_sequence());
            ASSERT_TRUE(got) << got.error().message;
            ASSERT_TRUE(*got);
            EXPECT_EQ(record.sequence.value, at + 1);
            EXPECT_EQ(record.payload, diary.acknowledged[at]);
        }
    }
}

TEST(Reader, ReadsExactlyTheRequestedRange) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(diary.append(*journal, {700, 30, 40}));
    for (std::uint64_t from = 1; from <= 60; ++from) {
        auto reader = *Reader::open(disk, {from});
        Record record;
        EXPECT_FALSE(*reader.next(record, {from - 1}));
        ASSERT_TRUE(*reader.next(record, {from}));
        EXPECT_EQ(record.payload, diary.acknowledged[from - 1]);
        EXPECT_FALSE(*reader.next(record, {from}));
    }
}

TEST(Reader, StartsAtABatchFoundByAnotherReader) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(diary.append(*journal, {700, 30, 40}));
    auto scout = *Reader::open(disk, {1});
    for (std::uint64_t at = 1; at <= 60; ++at) {
        Record record;
        ASSERT_TRUE(*scout.next(record, {60}));
        EXPECT_EQ(scout.place().first.value, (at - 1) / 3 * 3 + 1);  // Three records per batch.
        auto reader = *Reader::open(disk, scout.place(), {at});
        ASSERT_TRUE(*reader.next(record, {60}));
        EXPECT_EQ(record.payload, diary.acknowledged[at - 1]);
    }
}

TEST(Reader, ReportsDamageInsteadOfTheRecord) {
    MemoryDisk disk;
    Diary diary;
    const auto journal = opened(disk);
    ASSERT_TRUE(diary.append(*journal, {100}));
    disk.flip_bit("00000000000000000001.journal", 4096 + 72 + 30, 2);
    auto reader = *Reader::open(disk, {1});
    Record record;
    EXPECT_EQ(reader.next(record, {1}).error().fault, Fault::Corrupt);
}

TEST(Reader, ReportsAMissingJournal) {
    MemoryDisk disk;
    EXPECT_EQ(Reader::open(disk, {1}).error().fault, Fault::NotFound);
}

}  // namespace
}  // namespace parlance::journal
