// A request to several agents, given to the chosen agent, or passed on after a refusal is held to
// the same guards as a request to one agent.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/admission.h"
#include "core/inspect.h"
#include "core/testing/delegation_model.h"
#include "core/testing/plain_message_writer.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

/// A request's claim as a delegation.
struct GuardedDelegation {
    std::string id = "job";
    std::string from = "a";
    std::string to;
    std::string user{};
    std::string session{};
    std::string objective = "sort";
    std::uint64_t tokens_max = 100;
    std::uint32_t depth_max = 9;
    std::string tool{};
    Priority priority = Priority::High;
};

class Guarded : public ::testing::Test {
  public:
    Guarded() {
        story.limits().heartbeat_timeout = 1h;
        story.limits().lease = 1h;
        for (const auto* agent : {"a", "b", "c", "d"}) {
            story.ask(RegisterAgent{{agent}, {.tools_allowed = {"ocr"}}});
            story.connect(agent, 10);
        }
    }
    void allow(const Settings& settings) {
        story.as_operator().ask(ChangePolicy{.settings = print_policy(settings), .reason = "test"});
        ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
    }
    static Settings without_chain(const std::string& chain) {
        return {{{Rule::ChainEnabled, {ScopeKind::Chain, chain}}, 0}};
    }
    static SendMessage message(const GuardedDelegation& delegation) {
        const Letter letter{
            .id = delegation.id,
            .from = delegation.from,
            .to = delegation.to,
            .correlation = delegation.id,
            .intent = Intent::Request,
            .body = fmt::format(
                R"({{"delegation":{{"user":"{}","session":"{}","child_session":"of {}",)"
                R"("objective":"{}","tokens_max":{},"depth_max":{},"tool":"{}"}}}})",
                delegation.user,
                delegation.session,
                delegation.id,
                delegation.objective,
                delegation.tokens_max,
                delegation.depth_max,
                delegation.tool)};
        SendMessage send{.envelope = envelope(letter),
                         .priority = delegation.priority,
                         .timeout = 60s,
                         .fingerprint = fingerprint(letter)};
        send.claim = PlainMessageWriter{}.claim(*send.envelope);
        return send;
    }
    /// Sends the request as its sender, with grants for these users.
    Guarded& ask(const GuardedDelegation& delegation, std::vector<std::string> users = {"u1"}) {
        story.as_caller({.agent = {delegation.from}, .users = std::move(users)});
        story.ask(message(delegation));
        return look();
    }
    Guarded& look() {
        for (const auto& deliver : story.asked_for<Deliver>()) {
            const auto ticket = deliver.delivery.ticket;
            const auto* found = broker::find_message(story.state().broker, ticket);
            if (found == nullptr) continue;
            const auto& to = story.state().registry.agents[found->mailbox].id.value;
            held[to] = deliver;
        }
        return *this;
    }
    bool has(const std::string& agent, const std::string& id) const {
        const auto found = held.find(agent);
        return found != held.end() && found->second.envelope->id() == id;
    }
    Guarded& answer(const std::string& agent,
                    const std::string& body = "{}",
                    AnswerKind kind = AnswerKind::Done,
                    std::uint64_t tokens_used = 0) {
        const auto deliver = held.extract(agent).mapped();
        const Letter letter{.id = fmt::format("r{}", ++answers),
                            .from = agent,
                            .to = std::string{deliver.envelope->from()},
                            .correlation = std::string{deliver.envelope->correlation()},
                            .intent = Intent::Reply,
                            .body = body};
        story.as(agent).ask(ReplyToDelivery{.delivery = deliver.delivery,
                                            .envelope = envelope(letter),
                                            .tokens_used = tokens_used,
                                            .falls_short = kind != AnswerKind::Done,
                                            .kind = kind});
        return look();
    }
    Guarded& decline(const std::string& agent) { return answer(agent, "{}", AnswerKind::Declined); }
    Guarded& propose(const std::string& agent, int cost) {
        return answer(agent, fmt::format(R"({{"cost":{}}})", cost));
    }
    std::uint64_t reserved(std::string_view agent) {
        const auto name = governor::agent_account(agent);
        const auto& accounts = story.state().governor.lineage.accounts;
        return governor::budget_at(accounts, name, story.now(), 1h).reserved;
    }
    std::string refused_with() {
        const auto refused = story.happened<MessageRefused>();
        return refused.empty() ? std::string{} : refused.front().detail;
    }

    Story story;
    std::map<std::string, Deliver> held;
    int answers = 0;
};

using Several = Guarded;

// --- all: --------------------------------------------------------------------------------------

TEST_F(Several, I2_X13_ACallForAUserNeedsAGrantForThatUser) {
    for (const auto* to : {"b", "all:b", "all:b/c", "call:cheapest:b/c"}) {
        ask({.to = to, .user = "u2", .session = "s"});
        EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated) << to;
        EXPECT_TRUE(held.empty()) << to << ": nobody was bothered";
    }
    ask({.id = "own", .to = "all:b/c", .user = "u1", .session = "s"});
    EXPECT_EQ(story.refusal(), Refusal::None);
    EXPECT_TRUE(held.contains("b") && held.contains("c"));
}

