#include "journal/repair.h"

#include <gtest/gtest.h>

#include "journal/high_water.h"
#include "journal/scrub.h"
#include "journal/testing/damaged_disk.h"

namespace parlance::journal {
namespace {

using testing::Diary;
using testing::MemoryDisk;
using testing::zero;

class RepairTest : public ::testing::Test {
  protected:
    /// The journal is whole again, and a hub starts on the journal with every record.
    void expect_whole(MemoryDisk& disk) {
        const auto verified = verify(disk, {});
        ASSERT_TRUE(verified) << verified.error().message;
        EXPECT_EQ(verified->problem, "");
        auto journal = Journal::open(disk, testing::kSmall);
        ASSERT_TRUE(journal) << journal.error().message;
        EXPECT_EQ(testing::read_all(**journal), diary_.acknowledged);
    }
    /// The repair is refused with `words`, and no byte has changed.
    static void expect_refused(MemoryDisk& disk, MemoryDisk& copy, const std::string& words) {
        const auto before = disk.contents();
        const auto repaired = repair(disk, copy, {});
        ASSERT_FALSE(repaired);
        EXPECT_NE(repaired.error().message.find(words), std::string::npos)
            << repaired.error().message;
        EXPECT_EQ(disk.contents(), before);
    }
    /// A backup made when the journal had this many batches.
    std::unique_ptr<MemoryDisk> journal_of(std::size_t batches) {
        auto disk = std::make_unique<MemoryDisk>();
        auto journal = Journal::open(*disk, testing::kSmall).value();
        Diary diary;
        for (std::size_t i = 0; i < batches; ++i) {
            EXPECT_TRUE(diary.append(*journal, {kSizes[i % std::size(kSizes)], 24}));
        }
        return disk;
    }

    static constexpr std::size_t kSizes[] = {1500, 13, 1430, 900, 2200, 700, 333, 1234, 90};
    Diary diary_;
    std::unique_ptr<MemoryDisk> disk_ = testing::disk_of_segments(diary_);
    std::unique_ptr<MemoryDisk> copy_ = disk_->clone();
    std::vector<std::string> segments_ = testing::segments_of(*disk_);
    Sequence second_ = *parse_segment_name(segments_.at(1));
    Sequence third_ = *parse_segment_name(segments_.at(2));
};

TEST_F(RepairTest, RestoresEveryKindOfDamageInAnySegment) {
    for (const auto& name : segments_) {
        for (const auto& damage : testing::damage_cases(2)) {
            if (name == segments_.back() && damage.name == "missing segment") continue;
            SCOPED_TRACE(name + ": " + damage.name);
            const auto disk = disk_->clone();
            damage.harm(*disk, name);
            const bool is_unreadable = damage.name.starts_with("unreadable");
            ASSERT_EQ(disk->contents() == copy_->contents(), is_unreadable);
            const auto harmed = disk->contents();
            const auto repaired = repair(*disk, *copy_, {});
            ASSERT_TRUE(repaired) << repaired.error().message;
            ASSERT_EQ(repaired->restored.size(), 1U);
            const auto& restored = repaired->restored[0];
            EXPECT_EQ(restored.name, name);
            EXPECT_EQ(restored.was_missing, damage.name == "missing segment");
            if (!restored.was_missing) {
                EXPECT_EQ(restored.kept_as, name + ".damaged");
                EXPECT_EQ(disk->contents().at(restored.kept_as), harmed.at(name));
            }
            EXPECT_EQ(disk->contents().at(name), copy_->contents().at(name));
            EXPECT_FALSE(disk->has_unsynced(".journal"));
            expect_whole(*disk);
        }
    }
}

TEST_F(RepairTest, RestoresSeveralSegmentsAtOnce) {
    ASSERT_TRUE(disk_->remove(segments_[0]));
    ASSERT_TRUE(disk_->remove(segments_[1]));
    disk_->flip_bit(segments_[2], 40, 0);
    const auto repaired = repair(*disk_, *copy_, {});
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_EQ(repaired->restored.size(), 3U);
    expect_whole(*disk_);
}

void write_over(MemoryDisk& disk, const std::string& name, const std::string& bytes) {
    const auto file = disk.open(name, Disk::Mode::ReadWrite).value();
    ASSERT_TRUE(file->write_at(0, bytes));
    ASSERT_TRUE(file->sync());
}

TEST_F(RepairTest, RestoresSegmentsOverwrittenWithOtherSegments) {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            SCOPED_TRACE(fmt::format("{} and {}", segments_[j], segments_[i]));
            const auto whole = copy_->contents();
            ASSERT_EQ(whole.at(segments_[i]).size(), whole.at(segments_[j]).size());
            const auto swapped = disk_->clone();
            write_over(*swapped, segments_[i], whole.at(segments_[j]));
            const auto doubled = swapped->clone();
            write_over(*swapped, segments_[j], whole.at(segments_[i]));
            for (const auto& [disk, count] : {std::pair{swapped.get(), 2U}, {doubled.get(), 1U}}) {
                const auto repaired = repair(*disk, *copy_, {});
                ASSERT_TRUE(repaired) << repaired.error().message;
                EXPECT_EQ(repaired->restored.size(), count);
                expect_whole(*disk);
            }
        }
    }
}

