// Agents and their instances, and what happens when an instance goes away.
#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

TEST(Registry, AnAgentIsKnownAfterRegistration) {
    Story story;
    story.agent("bob");
    const auto bob = find_agent(story.state(), {"bob"});
    ASSERT_TRUE(bob);
    EXPECT_TRUE(bob->is_registered);
    EXPECT_EQ(story.asked_for<TellDone>().size(), 1U);
}

TEST(Registry, RegisteringAgainReplacesTheProfile) {
    Story story;
    story.agent("bob");
    story.ask(RegisterAgent{{"bob"}, {.role = "clerk"}});
    EXPECT_EQ(find_agent(story.state(), {"bob"})->profile.role, "clerk");
    EXPECT_EQ(story.state().registry.registered_count, 1U);
}

TEST(Registry, AnAgentCannotRegisterAnotherAgent) {
    Story story;
    story.as("mallory").agent("bob");
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
    EXPECT_EQ(story.happened<MessageRefused>().at(0).from, "mallory");
    EXPECT_EQ(story.state().registry.registered_count, 0U);
}

TEST(Registry, NoAgentRegistersAsTheHub) {
    Story story;
    story.agent("bob").as_operator().agent("parlance");
    EXPECT_EQ(story.refusal(), Refusal::InputValidationFailed);
    EXPECT_TRUE(story.happened<AgentRegistered>().empty());
    story.as_the_hub().send({.id = "m1", .from = "parlance"});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
}

TEST(Registry, AnOperatorRegistersAnyAgent) {
    Story story;
    story.as_operator().agent("bob");
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST(Registry, AnEndpointIsOpenedOnRegistrationAndAgainOnStart) {
    Story story;
    story.ask(RegisterAgent{{"bob"}, {.instance_count_max = 3, .endpoint = "http://bob"}});
    ASSERT_EQ(story.asked_for<OpenEndpoint>().size(), 1U);
    story.restart();
    ASSERT_EQ(story.asked_for<OpenEndpoint>().size(), 1U);
    EXPECT_EQ(story.asked_for<OpenEndpoint>()[0].endpoint, "http://bob");
    EXPECT_EQ(story.asked_for<OpenEndpoint>()[0].credit, 3U);
    story.ask(RemoveAgent{{"bob"}});
    EXPECT_EQ(story.asked_for<OpenEndpoint>()[0].endpoint, "");
}

TEST(Registry, AnUnknownAgentHasNoInstances) {
    Story story;
    story.connect("nobody", 1);
    EXPECT_EQ(story.refusal(), Refusal::AgentNotRegistered);
}

TEST(Registry, AnAgentIsRemovedOnlyWithoutWork) {
    Story story;
    story.agent("bob").send({.id = "m1"});
    story.ask(RemoveAgent{{"bob"}});
    EXPECT_EQ(story.refusal(), Refusal::AgentHasWork);

    story.connect("bob", 1);
    story.ask(RemoveAgent{{"bob"}});
    EXPECT_EQ(story.refusal(), Refusal::AgentHasWork) << "one is in flight";
}

TEST(Registry, RemovingAnAgentClosesItsInstancesAndEndsItsSubscriptions) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1, "one");
    story.connect("bob", 1, "two");
    story.ask(Subscribe{{"bob"}, {"news"}});
    story.ask(RemoveAgent{{"bob"}});
    EXPECT_EQ(story.asked_for<CloseInstance>().size(), 2U);
    EXPECT_TRUE(story.state().registry.topics.empty());
    EXPECT_EQ(story.state().registry.instance_slots.size(), 0U);
    story.send({.id = "m1"});
    EXPECT_EQ(story.refusal(), Refusal::AgentNotRegistered);
}

TEST(Registry, RemovingAnUnknownAgentIsRefused) {
    Story story;
    story.ask(RemoveAgent{{"bob"}});
    EXPECT_EQ(story.refusal(), Refusal::AgentNotRegistered);
}

