// The engine on a disk that fails and a clock that the test holds: what is said, when, and what is
// still true after a restart.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include "base/match.h"
#include "base/mutant.h"
#include "core/snapshot.h"
#include "journal/testing/memory_disk.h"

namespace parlance::engine {

namespace {

using journal::testing::MemoryDisk;
using journal::testing::Mishap;
using namespace std::chrono_literals;

const Time kNoon{std::chrono::hours{12}};

/// A world of one engine. What the engine says is kept in `said`.
struct Bench {
    MemoryDisk disk;
    Time now = kNoon;
    std::uint64_t chance = 1;
    Effects said;
    std::uint64_t syncs_when_said = 0;
    std::uint64_t segment_bytes = 1 << 20;
    bool is_busy = false;  ///< The background: it keeps its jobs until it is not.
    std::vector<std::function<void()>> jobs;
    Options options{.version = "test", .snapshot_records_min = 1'000'000};
    std::unique_ptr<Engine> engine;

    World world() {
        return {.clock = [this] { return now; },
                .chance = [this] { return ++chance; },
                .outbox =
                    [this](Effects&& effects) {
                        syncs_when_said = disk.syncs();
                        for (auto& effect : effects) said.push_back(std::move(effect));
                    },
                .background =
                    [this](std::function<void()> job) {
                        if (!is_busy) return job();
                        jobs.push_back(std::move(job));
                    },
                .log = [](const std::string&) {}};
    }

    Result<void> open() {
        engine.reset();
        auto journal = TRY(journal::Journal::open(disk, {.segment_bytes = segment_bytes}));
        engine = TRY(Engine::open(std::move(journal), options, world()));
        said.clear();
        return {};
    }

    Refusal bring(Command command, std::uint64_t ask = 0) {
        return engine->submit({.command = std::move(command), .caller = nullptr, .ask = {ask}});
    }
    void live() {
        while (engine->turn()) {
        }
    }
    template <class T>
    std::vector<T> heard() const {
        std::vector<T> found;
        for (const auto& effect : said) {
            if (const auto* one = std::get_if<T>(&effect)) found.push_back(*one);
        }
        return found;
    }
};

SendMessage letter(std::string_view id) {
    SendMessage send;
    send.envelope =
        Envelope::make({.id = id, .from = "alice", .to = "bob", .type = "ERROR_REPORT"}, "{}");
    send.priority = Priority::High;
    return send;
}

Profile taskwire() {
    Profile profile;
    profile.dialect = Dialect::Taskwire;
    return profile;
}

/// An engine with bob registered.
void open_with_bob(Bench& bench) {
    ASSERT_TRUE(bench.open());
    ASSERT_EQ(bench.bring(RegisterAgent{{"bob"}, taskwire()}), Refusal::None);
    bench.live();
    bench.said.clear();
}

}  // namespace

TEST(Engine, SpeaksOnlyAfterTheSync) {
    Bench bench;
    open_with_bob(bench);
    const auto before = bench.disk.syncs();
    bench.bring(letter("m1"), 7);
    EXPECT_TRUE(bench.said.empty());
    bench.live();
    ASSERT_EQ(bench.heard<TellAccepted>().size(), 1U);
    EXPECT_GT(bench.syncs_when_said, before);
}

TEST(Engine, TakesManyCommandsWithOneSync) {
    Bench bench;
    open_with_bob(bench);
    const auto before = bench.disk.syncs();
    for (std::uint64_t i = 1; i <= 100; ++i) bench.bring(letter("m" + std::to_string(i)), i);
    bench.live();
    EXPECT_EQ(bench.heard<TellAccepted>().size(), 100U);
    EXPECT_EQ(bench.disk.syncs(), before + 1);
}

TEST(Engine, KeepsWhatItAcknowledgedWhenThePowerFails) {
    Bench bench;
    open_with_bob(bench);
    bench.bring(letter("m1"), 7);
    bench.live();
    ASSERT_EQ(bench.heard<TellAccepted>().size(), 1U);
    bench.engine.reset();
    bench.disk.lose_power([](std::uint64_t) { return std::uint64_t{0}; });
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->hub().waiting, 1U);
}

