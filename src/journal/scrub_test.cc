#include "journal/scrub.h"

#include <gtest/gtest.h>

#include "journal/testing/damaged_disk.h"

namespace parlance::journal {
namespace {

using testing::Diary;
using testing::MemoryDisk;

constexpr std::uint64_t kAll = 1 << 30;

class ScrubTest : public ::testing::Test {
  protected:
    Sequence last() const { return {diary_.acknowledged.size()}; }

    /// Runs one round of the scrub in one step and returns the damage that is new in that round.
    static std::vector<Damage> round(Scrub& scrub, Sequence durable) {
        const auto step = scrub.step(durable, kAll);
        EXPECT_TRUE(step) << step.error().message;
        EXPECT_TRUE(step->is_round_over);
        return step->found;
    }

    Diary diary_;
    std::unique_ptr<MemoryDisk> disk_ = testing::disk_of_segments(diary_);
    std::vector<std::string> segments_ = testing::segments_of(*disk_);
    Sequence second_ = *parse_segment_name(segments_.at(1));
    Sequence third_ = *parse_segment_name(segments_.at(2));
};

TEST_F(ScrubTest, FindsNothingInAWholeJournalAndCountsItsRecords) {
    Scrub scrub{*disk_};
    EXPECT_TRUE(round(scrub, last()).empty());
    EXPECT_EQ(scrub.counts().records, last().value);
    EXPECT_EQ(scrub.counts().rounds, 1U);
    EXPECT_GT(scrub.counts().bytes, (segments_.size() - 1) * 8192);
    EXPECT_TRUE(round(scrub, last()).empty());
    EXPECT_EQ(scrub.counts().records, 2 * last().value);
}

TEST_F(ScrubTest, FindsEveryKindOfDamageOnceAndReadsOn) {
    for (const auto& damage : testing::damage_cases(third_.value - second_.value)) {
        SCOPED_TRACE(damage.name);
        const auto disk = disk_->clone();
        damage.harm(*disk, segments_[1]);
        disk->flip_bit(segments_[2], 4096 + 72 + 200, 0);  // And a second damage after the first.
        Scrub scrub{*disk};
        const auto found = round(scrub, last());
        ASSERT_EQ(found.size(), 2U);
        EXPECT_EQ(found[0].segment, segments_[1]);
        EXPECT_EQ(records_in(found[0]), damage.records_lost);
        EXPECT_EQ(found[1].segment, segments_[2]);
        EXPECT_EQ(found[1].first, third_);
        EXPECT_TRUE(round(scrub, last()).empty()) << "told again";
        EXPECT_EQ(scrub.damages(), found);
    }
}

TEST_F(ScrubTest, A2_ReportsUnreadablePaddingWithoutLostRecords) {
    const auto bytes = disk_->contents().at(segments_[1]).size();
    disk_->refuse_reads(segments_[1], bytes - 20, bytes);
    Scrub scrub{*disk_};
    const auto found = round(scrub, last());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].segment, segments_[1]);
    EXPECT_EQ(records_in(found[0]), 0U);
    EXPECT_NE(found[0].problem.find("cannot read"), std::string::npos) << found[0].problem;
    EXPECT_EQ(scrub.counts().records, last().value);
}

TEST_F(ScrubTest, A2_DoesNotReportAnAcceptedLoss) {
    const auto lost_first = *parse_segment_name(segments_.back());
    {
        const auto journal = Journal::open(*disk_, testing::kSmall).value();
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    }
    ASSERT_TRUE(disk_->remove(segments_.back()));
    auto accepting = testing::kSmall;
    accepting.accepted_loss = last();
    const auto journal = Journal::open(*disk_, accepting).value();
    ASSERT_EQ(journal->last_sequence(), last());
    Scrub before{*disk_};
    EXPECT_TRUE(round(before, last()).empty()) << "no record stands behind the loss yet";

    ASSERT_TRUE(journal->append({}, testing::batch_of({"new"})));
    Scrub scrub{*disk_};
    EXPECT_TRUE(round(scrub, journal->last_sequence()).empty());
    EXPECT_EQ(scrub.counts().records, lost_first.value - 1 + 1) << "what is left, and the new one";
}

