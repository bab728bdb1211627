// Order within one task, whatever happens to its messages.
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

/// Three messages of one task, the first delivered to bob.
struct Lane {
    Story story;
    DeliveryToken first;

    explicit Lane(Priority priority = Priority::High) {
        story.agent("bob");
        story.connect("bob", 10);
        story.send({.id = "m1", .task = "t"}, priority);
        first = story.last_delivery();
        story.send({.id = "m2", .task = "t"}, priority).send({.id = "m3", .task = "t"}, priority);
    }
};

TEST(Order, T9_D3_OneMessageOfATaskIsInFlightAtATime) {
    Lane lane;
    EXPECT_EQ(lane.story.mailbox("bob").in_flight, 1U);
    EXPECT_EQ(lane.story.mailbox("bob").waiting, 2U);
    lane.story.ack(lane.first);
    EXPECT_EQ(lane.story.delivered(), Ids{"m2"});
    lane.story.ack(lane.story.last_delivery());
    EXPECT_EQ(lane.story.delivered(), Ids{"m3"});
}

TEST(Order, D3_AnAnswerDoesNotWaitBehindTheTaskItsRequesterHasInHand) {
    Story story;
    story.agent("bob").agent("cal");
    story.connect("bob", 10);
    story.connect("cal", 10);
    story.request({.id = "q1", .task = "t"});
    const auto in_hand = story.last_delivery();
    story.request({.id = "q2", .from = "bob", .to = "cal", .task = "t"});
    story.ask(ReplyToDelivery{
        story.last_delivery(),
        envelope({.id = "r2", .from = "cal", .to = "bob", .task = "t", .intent = Intent::Reply})});
    EXPECT_EQ(story.delivered(), Ids{"r2"}) << "bob could not go on without it";
    // Other messages of the task wait, and so does an answer behind them.
    story.send({.id = "m3", .task = "t"}, Priority::High);
    EXPECT_TRUE(story.delivered().empty());
    story.request({.id = "q4", .from = "bob", .to = "cal", .task = "t"});
    story.ask(ReplyToDelivery{
        story.last_delivery(),
        envelope({.id = "r4", .from = "cal", .to = "bob", .task = "t", .intent = Intent::Reply})});
    EXPECT_TRUE(story.delivered().empty());
    story.ack(in_hand);
    EXPECT_EQ(story.delivered(), Ids{"m3"});
}

TEST(Order, T9_D3_StaysInsideATaskAcrossRedelivery) {
    Lane lane;
    auto& story = lane.story;
    story.nack(lane.first);
    EXPECT_TRUE(story.delivered().empty()) << "nobody overtakes the one that waits for its retry";
    story.at(story.retry_at()).tick();
    EXPECT_EQ(story.delivered(), Ids{"m1"});
    story.ack(story.last_delivery());
    EXPECT_EQ(story.delivered(), Ids{"m2"});
}

TEST(Order, T9_D3_StaysInsideATaskAcrossARestart) {
    Lane lane;
    lane.story.restart();
    EXPECT_TRUE(lane.story.delivered().empty());
    lane.story.connect("bob", 10);
    EXPECT_EQ(lane.story.delivered(), Ids{"m1"});
    lane.story.ack(lane.story.last_delivery());
    EXPECT_EQ(lane.story.delivered(), Ids{"m2"});
}

TEST(Order, T9_D3_StaysInsideATaskAcrossTwoInstances) {
    Lane lane;
    lane.story.connect("bob", 10, "two");
    EXPECT_TRUE(lane.story.delivered().empty());
    lane.story.ask(LeaveInstance{lane.story.asked_for<TellJoined>().at(0).instance, "bye"});
    EXPECT_TRUE(lane.story.delivered().empty());
}

TEST(Order, T9_D3_PriorityNeverReordersInsideATask) {
    Story story;
    story.agent("bob");
    story.send({.id = "low", .task = "t"}, Priority::Low);
    story.send({.id = "normal", .task = "t"}, Priority::Normal);
    story.send({.id = "critical", .task = "t"}, Priority::Critical);
    story.connect("bob", 10);
    Ids seen;
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(story.delivered().size(), 1U);
        seen.push_back(story.delivered()[0]);
        story.ack(story.last_delivery());
    }
    EXPECT_EQ(seen, (Ids{"low", "normal", "critical"}));
}