TEST(Engine, WouldLoseItIfItAcknowledgedBeforeTheSync) {
    if (!kHasMutants) GTEST_SKIP() << "the planted bugs are not compiled in";
    Bench bench;
    open_with_bob(bench);
    plant(Mutant::AcknowledgeBeforeSync);
    bench.disk.plan(0, Mishap::CrashBefore);
    bench.bring(letter("m1"), 7);
    EXPECT_THROW(bench.live(), journal::testing::Crashed);
    plant(Mutant::None);
    EXPECT_EQ(bench.heard<TellAccepted>().size(), 1U);
    bench.engine.reset();  // The process died; nothing of it runs again.
    bench.disk.lose_power([](std::uint64_t) { return std::uint64_t{0}; });
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->hub().waiting, 0U);
}

TEST(Engine, AcknowledgesNothingMoreOnceTheDiskFailed) {
    int failures = 0;
    for (std::uint64_t operation = 0; operation < 3; ++operation) {
        Bench bench;
        open_with_bob(bench);
        bench.disk.plan(operation, Mishap::Error);
        bench.bring(letter("m1"), 7);
        bench.live();
        if (bench.engine->health().condition != Condition::DiskFailed) continue;
        ++failures;
        EXPECT_FALSE(bench.engine->health().reason.empty());
        EXPECT_TRUE(bench.heard<TellAccepted>().empty());
        EXPECT_EQ(bench.bring(letter("m2"), 8), Refusal::HubStorageFailed);
        EXPECT_FALSE(bench.engine->turn());
        EXPECT_TRUE(bench.heard<TellAccepted>().empty());
    }
    EXPECT_GE(failures, 2);  // The write and the sync, whichever else there is.
}

TEST(Engine, TellsThoseWhoWaitForTheTurnThatFailed) {
    Bench bench;
    open_with_bob(bench);
    bench.disk.plan(0, Mishap::Error);
    bench.bring(letter("m1"), 7);
    bench.bring(Subscribe{{"bob"}, {"news"}}, 8);
    bench.live();
    const auto refused = bench.heard<TellRefused>();
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused[0].ask, Ask{7});
    EXPECT_EQ(refused[0].id, "m1");
    EXPECT_EQ(refused[0].refusal, Refusal::HubStorageFailed);
    EXPECT_EQ(refused[1].ask, Ask{8});
}

TEST(Engine, RefusesWhileTheDiskIsFullAndResumesByItself) {
    Bench bench;
    open_with_bob(bench);
    bench.disk.plan(0, Mishap::Full);
    bench.bring(letter("m1"), 7);
    bench.live();
    EXPECT_EQ(bench.engine->health().condition, Condition::DiskFull);
    EXPECT_TRUE(bench.heard<TellAccepted>().empty());
    EXPECT_EQ(bench.bring(letter("m2"), 8), Refusal::HubStorageFull);
    EXPECT_TRUE(bench.engine->agent({"bob"}).has_value());

    bench.now += bench.options.full_disk_retry;
    bench.live();
    EXPECT_EQ(bench.engine->health().condition, Condition::Serving);
    EXPECT_EQ(bench.heard<TellAccepted>().size(), 1U);
    EXPECT_EQ(bench.bring(letter("m2"), 8), Refusal::None);
}

TEST(Engine, DoesNotTryAFullDiskBeforeItsTime) {
    Bench bench;
    open_with_bob(bench);
    bench.disk.plan(0, Mishap::Full);
    bench.bring(letter("m1"), 7);
    bench.live();
    const auto operations = bench.disk.operations();
    bench.now += bench.options.full_disk_retry - 1ms;
    bench.live();
    EXPECT_EQ(bench.disk.operations(), operations);
    EXPECT_EQ(bench.engine->next_due(), kNoon + bench.options.full_disk_retry);
}

/// The background has a job then, and is busy with others.
void write_until_a_segment_is_wanted(Bench& bench) {
    bench.segment_bytes = 65'536;
    bench.is_busy = true;
    open_with_bob(bench);
    for (int i = 0; bench.jobs.empty() && i < 5'000; ++i) {
        bench.bring(letter("m" + std::to_string(i)));
        bench.live();
    }
}

