// The answer to a request is delivered until the requester settles it, whatever the priority of the
// request (W1); messages and the requests themselves keep their own promise (T8).
#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

constexpr Priority kAllPriorities[] = {
    Priority::Critical, Priority::High, Priority::Normal, Priority::Low};

/// alice has asked bob, who has answered; alice holds the delivery of the answer.
struct Answered {
    Story story;
    InstanceNumber alice;
    DeliveryToken answer;

    explicit Answered(Priority priority, InstanceKind kind = InstanceKind::Socket) {
        story.limits().heartbeat_timeout = 100h;
        story.agent("alice").agent("bob");
        story.connect("bob", 10);
        alice = kind == InstanceKind::Poll ? story.poll("alice") : story.connect("alice", 10);
        story.request({.id = "q"}, false, priority);
        story.ask(ReplyToDelivery{
            story.last_delivery(),
            envelope({.id = "r", .from = "bob", .to = "alice", .intent = Intent::Reply})});
        if (kind == InstanceKind::Poll) story.ask(TakeMessages{alice, 1});
        answer = story.last_delivery();
    }
    bool is_kept() { return broker::find_message(story.state().broker, answer.ticket) != nullptr; }
};

TEST(Answer, W1_IsDeliveredUntilSettledWhateverThePriority) {
    for (const auto priority : kAllPriorities) {
        Answered answered{priority};
        auto& story = answered.story;
        story.later(30s).tick();
        ASSERT_EQ(story.happened<DeliveryReturned>().size(), 1U) << "and not dropped";
        story.at(story.retry_at()).tick();
        EXPECT_EQ(story.delivered(), Ids{"r"});
        EXPECT_EQ(story.last_delivery().attempt, 2U);
        story.ack(story.last_delivery());
        EXPECT_FALSE(answered.is_kept());
        story.later(1h).tick();
        EXPECT_TRUE(story.delivered().empty());
    }
}

TEST(Answer, W1_D6_AnUnsettledAnswerIsADeadLetterAfterAllTries) {
    for (const auto priority : {Priority::Normal, Priority::Low}) {
        Answered answered{priority};
        auto& story = answered.story;
        std::uint32_t hand_overs = 1;
        for (int i = 0; i < 100; ++i) {
            story.later(30s).tick();
            hand_overs += static_cast<std::uint32_t>(story.delivered().size());
        }
        EXPECT_EQ(hand_overs, story.limits().retry_count_max + 1);
        const auto letters = list_dead_letters(story.state(), {});
        ASSERT_EQ(letters.size(), 1U);
        EXPECT_EQ(letters[0].failure, DeliveryFailure::RetriesExhausted);
        EXPECT_EQ(letters[0].recipient.value, "alice");
    }
}

TEST(Answer, W1_ReturnsWhenTheRequestersConnectionEnds) {
    Answered answered{Priority::Normal};
    auto& story = answered.story;
    story.ask(LeaveInstance{answered.alice, "gone"});
    EXPECT_TRUE(story.happened<MessageDropped>().empty());
    story.connect("alice", 10, "again");
    EXPECT_EQ(story.delivered(), Ids{"r"});
}

TEST(Answer, W1_ReturnsAfterARestart) {
    for (const auto priority : {Priority::Normal, Priority::Low}) {
        Answered answered{priority};
        auto& story = answered.story;
        story.restart();
        EXPECT_TRUE(story.happened<MessageDropped>().empty());
        story.connect("alice", 10, "again");
        EXPECT_EQ(story.delivered(), Ids{"r"});
    }
}

TEST(Answer, W1_IsDeliveredAgainToAPollerThatDidNotReadTheResponse) {
    Answered answered{Priority::Normal, InstanceKind::Poll};
    auto& story = answered.story;
    story.later(30s).tick();
    story.at(story.retry_at()).tick().ask(TakeMessages{answered.alice, 1});
    EXPECT_EQ(story.delivered(), Ids{"r"});
}

TEST(Answer, W1_TheHubsOwnAnswerIsDeliveredAgainToo) {
    Story story;
    story.limits().heartbeat_timeout = 100h;
    story.agent("alice").agent("bob");
    story.connect("alice", 10);
    story.request({.id = "q"}, false, Priority::Low, 5s);
    story.later(5s).tick();
    ASSERT_EQ(story.asked_for<Deliver>().size(), 1U);
    EXPECT_EQ(story.asked_for<Deliver>()[0].failure.refusal, Refusal::RequestTimedOut);
    story.later(30s).tick();
    story.at(story.retry_at()).tick();
    ASSERT_EQ(story.asked_for<Deliver>().size(), 1U);
    EXPECT_EQ(story.asked_for<Deliver>()[0].failure.refusal, Refusal::RequestTimedOut);
    EXPECT_EQ(story.last_delivery().attempt, 2U);
}

