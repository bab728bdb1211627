// A repeated id is answered with the first outcome, and never processed twice.
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

struct Pair {
    Story story;
    Pair() {
        story.agent("alice").agent("bob");
        story.connect("bob", 100);
    }
};

TEST(Duplicate, C8_D4_IsAcceptedOnceAndAnsweredWithTheFirstOutcome) {
    Pair pair;
    auto& story = pair.story;
    story.send({.id = "m1"});
    const auto first = story.asked_for<TellAccepted>().at(0);
    story.send({.id = "m1"});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U);
    EXPECT_TRUE(story.delivered().empty());
    const auto again = story.asked_for<TellAccepted>().at(0);
    EXPECT_TRUE(again.is_duplicate);
    EXPECT_EQ(again.ticket, first.ticket);
    EXPECT_EQ(again.sequence, first.sequence);
    EXPECT_EQ(again.id, "m1");
}

TEST(Duplicate, C8_D4_IsRecognisedAfterTheMessageIsGoneAndAfterARestart) {
    Pair pair;
    pair.story.send({.id = "m1"});
    pair.story.ack(pair.story.last_delivery());
    pair.story.restart().later(24h).send({.id = "m1"});
    EXPECT_EQ(pair.story.happened<DuplicateReceived>().size(), 1U);
}

TEST(Duplicate, D4_AReusedIdWithOtherContentIsRefusedOnTheRecord) {
    Pair pair;
    pair.story.send({.id = "m1", .body = "{}"}).send({.id = "m1", .body = "[]"});
    EXPECT_EQ(pair.story.refusal(), Refusal::MessageIdConflict);
    EXPECT_EQ(pair.story.happened<MessageRefused>().size(), 1U);
    EXPECT_TRUE(pair.story.delivered().empty());
}

TEST(Duplicate, AnIdOfAnotherSenderIsNoDuplicate) {
    Pair pair;
    pair.story.send({.id = "m1"}).send({.id = "m1", .from = "carol"});
    EXPECT_EQ(pair.story.delivered(), Ids{"m1"});
}

TEST(Duplicate, D4_ASharedCorrelationIsNoDuplicate) {
    Pair pair;
    pair.story.send({.id = "m1", .correlation = "c"}).send({.id = "m2", .correlation = "c"});
    EXPECT_EQ(pair.story.delivered(), Ids{"m2"});
}

TEST(Duplicate, K3_ADuplicateOfAnOpenRequestWaitsForTheSameAnswer) {
    Pair pair;
    auto& story = pair.story;
    const auto request = story.request({.id = "q1"});
    const auto question = story.last_delivery();
    story.request({.id = "q1"}, true);
    const auto again = story.asked_for<TellAccepted>().at(0);
    EXPECT_TRUE(again.is_open_request);
    EXPECT_EQ(again.ticket, request);
    EXPECT_TRUE(story.delivered().empty()) << "never a second run";

    story.ask(ReplyToDelivery{question, envelope({.id = "r1", .from = "bob", .to = "alice"})});
    ASSERT_EQ(story.asked_for<TellAnswer>().size(), 1U) << "the second asker holds the line";
    EXPECT_EQ(story.asked_for<TellAnswer>()[0].request, request);
}

TEST(Duplicate, K3_ADuplicateOfAnAnsweredRequestGetsTheRecordOfTheAnswer) {
    Pair pair;
    auto& story = pair.story;
    story.request({.id = "q1"});
    story.ask(ReplyToDelivery{story.last_delivery(),
                              envelope({.id = "r1", .from = "bob", .to = "alice"})});
    const auto answered = ticket_at(story.state().sequence);
    story.request({.id = "q1"}, true);
    const auto again = story.asked_for<TellAccepted>().at(0);
    EXPECT_TRUE(again.is_duplicate);
    EXPECT_FALSE(again.is_open_request);
    EXPECT_EQ(again.answer, sequence_of(answered));
}

TEST(Duplicate, K3_ADuplicateOfAFailedRequestGetsTheRecordOfTheFailure) {
    Pair pair;
    auto& story = pair.story;
    story.request({.id = "q1"}, false, Priority::Normal);
    story.ask(NackDelivery{story.last_delivery(), "no", true});
    const auto failed = story.happened<RequestFailed>().at(0);
    story.request({.id = "q1"});
    EXPECT_EQ(story.asked_for<TellAccepted>().at(0).answer, sequence_of(failed.ticket));
}

TEST(Duplicate, D4_ARepeatedReplyIsAnsweredWithTheFirstOutcome) {
    Pair pair;
    auto& story = pair.story;
    story.request({.id = "q1"});
    const Letter reply{.id = "r1",
                       .from = "bob",
                       .to = "alice",
                       .intent = Intent::Reply,
                       .answers = "q1",
                       .body = "{\"a\":1}"};
    story.send(reply);
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    const auto first = story.asked_for<TellAccepted>().at(0);
    story.send(reply);
    ASSERT_EQ(story.happened<DuplicateReceived>().size(), 1U);
    EXPECT_EQ(story.asked_for<TellAccepted>().at(0).sequence, first.sequence);
    auto other = reply;
    other.body = "{\"a\":2}";
    story.send(other);
    EXPECT_EQ(story.refusal(), Refusal::MessageIdConflict);
}