TEST(Registry, AReturningConnectionTakesOverItsName) {
    Story story;
    story.agent("bob");
    const auto first = story.connect("bob", 4);
    story.send({.id = "m1"}).send({.id = "m2"});
    const auto second = story.connect("bob", 4);
    EXPECT_NE(first, second);
    ASSERT_EQ(story.asked_for<CloseInstance>().size(), 1U);
    EXPECT_EQ(story.asked_for<CloseInstance>()[0].instance, first);
    ASSERT_EQ(story.delivered(), (Ids{"m1", "m2"})) << "and gets what the old one held, in order";
    EXPECT_EQ(story.asked_for<Deliver>()[0].instance, second);
    EXPECT_EQ(story.asked_for<Deliver>()[0].delivery.attempt, 2U);
}

TEST(Registry, TwoNamesAreTwoInstances) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1, "one");
    story.connect("bob", 1, "two");
    EXPECT_EQ(find_agent(story.state(), {"bob"})->instances.size(), 2U);
}

TEST(Registry, C14_TheLeastBusyInstanceTakesTheNextMessage) {
    Story story;
    story.agent("bob");
    const auto one = story.connect("bob", 10, "one");
    const auto two = story.connect("bob", 10, "two");
    for (int i = 0; i < 6; ++i) story.send({.id = "m" + std::to_string(i)});
    const auto in_flight = [&](InstanceNumber number) {
        return broker::find_consumer(story.state().broker, number)->in_flight;
    };
    EXPECT_EQ(in_flight(one), 3U);
    EXPECT_EQ(in_flight(two), 3U);
}

TEST(Registry, C14_AFullInstanceIsPassedOver) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1, "one");
    const auto two = story.connect("bob", 3, "two");
    for (int i = 0; i < 5; ++i) story.send({.id = "m" + std::to_string(i)});
    EXPECT_EQ(broker::find_consumer(story.state().broker, two)->in_flight, 3U);
    EXPECT_EQ(story.mailbox("bob").waiting, 1U);
}

TEST(Registry, T16_ASilentInstanceIsRemovedAtTheTimeoutAndNotBefore) {
    Story story;
    story.limits().lease = 1h;
    story.agent("bob");
    const auto one = story.connect("bob", 1);
    const auto joined = story.now();
    story.send({.id = "m1"});
    story.at(joined + 30s - 1ms).tick();
    EXPECT_TRUE(story.events().empty());
    EXPECT_EQ(story.next_due(), joined + 30s);
    story.at(joined + 30s).tick();
    ASSERT_EQ(story.happened<InstanceLeft>().size(), 1U);
    EXPECT_EQ(story.happened<InstanceLeft>()[0].instance, one);
    EXPECT_EQ(story.happened<DeliveryReturned>().at(0).failure, DeliveryFailure::InstanceLost);
    EXPECT_EQ(story.mailbox("bob").waiting, 1U) << "it waits for bob";
}

TEST(Registry, T16_UnfinishedWorkOfASilentInstanceGoesToTheNextInstance) {
    Story story;
    story.limits().lease = 1h;
    story.agent("bob");
    story.connect("bob", 10, "one");
    story.send({.id = "m1"}).send({.id = "m2"}).send({.id = "m3"});
    story.later(20s);
    const auto two = story.connect("bob", 10, "two");
    story.later(10s).tick();
    EXPECT_EQ(story.delivered(), (Ids{"m1", "m2", "m3"}));
    for (const auto& deliver : story.asked_for<Deliver>()) EXPECT_EQ(deliver.instance, two);
}

TEST(Registry, AHeartbeatKeepsAnInstanceAlive) {
    Story story;
    story.agent("bob");
    const auto one = story.connect("bob", 1);
    story.later(29s).ask(Heartbeat{one});
    story.later(29s).tick();
    EXPECT_TRUE(story.happened<InstanceLeft>().empty());
    story.later(1s).tick();
    EXPECT_EQ(story.happened<InstanceLeft>().size(), 1U);
}