TEST_F(Several, X4_X14_IfOneShareIsRefusedItsAgentIsNamedAndNobodyIsAsked) {
    story.as_the_hub().ask(RegisterAgent{{"c"}, {.tools_allowed = {"pen"}}});
    ask({.to = "all:b/c", .session = "s", .tool = "ocr"});
    EXPECT_EQ(story.refusal(), Refusal::ToolNotAllowed);
    EXPECT_TRUE(refused_with().starts_with("'c' cannot be asked: ")) << refused_with();
    EXPECT_TRUE(held.empty());
    ask({.id = "deep", .to = "all:b", .session = "s", .depth_max = 1});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
}

TEST_F(Several, X8_G4_TheBudgetCoversAllSharesOrNobodyIsAsked) {
    allow({{{Rule::TokensPerRoot, {}}, 150}});
    ask({.to = "all:b/c", .session = "s", .tokens_max = 100});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_TRUE(refused_with().starts_with("'c' cannot be asked: ")) << refused_with();
    EXPECT_TRUE(held.empty());
    EXPECT_EQ(reserved("b"), 0U);
    ask({.id = "less", .to = "all:b/c", .session = "s", .tokens_max = 75});
    EXPECT_EQ(story.refusal(), Refusal::None);
    EXPECT_TRUE(held.contains("b"));
    EXPECT_TRUE(held.contains("c"));
}