TEST_F(RepairTest, ChangesNothingWhereNothingIsDamaged) {
    const auto before = disk_->contents();
    const auto repaired = repair(*disk_, *copy_, {});
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_TRUE(repaired->restored.empty());
    EXPECT_EQ(disk_->contents(), before);
}

TEST_F(RepairTest, DryRunReportsThePlanAndWritesNothing) {
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    const auto before = disk_->contents();
    const auto repaired = repair(*disk_, *copy_, {.is_dry_run = true});
    ASSERT_TRUE(repaired) << repaired.error().message;
    ASSERT_EQ(repaired->restored.size(), 1U);
    EXPECT_EQ(repaired->restored[0].first, second_);
    EXPECT_EQ(repaired->restored[0].last.value, third_.value - 1);
    EXPECT_EQ(disk_->contents(), before);
}

TEST_F(RepairTest, CompletesAnOlderCopyFromTheDamagedFile) {
    for (std::size_t batches = 1; batches < diary_.acknowledged.size() / 2; ++batches) {
        SCOPED_TRACE(batches);
        const auto disk = disk_->clone();
        const auto backup = journal_of(batches);
        const auto newest = testing::segments_of(*backup).back();
        disk->flip_bit(newest, 4096 + 72 + 10, 0);  // In the first batch, which the copy has.
        const auto repaired = repair(*disk, *backup, {});
        ASSERT_TRUE(repaired) << repaired.error().message;
        expect_whole(*disk);
    }
}

TEST_F(RepairTest, RefusesACopyThatEndsBeforeTheDamage) {
    const auto backup = journal_of(1);  // Records 1 and 2.
    const auto at = disk_->contents().at(segments_[0]).find(diary_.acknowledged[2]);
    disk_->flip_bit(segments_[0], at, 0);
    expect_refused(*disk_, *backup, "the copy ends with record 2");
}

TEST_F(RepairTest, RefusesToLoseAcknowledgedRecordsOfTheNewestSegment) {
    const auto batches = diary_.acknowledged.size() / 2;
    const auto backup = journal_of(batches - 1);
    const auto newest = segments_.back();
    const auto at = disk_->contents().at(newest).find(diary_.acknowledged.back());
    disk_->flip_bit(newest, at, 0);
    expect_refused(*disk_, *backup, fmt::format("record {} was acknowledged", batches * 2));
}

TEST_F(RepairTest, RestoresAMissingNewestSegmentThatASnapshotProves) {
    {
        auto journal = Journal::open(*disk_, testing::kSmall).value();
        ASSERT_TRUE(journal->write_snapshot({journal->last_sequence(), {}, "state"}));
    }
    const auto whole = disk_->clone();
    ASSERT_TRUE(disk_->remove(segments_.back()));
    ASSERT_FALSE(Journal::open(*disk_, testing::kSmall));
    const auto repaired = repair(*disk_, *whole, {});
    ASSERT_TRUE(repaired) << repaired.error().message;
    ASSERT_EQ(repaired->restored.size(), 1U);
    EXPECT_EQ(repaired->restored[0].name, segments_.back());
    expect_whole(*disk_);
}