TEST(Engine, MakesTheNextSegmentItselfWhenTheBackgroundIsLate) {
    Bench bench;
    write_until_a_segment_is_wanted(bench);
    ASSERT_EQ(bench.jobs.size(), 1U);  // It went on to the spare, and the next is wanted.
    bench.said.clear();
    bench.bring(letter("last"), 7);
    bench.live();
    EXPECT_EQ(bench.heard<TellAccepted>().size(), 1U);
    EXPECT_EQ(bench.engine->health().condition, Condition::Serving);
    bench.jobs.front()();  // Late, and harmless.
}

TEST(Engine, LeavesItsJournalToAChoreThatIsStillAtWork) {
    Bench bench;
    write_until_a_segment_is_wanted(bench);
    ASSERT_EQ(bench.jobs.size(), 1U);
    bench.engine.reset();
    const auto before = bench.disk.list()->size();
    bench.jobs.front()();
    EXPECT_EQ(bench.disk.list()->size(), before + 1);  // The spare.
    bench.jobs.clear();
    ASSERT_TRUE(bench.open());  // And nobody holds the lock.
}

TEST(Engine, TurnsCommandsAwayWhenItsInboxIsFull) {
    Bench bench;
    bench.options.inbox_commands_max = 2;
    open_with_bob(bench);
    EXPECT_EQ(bench.bring(letter("m1"), 1), Refusal::None);
    EXPECT_EQ(bench.bring(letter("m2"), 2), Refusal::None);
    EXPECT_EQ(bench.bring(letter("m3"), 3), Refusal::HubOverloaded);
    bench.live();
    EXPECT_EQ(bench.bring(letter("m3"), 3), Refusal::None);
    EXPECT_EQ(bench.engine->counts().commands_refused, 1U);
}

TEST(Engine, BoundsItsInboxInBytesToo) {
    Bench bench;
    bench.options.inbox_bytes_max = 3;
    open_with_bob(bench);
    EXPECT_EQ(bench.bring(letter("m1"), 1), Refusal::None);  // A body of two bytes.
    EXPECT_EQ(bench.bring(letter("m2"), 2), Refusal::HubOverloaded);
}

TEST(Engine, MovesNoTimeBackWhenTheClockDoes) {
    Bench bench;
    open_with_bob(bench);
    bench.now += 1h;
    bench.bring(letter("m1"), 1);
    bench.live();
    bench.now = kNoon;
    auto late = letter("m2");
    late.ttl = Duration{1};
    bench.bring(late, 2);
    bench.live();
    EXPECT_EQ(bench.engine->state().now, kNoon + 1h);
}

TEST(Engine, RebuildsTheSameStateFromTheJournalAndFromASnapshot) {
    Bench bench;
    open_with_bob(bench);
    for (int i = 0; i < 20; ++i) bench.bring(letter("m" + std::to_string(i)));
    bench.bring(JoinInstance{{"bob"}, "one", InstanceKind::Poll, 0});
    bench.live();
    bench.bring(TakeMessages{{1}, 5});
    bench.live();
    ASSERT_TRUE(bench.open());
    const auto replayed = core::encode_state(bench.engine->state());
    bench.engine->snapshot_now();
    const auto clone = bench.disk.clone();
    auto journal = journal::Journal::open(*clone, {.segment_bytes = 1 << 20, .is_read_only = true});
    ASSERT_TRUE(journal);
    const auto snapshot = (*journal)->newest_snapshot();
    ASSERT_TRUE(snapshot && snapshot->has_value());
    const auto reloaded = core::decode_state((*snapshot)->payload, bench.options.limits);
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(core::encode_state(*reloaded), replayed);
}

TEST(Engine, StartsFromTheJournalWhenASnapshotIsDamaged) {
    Bench bench;
    open_with_bob(bench);
    bench.bring(letter("m1"));
    bench.live();
    bench.engine->snapshot_now();
    bench.engine.reset();
    for (const auto& [name, bytes] : bench.disk.contents()) {
        if (name.ends_with(".snapshot")) bench.disk.flip_bit(name, bytes.size() - 1, 0);
    }
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->hub().waiting, 1U);
}

TEST(Engine, DoesNotOpenOnADiskThatFails) {
    Bench bench;
    bench.disk.plan(3, Mishap::Error);
    EXPECT_FALSE(bench.open());
}

}  // namespace parlance::engine
