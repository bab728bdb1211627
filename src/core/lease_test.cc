// What a consumer may do with a delivery while holding the lease, and afterwards.
#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

struct Held {
    Story story;
    DeliveryToken delivery;
    Time granted{};

    explicit Held(Priority priority = Priority::High) {
        story.limits().heartbeat_timeout = 100h;
        story.agent("bob");
        story.connect("bob", 10);
        story.send({.id = "m1"}, priority);
        delivery = story.last_delivery();
        granted = story.now();
    }
};

TEST(Lease, ExpiresAtItsEndAndNotBefore) {
    Held held;
    EXPECT_EQ(next_due(held.story.state()), held.granted + 30s);
    held.story.at(held.granted + 30s - 1ms).tick();
    EXPECT_TRUE(held.story.events().empty());
    held.story.at(held.granted + 30s).tick();
    ASSERT_EQ(held.story.happened<DeliveryReturned>().size(), 1U);
    EXPECT_EQ(held.story.happened<DeliveryReturned>()[0].failure, DeliveryFailure::LeaseExpired);
}

TEST(Lease, T8_D2_ANormalMessageIsDeliveredOnce) {
    for (const auto priority : {Priority::Normal, Priority::Low}) {
        Held held{priority};
        held.story.later(30s).tick();
        ASSERT_EQ(held.story.happened<MessageDropped>().size(), 1U);
        EXPECT_EQ(held.story.happened<MessageDropped>()[0].failure, DeliveryFailure::LeaseExpired);
        held.story.later(1h).tick();
        EXPECT_TRUE(held.story.delivered().empty());
        EXPECT_EQ(held.story.state().broker.messages.size(), 0U);
    }
}

TEST(Lease, T8_D1_AHighMessageIsDeliveredAgain) {
    for (const auto priority : {Priority::Critical, Priority::High}) {
        Held held{priority};
        held.story.later(30s).tick();
        held.story.at(held.story.retry_at()).tick();
        EXPECT_EQ(held.story.delivered(), Ids{"m1"});
        EXPECT_EQ(held.story.last_delivery().attempt, 2U);
    }
}

TEST(Lease, AnExtensionCountsFromNowAndThenEnds) {
    Held held;
    held.story.later(29s).ask(ExtendLease{held.delivery, 60s});
    EXPECT_EQ(held.story.asked_for<TellDone>().size(), 1U);
    held.story.at(held.granted + 89s - 1ms).tick();
    EXPECT_TRUE(held.story.events().empty());
    held.story.at(held.granted + 89s).tick();
    EXPECT_EQ(held.story.happened<DeliveryReturned>().size(), 1U);
}

TEST(Lease, AnExtensionHasABoundAndADefault) {
    Held held;
    held.story.ask(ExtendLease{held.delivery, 24h});
    EXPECT_EQ(held.story.happened<LeaseExtended>().at(0).until, held.granted + 1h);
    held.story.ask(ExtendLease{held.delivery, {}});
    EXPECT_EQ(held.story.happened<LeaseExtended>().at(0).until, held.granted + 30s);
    held.story.ask(ExtendLease{held.delivery, Duration::min()});
    EXPECT_EQ(held.story.happened<LeaseExtended>().at(0).until, held.granted + 1ms);
}

TEST(Lease, ProgressExtendsTheLease) {
    Held held;
    held.story.later(29s).ask(ReportProgress{held.delivery, R"({"done":1})"});
    held.story.later(29s).tick();
    EXPECT_TRUE(held.story.events().empty());
    EXPECT_TRUE(held.story.asked_for<TellProgress>().empty()) << "nobody asked for it";
}

TEST(Lease, D5_AStaleTokenChangesNothing) {
    Held held;
    auto& story = held.story;
    story.nack(held.delivery);
    story.at(story.retry_at()).tick();
    const auto second = story.last_delivery();
    ASSERT_EQ(second.attempt, 2U);
    const auto before = encode_state(story.state()).size();

    const auto expect_stale = [&](Command command) {
        story.ask(std::move(command));
        EXPECT_EQ(story.refusal(), Refusal::DeliveryStale);
        ASSERT_EQ(story.events().size(), 1U);
        EXPECT_EQ(story.happened<SettlementRefused>().size(), 1U) << "it is on record";
    };
    expect_stale(AckDelivery{held.delivery});
    expect_stale(NackDelivery{held.delivery, "no", true});
    expect_stale(ExtendLease{held.delivery, 1h});
    expect_stale(ReportProgress{held.delivery, "{}"});
    expect_stale(ReplyToDelivery{held.delivery, envelope({.id = "r", .from = "bob"})});
    EXPECT_EQ(encode_state(story.state()).size(), before);
    story.ack(second);
    EXPECT_EQ(story.happened<DeliveryAcknowledged>().size(), 1U);
}

TEST(Lease, D5_ATokenSettlesOnce) {
    Held held;
    held.story.ack(held.delivery);
    held.story.ack(held.delivery);
    EXPECT_EQ(held.story.refusal(), Refusal::DeliveryStale);
}

TEST(Lease, D5_ATokenOfADelayedMessageIsStale) {
    Held held;
    held.story.nack(held.delivery);
    held.story.ack(held.delivery);
    EXPECT_EQ(held.story.refusal(), Refusal::DeliveryStale);
    EXPECT_EQ(held.story.mailbox("bob").waiting, 1U);
}