TEST_F(RepairTest, RestoresTheZeroedEndOfTheNewestSegmentThatASnapshotProves) {
    {
        auto journal = Journal::open(*disk_, testing::kSmall).value();
        ASSERT_TRUE(journal->write_snapshot({journal->last_sequence(), {}, "state"}));
    }
    const auto whole = disk_->clone();
    zero(*disk_, segments_.back(), 4096, 4096);
    const auto repaired = repair(*disk_, *whole, {});
    ASSERT_TRUE(repaired) << repaired.error().message;
    expect_whole(*disk_);
}

constexpr std::string_view kBatchMark = "\xB7\xC3\xE6\x1B";

TEST_F(RepairTest, RefusesToLoseTheLastBatchWhoseHeadIsDamaged) {
    const auto batches = diary_.acknowledged.size() / 2;
    const auto backup = journal_of(batches - 1);
    const auto newest = segments_.back();
    const auto head = disk_->contents().at(newest).rfind(kBatchMark);
    disk_->flip_bit(newest, head + 8, 0);  // Nothing else tells of the batch.
    expect_refused(
        *disk_, *backup, fmt::format("the copy has no records {0} to {0}", batches * 2 - 1));
}

TEST_F(RepairTest, RestoresTheZeroedEndOfASegmentWhoseNextIsDamagedOrMissing) {
    const auto bytes = copy_->contents().at(segments_[1]);
    for (const auto begin : {bytes.rfind(kBatchMark), std::size_t{4096}}) {
        for (const bool is_missing : {false, true}) {
            SCOPED_TRACE(fmt::format("from {}, {}", begin, is_missing ? "missing" : "damaged"));
            const auto disk = disk_->clone();
            zero(*disk, segments_[1], begin, bytes.size() - begin);
            if (is_missing) {
                ASSERT_TRUE(disk->remove(segments_[2]));
            } else {
                disk->flip_bit(segments_[2], 40, 0);
            }
            const auto repaired = repair(*disk, *copy_, {});
            ASSERT_TRUE(repaired) << repaired.error().message;
            EXPECT_EQ(repaired->restored.size(), 2U);
            expect_whole(*disk);
        }
    }
}

TEST_F(RepairTest, WithRoomForOneSegmentOfTwoChangesNothing) {
    disk_->flip_bit(segments_[0], 4096 + 72 + 200, 0);
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    const auto before = disk_->contents();
    std::uint64_t used = 0;
    for (const auto& [name, bytes] : before) used += bytes.size();
    disk_->set_capacity(used + 8192 + 100);
    EXPECT_EQ(repair(*disk_, *copy_, {}).error().fault, Fault::Exhausted);
    EXPECT_EQ(disk_->contents(), before);
}

TEST_F(RepairTest, RestoresTheZeroedEndOfAnOldSegment) {
    zero(*disk_, segments_[1], 4096, 4096);
    const auto repaired = repair(*disk_, *copy_, {});
    ASSERT_TRUE(repaired) << repaired.error().message;
    expect_whole(*disk_);
}

/// A journal with as many records of the same lengths, but different contents.
std::unique_ptr<MemoryDisk> another_journal() {
    auto disk = std::make_unique<MemoryDisk>();
    auto journal = Journal::open(*disk, testing::kSmall).value();
    Diary diary{.acknowledged = {}, .in_flight = {}, .number = 1000};
    for (int round = 0; round < 2; ++round) {
        for (const std::size_t bytes : {1500U, 13U, 1430U, 900U, 2200U, 700U, 333U, 1234U, 90U}) {
            EXPECT_TRUE(diary.append(*journal, {bytes, 24}));
        }
    }
    return disk;
}

TEST_F(RepairTest, RefusesACopyOfAnotherJournalAndNamesTheFirstMismatch) {
    const auto other = another_journal();
    ASSERT_EQ(testing::segments_of(*other), segments_);
    for (const auto& name : segments_) {
        SCOPED_TRACE(name);
        const auto disk = disk_->clone();
        disk->flip_bit(name, 4096 + 72 + 10, 0);
        expect_refused(*disk, *other, "the copy does not match this journal");
    }
    ASSERT_TRUE(disk_->remove(segments_[0]));
    expect_refused(*disk_, *other, fmt::format("between record {}", second_.value - 1));
}

