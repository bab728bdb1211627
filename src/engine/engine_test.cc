// The engine on a failing disk and a controlled clock: which effects leave, when they leave, and
// which state survives a restart.
#include "engine/engine.h"

#include <array>

#include <gtest/gtest.h>

#include "base/match.h"
#include "base/mutant.h"
#include "core/snapshot.h"
#include "journal/event_codec.h"
#include "journal/format.h"
#include "journal/high_water.h"
#include "journal/testing/memory_disk.h"

namespace parlance::engine {

namespace {

using journal::testing::DiskFailure;
using journal::testing::MemoryDisk;
using namespace std::chrono_literals;

const Time kNoon{std::chrono::hours{12}};

/// The surroundings of one engine. `said` collects the engine's effects.
struct Bench {
    MemoryDisk disk;
    Time now = kNoon;
    Duration wall_ahead{};  ///< The wall clock minus `now`; the steady clock is never set.
    std::vector<std::string> logged;
    std::uint64_t entropy = 1;
    Effects said;
    std::uint64_t syncs_when_said = 0;
    std::uint64_t segment_bytes = 1 << 20;
    bool is_busy = false;  ///< While true, the background queues its jobs.
    std::vector<std::function<void()>> jobs;
    Options options{.version = "test", .snapshot_records_min = 1'000'000};
    std::unique_ptr<Engine> engine;

    World world() {
        return {.wall_clock = [this] { return now + wall_ahead; },
                .steady_clock = [this] { return now.time_since_epoch(); },
                .entropy = [this] { return ++entropy; },
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
                .log = [this](const std::string& line) { logged.push_back(line); }};
    }

    Result<void> open() {
        engine.reset();
        auto journal = TRY(journal::Journal::open(disk, {.segment_bytes = segment_bytes}));
        engine = TRY(Engine::open(std::move(journal), options, world()));
        said.clear();
        return {};
    }

