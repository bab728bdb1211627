// Streamed answers: parts numbered without a gap, bounded, and never behind the whole answer (X18).
#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

/// A request of alice's that bob has in hand.
class Streaming : public ::testing::Test {
  protected:
    Streaming() {
        story.agent("alice").agent("bob");
        story.connect("bob", 1);
        request = story.request({.id = "q-1"}, false, Priority::High, 10s);
        delivery = story.last_delivery();
    }
    void say(const std::string& note) { story.ask(ReportProgress{delivery, note}); }
    void answer() {
        story.ask(ReplyToDelivery{delivery,
                                  envelope({.id = "a-1",
                                            .from = "bob",
                                            .to = "alice",
                                            .intent = Intent::Reply,
                                            .answers = "q-1"})});
    }
    std::optional<StreamStanding> standing(std::uint64_t after = 0, std::size_t count_max = 100) {
        return find_stream(story.state(),
                           {.asker = "alice", .id = "q-1", .after = after, .count_max = count_max});
    }

    Story story;
    Ticket request{};
    DeliveryToken delivery{};
};

TEST_F(Streaming, X18_PartsAreNumberedFromOneWithoutAGap) {
    for (const std::uint64_t number : {1U, 2U, 3U}) {
        say(R"("part")");
        ASSERT_EQ(story.happened<ProgressReported>().size(), 1U);
        EXPECT_EQ(story.happened<ProgressReported>()[0].number, number);
        EXPECT_EQ(story.happened<ProgressReported>()[0].attempt, 1U);
        EXPECT_EQ(story.asked_for<TellProgress>()[0].number, number);
    }
    EXPECT_EQ(standing()->parts_count, 3U);
    EXPECT_EQ(standing()->parts.size(), 3U);
    EXPECT_EQ(standing()->answer, Sequence{}) << "it is not over";
}

TEST_F(Streaming, X18_AReaderCanContinueFromAnyPart) {
    for (int i = 0; i < 5; ++i) say("{}");
    const auto all = standing()->parts;
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(standing(2)->parts, (std::vector{all[2], all[3], all[4]}));
    EXPECT_EQ(standing(2, 1)->parts, (std::vector{all[2]}));
    EXPECT_TRUE(standing(5)->parts.empty());
    EXPECT_TRUE(standing(99)->parts.empty()) << "there is no such part yet";
}

TEST_F(Streaming, X18_AnEndedStreamCanStillBeRead) {
    say("{}");
    answer();
    EXPECT_EQ(standing()->parts_count, 1U);
    EXPECT_NE(standing()->answer, Sequence{});
    EXPECT_FALSE(standing()->is_forgotten);
    EXPECT_FALSE(find_stream(story.state(), {.asker = "bob", .id = "q-1"})) << "it is alice's";
    EXPECT_FALSE(find_stream(story.state(), {.asker = "alice", .id = "q-2"}));
}

TEST_F(Streaming, X18_ARetryDoesNotReusePartNumbers) {
    say(R"("first")");
    story.nack(delivery).later(1s).tick();
    delivery = story.last_delivery();
    ASSERT_EQ(delivery.attempt, 2U);
    say(R"("again")");
    ASSERT_EQ(story.happened<ProgressReported>().size(), 1U);
    EXPECT_EQ(story.happened<ProgressReported>()[0].number, 2U);
    EXPECT_EQ(story.happened<ProgressReported>()[0].attempt, 2U) << "so a reader can begin anew";
}

TEST_F(Streaming, X18_APartOfAnOldAttemptIsRefused) {
    const auto old = delivery;
    story.nack(delivery).later(1s).tick();
    story.ask(ReportProgress{old, "{}"});
    EXPECT_EQ(story.refusal(), Refusal::DeliveryStale);
    EXPECT_EQ(standing()->parts_count, 0U);
}

TEST_F(Streaming, X18_W2_APartBehindTheAnswerIsNeverShown) {
    answer();
    say("{}");
    EXPECT_EQ(story.refusal(), Refusal::DeliveryStale);
    EXPECT_TRUE(story.asked_for<TellProgress>().empty());
    EXPECT_EQ(standing()->parts_count, 0U);
}

TEST_F(Streaming, X18_W2_APartBehindTheDeadlineIsDroppedOnRecord) {
    story.later(10s).tick();
    ASSERT_NE(standing()->answer, Sequence{}) << "alice has heard that there is no answer";
    say("{}");
    ASSERT_EQ(story.happened<ReplyDropped>().size(), 1U);
    EXPECT_EQ(story.happened<ReplyDropped>()[0].request, request);
    EXPECT_EQ(story.refusal(), Refusal::RequestAlreadyAnswered);
    EXPECT_TRUE(story.asked_for<TellProgress>().empty());
}

TEST_F(Streaming, X18_G7_PartsAreBoundedInNumber) {
    story.limits().stream_parts_max = 2;
    say("{}");
    say("{}");
    say("{}");
    EXPECT_EQ(story.refusal(), Refusal::StreamLimitExceeded);
    EXPECT_EQ(standing()->parts_count, 2U);
    answer();
    EXPECT_NE(standing()->answer, Sequence{}) << "the whole is still welcome";
}

TEST_F(Streaming, X18_G7_PartsAreBoundedInBytes) {
    story.limits().stream_bytes_max = 10;
    say(R"("12345678")");
    EXPECT_EQ(standing()->parts_count, 1U) << "ten bytes are the limit, and allowed";
    say("1");
    EXPECT_EQ(story.refusal(), Refusal::StreamLimitExceeded);
}

TEST_F(Streaming, X18_TheOldestEndedStreamIsForgotten) {
    story.limits().streams_ended_max = 1;
    say("{}");
    answer();
    story.request({.id = "q-2"});
    delivery = story.last_delivery();
    say("{}");
    EXPECT_FALSE(standing()->is_forgotten);
    story.ask(ReplyToDelivery{delivery,
                              envelope({.id = "a-2",
                                        .from = "bob",
                                        .to = "alice",
                                        .intent = Intent::Reply,
                                        .answers = "q-2"})});
    EXPECT_TRUE(standing()->is_forgotten) << "and says so, rather than that there were no parts";
    EXPECT_EQ(story.state().streams.all.size(), 1U);
}

TEST_F(Streaming, X18_StreamsOutliveARestart) {
    say("{}");
    const auto before = standing()->parts;
    story.restart();
    EXPECT_EQ(standing()->parts, before);
}

}  // namespace
}  // namespace parlance::core