/// The high-water mark is at the last record, as a killed hub leaves the mark; no snapshot exists.
class MarkedRepairTest : public RepairTest {
  protected:
    void SetUp() override {
        auto journal = Journal::open(*disk_, testing::kSmall).value();
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
        last_ = journal->last_sequence();
        journal.reset();
        copy_ = disk_->clone();
    }
    void expect_restored(MemoryDisk& disk, std::size_t count) {
        const auto repaired = repair(disk, *copy_, {});
        ASSERT_TRUE(repaired) << repaired.error().message;
        EXPECT_EQ(repaired->restored.size(), count);
        expect_whole(disk);
    }

    Sequence last_{};
};

TEST_F(MarkedRepairTest, RestoresMissingLastSegmentsUpToTheMark) {
    for (std::size_t count = 1; count < segments_.size(); ++count) {
        SCOPED_TRACE(count);
        const auto disk = disk_->clone();
        for (auto i = segments_.size() - count; i < segments_.size(); ++i) {
            ASSERT_TRUE(disk->remove(segments_[i]));
        }
        expect_restored(*disk, count);
    }
}

TEST_F(MarkedRepairTest, RestoresTheFirstAndTheLastSegment) {
    ASSERT_TRUE(disk_->remove(segments_.front()));
    ASSERT_TRUE(disk_->remove(segments_.back()));
    expect_restored(*disk_, 2);
}

TEST_F(MarkedRepairTest, RestoresTheZeroedEndOfTheNewestSegment) {
    zero(*disk_, segments_.back(), 4096, 4096);
    expect_restored(*disk_, 1);
}

TEST_F(MarkedRepairTest, RestoresAllSegmentsByTheMarkAlone) {
    for (const auto& name : segments_) ASSERT_TRUE(disk_->remove(name));
    expect_restored(*disk_, segments_.size());
}

TEST_F(MarkedRepairTest, RefusesACopyThatEndsBeforeTheMark) {
    const auto batches = diary_.acknowledged.size() / 2;
    for (const auto& name : segments_) {
        SCOPED_TRACE(name);
        const auto disk = disk_->clone();
        ASSERT_TRUE(disk->remove(name));
        ASSERT_TRUE(disk->remove(segments_.back()) || name == segments_.back());
        expect_refused(*disk, *journal_of(batches - 1), "the copy has no records ");
    }
}

TEST_F(MarkedRepairTest, RestoresTheLastSegmentThatOnlyTheViewsProve) {
    ASSERT_TRUE(disk_->remove(kHighWaterName));
    ASSERT_TRUE(disk_->remove(segments_.back()));
    const auto repaired = repair(*disk_, *copy_, {.viewed = last_});
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_EQ(repaired->restored.size(), 1U);
    expect_whole(*disk_);
}

TEST_F(MarkedRepairTest, RefusesACopyThatHasAnotherBatchAtTheMark) {
    // The two journals are the same up to the last batch.
    auto fork = journal_of(diary_.acknowledged.size() / 2 - 1);
    {
        auto journal = Journal::open(*fork, testing::kSmall).value();
        ASSERT_TRUE(journal->append({}, testing::batch_of({"another", "story"})));
        ASSERT_EQ(journal->last_sequence(), last_);
    }
    ASSERT_TRUE(disk_->remove(segments_.back()));
    expect_refused(*disk_, *fork, "the high-water mark is of another batch");
    for (const auto& name : segments_) (void)disk_->remove(name);
    expect_refused(*disk_, *fork, "the high-water mark is of another batch");
    expect_refused(*disk_, *another_journal(), "the high-water mark is of a journal");
}

TEST_F(MarkedRepairTest, IgnoresAMarkOfADifferentJournal) {
    MemoryDisk other;
    {
        auto journal = Journal::open(other, testing::kSmall).value();
        for (int i = 0; i < 99; ++i) {
            ASSERT_TRUE(journal->append({}, testing::batch_of({"other"})));
        }
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    }
    ASSERT_TRUE(disk_->remove(kHighWaterName));
    const auto file = disk_->open(kHighWaterName, Disk::Mode::Create).value();
    ASSERT_TRUE(file->write_at(0, other.contents().at(kHighWaterName)));
    ASSERT_TRUE(file->sync());
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    expect_restored(*disk_, 1);
}

