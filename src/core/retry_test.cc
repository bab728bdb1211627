// Retries after a wait: how long, how often, and not at all.
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

struct Trial {
    Story story;

    explicit Trial(std::optional<std::uint32_t> retry_count_max = {}) {
        story.limits().heartbeat_timeout = 100h;
        story.agent("bob");
        story.connect("bob", 10);
        story.ask(SendMessage{.envelope = envelope({.id = "m1"}),
                              .priority = Priority::High,
                              .retry_count_max = retry_count_max});
    }
    /// Fails the delivery; returns the hub's wait before the retry.
    Duration fail() {
        story.nack(story.last_delivery());
        return story.happened<DeliveryReturned>().empty() ? Duration{-1}
                                                          : story.retry_at() - story.now();
    }
    void retry(Duration wait) { story.later(wait).tick(); }
};

TEST(Retry, T10_D6_WaitsGrowExponentiallyToACapInsideTheirJitter) {
    Trial trial{20};
    auto full = 200ms;
    for (int i = 0; i < 15; ++i) {
        const auto wait = trial.fail();
        EXPECT_LE(wait, full) << "try " << i;
        EXPECT_GE(wait, full * 80 / 100) << "try " << i;
        trial.retry(wait);
        ASSERT_EQ(trial.story.delivered(), Ids{"m1"});
        full = std::min<Duration>(full * 2, 30s);
    }
}

TEST(Retry, S11_AnAgentThatRetriesByItselfKeepsTheDelivery) {
    Story story;
    story.agent("alice").agent("bob");
    story.connect("bob", 10);
    const auto request = story.request({.id = "q-1"});
    const auto delivery = story.last_delivery();
    // The agent failed and tries again; only the requester needs to hear of it.
    for (int attempt = 2; attempt < 6; ++attempt) {
        story.later(story.limits().lease - 1ms);
        story.ask(ReportProgress{delivery, R"({"trying_again":)" + std::to_string(attempt) + "}"});
        EXPECT_EQ(story.asked_for<TellProgress>().size(), 1U);
        EXPECT_TRUE(story.happened<DeliveryReturned>().empty());
    }
    story.ask(ReplyToDelivery{
        delivery, envelope({.id = "a-1", .from = "bob", .to = "alice", .intent = Intent::Reply})});
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(story.happened<RequestAnswered>()[0].request, request);
    EXPECT_EQ(delivery.attempt, 1U) << "the hub has tried it once";
    EXPECT_TRUE(story.state().governor.breakers.empty()) << "and has seen nothing fail";
}

TEST(Retry, T10_D6_JitterSpreadsMessagesThatFailTogether) {
    Story story;
    story.replayed_every(50);
    story.limits().backoff_base = 10s;
    story.agent("bob");
    story.connect("bob", 100);
    for (int i = 0; i < 50; ++i) story.send({.id = "m" + std::to_string(i)});
    std::vector<Duration> waits;
    const auto& broker = story.state().broker;
    for (const auto& [ticket, slot] : broker.slots.sorted(broker::ticket_of(broker.messages))) {
        waits.push_back(Duration{static_cast<std::int64_t>(ticket)});
    }
    std::vector<Time> retries;
    for (const auto& ticket : waits) {
        story.nack({{static_cast<std::uint64_t>(ticket.count())}, 1, broker.epoch});
        retries.push_back(story.retry_at());
    }
    std::ranges::sort(retries);
    const auto same = std::unique(retries.begin(), retries.end());
    EXPECT_GE(same - retries.begin(), 10) << "twenty-one different waits are possible";
}

TEST(Retry, D6_NoMessageIsRetriedBeforeTheWaitIsOver) {
    Trial trial;
    const auto wait = trial.fail();
    trial.story.later(wait - 1ms).tick();
    EXPECT_TRUE(trial.story.delivered().empty());
    trial.story.later(1ms).tick();
    EXPECT_EQ(trial.story.delivered(), Ids{"m1"});
    EXPECT_EQ(trial.story.happened<RetryBegan>().size(), 1U);
}

