#include "journal/posix_disk.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

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

TEST_F(PosixDisk, HoldsAJournalAcrossLives) {
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

TEST_F(PosixDisk, ReadsWhatWasLetGo) {
    const auto here = disk();
    const auto file = here->open("a", Disk::Mode::Create).value();
    ASSERT_TRUE(file->write_at(0, "kept"));
    ASSERT_TRUE(file->sync());
    file->let_go();
    std::string bytes(4, ' ');
    EXPECT_EQ(file->read_at(0, bytes).value(), 4U);
    EXPECT_EQ(bytes, "kept");
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

TEST_F(PosixDisk, LetsTheNextWriterInWhenTheFirstIsGone) {
    { ASSERT_TRUE(Journal::open(*disk(), kSmall)); }
    EXPECT_TRUE(Journal::open(*disk(), kSmall));
}

TEST_F(PosixDisk, IsNotMadeUnlessAskedFor) {
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
