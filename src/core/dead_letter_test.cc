// A message that could not be delivered is kept until a person decides.
#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

struct Grave {
    Story story;
    Ticket ticket;

    Grave() {
        story.limits().heartbeat_timeout = 100h;
        story.agent("bob");
        story.connect("bob", 10);
        story.send({.id = "m1", .body = "12345"});
        ticket = story.last_delivery().ticket;
        story.ask(NackDelivery{story.last_delivery(), "never", true});
    }
};

TEST(DeadLetter, T10_D1_IsKeptWithTheReason) {
    Grave grave;
    const auto letter = find_dead_letter(grave.story.state(), grave.ticket);
    ASSERT_TRUE(letter);
    EXPECT_EQ(letter->envelope->id(), "m1");
    EXPECT_EQ(letter->recipient.value, "bob");
    EXPECT_EQ(letter->reason, "never");
    EXPECT_EQ(letter->failure, DeliveryFailure::Rejected);
    EXPECT_EQ(letter->attempts, 1U);
    EXPECT_EQ(letter->died_at, grave.story.now());
    EXPECT_EQ(grave.story.mailbox("bob").dead, 1U);
    EXPECT_EQ(grave.story.mailbox("bob").bytes, 5U) << "it still takes its room";
}

TEST(DeadLetter, G7_OfALongReasonTheBeginningIsKept) {
    Story story;
    story.agent("bob").agent("alice");
    story.connect("bob", 10);
    story.send({.id = "q", .intent = Intent::Request, .body = "12345"});
    const auto delivery = story.last_delivery();
    story.ask(NackDelivery{delivery, std::string(100'000, 'n'), true});
    const auto letter = find_dead_letter(story.state(), delivery.ticket);
    ASSERT_TRUE(letter);
    EXPECT_EQ(letter->reason, std::string(1'024, 'n'));
    ASSERT_EQ(story.happened<RequestFailed>().size(), 1U);
    EXPECT_EQ(story.happened<RequestFailed>()[0].detail.size(), 1'024U);
}

TEST(DeadLetter, D6_OutlivesARestartAndAnyTime) {
    Grave grave;
    grave.story.restart().later(10000h).tick();
    EXPECT_TRUE(find_dead_letter(grave.story.state(), grave.ticket));
}

TEST(DeadLetter, HasAllTriesAgainAfterRedelivery) {
    Grave grave;
    auto& story = grave.story;
    story.limits().retry_count_max = 5;
    for (int redelivery = 0; redelivery < 3; ++redelivery) {
        story.ask(RedeliverDeadLetter{grave.ticket});
        for (int i = 0; i < 6; ++i) {
            ASSERT_EQ(story.delivered(), Ids{"m1"}) << "journey " << redelivery << ", try " << i;
            story.nack(story.last_delivery());
            if (i == 5) break;
            EXPECT_LE(story.retry_at() - story.now(), 200ms * (1 << i)) << "waits begin anew too";
            story.at(story.retry_at()).tick();
        }
        ASSERT_EQ(story.happened<MessageDeadLettered>().size(), 1U);
    }
}

TEST(DeadLetter, HasNoTtlAfterRedelivery) {
    Story story;
    story.agent("bob");
    story.connect("bob", 10);
    story.send_for(5s, {.id = "m1"});
    story.ask(NackDelivery{story.last_delivery(), "never", true});
    const auto ticket = story.happened<MessageDeadLettered>().at(0).ticket;
    story.later(10s).ask(RedeliverDeadLetter{ticket});
    EXPECT_EQ(story.delivered(), Ids{"m1"});
}

TEST(DeadLetter, IsRemovedOnTheRecordWhenDiscarded) {
    Grave grave;
    grave.story.as_operator().ask(DiscardDeadLetter{grave.ticket, "spam"});
    ASSERT_EQ(grave.story.happened<DeadLetterDiscarded>().size(), 1U);
    EXPECT_EQ(grave.story.happened<DeadLetterDiscarded>()[0].by, "olga");
    EXPECT_EQ(grave.story.happened<DeadLetterDiscarded>()[0].reason, "spam");
    EXPECT_EQ(grave.story.state().broker.messages.size(), 0U);
    EXPECT_EQ(grave.story.mailbox("bob").bytes, 0U);
    EXPECT_EQ(grave.story.mailbox("bob").dead, 0U);
}

TEST(DeadLetter, AMessageThatIsNotDeadCannotBeRedelivered) {
    Grave grave;
    auto& story = grave.story;
    story.ask(RedeliverDeadLetter{{12345}});
    EXPECT_EQ(story.refusal(), Refusal::DeadLetterNotFound);
    story.ask(RedeliverDeadLetter{grave.ticket}).ask(RedeliverDeadLetter{grave.ticket});
    EXPECT_EQ(story.refusal(), Refusal::DeadLetterNotFound) << "it is alive already";
    story.ask(DiscardDeadLetter{grave.ticket, "?"});
    EXPECT_EQ(story.refusal(), Refusal::DeadLetterNotFound);
    EXPECT_EQ(story.mailbox("bob").in_flight, 1U);
}

TEST(DeadLetter, DeadLettersOfOtherAgentsAreNotFound) {
    Grave grave;
    grave.story.as("mallory").ask(DiscardDeadLetter{grave.ticket, "mine now"});
    EXPECT_EQ(grave.story.refusal(), Refusal::DeadLetterNotFound);
    grave.story.ask(RedeliverDeadLetter{grave.ticket});
    EXPECT_EQ(grave.story.refusal(), Refusal::DeadLetterNotFound);
    EXPECT_EQ(grave.story.happened<SettlementRefused>().at(0).by, "mallory");
    grave.story.as("bob").ask(RedeliverDeadLetter{grave.ticket});
    EXPECT_EQ(grave.story.refusal(), Refusal::None);
}

TEST(DeadLetter, ListsPageInTheOrderOfTickets) {
    Story story;
    story.agent("bob").agent("carol");
    story.connect("bob", 10);
    story.connect("carol", 10);
    for (int i = 0; i < 4; ++i) {
        story.send({.id = "m" + std::to_string(i), .to = i == 1 ? "carol" : "bob"});
        story.ask(NackDelivery{story.last_delivery(), "never", true});
    }
    const auto all = list_dead_letters(story.state(), {});
    ASSERT_EQ(all.size(), 4U);
    const auto page = list_dead_letters(
        story.state(), {.recipient = {"bob"}, .after = all[0].ticket, .count_max = 1});
    ASSERT_EQ(page.size(), 1U);
    EXPECT_EQ(page[0].envelope->id(), "m2");
}

TEST(DeadLetter, G7_ARejectedNormalMessageIsDroppedAndNotKept) {
    Story story;
    story.agent("bob");
    story.connect("bob", 10);
    story.send({.id = "m1"}, Priority::Normal);
    story.ask(NackDelivery{story.last_delivery(), "never", true});
    ASSERT_EQ(story.happened<MessageDropped>().size(), 1U);
    EXPECT_EQ(story.happened<MessageDropped>()[0].failure, DeliveryFailure::Rejected);
    EXPECT_TRUE(story.state().broker.dead.empty());
}

}  // namespace
}  // namespace parlance::core