TEST_F(MarkedRepairTest, RestoresAMissingEndBeyondTheMark) {
    // The mark is a second old: the copy has acknowledged records beyond the mark.
    ASSERT_TRUE(disk_->remove(segments_.back()));
    ASSERT_TRUE(disk_->remove(segments_[segments_.size() - 2]));
    const auto first_lost = *parse_segment_name(segments_[segments_.size() - 2]);
    ASSERT_TRUE(disk_->remove(kHighWaterName));
    const auto repaired = repair(*disk_, *copy_, {.viewed = first_lost});
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_EQ(repaired->restored.size(), 2U);
    expect_whole(*disk_);
}

TEST_F(MarkedRepairTest, PassesRecordsWhoseLossWasAccepted) {
    ASSERT_TRUE(disk_->remove(segments_.back()));
    auto options = testing::kSmall;
    options.accepted_loss = last_;
    {
        auto journal = Journal::open(*disk_, options).value();
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(journal->append({}, testing::batch_of({std::string(900, 'x')})));
        }
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    }
    const auto backup = disk_->clone();
    for (const auto& name : testing::segments_of(*disk_)) {
        for (const bool is_missing : {false, true}) {
            SCOPED_TRACE(fmt::format("{} {}", name, is_missing ? "missing" : "damaged"));
            const auto disk = disk_->clone();
            const bool follows_gap = *parse_segment_name(name) == Sequence{last_.value + 1};
            if (is_missing && follows_gap) continue;  // No proof of an accepted loss.
            if (is_missing) {
                ASSERT_TRUE(disk->remove(name));
            }
            if (!is_missing) disk->flip_bit(name, 4096 + 8, 0);
            const auto repaired = repair(*disk, *backup, {});
            ASSERT_TRUE(repaired) << repaired.error().message;
            EXPECT_EQ(repaired->restored.size(), 1U);
            EXPECT_EQ(verify(*disk, {})->problem, "");
            EXPECT_EQ(disk->contents().at(name), backup->contents().at(name));
        }
    }
}

TEST_F(MarkedRepairTest, RestoresSegmentsAroundAnEmptyOneThatAnAcceptedLossFollows) {
    zero(*disk_, segments_.back(), 4096, 4096);  // All of its batches were lost.
    auto options = testing::kSmall;
    options.accepted_loss = last_;
    {
        auto journal = Journal::open(*disk_, options).value();
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(journal->append({}, testing::batch_of({std::string(900, 'x')})));
        }
        ASSERT_TRUE(journal->write_high_water(journal->high_water()));
    }
    const auto backup = disk_->clone();
    for (const auto& name : testing::segments_of(*disk_)) {
        for (const std::uint64_t byte : {std::uint64_t{40}, std::uint64_t{4096 + 8}}) {
            SCOPED_TRACE(fmt::format("{} byte {}", name, byte));
            const auto disk = disk_->clone();
            disk->flip_bit(name, byte, 0);
            const auto repaired = repair(*disk, *backup, {});
            ASSERT_TRUE(repaired) << repaired.error().message;
            EXPECT_EQ(repaired->restored.size(), 1U);
            EXPECT_EQ(verify(*disk, {})->problem, "");
            EXPECT_EQ(disk->contents().at(name), backup->contents().at(name));
        }
        if (*parse_segment_name(name) == Sequence{last_.value + 1}) continue;  // As above.
        SCOPED_TRACE(name + " missing");
        const auto disk = disk_->clone();
        ASSERT_TRUE(disk->remove(name));
        const auto repaired = repair(*disk, *backup, {});
        ASSERT_TRUE(repaired) << repaired.error().message;
        EXPECT_EQ(repaired->restored.size(), 1U);
        EXPECT_EQ(verify(*disk, {})->problem, "");
        EXPECT_EQ(disk->contents().at(name), backup->contents().at(name));
    }
}

TEST_F(RepairTest, RefusesACopyThatIsDamagedItself) {
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    copy_->flip_bit(segments_[1], 4096 + 72 + 300, 0);
    expect_refused(*disk_, *copy_, "the copy is damaged too");
}