TEST(Registry, T16_SignsOfLifeAreNotRecorded) {
    Story story;
    story.agent("bob").agent("ann");
    const auto one = story.connect("bob", 1);
    const auto poller = story.poll("ann");
    const auto before = story.state().sequence;
    for (int i = 0; i < 60; ++i) {
        story.later(10s).ask(Heartbeat{one});
        story.ask(TakeMessages{poller, 1});
        story.ask(JoinInstance{
            .agent = {"ann"}, .name = "poller", .kind = InstanceKind::Poll, .is_heartbeat = true});
    }
    EXPECT_EQ(story.state().sequence, before);
    story.ask(Heartbeat{{999}});
    EXPECT_TRUE(story.events().empty()) << "of nobody";
    story.later(30s - 1ms).tick();
    EXPECT_TRUE(story.events().empty());
    story.later(1ms).tick();
    EXPECT_EQ(story.happened<InstanceLeft>().size(), 2U) << "both are silent at last";
}

TEST(Registry, T16_AHeartbeatByAnotherCallerIsNoSignOfLife) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.later(20s).as("mallory").ask(TakeMessages{poller, 1});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
    story.ask(JoinInstance{
        .agent = {"bob"}, .name = "poller", .kind = InstanceKind::Poll, .is_heartbeat = true});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
    story.later(10s).as_the_hub().tick();
    EXPECT_EQ(story.happened<InstanceLeft>().size(), 1U);
}

TEST(Registry, T16_AHeartbeatOfARemovedPollerJoinsAgain) {
    Story story;
    story.agent("bob");
    story.poll("bob");
    story.later(30s).tick();
    ASSERT_EQ(story.happened<InstanceLeft>().size(), 1U);
    story.ask(JoinInstance{
        .agent = {"bob"}, .name = "poller", .kind = InstanceKind::Poll, .is_heartbeat = true});
    EXPECT_EQ(story.happened<InstanceJoined>().size(), 1U);
}

TEST(Registry, T16_APollerHasTheWholeTimeoutAfterARestart) {
    Story story;
    story.agent("bob");
    story.poll("bob");
    story.later(1h).restart();
    story.later(30s - 1ms).tick();
    EXPECT_TRUE(story.happened<InstanceLeft>().empty());
    story.later(1ms).tick();
    EXPECT_EQ(story.happened<InstanceLeft>().size(), 1U);
}

TEST(Registry, AnEndpointIsNeverSilent) {
    Story story;
    story.agent("bob");
    story.ask(JoinInstance{{"bob"}, "endpoint", InstanceKind::Push, 1});
    story.later(24h).tick();
    EXPECT_TRUE(story.events().empty());
    EXPECT_EQ(story.next_due(), Time::max());
}

/// An agent with an endpoint, and one message waiting for it.
struct Endpoint {
    Story story;

    Endpoint() {
        story.agent("bob");
        story.ask(JoinInstance{{"bob"}, "endpoint", InstanceKind::Push, 1});
        story.send({.id = "m1"});
    }
    bool is_there() { return find_agent(story.state(), {"bob"})->is_there; }
    void miss() {
        story.ask(NackDelivery{
            .delivery = story.last_delivery(), .reason = "nobody listens", .is_unheard = true});
    }
    void retry() { story.at(story.retry_at()).tick(); }
    /// The endpoint is not reached for as long as other instances may be silent.
    void miss_for_long() {
        const auto first = story.now();
        for (miss(); story.now() - first < 30s; miss()) {
            EXPECT_TRUE(is_there()) << "after " << (story.now() - first).count() << " ms";
            retry();
        }
    }
};

TEST(Registry, T16_AnUnreachedEndpointIsOfflineUntilItAnswers) {
    Endpoint bob;
    bob.miss_for_long();
    EXPECT_FALSE(bob.is_there());
    EXPECT_EQ(bob.story.mailbox("bob").waiting, 1U) << "it waits for bob";
    EXPECT_TRUE(bob.story.happened<InstanceSeen>().empty()) << "to be missed is no sign of life";
    bob.retry();
    EXPECT_EQ(bob.story.delivered(), Ids{"m1"}) << "it is tried all the same";
    bob.story.ack(bob.story.last_delivery());
    EXPECT_EQ(bob.story.happened<InstanceSeen>().size(), 1U);
    bob.story.send({.id = "m2"});
    EXPECT_TRUE(bob.is_there());
}

