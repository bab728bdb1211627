// Everything is bounded, and at a limit the sender is told.
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

TEST(Limits, G7_AMailboxIsBoundedInMessages) {
    Story story;
    story.limits().mailbox_messages_max = 20;
    story.agent("bob");
    for (int i = 0; i < 20; ++i) {
        story.send({.id = "m" + std::to_string(i)});
        ASSERT_EQ(story.refusal(), Refusal::None) << i;
    }
    story.send({.id = "m20"});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    EXPECT_EQ(story.happened<MessageRefused>().size(), 1U);
    EXPECT_EQ(story.mailbox("bob").waiting, 20U) << "nobody was pushed out";
    story.connect("bob", 1);
    story.ack(story.last_delivery()).send({.id = "m20"});
    EXPECT_EQ(story.refusal(), Refusal::None) << "there is room again";
}

TEST(Limits, G7_TheLastTenthOfAMailboxIsForUrgentMessages) {
    Story story;
    story.limits().mailbox_messages_max = 20;
    story.agent("bob");
    for (int i = 0; i < 18; ++i) story.send({.id = "n" + std::to_string(i)}, Priority::Normal);
    EXPECT_EQ(story.refusal(), Refusal::None);
    story.send({.id = "n18"}, Priority::Normal);
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    story.send({.id = "l18"}, Priority::Low);
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    story.send({.id = "h18"}, Priority::High).send({.id = "c19"}, Priority::Critical);
    EXPECT_EQ(story.refusal(), Refusal::None);
    story.send({.id = "c20"}, Priority::Critical);
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
}

TEST(Limits, G7_InFlightAndDeadMessagesCount) {
    Story story;
    story.limits().mailbox_messages_max = 2;
    story.agent("bob");
    story.connect("bob", 2);
    story.send({.id = "m1"});
    story.ask(NackDelivery{story.last_delivery(), "never", true});
    story.send({.id = "m2"});
    EXPECT_EQ(story.delivered(), Ids{"m2"});
    story.send({.id = "m3"});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
}

