#include "journal/posix_disk.h"

#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "journal/journal.h"
#include "journal/testing/diary.h"

namespace parlance::journal {
namespace {

using testing::Diary;
using testing::kSmall;

class PosixDisk : public ::testing::Test {
  protected:
    void SetUp() override {
        auto pattern = (std::filesystem::temp_directory_path() / "journal-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::unique_ptr<Disk> disk() const {
        return open_posix_disk(directory_ / "data", true).value();
    }

    std::filesystem::path directory_;
};

TEST_F(PosixDisk, KeepsAJournalAcrossRestarts) {
    Diary diary;
    for (int life = 0; life < 3; ++life) {
        const auto here = disk();
        const auto journal = Journal::open(*here, kSmall).value();
        for (int i = 0; i < 8; ++i) ASSERT_TRUE(diary.append(*journal, {900, 40}));
        ASSERT_TRUE(journal->prepare_spare());
        ASSERT_TRUE(journal->write_snapshot({journal->last_sequence(), {}, "state"}));
    }
    const auto here = disk();
    EXPECT_EQ(verify(*here, {})->problem, "");
    EXPECT_EQ(testing::read_all(*Journal::open(*here, kSmall).value()), diary.acknowledged);
}

TEST_F(PosixDisk, ReadsBytesAfterLetGo) {
    const auto here = disk();
    const auto file = here->open("a", Disk::Mode::Create).value();
    ASSERT_TRUE(file->write_at(0, "kept"));
    ASSERT_TRUE(file->sync());
    file->let_go();
    std::string bytes(4, ' ');
    EXPECT_EQ(file->read_at(0, bytes).value(), 4U);
    EXPECT_EQ(bytes, "kept");
}

TEST_F(PosixDisk, ShowsByIdWhetherAnOpenFileStillHasItsName) {
    const auto here = disk();
    const auto file = here->open("a", Disk::Mode::Create).value();
    EXPECT_EQ(here->id_of("a").value(), file->id().value());
    ASSERT_TRUE(here->rename("a", "b"));
    EXPECT_EQ(here->id_of("a").error().fault, Fault::NotFound);
    EXPECT_EQ(here->id_of("b").value(), file->id().value());
    const auto other = here->open("a", Disk::Mode::Create).value();
    EXPECT_NE(here->id_of("a").value(), file->id().value());
    ASSERT_TRUE(here->remove("b"));
    EXPECT_TRUE(file->id());
}

TEST_F(PosixDisk, LetsOneWriterInAndAnyNumberOfReaders) {
    const auto first = disk();
    const auto second = disk();
    auto journal = Journal::open(*first, kSmall).value();
    const auto refused = Journal::open(*second, kSmall);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, Fault::Unavailable);
    EXPECT_NE(refused.error().message.find("another hub"), std::string::npos);
    EXPECT_TRUE(Journal::open(*second, {.segment_bytes = 8192, .is_read_only = true}));
    EXPECT_EQ(verify(*second, {})->problem, "");
}

TEST_F(PosixDisk, A2_LetsNoSecondWriterInAfterTheLockFileWasRemoved) {
    const auto first = disk();
    auto journal = Journal::open(*first, kSmall).value();
    std::filesystem::remove(directory_ / "data" / "lock");
    EXPECT_EQ(Journal::open(*disk(), kSmall).error().fault, Fault::Unavailable);
    EXPECT_EQ(Journal::open(*disk(), kSmall).error().fault, Fault::Unavailable);
    // Also by a different path to the same directory.
    std::filesystem::create_symlink(directory_ / "data", directory_ / "alias");
    const auto alias = open_posix_disk(directory_ / "alias", false).value();
    EXPECT_EQ(Journal::open(*alias, kSmall).error().fault, Fault::Unavailable);
    EXPECT_TRUE(journal->append({}, testing::batch_of({"a"})));
}

TEST_F(PosixDisk, HonoursTheLockOfAnOlderHub) {
    const auto second = disk();
    // An older hub locks only the lock file.
    const auto held = directory_ / "data" / "lock";
    const Descriptor file{::open(held.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640)};
    ASSERT_EQ(::flock(file.number(), LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(second->lock().error().fault, Fault::Unavailable);
    ASSERT_EQ(::flock(file.number(), LOCK_UN), 0);
    EXPECT_TRUE(disk()->lock());  // The refused writer has not kept half of the lock.
    EXPECT_TRUE(second->lock());
}

TEST_F(PosixDisk, A2_LetsNoSecondWriterInThroughHardLinksToTheFiles) {
    namespace fs = std::filesystem;
    Diary diary;
    const auto first = disk();
    auto journal = Journal::open(*first, kSmall).value();
    ASSERT_TRUE(diary.append(*journal, {900, 40}));
    ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    const auto link_all_but = [&](const std::string& left_out) {
        const auto copy = directory_ / ("without-" + left_out);
        fs::create_directory(copy);
        for (const auto& entry : fs::directory_iterator{directory_ / "data"}) {
            const auto name = entry.path().filename();
            if (name != "lock" && name != left_out) fs::create_hard_link(entry, copy / name);
        }
        return copy;
    };
    // Either file that both writers would write proves the conflict.
    const std::string segment{"00000000000000000001.journal"};
    for (const auto& left_out : {std::string{"nothing"}, std::string{"high-water"}, segment}) {
        SCOPED_TRACE(left_out);
        const auto second = open_posix_disk(link_all_but(left_out), false).value();
        const auto refused = Journal::open(*second, kSmall);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().fault, Fault::Unavailable) << refused.error().message;
        EXPECT_NE(refused.error().message.find("another hub is writing"), std::string::npos)
            << refused.error().message;
    }
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(diary.append(*journal, {900, 40}));
    // Here the copy's last segment is one that the first writer has left: only the high-water mark
    // proves the conflict.
    const auto second = open_posix_disk(directory_ / "without-nothing", false).value();
    EXPECT_EQ(Journal::open(*second, kSmall).error().fault, Fault::Unavailable);
    journal.reset();
    EXPECT_EQ(testing::read_all(*Journal::open(*first, kSmall).value()), diary.acknowledged);
}

TEST_F(PosixDisk, A2_OpensNoSegmentThatIsASymbolicLink) {
    Diary diary;
    const auto first = disk();
    { ASSERT_TRUE(diary.append(*Journal::open(*first, kSmall).value(), {900, 40})); }
    const auto copy = directory_ / "links";
    std::filesystem::create_directory(copy);
    const auto name = "00000000000000000001.journal";
    std::filesystem::create_symlink(directory_ / "data" / name, copy / name);
    const auto second = open_posix_disk(copy, false).value();
    const auto refused = Journal::open(*second, kSmall);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              (copy / name).string() +
                  " is a symbolic link, and a hub uses no links to journal files; put the file "
                  "itself there, or say --data with the directory that the link leads into");
    EXPECT_TRUE(Journal::open(*first, kSmall));
}

TEST_F(PosixDisk, OpensItsOwnFileForWritingTwice) {
    const auto here = disk();
    const auto journal = Journal::open(*here, kSmall).value();
    EXPECT_TRUE(here->open("00000000000000000001.journal", Disk::Mode::ReadWrite));
    EXPECT_TRUE(here->open("high-water", Disk::Mode::ReadWrite));
}

TEST_F(PosixDisk, StaysInItsDirectoryAfterAMove) {
    const auto here = disk();
    Diary diary;
    auto journal = Journal::open(*here, kSmall).value();
    std::filesystem::rename(directory_ / "data", directory_ / "moved");
    std::filesystem::create_directory(directory_ / "data");
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(diary.append(*journal, {900, 40}));
    EXPECT_TRUE(std::filesystem::is_empty(directory_ / "data"));
    const auto moved = open_posix_disk(directory_ / "moved", false).value();
    EXPECT_EQ(Journal::open(*moved, kSmall).error().fault, Fault::Unavailable);
    journal.reset();
    EXPECT_EQ(testing::read_all(*Journal::open(*here, kSmall).value()), diary.acknowledged);
}

TEST_F(PosixDisk, WithoutDescriptorsIsExhausted) {
    const auto here = disk();
    ASSERT_TRUE(here->open("a", Disk::Mode::Create));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto opened = here->open("a", Disk::Mode::Read);
    const auto listed = here->list();
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(opened.error().fault, Fault::Exhausted);
    EXPECT_EQ(listed.error().fault, Fault::Exhausted);
    EXPECT_TRUE(here->open("a", Disk::Mode::Read));
}

TEST_F(PosixDisk, LetsTheNextWriterInWhenTheFirstIsGone) {
    { ASSERT_TRUE(Journal::open(*disk(), kSmall)); }
    EXPECT_TRUE(Journal::open(*disk(), kSmall));
}

TEST_F(PosixDisk, IsCreatedOnlyOnRequest) {
    const auto missing = open_posix_disk(directory_ / "data", false);
    EXPECT_EQ(missing.error().fault, Fault::NotFound);
    EXPECT_FALSE(std::filesystem::exists(directory_ / "data"));
    EXPECT_FALSE(open_posix_disk(directory_ / "no" / "parent", true));
}

TEST_F(PosixDisk, TellsMissingFilesFromTakenNames) {
    const auto here = disk();
    EXPECT_EQ(here->open("a", Disk::Mode::Read).error().fault, Fault::NotFound);
    EXPECT_EQ(here->open("a", Disk::Mode::ReadWrite).error().fault, Fault::NotFound);
    ASSERT_TRUE(here->open("a", Disk::Mode::Create));
    EXPECT_FALSE(here->open("a", Disk::Mode::Create));
    EXPECT_EQ(here->remove("b").error().fault, Fault::NotFound);
    EXPECT_EQ(here->rename("b", "c").error().fault, Fault::NotFound);
}

TEST_F(PosixDisk, ReadsFewerBytesOnlyAtTheEnd) {
    const auto here = disk();
    const auto file = here->open("a", Disk::Mode::Create).value();
    ASSERT_TRUE(file->write_at(3, "abc"));
    ASSERT_TRUE(file->sync());
    EXPECT_EQ(*file->size(), 6U);
    std::string bytes(10, 'x');
    EXPECT_EQ(*file->read_at(2, bytes), 4U);
    EXPECT_EQ(bytes, std::string("\0abcxxxxxx", 10));
    EXPECT_EQ(*file->read_at(100, bytes), 0U);
}

TEST_F(PosixDisk, CallsAFullDeviceExhausted) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
    const auto here = disk();
    std::filesystem::create_symlink("/dev/full", directory_ / "data" / "full");
    const auto file = here->open("full", Disk::Mode::ReadWrite).value();
    EXPECT_EQ(file->write_at(0, "abc").error().fault, Fault::Exhausted);
}

}  // namespace
}  // namespace parlance::journal