TEST(Registry, T16_AnEndpointThatConnectsButNeverRespondsIsMissedToo) {
    Endpoint bob;
    const auto unanswered = [&] {
        bob.story.ask(NackDelivery{.delivery = bob.story.last_delivery(), .is_unanswered = true});
    };
    unanswered();
    EXPECT_EQ(bob.story.happened<DeliveryReturned>().at(0).failure, DeliveryFailure::Nacked)
        << "it had its try";
    bob.retry();
    bob.story.later(30s);
    unanswered();
    EXPECT_FALSE(bob.is_there());
    bob.retry();
    bob.story.nack(bob.story.last_delivery());
    EXPECT_TRUE(bob.is_there()) << "who answers, be it with an error, is there";
}

TEST(Registry, T16_AnIdleEndpointIsPresumedPresent) {
    Endpoint bob;
    bob.miss_for_long();
    bob.retry();
    ASSERT_FALSE(bob.is_there());
    bob.story.ask(
        NackDelivery{.delivery = bob.story.last_delivery(), .is_final = true, .is_unheard = true});
    EXPECT_EQ(bob.story.mailbox("bob").waiting, 0U);
    EXPECT_TRUE(bob.is_there()) << "nobody knows better, and it is asked again";
    bob.story.send({.id = "m2"});
    bob.miss();
    EXPECT_FALSE(bob.is_there()) << "nothing has been heard of it since";
}

TEST(Registry, T16_UnretriedDeliveriesCountAsMissesOfAnEndpoint) {
    Endpoint last;
    last.story.ask(
        NackDelivery{.delivery = last.story.last_delivery(), .is_final = true, .is_unheard = true});
    ASSERT_EQ(last.story.happened<MessageDeadLettered>().size(), 1U);
    EXPECT_TRUE(last.story.happened<MessageDeadLettered>()[0].is_unanswered);
    last.story.later(30s).send({.id = "m2"});
    last.miss();
    EXPECT_FALSE(last.is_there()) << "nothing has come back since m1";

    Endpoint once;
    once.story.ack(once.story.last_delivery());
    for (const auto* id : {"m2", "m3"}) {
        once.story.later(30s).send({.id = id}, Priority::Normal);
        once.miss();
        ASSERT_EQ(once.story.happened<MessageDropped>().size(), 1U);
        EXPECT_TRUE(once.story.happened<MessageDropped>()[0].is_unanswered);
    }
    once.story.send({.id = "m4"});
    EXPECT_FALSE(once.is_there()) << "nothing has come back since m2";
}

TEST(Registry, T16_X5_PresentAgentsAreInvitedBeforeAbsentOnes) {
    Endpoint bob;
    bob.miss_for_long();
    ASSERT_FALSE(bob.is_there());
    auto& story = bob.story;
    for (const auto* agent : {"bob", "carol"}) {
        story.ask(RegisterAgent{{agent}, {.capabilities = R"([{"code":"SORT"}])"}});
    }
    story.connect("carol", 10);
    story.send({.id = "n1", .to = "carol"}).send({.id = "n2", .to = "carol"});
    story.as_operator().ask(
        ChangePolicy{.settings = print_policy({{{Rule::FanoutMax, {}}, 1}}), .reason = "test"});
    story.as_the_hub().request({.id = "q", .to = "call:cheapest:SORT"});
    const auto opened = story.happened<CallOpened>();
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened[0].agents, Ids{"carol"}) << "who has more to do, but is there";
}

TEST(Registry, T16_AMessageThatAnEndpointMissedGoesToTheNextInstance) {
    Endpoint bob;
    bob.miss();
    const auto retry_at = bob.story.retry_at();
    const auto socket = bob.story.connect("bob", 10);
    bob.story.at(retry_at).tick();
    ASSERT_EQ(bob.story.delivered(), Ids{"m1"});
    EXPECT_EQ(bob.story.asked_for<Deliver>().at(0).instance, socket);
    bob.story.send({.id = "m2"});
    EXPECT_EQ(bob.story.asked_for<Deliver>().at(0).instance, socket) << "busy, but there";
}

