// G7, limit by limit: the table names every limit, and every excess is found.
#include "sim/checkers/bounds.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "sim/checkers/checkers.h"
#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

std::string limit_broken(const core::State& state) {
    Findings findings;
    check_bounds(state, findings);
    return findings.empty() ? "" : findings.front().what.substr(0, findings.front().what.find(' '));
}

TEST(Bounds, G7_EveryLimitIsMeasuredOrHeldByAnExistingChecker) {
    std::set<std::string_view> names;
    for (const auto& bound : bounds()) {
        EXPECT_TRUE(names.insert(bound.limit).second) << bound.limit << " stands there twice";
        const bool is_measured = bound.used != nullptr || bound.recorded != nullptr;
        EXPECT_NE(is_measured, !bound.held_by.empty()) << bound.limit;
        EXPECT_EQ(is_measured, bound.most != nullptr) << bound.limit;
        const auto checker = std::ranges::find(kCheckers, bound.held_by, &Checker::promise);
        // hub.cc checks W11, engine_test.cc checks T16: heartbeats are not in the journal.
        const bool is_checked =
            bound.held_by == "W11" || bound.held_by == "T16" || checker != kCheckers.end();
        EXPECT_TRUE(is_measured || is_checked) << bound.limit;
    }
}

TEST(Bounds, G7_AStateWithinItsLimitsHasNoFinding) { EXPECT_EQ(limit_broken(core::State{}), ""); }

TEST(Bounds, G7_OneTopicTooManyIsFound) {
    core::State state;
    state.limits.topics_max = 1;
    state.registry.topics[{"a"}] = {};
    EXPECT_EQ(limit_broken(state), "");
    state.registry.topics[{"b"}] = {};
    EXPECT_EQ(limit_broken(state), "topics_max");
}

TEST(Bounds, G7_OneSharedItemTooManyIsFoundDespiteAWrongCount) {
    core::State state;
    state.limits.shared_items_max = 1;
    state.shared.tasks["a"] = {};
    state.shared.sessions["b"] = {};
    state.shared.count = 1;  // A wrong count of the hub.
    EXPECT_EQ(limit_broken(state), "shared_items_max");
}

TEST(Bounds, G7_BytesOfSharedItemsAreCountedAnew) {
    core::State state;
    state.limits.shared_item_bytes_max = 3;
    state.shared.tasks["a"].document = "1234";
    EXPECT_EQ(limit_broken(state), "shared_item_bytes_max");
    state.limits.shared_item_bytes_max = 4;
    state.limits.shared_bytes_max = 7;
    EXPECT_EQ(limit_broken(state), "");
    state.shared.tasks["b"].document = "1234";
    EXPECT_EQ(limit_broken(state), "shared_bytes_max");
}

TEST(Bounds, G7_ATooLongStreamAndOneEndedStreamTooManyAreFound) {
    core::State state;
    state.limits.stream_bytes_max = 9;
    state.limits.streams_ended_max = 1;
    state.streams.all[{1}] = {.parts = {}, .bytes = 10};
    EXPECT_EQ(limit_broken(state), "stream_bytes_max");
    state.streams.all[{1}] = {.parts = {}, .bytes = 9, .ended = {5}};
    EXPECT_EQ(limit_broken(state), "");
    state.streams.all[{2}] = {.parts = {}, .bytes = 9, .ended = {6}};
    EXPECT_EQ(limit_broken(state), "streams_ended_max");
}

TEST(G7, IsBrokenByALeaseAboveTheLimit) {
    for (const auto more : {Duration{0}, Duration{1}}) {
        Chronicle life;
        const auto ticket = life.accept({.id = "a"});
        const auto until = life.now() + life.history.limits.lease + more;
        life.record(LeaseGranted{.ticket = ticket, .instance = {1}, .attempt = 1, .until = until});
        EXPECT_EQ(life.breaks("G7"), more > Duration{0});
    }
}

TEST(G7, IsBrokenByBytesAboveTheHubsLimit) {
    Chronicle life;
    life.history.limits.hub_bytes_max = 10;
    life.accept({.id = "a", .to = "bob", .body = "123456"});
    EXPECT_FALSE(life.breaks("G7"));
    life.accept({.id = "b", .to = "alice", .body = "12345"});
    EXPECT_TRUE(life.breaks("G7"));
}

TEST(G7, IsBrokenByBytesOfHeldRequests) {
    Chronicle life;
    life.history.limits.hub_bytes_max = 10;
    const auto held = life.accept(
        {.id = "a", .intent = Intent::Request, .body = "123456"},
        {.priority = Priority::High, .deadline = life.now() + Duration{9'000}, .is_held = true});
    life.record(RequestHeld{.request = held});
    life.accept({.id = "b", .body = "12345"});
    EXPECT_TRUE(life.breaks("G7"));
}

}  // namespace
}  // namespace parlance::sim