TEST(Answer, W1_StaysAtLeastOnceInAReloadedSnapshot) {
    Answered answered{Priority::Normal};
    auto& story = answered.story;
    auto reloaded = decode_state(encode_state(story.state()), story.limits());
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    const auto* message = broker::find_message(reloaded->broker, answered.answer.ticket);
    ASSERT_NE(message, nullptr);
    EXPECT_TRUE(broker::is_at_least_once(*message));
}

TEST(Answer, T8_TheRequestItselfIsDeliveredOnce) {
    Story story;
    story.limits().heartbeat_timeout = 100h;
    story.agent("alice").agent("bob");
    story.connect("bob", 10);
    story.request({.id = "q"}, false, Priority::Normal);
    story.later(30s).tick();
    EXPECT_EQ(story.happened<MessageDropped>().size(), 1U);
}

TEST(Answer, T8_AReplyToNoRequestIsAnOrdinaryMessage) {
    Story story;
    story.limits().heartbeat_timeout = 100h;
    story.agent("alice").agent("bob");
    story.connect("bob", 10);
    story.send({.id = "r", .intent = Intent::Reply}, Priority::Normal);
    ASSERT_EQ(story.delivered(), Ids{"r"});
    story.later(30s).tick();
    EXPECT_EQ(story.happened<MessageDropped>().size(), 1U);
}

/// bob polls and holds a request that was granted to him.
struct Granted {
    Story story;
    InstanceNumber bob;
    DeliveryToken token;

    explicit Granted(InstanceKind kind) {
        story.limits().heartbeat_timeout = 100h;
        story.limits().lease = 100h;
        story.agent("alice").agent("bob");
        bob = kind == InstanceKind::Poll ? story.poll("bob") : story.connect("bob", 10);
        story.request({.id = "q"});
        if (kind == InstanceKind::Poll) story.ask(TakeMessages{bob, 1});
        token = story.last_delivery();
    }
};

TEST(Epoch, D5_ATokenOfAnotherRunSettlesNothing) {
    Granted granted{InstanceKind::Socket};
    auto& story = granted.story;
    auto lost = granted.token;
    lost.epoch.value += 1;
    const auto reply = envelope({.id = "r", .from = "bob", .to = "alice", .intent = Intent::Reply});
    const Command settlements[] = {AckDelivery{lost},
                                   NackDelivery{lost, "no", true},
                                   ExtendLease{lost, 1h},
                                   ReportProgress{lost, "{}"},
                                   ReplyToDelivery{lost, reply}};
    for (const auto& settlement : settlements) {
        story.ask(settlement);
        EXPECT_EQ(story.refusal(), Refusal::DeliveryStale);
        ASSERT_EQ(story.events().size(), 1U);
        EXPECT_EQ(story.happened<SettlementRefused>().at(0).delivery, lost) << "it is on record";
        EXPECT_FALSE(find_delivery(story.state(), lost)->is_current);
    }
    story.ask(ReplyToDelivery{granted.token, reply});
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
}

TEST(Epoch, D5_ATokenOfAnotherRunBeyondTheRecordIsStaleAndNotUnknown) {
    Story story;
    DeliveryToken token{{kCopiesMax * 1'000'000}, 1, {story.state().broker.epoch.value + 1}};
    story.ack(token);
    EXPECT_EQ(story.refusal(), Refusal::DeliveryStale);
    token.epoch = story.state().broker.epoch;
    story.ack(token);
    EXPECT_EQ(story.refusal(), Refusal::DeliveryNotFound);
}

TEST(Epoch, D5_ALeaseKeptOverARestartIsSettledWithItsFirstToken) {
    Granted granted{InstanceKind::Poll};
    auto& story = granted.story;
    const auto before = story.state().broker.epoch;
    story.restart();
    ASSERT_NE(story.state().broker.epoch, before);
    auto forged = granted.token;
    forged.epoch = story.state().broker.epoch;
    story.ack(forged);
    EXPECT_EQ(story.refusal(), Refusal::DeliveryStale);
    story.restart().nack(granted.token);
    EXPECT_EQ(story.happened<DeliveryReturned>().size(), 1U);
    EXPECT_TRUE(story.state().broker.earlier_leases.empty());
    story.at(story.retry_at()).tick().ask(TakeMessages{granted.bob, 1});
    EXPECT_EQ(story.last_delivery().epoch, story.state().broker.epoch) << "granted by this run";
}

TEST(Epoch, DiffersAtEachStartAndIsNeverZero) {
    Story story;
    auto last = story.state().broker.epoch;
    for (int i = 0; i < 10; ++i) {
        EXPECT_NE(last, Epoch{});
        story.restart();
        EXPECT_NE(story.state().broker.epoch, last);
        last = story.state().broker.epoch;
    }
    Events events;
    for (const std::uint64_t entropy : {std::uint64_t{0}, std::uint64_t{last.value}}) {
        decide(
            story.state(), {.command = StartHub{}, .now = story.now(), .entropy = entropy}, events);
        const auto& started = std::get<HubStarted>(events.back());
        EXPECT_NE(started.epoch, last);
        EXPECT_NE(started.epoch, Epoch{});
    }
}

}  // namespace
}  // namespace parlance::core