TEST_F(Several, X5_G2_OpenDelegationsCountTowardsTheFanOutOfACall) {
    allow({{{Rule::FanoutMax, {}}, 2}});
    ask({.id = "one", .to = "b", .session = "s"});
    held.clear();
    ask({.id = "two", .to = "all:c/d", .session = "s"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationFanoutExceeded);
    EXPECT_TRUE(held.empty());
    ask({.id = "three", .to = "all:c", .session = "s"});
    EXPECT_TRUE(held.contains("c"));
}

TEST_F(Several, G7_T14_TheSendersMinuteHasRoomForAllSharesOrNobodyIsAsked) {
    allow({{{Rule::MessagesPerMinute, {}}, 3}});
    ask({.id = "one", .to = "all:b"});
    EXPECT_TRUE(held.contains("b")) << "it counts as two: itself, and a share";
    held.clear();
    ask({.id = "two", .to = "all:c/d"});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    EXPECT_TRUE(held.empty()) << "the first share alone would have been taken";
    EXPECT_EQ(story.happened<MessageRefused>().front().retry_after_ms, 60'000U);
    EXPECT_NE(refused_with().find("this counts as 3"), std::string::npos) << refused_with();
    story.later(60s);
    ask({.id = "three", .to = "all:c/d"});
    EXPECT_TRUE(held.contains("c") && held.contains("d"));
    held.clear();
    story.later(60s);
    ask({.id = "four", .to = "all:b/c/d"});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    EXPECT_EQ(story.happened<MessageRefused>().front().retry_after_ms, 0U) << "nor will it ever be";
    EXPECT_FALSE(held.contains("b"));
}

TEST_F(Several, G7_T14_TheUsersMinuteHasRoomForAllSharesOrNobodyIsAsked) {
    allow({{{Rule::RequestsPerUserMinute, {}}, 3}, {{Rule::FanoutMax, {}}, 9}});
    ask({.id = "one", .to = "all:b/c", .user = "u1", .session = "s", .objective = "one"});
    EXPECT_TRUE(held.contains("b") && held.contains("c"));
    held.clear();
    ask({.id = "two", .to = "all:c/d", .user = "u1", .session = "s", .objective = "two"});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    EXPECT_TRUE(held.empty()) << "the first share alone would have been taken";
    story.later(60s);
    ask({.id = "three",
         .to = "call:cheapest:b/c/d",
         .user = "u1",
         .session = "s",
         .objective = "three"});
    const auto opened = story.happened<CallOpened>();
    ASSERT_EQ(opened.size(), 1U) << refused_with();
    EXPECT_EQ(opened[0].agents, (std::vector<std::string>{"b", "c"})) << "the request is the third";
}

TEST_F(Several, T14_ACallIsNoWayRoundADisabledChain) {
    allow(without_chain("a>c"));
    ask({.to = "all:b/c"});
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_TRUE(held.empty());
}

TEST_F(Several, X4_X7_SharesGetTheParentUserAndDeadlineOfTheCall) {
    ask({.id = "top", .to = "b", .user = "u1", .session = "s"});
    ASSERT_TRUE(has("b", "top"));
    const auto top = story.happened<MessageAccepted>().front();
    ask({.id = "on",
         .from = "b",
         .to = "all:c/d",
         .user = "u1",
         .session = "of top",
         .tokens_max = 40},
        {});
    const auto admitted = story.happened<DelegationAdmitted>();
    ASSERT_EQ(admitted.size(), 2U);
    for (const auto& each : admitted) {
        EXPECT_EQ(each.parent, top.ticket);
        EXPECT_EQ(each.depth, 2U);
        EXPECT_EQ(each.user, "u1");
    }
    for (const auto& accepted : story.happened<MessageAccepted>()) {
        EXPECT_LE(accepted.deadline, top.deadline);
    }
}

TEST_F(Several, X4_AShareOfAnEndedRequestBeginsNoTreeOfItsOwn) {
    ask({.id = "top", .to = "b", .user = "u1", .session = "s"});
    const auto asks = [&](Ticket parent) {
        // As if the fleet had been stopped just after the call was opened.
        auto& state = story.state();
        auto share = message({.id = "late", .from = "b", .to = "c"});
        share.below = parent;
        return admission(state, {.command = Tick{}, .now = story.now()}, share, {99'999});
    };
    const auto top = story.happened<MessageAccepted>().front().ticket;
    EXPECT_EQ(asks(top).refusal, Refusal::None);
    EXPECT_EQ(asks(top).admitted->parent, top);
    answer("b");
    EXPECT_EQ(asks(top).refusal, Refusal::DelegationNotFound);
    EXPECT_EQ(asks({}).refusal, Refusal::None) << "which was out of nothing before";
}

TEST_F(Several, W9_TheOpenerOfACallCannotApproveAShare) {
    allow({{{Rule::RiskLow, {}}, 50}});
    const Caller olga{.agent = {"olga"}, .is_operator = true, .role = OperatorRole::Admin};
    story.as_caller(olga).ask(message({.to = "all:b", .session = "s"}));
    const auto asked = story.happened<HumanAsked>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].asked_by, "olga");
    story.as_caller(olga).ask(AnswerHumanTask{.id = asked[0].id});
    EXPECT_EQ(story.refusal(), Refusal::HumanAnswerForbidden);
    look();
    EXPECT_FALSE(held.contains("b"));
    const Caller bea{.agent = {"bea"}, .is_operator = true, .role = OperatorRole::Admin};
    story.as_caller(bea).ask(AnswerHumanTask{.id = asked[0].id});
    look();
    EXPECT_TRUE(held.contains("b"));
}

TEST_F(Several, X3_EachShareHasASessionOfItsOwn) {
    ask({.to = "all:b/c", .user = "u1", .session = "s"});
    const auto admitted = story.happened<DelegationAdmitted>();
    ASSERT_EQ(admitted.size(), 2U);
    EXPECT_FALSE(admitted[0].child_session.empty());
    EXPECT_NE(admitted[0].child_session, admitted[1].child_session);
    for (const auto& each : admitted) {
        EXPECT_EQ(each.session, "s") << "threaded under the asker's";
        const auto* request = broker::find_request(story.state().requests, each.request);
        EXPECT_NE(request->asked->body().find(each.child_session), std::string_view::npos)
            << "which is what its delegate reads";
    }
    // The agent's own request from its session belongs below its share.
    ask({.id = "on", .from = "b", .to = "d", .session = admitted[0].child_session}, {});
    ASSERT_EQ(story.happened<DelegationAdmitted>().size(), 1U);
    EXPECT_EQ(story.happened<DelegationAdmitted>()[0].parent, admitted[0].request);
}

TEST_F(Several, T7_K2_ACallAndItsSharesHaveTheSendersPriority) {
    for (const auto priority :
         {Priority::Critical, Priority::High, Priority::Normal, Priority::Low}) {
        for (const auto* to : {"all:b", "call:cheapest:b"}) {
            held.clear();
            const auto id = fmt::format("{} {}", to, static_cast<int>(priority));
            ask({.id = id, .to = to, .objective = id, .priority = priority});
            for (const auto& accepted : story.happened<MessageAccepted>()) {
                EXPECT_EQ(accepted.priority, priority) << id << ", to " << accepted.envelope->to();
            }
            ASSERT_TRUE(held.contains("b")) << id;
            propose("b", 1);
            for (const auto& moved : story.happened<MessageMoved>()) {
                EXPECT_EQ(moved.priority, priority) << id;
            }
            if (held.contains("b")) answer("b");
        }
    }
}

// --- call: -------------------------------------------------------------------------------------

TEST_F(Several, T14_AnAgentThatMayNotBeAskedIsNotInvited) {
    allow(without_chain("a>c"));
    ask({.to = "call:cheapest:b/c"});
    EXPECT_TRUE(held.contains("b"));
    EXPECT_FALSE(held.contains("c")) << "the policy does not enable a>c";
    propose("b", 9);
    EXPECT_TRUE(has("b", "job"));
    ask({.id = "job-2", .to = "call:cheapest:c"});
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted) << "nobody is left";
    EXPECT_FALSE(held.contains("c"));
}

TEST_F(Several, T14_IfTheFirstAgentMayNotBeAskedTheOthersAreInvited) {
    allow(without_chain("a>b"));
    ask({.to = "call:cheapest:b/c"});
    EXPECT_EQ(story.refusal(), Refusal::None);
    EXPECT_TRUE(held.contains("c"));
    EXPECT_FALSE(held.contains("b"));
}

TEST_F(Several, G3_X6_AnAgentIsNotInvitedToAnObjectiveItHasFurtherUp) {
    ask({.id = "top", .to = "b", .session = "s", .objective = "ring"});
    ASSERT_TRUE(has("b", "top"));
    ask({.id = "on",
         .from = "b",
         .to = "call:cheapest:c/a",
         .session = "of top",
         .objective = "ring"},
        {});
    EXPECT_TRUE(held.contains("c"));
    EXPECT_FALSE(held.contains("a")) << "it is at work on this further up";
}

TEST_F(Several, G4_AnAgentOverItsBudgetIsNotChosen) {
    allow({{{Rule::TokensPerAgent, {ScopeKind::Agent, "c"}}, 150}});
    ask({.id = "one", .to = "call:cheapest:b/c", .session = "s", .objective = "one"});
    propose("c", 1);
    ask({.id = "two", .to = "c", .session = "s", .objective = "two"});
    ASSERT_EQ(reserved("c"), 100U) << "meanwhile it has something else to do";
    propose("b", 9);
    EXPECT_TRUE(has("b", "one"));
    EXPECT_EQ(reserved("c"), 100U);
    EXPECT_EQ(reserved("b"), 100U);
    ask({.id = "three", .to = "call:cheapest:c", .session = "s", .objective = "three"});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
}

TEST_F(Several, G4_T14_TheChosenAgentIsCheckedAgain) {
    ask({.to = "call:cheapest:b/c", .session = "s"});
    const auto before = held;
    allow(without_chain("a>c"));
    held = before;
    propose("c", 1).propose("b", 9);
    EXPECT_TRUE(has("b", "job")) << "c was cheaper, and may not be asked any more";
    EXPECT_FALSE(has("c", "job"));
    EXPECT_EQ(reserved("b"), 100U);
    EXPECT_EQ(reserved("c"), 0U);
}

TEST_F(Several, T14_ACallWithNoPermittedAgentLeftFailsWithTheReason) {
    ask({.to = "call:cheapest:c"});
    const auto before = held;
    allow(without_chain("a>c"));
    held = before;
    propose("c", 1);
    EXPECT_FALSE(has("c", "job"));
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].refusal, Refusal::RequestRejected);
    EXPECT_NE(failed[0].detail.find("chain_enabled"), std::string::npos) << failed[0].detail;
}

