#include "views/timeline.h"

#include <gtest/gtest.h>

namespace parlance::views {
namespace {

constexpr Time kNoon{std::chrono::hours{12}};

struct Way {
    std::uint64_t ticket = 1;
    std::string from = "asker";
    std::string to = "worker";
    Ticket parent{};
    int accepted = 0;  ///< Milliseconds after noon, like the next two.
    int leased = 0;
    int answered = 0;
};

Span answered_request(const Way& way) {
    Span span{.ticket = {way.ticket},
              .sequence = {way.ticket},
              .accepted_at = kNoon + Duration{way.accepted},
              .correlation = "c",
              .id = "r" + std::to_string(way.ticket),
              .from = way.from,
              .to = way.to,
              .type = "TASK",
              .part = Part::Request,
              .parent = way.parent};
    span.course = course_at_start(span);
    take(span, {Standing::AtWork, {way.ticket + 1}, kNoon + Duration{way.leased}});
    take(span, {Standing::Answered, {way.ticket + 2}, kNoon + Duration{way.answered}});
    return span;
}

TEST(Percentiles, C12_UseTheNearestRank) {
    // Of 1 to 100 the p-th percentile is p itself; of three, the second, third and third.
    std::vector<Duration> hundred;
    for (int i = 100; i >= 1; --i) hundred.emplace_back(i);
    EXPECT_EQ(percentiles_of(hundred), (Percentiles{Duration{50}, Duration{90}, Duration{99}}));
    EXPECT_EQ(percentiles_of({Duration{30}, Duration{10}, Duration{20}}),
              (Percentiles{Duration{20}, Duration{30}, Duration{30}}));
    EXPECT_EQ(percentiles_of({}), Percentiles{});
}

TEST(Timeline, C12_SeparatesQueueTimeFromRunTime) {
    const std::vector<Span> spans{answered_request({.accepted = 0, .leased = 40, .answered = 100})};
    const auto timeline = timeline_of(spans, kNoon + Duration{100});
    ASSERT_EQ(timeline.agents.size(), 1U);
    EXPECT_EQ(timeline.agents[0].agent, "worker");
    EXPECT_EQ(timeline.agents[0].queue_total, Duration{40});
    EXPECT_EQ(timeline.agents[0].run_total, Duration{60});
    EXPECT_EQ(timeline.whole, Duration{100});
    ASSERT_EQ(timeline.steps.size(), 1U);
    EXPECT_EQ(timeline.steps[0].type, "TASK");
}

TEST(Timeline, C12_AnAgentThatWaitsForAnotherIsNotTheBottleneck) {
    // Prime holds its request for 1000 ms; byte works 900 ms of that time and tag, in parallel, 300
    // ms.
    const std::vector<Span> spans{
        answered_request({.ticket = 1, .from = "user", .to = "prime", .answered = 1000}),
        answered_request({.ticket = 10,
                          .from = "prime",
                          .to = "byte",
                          .parent = {1},
                          .accepted = 50,
                          .leased = 50,
                          .answered = 950}),
        answered_request({.ticket = 20,
                          .from = "prime",
                          .to = "tag",
                          .parent = {1},
                          .accepted = 50,
                          .leased = 50,
                          .answered = 350})};
    const auto timeline = timeline_of(spans, kNoon + Duration{1000});
    EXPECT_EQ(timeline.own, (std::vector{Duration{100}, Duration{900}, Duration{300}}));
    EXPECT_EQ(bottleneck_of(timeline),
              "byte took most of the time: 900 ms of work of its own and 0 ms in its queue over 1 "
              "message.");
}

TEST(Timeline, C12_ALongQueueIsABottleneckTooAndWantsInstances) {
    const std::vector<Span> spans{
        answered_request({.ticket = 1, .to = "slow", .leased = 10, .answered = 60}),
        answered_request({.ticket = 10, .to = "busy", .leased = 500, .answered = 510}),
        answered_request({.ticket = 20, .to = "busy", .leased = 510, .answered = 520})};
    EXPECT_EQ(bottleneck_of(timeline_of(spans, kNoon + Duration{520})),
              "busy took most of the time: 20 ms of work of its own and 1010 ms in its queue over "
              "2 messages; more instances of it would shorten the queue.");
}

TEST(Timeline, C12_AnOpenSpanIsMeasuredUpToNow) {
    auto span = answered_request({.answered = 10});
    const auto open = as_of(span, {2});  // Leased, and not answered yet.
    ASSERT_TRUE(open);
    const auto timeline = timeline_of(std::vector{*open}, kNoon + Duration{70});
    EXPECT_EQ(timeline.agents[0].run_total, Duration{70});
    EXPECT_EQ(timeline.whole, Duration{70});
}

TEST(Span, EveryAttemptCountsAndTheWaitBetweenAttemptsIsQueueTime) {
    Span span{.ticket = {1}, .sequence = {1}, .accepted_at = kNoon};
    span.course = course_at_start(span);
    take(span, {Standing::AtWork, {2}, kNoon + Duration{5}});
    take(span, {Standing::Waiting, {3}, kNoon + Duration{25}});
    take(span, {Standing::AtWork, {4}, kNoon + Duration{125}});
    take(span, {Standing::Acknowledged, {5}, kNoon + Duration{126}});
    EXPECT_EQ(span.course.attempts, 2U);
    EXPECT_EQ(span.course.queue, Duration{5 + 100});
    EXPECT_EQ(span.course.run, Duration{20 + 1});
    EXPECT_EQ(span.course.leased_at, kNoon + Duration{5});
    EXPECT_EQ(span.steps, "a1+5 w2+25 a3+125 k4+126 ");
}

TEST(Span, P3_IsKnownAsOfAnyRecord) {
    const auto span = answered_request({.leased = 40, .answered = 100});
    EXPECT_FALSE(as_of(span, {0}));
    EXPECT_EQ(as_of(span, {1})->course.standing, Standing::Waiting);
    EXPECT_EQ(as_of(span, {2})->course.standing, Standing::AtWork);
    EXPECT_EQ(as_of(span, {2})->course.queue, Duration{40});
    EXPECT_EQ(as_of(span, {3})->course, span.course);
}

TEST(Span, MalformedStepsAreRejected) {
    for (const auto* steps : {"a1", "a1+", "q1+1 ", "a1+1", "a+1 ", " "}) {
        EXPECT_FALSE(steps_of({.steps = steps})) << steps;
    }
}

}  // namespace
}  // namespace parlance::views
