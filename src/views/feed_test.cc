#include "views/feed.h"

#include <atomic>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "journal/event_codec.h"
#include "journal/testing/memory_disk.h"
#include "views/event_names.h"

namespace parlance::views {
namespace {

/// Writes a journal that registers agents a0, a1, …, one record each.
void register_agents(journal::testing::MemoryDisk& disk, int count) {
    auto journal = journal::Journal::open(disk, {.segment_bytes = 65'536}).value();
    for (int i = 0; i < count; ++i) {
        journal::Batch batch;
        journal::encode(AgentRegistered{{"a" + std::to_string(i)}, {}}, batch.open());
        batch.close();
        ASSERT_TRUE(journal->append(Time{Duration{i}}, batch));
    }
}

/// Counts open files, as each takes a descriptor and a buffer.
class CountedDisk final : public journal::Disk {
  public:
    explicit CountedDisk(journal::Disk& disk) : disk_(disk) {}

    Result<std::unique_ptr<journal::File>> open(const std::string& name, Mode mode) override {
        return std::make_unique<CountedFile>(TRY(disk_.open(name, mode)), *this);
    }
    Result<std::vector<std::string>> list() override { return disk_.list(); }
    Result<journal::FileId> id_of(const std::string& name) override { return disk_.id_of(name); }
    Result<void> rename(const std::string& from, const std::string& to) override {
        return disk_.rename(from, to);
    }
    Result<void> link(const std::string& from, const std::string& to) override {
        return disk_.link(from, to);
    }
    Result<void> remove(const std::string& name) override { return disk_.remove(name); }
    Result<void> sync_directory() override { return disk_.sync_directory(); }

    std::atomic<int> opened = 0;  ///< Opened in total.
    std::atomic<int> open_now = 0;

  private:
    struct CountedFile final : journal::File {
        CountedFile(std::unique_ptr<journal::File> real, CountedDisk& disk)
            : real_(std::move(real)), disk_(disk) {
            ++disk_.opened;
            ++disk_.open_now;
        }
        ~CountedFile() override { --disk_.open_now; }
        Result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
            return real_->write_at(offset, bytes);
        }
        Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
            return real_->read_at(offset, bytes);
        }
        Result<void> sync() override { return real_->sync(); }
        Result<std::uint64_t> size() override { return real_->size(); }
        Result<journal::FileId> id() override { return real_->id(); }

        std::unique_ptr<journal::File> real_;
        CountedDisk& disk_;
    };

    journal::Disk& disk_;
};

Result<Passage> read(Feed& feed,
                     Sequence from,
                     Sequence up_to,
                     std::size_t bytes_max = 1 << 20,
                     std::uint64_t id = 1) {
    std::promise<Result<Passage>> told;
    feed.read(id, from, up_to, bytes_max, [&](Result<Passage> passage) {
        told.set_value(std::move(passage));
    });
    return told.get_future().get();
}

Result<EventPtr> read_one(Feed& feed, Sequence at) {
    std::promise<Result<EventPtr>> told;
    feed.read_one(at, [&](Result<EventPtr> event) { told.set_value(std::move(event)); });
    return told.get_future().get();
}

TEST(Feed, SendsEveryEventFromTheRequestedToTheLastDurableSequence) {
    journal::testing::MemoryDisk disk;
    register_agents(disk, 5);
    Feed feed{disk};
    const auto passage = read(feed, {2}, {4});
    ASSERT_TRUE(passage) << passage.error().message;
    EXPECT_EQ(passage->last, Sequence{4});
    EXPECT_TRUE(passage->is_end);
    EXPECT_TRUE(passage->text.starts_with("id: 2\nevent: AgentRegistered\ndata: {"));
    EXPECT_EQ(passage->text.find("\"agent\":\"a0\""), std::string::npos);
    EXPECT_NE(passage->text.find("\"agent\":\"a3\""), std::string::npos);
    EXPECT_EQ(passage->text.find("\"agent\":\"a4\""), std::string::npos);
}

TEST(Feed, ContinuesWhereTheLastPassageEnded) {
    journal::testing::MemoryDisk disk;
    register_agents(disk, 3);
    Feed feed{disk};
    EXPECT_EQ(read(feed, {1}, {3}, 1)->last, Sequence{1});
    EXPECT_EQ(read(feed, {1}, {3}, 1)->last, Sequence{2});
    EXPECT_EQ(read(feed, {1}, {3}, 1)->last, Sequence{3});
    EXPECT_TRUE(read(feed, {1}, {3}, 1)->is_end);
}

TEST(Feed, G7_HasFewFilesOpenHoweverManyListenersItReadsFor) {
    constexpr std::uint64_t kListeners = 100;
    constexpr std::uint64_t kRecords = 600;  // More than one segment.
    journal::testing::MemoryDisk real;
    register_agents(real, kRecords);
    CountedDisk disk{real};
    Feed feed{disk};
    // Each listener has its own position, advances record by record and misses no record.
    for (std::uint64_t round = 0; round < 5; ++round) {
        for (std::uint64_t id = 0; id < kListeners; ++id) {
            const Sequence wanted{1 + id * 5 + round};
            const auto passage = read(feed, wanted, {kRecords}, 1, id);
            ASSERT_TRUE(passage) << passage.error().message;
            ASSERT_TRUE(passage->text.starts_with("id: " + std::to_string(wanted.value) + "\n"))
                << "listener " << id << " gets " << passage->text;
            ASSERT_LE(disk.open_now, static_cast<int>(Feed::kReadersMax));
        }
    }
    for (std::uint64_t id = 0; id < kListeners; ++id) feed.close(id);
    EXPECT_FALSE(read_one(feed, {kRecords + 1})) << "all listeners are closed by now";
    EXPECT_EQ(disk.open_now, 0);
}

TEST(Feed, G7_ReadsOnceForAllListenersThatFollowLive) {
    constexpr std::uint64_t kListeners = 100;
    journal::testing::MemoryDisk real;
    register_agents(real, 3);
    CountedDisk disk{real};
    Feed feed{disk};
    for (std::uint64_t record = 1; record <= 3; ++record) {
        for (std::uint64_t id = 0; id < kListeners; ++id) {
            const auto passage = read(feed, {record}, {record}, 1 << 20, id);
            ASSERT_TRUE(passage) << passage.error().message;
            ASSERT_EQ(passage->last, Sequence{record});
            ASSERT_TRUE(passage->is_end);
        }
    }
    EXPECT_EQ(disk.opened, 1);
}

TEST(Feed, G7_ReportsDamageOnceToEachListenerAlsoIfItsFileWasClosedMeanwhile) {
    constexpr std::uint64_t kListeners = 20;
    journal::testing::MemoryDisk disk;
    register_agents(disk, 4);
    const auto bytes = disk.contents().at("00000000000000000001.journal");
    disk.flip_bit("00000000000000000001.journal", bytes.find("a1"), 0);
    Feed feed{disk};
    const auto all = [&](Sequence from, auto check) {
        for (std::uint64_t id = 0; id < kListeners; ++id)
            check(read(feed, from, {4}, 1, id).value());
    };
    all({1}, [](const Passage& passage) { EXPECT_EQ(passage.last, Sequence{1}); });
    all({2}, [](const Passage& passage) {
        ASSERT_TRUE(passage.damage);
        EXPECT_EQ(passage.damage->first, Sequence{2});
        EXPECT_EQ(passage.damage->last, Sequence{2});
    });
    all({3}, [](const Passage& passage) {
        EXPECT_FALSE(passage.damage);
        EXPECT_EQ(passage.last, Sequence{3});
    });
}

TEST(Feed, FindsOneEventAndFailsForAMissingSequence) {
    journal::testing::MemoryDisk disk;
    register_agents(disk, 2);
    Feed feed{disk};
    const auto event = read_one(feed, {2});
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(std::get<AgentRegistered>(**event).agent, AgentId{"a1"});
    EXPECT_FALSE(read_one(feed, {9}));
}

TEST(Feed, NeverPassesADamagedRecordOn) {
    journal::testing::MemoryDisk disk;
    register_agents(disk, 1);
    const auto bytes = disk.contents().at("00000000000000000001.journal");
    disk.flip_bit("00000000000000000001.journal", bytes.find("a0"), 0);
    Feed feed{disk};
    const auto passage = read(feed, {1}, {1});
    ASSERT_TRUE(passage) << passage.error().message;
    EXPECT_EQ(passage->text, "");
    ASSERT_TRUE(passage->damage);
    EXPECT_EQ(print(*passage->damage),
              "00000000000000000001.journal:4096: record 1 is damaged; record 1 cannot be read");
}

TEST(Feed, SendsTheEventsBeforeADamagedRecordReportsTheDamageAndGoesOnBehindIt) {
    journal::testing::MemoryDisk disk;
    register_agents(disk, 4);
    const auto bytes = disk.contents().at("00000000000000000001.journal");
    disk.flip_bit("00000000000000000001.journal", bytes.find("a2"), 0);
    Feed feed{disk};
    const auto passage = read(feed, {1}, {4});
    ASSERT_TRUE(passage) << passage.error().message;
    EXPECT_EQ(passage->last, Sequence{2});
    EXPECT_NE(passage->text.find("\"agent\":\"a1\""), std::string::npos);
    EXPECT_EQ(passage->text.find("\"agent\":\"a3\""), std::string::npos);
    EXPECT_FALSE(passage->is_end);
    ASSERT_TRUE(passage->damage);
    EXPECT_EQ(passage->damage->first, Sequence{3});
    EXPECT_EQ(passage->damage->last, Sequence{3});

    const auto rest = read(feed, {1}, {4});
    ASSERT_TRUE(rest) << rest.error().message;
    EXPECT_TRUE(rest->text.starts_with("id: 4\n")) << rest->text;
    EXPECT_EQ(rest->last, Sequence{4});
    EXPECT_FALSE(rest->damage);
    EXPECT_TRUE(rest->is_end);
}

TEST(Feed, FindsOneEventBehindADamagedOneAndReportsTheDamagedOne) {
    journal::testing::MemoryDisk disk;
    register_agents(disk, 4);
    const auto bytes = disk.contents().at("00000000000000000001.journal");
    disk.flip_bit("00000000000000000001.journal", bytes.find("a2"), 0);
    Feed feed{disk};
    EXPECT_EQ(read_one(feed, {3}).error().fault, Fault::Corrupt);
    const auto event = read_one(feed, {4});
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(std::get<AgentRegistered>(**event).agent, AgentId{"a3"});
}

TEST(Feed, A2_SendsTheEventsAroundUnreadableBytes) {
    journal::testing::MemoryDisk disk;
    register_agents(disk, 600);
    disk.refuse_reads("00000000000000000001.journal", 20'480, 24'576);
    Feed feed{disk};
    std::uint64_t missing = 0;
    std::uint64_t places = 0;
    for (Sequence last{}; last < Sequence{600} && places < 10;) {
        const auto passage = read(feed, {1}, {600});
        ASSERT_TRUE(passage) << passage.error().message;
        last = passage->last;
        if (!passage->damage) continue;
        last = passage->damage->last;
        missing += records_in(*passage->damage);
        ++places;
    }
    EXPECT_EQ(places, 1U);
    EXPECT_GT(missing, 30U);
    EXPECT_LT(missing, 60U);
}

TEST(EventNames, StandInTheOrderOfTheVariant) {
    EXPECT_EQ(event_names().front(), "HubFounded");
    EXPECT_EQ(event_names()[Event{MessageAccepted{}}.index()], "MessageAccepted");
}

}  // namespace
}  // namespace parlance::views