TEST_F(Several, G4_TheReservedCostIsByTheChosenAgentsPrice) {
    allow({{{Rule::CostPerMillionTokens, {ScopeKind::Agent, "b"}}, 1'000'000},
           {{Rule::CostPerMillionTokens, {ScopeKind::Agent, "c"}}, 3'000'000}});
    const auto cost = [&] {
        const auto& accounts = story.state().governor.lineage.accounts;
        return governor::budget_at(accounts, governor::kCostAccount, story.now(), 1h).reserved;
    };
    ask({.to = "call:cheapest:b/c", .session = "s"});
    EXPECT_EQ(cost(), 100U + 33U + 3U * 33U) << "and what each may take for its proposal";
    propose("b", 9).propose("c", 1);
    ASSERT_TRUE(has("c", "job"));
    EXPECT_EQ(cost(), 300U);
    answer("c");
    EXPECT_EQ(cost(), 0U);
}

TEST_F(Several, X5_G2_NoMoreAgentsAreInvitedThanTheFanOut) {
    allow({{{Rule::FanoutMax, {}}, 2}});
    ask({.to = "call:cheapest:b/c/d"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationFanoutExceeded);
    EXPECT_NE(refused_with().find("(3/2)"), std::string::npos) << refused_with();
    EXPECT_TRUE(held.empty()) << "nobody was bothered";
    for (const auto* agent : {"b", "c", "d"}) {
        Profile profile;
        profile.capabilities = R"([{"code":"SORT"}])";
        story.as_the_hub().ask(RegisterAgent{{agent}, profile});
    }
    ask({.id = "busy", .to = "b"});
    ask({.id = "any", .to = "call:cheapest:SORT"});
    const auto opened = story.happened<CallOpened>();
    ASSERT_EQ(opened.size(), 1U) << refused_with();
    EXPECT_EQ(opened[0].agents, (std::vector<std::string>{"c", "d"})) << "who has the least to do";
}

TEST_F(Several, X4_X5_X16_InvitationsAreRecordedBelowTheCall) {
    ask({.to = "call:cheapest:b/c", .user = "u1", .session = "s"});
    const auto admitted = story.happened<DelegationAdmitted>();
    ASSERT_EQ(admitted.size(), 3U) << "the request, and who is asked for a proposal to it";
    const auto& call = admitted[0];
    for (const auto& each : {admitted[1], admitted[2]}) {
        EXPECT_EQ(each.parent, call.request);
        EXPECT_EQ(each.root, call.root);
        EXPECT_EQ(each.depth, call.depth) << "to be asked for a proposal is no step down";
        EXPECT_EQ(each.user, "u1");
        EXPECT_EQ(each.tokens, 33U) << "of the request's, as who is chosen";
    }
    const auto& lineage = story.state().governor.lineage;
    EXPECT_EQ(governor::find_delegation(lineage, call.request)->open_children, 2U);
    // An agent that makes a proposal does not leave the tree by doing so.
    ask({.id = "aside",
         .from = "b",
         .to = "d",
         .user = "u1",
         .objective = "weigh",
         .tokens_max = 10},
        {});
    const auto below = story.happened<DelegationAdmitted>();
    ASSERT_EQ(below.size(), 1U) << refused_with();
    EXPECT_EQ(below[0].parent, admitted[1].request);
    EXPECT_EQ(below[0].depth, call.depth + 1);
}

TEST_F(Several, G1_G2_G4_ACallInATreeAgreesWithTheModel) {
    DelegationModel model;
    const auto follow = [&] {
        for (const auto& event : story.events()) model.follow(event, story.now());
        for (const auto& breach : model.breaches) ADD_FAILURE() << breach.what;
    };
    ask({.to = "call:cheapest:b/c", .user = "u1", .session = "s"});
    follow();
    EXPECT_EQ(model.open.size(), 3U);
    propose("c", 2);
    follow();
    propose("b", 1);
    follow();
    ASSERT_TRUE(has("b", "job"));
    const auto job = held.at("b");
    ask({.id = "on",
         .from = "b",
         .to = "d",
         .user = "u1",
         .session = "of job",
         .objective = "on",
         .tokens_max = 10},
        {});
    follow();
    EXPECT_EQ(model.open.size(), 2U);
    answer("d");
    follow();
    held["b"] = job;
    answer("b");
    follow();
    EXPECT_TRUE(model.open.empty());
}

TEST_F(Several, T14_G1_TheChosenAgentIsHeldToTheDepthOfUserAndCapability) {
    story.as_the_hub().ask(RegisterAgent{{"b"}, {.capabilities = R"([{"code":"SORT"}])"}});
    allow({{{Rule::DepthMax, {}}, 1}, {{Rule::DepthMax, {ScopeKind::User, "u1"}}, 9}});
    ask({.id = "one", .to = "call:cheapest:b", .user = "u1", .session = "s"});
    propose("b", 1);
    EXPECT_TRUE(has("b", "one"));
    allow({{{Rule::DepthMax, {}}, 1}, {{Rule::DepthMax, {ScopeKind::Capability, "SORT"}}, 9}});
    ask({.id = "two", .to = "call:cheapest:b", .session = "s2"});
    propose("b", 1);
    EXPECT_TRUE(has("b", "two"));
}

TEST_F(Several, T14_X5_TheFanOutOfUserAndCapabilityBoundsACall) {
    for (const auto* agent : {"c", "d"}) {
        story.as_the_hub().ask(RegisterAgent{{agent}, {.capabilities = R"([{"code":"SORT"}])"}});
    }
    const auto asked = [&] {
        const auto opened = story.happened<CallOpened>();
        return opened.empty() ? std::vector<std::string>{} : opened[0].agents;
    };
    using Agents = std::vector<std::string>;
    allow({{{Rule::FanoutMax, {}}, 1}, {{Rule::FanoutMax, {ScopeKind::User, "u1"}}, 3}});
    ask({.id = "one", .to = "call:cheapest:b/c", .user = "u1", .session = "s"});
    EXPECT_EQ(asked(), (Agents{"b", "c"})) << refused_with();
    ask({.id = "top", .to = "b", .user = "u1", .session = "s2", .objective = "top"});
    ask({.id = "on",
         .from = "b",
         .to = "all:c/d",
         .session = "of top",
         .objective = "on",
         .tokens_max = 10},
        {});
    EXPECT_EQ(asked(), (Agents{"c", "d"})) << "in a tree of that user: " << refused_with();
    allow({{{Rule::FanoutMax, {}}, 1}, {{Rule::FanoutMax, {ScopeKind::Capability, "SORT"}}, 2}});
    ask({.id = "any", .to = "call:cheapest:SORT", .session = "s3"});
    EXPECT_EQ(asked(), (Agents{"c", "d"})) << refused_with();
}

TEST_F(Several, G4_T4_AnInvitationThatNeedsApprovalFailsAtOnce) {
    allow({{{Rule::CostPerMillionTokens, {}}, 1'000'000},
           {{Rule::CostPerRoot, {}}, 110},
           {{Rule::BudgetAsksPeople, {}}, 1}});
    ask({.to = "call:cheapest:b/c", .session = "s"});
    ASSERT_EQ(story.happened<CallOpened>().size(), 1U) << refused_with();
    EXPECT_TRUE(story.happened<RequestHeld>().empty());
    EXPECT_TRUE(story.happened<HumanAsked>().empty());
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_NE(failed[0].detail.find("It may cost 33 millionths"), std::string::npos)
        << failed[0].detail;
}

TEST_F(Several, G4_EachInvitationGetsAtLeastOneToken) {
    ask({.to = "call:cheapest:b/c", .session = "s", .tokens_max = 2});
    const auto admitted = story.happened<DelegationAdmitted>();
    ASSERT_EQ(admitted.size(), 3U) << "the request, and who is asked for a proposal to it";
    EXPECT_EQ(admitted[1].tokens, 1U);
    EXPECT_EQ(admitted[2].tokens, 1U);
}

// --- explained ---------------------------------------------------------------------------------

TEST_F(Several, T14_ExplainPredictsTheOutcomeOfACall) {
    allow(without_chain("a>c"));
    const auto caller = std::make_shared<const Caller>(Caller{.agent = {"a"}, .users = {"u1"}});
    const auto told = [&](const GuardedDelegation& delegation) {
        return explain(story.state(), {.caller = caller, .now = story.now()}, message(delegation));
    };
    const auto asked = [](const Explanation& explanation, std::string_view guard) {
        return std::ranges::count(explanation.findings, guard, &Finding::guard);
    };
    auto explanation = told({.to = "all:b/c", .session = "s"});
    EXPECT_EQ(explanation.refusal, Refusal::RouteNotPermitted);
    EXPECT_EQ(explanation.findings.back().guard, "chain");
    EXPECT_EQ(explanation.findings.back().refusal, Refusal::RouteNotPermitted);
    explanation = told({.to = "all:b/d", .session = "s"});
    EXPECT_EQ(explanation.refusal, Refusal::None);
    EXPECT_EQ(asked(explanation, "depth"), 2) << "once for each";
    explanation = told({.to = "all:b", .user = "u2", .session = "s"});
    EXPECT_EQ(explanation.refusal, Refusal::UserIsolationViolated);
    explanation = told({.to = "call:cheapest:b/c", .session = "s"});
    EXPECT_EQ(explanation.refusal, Refusal::None);
    EXPECT_EQ(asked(explanation, "depth"), 1) << "c is left out";
    explanation = told({.to = "call:cheapest:c", .session = "s"});
    EXPECT_EQ(explanation.refusal, Refusal::RouteNotPermitted);
    EXPECT_EQ(explanation.findings.back().guard, "chain");
    allow({{{Rule::RiskLow, {}}, 50}});
    explanation = told({.to = "all:b", .session = "s"});
    EXPECT_EQ(explanation.refusal, Refusal::None);
    EXPECT_EQ(explanation.approvals_needed, 1U);
}

// --- passed on ---------------------------------------------------------------------------------

class PassedOn : public Guarded {
  protected:
    /// A request for help, with a fallback for a refusal.
    PassedOn& help(GuardedDelegation delegation, Passing passing) {
        auto send = message(delegation);
        send.passing = std::make_shared<const Passing>(std::move(passing));
        story.as(delegation.from).ask(std::move(send));
        look();
        return *this;
    }
};

TEST_F(PassedOn, T14_ADeclinedRequestGoesToNoAgentThatMayNotBeAsked) {
    allow(without_chain("a>c"));
    help({.to = "b"}, {.fallback = "c"});
    ASSERT_TRUE(has("b", "job"));
    decline("b");
    EXPECT_FALSE(held.contains("c")) << "the policy does not enable a>c";
    EXPECT_TRUE(has("a", "r1")) << "nobody is left: this is the answer";
}

TEST_F(PassedOn, T14_AnAgentThatMayNotBeAskedIsNotChosen) {
    allow(without_chain("a>b"));
    for (const auto* agent : {"b", "c"}) {
        story.as_the_hub().ask(RegisterAgent{{agent}, {.capabilities = R"([{"code":"FIX"}])"}});
    }
    ask({.to = "capability:FIX"});
    EXPECT_FALSE(held.contains("b"));
    EXPECT_TRUE(has("c", "job"));
    // If no agent may be asked, the refusing guard gives the reason.
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "a>b"}}, 0},
           {{Rule::ChainEnabled, {ScopeKind::Chain, "a>c"}}, 0}});
    ask({.id = "job2", .to = "capability:FIX"});
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    help({.id = "job3", .to = "capability:FIX"}, {.fallback = "d"});
    EXPECT_TRUE(has("d", "job3")) << "who is named for that case is asked";
}