    Refusal bring(Command command, std::uint64_t reply_target = 0) {
        return engine->submit(
            {.command = std::move(command), .caller = nullptr, .reply_target = {reply_target}});
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

/// Opens an engine and registers agent bob.
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

TEST(Engine, WouldLoseAMessageIfItAcknowledgedBeforeTheSync) {
    if (!kHasMutants) GTEST_SKIP() << "the planted bugs are not compiled in";
    Bench bench;
    open_with_bob(bench);
    plant(Mutant::AcknowledgeBeforeSync);
    bench.disk.plan(0, DiskFailure::CrashBefore);
    bench.bring(letter("m1"), 7);
    EXPECT_THROW(bench.live(), journal::testing::Crashed);
    plant(Mutant::None);
    EXPECT_EQ(bench.heard<TellAccepted>().size(), 1U);
    bench.engine.reset();  // The process died; none of its code runs again.
    bench.disk.lose_power([](std::uint64_t) { return std::uint64_t{0}; });
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->hub().waiting, 0U);
}

TEST(Engine, AcknowledgesNothingMoreOnceTheDiskFailed) {
    int failures = 0;
    for (std::uint64_t operation = 0; operation < 3; ++operation) {
        Bench bench;
        open_with_bob(bench);
        bench.disk.plan(operation, DiskFailure::Error);
        bench.bring(letter("m1"), 7);
        bench.live();
        // A failed write is retried; a failed sync is not.
        constexpr std::array kConditions{
            Condition::DiskFull, Condition::DiskFailed, Condition::Serving};
        EXPECT_EQ(bench.engine->health().condition, kConditions.at(operation));
        if (bench.engine->health().condition != Condition::DiskFailed) continue;
        ++failures;
        EXPECT_FALSE(bench.engine->health().reason.empty());
        EXPECT_TRUE(bench.heard<TellAccepted>().empty());
        EXPECT_EQ(bench.bring(letter("m2"), 8), Refusal::HubStorageFailed);
        EXPECT_FALSE(bench.engine->turn());
        EXPECT_TRUE(bench.heard<TellAccepted>().empty());
    }
    EXPECT_EQ(failures, 1);
}

TEST(Engine, AnswersTheCallersOfAFailedTurn) {
    Bench bench;
    open_with_bob(bench);
    bench.disk.plan(1, DiskFailure::Error);  // Operation 1 is the sync.
    bench.bring(letter("m1"), 7);
    bench.bring(Subscribe{{"bob"}, {"news"}}, 8);
    bench.live();
    const auto refused = bench.heard<TellRefused>();
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused[0].reply_target, ReplyTarget{7});
    EXPECT_EQ(refused[0].id, "m1");
    EXPECT_EQ(refused[0].refusal, Refusal::HubStorageFailed);
    EXPECT_EQ(refused[1].reply_target, ReplyTarget{8});
}

TEST(Engine, RefusesWhileTheDiskIsFullAndResumesByItself) {
    Bench bench;
    open_with_bob(bench);
    bench.disk.plan(0, DiskFailure::Full);
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

TEST(Engine, D1_RetriesAFailedWriteButNoFailedSync) {
    Bench bench;
    open_with_bob(bench);
    for (const auto disk_failure : {DiskFailure::Error, DiskFailure::ShortError}) {
        bench.said.clear();
        bench.disk.plan(0, disk_failure);
        bench.bring(letter(disk_failure == DiskFailure::Error ? "m1" : "m2"), 7);
        bench.live();
        EXPECT_EQ(bench.engine->health().condition, Condition::DiskFull);
        EXPECT_TRUE(bench.heard<TellAccepted>().empty());
        bench.now += bench.options.full_disk_retry;
        bench.live();
        EXPECT_EQ(bench.engine->health().condition, Condition::Serving);
        EXPECT_EQ(bench.heard<TellAccepted>().size(), 1U);
    }
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->hub().waiting, 2U);
}

/// The record named by the high-water mark on disk.
std::uint64_t marked(Bench& bench) {
    return journal::read_high_water(bench.disk)->mark->sequence.value;
}

TEST(Engine, A2_KeepsTheHighWaterMarkAtMostAnIntervalBehind) {
    Bench bench;
    open_with_bob(bench);
    const auto at_start = marked(bench);
    bench.bring(letter("m1"), 7);
    bench.live();
    const auto last = bench.engine->durable().value;
    ASSERT_GT(last, at_start);
    bench.now += bench.options.high_water_interval - 1ms;
    bench.live();
    EXPECT_EQ(marked(bench), at_start);
    bench.now += 1ms;
    bench.live();  // The idle engine still writes the mark.
    EXPECT_EQ(marked(bench), last);

    // An idle hub with a current mark writes nothing.
    bench.now += 10 * bench.options.high_water_interval;
    const auto operations = bench.disk.operations();
    bench.live();
    EXPECT_EQ(bench.disk.operations(), operations);
}

TEST(Engine, A2_MovesTheHighWaterMarkIntoANewSegmentAtOnce) {
    Bench bench;
    bench.segment_bytes = 64 << 10;
    bench.options.turn_bytes_max = 1 << 10;
    open_with_bob(bench);
    const auto newest = [&] {
        std::uint64_t first = 0;
        for (const auto& [name, bytes] : bench.disk.contents()) {
            const auto found = journal::parse_segment_name(name);
            if (found) first = std::max(first, found->value);
        }
        return first;
    };
    for (int segment = 0; segment < 3; ++segment) {
        const auto before = newest();
        for (int i = 0; newest() == before; ++i) {
            ASSERT_LT(i, 1000);
            bench.bring(letter("m-" + std::to_string(segment) + "-" + std::to_string(i)));
            bench.live();
        }
        EXPECT_GE(marked(bench), newest());
    }
}

TEST(Engine, A2_TriesTheHighWaterMarkAgainAndServesMeanwhile) {
    Bench bench;
    open_with_bob(bench);
    bench.now += bench.options.high_water_interval;
    bench.disk.plan(0, DiskFailure::Error);
    bench.live();
    EXPECT_EQ(bench.engine->health().condition, Condition::Serving);
    EXPECT_LT(marked(bench), bench.engine->durable().value);
    bench.now += bench.options.high_water_interval;
    bench.live();
    EXPECT_EQ(marked(bench), bench.engine->durable().value);
}

TEST(Engine, A2_WritesTheHighWaterMarkAtACleanStop) {
    Bench bench;
    open_with_bob(bench);
    bench.engine->write_high_water_now();
    EXPECT_EQ(marked(bench), bench.engine->durable().value);
}

TEST(Engine, A2_ContinuesAfterRecordsWhoseLossWasAccepted) {
    Bench bench;
    open_with_bob(bench);
    bench.bring(letter("kept"));
    bench.live();
    const auto copy = bench.disk.contents();
    bench.bring(letter("lost"));
    bench.live();
    bench.engine->write_high_water_now();
    const auto lost = bench.engine->durable();
    bench.engine.reset();
    // The end of the only segment is lost, the high-water mark is not.
    for (const auto& [name, bytes] : copy) {
        if (!journal::parse_segment_name(name)) continue;
        ASSERT_TRUE(
            bench.disk.open(name, journal::Disk::Mode::ReadWrite).value()->write_at(0, bytes));
    }
    EXPECT_FALSE(bench.open());
    ASSERT_TRUE(journal::Journal::open(
        bench.disk, {.segment_bytes = bench.segment_bytes, .accepted_loss = lost}));

    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->hub().waiting, 1U);
    EXPECT_EQ(bench.engine->state().sequence, bench.engine->durable());
    EXPECT_GT(bench.engine->durable(), lost);
    bench.bring(letter("new"));
    bench.live();
    const auto lived = core::encode_state(bench.engine->state());
    bench.engine->snapshot_now();
    const auto last = bench.engine->durable();