TEST(Duplicate, G7_TheDedupWindowIsBoundedAndForgetsTheOldest) {
    Story story;
    story.limits().remembered_ids_max = 20;
    story.agent("bob");
    story.connect("bob", 100);
    for (int i = 0; i < 100; ++i) {
        story.send({.id = "m" + std::to_string(i)}).ack(story.last_delivery());
    }
    const auto& dedup = story.state().dedup;
    EXPECT_LE(dedup.newer.ids.size() + dedup.older.ids.size(), 20U);
    story.send({.id = "m95"});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U) << "recent";
    story.send({.id = "m5"});
    EXPECT_EQ(story.happened<MessageAccepted>().size(), 1U) << "long ago";
}

TEST(Duplicate, D4_W2_ManyEndingRequestsPushNoIdOutOfTheDedupWindow) {
    constexpr int kIdsMax = 20;
    constexpr int kRequests = 60;
    Story story;
    story.limits().remembered_ids_max = kIdsMax;
    story.agent("alice").agent("bob").agent("carol");
    for (int i = 0; i < kRequests; ++i) {
        story.request({.id = "q" + std::to_string(i)}, false, Priority::High, Duration{30s});
    }
    story.connect("carol", 100);
    story.send({.id = "news", .to = "carol"}).ack(story.last_delivery());
    story.later(30s).tick();
    ASSERT_EQ(story.state().requests.open.size(), 0U);
    // As many ids as the hub may forget, less one: `news` is in the newer half.
    for (int i = 0; i < kIdsMax / 2 - 1; ++i) {
        story.send({.id = "m" + std::to_string(i), .to = "carol"}).ack(story.last_delivery());
    }
    story.send({.id = "news", .to = "carol"});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U);
    story.send({.id = "late",
                .from = "bob",
                .to = "alice",
                .intent = Intent::Reply,
                .answers = "q" + std::to_string(kRequests - 1)});
    EXPECT_EQ(story.happened<ReplyDropped>().size(), 1U) << "W2";
}

TEST(Duplicate, D4_IdsOfLiveMessagesAndRequestsAreNeverForgotten) {
    Story story;
    story.limits().remembered_ids_max = 20;
    story.agent("bob").agent("carol");
    story.connect("bob", 100);
    story.send({.id = "waits", .to = "carol"});
    story.request({.id = "open"});
    story.ack(story.last_delivery());
    for (int i = 0; i < 100; ++i) {
        story.send({.id = "m" + std::to_string(i)}).ack(story.last_delivery());
    }
    story.send({.id = "waits", .to = "carol"});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U);
    story.request({.id = "open"});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U);
}

TEST(Duplicate, D4_AnIdIsKeptWhileOneSubscribersCopyWaits) {
    Story story;
    story.limits().remembered_ids_max = 20;
    story.agent("bob").agent("carol");
    story.connect("bob", 100);
    for (const auto* agent : {"bob", "carol"}) story.ask(Subscribe{{agent}, {"news"}});
    story.send({.id = "waits", .to = "topic:news"}).ack(story.last_delivery());
    for (int i = 0; i < 100; ++i) {
        story.send({.id = "m" + std::to_string(i)}).ack(story.last_delivery());
    }
    story.send({.id = "waits", .to = "topic:news"});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U) << "carol has yet to get it";
}

TEST(Duplicate, D4_ADeadRequestsAnswerIsRememberedAsLongAsTheDeadLetter) {
    Story story;
    story.limits().remembered_ids_max = 20;
    story.agent("alice").agent("bob");
    story.connect("bob", 100);
    story.request({.id = "dead"});
    story.ask(NackDelivery{story.last_delivery(), "never", true});
    for (int i = 0; i < 100; ++i) {
        story.send({.id = "m" + std::to_string(i)}).ack(story.last_delivery());
    }
    story.request({.id = "dead"});
    ASSERT_EQ(story.happened<DuplicateReceived>().size(), 1U);
    EXPECT_NE(story.asked_for<TellAccepted>().at(0).answer, Sequence{});
}

TEST(Duplicate, G7_ManyLiveIdsDoNotMakeEachNewOneExpensive) {
    Story story;
    story.replayed_every(1000);
    story.limits().remembered_ids_max = 100;
    story.agent("bob");
    for (int i = 0; i < 1000; ++i) story.send({.id = "m" + std::to_string(i)});
    const auto& dedup = story.state().dedup;
    EXPECT_EQ(dedup.newer.ids.size() + dedup.older.ids.size(), 1000U) << "each once";
    story.send({.id = "m0"});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U);
}

}  // namespace
}  // namespace parlance::core