TEST_F(PassedOn, T14_ADeclinedRequestGoesToACapableAgentThatMayBeAsked) {
    allow(without_chain("a>c"));
    for (const auto* agent : {"b", "c", "d"}) {
        story.as_the_hub().ask(RegisterAgent{{agent}, {.capabilities = R"([{"code":"FIX"}])"}});
    }
    help({.to = "capability:FIX"}, {});
    ASSERT_TRUE(has("b", "job"));
    decline("b");
    EXPECT_FALSE(held.contains("c"));
    EXPECT_TRUE(has("d", "job"));
}

TEST_F(PassedOn, G3_X6_ADeclinedRequestDoesNotFormARing) {
    ask({.id = "top", .to = "b", .session = "s", .objective = "ring"});
    help({.id = "on", .from = "b", .to = "c", .session = "of top", .objective = "ring"},
         {.fallback = "a"});
    ASSERT_TRUE(has("c", "on"));
    decline("c");
    EXPECT_FALSE(has("a", "on")) << "it is at work on this further up";
    EXPECT_TRUE(has("b", "r1"));
}

TEST_F(PassedOn, G4_ADeclinedRequestGoesToNoAgentWithoutBudget) {
    allow({{{Rule::TokensPerAgent, {ScopeKind::Agent, "c"}}, 50}});
    help({.to = "b", .session = "s"}, {.fallback = "c"});
    ASSERT_EQ(reserved("b"), 100U);
    decline("b");
    EXPECT_FALSE(held.contains("c"));
    EXPECT_EQ(reserved("c"), 0U);
}