TEST(Registry, LeavingReturnsEveryLeaseInOrder) {
    Story story;
    story.agent("bob");
    const auto one = story.connect("bob", 10);
    story.send({.id = "m1"}).send({.id = "m2"}).send({.id = "m3"}, Priority::Normal);
    story.ask(LeaveInstance{one, "bye"});
    EXPECT_EQ(story.happened<DeliveryReturned>().size(), 2U);
    EXPECT_EQ(story.happened<MessageDropped>().size(), 1U) << "normal is tried once";
    EXPECT_EQ(story.mailbox("bob").in_flight, 0U);
    story.connect("bob", 10);
    EXPECT_EQ(story.delivered(), (Ids{"m1", "m2"}));
    story.ask(LeaveInstance{one, "bye"});
    EXPECT_TRUE(story.events().empty()) << "a second goodbye is nothing";
}

TEST(Registry, ARestartLosesSocketsAndKeepsPollersWithTheirLeases) {
    Story story;
    story.agent("bob").agent("carol");
    story.connect("bob", 1);
    story.send({.id = "m1"});
    const auto poller = story.poll("carol");
    story.send({.id = "m2", .to = "carol"});
    story.ask(TakeMessages{poller, 1});
    const auto held = story.last_delivery();

    story.restart();
    EXPECT_EQ(story.happened<HubFounded>().size(), 0U) << "a hub keeps its own id and key";
    EXPECT_EQ(story.state().hub_id, "hub-1");
    EXPECT_EQ(story.happened<InstanceLeft>().size(), 1U);
    EXPECT_EQ(story.mailbox("bob").waiting, 1U);
    story.ack(held);
    EXPECT_EQ(story.happened<DeliveryAcknowledged>().size(), 1U);
}

TEST(Registry, AReturningPollerIsTheSameInstance) {
    Story story;
    story.agent("bob");
    const auto first = story.poll("bob");
    EXPECT_EQ(story.poll("bob"), first);
    EXPECT_EQ(find_agent(story.state(), {"bob"})->instances.size(), 1U);
}

TEST(Registry, ASocketTakesAPollersNameOver) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob", "one");
    const auto socket = story.connect("bob", 1, "one");
    EXPECT_NE(poller, socket);
    EXPECT_EQ(story.asked_for<CloseInstance>().at(0).instance, poller);
}

TEST(Registry, CreditIsATotalAndReleasesWaitingMessages) {
    Story story;
    story.agent("bob");
    const auto one = story.connect("bob", 0);
    story.send({.id = "m1"}).send({.id = "m2"}).send({.id = "m3"});
    EXPECT_EQ(story.mailbox("bob").waiting, 3U);
    story.ask(GrantCredit{one, 2});
    EXPECT_EQ(story.delivered(), (Ids{"m1", "m2"}));
    story.ask(GrantCredit{one, 2});
    EXPECT_TRUE(story.delivered().empty());
    story.ask(GrantCredit{{999}, 1});
    EXPECT_EQ(story.refusal(), Refusal::InstanceUnknown);
}

TEST(Registry, APollerNeedsNoCredit) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.send({.id = "m1"});
    story.ask(GrantCredit{poller, 5});
    EXPECT_NE(story.refusal(), Refusal::None);
    EXPECT_TRUE(story.delivered().empty());
}

TEST(Registry, APollerTakesWaitingMessagesAndIsStirredByNewOnes) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.send({.id = "m1"});
    ASSERT_EQ(story.asked_for<StirMailbox>().size(), 1U);
    EXPECT_EQ(story.asked_for<StirMailbox>()[0].agent.value, "bob");
    story.send({.id = "m2"}).ask(TakeMessages{poller, 1});
    EXPECT_EQ(story.delivered(), Ids{"m1"});
    EXPECT_EQ(story.asked_for<Deliver>()[0].reply_target, ReplyTarget{77});
    story.ask(TakeMessages{poller, 10});
    EXPECT_EQ(story.delivered(), Ids{"m2"});
}

TEST(Registry, APollerIsStirredWhenTheNextMessageOfATaskBecomesReady) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.send({.id = "m1", .task = "t"}).send({.id = "m2", .task = "t"});
    story.ask(TakeMessages{poller, 10});
    EXPECT_EQ(story.delivered(), Ids{"m1"});
    story.ack(story.last_delivery());
    EXPECT_EQ(story.asked_for<StirMailbox>().size(), 1U);
}

