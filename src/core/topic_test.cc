// Messages published to a topic reach every subscriber.
#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

struct News {
    Story story;
    News() {
        story.agent("bob").agent("carol");
        story.ask(Subscribe{{"carol"}, {"news"}}).ask(Subscribe{{"bob"}, {"news"}});
    }
    Story& publish(const std::string& id) { return story.send({.id = id, .to = "topic:news"}); }
};

TEST(Topic, S2_EverySubscriberGetsACopyOfItsOwn) {
    News news;
    auto& story = news.story;
    const auto bob = story.connect("bob", 10);
    const auto carol = story.connect("carol", 10);
    news.publish("e1");
    const auto copies = story.asked_for<Deliver>();
    ASSERT_EQ(copies.size(), 2U);
    EXPECT_NE(copies[0].delivery.ticket, copies[1].delivery.ticket);
    EXPECT_EQ(copies[0].envelope, copies[1].envelope) << "one body for all";
    EXPECT_NE(bob, carol);
    story.ack(copies[0].delivery);
    EXPECT_EQ(story.state().broker.messages.size(), 1U);
    story.ack(copies[1].delivery);
    EXPECT_EQ(story.state().broker.messages.size(), 0U);
}

TEST(Topic, S2_ASlowSubscriberHoldsUpNoOther) {
    News news;
    auto& story = news.story;
    story.connect("bob", 10);
    for (int i = 0; i < 3; ++i) {
        news.publish("e" + std::to_string(i));
        ASSERT_EQ(story.delivered().size(), 1U);
        story.ack(story.last_delivery());
    }
    EXPECT_EQ(story.mailbox("carol").waiting, 3U);
    story.connect("carol", 10);
    EXPECT_EQ(story.delivered(), (Ids{"e0", "e1", "e2"}));
}

TEST(Topic, ARetryOfOneCopyLeavesTheOthersAlone) {
    News news;
    auto& story = news.story;
    story.connect("bob", 10);
    story.connect("carol", 10);
    news.publish("e1");
    const auto copies = story.asked_for<Deliver>();
    story.nack(copies[0].delivery);
    story.ack(copies[1].delivery);
    story.later(1s).tick();
    ASSERT_EQ(story.asked_for<Deliver>().size(), 1U);
    EXPECT_EQ(story.last_delivery().ticket, copies[0].delivery.ticket);
}

TEST(Topic, AMessageWithoutSubscribersIsAcceptedAndGone) {
    Story story;
    story.send({.id = "e1", .to = "topic:void"});
    EXPECT_EQ(story.happened<MessageAccepted>().size(), 1U);
    EXPECT_EQ(story.state().broker.messages.size(), 0U);
    story.send({.id = "e1", .to = "topic:void"});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U);
}

TEST(Topic, SubscribingTwiceIsSubscribingOnce) {
    News news;
    news.story.ask(Subscribe{{"bob"}, {"news"}});
    EXPECT_TRUE(news.story.events().empty());
    EXPECT_EQ(news.story.state().registry.topics.at({"news"}).size(), 2U);
}

TEST(Topic, UnsubscribingStopsDeliveries) {
    News news;
    news.story.ask(Unsubscribe{{"bob"}, {"news"}});
    news.publish("e1");
    EXPECT_EQ(news.story.mailbox("bob").waiting, 0U);
    EXPECT_EQ(news.story.mailbox("carol").waiting, 1U);
    news.story.ask(Unsubscribe{{"bob"}, {"news"}});
    EXPECT_TRUE(news.story.events().empty());
    news.story.ask(Unsubscribe{{"carol"}, {"news"}});
    EXPECT_TRUE(news.story.state().registry.topics.empty());
}

TEST(Topic, AnAgentCannotSubscribeAnother) {
    News news;
    news.story.as("mallory").ask(Unsubscribe{{"bob"}, {"news"}});
    EXPECT_EQ(news.story.refusal(), Refusal::IdentityMismatch);
    news.story.as_the_hub().ask(Subscribe{{"nobody"}, {"news"}});
    EXPECT_EQ(news.story.refusal(), Refusal::AgentNotRegistered);
}

TEST(Topic, ARequestNeedsOneRecipient) {
    News news;
    news.story.request({.id = "q1", .to = "topic:news"});
    EXPECT_EQ(news.story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_EQ(news.story.state().broker.messages.size(), 0U);
}

TEST(Topic, T9_D3_OrderHoldsInEachMailbox) {
    News news;
    auto& story = news.story;
    story.connect("bob", 10);
    story.send({.id = "e1", .to = "topic:news", .task = "t"});
    const auto held = story.last_delivery();
    story.send({.id = "e2", .to = "topic:news", .task = "t"});
    EXPECT_TRUE(story.delivered().empty());
    story.connect("carol", 10);
    EXPECT_EQ(story.delivered(), Ids{"e1"});
    story.ack(held);
    EXPECT_EQ(story.delivered(), Ids{"e2"});
}

TEST(Topic, PollersOfEverySubscriberAreStirred) {
    News news;
    news.story.poll("bob");
    news.story.poll("carol");
    news.publish("e1");
    EXPECT_EQ(news.story.asked_for<StirMailbox>().size(), 2U);
}

}  // namespace
}  // namespace parlance::core