TEST_F(PassedOn, X14_ADeclinedRequestGoesToNoAgentWithoutItsTools) {
    story.as_the_hub().ask(RegisterAgent{{"c"}, {.tools_allowed = {"pen"}}});
    help({.to = "b", .session = "s", .tool = "ocr"}, {.fallback = "c"});
    decline("b");
    EXPECT_FALSE(held.contains("c"));
    EXPECT_TRUE(has("a", "r1"));
}

TEST_F(PassedOn, G5_ADeclinedRequestGoesToNoAgentWithAnOpenBreaker) {
    allow({{{Rule::BreakerFailures, {}}, 1}});
    ask({.id = "first", .to = "c"});
    answer("c", "{}", AnswerKind::Failed);
    ASSERT_EQ(governor::stage_of(story.state().governor.breakers,
                                 registry::find_agent(story.state().registry, "c")),
              governor::BreakerStage::Open);
    help({.to = "b"}, {.fallback = "c"});
    decline("b");
    EXPECT_TRUE(story.happened<MessageMoved>().empty());
    EXPECT_TRUE(has("a", "r2")) << "nobody is left: this is the answer";
}

/// "c" pays, and above 50 tokens a person decides whether somebody pays.
const Settings kPeopleDecideWhoPays{{{Rule::RiskLow, {ScopeKind::Capability, "PAY"}}, 50}};

