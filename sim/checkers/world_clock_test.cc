// The clocks of the world, and the checkers that judge by them: each checker is shown a life whose
// journal looks right while the world's clock disagrees.
#include "sim/checkers/world_clock.h"

#include <gtest/gtest.h>

#include "sim/checkers/checkers.h"
#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

using namespace std::chrono_literals;

const Time kStart{std::chrono::hours{480'000}};

TEST(WorldClock, StartsAtTheLaterOfWallClockAndLastRecord) {
    Chronicle life;
    life.history.processes = {
        {.begin = kStart, .wall = kStart + 3s, .last = {}, .end = kStart + 10s},
        {.begin = kStart + 20s, .wall = kStart - 1h, .last = {1}}};
    const WorldClock clock{life.history};
    EXPECT_EQ(clock.hub_time(kStart + 2s), kStart + 5s) << "the wall clock was ahead";
    EXPECT_EQ(clock.hub_time(kStart + 22s), kStart + 2s) << "one hour behind: the record counts";
}

TEST(WorldClock, KnowsWhenTheHubCanAct) {
    Chronicle life;
    life.history.processes = {{.begin = kStart, .wall = kStart, .last = {}, .end = kStart + 10s},
                              {.begin = kStart + 20s, .wall = kStart + 20s, .last = {1}}};
    life.history.pauses = {{kStart + 1s, kStart + 2s}, {kStart + 10s, kStart + 21s}};
    const WorldClock clock{life.history};
    EXPECT_EQ(clock.first_opportunity(kStart + 500ms, kStart), kStart + 500ms);
    EXPECT_EQ(clock.first_opportunity(kStart + 1500ms, kStart), kStart + 2s)
        << "it waits for a sync";
    EXPECT_EQ(clock.first_opportunity(kStart + 12s, kStart), kStart + 21s) << "it is down";
    EXPECT_EQ(clock.first_opportunity(kStart + 1s, kStart + 5s), kStart + 5s)
        << "nobody knew before";
    EXPECT_EQ(clock.pause_began(kStart + 1500ms), kStart + 1s);
    EXPECT_EQ(clock.pause_began(kStart + 5s), kStart + 5s);
}

TEST(WorldClock, HasNoOpportunityForWorkDueAfterTheEnd) {
    Chronicle life;
    life.history.processes = {{.begin = kStart, .wall = kStart, .last = {}, .end = kStart + 10s}};
    const WorldClock clock{life.history};
    EXPECT_EQ(clock.first_opportunity(kStart + 10s, kStart), Time::max());
}

/// A request that ends at its deadline, and an answer that the requester settles.
struct TimedOut {
    Chronicle life;
    Ticket request = life.accept({.id = "q", .intent = Intent::Request},
                                 {.priority = Priority::Normal, .deadline = life.now() + 1s});

    TimedOut() { life.history.limits.request_timeout = 1s; }
    Ticket fail() {
        const Ticket answer{(life.history.journal.size() + 1) * 1024};
        life.record(RequestFailed{.request = request, .ticket = answer});
        life.record(MessageExpired{request});
        return answer;
    }
    void settle(Ticket answer) { life.acknowledge(life.lease(answer, 1, {2})); }
};

TEST(W1, HoldsWhenTheRequestEndsWithinATickOfItsDeadline) {
    TimedOut timed_out;
    timed_out.life.later(1s + kTick);
    timed_out.settle(timed_out.fail());
    EXPECT_FALSE(timed_out.life.breaks("W1")) << timed_out.life.broken();
}

TEST(W1, IsBrokenByAHubThatSleepsPastTheDeadline) {
    TimedOut timed_out;
    timed_out.life.later(5s);  // The journal has no record meanwhile, and so looks right.
    timed_out.settle(timed_out.fail());
    EXPECT_TRUE(timed_out.life.breaks("W1"));
}

TEST(W1, IsBrokenByAHubWhoseTimeStandsStill) {
    TimedOut timed_out;
    timed_out.life.later_unnoticed(5s).later(1s);
    timed_out.settle(timed_out.fail());
    EXPECT_TRUE(timed_out.life.breaks("W1"));
}

TEST(W1, HoldsForAHubThatWasDownMeanwhile) {
    TimedOut timed_out;
    auto& life = timed_out.life;
    life.history.pauses = {{life.world(), life.world() + 5s}};
    life.later(5s);
    timed_out.settle(timed_out.fail());
    EXPECT_FALSE(life.breaks("W1")) << life.broken();
}

TEST(W1, IsBrokenByAnUnsettledAnswer) {
    TimedOut timed_out;
    timed_out.life.later(1s);
    timed_out.life.lease(timed_out.fail(), 1, {2});
    EXPECT_TRUE(timed_out.life.breaks("W1"));
}

TEST(W1, IsBrokenByADroppedAnswerOfAnyPriority) {
    TimedOut timed_out;
    timed_out.life.later(1s);
    const auto answer = timed_out.fail();
    timed_out.life.lease(answer, 1, {2});
    timed_out.life.record(
        MessageDropped{.ticket = answer, .failure = DeliveryFailure::LeaseExpired});
    EXPECT_TRUE(timed_out.life.breaks("W1"));
}

TEST(W1, IsKeptByADeadLetteredAnswer) {
    TimedOut timed_out;
    timed_out.life.later(1s);
    const auto answer = timed_out.fail();
    timed_out.life.lease(answer, 1, {2});
    timed_out.life.record(MessageDeadLettered{.ticket = answer});
    EXPECT_FALSE(timed_out.life.breaks("W1")) << timed_out.life.broken();
}

TEST(W1, IsBrokenByAWaitingRequesterWithoutAnAnswer) {
    for (const bool is_told : {false, true}) {
        TimedOut timed_out;
        timed_out.life.later(1s);
        timed_out.life.record(RequestFailed{.request = timed_out.request});
        timed_out.life.record(MessageExpired{timed_out.request});
        if (is_told) timed_out.life.show(TellAnswer{.request = timed_out.request});
        EXPECT_EQ(timed_out.life.breaks("W1"), !is_told);
    }
}

TEST(W1, IsBrokenByADeadlineBeyondTheHubsLimit) {
    TimedOut timed_out;
    timed_out.life.history.limits.request_timeout = 500ms;
    timed_out.life.later(1s);
    timed_out.settle(timed_out.fail());
    EXPECT_TRUE(timed_out.life.breaks("W1"));
}

TEST(D6, IsBrokenByAWaitTooShortByTheWorldsClock) {
    Chronicle life;
    const auto ticket =
        life.accept({.id = "a"}, {.priority = Priority::High, .retry_count_max = 1});
    life.lease(ticket, 1);
    // Hub time runs ahead: by the journal the wait is as long as it should be.
    life.record(DeliveryReturned{.ticket = ticket,
                                 .attempt = 1,
                                 .failure = DeliveryFailure::LeaseExpired,
                                 .retry_at = life.now() + life.history.limits.backoff_base});
    life.later(life.history.limits.backoff_base).later_unnoticed(-50ms);
    life.record(RetryBegan{ticket});
    life.acknowledge(life.lease(ticket, 2));
    EXPECT_TRUE(life.breaks("D6"));
}

TEST(D6, IsBrokenByAWaitThatDoesNotEnd) {
    for (const auto late : {0ms, 50ms}) {
        Chronicle life;
        const auto ticket =
            life.accept({.id = "a"}, {.priority = Priority::High, .retry_count_max = 1});
        life.lease(ticket, 1);
        life.record(DeliveryReturned{.ticket = ticket,
                                     .attempt = 1,
                                     .failure = DeliveryFailure::LeaseExpired,
                                     .retry_at = life.now() + life.history.limits.backoff_base});
        life.later(life.history.limits.backoff_base + late).record(RetryBegan{ticket});
        life.acknowledge(life.lease(ticket, 2));
        EXPECT_EQ(life.breaks("D6"), late > 0ms);
    }
}

TEST(D7, IsBrokenByDeliveryAfterTheTtlByTheWorldsClock) {
    for (const auto late : {0ms, 600ms}) {
        Chronicle life;
        const auto ticket =
            life.accept({.id = "a"}, {.priority = Priority::High, .expires_at = life.now() + 1s});
        life.later(500ms).later_unnoticed(late);  // By the journal half of the ttl is left.
        life.acknowledge(life.lease(ticket));
        EXPECT_EQ(life.breaks("D7"), late > 0ms);
    }
}

TEST(D7, IsBrokenByALateRecordOfTheExpiry) {
    Chronicle life;
    const auto ticket =
        life.accept({.id = "a"}, {.priority = Priority::High, .expires_at = life.now() + 1s});
    life.later(3s).record(MessageExpired{ticket});
    EXPECT_TRUE(life.breaks("D7"));
}

TEST(G8, IsBrokenByTimeThatStandsStill) {
    Chronicle life;
    life.later(1s).record(HubStarted{});
    EXPECT_FALSE(life.breaks("G8"));
    life.later_unnoticed(1s).record(HubStarted{});
    EXPECT_TRUE(life.breaks("G8"));
}

TEST(G8, IsBrokenByTimeThatRunsAhead) {
    Chronicle life;
    life.later(1s).later_unnoticed(-500ms).record(HubStarted{});
    EXPECT_TRUE(life.breaks("G8"));
}

TEST(G8, HoldsForRecordsThatAFullDiskHeldUp) {
    Chronicle life;
    life.history.pauses = {{life.world(), life.world() + 2s}};
    life.later_unnoticed(2s).record(HubStarted{});
    EXPECT_FALSE(life.breaks("G8")) << "it was decided when the pause began";
}

TEST(G8, IsBrokenByALeaseThatDoesNotEnd) {
    for (const auto late : {0ms, 50ms}) {
        Chronicle life;
        const auto ticket = life.accept({.id = "a"}, {.priority = Priority::Normal});
        life.record(LeaseGranted{
            .ticket = ticket, .instance = {1}, .attempt = 1, .until = life.now() + 1s});
        life.later(1s + late);
        life.record(MessageDropped{.ticket = ticket, .failure = DeliveryFailure::LeaseExpired});
        EXPECT_EQ(life.breaks("G8"), late > 0ms);
    }
}

}  // namespace
}  // namespace parlance::sim