TEST_F(RepairTest, RefusesACopyThatWasCutShort) {
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    const auto bytes = copy_->contents().at(segments_[1]);
    ASSERT_TRUE(copy_->remove(segments_[1]));
    const auto file = *copy_->open(segments_[1], Disk::Mode::Create);
    ASSERT_TRUE(file->write_at(0, bytes.substr(0, 6000)));
    expect_refused(*disk_, *copy_, "6000 bytes long, but was made with 8192");
}

TEST_F(RepairTest, RefusesACopyWithoutTheSegment) {
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    ASSERT_TRUE(copy_->remove(segments_[1]));
    expect_refused(*disk_, *copy_, segments_[1] + " is not in it");
}

TEST_F(RepairTest, RefusesACopyThatIsNoJournal) {
    disk_->flip_bit(segments_[1], 4096 + 72 + 200, 0);
    MemoryDisk empty;
    const auto repaired = repair(*disk_, empty, {});
    ASSERT_FALSE(repaired);
    EXPECT_EQ(repaired.error().fault, Fault::NotFound);
}

TEST_F(RepairTest, RefusesWithoutEvidenceOfTheJournalsIdentity) {
    for (const auto& name : segments_) ASSERT_TRUE(disk_->remove(name));
    ASSERT_TRUE(disk_->open(segments_[0], Disk::Mode::Create));
    expect_refused(*disk_, *copy_, "nothing that is whole here says which journal this is");
}

TEST_F(RepairTest, OfTheNewestSegmentThatIsInterruptedLeavesNoShorterJournal) {
    for (const std::uint64_t kept : {0U, 1U}) {
        bool is_done = false;
        for (std::uint64_t operation = 0; !is_done && operation < 400; ++operation) {
            SCOPED_TRACE(fmt::format("operation {} kept {}", operation, kept));
            const auto disk = disk_->clone();
            disk->flip_bit(segments_.back(), 4096 + 72 + 10, 0);  // Nothing else tells of it.
            disk->plan(operation, testing::DiskFailure::CrashBefore);
            try {
                is_done = repair(*disk, *copy_, {}).has_value();
            } catch (const testing::Crashed&) {
            }
            disk->lose_power([&](std::uint64_t) { return kept; });
            const auto journal = Journal::open(*disk, testing::kSmall);
            if (journal) {
                EXPECT_EQ(testing::read_all(**journal), diary_.acknowledged);
            }
        }
        EXPECT_TRUE(is_done);
    }
}

TEST_F(RepairTest, ThatIsInterruptedStillHasWhatOnlyTheDamagedFileHas) {
    const auto backup = journal_of(1);
    bool is_done = false;
    for (std::uint64_t operation = 0; !is_done && operation < 400; ++operation) {
        SCOPED_TRACE(operation);
        const auto disk = disk_->clone();
        disk->flip_bit(segments_[0], 4096 + 72 + 10, 0);
        disk->plan(operation, testing::DiskFailure::CrashBefore);
        try {
            is_done = repair(*disk, *backup, {}).has_value();
        } catch (const testing::Crashed&) {
            disk->restart();
            const auto repaired = repair(*disk, *backup, {});
            ASSERT_TRUE(repaired) << repaired.error().message;
        }
        disk->forget_plans();
        expect_whole(*disk);
    }
    EXPECT_TRUE(is_done);
}

TEST_F(RepairTest, CanBeRepeatedAfterAnyFailureOrCrash) {
    for (const auto disk_failure : testing::kDiskFailures) {
        for (std::uint64_t operation = 0;; ++operation) {
            SCOPED_TRACE(
                fmt::format("failure {} at {}", static_cast<int>(disk_failure), operation));
            const auto disk = disk_->clone();
            disk->flip_bit(segments_[1], 4096 + 72 + 200, 0);
            disk->plan(operation, disk_failure);
            bool is_done = false;
            try {
                is_done = repair(*disk, *copy_, {}).has_value();
            } catch (const testing::Crashed&) {
                disk->lose_power([&](std::uint64_t) { return operation % 2; });
            }
            const bool was_met = disk->operations() > operation;
            disk->forget_plans();
            if (!is_done) {
                const auto repaired = repair(*disk, *copy_, {});
                ASSERT_TRUE(repaired) << repaired.error().message;
            }
            expect_whole(*disk);
            if (is_done && !was_met) break;
            if (operation > 400) break;
        }
    }
}

}  // namespace
}  // namespace parlance::journal