TEST_F(PassedOn, T14_W9_WhatOneDeclinesGoesToNobodyOfWhomItWouldWaitForPeople) {
    story.as_the_hub().ask(RegisterAgent{{"c"}, {.capabilities = R"([{"code":"PAY"}])"}});
    allow(kPeopleDecideWhoPays);
    help({.id = "direct", .to = "c"}, {});
    EXPECT_EQ(story.happened<HumanAsked>().size(), 1U) << "asked of it, it waits for a person";
    help({.to = "b"}, {.fallback = "c"});
    ASSERT_TRUE(has("b", "job"));
    decline("b");
    EXPECT_TRUE(story.happened<MessageMoved>().empty());
    EXPECT_FALSE(held.contains("c"));
    EXPECT_TRUE(has("a", "r1")) << "nobody is left: this is the answer";
}

TEST_F(PassedOn, T14_W9_WhatPeopleHaveLetThroughGoesToTheNext) {
    allow({{{Rule::RiskLow, {}}, 50}});
    help({.to = "b"}, {.fallback = "c"});
    const auto asked = story.happened<HumanAsked>();
    ASSERT_EQ(asked.size(), 1U);
    const Caller olga{.agent = {"olga"}, .is_operator = true, .role = OperatorRole::Admin};
    story.as_caller(olga).ask(AnswerHumanTask{.id = asked[0].id});
    look();
    ASSERT_TRUE(has("b", "job"));
    decline("b");
    EXPECT_TRUE(has("c", "job")) << "of c they would have decided the same";
}

/// A task that "d" gave "b", and its offers to others.
class Offered : public PassedOn {
  protected:
    static SendMessage about_task(const GuardedDelegation& delegation) {
        auto send = message(delegation);
        auto header = send.envelope->header();
        header.task = "t";
        send.envelope = Envelope::make(header, send.envelope->body());
        return send;
    }
    void give_task() {
        story.as("d").ask(about_task({.id = "task", .from = "d", .to = "b", .session = "s"}));
        look();
        ASSERT_TRUE(has("b", "task"));
    }
    void offer(const std::string& id,
               const std::string& to,
               const std::string& fallback = {},
               std::uint64_t tokens_max = 10) {
        auto over = about_task({.id = id,
                                .from = "b",
                                .to = to,
                                .session = "of task",
                                .objective = id,
                                .tokens_max = tokens_max});
        over.passing =
            std::make_shared<const Passing>(Passing{.hands_over = true, .fallback = fallback});
        story.as("b").ask(over);
        look();
    }
    /// There is room for the task and for 5 of the 10 tokens that its offer may use.
    void expect_room_for_what_is_left(Refusal refusal) {
        give_task();
        offer("first", "a");
        ASSERT_TRUE(has("a", "first")) << refused_with();
        answer("a", "{}", AnswerKind::Done, 6);
        EXPECT_EQ(story.refusal(), refusal);
        EXPECT_TRUE(story.happened<MessageMoved>().empty());
        offer("second", "a");
        ASSERT_TRUE(has("a", "second")) << refused_with();
        answer("a", "{}", AnswerKind::Done, 5);
        EXPECT_EQ(story.refusal(), Refusal::None) << refused_with();
        EXPECT_EQ(story.happened<MessageMoved>().size(), 1U);
        EXPECT_EQ(reserved("a"), 100U);
    }
};

