#include "journal/testing/memory_disk.h"

#include <gtest/gtest.h>

namespace parlance::journal::testing {
namespace {

const Chooser kNothing = [](std::uint64_t) { return 0; };
const Chooser kEverything = [](std::uint64_t) { return 1; };

std::string text_in(MemoryDisk& disk, const std::string& name) { return disk.contents().at(name); }

/// One durable file "a" of 2048 x.
std::unique_ptr<MemoryDisk> disk_with_a() {
    auto disk = std::make_unique<MemoryDisk>();
    auto file = disk->open("a", Disk::Mode::Create).value();
    EXPECT_TRUE(file->write_at(0, std::string(2048, 'x')));
    EXPECT_TRUE(file->sync());
    EXPECT_TRUE(disk->sync_directory());
    return disk;
}

TEST(MemoryDisk, KeepsSyncedDataThroughAPowerLoss) {
    const auto disk = disk_with_a();
    disk->lose_power(kNothing);
    EXPECT_EQ(text_in(*disk, "a"), std::string(2048, 'x'));
}

TEST(MemoryDisk, LosesWritesAndNamesThatWereNotSynced) {
    const auto disk = disk_with_a();
    ASSERT_TRUE(disk->open("a", Disk::Mode::ReadWrite).value()->write_at(0, "new"));
    ASSERT_TRUE(disk->open("b", Disk::Mode::Create));
    ASSERT_TRUE(disk->rename("a", "c"));
    disk->lose_power(kNothing);
    EXPECT_EQ(disk->contents(),
              (std::map<std::string, std::string>{{"a", std::string(2048, 'x')}}));
}

TEST(MemoryDisk, LosesASecondNameThatWasNotSynced) {
    const auto disk = disk_with_a();
    ASSERT_TRUE(disk->link("a", "b"));
    EXPECT_FALSE(disk->link("a", "b")) << "the name is taken";
    EXPECT_EQ(disk->id_of("a").value(), disk->id_of("b").value());
    disk->lose_power(kNothing);
    EXPECT_EQ(disk->contents(),
              (std::map<std::string, std::string>{{"a", std::string(2048, 'x')}}));
}

TEST(MemoryDisk, TearsWritesAtSectors) {
    const auto disk = disk_with_a();
    ASSERT_TRUE(
        disk->open("a", Disk::Mode::ReadWrite).value()->write_at(500, std::string(600, 'y')));
    unsigned n = 0;
    disk->lose_power([&](std::uint64_t) { return n++ % 2; });  // Only the middle of three.
    const auto expected = std::string(512, 'x') + std::string(512, 'y') + std::string(1024, 'x');
    EXPECT_EQ(text_in(*disk, "a"), expected);
}

TEST(MemoryDisk, LosesDataOfAFailedSyncForGood) {
    const auto disk = disk_with_a();
    const auto file = disk->open("a", Disk::Mode::ReadWrite).value();
    ASSERT_TRUE(file->write_at(0, "new"));
    disk->plan(0, DiskFailure::Error);
    ASSERT_FALSE(file->sync());
    ASSERT_TRUE(file->sync());
    EXPECT_TRUE(text_in(*disk, "a").starts_with("new"));
    disk->lose_power(kEverything);
    EXPECT_TRUE(text_in(*disk, "a").starts_with("xxx"));
}

TEST(MemoryDisk, StaysDownAfterACrashUntilRestarted) {
    const auto disk = disk_with_a();
    const auto file = disk->open("a", Disk::Mode::ReadWrite).value();
    disk->plan(0, DiskFailure::CrashWithin);
    EXPECT_THROW((void)file->write_at(0, "abcdef"), Crashed);
    EXPECT_THROW((void)disk->list(), Crashed);
    disk->restart();
    EXPECT_TRUE(text_in(*disk, "a").starts_with("abcxxx"));
    EXPECT_FALSE(file->size());  // A file opened before the crash.
}

TEST(MemoryDisk, CrashesBeforeOrAfterTheEffect) {
    for (const auto disk_failure : {DiskFailure::CrashBefore, DiskFailure::CrashAfter}) {
        const auto disk = disk_with_a();
        disk->plan(0, disk_failure);
        EXPECT_THROW((void)disk->rename("a", "b"), Crashed);
        disk->restart();
        EXPECT_EQ(disk->contents().contains("b"), disk_failure == DiskFailure::CrashAfter);
    }
}

TEST(MemoryDisk, IsFullAtItsCapacity) {
    const auto disk = disk_with_a();
    disk->set_capacity(3000);
    const auto file = disk->open("b", Disk::Mode::Create).value();
    EXPECT_EQ(file->write_at(0, std::string(1000, 'z')).error().fault, Fault::Exhausted);
    EXPECT_EQ(text_in(*disk, "b").size(), 952U);
    ASSERT_TRUE(disk->remove("a"));
    EXPECT_TRUE(file->write_at(0, std::string(1000, 'z')));
}

TEST(MemoryDisk, ClonesAreIndependent) {
    const auto disk = disk_with_a();
    ASSERT_TRUE(disk->open("a", Disk::Mode::ReadWrite).value()->write_at(0, "new"));
    const auto copy = disk->clone();
    disk->lose_power(kNothing);
    copy->lose_power(kEverything);
    EXPECT_TRUE(text_in(*copy, "a").starts_with("new"));
    EXPECT_TRUE(text_in(*disk, "a").starts_with("xxx"));
}

}  // namespace
}  // namespace parlance::journal::testing
