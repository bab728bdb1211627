// One message from one agent to another: accepted, refused, delivered.
#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

TEST(Send, D9_TheMessageIsDeliveredUnchanged) {
    Story story;
    story.agent("aaron").agent("bob").agent("carol");
    const auto bob = story.connect("bob", 100);
    story.connect("aaron", 100);
    story.connect("carol", 100);
    for (int i = 0; i < 10; ++i) {
        const Letter letter{.id = "m" + std::to_string(i),
                            .task = "t",
                            .correlation = "c",
                            .body = R"({"n":)" + std::to_string(i) + "}"};
        story.send(letter);
        ASSERT_EQ(story.asked_for<Deliver>().size(), 1U);
        const auto deliver = story.asked_for<Deliver>()[0];
        EXPECT_EQ(deliver.instance, bob);
        EXPECT_EQ(*deliver.envelope, *envelope(letter));
        EXPECT_EQ(deliver.failure.refusal, Refusal::None);
        story.ack(deliver.delivery);
    }
}

TEST(Send, C6_ARefusalNamesTheWorkflow) {
    Story story;
    story.send({.id = "m1", .to = "nobody", .correlation = "c-1"});
    const auto told = story.asked_for<TellRefused>();
    ASSERT_EQ(told.size(), 1U);
    ASSERT_NE(told[0].envelope.get(), nullptr);
    EXPECT_EQ(told[0].envelope->id(), "m1");
    EXPECT_EQ(told[0].envelope->correlation(), "c-1");
    EXPECT_EQ(told[0].delivery, DeliveryToken{});
}

TEST(Send, TheSenderIsToldTheTicketAndTheSequence) {
    Story story;
    story.agent("bob").send({.id = "m1"});
    const auto told = story.asked_for<TellAccepted>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].reply_target, ReplyTarget{77});
    EXPECT_EQ(told[0].sequence, story.state().sequence);
    EXPECT_EQ(sequence_of(told[0].ticket), told[0].sequence);
    EXPECT_FALSE(told[0].is_open_request);
    EXPECT_EQ(told[0].envelope->id(), "m1");
}

TEST(Send, AnAcknowledgedMessageIsGone) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1);
    story.send({.id = "m1", .body = "12345"});
    EXPECT_EQ(list_hub(story.state()).in_flight, 1U);
    EXPECT_EQ(list_hub(story.state()).bytes, 5U);
    story.ack(story.last_delivery());
    EXPECT_EQ(story.asked_for<TellDone>().size(), 1U);
    EXPECT_EQ(story.state().broker.messages.size(), 0U);
    EXPECT_EQ(list_hub(story.state()).bytes, 0U);
    EXPECT_EQ(list_hub(story.state()).in_flight, 0U);
}

TEST(Send, A1_AnUnknownRecipientIsRefusedOnTheRecord) {
    Story story;
    story.send({.id = "m1", .to = "nobody"});
    ASSERT_EQ(story.happened<MessageRefused>().size(), 1U);
    EXPECT_EQ(story.happened<MessageRefused>()[0].refusal, Refusal::AgentNotRegistered);
    EXPECT_EQ(story.happened<MessageRefused>()[0].id, "m1");
    EXPECT_EQ(story.refusal(), Refusal::AgentNotRegistered);
    EXPECT_EQ(story.state().broker.messages.size(), 0U);
}

TEST(Send, ARefusedMessageMayBeSentAgain) {
    Story story;
    story.send({.id = "m1"});
    story.agent("bob").send({.id = "m1"});
    EXPECT_EQ(story.happened<MessageAccepted>().size(), 1U);
}

TEST(Send, AnUnregisteredSenderIsNoRecipient) {
    Story story;
    story.agent("bob").request({.id = "q1", .from = "alice"});
    story.send({.id = "m1", .from = "bob", .to = "alice"});
    EXPECT_EQ(story.refusal(), Refusal::AgentNotRegistered);
}

TEST(Send, I1_AnAgentCannotSendAsAnother) {
    Story story;
    story.agent("bob").as("mallory").send({.id = "m1", .from = "alice"});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
    EXPECT_EQ(story.happened<MessageRefused>().at(0).from, "mallory");
    EXPECT_TRUE(story.happened<MessageAccepted>().empty());
    story.as("alice").send({.id = "m1", .from = "alice"});
    EXPECT_EQ(story.happened<MessageAccepted>().size(), 1U);
}

TEST(Send, T11_D7_AnExpiredMessageIsNotDeliveredAndItsEndIsRecorded) {
    Story story;
    story.agent("bob").send_for(5s, {.id = "m1"});
    story.later(5s - 1ms).tick();
    EXPECT_TRUE(story.events().empty());
    EXPECT_EQ(next_due(story.state()), story.now() + 1ms);
    story.later(1ms);
    story.connect("bob", 1);
    EXPECT_EQ(story.happened<MessageExpired>().size(), 1U);
    EXPECT_TRUE(story.delivered().empty());
    EXPECT_EQ(story.state().broker.messages.size(), 0U);
}

TEST(Send, T11_D7_AMessageIsDeliveredAMillisecondBeforeItsTtlEnds) {
    Story story;
    story.agent("bob").send_for(5s, {.id = "m1"}).later(5s - 1ms);
    story.connect("bob", 1);
    EXPECT_EQ(story.delivered(), Ids{"m1"});
}

TEST(Send, T11_ALeasedMessageOutlivesItsTtlButIsNotRetried) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1);
    story.send_for(5s, {.id = "m1"});
    const auto held = story.last_delivery();
    story.later(10s).tick();
    EXPECT_TRUE(story.events().empty()) << "bob may still finish it";
    story.nack(held);
    EXPECT_EQ(story.happened<MessageExpired>().size(), 1U);
    EXPECT_TRUE(story.happened<DeliveryReturned>().empty());
}

TEST(Send, T11_ATtlEndingDuringARetryWaitEndsTheMessage) {
    Story story;
    story.limits().backoff_base = 10s;
    story.agent("bob");
    story.connect("bob", 1);
    story.send_for(5s, {.id = "m1"});
    story.nack(story.last_delivery());
    EXPECT_EQ(story.happened<DeliveryReturned>().size(), 1U);
    story.later(5s).tick();
    EXPECT_EQ(story.happened<MessageExpired>().size(), 1U);
    EXPECT_EQ(story.state().broker.messages.size(), 0U);
}

TEST(Send, AnAbsurdTtlIsClampedInBothDirections) {
    Story story;
    story.agent("bob").send_for(Duration::max(), {.id = "m1"});
    EXPECT_EQ(story.mailbox("bob").waiting, 1U);
    story.send_for(Duration::min(), {.id = "m2"});
    EXPECT_EQ(story.happened<MessageExpired>().size(), 1U);
    story.ask(SendMessage{.envelope = envelope({.id = "q1", .intent = Intent::Request}),
                          .timeout = Duration::min()});
    EXPECT_EQ(story.happened<RequestFailed>().size(), 1U);
}

TEST(Send, ARefusalByTheGatewayIsRecorded) {
    Story story;
    story.as("alice").ask(
        RecordRefusal{"m1", static_cast<std::uint8_t>(Refusal::MessageMalformed), "no JSON"});
    ASSERT_EQ(story.happened<MessageRefused>().size(), 1U);
    EXPECT_EQ(story.happened<MessageRefused>()[0].from, "alice");
    EXPECT_EQ(story.refusal(), Refusal::MessageMalformed);
}

}  // namespace
}  // namespace parlance::core