TEST(Lease, D5_ATokenIsStaleAfterItsMessageWasADeadLetter) {
    Held held;
    auto& story = held.story;
    story.ask(NackDelivery{held.delivery, "never", true});
    story.ask(RedeliverDeadLetter{held.delivery.ticket});
    ASSERT_EQ(story.delivered(), Ids{"m1"});
    EXPECT_NE(story.last_delivery(), held.delivery);
    story.ack(held.delivery);
    EXPECT_EQ(story.refusal(), Refusal::DeliveryStale);
    EXPECT_EQ(story.mailbox("bob").in_flight, 1U);
}

TEST(Lease, AnInventedTokenIsNotFound) {
    Held held;
    held.story.ack({{}, 1});
    EXPECT_EQ(held.story.refusal(), Refusal::DeliveryNotFound);
    held.story.ack({ticket_at({1'000'000}), 1, held.delivery.epoch});
    EXPECT_EQ(held.story.refusal(), Refusal::DeliveryNotFound);
}

TEST(Lease, I1_AnAgentCannotSettleAnothersDelivery) {
    Held held;
    held.story.as("mallory").ack(held.delivery);
    EXPECT_EQ(held.story.refusal(), Refusal::IdentityMismatch);
    EXPECT_EQ(held.story.happened<SettlementRefused>().at(0).by, "mallory");
    EXPECT_EQ(held.story.mailbox("bob").in_flight, 1U);
    held.story.as("bob").ack(held.delivery);
    EXPECT_EQ(held.story.mailbox("bob").in_flight, 0U);
}

TEST(Lease, ASettlementIsASignOfLife) {
    Story story;
    story.agent("bob");
    story.connect("bob", 10);
    story.send({.id = "m1"}).send({.id = "m2"});
    const auto held = story.last_delivery();
    story.later(20s).ack(held);
    story.later(29s).tick();
    EXPECT_TRUE(story.happened<InstanceLeft>().empty());
    story.later(1s).tick();
    EXPECT_EQ(story.happened<InstanceLeft>().size(), 1U);
}

TEST(Lease, LeasesOfOneInstanceEndSeparately) {
    Held held;
    auto& story = held.story;
    story.later(10s).send({.id = "m2"});
    story.at(held.granted + 30s).tick();
    EXPECT_EQ(story.happened<DeliveryReturned>().size(), 1U);
    story.at(held.granted + 40s).tick();
    EXPECT_EQ(story.happened<DeliveryReturned>().size(), 1U);
}

TEST(Lease, APollersLeaseLastsItsPromisedTime) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.later(7s).send({.id = "m1"}, Priority::Normal);
    story.ask(TakeMessages{poller, 1});
    const auto held = story.last_delivery();
    const auto granted = story.now();
    story.at(granted + 29s).tick();
    story.ack(held);
    EXPECT_EQ(story.refusal(), Refusal::None) << "its lease had a second left";

    story.send({.id = "m2"}, Priority::Normal).ask(TakeMessages{story.poll("bob"), 1});
    ASSERT_EQ(story.delivered(), Ids{"m2"});
    const auto longer = story.last_delivery();
    story.ask(ExtendLease{longer, 600s});
    story.later(599s).tick();
    story.ack(longer);
    EXPECT_EQ(story.refusal(), Refusal::None);
    story.later(31s).tick();
    EXPECT_TRUE(find_agent(story.state(), {"bob"})->instances.empty()) << "silent at last";
}

TEST(Lease, T16_ASilentPollerWithALongLeaseIsOfflineAndKeepsTheLease) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.send({.id = "m1"}).ask(TakeMessages{poller, 1});
    const auto held = story.last_delivery();
    const auto taken = story.now();
    const auto bob = [&] { return *find_agent(story.state(), {"bob"}); };
    story.ask(ExtendLease{held, 600s});
    story.at(taken + 30s).tick();
    EXPECT_TRUE(bob().is_there)
        << "the hub may have been away, or have recorded less than it heard";
    story.at(taken + 60s).tick();
    EXPECT_FALSE(bob().is_there);
    EXPECT_EQ(bob().instances.at(0).last_seen, taken) << "nothing was heard of it since";
    EXPECT_EQ(bob().in_flight, 1U) << "it was promised the time";

    story.later(1s).ask(Heartbeat{poller});
    EXPECT_TRUE(bob().is_there);
    EXPECT_EQ(bob().instances.at(0).last_seen, story.now());
    story.at(taken + 599s).tick();
    EXPECT_TRUE(story.happened<DeliveryReturned>().empty());
    story.at(taken + 600s).tick();
    EXPECT_EQ(story.happened<DeliveryReturned>().size(), 1U) << "its lease has ended";
    story.later(30s).tick();
    EXPECT_TRUE(bob().instances.empty());
    EXPECT_EQ(bob().waiting, 1U) << "for whoever comes";
}

TEST(Lease, T16_TheHubsDowntimeIsNoSilenceOfAPoller) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.send({.id = "m1"}).ask(TakeMessages{poller, 1});
    story.later(1h).restart();
    EXPECT_TRUE(find_agent(story.state(), {"bob"})->is_there);
    EXPECT_EQ(story.mailbox("bob").in_flight, 1U);
}

TEST(Lease, FindDeliveryTellsTheCurrentTokenFromAnOldOne) {
    Held held;
    EXPECT_TRUE(find_delivery(held.story.state(), held.delivery)->is_current);
    EXPECT_EQ(find_delivery(held.story.state(), held.delivery)->holder.value, "bob");
    held.story.nack(held.delivery);
    const auto old = find_delivery(held.story.state(), held.delivery);
    EXPECT_FALSE(old && old->is_current);
}

}  // namespace
}  // namespace parlance::core