TEST_F(ScrubTest, FindsAFlippedBitAnywhere) {
    const auto& name = segments_[1];
    const auto bytes = disk_->contents().at(name).size();
    for (std::uint64_t byte = 0; byte < bytes; byte += 11) {
        disk_->flip_bit(name, byte, static_cast<unsigned>(byte % 8));
        Scrub scrub{*disk_};
        EXPECT_EQ(round(scrub, last()).size(), 1U) << byte;
        disk_->flip_bit(name, byte, static_cast<unsigned>(byte % 8));
    }
}

TEST_F(ScrubTest, FindsAForgedBatchByTheChain) {
    Diary other;
    const auto another = testing::disk_of_segments(other);
    // The same records except for one: the batch is whole in itself, but the chain does not match.
    MemoryDisk forged;
    {
        auto journal = Journal::open(forged, testing::kSmall).value();
        ASSERT_TRUE(
            journal->append(testing::at_ms(1002),
                            testing::batch_of({std::string(1500, 'x'), diary_.acknowledged[1]})));
    }
    const auto frame = testing::batch_of({std::string(1500, 'x'), diary_.acknowledged[1]}).bytes();
    const auto bytes = forged.contents().begin()->second.substr(4096, frame);
    const auto file = *disk_->open(segments_[0], Disk::Mode::ReadWrite);
    ASSERT_TRUE(file->write_at(4096, bytes));
    Scrub scrub{*disk_};
    const auto found = round(scrub, last());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].problem, "the chain breaks at record 3");
}

TEST_F(ScrubTest, FindsAMissingEnd) {
    ASSERT_TRUE(disk_->remove(segments_.back()));
    Scrub scrub{*disk_};
    const auto found = round(scrub, last());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].first, *parse_segment_name(segments_.back()));
    EXPECT_EQ(found[0].last, last());
}

TEST_F(ScrubTest, ReadsAboutTheRequestedBytesPerStep) {
    Scrub scrub{*disk_};
    std::uint64_t steps = 0;
    for (bool is_over = false; !is_over; ++steps) {
        const auto step = scrub.step(last(), 1000);
        ASSERT_TRUE(step);
        EXPECT_LE(step->bytes, 8192U);  // A step reads at least one batch, header or piece.
        is_over = step->is_round_over;
    }
    EXPECT_GT(steps, 8U);
    EXPECT_EQ(scrub.counts().records, last().value);
}

TEST_F(ScrubTest, IgnoresAHalfWrittenAppendAfterTheDurableRecords) {
    disk_->flip_bit(segments_.back(), disk_->contents().at(segments_.back()).size() - 1, 0);
    auto journal = Journal::open(*disk_, {.segment_bytes = 8192, .is_read_only = true});
    Scrub scrub{*disk_};
    EXPECT_TRUE(round(scrub, last()).empty());
}

TEST_F(ScrubTest, FollowsAJournalThatGrowsBetweenTwoSteps) {
    auto journal = Journal::open(*disk_, testing::kSmall).value();
    Scrub scrub{*disk_};
    for (int i = 0; i < 40; ++i) {
        ASSERT_TRUE(diary_.append(*journal, {700}));
        const auto step = scrub.step(last(), 2000);
        ASSERT_TRUE(step) << step.error().message;
        EXPECT_TRUE(step->found.empty()) << print(step->found.front());
    }
    EXPECT_GE(scrub.counts().rounds, 1U);
}

TEST_F(ScrubTest, ForgetsDamageThatARoundDoesNotFindAgain) {
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    Scrub scrub{*disk_};
    EXPECT_EQ(round(scrub, last()).size(), 1U);
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    EXPECT_TRUE(round(scrub, last()).empty());
    EXPECT_TRUE(scrub.damages().empty());
}

TEST_F(ScrubTest, ContinuesAfterADiskFaultAndReportsEarlierFindings) {
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    for (std::uint64_t operation = 0; operation < 30; ++operation) {
        Scrub scrub{*disk_};
        disk_->plan(operation, testing::DiskFailure::Full);
        std::vector<Damage> found;
        for (int i = 0; i < 20 && scrub.counts().rounds == 0; ++i) {
            const auto step = scrub.step(last(), kAll);
            if (step) found.insert(found.end(), step->found.begin(), step->found.end());
        }
        disk_->forget_plans();
        EXPECT_EQ(scrub.counts().rounds, 1U);
        EXPECT_GE(found.size(), 1U) << operation;
    }
}

}  // namespace
}  // namespace parlance::journal
