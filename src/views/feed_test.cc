#include "views/feed.h"

#include <future>
#include <string>

#include <gtest/gtest.h>

#include "journal/event_codec.h"
#include "journal/testing/memory_disk.h"
#include "views/event_names.h"

namespace parlance::views {
namespace {

/// A journal in which agents a0, a1, … were registered, one record each.
void register_agents(journal::testing::MemoryDisk& disk, int count) {
    auto journal = journal::Journal::open(disk, {.segment_bytes = 65'536}).value();
    for (int i = 0; i < count; ++i) {
        journal::Batch batch;
        journal::encode(AgentRegistered{{"a" + std::to_string(i)}, {}}, batch.open());
        batch.close();
        ASSERT_TRUE(journal->append(Time{Duration{i}}, batch));
    }
}

Result<Passage> read(Feed& feed, Sequence from, Sequence up_to, std::size_t bytes_max = 1 << 20) {
    std::promise<Result<Passage>> told;
    feed.read(1, from, up_to, bytes_max, [&](Result<Passage> passage) {
        told.set_value(std::move(passage));
    });
    return told.get_future().get();
}

Result<EventPtr> read_one(Feed& feed, Sequence at) {
    std::promise<Result<EventPtr>> told;
    feed.read_one(at, [&](Result<EventPtr> event) { told.set_value(std::move(event)); });
    return told.get_future().get();
}

TEST(Feed, TellsEveryEventFromTheAskedSequenceToTheLastDurableOne) {
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

TEST(Feed, GoesOnWhereItsLastPassageEnded) {
    journal::testing::MemoryDisk disk;
    register_agents(disk, 3);
    Feed feed{disk};
    EXPECT_EQ(read(feed, {1}, {3}, 1)->last, Sequence{1});
    EXPECT_EQ(read(feed, {1}, {3}, 1)->last, Sequence{2});
    EXPECT_EQ(read(feed, {1}, {3}, 1)->last, Sequence{3});
    EXPECT_TRUE(read(feed, {1}, {3}, 1)->is_end);
}

TEST(Feed, FindsOneEventAndSaysWhichIsNotThere) {
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
    EXPECT_TRUE(passage->flaw.starts_with("record 1 cannot be read: 00000000000000000001.journal:"))
        << passage->flaw;
}

TEST(Feed, TellsWhatStandsBeforeADamagedRecordAndWhereThatIs) {
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
    EXPECT_TRUE(passage->flaw.starts_with("record 3 cannot be read: 00000000000000000001.journal:"))
        << passage->flaw;
}

TEST(EventNames, StandInTheOrderOfTheVariant) {
    EXPECT_EQ(event_names().front(), "HubFounded");
    EXPECT_EQ(event_names()[Event{MessageAccepted{}}.index()], "MessageAccepted");
}

}  // namespace
}  // namespace parlance::views
