// For every operation of the disk and every possible failure of the operation: acknowledged records
// are present after the restart, in order, and the chain verifies.
#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "journal/journal.h"
#include "journal/testing/diary.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal {
namespace {

using testing::Crashed;
using testing::Diary;
using testing::DiskFailure;
using testing::kSmall;
using testing::MemoryDisk;

std::string snapshot_text(Sequence sequence) {
    return testing::text_of(sequence.value, 700) + " is the state at this point";
}

void take_snapshot(Journal& journal) {
    (void)journal.write_snapshot({.sequence = journal.last_sequence(),
                                  .at = journal.last_time(),
                                  .payload = snapshot_text(journal.last_sequence())});
}

/// The work of one hub process: small and large batches, rolls with and without a spare, snapshots.
void live(MemoryDisk& disk, Diary& diary) {
    auto opened = Journal::open(disk, kSmall);
    if (!opened) return;
    auto& journal = **opened;
    const std::vector<std::vector<std::size_t>> days{{20},
                                                     {30, 40, 600},
                                                     {1500, 13},
                                                     {700},
                                                     {900, 900},
                                                     {2000},
                                                     {12},
                                                     {9000},
                                                     {100, 1100},
                                                     {1700, 80},
                                                     {900}};
    for (std::size_t day = 0; day < days.size(); ++day) {
        if (!diary.append(journal, days[day])) return;
        if (day == 1 || day == 6) (void)journal.prepare_spare();
        if (day % 4 == 2) take_snapshot(journal);
        if (day % 3 == 1) (void)journal.write_high_water(journal.high_water());
    }
}

void live_until_crash(MemoryDisk& disk, Diary& diary) {
    try {
        live(disk, diary);
    } catch (const Crashed&) {
    }
}

void expect_snapshot_is_right(Journal& journal, const std::vector<std::string>& all) {
    const auto snapshot = journal.newest_snapshot();
    ASSERT_TRUE(snapshot) << snapshot.error().message;
    if (!*snapshot) return;
    EXPECT_EQ((*snapshot)->payload, snapshot_text((*snapshot)->sequence));
    const auto rest = testing::read_all(journal, (*snapshot)->sequence);
    EXPECT_EQ(rest.size() + (*snapshot)->sequence.value, all.size());
}

void expect_reader_agrees(MemoryDisk& disk, const std::vector<std::string>& all) {
    auto reader = Reader::open(disk, {1});
    ASSERT_TRUE(reader) << reader.error().message;
    Record record;
    for (const auto& payload : all) {
        const auto got = reader->next(record, {all.size()});
        ASSERT_TRUE(got) << got.error().message;
        ASSERT_TRUE(*got);
        EXPECT_EQ(record.payload, payload);
    }
}

/// The next process starts, finds all acknowledged records, and can append.
void expect_recovery(MemoryDisk& disk, Diary diary) {
    {
        auto opened = Journal::open(disk, kSmall);
        ASSERT_TRUE(opened) << opened.error().message;
        auto& journal = **opened;
        const auto found = testing::read_all(journal);
        diary.expect_kept(found);
        expect_snapshot_is_right(journal, found);
        expect_reader_agrees(disk, found);
        diary.acknowledged = found;
        ASSERT_TRUE(diary.append(journal, {60, 70}));
    }
    const auto verified = verify(disk, {});
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->problem, "");
    EXPECT_EQ(verified->records, diary.acknowledged.size());

    disk.lose_power([](std::uint64_t) { return 0; });
    auto again = Journal::open(disk, kSmall);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(testing::read_all(**again), diary.acknowledged);
}

void expect_recovery_from_power_loss(const MemoryDisk& disk,
                                     const Diary& diary,
                                     const testing::Chooser& choose) {
    const auto after = disk.clone();
    after->lose_power(choose);
    expect_recovery(*after, diary);
}