TEST_F(Offered, T3_T14_ATaskIsOfferedOnlyToAgentsItsRequesterMayAsk) {
    allow(without_chain("d>c"));
    give_task();
    offer("no", "c");
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_TRUE(refused_with().starts_with("'c' cannot have task 't': ")) << refused_with();
    EXPECT_FALSE(held.contains("c"));
    offer("yes", "a", "c");
    ASSERT_TRUE(has("a", "yes"));
    decline("a");
    EXPECT_FALSE(held.contains("c")) << "nor if it is passed on";
}

TEST_F(Offered, T3_T14_W9_ATaskIsNotOfferedToWhomOnlyPeopleGiveIt) {
    story.as_the_hub().ask(RegisterAgent{{"c"}, {.capabilities = R"([{"code":"PAY"}])"}});
    allow(kPeopleDecideWhoPays);
    give_task();
    offer("no", "c");
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_TRUE(refused_with().starts_with("'c' cannot have task 't': ")) << refused_with();
    EXPECT_FALSE(held.contains("c"));
    offer("yes", "a", "c");
    ASSERT_TRUE(has("a", "yes"));
    decline("a");
    EXPECT_FALSE(held.contains("c")) << "nor if it is passed on";
}

TEST_F(Offered, T3_G4_ATaskIsOfferedOnlyToAgentsWithEnoughBudget) {
    allow({{{Rule::TokensPerAgent, {ScopeKind::Agent, "c"}}, 50}});
    give_task();
    offer("no", "c");
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_FALSE(held.contains("c"));
    offer("yes", "a");
    answer("a");
    EXPECT_EQ(reserved("a"), 100U);
    EXPECT_EQ(reserved("b"), 0U);
}

TEST_F(Offered, T3_G4_TokensUsedForTheOfferAreChargedBeforeTheTaskIsTaken) {
    allow({{{Rule::TokensPerAgent, {ScopeKind::Agent, "a"}}, 105}});
    expect_room_for_what_is_left(Refusal::BudgetTokensExceeded);
}

TEST_F(Offered, T3_G4_TheOffersCostIsChargedToTheHubBeforeTheTaskIsTaken) {
    allow({{{Rule::CostInTotal, {}}, 105},
           {{Rule::CostPerMillionTokens, {ScopeKind::Agent, "a"}}, 1'000'000}});
    expect_room_for_what_is_left(Refusal::BudgetCostExceeded);
}

TEST_F(Offered, T3_G4_TheOffersCostIsChargedToTheTreeBeforeTheTaskIsTaken) {
    allow({{{Rule::CostPerRoot, {}}, 105},
           {{Rule::CostPerMillionTokens, {ScopeKind::Agent, "a"}}, 1'000'000}});
    expect_room_for_what_is_left(Refusal::BudgetCostExceeded);
}

TEST_F(Offered, T3_T15_TokensUsedForTheOfferAreChargedToTheAllocation) {
    story.as_operator().ask(
        WriteAllocation{StateOperation::Create,
                        "tokens of a",
                        0,
                        {.agent = "a", .resource = "tokens", .limit = 105'000'000}});
    ASSERT_EQ(story.refusal(), Refusal::None);
    expect_room_for_what_is_left(Refusal::ResourceLimitExceeded);
}

TEST_F(Offered, T3_G4_ALoweredLimitAppliesToATaskOfferedBefore) {
    give_task();
    offer("over", "a", {}, 100);
    ASSERT_TRUE(has("a", "over")) << refused_with();
    allow({{{Rule::TokensPerAgent, {ScopeKind::Agent, "a"}}, 50}});
    answer("a");
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded)
        << "the offer gives back as much as the task takes, and yet it is too much";
    EXPECT_EQ(reserved("b"), 100U);
}

TEST_F(PassedOn, T3_ADeclinedTaskIsNotOfferedToItsRequester) {
    GuardedDelegation delegation{.id = "task", .from = "d", .to = "b"};
    auto task = message(delegation);
    auto header = task.envelope->header();
    header.task = "t";
    task.envelope = Envelope::make(header, task.envelope->body());
    story.as("d").ask(task);
    look();
    auto over = message({.id = "over", .from = "b", .to = "c"});
    header = over.envelope->header();
    header.task = "t";
    over.envelope = Envelope::make(header, over.envelope->body());
    over.passing = std::make_shared<const Passing>(Passing{.hands_over = true, .fallback = "d"});
    story.as("b").ask(over);
    look();
    ASSERT_TRUE(has("c", "over"));
    decline("c");
    EXPECT_FALSE(has("d", "over"));
}

}  // namespace
}  // namespace parlance::core
