// A turn that found no room on the disk is written later, exactly as decided.
#include <gtest/gtest.h>

#include "core/snapshot.h"
#include "engine/engine.h"
#include "journal/event_codec.h"
#include "journal/testing/memory_disk.h"

namespace parlance::engine {
namespace {

using namespace std::chrono_literals;

struct FullDisk : testing::Test {
    journal::testing::MemoryDisk disk;
    Time now{std::chrono::hours{480'000}};
    std::uint64_t bits = 0;
    Effects effects;

    std::unique_ptr<Engine> open() {
        auto journal = journal::Journal::open(disk, {.segment_bytes = 8'192});
        EXPECT_TRUE(journal);
        Options options;
        options.version = "test";
        auto engine =
            Engine::open(std::move(*journal),
                         options,
                         {.wall_clock = [this] { return now; },
                          .steady_clock = [this] { return now.time_since_epoch(); },
                          .entropy = [this] { return ++bits; },
                          .outbox =
                              [this](Effects&& said) {
                                  effects.insert(effects.end(), said.begin(), said.end());
                              },
                          .background = [](const std::function<void()>& chore) { chore(); },
                          .log = [](const std::string&) {}});
        EXPECT_TRUE(engine);
        return std::move(*engine);
    }

    static Stamped send(const std::string& id, std::size_t bytes) {
        return {.command = SendMessage{.envelope = Envelope::make(
                                           {.id = id, .from = "alice", .to = "bob", .type = "TEST"},
                                           std::string(bytes, 'x'))},
                .reply_target = {1}};
    }

    void fill() {
        std::uint64_t used = 0;
        for (const auto& [name, bytes] : disk.contents()) used += bytes.size();
        disk.set_capacity(used);
    }
};

TEST_F(FullDisk, ADelayedTurnIsRecordedUnderTheTimeOfItsDecision) {
    auto engine = open();
    engine->submit({.command = RegisterAgent{{"bob"}, {}}});
    engine->turn();
    fill();
    engine->submit(send("m-1", 20'000));  // More than the prepared segment holds.
    engine->turn();
    ASSERT_EQ(engine->health().condition, Condition::DiskFull);
    EXPECT_TRUE(effects.empty() || !std::holds_alternative<TellAccepted>(effects.back()));

    disk.set_capacity(1 << 30);
    now += 5s;
    engine->turn();
    ASSERT_EQ(engine->health().condition, Condition::Serving);
    EXPECT_TRUE(std::holds_alternative<TellAccepted>(effects.back()));

    core::State replayed;
    auto journal = journal::Journal::open(disk, {.segment_bytes = 8'192, .is_read_only = true});
    ASSERT_TRUE(journal);
    const auto read = (*journal)->replay({}, [&](const journal::Record& record) -> Result<void> {
        core::apply(replayed, record.at, TRY(journal::decode(record)));
        return {};
    });
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(core::encode_state(replayed), core::encode_state(engine->state()));
}

TEST_F(FullDisk, AHubKilledOnAFullDiskStartsAgainAndServesWhenThereIsRoom) {
    open();
    ASSERT_TRUE(disk.remove("spare.journal"));
    fill();
    auto engine = open();
    ASSERT_TRUE(engine);
    EXPECT_EQ(engine->health().condition, Condition::DiskFull);
    EXPECT_EQ(engine->submit(send("m-1", 10)), Refusal::HubStorageFull);

    disk.set_capacity(1 << 30);
    now += 5s;
    engine->turn();
    EXPECT_EQ(engine->health().condition, Condition::Serving);
}

}  // namespace
}  // namespace parlance::engine