TEST(Order, TasksDoNotWaitForEachOther) {
    Lane lane;
    lane.story.send({.id = "u1", .task = "u"});
    EXPECT_EQ(lane.story.delivered(), Ids{"u1"});
    lane.story.send({.id = "x1"}).send({.id = "x2"});
    EXPECT_EQ(lane.story.delivered(), Ids{"x2"}) << "nor do messages without a task";
}

TEST(Order, TheSameTaskOfTwoAgentsHasTwoLanes) {
    Lane lane;
    lane.story.agent("carol");
    lane.story.connect("carol", 1);
    lane.story.send({.id = "c1", .to = "carol", .task = "t"});
    EXPECT_EQ(lane.story.delivered(), Ids{"c1"});
}

TEST(Order, D3_AMessageExpiringInTheMiddleLeavesAGapAndNoInversion) {
    Story story;
    story.agent("bob");
    story.connect("bob", 10);
    story.send({.id = "m1", .task = "t"});
    const auto first = story.last_delivery();
    story.send_for(5s, {.id = "m2", .task = "t"}).send({.id = "m3", .task = "t"});
    story.send_for(6s, {.id = "m4", .task = "t"});
    story.later(5s).tick();
    EXPECT_EQ(story.happened<MessageExpired>().size(), 1U);
    story.later(1s).tick();
    EXPECT_EQ(story.happened<MessageExpired>().size(), 1U) << "the last of the lane";
    story.send({.id = "m5", .task = "t"});
    story.ack(first);
    EXPECT_EQ(story.delivered(), Ids{"m3"});
    story.ack(story.last_delivery());
    EXPECT_EQ(story.delivered(), Ids{"m5"});
}

TEST(Order, D3_AnExpiredHeadMakesRoomForTheNext) {
    Story story;
    story.agent("bob");
    story.send_for(5s, {.id = "m1", .task = "t"}).send({.id = "m2", .task = "t"});
    story.later(5s);
    story.connect("bob", 10);
    EXPECT_EQ(story.delivered(), Ids{"m2"});
}

TEST(Order, D3_ADeadHeadMakesRoomForTheNext) {
    Lane lane;
    lane.story.ask(NackDelivery{lane.first, "never", true});
    EXPECT_EQ(lane.story.happened<MessageDeadLettered>().size(), 1U);
    EXPECT_EQ(lane.story.delivered(), Ids{"m2"});
}

TEST(Order, D3_ADroppedHeadMakesRoomForTheNext) {
    Lane lane{Priority::Normal};
    lane.story.nack(lane.first);
    EXPECT_EQ(lane.story.happened<MessageDropped>().size(), 1U);
    EXPECT_EQ(lane.story.delivered(), Ids{"m2"});
}

TEST(Order, ARedeliveredDeadLetterJoinsTheEndOfItsTask) {
    Lane lane;
    auto& story = lane.story;
    story.ask(NackDelivery{lane.first, "never", true});
    const auto second = story.last_delivery();
    story.ask(RedeliverDeadLetter{lane.first.ticket});
    EXPECT_TRUE(story.delivered().empty());
    story.ack(second);
    EXPECT_EQ(story.delivered(), Ids{"m3"});
    story.ack(story.last_delivery());
    EXPECT_EQ(story.delivered(), Ids{"m1"});
}

TEST(Order, K8_MessagesOfEqualPriorityGoInTheOrderOfAcceptance) {
    Story story;
    story.agent("bob");
    Ids sent;
    for (int i = 0; i < 20; ++i) {
        sent.push_back("m" + std::to_string(i));
        story.send({.id = sent.back()});
    }
    story.connect("bob", 20);
    EXPECT_EQ(story.delivered(), sent);
    story.connect("bob", 20);
    EXPECT_EQ(story.delivered(), sent) << "also when the connection that held them is lost";
}

TEST(Order, AnEndedTaskLeavesNoLane) {
    Lane lane;
    lane.story.ack(lane.first);
    lane.story.ack(lane.story.last_delivery());
    lane.story.ack(lane.story.last_delivery());
    EXPECT_TRUE(lane.story.state().broker.lanes.empty());
    EXPECT_TRUE(lane.story.state().broker.singles.empty());
    EXPECT_TRUE(lane.story.state().broker.slots.empty());
    EXPECT_TRUE(lane.story.state().broker.due.empty());
}

}  // namespace
}  // namespace parlance::core