    // Snapshot and records rebuild the same state on both sides of the gap.
    for (const bool has_snapshot : {true, false}) {
        bench.engine.reset();
        for (const auto& [name, bytes] : bench.disk.contents()) {
            const bool is_removed = !has_snapshot && name.ends_with(".snapshot");
            if (is_removed) (void)bench.disk.remove(name);
        }
        auto journal = journal::Journal::open(
            bench.disk, {.segment_bytes = bench.segment_bytes, .is_read_only = true});
        ASSERT_TRUE(journal);
        EXPECT_EQ((*journal)->last_sequence(), last);
        core::State state;
        state.limits = bench.options.limits;
        const auto snapshot = *(*journal)->newest_snapshot();
        EXPECT_EQ(snapshot.has_value(), has_snapshot);
        if (snapshot) state = *core::decode_state(snapshot->payload, bench.options.limits);
        ASSERT_TRUE((*journal)->replay(state.sequence, [&](const journal::Record& record) {
            state.sequence = {record.sequence.value - 1};
            core::apply(state, record.at, journal::decode(record).value());
            return Result<void>{};
        }));
        EXPECT_EQ(core::encode_state(state), lived);
    }
}

TEST(Engine, DoesNotRetryAFullDiskBeforeTheInterval) {
    Bench bench;
    open_with_bob(bench);
    bench.disk.plan(0, DiskFailure::Full);
    bench.bring(letter("m1"), 7);
    bench.live();
    const auto operations = bench.disk.operations();
    bench.now += bench.options.full_disk_retry - 1ms;
    bench.live();
    EXPECT_EQ(bench.disk.operations(), operations);
    EXPECT_EQ(bench.engine->next_due(), kNoon + bench.options.full_disk_retry);
}

/// Leaves one queued job, to make the next segment, in a busy background.
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
    ASSERT_EQ(bench.jobs.size(), 1U);  // The journal used its spare and wants the next.
    bench.said.clear();
    bench.bring(letter("last"), 7);
    bench.live();
    EXPECT_EQ(bench.heard<TellAccepted>().size(), 1U);
    EXPECT_EQ(bench.engine->health().condition, Condition::Serving);
    bench.jobs.front()();  // The late job does no harm.
}

TEST(Engine, LeavesItsJournalToARunningBackgroundJob) {
    Bench bench;
    write_until_a_segment_is_wanted(bench);
    ASSERT_EQ(bench.jobs.size(), 1U);
    bench.engine.reset();
    const auto before = bench.disk.list()->size();
    bench.jobs.front()();
    EXPECT_EQ(bench.disk.list()->size(), before + 1);  // The job made the spare.
    bench.jobs.clear();
    ASSERT_TRUE(bench.open());  // The journal's lock is free.
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
    EXPECT_EQ(bench.bring(letter("m1"), 1), Refusal::None);  // The body has two bytes.
    EXPECT_EQ(bench.bring(letter("m2"), 2), Refusal::HubOverloaded);
}