TEST(Limits, G7_AMailboxIsBoundedInBytes) {
    Story story;
    story.limits().mailbox_bytes_max = 100;
    story.agent("bob");
    story.send({.id = "m1", .body = std::string(60, 'x')});
    story.send({.id = "m2", .body = std::string(41, 'x')});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    story.send({.id = "m3", .body = std::string(40, 'x')});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST(Limits, G7_TheHubIsBoundedInBytes) {
    Story story;
    story.limits().hub_bytes_max = 100;
    story.agent("bob").agent("carol");
    story.send({.id = "m1", .body = std::string(60, 'x')});
    story.send({.id = "m2", .to = "carol", .body = std::string(41, 'x')});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    story.send({.id = "m3", .to = "carol", .body = std::string(40, 'x')});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST(Limits, G7_ARequestCountsTowardsTheHubsBytesUntilAnswered) {
    Story story;
    story.limits().hub_bytes_max = 100;
    story.agent("bob").agent("carol");
    story.connect("bob", 1);
    story.request({.id = "q", .body = std::string(60, 'x')}, true);
    story.ack(story.last_delivery());
    ASSERT_EQ(story.mailbox("bob").bytes, 0U) << "bob took it out, and owes the answer";
    story.send({.id = "m1", .to = "carol", .body = std::string(41, 'x')});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    story.ask(answer_to("q", "bob"));
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    story.send({.id = "m2", .to = "carol", .body = std::string(100, 'x')});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST(Limits, G7_AHumanTaskCountsTowardsTheHubsBytesUntilForgotten) {
    Story story;
    story.limits().hub_bytes_max = 1'000;
    story.limits().human_tasks_ended_max = 0;
    story.agent("bob");
    const auto ask = [&](std::size_t bytes) {
        story.as_caller({.agent = {"ann"}})
            .ask(OpenHumanTask{{.text = "Well?", .context = std::string(bytes, 'x')}});
        return story.refusal();
    };
    EXPECT_EQ(ask(996), Refusal::HubOverloaded) << "5 and 996";
    ASSERT_EQ(ask(900), Refusal::None);
    const auto human_task = story.happened<HumanAsked>().front().id;
    EXPECT_EQ(bytes_kept(story.state()), 908U) << "5, 900 and who asks";
    const Letter letter{.id = "m1", .body = std::string(93, ' ')};
    story.as_the_hub().send(letter);
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    story.restart().as_operator().ask(AnswerHumanTask{
        .id = human_task, .decision = HumanDecision::Answer, .reason = {}, .content = "1"});
    EXPECT_EQ(bytes_kept(story.state()), 0U);
    story.as_the_hub().send(letter);
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST(Limits, G7_OptionsCountTowardsTheHubsBytesAlsoIfTheyAreEmpty) {
    Story story;
    story.limits().hub_bytes_max = 10'000;
    const auto ask = [&](std::size_t options) {
        const HumanQuestion question{.kind = HumanKind::Choose,
                                     .text = "Which?",
                                     .options = std::vector<std::string>(options)};
        story.as_caller({.agent = {"ann"}}).ask(OpenHumanTask{question});
        return story.refusal();
    };
    EXPECT_EQ(ask(10'000 / sizeof(std::string) + 1), Refusal::HubOverloaded);
    ASSERT_EQ(ask(100), Refusal::None);
    EXPECT_GE(bytes_kept(story.state()), 100 * sizeof(std::string));
}

TEST(Limits, G7_ARequestToPeopleAndWhatItAsksThemHaveRoomTogether) {
    Story story;
    story.limits().hub_bytes_max = 1'000;
    const auto ask = [&](const std::string& id, std::size_t bytes) {
        const HumanQuestion question{.text = std::string(bytes, 'x')};
        story.ask(SendMessage{.envelope = envelope({.id = id,
                                                    .to = "human:boss",
                                                    .intent = Intent::Request,
                                                    .body = std::string(bytes, 'x')}),
                              .priority = Priority::High,
                              .question = std::make_shared<const HumanQuestion>(question)});
        return story.refusal();
    };
    EXPECT_EQ(ask("q1", 600), Refusal::HubOverloaded) << "either of them would have room";
    ASSERT_EQ(ask("q2", 400), Refusal::None);
    EXPECT_LE(bytes_kept(story.state()), 1'000U);
}

TEST(Limits, G7_PushedStateCountsUntilTheAnswerIsSettled) {
    Story story;
    story.limits().hub_bytes_max = 1'000;
    story.agent("bob").agent("alice");
    const Letter question{.id = "q1", .intent = Intent::Request};
    const auto request = [&](std::size_t bytes) {
        story.ask(SendMessage{.envelope = envelope(question),
                              .priority = Priority::High,
                              .state = std::string(bytes, '1')});
        return story.refusal();
    };
    EXPECT_EQ(request(999), Refusal::MailboxFull) << "and two of the question itself";
    ASSERT_EQ(request(998), Refusal::None);
    EXPECT_EQ(bytes_kept(story.state()), 1'000U);
    story.as("bob").ask(answer_to("q1", "bob"));
    EXPECT_EQ(bytes_kept(story.state()), 1'000U) << "it waits with the answer";
    story.as("alice").connect("alice", 1);
    story.ack(story.last_delivery());
    EXPECT_EQ(bytes_kept(story.state()), 0U);
}

TEST(Limits, G7_AWorkflowsValuesCountTowardsTheHubsBytes) {
    Story story;
    story.limits().hub_bytes_max = 4'000;
    story.agent("bob").agent("carl");
    const auto start = [&](std::size_t bytes) {
        story.as_operator().ask(
            StartWorkflow{.id = "w",
                          .plan = R"({"steps":[{"id":"a","agent":"bob"},{"id":"b","agent":"carl",)"
                                  R"("after":["a"]}]})",
                          .input = '"' + std::string(bytes - 2, 'x') + '"'});
        return story.refusal();
    };
    EXPECT_EQ(start(4'001), Refusal::HubOverloaded);
    ASSERT_EQ(start(2'000), Refusal::None);
    const auto before = bytes_kept(story.state());
    EXPECT_GE(before, 2'000U);
    story.connect("bob", 1);
    story.as("bob").ask(ReplyToDelivery{
        .delivery = story.last_delivery(),
        .envelope = envelope({.id = "r",
                              .from = "bob",
                              .to = "ORC",
                              .correlation = "w",
                              .intent = Intent::Reply,
                              .body = R"({"output":")" + std::string(500, 'y') + R"("})"})});
    ASSERT_EQ(story.happened<StepEnded>().size(), 1U);
    EXPECT_GE(bytes_kept(story.state()), 2'000U + 500U) << "what the first step brought";
    story.as_operator().ask(CancelRequest{"w", "enough"});
    EXPECT_EQ(bytes_kept(story.state()), 0U);
}

TEST(Limits, G7_APlanCountsTowardsTheHubsBytesOnceWhileAnythingFollowsIt) {
    Story story;
    story.limits().hub_bytes_max = 4'000;
    story.limits().human_tasks_ended_max = 0;
    const auto start = [&](const std::string& id, std::size_t bytes) {
        const std::string plan = R"({"steps":[{"id":"p","human":{"role":"boss","question":"?"}},)"
                                 R"({"id":"a","agent":"bob","after":["p"],"inputs":{"x":")" +
                                 std::string(bytes, 'x') + R"("}}]})";
        story.as_operator().ask(StartWorkflow{.id = id, .plan = plan});
        return story.refusal();
    };
    EXPECT_EQ(start("w1", 4'000), Refusal::HubOverloaded);
    ASSERT_EQ(start("w2", 2'000), Refusal::None);
    EXPECT_GE(bytes_kept(story.state()), 2'000U);
    EXPECT_EQ(start("w3", 2'001), Refusal::HubOverloaded) << "of another there is no room,";
    EXPECT_EQ(start("w4", 2'000), Refusal::None) << "and of the same there is";
    story.as_the_hub().restart().as_operator().ask(CancelRequest{"w2", "enough"});
    EXPECT_GE(bytes_kept(story.state()), 2'000U);
    story.ask(CancelRequest{"w4", "enough"});
    EXPECT_EQ(bytes_kept(story.state()), 0U);
}

TEST(Limits, G7_EveryCopyOfATopicCountsTowardsTheHubsBytes) {
    Story story;
    story.limits().hub_bytes_max = 100;
    story.agent("bob").agent("carol");
    story.ask(Subscribe{{"bob"}, {"news"}}).ask(Subscribe{{"carol"}, {"news"}});
    story.send({.id = "e1", .to = "topic:news", .body = std::string(51, 'x')});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    story.send({.id = "e2", .to = "topic:news", .body = std::string(50, 'x')});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

/// Forty megabytes wait for bob, who has credit for a thousand messages.
struct LargeMessages {
    static constexpr std::size_t kMegabyte = std::size_t{1} << 20;
    Story story;
    LargeMessages() {
        story.agent("bob").replayed_every(1'000);
        for (int i = 0; i < 40; ++i) {
            story.send({.id = "m" + std::to_string(i), .body = std::string(kMegabyte, 'x')});
        }
    }
};

TEST(Limits, G7_D1_DeliveriesToAnInstanceAreBoundedInBytes) {
    LargeMessages large;
    auto& story = large.story;
    story.connect("bob", 1'000);
    EXPECT_EQ(story.mailbox("bob").in_flight, 16U);
    story.ack(story.last_delivery());
    EXPECT_EQ(story.mailbox("bob").in_flight, 16U) << "one for the one that it settled";
    EXPECT_EQ(story.mailbox("bob").waiting, 23U);
    story.agent("carol").connect("carol", 1);
    story.send({.id = "c1", .to = "carol"});
    EXPECT_EQ(story.delivered(), Ids{"c1"}) << "nobody else waits for bob";
}

TEST(Limits, G7_DeliveriesToAPollerAreBoundedInBytes) {
    LargeMessages large;
    const auto poller = large.story.poll("bob");
    const auto take = [&] {
        large.story.ask(TakeMessages{.instance = poller, .count_max = 1'000});
        return large.story.asked_for<Deliver>().size();
    };
    for (int i = 0; i < 8; ++i) EXPECT_EQ(take(), 2U) << "in one answer, by take_bytes_max";
    EXPECT_EQ(take(), 0U) << "it has 16 in hand";
    EXPECT_EQ(large.story.mailbox("bob").in_flight, 16U);
}

/// Two subscribers of a topic; carol's mailbox is full.
struct FullSubscriber {
    Story story;
    FullSubscriber() {
        story.limits().mailbox_messages_max = 10;
        story.agent("bob").agent("carol");
        story.ask(Subscribe{{"bob"}, {"news"}}).ask(Subscribe{{"carol"}, {"news"}});
        for (int i = 0; i < 10; ++i) story.send({.id = "m" + std::to_string(i), .to = "carol"});
    }
    Story& publish(const std::string& id, Priority priority) {
        return story.send({.id = id, .to = "topic:news"}, priority);
    }
};

TEST(Limits, G6_D1_AFullSubscribersCopyIsADeadLetterAndOtherSubscribersAreServed) {
    FullSubscriber full;
    auto& story = full.publish("e1", Priority::High);
    ASSERT_EQ(story.asked_for<TellAccepted>().size(), 1U);
    EXPECT_EQ(story.asked_for<TellAccepted>()[0].missed_count, 1U) << "the publisher is told";
    EXPECT_EQ(story.mailbox("bob").waiting, 1U);
    EXPECT_EQ(story.mailbox("carol").waiting, 10U);
    const auto dead = story.happened<MessageDeadLettered>();
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead[0].failure, DeliveryFailure::MailboxFull);
    EXPECT_NE(dead[0].reason.find("carol"), std::string::npos);
    const auto* copy = broker::find_message(story.state().broker, dead[0].ticket);
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(story.state().registry.agents[copy->mailbox].id.value, "carol");
    story.as_operator().ask(RedeliverDeadLetter{dead[0].ticket});
    EXPECT_EQ(story.mailbox("carol").waiting, 11U);
}

TEST(Limits, G7_TheDeadLettersOfAFullSubscriberAreBoundedToo) {
    FullSubscriber full;
    full.publish("e1", Priority::Critical);
    auto& story = full.publish("e2", Priority::Critical);
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull) << "ten, and a tenth more";
    EXPECT_EQ(story.mailbox("carol").dead, 1U);
    EXPECT_EQ(story.mailbox("bob").waiting, 1U);
}

TEST(Limits, G6_AnAtMostOnceCopyIsDroppedForAFullSubscriberOnTheRecord) {
    FullSubscriber full;
    for (const auto* id : {"e1", "e2", "e3"}) {
        auto& story = full.publish(id, Priority::Normal);
        ASSERT_EQ(story.happened<MessageDropped>().size(), 1U);
        EXPECT_EQ(story.happened<MessageDropped>()[0].failure, DeliveryFailure::MailboxFull);
        EXPECT_EQ(story.asked_for<TellAccepted>().at(0).missed_count, 1U);
    }
    EXPECT_EQ(full.story.mailbox("bob").waiting, 3U);
    EXPECT_EQ(full.story.mailbox("carol").dead, 0U);
}

TEST(Limits, G7_ATopicMessageIsRefusedIfNoSubscriberHasRoom) {
    FullSubscriber full;
    full.story.ask(Unsubscribe{{"bob"}, {"news"}});
    for (const auto priority : {Priority::Critical, Priority::Low}) {
        auto& story = full.publish("e1", priority);
        EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
        EXPECT_NE(story.happened<MessageRefused>().at(0).detail.find("carol"), std::string::npos);
    }
    EXPECT_EQ(full.story.mailbox("carol").dead, 0U);
}

TEST(Limits, G7_AgentsAreBoundedAndRegisteredAgentsMayUpdate) {
    Story story;
    story.limits().agents_max = 2;
    story.agent("a").agent("b").agent("c");
    EXPECT_EQ(story.refusal(), Refusal::HubOverloaded);
    story.agent("a");
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST(Limits, G7_UnregisteredRequestersAreBoundedToo) {
    Story story;
    story.limits().agents_max = 2;
    story.agent("bob");
    for (int i = 0; i < 10; ++i) {
        story.send({.id = "m", .from = "sender" + std::to_string(i)});
        EXPECT_EQ(story.refusal(), Refusal::None);
        story.request({.id = "q", .from = "asker" + std::to_string(i)});
    }
    EXPECT_EQ(story.refusal(), Refusal::HubOverloaded);
    EXPECT_LE(story.state().registry.agents.size(), 4U);
}

TEST(Limits, G7_InstancesOfAnAgentAreBounded) {
    Story story;
    story.limits().instances_per_agent_max = 2;
    story.agent("bob");
    story.connect("bob", 1, "one");
    story.connect("bob", 1, "two");
    story.connect("bob", 1, "three");
    EXPECT_EQ(story.refusal(), Refusal::ConnectionLimitExceeded);
    story.connect("bob", 1, "two");
    EXPECT_EQ(story.refusal(), Refusal::None) << "in place of itself";
    story.ask(RegisterAgent{{"carol"}, {.instance_count_max = 1}});
    story.connect("carol", 1, "one");
    story.connect("carol", 1, "two");
    EXPECT_EQ(story.refusal(), Refusal::ConnectionLimitExceeded);
}

TEST(Limits, G7_CreditIsBounded) {
    Story story;
    story.limits().instance_credit_max = 2;
    story.agent("bob");
    const auto one = story.connect("bob", 1000);
    for (int i = 0; i < 5; ++i) story.send({.id = "m" + std::to_string(i)});
    EXPECT_EQ(story.mailbox("bob").in_flight, 2U);
    story.ask(GrantCredit{one, 1000});
    EXPECT_EQ(story.mailbox("bob").in_flight, 2U);
    const auto poller = story.poll("bob");
    story.ask(TakeMessages{poller, 1000});
    EXPECT_EQ(story.delivered().size(), 2U);
    story.ask(TakeMessages{poller, 1000});
    EXPECT_TRUE(story.delivered().empty());
}

TEST(Limits, G7_TopicsAndTheirSubscribersAreBounded) {
    Story story;
    story.limits().topics_max = 1;
    story.limits().subscribers_per_topic_max = 1;
    story.agent("bob").agent("carol");
    story.ask(Subscribe{{"bob"}, {"one"}});
    EXPECT_EQ(story.refusal(), Refusal::None);
    story.ask(Subscribe{{"bob"}, {"two"}});
    EXPECT_EQ(story.refusal(), Refusal::HubOverloaded);
    story.ask(Subscribe{{"carol"}, {"one"}});
    EXPECT_EQ(story.refusal(), Refusal::HubOverloaded);
    story.ask(Subscribe{{"bob"}, {"one"}});
    EXPECT_EQ(story.refusal(), Refusal::None) << "who is in it already may say so again";
}

TEST(Limits, G7_ATopicHasNoMoreCopiesThanATicketCanNumber) {
    Story story;
    story.replayed_every(5000);
    story.limits().subscribers_per_topic_max = 1'000'000;
    for (std::uint64_t i = 0; i <= kCopiesMax; ++i) {
        const auto name = "a" + std::to_string(i);
        story.agent(name).ask(Subscribe{{name}, {"news"}});
    }
    EXPECT_EQ(story.refusal(), Refusal::HubOverloaded);
    story.send({.id = "e1", .to = "topic:news"}).send({.id = "e2", .to = "topic:news"});
    EXPECT_EQ(story.state().broker.messages.size(), 2 * kCopiesMax);
    EXPECT_EQ(story.state().broker.slots.size(), 2 * kCopiesMax);
}

TEST(Limits, G7_OpenRequestsAreBounded) {
    Story story;
    story.limits().open_requests_max = 2;
    story.agent("bob");
    story.request({.id = "q1"});
    story.request({.id = "q2"});
    story.request({.id = "q3"});
    EXPECT_EQ(story.refusal(), Refusal::HubOverloaded);
    story.later(5min).tick();
    story.request({.id = "q3"});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST(Limits, NextDueIsTheEarliestOfAll) {
    Story story;
    EXPECT_EQ(next_due(story.state()), Time::max());
    const auto start = story.now();
    story.agent("bob");
    story.request({.id = "q1"}, false, Priority::High, 3min);
    EXPECT_EQ(next_due(story.state()), start + 3min);
    story.send_for(1min, {.id = "m1"});
    EXPECT_EQ(next_due(story.state()), start + 1min);
    story.connect("bob", 0);
    EXPECT_EQ(story.next_due(), start + 30s) << "its silence";
    story.send_for(10s, {.id = "m2"});
    EXPECT_EQ(next_due(story.state()), start + 10s);
}

TEST(Limits, G7_ATakeIsBoundedInBytesAndALargerMessageComesAlone) {
    Story story;
    story.agent("alice").agent("bob");
    const auto bob = story.poll("bob");
    const std::string half(story.limits().take_bytes_max / 2, 'x');
    for (const auto* id : {"m1", "m2", "m3"}) story.send({.id = id, .body = half});
    story.send({.id = "large", .body = half + half + half});
    story.send({.id = "m5"});
    const auto taken = [&] { return story.ask(TakeMessages{bob, 1000}).delivered(); };
    EXPECT_EQ(taken(), (Ids{"m1", "m2"}));
    EXPECT_EQ(taken(), Ids{"m3"});
    EXPECT_EQ(taken(), Ids{"large"});
    EXPECT_EQ(taken(), Ids{"m5"});
}

}  // namespace
}  // namespace parlance::core
