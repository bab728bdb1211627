// A workflow is no way round the limits: a workflow that an agent starts from its work belongs to
// that work, and every step draws on the budgets.
#include <gtest/gtest.h>

#include "base/fold.h"
#include "base/json.h"
#include "base/sha256.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

class WorkflowTree : public ::testing::Test {
  protected:
    WorkflowTree() {
        for (const auto* name : {"prime", "byte", "tag"}) {
            story.ask(RegisterAgent{{name}, {}});
            story.connect(name, 10);
        }
    }
    /// "byte" works on a request of "prime" for u-1.
    void give_byte_work(std::uint32_t depth_max, std::uint64_t tokens = 0) {
        Claim claim{.user = "u-1",
                    .session = "s-1",
                    .child_session = "s-2",
                    .objective = "Extract",
                    .objective_hash = to_hex(sha256(folded("Extract"))),
                    .depth_max = depth_max,
                    .tokens_max = tokens,
                    .has_session = true};
        story.as_the_hub().ask(SendMessage{.envelope = envelope({.id = "d-1",
                                                                 .from = "prime",
                                                                 .to = "byte",
                                                                 .correlation = "s-1",
                                                                 .intent = Intent::Request}),
                                           .priority = Priority::High,
                                           .timeout = Duration{15'000},
                                           .claim = std::make_shared<Claim>(std::move(claim))});
        ASSERT_EQ(story.asked_for<Deliver>().size(), 1U);
        work = story.last_delivery();
    }
    void start(const std::string& steps, const std::string& by = "byte") {
        story.as(by).ask(StartWorkflow{.id = "w", .plan = R"({"steps":[)" + steps + "]}"});
    }
    void allow(Settings settings) {
        story.as_operator().ask(
            ChangePolicy{.settings = print_policy(settings), .reason = "a test"});
        ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
        story.as_the_hub();
    }
    /// The code of the first missing step.
    std::string code() {
        const auto ended = story.happened<WorkflowEnded>();
        if (ended.empty()) return "it runs";
        const auto value = json::find_at(json::root(ended.front().report), "/missing/0/code");
        return value ? std::string{value->raw} : "nothing is missing";
    }
    std::vector<std::string> asked() {
        std::vector<std::string> names;
        for (const auto& each : story.asked_for<Deliver>()) names.emplace_back(each.envelope->to());
        return names;
    }

    Story story;
    DeliveryToken work{};
};

TEST_F(WorkflowTree, X4_G1_StepsAreDeeperThanTheStartersWork) {
    give_byte_work(2);
    start(R"({"id":"a","agent":"tag"})");
    EXPECT_EQ(code(), R"("DELEGATION_DEPTH_EXCEEDED")");
    EXPECT_EQ(asked(), Ids{});
}

TEST_F(WorkflowTree, X4_G1_OneMoreLevelOfDepthLetsTheStepsRun) {
    give_byte_work(3);
    start(R"({"id":"a","agent":"tag"})");
    EXPECT_EQ(asked(), (Ids{"tag"}));
    const auto admitted = story.happened<DelegationAdmitted>();
    ASSERT_EQ(admitted.size(), 1U);
    EXPECT_EQ(admitted[0].depth, 2U);
    EXPECT_EQ(admitted[0].parent, work.ticket);
    EXPECT_EQ(admitted[0].user, "u-1");
}

TEST_F(WorkflowTree, X4_AnAgentWithoutWorkBeginsATreeOfItsOwn) {
    give_byte_work(2);
    start(R"({"id":"a","agent":"tag"})", "prime");
    EXPECT_EQ(asked(), (Ids{"tag"}));
    EXPECT_EQ(story.happened<DelegationAdmitted>()[0].depth, 1U);
}

TEST_F(WorkflowTree, X4_AnOperatorNamedLikeAnAgentIsNotTheAgent) {
    give_byte_work(2);
    story.as_caller({.agent = {"byte"}, .is_operator = true})
        .ask(StartWorkflow{.id = "w", .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
    EXPECT_EQ(asked(), (Ids{"tag"}));
}

TEST_F(WorkflowTree, X6_G3_AnObjectiveDoesNotComeBackOverAWorkflow) {
    give_byte_work(9);
    start(R"({"id":"a","agent":"prime","objective":"extract"})");
    EXPECT_EQ(code(), R"("DELEGATION_CYCLE_DETECTED")");
}

TEST_F(WorkflowTree, X8_I2_StepsSpendTheStartersTokens) {
    give_byte_work(9, 100);
    start(R"({"id":"a","agent":"tag","max_tokens":100},{"id":"b","agent":"prime","max_tokens":1})");
    EXPECT_EQ(asked(), (Ids{"tag"}));
    EXPECT_EQ(story.happened<DelegationAdmitted>()[0].tokens, 100U);
    const auto refused = story.happened<StepEnded>();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].code, "BUDGET_TOKENS_EXCEEDED");
}

TEST_F(WorkflowTree, X8_AStepWithoutMaxTokensGetsTheRest) {
    give_byte_work(9, 100);
    start(R"({"id":"a","agent":"tag"})");
    EXPECT_EQ(story.happened<DelegationAdmitted>()[0].tokens, 100U);
}

TEST_F(WorkflowTree, X8_G4_EveryBudgetBindsAStep) {
    for (const auto rule : {Rule::TokensInTotal,
                            Rule::TokensPerDelegation,
                            Rule::TokensPerRoot,
                            Rule::TokensPerAgent}) {
        allow({{{rule, {}}, 1'199}});
        const auto id = "w" + std::to_string(static_cast<int>(rule));
        story.as_operator().ask(
            StartWorkflow{.id = id + "-more",
                          .plan = R"({"steps":[{"id":"a","agent":"tag","max_tokens":1200}]})"});
        EXPECT_EQ(code(), R"("BUDGET_TOKENS_EXCEEDED")") << static_cast<int>(rule);
        EXPECT_EQ(asked(), Ids{});
        // A step that names no number gets the rest.
        story.ask(StartWorkflow{.id = id, .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
        ASSERT_EQ(asked(), (Ids{"tag"}));
        EXPECT_EQ(story.happened<DelegationAdmitted>()[0].tokens, 1'199U);
        story.ask(CancelRequest{.id = id});
    }
    allow({{{Rule::TokensInTotal, {}}, 1'200}});
    story.as_operator().ask(
        StartWorkflow{.id = "last", .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
    EXPECT_EQ(asked(), (Ids{"tag"}));
}

TEST_F(WorkflowTree, T14_ARiskyStepIsPutToAPerson) {
    allow({{{Rule::RiskLow, {}}, 1'000}});
    story.as_operator().ask(
        StartWorkflow{.id = "w", .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
    EXPECT_EQ(asked(), Ids{});
    EXPECT_EQ(story.happened<HumanAsked>().size(), 1U);
}

TEST_F(WorkflowTree, X7_I2_AWorkflowDoesNotOutliveTheStartersWork) {
    give_byte_work(9);
    start(R"({"id":"a","agent":"tag"},{"id":"b","agent":"prime","after":["a"]})");
    const auto step = story.last_delivery();
    story.as("byte").ask(ReplyToDelivery{work,
                                         envelope({.id = "r-1",
                                                   .from = "byte",
                                                   .to = "prime",
                                                   .correlation = "s-1",
                                                   .intent = Intent::Reply})});
    story.as("tag").ask(ReplyToDelivery{step,
                                        envelope({.id = "r-2",
                                                  .from = "tag",
                                                  .to = "ORC",
                                                  .correlation = "w",
                                                  .intent = Intent::Reply,
                                                  .body = R"({"output":1})"})});
    EXPECT_EQ(code(), R"("DELEGATION_NOT_FOUND")");
}

TEST_F(WorkflowTree, X21_WhatIsOpenBelowAStepThatIsOverEndsWithTheWorkflowThatAnAgentStarted) {
    give_byte_work(9);
    start(R"({"id":"a","agent":"tag"},{"id":"b","agent":"prime","after":["a"]})");
    const auto step = story.last_delivery();
    story.as("tag").ask(SendMessage{.envelope = envelope({.id = "d-2",
                                                          .from = "tag",
                                                          .to = "byte",
                                                          .correlation = "w",
                                                          .intent = Intent::Request}),
                                    .priority = Priority::High});
    ASSERT_EQ(story.happened<MessageAccepted>().size(), 1U);
    const auto below = story.happened<MessageAccepted>()[0].ticket;
    story.ask(ReplyToDelivery{step,
                              envelope({.id = "r-2",
                                        .from = "tag",
                                        .to = "ORC",
                                        .correlation = "w",
                                        .intent = Intent::Reply,
                                        .body = R"({"output":1})"})});
    const auto began = story.happened<StepBegan>();
    ASSERT_EQ(began.size(), 1U);
    story.as_the_hub().restart();
    story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    std::vector<Ticket> cancelled;
    for (const auto& each : story.happened<RequestCancelled>()) cancelled.push_back(each.request);
    EXPECT_EQ(cancelled, (std::vector{began[0].request, below}));
    EXPECT_NE(broker::find_request(story.state().requests, work.ticket), nullptr)
        << "what it was started for goes on";
}

/// A request of a dialect without delegations.
SendMessage plain(const std::string& id, const std::string& user) {
    return {
        .envelope = envelope(
            {.id = id, .from = "prime", .to = "tag", .correlation = id, .intent = Intent::Request}),
        .priority = Priority::High,
        .timeout = Duration{15'000},
        .claim = std::make_shared<Claim>(Claim{.user = user})};
}

TEST_F(WorkflowTree, X13_I3_NamingAUserNeedsAGrantInEveryDialect) {
    story.as_caller({.agent = {"prime"}, .users = {"u-2"}}).ask(plain("k-1", "u-1"));
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated);
    EXPECT_EQ(asked(), Ids{});
    story.ask(plain("k-2", "u-2"));
    EXPECT_EQ(asked(), (Ids{"tag"}));
    EXPECT_EQ(story.happened<DelegationAdmitted>().size(), 1U) << "X16: it is on record";
}

TEST_F(WorkflowTree, X13_PlainRequestsCountForTheUser) {
    allow({{{Rule::RequestsPerUserMinute, {}}, 1}});
    story.ask(plain("k-1", "u-1"));
    EXPECT_EQ(story.refusal(), Refusal::None);
    story.ask(plain("k-2", "u-1"));
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    story.ask(plain("k-3", "u-2"));
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST_F(WorkflowTree, X13_APlainRequestMayBeRepeatedInATreeOfItsOwn) {
    for (const auto* id : {"k-1", "k-2", "k-3", "k-4", "k-5"}) {
        story.ask(plain(id, "u-1"));
        EXPECT_EQ(story.refusal(), Refusal::None) << id << ": each is a tree of its own";
    }
}

TEST_F(WorkflowTree, X13_OnlyAgentsWithAPartInAWorkflowBeginItsContext) {
    story.as_operator().ask(
        StartWorkflow{.id = "w", .plan = R"({"steps":[{"id":"a","agent":"tag"}]})", .user = "u-1"});
    story.as("byte").ask(WriteContext{.workflow = "w", .agent = {"byte"}, .entities = "{}"});
    EXPECT_EQ(story.refusal(), Refusal::ContextNotOwner);
    story.as("tag").ask(WriteContext{.workflow = "w", .agent = {"tag"}, .entities = "{}"});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

// --- a step is bound by its starter's permissions ----------------------------------------------

TEST_F(WorkflowTree, T14_AStepGoesNowhereItsStarterMayNotAsk) {
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "byte>tag"}}, 0}});
    for (const auto* steps : {R"({"id":"a","agent":"tag"})",
                              R"({"id":"a","agent":"prime","fallback":{"agent":"tag"}})",
                              R"({"id":"a","agent":"prime","compensate":{"agent":"tag"}})"}) {
        start(steps);
        EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted) << steps;
        EXPECT_TRUE(story.happened<WorkflowStarted>().empty()) << steps;
    }
    start(R"({"id":"a","agent":"tag"})", "prime");
    EXPECT_EQ(asked(), (Ids{"tag"})) << "another may";
    story.as_caller({.agent = {"byte"}, .is_operator = true})
        .ask(StartWorkflow{.id = "v", .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
    EXPECT_EQ(asked(), (Ids{"tag"})) << "an operator of that name is not that agent";
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "ORC>tag"}}, 0}});
    story.as("prime").ask(
        StartWorkflow{.id = "u", .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted) << "nor where no workflow may";
}

TEST_F(WorkflowTree, T14_AStepsAgentIsChosenAmongAgentsTheStarterMayAsk) {
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "byte>tag"}}, 0}});
    story.ask(RegisterAgent{{"tag"}, {.capabilities = R"([{"code":"READ"}])"}});
    start(R"({"id":"a","capability":"READ"})");
    EXPECT_EQ(code(), R"("ROUTE_NOT_PERMITTED")");
    EXPECT_EQ(asked(), Ids{});
    story.as_the_hub().request({.id = "busy", .to = "prime"});
    story.ask(RegisterAgent{{"prime"}, {.capabilities = R"([{"code":"READ"}])"}});
    story.as("byte").ask(
        StartWorkflow{.id = "v", .plan = R"({"steps":[{"id":"a","capability":"READ"}]})"});
    EXPECT_EQ(asked(), (Ids{"prime"})) << "busier, and permitted";
}

TEST_F(WorkflowTree, T14_AChainDisabledMeanwhileBlocksTheNextStep) {
    start(R"({"id":"a","agent":"prime"},{"id":"b","agent":"tag","after":["a"]})");
    const auto step = story.last_delivery();
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "byte>tag"}}, 0}});
    story.restart();
    story.as("prime").ask(ReplyToDelivery{step,
                                          envelope({.id = "r",
                                                    .from = "prime",
                                                    .to = "ORC",
                                                    .correlation = "w",
                                                    .intent = Intent::Reply,
                                                    .body = R"({"output":1})"})});
    story.as_the_hub().connect("prime", 10, "again");
    story.as("prime").ask(ReplyToDelivery{story.last_delivery(),
                                          envelope({.id = "r-2",
                                                    .from = "prime",
                                                    .to = "ORC",
                                                    .correlation = "w",
                                                    .intent = Intent::Reply,
                                                    .body = R"({"output":1})"})});
    EXPECT_EQ(code(), R"("ROUTE_NOT_PERMITTED")");
}

TEST_F(WorkflowTree, T14_G6_StepsOfAllStartersShareNoRate) {
    allow({{{Rule::MessagesPerMinute, {}}, 2}});
    for (const auto* starter : {"prime", "byte"}) {
        for (const auto* id : {"1", "2"}) {
            story.as(starter).ask(StartWorkflow{.id = std::string{starter} + id,
                                                .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
            EXPECT_EQ(asked(), Ids{"tag"}) << starter << id;
        }
    }
    story.ask(StartWorkflow{.id = "w", .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded) << "who starts them has a rate";
}

TEST_F(WorkflowTree, T14_G6_StartedWorkflowsAndHumanTasksCountAsSentMessages) {
    allow({{{Rule::MessagesPerMinute, {ScopeKind::Agent, "byte"}}, 2}});
    const auto wait = [&] {
        const auto refused = story.asked_for<TellRefused>();
        return refused.empty() ? 0 : refused.back().retry_after_ms;
    };
    const auto start_one = [&](const std::string& id) {
        story.ask(StartWorkflow{.id = id, .plan = R"({"steps":[{"id":"a","agent":"tag"}]})"});
        return story.refusal();
    };
    story.as("byte");
    EXPECT_EQ(start_one("w-1"), Refusal::None);
    EXPECT_EQ(start_one("w-1"), Refusal::None) << "the same again is nothing new";
    story.ask(OpenHumanTask{{.text = "May I?"}});
    EXPECT_EQ(story.refusal(), Refusal::None);
    story.later(Duration{12'500});
    EXPECT_EQ(start_one("w-2"), Refusal::RateLimitExceeded);
    EXPECT_EQ(wait(), 47'500U);
    EXPECT_EQ(start_one("w-1"), Refusal::None) << "nor is it now";
    story.ask(OpenHumanTask{{.text = "And now?"}});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    EXPECT_EQ(wait(), 47'500U);
    story.send({.id = "m", .from = "byte", .to = "tag"});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    story.as("prime");
    EXPECT_EQ(start_one("w-3"), Refusal::None);
    story.as_caller({.agent = {"byte"}, .is_operator = true});
    EXPECT_EQ(start_one("w-4"), Refusal::None) << "an operator of that name is not that agent";
    story.as("byte").later(Duration{47'500});
    EXPECT_EQ(start_one("w-2"), Refusal::None);
}

TEST_F(WorkflowTree, X13_K23_AWorkflowCannotUseASessionKeptForAnotherUser) {
    story.as_caller({.agent = {"prime"}, .users = {"u-2"}})
        .ask(WriteSession{.id = "kept", .user = "u-2"});
    const auto start_in = [&](const std::string& session, const std::string& user) {
        story.as_caller({.agent = {"byte"}, .users = {"u-1", "u-2"}})
            .ask(StartWorkflow{.id = "w " + session + user,
                               .plan = R"({"steps":[{"id":"a","agent":"tag"}]})",
                               .user = user,
                               .session = session});
        return story.refusal();
    };
    EXPECT_EQ(start_in("kept", "u-1"), Refusal::UserIsolationViolated);
    EXPECT_EQ(start_in("kept", ""), Refusal::UserIsolationViolated);
    EXPECT_NE(story.asked_for<TellRefused>().back().detail.find("no user is named"),
              std::string::npos);
    EXPECT_EQ(asked(), Ids{});
    EXPECT_EQ(start_in("kept", "u-2"), Refusal::None);
    EXPECT_EQ(start_in("free", "u-1"), Refusal::None);
}

TEST_F(WorkflowTree, X13_AnOutcomeIsToldOnlyToCallersWhoMayActForTheUser) {
    const auto ask_as = [&](std::vector<std::string> users) {
        story.as_caller({.agent = {"prime"}, .users = std::move(users)}).ask(plain("k", "u-1"));
        return story.refusal();
    };
    EXPECT_EQ(ask_as({"u-1"}), Refusal::None);
    story.as("tag").ask(ReplyToDelivery{story.last_delivery(),
                                        envelope({.id = "r",
                                                  .from = "tag",
                                                  .to = "prime",
                                                  .correlation = "k",
                                                  .intent = Intent::Reply})});
    for (const auto& users : {std::vector<std::string>{}, {"u-2"}}) {
        EXPECT_EQ(ask_as(users), Refusal::UserIsolationViolated);
        EXPECT_TRUE(story.happened<DuplicateReceived>().empty());
    }
    for (const auto* user : {"u-1", "*"}) {
        EXPECT_EQ(ask_as({user}), Refusal::None);
        EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U) << user;
    }
    story.as_operator().ask(plain("k", "u-1"));
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U);
}

TEST_F(WorkflowTree, X13_D4_ARequestFromGivenWorkIsRepeatedWithoutAGrant) {
    give_byte_work(9);
    auto below = plain("k", "u-1");
    below.envelope = envelope(
        {.id = "k", .from = "byte", .to = "tag", .correlation = "s-1", .intent = Intent::Request});
    for (const std::size_t duplicates : {0U, 1U}) {
        story.as("byte").ask(below);
        EXPECT_EQ(story.refusal(), Refusal::None);
        EXPECT_EQ(story.happened<DuplicateReceived>().size(), duplicates);
    }
    story.as("byte").ask(ReplyToDelivery{work,
                                         envelope({.id = "r-1",
                                                   .from = "byte",
                                                   .to = "prime",
                                                   .correlation = "s-1",
                                                   .intent = Intent::Reply})});
    story.ask(below);
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U) << "it was given with the work";
}

/// A step runs at "prime", which asked "byte", which asked "tag" and answered before "tag" did.
class CancelledTree : public WorkflowTree {
  protected:
    CancelledTree() {
        story.as_operator().ask(
            StartWorkflow{.id = "w", .plan = R"({"steps":[{"id":"a","agent":"prime"}]})"});
        step = story.last_delivery();
        delegate("d-1", "prime", "byte", "w");
        const auto first = story.last_delivery();
        open = delegate("d-2", "byte", "tag", "d-1-s");
        story.as("byte").ask(ReplyToDelivery{.delivery = first,
                                             .envelope = envelope({.id = "r-1",
                                                                   .from = "byte",
                                                                   .to = "prime",
                                                                   .correlation = "w",
                                                                   .intent = Intent::Reply})});
        EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
        EXPECT_NE(broker::find_request(story.state().requests, open), nullptr);
    }
    Ticket delegate(const std::string& id,
                    const std::string& from,
                    const std::string& to,
                    const std::string& session) {
        Claim claim{.session = session,
                    .child_session = id + "-s",
                    .objective = id,
                    .objective_hash = id,
                    .depth_max = 9,
                    .has_session = true};
        story.as(from).ask(SendMessage{
            .envelope = envelope(
                {.id = id, .from = from, .to = to, .correlation = "w", .intent = Intent::Request}),
            .priority = Priority::High,
            .claim = std::make_shared<Claim>(std::move(claim))});
        const auto accepted = story.happened<MessageAccepted>();
        EXPECT_EQ(accepted.size(), 1U);
        return accepted.empty() ? Ticket{} : accepted.front().ticket;
    }
    std::vector<Ticket> cancelled() const {
        std::vector<Ticket> tickets;
        for (const auto& each : story.happened<RequestCancelled>()) tickets.push_back(each.request);
        return tickets;
    }

    DeliveryToken step{};
    Ticket open{};
};

TEST_F(CancelledTree, X21_W1_OpenRequestsBelowAnAnsweredOneAreCancelledOnce) {
    story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    EXPECT_EQ(cancelled(), (std::vector{step.ticket, open}));
    ASSERT_EQ(story.happened<WorkflowEnded>().size(), 1U);
    EXPECT_EQ(story.happened<WorkflowEnded>().front().end, WorkflowEnd::Cancelled);
    EXPECT_TRUE(story.state().requests.slots.empty());
    story.ask(CancelRequest{"w", "again"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationNotFound);
}

TEST_F(CancelledTree, X21_W1_OpenRequestsAreCancelledOnceAfterARestart) {
    story.as_the_hub().restart();
    story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    EXPECT_EQ(story.happened<RequestCancelled>().size(), 2U);
    EXPECT_TRUE(story.state().requests.slots.empty());
}

TEST_F(CancelledTree, X21_W1_AStoppedFleetCancelsEachRequestOnce) {
    story.as_operator().ask(StopFleet{"enough", true});
    EXPECT_EQ(cancelled(), (std::vector{step.ticket, open}));
    EXPECT_TRUE(story.state().requests.slots.empty());
    EXPECT_TRUE(story.state().workflows.runs.tickets().empty());
}

TEST_F(CancelledTree, X21_W1_CancellingASessionAndTheWorkflowCancelsEachRequestOnce) {
    story.as_operator().ask(CancelRequest{"d-1-s", "that part is not needed"});
    EXPECT_EQ(cancelled(), std::vector{open});
    story.ask(CancelRequest{"w", "nor is the rest"});
    EXPECT_EQ(cancelled(), std::vector{step.ticket});
}

}  // namespace
}  // namespace parlance::core