TEST(Retry, T10_D6_AtItsLimitTheMessageIsADeadLetter) {
    Trial trial{2};
    for (int i = 0; i < 2; ++i) {
        const auto wait = trial.fail();
        ASSERT_GT(wait, 0ms);
        trial.retry(wait);
    }
    EXPECT_EQ(trial.story.last_delivery().attempt, 3U) << "one try and two retries";
    trial.fail();
    ASSERT_EQ(trial.story.happened<MessageDeadLettered>().size(), 1U);
    EXPECT_EQ(trial.story.happened<MessageDeadLettered>()[0].failure,
              DeliveryFailure::RetriesExhausted);
    trial.story.later(1h).tick();
    EXPECT_TRUE(trial.story.delivered().empty());
}

TEST(Retry, D6_NoRetriesMeansOneTry) {
    Trial trial{0};
    trial.fail();
    EXPECT_EQ(trial.story.happened<MessageDeadLettered>().size(), 1U);
}

TEST(Retry, D6_TheHubHasTheLastWordOnTheLimit) {
    Trial trial{1'000'000};
    EXPECT_EQ(trial.story.happened<MessageAccepted>().at(0).retry_count_max, 100U);
    Trial unsaid;
    EXPECT_EQ(unsaid.story.happened<MessageAccepted>().at(0).retry_count_max, 5U);
}

TEST(Retry, D6_AnExpiredLeaseCountsAsATry) {
    Trial trial{1};
    trial.story.later(30s).tick();
    trial.story.at(trial.story.retry_at()).tick();
    ASSERT_EQ(trial.story.delivered(), Ids{"m1"});
    trial.story.later(30s).tick();
    EXPECT_EQ(trial.story.happened<MessageDeadLettered>().size(), 1U);
}

TEST(Retry, D6_ALostInstanceCountsAsATryButNeedsNoWait) {
    Trial trial{1};
    auto& story = trial.story;
    story.connect("bob", 10);
    EXPECT_EQ(story.delivered(), Ids{"m1"}) << "at once";
    story.connect("bob", 10);
    EXPECT_EQ(story.happened<MessageDeadLettered>().size(), 1U)
        << "a message that kills whoever takes it does not go round for ever";
}

TEST(Retry, D6_ARestartOfTheHubDoesNotCountAsATry) {
    Trial trial{1};
    auto& story = trial.story;
    std::vector<DeliveryToken> tokens{story.last_delivery()};
    for (int i = 0; i < 6; ++i) {
        story.restart();
        ASSERT_EQ(story.happened<DeliveryReturned>().size(), 1U);
        EXPECT_EQ(story.happened<DeliveryReturned>()[0].failure, DeliveryFailure::HubRestarted);
        story.connect("bob", 10);
        ASSERT_EQ(story.delivered(), Ids{"m1"}) << "at once";
        const auto next = story.last_delivery();
        EXPECT_EQ(next.attempt, tokens.back().attempt + 1);
        story.ack(tokens.back());
        EXPECT_EQ(story.refusal(), Refusal::DeliveryStale) << "D5: the token is another one";
        tokens.push_back(next);
    }
    story.nack(tokens.back());
    EXPECT_EQ(story.happened<DeliveryReturned>().size(), 1U) << "the first try that counts";
    EXPECT_LE(story.retry_at() - story.now(), 200ms) << "and the first wait";
    story.at(story.retry_at()).tick();
    story.nack(story.last_delivery());
    EXPECT_EQ(story.happened<MessageDeadLettered>().size(), 1U) << "one retry, as it was told";
}

