// Policy, breakers, rates, the fleet's stop, cancellation and tools, as an operator or agent sees
// them: T14, K21, G5, X14, X21.
#include <gtest/gtest.h>

#include "base/uuid.h"
#include "core/admission.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

class Governor : public ::testing::Test {
  protected:
    Governor() {
        story.ask(RegisterAgent{{"alice"}, {}});
        story.ask(RegisterAgent{{"bob"}, {.domain = "sums", .tools_allowed = {"ocr"}}});
        story.ask(RegisterAgent{{"carol"}, {.domain = "sums"}});
    }
    void allow(Settings settings) {
        story.as_operator().ask(ChangePolicy{.settings = print_policy(settings)});
        ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
        story.as_the_hub();
    }
    /// Requests that bob takes before all waiting messages, and does not answer in time.
    void fail(int count, int first = 0, Duration time = Duration{1'000}) {
        for (int i = first; i < first + count; ++i) {
            const auto idler = story.poll("bob", "idler");
            story.request({.id = "f-" + std::to_string(i)}, true, Priority::Critical, time);
            ASSERT_EQ(story.refusal(), Refusal::None) << i;
            story.ask(TakeMessages{idler, 1});
            story.later(time).tick();
            ASSERT_GE(story.happened<RequestFailed>().size(), 1U);
        }
    }
    /// True if any failure counts against bob.
    bool has_failed() {
        return story.state().governor.breakers.contains(
            registry::find_agent(story.state().registry, "bob"));
    }
    /// Requests that bob answers with this kind.
    void answer(int count, AnswerKind kind, int first = 0) {
        for (int i = first; i < first + count; ++i) {
            const auto id = std::to_string(i);
            story.request({.id = "a-" + id}, true);
            ASSERT_EQ(story.refusal(), Refusal::None) << i;
            story.ask(ReplyToDelivery{
                .delivery = story.last_delivery(),
                .envelope = envelope(
                    {.id = "re-" + id, .from = "bob", .to = "alice", .intent = Intent::Reply}),
                .falls_short = kind != AnswerKind::Done,
                .kind = kind});
        }
    }
    std::string why() {
        const auto refused = story.asked_for<TellRefused>();
        return refused.empty() ? "" : refused.back().detail;
    }
    std::uint64_t wait() {
        const auto refused = story.asked_for<TellRefused>();
        return refused.empty() ? 0 : refused.back().retry_after_ms;
    }
    std::string explained() {
        const auto message = envelope({.id = "asked", .intent = Intent::Request});
        std::string out;
        for (const auto& finding :
             explain(story.state(), {.now = story.now()}, {.envelope = message}).findings) {
            out += finding.guard;
            out += finding.refusal == Refusal::None ? " " : "! ";
        }
        return out;
    }
    Story story;
};

// --- policy ----------------------------------------------------------------------------------

TEST_F(Governor, T14_APolicyActsOnTheNextCommandAndIsRecorded) {
    story.as_operator().ask(
        ChangePolicy{.settings = "hub messages_per_minute 1\n", .reason = "calm"});
    const auto changed = story.happened<PolicyChanged>();
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_EQ(changed[0].version, 1U);
    EXPECT_EQ(changed[0].by, "olga");
    EXPECT_EQ(changed[0].reason, "calm");
    story.as_the_hub().send({.id = "m-1"});
    EXPECT_EQ(story.refusal(), Refusal::None);
    story.send({.id = "m-2"});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    EXPECT_EQ(wait(), 60'000U);
    story.later(Duration{12'500}).send({.id = "m-2"});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    EXPECT_EQ(wait(), 47'500U) << "when the minute is over";
    EXPECT_NE(why().find("the next is taken in 47500 ms"), std::string::npos) << why();
    story.send({.id = "m-3", .from = "carol"});
    EXPECT_EQ(story.refusal(), Refusal::None) << "each has its own minute (G6)";
    story.later(Duration{47'500}).send({.id = "m-4"});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST_F(Governor, T14_NoSixtySecondsExceedTheMessageLimit) {
    allow({{{Rule::MessagesPerMinute, {}}, 5}});
    int number = 0;
    const auto taken = [&](int count) {
        int accepted = 0;
        for (int i = 0; i < count; ++i) {
            story.send({.id = "m-" + std::to_string(++number)});
            accepted += story.refusal() == Refusal::None ? 1 : 0;
        }
        return accepted;
    };
    EXPECT_EQ(taken(1), 1);
    story.later(Duration{58'500});
    EXPECT_EQ(taken(5), 4) << "with the one before there are five";
    EXPECT_EQ(wait(), 1'500U) << "when the first is a minute old";
    story.later(Duration{1'499});
    EXPECT_EQ(taken(1), 0);
    story.later(Duration{1});
    EXPECT_EQ(taken(2), 1) << "one has left the minute";
    EXPECT_EQ(wait(), 58'500U);
    story.later(Duration{58'500});
    EXPECT_EQ(taken(6), 4) << "the four of then have left it, and the one of then has not";
    EXPECT_EQ(wait(), 1'500U);
}

TEST_F(Governor, T14_G7_ABusySendersMinuteIsKeptInBoundedSteps) {
    allow({{{Rule::MessagesPerMinute, {}}, 1'000}});
    story.replayed_every(100);
    // One message every 100 ms is 600 a minute.
    for (int i = 0; i < 1'300; ++i) {
        story.send({.id = "m-" + std::to_string(i)});
        ASSERT_EQ(story.refusal(), Refusal::None) << i;
        story.later(Duration{100});
    }
    const auto& rates = story.state().governor.rates;
    ASSERT_EQ(rates.by_name.size(), 1U);
    const auto& [name, rate] = *rates.by_name.begin();
    EXPECT_LE(rate.steps.size(), 64U + 61U);
    const auto count = governor::count_at(rates, name, story.now());
    EXPECT_GE(count, 599U) << "none that is younger than a minute is forgotten";
    EXPECT_LE(count, 610U) << "and none counts for more than a second longer";
}

TEST_F(Governor, T14_AnUnnamedOrderIsRecordedWithDefaultOperatorAndReason) {
    story.as_caller({}).ask(ChangePolicy{});
    ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
    EXPECT_EQ(story.happened<PolicyChanged>()[0].by, "dev");
    EXPECT_EQ(story.happened<PolicyChanged>()[0].reason, "(none given)");
    story.ask(StopFleet{});
    ASSERT_EQ(story.happened<FleetStopped>().size(), 1U);
    EXPECT_EQ(story.happened<FleetStopped>()[0].by, "dev");
    EXPECT_EQ(story.happened<FleetStopped>()[0].reason, "(none given)");
    story.ask(ResumeFleet{});
    ASSERT_EQ(story.happened<FleetResumed>().size(), 1U);
    EXPECT_EQ(story.happened<FleetResumed>()[0].by, "dev");
    EXPECT_EQ(story.happened<FleetResumed>()[0].reason, "(none given)");
}

TEST_F(Governor, AStopIsKeptWithItsTimeOperatorAndReason) {
    story.as_operator().ask(StopFleet{.reason = "drill"});
    const auto at = story.now();
    story.later(Duration{5'000}).ask(StopFleet{.reason = "again"});
    story.restart();
    const auto& stop = story.state().governor.stop;
    EXPECT_EQ(stop.by, "olga");
    EXPECT_EQ(stop.reason, "drill") << "it was stopped then";
    EXPECT_EQ(stop.at, at);
    story.ask(ResumeFleet{.reason = "done"});
    EXPECT_EQ(stop.by, "");
    EXPECT_EQ(stop.at, Time{});
}

TEST_F(Governor, T14_ExplainReportsTheMessageLimit) {
    allow({{{Rule::MessagesPerMinute, {}}, 1}});
    EXPECT_EQ(explained(),
              "identity id fleet messages recipient mailbox room allocation tree chain circuit ");
    story.send({.id = "m-1"});
    EXPECT_EQ(explained(), "identity id fleet messages! ");
}

TEST_F(Governor, T14_AnInvalidPolicyIsRefusedAndChangesNothing) {
    for (const auto* bad : {"hub depth_max 0\n",
                            "hub depth_max 65\n",
                            "hub depth_max two\n",
                            "hub no_such_rule 1\n",
                            "planet mars depth_max 1\n",
                            "capability READ chain_enabled 0\n",
                            "hub depth_max 3\nhub fanout_max\n"}) {
        story.as_operator().ask(ChangePolicy{.settings = bad});
        EXPECT_EQ(story.refusal(), Refusal::PolicyInvalid) << bad;
        EXPECT_TRUE(story.state().governor.policy.settings.empty());
    }
}

TEST_F(Governor, T14_ARuleInAScopeWithoutEffectIsRefusedWithItsScopes) {
    const std::vector<std::pair<std::string, std::string>> misplaced{
        {"capability READ chain_enabled 0\n",
         "capability READ: chain_enabled would do nothing there; it belongs to hub, platform, "
         "agent "
         "or chain"},
        {"user u-1 chain_enabled 0\n", "user u-1: chain_enabled would do nothing there"},
        {"chain a>b depth_max 2\n", "it belongs to hub, platform, agent, capability or user"},
        {"agent bob tokens_in_total 9\n", "it belongs to hub"},
        {"user u-1 breaker_failures 1\n", "it belongs to hub, platform or agent"},
        {"capability READ tokens_per_user 9\n", "it belongs to hub or user"},
        {"agent bob budget_window_ms 5000\n", "budget_window_ms would do nothing there"},
    };
    for (const auto& [settings, words] : misplaced) {
        story.as_operator().ask(ChangePolicy{.settings = settings});
        EXPECT_EQ(story.refusal(), Refusal::PolicyInvalid) << settings;
        EXPECT_NE(why().find(words), std::string::npos) << why();
        EXPECT_TRUE(story.state().governor.policy.settings.empty());
    }
}

TEST_F(Governor, T14_ARuleInAScopeWithoutEffectIsReadFromAnOlderJournal) {
    State state;
    apply(state,
          story.now(),
          PolicyChanged{.version = 1,
                        .settings = "capability READ chain_enabled 0\nhub depth_max 3\n"});
    EXPECT_EQ(limit_of(state.governor.policy, Rule::DepthMax), 3);
}

TEST_F(Governor, T14_ChainsCanBeClosedForAllAndOpenedForSome) {
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "*>*"}}, 0},
           {{Rule::ChainEnabled, {ScopeKind::Chain, "alice>carol"}}, 1}});
    story.request({.id = "q-1"}, true);
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    story.request({.id = "q-2", .to = "carol"}, true);
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST_F(Governor, T13_AChangeToAnOldVersionIsRefused) {
    story.as_operator().ask(ChangePolicy{.settings = "hub depth_max 3\n", .version = 0});
    ASSERT_EQ(story.refusal(), Refusal::None);
    story.ask(ChangePolicy{.settings = "hub depth_max 4\n", .version = 0});
    EXPECT_EQ(story.refusal(), Refusal::StateVersionStale);
    EXPECT_NE(why().find("version 1"), std::string::npos) << why();
}

TEST_F(Governor, T14_AnAgentChangesNoPolicyAndStopsNoFleet) {
    story.as("bob").ask(ChangePolicy{.settings = ""});
    EXPECT_EQ(story.refusal(), Refusal::IdentityRoleForbidden);
    story.ask(StopFleet{});
    EXPECT_EQ(story.refusal(), Refusal::IdentityRoleForbidden);
    story.ask(ResumeFleet{});
    EXPECT_EQ(story.refusal(), Refusal::IdentityRoleForbidden);
}

TEST_F(Governor, TheMostSpecificSettingApplies) {
    const Policy policy{.settings = {{{Rule::FanoutMax, {}}, 4},
                                     {{Rule::FanoutMax, {ScopeKind::Platform, "kessel"}}, 5},
                                     {{Rule::FanoutMax, {ScopeKind::Agent, "bob"}}, 6},
                                     {{Rule::FanoutMax, {ScopeKind::User, "u"}}, 7}}};
    const auto value = [&](const Subject& subject) {
        return limit_of(policy, Rule::FanoutMax, subject);
    };
    EXPECT_EQ(value({}), 4);
    EXPECT_EQ(value({.platform = "kessel"}), 5);
    EXPECT_EQ(value({.platform = "kessel", .agent = "bob"}), 6);
    EXPECT_EQ(value({.platform = "kessel", .agent = "bob", .user = "u"}), 7);
    EXPECT_EQ(value({.platform = "sam", .agent = "al"}), 4);
    EXPECT_EQ(limit_of(policy, Rule::DepthMax, {.agent = "bob"}), 8) << "not set: the default";
}

// --- breakers --------------------------------------------------------------------------------

TEST_F(Governor, K21_G5_ABreakerOpensAtItsLimitAndNotBefore) {
    fail(4);
    EXPECT_TRUE(story.happened<BreakerOpened>().empty());
    fail(1, 4);
    const auto opened = story.happened<BreakerOpened>();
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened[0].agent.value, "bob");
    EXPECT_EQ(opened[0].until, story.now() + Duration{30'000});
    story.connect("carol", 1);
    story.request({.id = "r-1"}, true);
    EXPECT_EQ(story.refusal(), Refusal::AgentCircuitOpen);
    EXPECT_NE(why().find("Ask 'carol' instead"), std::string::npos) << why();
    EXPECT_EQ(wait(), 30'000U);
    story.request({.id = "r-2", .to = "carol"}, true);
    EXPECT_EQ(story.refusal(), Refusal::None) << "another agent's queue is open (K22, G6)";
}

TEST_F(Governor, K21_FailuresOutsideOfTheWindowDoNotCount) {
    fail(4);
    story.later(Duration{60'000});
    fail(4, 4);
    EXPECT_EQ(governor::stage_of(story.state().governor.breakers,
                                 registry::find_agent(story.state().registry, "bob")),
              governor::BreakerStage::Closed);
}

TEST_F(Governor, K21_AnAnswerResetsTheFailureCount) {
    story.connect("bob", 10);
    fail(4);
    story.request({.id = "good"}, true);
    story.ask(ReplyToDelivery{
        story.last_delivery(),
        envelope({.id = "yes", .from = "bob", .to = "alice", .intent = Intent::Reply})});
    fail(4, 4);
    EXPECT_TRUE(story.happened<BreakerOpened>().empty());
    fail(1, 8);
    EXPECT_EQ(story.happened<BreakerOpened>().size(), 1U);
}

TEST_F(Governor, K21_G5_FailedAnswersOpenTheBreaker) {
    story.connect("bob", 10);
    answer(4, AnswerKind::Failed);
    EXPECT_TRUE(story.happened<BreakerOpened>().empty());
    answer(1, AnswerKind::Failed, 4);
    const auto opened = story.happened<BreakerOpened>();
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened[0].failures, 5U);
    story.request({.id = "one-more"}, true);
    EXPECT_EQ(story.refusal(), Refusal::AgentCircuitOpen);
    story.later(Duration{30'000}).connect("bob", 10, "two");
    answer(1, AnswerKind::Failed, 5);
    EXPECT_EQ(story.happened<BreakerOpened>().size(), 1U) << "the probe has failed";
}

TEST_F(Governor, K21_G5_DeclinedRequestsNeitherCountNorResetTheCount) {
    story.connect("bob", 10);
    answer(20, AnswerKind::Declined);
    EXPECT_TRUE(story.state().governor.breakers.empty());
    answer(4, AnswerKind::Failed, 20);
    answer(1, AnswerKind::Declined, 24);
    answer(1, AnswerKind::Failed, 25);
    EXPECT_EQ(story.happened<BreakerOpened>().size(), 1U) << "five, with a no in between";
}

TEST_F(Governor, K21_TimeoutsAndFailedAnswersAreCountedTogether) {
    story.connect("bob", 10);
    fail(2);
    answer(3, AnswerKind::Failed);
    EXPECT_EQ(story.happened<BreakerOpened>().size(), 1U);
}

TEST_F(Governor, G5_AnOpenBreakerStopsDeliveriesAndFailsWaitingRequests) {
    story.send({.id = "news"});  // Not a request, so it stays in the mailbox.
    const auto waiting = story.request({.id = "waiting"}, true, Priority::High, Duration{600'000});
    fail(5);
    bool is_answered = false;
    for (const auto& failed : story.happened<RequestFailed>()) {
        is_answered |= failed.request == waiting && failed.refusal == Refusal::AgentCircuitOpen;
    }
    EXPECT_TRUE(is_answered) << "a degraded answer at once";
    story.connect("bob", 10);
    EXPECT_TRUE(story.delivered().empty());
    story.later(Duration{29'999}).connect("bob", 10, "two");
    EXPECT_TRUE(story.delivered().empty());
    story.later(Duration{1}).tick();
    EXPECT_EQ(story.happened<BreakerProbed>().size(), 1U);
    EXPECT_EQ(story.delivered(), Ids{"news"});
}

TEST_F(Governor, G5_OneProbeIsDeliveredAndDecides) {
    fail(5);
    story.later(Duration{30'000}).connect("bob", 10);
    story.request({.id = "probe-1"}, true, Priority::High, Duration{1'000});
    EXPECT_EQ(story.delivered(), Ids{"probe-1"});
    story.request({.id = "second"}, true);
    EXPECT_EQ(story.refusal(), Refusal::AgentCircuitOpen) << "one at a time";
    story.later(Duration{1'000}).tick();
    EXPECT_EQ(story.happened<BreakerOpened>().size(), 1U) << "one failure is enough now";
    story.later(Duration{30'000}).connect("bob", 10, "two");
    story.request({.id = "probe-2"}, true);
    story.ask(ReplyToDelivery{
        story.last_delivery(),
        envelope({.id = "yes", .from = "bob", .to = "alice", .intent = Intent::Reply})});
    EXPECT_EQ(story.happened<BreakerClosed>().size(), 1U);
    for (const auto* id : {"a", "b", "c"}) {
        story.request({.id = id}, true);
        EXPECT_EQ(story.refusal(), Refusal::None);
    }
}

TEST_F(Governor, K22_G6_TooShortDeadlinesOpenNoBreaker) {
    const auto kept = story.request({.id = "kept"}, true, Priority::High, Duration{600'000});
    story.connect("bob", 1);
    fail(20, 0, Duration{1});
    fail(20, 20, Duration{999});
    EXPECT_FALSE(has_failed());
    EXPECT_NE(broker::find_request(story.state().requests, kept), nullptr);
    allow({{{Rule::BreakerFairMs, {ScopeKind::Agent, "bob"}}, 5'000}});
    fail(5, 40, Duration{4'999});
    EXPECT_FALSE(has_failed());
    fail(5, 45, Duration{5'000});
    EXPECT_EQ(story.happened<BreakerOpened>().size(), 1U);
}

TEST_F(Governor, K22_G5_UndeliveredRequestsAreNoFailures) {
    for (int i = 0; i < 8; ++i) {
        story.request({.id = "r-" + std::to_string(i)}, true, Priority::High, Duration{5'000});
    }
    story.later(Duration{5'000}).tick();
    EXPECT_EQ(story.happened<RequestFailed>().size(), 8U);
    EXPECT_FALSE(has_failed()) << "who is away is not failing";
}

TEST_F(Governor, G5_TheFairTimeIsMeasuredFromTheDelivery) {
    allow({{{Rule::BreakerFailures, {ScopeKind::Agent, "bob"}}, 1}});
    for (const int wait : {4'001, 4'000}) {
        story.request({.id = std::to_string(wait)}, true, Priority::High, Duration{5'000});
        const auto bob = story.later(Duration{wait}).poll("bob", std::to_string(wait));
        story.ask(TakeMessages{bob, 1});
        ASSERT_EQ(story.delivered().size(), 1U);
        story.later(Duration{5'000 - wait}).tick();
        EXPECT_EQ(story.happened<BreakerOpened>().size(), wait == 4'000 ? 1U : 0U);
    }
}

TEST_F(Governor, G5_AnAcknowledgedButUnansweredRequestIsAFailure) {
    allow({{{Rule::BreakerFailures, {ScopeKind::Agent, "bob"}}, 1}});
    story.connect("bob", 1);
    story.request({.id = "r"}, true, Priority::High, Duration{2'000});
    story.ack(story.last_delivery()).later(Duration{2'000}).tick();
    EXPECT_EQ(story.happened<BreakerOpened>().size(), 1U);
}

TEST_F(Governor, G5_RejectedDeliveriesMoveNoBreaker) {
    story.connect("bob", 10);
    for (int i = 0; i < 20; ++i) {
        story.request({.id = "r-" + std::to_string(i)}, true);
        story.ask(NackDelivery{story.last_delivery(), "no", true});
    }
    EXPECT_TRUE(story.state().governor.breakers.empty());
    allow({{{Rule::BreakerFailures, {ScopeKind::Agent, "bob"}}, 0}});
    fail(20, 100);
    EXPECT_TRUE(story.state().governor.breakers.empty()) << "switched off by policy";
}

TEST_F(Governor, G5_RequestsFailingByOneCauseOpenTheBreakerOnce) {
    const auto bob = story.connect("bob", 10);
    for (int i = 0; i < 8; ++i) {
        story.request({.id = "r-" + std::to_string(i)}, true, Priority::Normal);
    }
    story.ask(LeaveInstance{bob, "bye"});
    EXPECT_EQ(story.happened<RequestFailed>().size(), 8U);
    EXPECT_EQ(story.happened<BreakerOpened>().size(), 1U);
}

TEST_F(Governor, G5_RequestsLostToARestartAreNoFailures) {
    story.connect("bob", 10);
    for (int i = 0; i < 8; ++i) {
        story.request({.id = "r-" + std::to_string(i)}, true, Priority::Normal);
    }
    story.restart();
    EXPECT_EQ(story.happened<RequestFailed>().size(), 8U);
    EXPECT_TRUE(story.happened<BreakerOpened>().empty());
    fail(4);
    EXPECT_TRUE(story.happened<BreakerOpened>().empty());
}

// --- the fleet -------------------------------------------------------------------------------

TEST_F(Governor, AStoppedFleetRefusesNewMessagesAndDeliversNoWork) {
    story.send({.id = "before"});
    story.as_operator().ask(StopFleet{.reason = "drill"});
    EXPECT_EQ(story.happened<FleetStopped>().size(), 1U);
    story.as_the_hub().send({.id = "after"});
    EXPECT_EQ(story.refusal(), Refusal::FleetStopped);
    story.connect("bob", 5);
    EXPECT_TRUE(story.delivered().empty());
    story.restart();
    story.connect("bob", 5, "two");
    EXPECT_TRUE(story.delivered().empty()) << "it outlives the process";
    story.as_operator().ask(ResumeFleet{.reason = "done"});
    EXPECT_EQ(story.delivered(), Ids{"before"});
    story.as_the_hub().send({.id = "after"});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST_F(Governor, AStoppedFleetLetsRunningRequestsFinish) {
    story.connect("bob", 5);
    story.request({.id = "r-1"}, true);
    const auto delivery = story.last_delivery();
    story.as_operator().ask(StopFleet{});
    story.as_the_hub().ask(ReplyToDelivery{
        delivery, envelope({.id = "a", .from = "bob", .to = "alice", .intent = Intent::Reply})});
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
}

TEST_F(Governor, W1_AnswersReachTheirRequestersWhileTheFleetIsStopped) {
    const auto bob = story.poll("bob");
    story.request({.id = "r-1"});
    story.ask(TakeMessages{bob, 1});
    const auto delivery = story.last_delivery();
    story.request({.id = "r-2", .to = "carol"}, false, Priority::High, Duration{1'000});
    story.send({.id = "news", .from = "carol", .to = "alice"}, Priority::Critical);
    story.request({.id = "work", .from = "carol", .to = "alice"});
    story.as_operator().ask(StopFleet{});
    story.as_the_hub();
    const auto alice = story.poll("alice");
    story.ask(TakeMessages{alice, 9});
    EXPECT_TRUE(story.delivered().empty()) << "what waits is new to her";

    story.ask(ReplyToDelivery{
        delivery, envelope({.id = "a", .from = "bob", .to = "alice", .intent = Intent::Reply})});
    EXPECT_EQ(story.asked_for<StirMailbox>().size(), 1U) << "she need not ask again and again";
    story.ask(TakeMessages{alice, 9});
    EXPECT_EQ(story.delivered(), Ids{"a"});
    story.later(Duration{1'000}).tick();
    story.ask(TakeMessages{alice, 9});
    EXPECT_EQ(story.delivered(), Ids{"r-2"}) << "the hub's word that nobody answered";
    EXPECT_EQ(story.asked_for<Deliver>()[0].failure.refusal, Refusal::RequestTimedOut);
    story.ask(TakeMessages{alice, 9});
    EXPECT_TRUE(story.delivered().empty());

    story.as_operator().ask(ResumeFleet{});
    story.as_the_hub().ask(TakeMessages{alice, 9});
    EXPECT_EQ(story.delivered(), (Ids{"news", "work"}));
}

TEST_F(Governor, W1_X21_RequestersHearOfCancelledRequestsWhileTheFleetIsStopped) {
    story.connect("alice", 5);
    story.request({.id = "r-1", .to = "carol"});
    story.as_operator().ask(StopFleet{.reason = "fire", .cancels = true});
    EXPECT_EQ(story.delivered(), Ids{"r-1"});
    ASSERT_EQ(story.asked_for<Deliver>().size(), 1U);
    EXPECT_EQ(story.asked_for<Deliver>()[0].failure.refusal, Refusal::RequestCancelled);
}

TEST_F(Governor, W1_AnAnswerIsNotHeldUpByMessagesThatWaitForTheFleet) {
    const auto bob = story.poll("bob");
    story.request({.id = "r-1", .task = "t"});
    story.ask(TakeMessages{bob, 1});
    const auto delivery = story.last_delivery();
    story.send({.id = "news", .from = "carol", .to = "alice", .task = "t"});
    story.as_operator().ask(StopFleet{});
    story.as_the_hub().ask(ReplyToDelivery{
        delivery,
        envelope({.id = "a", .from = "bob", .to = "alice", .task = "t", .intent = Intent::Reply})});
    story.connect("alice", 5);
    EXPECT_EQ(story.delivered(), Ids{"a"});
    story.as_operator().ask(ResumeFleet{});
    EXPECT_EQ(story.delivered(), Ids{"news"});
}

TEST_F(Governor, W1_D8_AnswersAreDeliveredByPriorityWhileTheFleetIsStopped) {
    const auto bob = story.poll("bob");
    for (const auto priority : {Priority::Normal, Priority::Critical}) {
        const auto id = priority == Priority::Normal ? std::string{"low"} : std::string{"high"};
        story.request({.id = id}, false, priority);
        story.ask(TakeMessages{bob, 1});
        const auto delivery = story.last_delivery();
        if (priority == Priority::Normal) {
            story.send({.id = "news", .from = "carol", .to = "alice"}, Priority::Critical);
        }
        story.ask(ReplyToDelivery{
            delivery,
            envelope({.id = "re-" + id, .from = "bob", .to = "alice", .intent = Intent::Reply})});
    }
    story.as_operator().ask(StopFleet{});
    story.connect("alice", 5);
    EXPECT_EQ(story.delivered(), (Ids{"re-high", "re-low"}));
    story.as_operator().ask(ResumeFleet{});
    EXPECT_EQ(story.delivered(), Ids{"news"});
}

TEST_F(Governor, AFleetCanBeStoppedWithItsRunningRequests) {
    story.connect("bob", 5);
    story.request({.id = "r-1"}, true);
    story.request({.id = "r-2", .to = "carol"}, true);
    story.as_operator().ask(StopFleet{.reason = "fire", .cancels = true});
    EXPECT_EQ(story.happened<RequestFailed>().size(), 2U);
    const auto told = story.asked_for<TellCancelled>();
    ASSERT_EQ(told.size(), 1U) << "only bob has begun";
}

// --- cancellation and tools ------------------------------------------------------------------

TEST_F(Governor, X21_ACancellationReachesEveryOpenDescendant) {
    for (const auto* name : {"bob", "carol"}) story.connect(name, 5);
    story.request({.id = "q-1", .correlation = "w"}, true);
    story.request({.id = "q-2", .from = "bob", .to = "carol", .correlation = "w"}, true);
    story.request({.id = "q-3", .from = "carol", .to = "alice", .correlation = "w"}, true);
    story.request({.id = "other", .correlation = "x"}, true);
    story.as("alice").ask(CancelRequest{"q-1", "the user has left"});
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 3U);
    for (const auto& each : failed) {
        EXPECT_EQ(each.refusal, Refusal::RequestCancelled);
        EXPECT_EQ(each.detail, "the user has left");
    }
    EXPECT_EQ(story.asked_for<TellCancelled>().size(), 2U) << "bob and carol were at work";
    EXPECT_EQ(story.asked_for<TellDone>().size(), 1U);
    EXPECT_EQ(story.state().requests.open.size(), 1U) << "the other workflow goes on";
    story.ask(CancelRequest{"q-1", "again"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationNotFound);
}

TEST_F(Governor, X21_AnIdCancelsAllRequestsOfThatIdOrWorkflowAndNoOther) {
    const auto open = [&] { return story.state().requests.open.size(); };
    story.request({.id = "same", .from = "alice", .correlation = "w"});
    story.request({.id = "same", .from = "carol", .correlation = "v"});
    story.request({.id = "other", .from = "carol", .correlation = "w"});
    story.request({.id = "w", .from = "alice", .correlation = "v"});
    story.as_operator().ask(CancelRequest{"same", "both"}).as_the_hub();
    EXPECT_EQ(story.happened<RequestFailed>().size(), 2U);
    EXPECT_EQ(open(), 2U);
    story.request({.id = "new", .from = "alice", .correlation = "w"});
    story.as("carol").ask(CancelRequest{"w", "of the workflow, only what is mine"}).as_the_hub();
    EXPECT_EQ(story.happened<RequestFailed>().size(), 1U);
    story.as_operator().ask(CancelRequest{"w", "one of this id, one of this workflow"});
    EXPECT_EQ(story.happened<RequestFailed>().size(), 2U);
    EXPECT_EQ(open(), 0U);
    story.ask(CancelRequest{"", "nothing goes by no name"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationNotFound);
}

TEST_F(Governor, X21_ASessionsIdCancelsTheWorkInTheSession) {
    for (const auto* id : {"d-1", "d-2"}) {
        story.ask(SendMessage{
            .envelope = envelope(
                {.id = id, .to = id[2] == '1' ? "bob" : "carol", .intent = Intent::Request}),
            .claim = std::make_shared<Claim>(Claim{.user = "u",
                                                   .session = "s",
                                                   .child_session = std::string{"in "} + id,
                                                   .objective_hash = "o",
                                                   .depth_max = 2,
                                                   .has_session = true})});
        ASSERT_EQ(story.refusal(), Refusal::None);
    }
    story.as_operator().ask(CancelRequest{"in d-2", "this one"});
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(broker::find_request(story.state().requests, failed[0].request), nullptr);
    EXPECT_EQ(story.state().requests.open.size(), 1U);
}

TEST_F(Governor, X21_OnlyTheRequesterOrAnOperatorMayCancel) {
    story.request({.id = "q-1"}, true);
    story.as("bob").ask(CancelRequest{"q-1", "no"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationNotFound) << "as if it were not there";
    story.as_operator().ask(CancelRequest{"q-1", "yes"});
    EXPECT_EQ(story.happened<RequestFailed>().size(), 1U);
}

TEST_F(Governor, X14_AToolIsAllowedByExactName) {
    story.as("bob").ask(AuthorizeTool{{"bob"}, "ocr", ""});
    EXPECT_EQ(story.happened<ToolAuthorized>().size(), 1U);
    for (const auto* tool : {"OCR", "ocr ", "0cr", "shell", ""}) {
        story.ask(AuthorizeTool{{"bob"}, tool, ""});
        EXPECT_EQ(story.refusal(), Refusal::ToolNotAllowed) << tool;
        EXPECT_EQ(story.happened<ToolRefused>().size(), 1U) << "on record";
    }
    story.ask(AuthorizeTool{{"carol"}, "ocr", ""});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
}

TEST_F(Governor, I4_AToolMustBeGrantedWithTheWork) {
    story.ask(RegisterAgent{{"bob"}, {.tools_allowed = {"ocr", "sql"}}});
    story.ask(SendMessage{.envelope = envelope({.id = "d-1", .intent = Intent::Request}),
                          .claim = std::make_shared<Claim>(Claim{.user = "u",
                                                                 .session = "s",
                                                                 .child_session = "c",
                                                                 .objective_hash = "o",
                                                                 .depth_max = 2,
                                                                 .tools = {"ocr"},
                                                                 .has_session = true})});
    story.as("bob").ask(AuthorizeTool{{"bob"}, "ocr", "d-1"});
    EXPECT_EQ(story.refusal(), Refusal::None);
    for (const auto* request : {"d-1", "c", "", "never heard of"}) {
        story.ask(AuthorizeTool{{"bob"}, "sql", request});
        EXPECT_EQ(story.refusal(), Refusal::ToolNotAllowed) << request;
    }
}

TEST_F(Governor, X14_I4_EndedOrForeignRequestsGrantNoTool) {
    story.ask(RegisterAgent{{"bob"}, {.tools_allowed = {"ocr", "sql"}}});
    const auto bob = story.connect("bob", 9);
    const auto delegate = [&](const std::string& id, const std::string& to) {
        story.as_the_hub().ask(
            SendMessage{.envelope = envelope({.id = id, .to = to, .intent = Intent::Request}),
                        .claim = std::make_shared<Claim>(Claim{.user = "u",
                                                               .session = "s " + id,
                                                               .child_session = "c " + id,
                                                               .objective_hash = "o",
                                                               .depth_max = 2,
                                                               .has_session = true})});
    };
    const auto authorize = [&](const std::string& request) {
        story.as("bob").ask(AuthorizeTool{{"bob"}, "sql", request});
        return story.refusal();
    };
    delegate("over", "bob");
    EXPECT_EQ(authorize("over"), Refusal::None);
    story.as_the_hub().ask(ReplyToDelivery{
        {broker::find_meant(story.state().requests, story.state().key, "over")[0]->ticket,
         1,
         story.state().broker.epoch},
        envelope({.id = "yes", .from = "bob", .to = "alice", .intent = Intent::Reply})});
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    delegate("carols", "carol");
    for (const auto* request : {"over", "c over", "carols", "c carols", "never heard of"}) {
        EXPECT_EQ(authorize(request), Refusal::ToolNotAllowed) << request;
        EXPECT_NE(why().find("is no request that 'bob' works on"), std::string::npos) << why();
    }
    EXPECT_EQ(authorize(""), Refusal::None) << "of nothing in particular";
    story.as_the_hub().request({.id = "plain"});
    EXPECT_EQ(authorize("plain"), Refusal::None) << "it is in no tree, and in his hand";
    EXPECT_EQ(authorize(derived_uuid("plain")), Refusal::None) << "as others are shown it";
    (void)bob;
}

}  // namespace
}  // namespace parlance::core