TEST(Engine, G7_BoundsTheBytesHandedInOneTurnAndHandsTheRestInTheNext) {
    Bench bench;
    bench.options.turn_handed_bytes_max = 3;
    open_with_bob(bench);
    for (const auto* name : {"one", "two", "three", "four"}) {
        bench.bring(JoinInstance{{"bob"}, name, InstanceKind::Poll, 0}, 1);
    }
    for (const auto* id : {"m1", "m2", "m3", "m4"}) bench.bring(letter(id), 2);  // Two bytes each.
    bench.live();
    const auto joined = bench.heard<TellJoined>();
    ASSERT_EQ(joined.size(), 4U);
    for (const auto& one : joined) bench.bring(TakeMessages{one.instance, 1}, 3);
    const auto left = bench.engine->commands_left();
    EXPECT_TRUE(bench.engine->turn()) << "there is more to do";
    EXPECT_EQ(bench.heard<Deliver>().size(), 2U);
    EXPECT_EQ(bench.engine->commands_left(), left + 2);
    bench.live();
    EXPECT_EQ(bench.heard<Deliver>().size(), 4U);
    EXPECT_EQ(bench.engine->commands_left(), left + 4);
}

/// Sends a message with a TTL of one minute while both clocks agree.
void send_with_ttl(Bench& bench) {
    open_with_bob(bench);
    auto late = letter("m1");
    late.ttl = Duration{60'000};
    ASSERT_EQ(bench.bring(late, 1), Refusal::None);
    bench.live();
    ASSERT_EQ(bench.engine->hub().waiting, 1U);
}

TEST(Engine, G8_AWallClockThatIsSetDuringARunMovesNothing) {
    for (const Duration jump : {Duration{-1h}, Duration{1h}}) {
        Bench bench;
        send_with_ttl(bench);
        bench.wall_ahead = jump;
        bench.live();
        EXPECT_EQ(bench.engine->now(), kNoon);
        EXPECT_EQ(bench.engine->ahead_of_wall_clock(), -jump);
        bench.now += 60s - 1ms;
        bench.live();
        EXPECT_EQ(bench.engine->hub().waiting, 1U);
        bench.now += 1ms;
        bench.live();
        EXPECT_EQ(bench.engine->hub().waiting, 0U);
        EXPECT_EQ(bench.engine->state().now, kNoon + 60s);
    }
}

TEST(Engine, G8_TimeGoesOnFromTheLastRecordWhenTheWallClockIsBehindAtAStart) {
    Bench bench;
    send_with_ttl(bench);
    bench.wall_ahead = -1h;
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->now(), kNoon);
    EXPECT_EQ(bench.engine->ahead_of_wall_clock(), 1h);
    bench.now += 60s - 1ms;
    bench.live();
    EXPECT_EQ(bench.engine->hub().waiting, 1U);
    bench.now += 1ms;
    bench.live();
    EXPECT_EQ(bench.engine->hub().waiting, 0U);
    EXPECT_EQ(bench.engine->state().now, kNoon + 60s);
}

TEST(Engine, G8_AWallClockThatIsBehindAtAStartIsLoggedWithBothTimesAndTheDifference) {
    Bench bench;
    send_with_ttl(bench);
    bench.wall_ahead = -3'600'250ms;
    ASSERT_TRUE(bench.open());
    ASSERT_EQ(bench.logged.size(), 1U);
    const auto& line = bench.logged.front();
    EXPECT_NE(line.find("1970-01-01T10:59:59.750Z"), std::string::npos) << line;
    EXPECT_NE(line.find("1970-01-01T12:00:00.000Z"), std::string::npos) << line;
    EXPECT_NE(line.find("3600.250 s"), std::string::npos) << line;
}

TEST(Engine, G8_AWallClockThatIsRightOrAheadAtAStartIsNotWarnedOf) {
    Bench bench;
    send_with_ttl(bench);
    for (const Duration ahead : {Duration{-999}, Duration{0}, Duration{1h}}) {
        bench.now += 2h;
        bench.wall_ahead = ahead;
        ASSERT_TRUE(bench.open());
        EXPECT_TRUE(bench.logged.empty()) << bench.logged.front();
    }
}