TEST(Registry, TakingSkipsExpiredMessages) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.send_for(5s, {.id = "m1"}).send({.id = "m2"});
    story.later(5s).ask(TakeMessages{poller, 1});
    EXPECT_EQ(story.delivered(), Ids{"m2"});
    EXPECT_EQ(story.happened<MessageExpired>().size(), 1U);
}

TEST(Registry, TakingForAnUnknownOrForeignInstanceIsRefused) {
    Story story;
    story.agent("bob");
    story.ask(TakeMessages{{5}, 1});
    EXPECT_EQ(story.refusal(), Refusal::InstanceUnknown);
    const auto poller = story.poll("bob");
    story.send({.id = "m1"});
    story.as("mallory").ask(TakeMessages{poller, 1});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
    EXPECT_EQ(story.asked_for<TellRefused>().at(0).detail,
              "'mallory' cannot take what waits for another agent");
    EXPECT_TRUE(story.delivered().empty());
}

TEST(Registry, OnlyTheFirstStartFoundsTheHub) {
    Story story;
    EXPECT_EQ(story.happened<HubFounded>().size(), 1U);
    EXPECT_EQ(story.happened<HubStarted>().size(), 1U);
    EXPECT_EQ(story.state().key, (HashKey{1, 2}));
}

/// An agent registered by an operator with these tools, and the tools it may use.
class Tools : public ::testing::Test {
  protected:
    void as_operator(std::vector<std::string> tools, bool says_tools = true) {
        story.as_operator().ask(RegisterAgent{{"a"}, with(std::move(tools)), says_tools});
    }
    Refusal as_itself(std::vector<std::string> tools) {
        story.as("a").ask(RegisterAgent{{"a"}, with(std::move(tools)), true});
        return story.refusal();
    }
    static Profile with(std::vector<std::string> tools) {
        return {.tools_allowed = std::move(tools)};
    }
    std::vector<std::string> allowed() {
        const auto& registry = story.state().registry;
        return registry.agents[registry::find_agent(registry, "a")].profile.tools_allowed;
    }
    Story story;
};

TEST_F(Tools, X14_I4_AnAgentKeepsOrNarrowsTheToolsAnOperatorAllowed) {
    as_operator({"read", "write"});
    EXPECT_EQ(as_itself({"read", "write"}), Refusal::None);
    EXPECT_EQ(as_itself({"read", "pay"}), Refusal::ToolNotAllowed);
    EXPECT_EQ(allowed(), (std::vector<std::string>{"read", "write"})) << "and nothing is changed";
    EXPECT_EQ(as_itself({"Read"}), Refusal::ToolNotAllowed) << "by its exact name";
    EXPECT_EQ(as_itself({"read"}), Refusal::None);
    EXPECT_EQ(as_itself({"read", "write"}), Refusal::None) << "within what the operator allowed";
    EXPECT_EQ(as_itself({}), Refusal::None);
}

TEST_F(Tools, X14_I4_AnOperatorMayAllowNoToolsAtAll) {
    as_operator({});
    EXPECT_EQ(as_itself({"read"}), Refusal::ToolNotAllowed);
    as_operator({"read"});
    EXPECT_EQ(as_itself({"read"}), Refusal::None);
}

TEST_F(Tools, X14_AnOperatorWhoNamesNoToolsLeavesToolsToTheAgent) {
    as_operator({}, false);
    EXPECT_EQ(as_itself({"read"}), Refusal::None);
    as_operator({"read"});
    as_operator({}, false);
    EXPECT_EQ(as_itself({"write"}), Refusal::ToolNotAllowed) << "what was said holds";
}

TEST_F(Tools, X14_I4_NeitherARemovalNorARestartWidensTheTools) {
    as_operator({"read"});
    story.as("a").ask(RemoveAgent{{"a"}});
    ASSERT_EQ(story.happened<AgentRemoved>().size(), 1U);
    EXPECT_EQ(as_itself({"pay"}), Refusal::ToolNotAllowed);
    story.as_the_hub().restart();
    EXPECT_EQ(as_itself({"pay"}), Refusal::ToolNotAllowed);
    EXPECT_EQ(as_itself({"read"}), Refusal::None);
}

}  // namespace
}  // namespace parlance::core