void expect_recovery_from_everything(const MemoryDisk& disk, const Diary& diary, unsigned seed) {
    const auto killed = disk.clone();
    killed->restart();
    expect_recovery(*killed, diary);
    expect_recovery_from_power_loss(disk, diary, [](std::uint64_t) { return 0; });
    expect_recovery_from_power_loss(disk, diary, [](std::uint64_t) { return 1; });
    std::mt19937_64 entropy{seed};
    for (int i = 0; i < 4; ++i) {
        expect_recovery_from_power_loss(
            disk, diary, [&](std::uint64_t bound) { return entropy() % bound; });
    }
}

std::uint64_t operations_of_a_life() {
    MemoryDisk disk;
    Diary diary;
    live(disk, diary);
    EXPECT_EQ(diary.acknowledged.size(), diary.number);
    return disk.operations();
}

class EveryOperation : public ::testing::TestWithParam<DiskFailure> {};

TEST_P(EveryOperation, MayFailWithoutLosingAcknowledgedRecords) {
    const auto operations = operations_of_a_life();
    for (std::uint64_t n = 0; n < operations; ++n) {
        SCOPED_TRACE(fmt::format("operation {}", n));
        MemoryDisk disk;
        Diary diary;
        disk.plan(n, GetParam());
        live_until_crash(disk, diary);
        expect_recovery_from_everything(disk, diary, static_cast<unsigned>(n));
        if (HasFailure()) return;
    }
}

std::string name_of(const ::testing::TestParamInfo<DiskFailure>& tested) {
    static constexpr const char* kNames[] = {
        "Error", "Full", "ShortError", "ShortFull", "CrashBefore", "CrashWithin", "CrashAfter"};
    return kNames[static_cast<std::size_t>(tested.param)];
}

INSTANTIATE_TEST_SUITE_P(Of, EveryOperation, ::testing::ValuesIn(testing::kDiskFailures), name_of);

/// A disk with the remains of an append that lost some sectors.
std::unique_ptr<MemoryDisk> torn_disk(Diary& diary, const testing::Chooser& choose) {
    auto disk = std::make_unique<MemoryDisk>();
    {
        auto journal = Journal::open(*disk, kSmall).value();
        EXPECT_TRUE(diary.append(*journal, {100, 300}));
        disk->plan(1, DiskFailure::CrashBefore);  // The write is done, the sync is not.
        EXPECT_THROW(diary.append(*journal, {200, 1500, 40}), Crashed);
    }
    disk->lose_power(choose);
    return disk;
}

testing::Chooser every_other() {
    return [n = 0U](std::uint64_t) mutable { return ++n % 2; };
}

TEST(Recovery, MayBeInterruptedAtAnyOperationInAnyWay) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        Diary diary;
        std::mt19937_64 entropy{seed};
        const auto torn = torn_disk(diary, [&](std::uint64_t bound) { return entropy() % bound; });
        const auto counting = torn->clone();
        ASSERT_TRUE(Journal::open(*counting, kSmall));
        for (std::uint64_t n = 0; n < counting->operations(); ++n) {
            for (const auto disk_failure : testing::kDiskFailures) {
                SCOPED_TRACE(
                    fmt::format("seed {} operation {} failure {}", seed, n, int(disk_failure)));
                const auto disk = torn->clone();
                disk->plan(n, disk_failure);
                try {
                    (void)Journal::open(*disk, kSmall);
                } catch (const Crashed&) {
                }
                expect_recovery_from_everything(*disk, diary, seed);
                if (HasFailure()) return;
            }
        }
    }
}

/// Overwrites the bytes from `begin` to `end`, the last part of a sector, with zeros.
void tear_inside(MemoryDisk& disk,
                 const std::string& name,
                 std::uint64_t begin,
                 std::uint64_t end) {
    const auto file = disk.open(name, Disk::Mode::ReadWrite).value();
    ASSERT_TRUE(file->write_at(begin, std::string(end - begin, '\0')));
}