TEST(Engine, G8_AfterAStartWithTheWallClockAYearAheadTimeGoesOnFromThatStart) {
    constexpr auto kYear = 24h * 365;
    Bench bench;
    send_with_ttl(bench);
    bench.wall_ahead = kYear;
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->now(), kNoon + kYear);
    bench.wall_ahead = {};
    bench.now += 1h;
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.engine->now(), kNoon + kYear);  // The time of the last start's record.
    bench.now += 1h;
    EXPECT_EQ(bench.engine->now(), kNoon + kYear + 1h);
    EXPECT_EQ(bench.logged.size(), 1U);
}

JoinInstance heartbeat_of(const std::string& agent) {
    return {.agent = {agent}, .name = "one", .kind = InstanceKind::Poll, .is_heartbeat = true};
}

TEST(Engine, T16_AnIdleFleetAddsNoRecordInTenMinutesAndASilentInstanceIsLetGoInTime) {
    Bench bench;
    open_with_bob(bench);
    for (const auto* agent : {"ann", "cid"}) bench.bring(RegisterAgent{{agent}, taskwire()});
    bench.bring(JoinInstance{{"ann"}, "one", InstanceKind::Poll, 0});
    bench.bring(JoinInstance{{"bob"}, "one", InstanceKind::Poll, 0});
    bench.bring(JoinInstance{{"cid"}, "one", InstanceKind::Socket, 1});
    bench.live();
    ASSERT_EQ(bench.engine->hub().instances, 3U);
    bench.now += bench.options.high_water_interval;
    bench.live();  // The high-water mark follows the last record once.
    const auto before = bench.engine->durable();
    const auto syncs = bench.disk.syncs();
    for (int second = 0; second < 600; second += 5) {
        bench.now += 5s;
        bench.bring(TakeMessages{{1}, 10});
        bench.bring(heartbeat_of("bob"));
        bench.bring(Heartbeat{{3}});
        bench.live();
    }
    EXPECT_EQ(bench.engine->durable(), before);
    EXPECT_EQ(bench.disk.syncs(), syncs);
    EXPECT_EQ(bench.engine->agent({"bob"})->instances.at(0).last_seen, bench.now);

    const auto last = bench.now;
    while (bench.now < last + 30s - 5s) {
        bench.now += 5s;
        bench.bring(TakeMessages{{1}, 10});
        bench.live();
    }
    EXPECT_EQ(bench.engine->next_due(), last + 30s);
    EXPECT_TRUE(bench.engine->agent({"bob"})->is_there);
    bench.now = last + 30s;
    bench.live();
    EXPECT_FALSE(bench.engine->agent({"bob"})->is_there);
    EXPECT_FALSE(bench.engine->agent({"cid"})->is_there);
    EXPECT_TRUE(bench.engine->agent({"ann"})->is_there);

    // After a restart a polling instance has its whole timeout, and its heartbeats add no record
    // either.
    bench.now += 1h;
    ASSERT_TRUE(bench.open());
    const auto started = bench.engine->durable();
    EXPECT_TRUE(bench.engine->agent({"ann"})->is_there);
    bench.now += 29s;
    bench.bring(heartbeat_of("ann"));
    bench.live();
    bench.now += 29s;
    bench.live();
    EXPECT_TRUE(bench.engine->agent({"ann"})->is_there);
    EXPECT_EQ(bench.engine->durable(), started);
    bench.now += 1s;
    bench.live();
    EXPECT_FALSE(bench.engine->agent({"ann"})->is_there);
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

TEST(Engine, StartsFromASnapshotOfManyPieces) {
    Bench bench;
    open_with_bob(bench);
    auto large = letter("m1");
    for (int i = 0; i < 4; ++i) {
        const auto body = '"' + std::string(700'000, 'x') + '"';
        large.envelope = Envelope::make(
            {.id = "m" + std::to_string(i), .from = "alice", .to = "bob", .type = "TEST"}, body);
        bench.bring(large);
        bench.live();
    }
    bench.engine->snapshot_now();
    const auto lived = core::encode_state(bench.engine->state());
    ASSERT_GT(lived.size(), 2'800'000U);
    bench.engine.reset();
    bench.logged.clear();
    ASSERT_TRUE(bench.open());
    for (const auto& line : bench.logged) {
        EXPECT_EQ(line.find("passed over"), std::string::npos) << line;
    }
    EXPECT_EQ(bench.engine->hub().waiting, 4U);
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
    bench.disk.plan(3, DiskFailure::Error);
    EXPECT_FALSE(bench.open());
}

}  // namespace parlance::engine