TEST(Retry, D1_D6_AnUnreachedAgentUsesNoTry) {
    Trial trial{1};
    auto& story = trial.story;
    auto full = 200ms;
    for (int i = 0; i < 20; ++i) {
        story.ask(NackDelivery{
            .delivery = story.last_delivery(), .reason = "nobody listens", .is_unheard = true});
        ASSERT_EQ(story.happened<DeliveryReturned>().size(), 1U) << "time " << i;
        EXPECT_EQ(story.happened<DeliveryReturned>()[0].failure, DeliveryFailure::NotReached);
        const auto wait = story.retry_at() - story.now();
        EXPECT_LE(wait, full) << "time " << i;
        EXPECT_GE(wait, full * 80 / 100) << "it is asked less and less often";
        trial.retry(wait);
        ASSERT_EQ(story.delivered(), Ids{"m1"});
        full = std::min<Duration>(full * 2, 30s);
    }
    EXPECT_LE(trial.fail(), 200ms) << "the first try that counts, and its wait";
    story.at(story.retry_at()).tick();
    trial.fail();
    EXPECT_EQ(story.happened<MessageDeadLettered>().size(), 1U) << "one retry, as it was told";
}

TEST(Retry, D2_ARestartOfTheHubEndsAtMostOnceDeliveries) {
    Story story;
    story.agent("bob");
    story.connect("bob", 10);
    story.send({.id = "n1"}, Priority::Normal);
    story.restart();
    ASSERT_EQ(story.happened<MessageDropped>().size(), 1U);
    EXPECT_EQ(story.happened<MessageDropped>()[0].failure, DeliveryFailure::HubRestarted);
    story.connect("bob", 10);
    EXPECT_TRUE(story.delivered().empty());
}

TEST(Retry, D6_TheHubsDowntimeIsNotHeldAgainstAPoller) {
    Story story;
    story.limits().heartbeat_timeout = 100h;
    story.agent("bob");
    const auto bob = story.poll("bob");
    story.ask(SendMessage{
        .envelope = envelope({.id = "m1"}), .priority = Priority::High, .retry_count_max = 0});
    story.ask(TakeMessages{bob, 1});
    const auto held = story.last_delivery();
    for (int i = 0; i < 6; ++i) story.later(1h).restart().later(29s).tick();
    story.ack(held);
    EXPECT_EQ(story.happened<DeliveryAcknowledged>().size(), 1U);
}

TEST(Retry, APollerThatDoesNotComeBackHasFailed) {
    Story story;
    story.limits().heartbeat_timeout = 100h;
    story.agent("bob");
    const auto bob = story.poll("bob");
    story.ask(SendMessage{
        .envelope = envelope({.id = "m1"}), .priority = Priority::High, .retry_count_max = 0});
    story.ask(TakeMessages{bob, 1});
    story.later(1h).restart().later(30s).tick();
    EXPECT_EQ(story.happened<MessageDeadLettered>().size(), 1U);
}

TEST(Retry, ARetryGoesBeforeNewerMessagesOfItsPriority) {
    Trial trial;
    auto& story = trial.story;
    const auto held = story.last_delivery();
    const auto one = InstanceNumber{story.state().registry.instance_last};
    story.ask(GrantCredit{one, 1});
    story.nack(held);
    const auto at = story.retry_at();
    story.ask(GrantCredit{one, 0}).send({.id = "m2"}).at(at).tick();
    story.ask(GrantCredit{one, 1});
    EXPECT_EQ(story.delivered(), Ids{"m1"});
}

TEST(Retry, AFinalRejectionIsNeverRetried) {
    Trial trial;
    trial.story.ask(NackDelivery{trial.story.last_delivery(), "not mine", true});
    ASSERT_EQ(trial.story.happened<MessageDeadLettered>().size(), 1U);
    EXPECT_EQ(trial.story.happened<MessageDeadLettered>()[0].failure, DeliveryFailure::Rejected);
    EXPECT_EQ(trial.story.happened<MessageDeadLettered>()[0].reason, "not mine");
}

}  // namespace
}  // namespace parlance::core