TEST(Recovery, A2_CutsABatchThatWasTornInsideASector) {
    const std::string name = "00000000000000000001.journal";
    // The second batch begins in different parts of a sector, so that its head spans two sectors.
    for (const std::size_t before : {60U, 330U, 345U}) {
        MemoryDisk whole;
        Diary diary;
        std::uint64_t begin = 0;
        {
            auto journal = Journal::open(whole, kSmall).value();
            ASSERT_TRUE(diary.append(*journal, {before}));
            begin = whole.contents().at(name).find_last_not_of('\0') + 1;
            auto batch = testing::batch_of({testing::text_of(1, 900), testing::text_of(2, 700)});
            ASSERT_TRUE(journal->append({}, batch));
        }
        const auto bytes = whole.contents().at(name);
        const auto end = bytes.find_last_not_of('\0') + 1;
        for (auto at = begin; at < end; ++at) {
            const auto sector_end = std::min<std::uint64_t>(at / 512 * 512 + 512, end);
            const auto lost = std::string_view{bytes}.substr(at, sector_end - at);
            unsigned bits = 0;
            for (const char byte : lost) {
                bits += static_cast<unsigned>(std::popcount(static_cast<unsigned char>(byte)));
            }
            if (bits <= 1) continue;  // Indistinguishable from a flipped bit.
            const auto torn = whole.clone();
            tear_inside(*torn, name, at, sector_end);
            const auto opened = Journal::open(*torn, kSmall);
            ASSERT_TRUE(opened) << before << ":" << at << " " << opened.error().message;
            ASSERT_EQ(testing::read_all(**opened), diary.acknowledged) << at;
            ASSERT_EQ(verify(*torn, {})->problem, "") << at;
        }
    }
}

TEST(Recovery, A2_DoesNotCutATornBatchBelowTheHighWaterMark) {
    MemoryDisk disk;
    {
        auto journal = Journal::open(disk, kSmall).value();
        ASSERT_TRUE(journal->append({}, testing::batch_of({testing::text_of(1, 1200)})));
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    }
    tear_inside(disk, "00000000000000000001.journal", 4096 + 300, 4096 + 512);
    const auto before = disk.contents();
    EXPECT_EQ(Journal::open(disk, kSmall).error().fault, Fault::Corrupt);
    EXPECT_EQ(verify(disk, {})->lost->records(), 1U);
    EXPECT_EQ(disk.contents(), before);
}

TEST(Recovery, ReportsTheCutBytes) {
    Diary diary;
    const auto disk = torn_disk(diary, every_other());
    const auto journal = Journal::open(*disk, kSmall).value();
    EXPECT_GT(journal->recovery().bytes_cut, 0U);
    EXPECT_TRUE(journal->recovery().cut_from.starts_with("00000000000000000001.journal:"));
    EXPECT_EQ(Journal::open(*disk, kSmall).value()->recovery().cut_from, "");
}

TEST(Recovery, ReadOnlyChangesNothing) {
    Diary diary;
    const auto disk = torn_disk(diary, every_other());
    const auto before = disk->contents();
    const auto journal =
        Journal::open(*disk, {.segment_bytes = 8192, .is_read_only = true}).value();
    EXPECT_EQ(testing::read_all(*journal), diary.acknowledged);
    EXPECT_FALSE(journal->append({}, testing::batch_of({"x"})));
    EXPECT_FALSE(journal->prepare_spare());
    EXPECT_EQ(disk->contents(), before);
}

TEST(Recovery, MakesABatchDurableThatAFailedSyncLeftInTheCache) {
    MemoryDisk disk;
    Diary diary;
    {
        auto journal = Journal::open(disk, kSmall).value();
        ASSERT_TRUE(diary.append(*journal, {100}));
        disk.plan(1, DiskFailure::Error);
        ASSERT_FALSE(diary.append(*journal, {100}));
    }
    disk.restart();
    const auto seen = testing::read_all(*Journal::open(disk, kSmall).value());
    disk.lose_power([](std::uint64_t) { return 0; });
    EXPECT_EQ(testing::read_all(*Journal::open(disk, kSmall).value()), seen);
}

}  // namespace
}  // namespace parlance::journal
