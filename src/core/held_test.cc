// Requests held for a person: when a budget runs out (X8, S13), and above a threshold (T14); and
// the chains that a policy enables (T14).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/snapshot.h"
#include "core/testing/older_snapshot.h"
#include "core/testing/story.h"
#include "core/words.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

Caller person(std::string name) {
    return {.agent = {std::move(name)}, .is_operator = true, .role = OperatorRole::Operator};
}

class Held : public ::testing::Test {
  protected:
    Held() {
        for (const auto* name : {"prime", "byte", "tag"}) story.agent(name);
    }
    void allow(const Settings& settings) {
        story.as_operator().ask(ChangePolicy{.settings = print_policy(settings), .reason = "test"});
        ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
        story.as_the_hub();
    }
    struct DraftedDelegation {
        std::string id;
        std::uint64_t tokens = 0;
        std::string from = "prime";
        std::string to = "byte";
        std::string session = "s-1";
        Duration timeout = 15s;
        std::uint64_t tokens_estimated = 0;
    };
    /// The request's ticket; none if refused.
    Ticket delegate(const DraftedDelegation& delegation) {
        story.as(delegation.from)
            .ask(SendMessage{.envelope = envelope({.id = delegation.id,
                                                   .from = delegation.from,
                                                   .to = delegation.to,
                                                   .correlation = delegation.session,
                                                   .intent = Intent::Request}),
                             .priority = Priority::High,
                             .timeout = delegation.timeout,
                             .claim = std::make_shared<Claim>(
                                 Claim{.user = {},
                                       .session = delegation.session,
                                       .child_session = delegation.id + "-s",
                                       .objective = delegation.id,
                                       .objective_hash = delegation.id,
                                       .depth_max = 4,
                                       .tokens_max = delegation.tokens,
                                       .tokens_estimated = delegation.tokens_estimated,
                                       .has_session = true})});
        const auto accepted = story.happened<MessageAccepted>();
        return accepted.empty() ? Ticket{} : accepted.front().ticket;
    }
    Ticket asked_for(Ticket request) {
        const auto human_task = people::find_by_request(story.state().people, request);
        return human_task == nullptr ? Ticket{} : human_task->asked.id;
    }
    void decide(Ticket request, AnswerHumanTask answer, const std::string& who = "olga") {
        answer.id = asked_for(request);
        story.as_caller(person(who)).ask(std::move(answer));
    }
    void answer(const std::string& from, const std::string& question, std::uint64_t tokens) {
        story.as(from).ask(answer_to(question, from, tokens));
        ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U) << question;
    }
    /// The request of a workflow's only step, which costs more than the budget has left.
    Ticket ask_for_a_dear_step(const std::string& starter = {}) {
        if (starter.empty()) story.as_the_hub();
        if (!starter.empty()) story.as_caller(person(starter));
        story.ask(
            StartWorkflow{.id = "w",
                          .plan = R"({"steps":[{"id":"a","agent":"byte","max_tokens":1001}]})",
                          .input = "{}"});
        const auto began = story.happened<StepBegan>();
        EXPECT_EQ(began.size(), 1U);
        return began.empty() ? Ticket{} : began.front().request;
    }
    Reading<governor::Delegation> on_record(Ticket ticket) {
        return governor::find_delegation(story.state().governor.lineage, ticket);
    }
    governor::Budget budget_of_tree() {
        const auto& roots = story.state().governor.lineage.roots;
        return roots.at(roots.tickets().front())->budget;
    }

    Story story;
};

const Settings kSmallBudget{{{Rule::TokensPerRoot, {}}, 1'000}, {{Rule::BudgetAsksPeople, {}}, 1}};

TEST_F(Held, X8_WithoutTheRuleAnEmptyBudgetRefuses) {
    allow({{{Rule::TokensPerRoot, {}}, 1'000}});
    delegate({.id = "d-1", .tokens = 1'001});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_TRUE(story.state().people.human_tasks.empty());
}

TEST_F(Held, X8_S13_WithTheRuleARequestWaitsForAPersonAndReservesNothing) {
    allow(kSmallBudget);
    story.connect("byte", 4);
    const auto first = delegate({.id = "d-1", .tokens = 1'000});
    ASSERT_NE(first, Ticket{});
    const auto second = delegate({.id = "d-2", .tokens = 1});
    ASSERT_NE(second, Ticket{}) << "it is accepted";
    EXPECT_NE(asked_for(second), Ticket{}) << "and a person is asked";
    EXPECT_TRUE(story.delivered().empty()) << "but not its recipient";
    EXPECT_EQ(on_record(second), nullptr);
    EXPECT_EQ(budget_of_tree().reserved, 1'000U);
    EXPECT_EQ(on_record(first)->open_children, 0U);
    EXPECT_EQ(story.mailbox("byte").waiting, 0U);
}

TEST_F(Held, G7_AHeldRequestCountsTowardsTheHubsBytes) {
    allow(kSmallBudget);
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    ASSERT_NE(held, Ticket{});
    const auto& asked = people::find_human_task(story.state().people, asked_for(held))->asked;
    EXPECT_EQ(bytes_kept(story.state()), 2 + 3 + people::bytes_of(asked))
        << "with its objective, kept for a later approval, and with the text that people read";
    story.limits().hub_bytes_max = bytes_kept(story.state()) + 2;  // Room for one more message.
    story.as("prime").send({.id = "m-1", .from = "prime", .to = "tag"});
    ASSERT_EQ(story.refusal(), Refusal::None);
    story.send({.id = "m-2", .from = "prime", .to = "tag"});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull);
    story.restart();
    decide(held, {.decision = HumanDecision::Approve});
    EXPECT_EQ(story.mailbox("byte").bytes, 2U) << "it moved on,";
    // The human task has ended, and such a small hub forgets it.
    EXPECT_EQ(bytes_kept(story.state()), 2U + 2U);
    story.limits().hub_bytes_max = bytes_kept(story.state());
    story.as("prime").send({.id = "m-3", .from = "prime", .to = "tag"});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull) << "and counts once";
    story.connect("byte", 1);
    answer("byte", "d-1", 10);
    story.as("prime").send({.id = "m-4", .from = "prime", .to = "tag"});
    EXPECT_EQ(story.refusal(), Refusal::MailboxFull) << "its answer waits in its place";
}

/// An approver may be the user concerned, also where the request names no user.
TEST_F(Held, S13_X13_AUserCannotApproveSpendingForThemself) {
    story.connect("byte", 4);
    story.as_caller({.agent = {"prime"}, .users = {"ulla"}})
        .ask(SendMessage{
            .envelope =
                envelope({.id = "d-1", .from = "prime", .to = "byte", .intent = Intent::Request}),
            .claim = std::make_shared<Claim>(Claim{.user = "ulla",
                                                   .session = "s-1",
                                                   .child_session = "s-2",
                                                   .objective_hash = "o",
                                                   .depth_max = 4,
                                                   .tokens_max = 1'000,
                                                   .has_session = true})});
    ASSERT_EQ(story.delivered(), Ids{"d-1"});
    allow({{{Rule::RiskLow, {}}, 100}});
    // In ulla's tree, though the request itself names no user.
    const auto held =
        delegate({.id = "d-2", .tokens = 101, .from = "byte", .to = "tag", .session = "s-2"});
    ASSERT_NE(asked_for(held), Ticket{});
    decide(held, {}, "ulla");
    EXPECT_EQ(story.refusal(), Refusal::HumanAnswerForbidden);
    decide(held, {}, "olga");
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST_F(Held, X8_S13_AnApprovedRequestHasTokensOfItsOwn) {
    allow(kSmallBudget);
    delegate({.id = "d-1", .tokens = 1'000, .timeout = 2h});
    const auto held = delegate({.id = "d-2", .tokens = 200});
    story.later(1h);
    story.as("byte");
    story.connect("byte", 4);
    EXPECT_EQ(story.delivered(), Ids{"d-1"});
    decide(held, {.tokens = 500});
    EXPECT_EQ(story.delivered(), Ids{"d-2"});
    ASSERT_NE(on_record(held), nullptr);
    EXPECT_EQ(on_record(held)->tokens, 500U) << "what the person gave it";
    EXPECT_EQ(on_record(held)->deadline, story.now() + 15s) << "its own time begins now";
    EXPECT_EQ(budget_of_tree().reserved, 1'000U) << "G4: nothing of it comes out of the tree's";
    answer("byte", "d-2", 500);
    EXPECT_EQ(budget_of_tree().reserved + budget_of_tree().spent, 1'000U);
    EXPECT_FALSE(on_record(held)->is_open);
    EXPECT_TRUE(story.state().governor.held.empty());
}

TEST_F(Held, X8_S13_ChildrenSpendTheTokensAPersonGranted) {
    allow(kSmallBudget);
    story.connect("byte", 4);
    delegate({.id = "d-1", .tokens = 1'000});
    const auto held = delegate({.id = "d-2", .tokens = 200});
    decide(held, {.tokens = 300});
    const auto child =
        delegate({.id = "d-3", .tokens = 300, .from = "byte", .to = "tag", .session = "d-2-s"});
    ASSERT_NE(on_record(child), nullptr) << "there is enough for it";
    const auto more =
        delegate({.id = "d-4", .tokens = 1, .from = "byte", .to = "tag", .session = "d-2-s"});
    EXPECT_EQ(on_record(more), nullptr) << "and not for one token more: a person is asked again";
    EXPECT_NE(asked_for(more), Ticket{});
}

TEST_F(Held, X8_W9_TheApprovedTokensAreAdmittedAndDelivered) {
    for (const std::uint64_t tokens : {100U, 200U, 500U}) {
        allow(kSmallBudget);
        story.as("byte");
        story.connect("byte", 8);
        const auto id = "d-" + std::to_string(tokens);
        delegate({.id = id + "-a", .tokens = 1'000, .session = id});
        const auto held = delegate({.id = id, .tokens = 200, .session = id});
        decide(held, {.tokens = tokens});
        ASSERT_NE(on_record(held), nullptr);
        EXPECT_EQ(on_record(held)->tokens, tokens) << "no more and no less than the person gave";
        const auto shown = story.asked_for<Deliver>();
        ASSERT_EQ(shown.size(), 1U);
        const auto expected_body =
            tokens == 200 ? "{}" : fmt::format(R"({{"tokens_max":{}}})", tokens);
        EXPECT_EQ(shown[0].envelope->body(), expected_body) << "and its recipient is told so";
    }
}

TEST_F(Held, X8_W9_AnApprovalBelowTheEstimateFailsTheRequest) {
    allow(kSmallBudget);
    delegate({.id = "d-1", .tokens = 1'000});
    const auto held = delegate({.id = "d-2", .tokens = 200, .tokens_estimated = 150});
    decide(held, {.tokens = 149});
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].refusal, Refusal::BudgetTokensExceeded);
}

TEST_F(Held, T14_W9_TwoPeopleApproveTheSameTokens) {
    allow({{{Rule::RiskHigh, {}}, 1'000}});
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    decide(held, {.tokens = 1'500});
    EXPECT_EQ(story.happened<HumanAnswered>().size(), 1U);
    for (const std::uint64_t other : {0U, 1'501U, 9'000'000U}) {
        decide(held, {.tokens = other}, "otto");
        EXPECT_EQ(story.refusal(), Refusal::StateVersionStale) << other;
        EXPECT_TRUE(story.happened<HumanAnswered>().empty());
    }
    story.as_the_hub().restart();
    decide(held, {.tokens = 1'500}, "otto");
    ASSERT_EQ(story.happened<RequestReleased>().size(), 1U);
    EXPECT_EQ(on_record(held)->tokens, 1'500U);
}

TEST_F(Held, T14_W9_ApprovingWithoutANumberApprovesTheTokensAskedFor) {
    allow({{{Rule::RiskHigh, {}}, 1'000}});
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    decide(held, {});
    decide(held, {.tokens = 1'001}, "otto");
    EXPECT_EQ(story.happened<RequestReleased>().size(), 1U);
}

TEST_F(Held, T14_W9_OnePersonCannotGrantMoreThanTheHighThreshold) {
    allow({{{Rule::RiskLow, {}}, 100}, {{Rule::RiskHigh, {}}, 1'000}});
    const auto held = delegate({.id = "d-1", .tokens = 101});
    decide(held, {.tokens = 1'001});
    EXPECT_EQ(story.refusal(), Refusal::HumanAnswerForbidden);
    EXPECT_NE(asked_for(held), Ticket{}) << "it waits as before";
    decide(held, {.tokens = 1'000});
    ASSERT_EQ(story.happened<RequestReleased>().size(), 1U);
    EXPECT_EQ(on_record(held)->tokens, 1'000U);
}

TEST_F(Held, T14_W9_ALoweredHighThresholdBindsAnEarlierHeldRequest) {
    allow({{{Rule::RiskLow, {}}, 100}});
    const auto held = delegate({.id = "d-1", .tokens = 500});
    allow({{{Rule::RiskLow, {}}, 100}, {{Rule::RiskHigh, {}}, 400}});
    decide(held, {});
    EXPECT_EQ(story.refusal(), Refusal::HumanAnswerForbidden);
    EXPECT_TRUE(story.happened<RequestReleased>().empty());
    decide(held, {.tokens = 400});
    EXPECT_EQ(story.happened<RequestReleased>().size(), 1U) << "so many one person can give";
}

TEST_F(Held, W9_TheTargetCannotAnswerBeforeTheApproval) {
    allow(kSmallBudget);
    const auto request = delegate({.id = "dear", .tokens = 1'001});
    ASSERT_NE(asked_for(request), Ticket{});
    const auto expect_untouched = [&](const std::string& way) {
        EXPECT_TRUE(story.happened<RequestAnswered>().empty()) << way;
        EXPECT_TRUE(story.happened<RequestFailed>().empty()) << way;
        EXPECT_NE(broker::find_request(story.state().requests, request), nullptr) << way;
    };
    // The target may know the id, or guess it.
    story.as("byte").ask(answer_to("dear", "byte", 10));
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_EQ(story.happened<MessageRefused>().size(), 1U) << "A1: it is on record";
    expect_untouched("a reply");

    story.as("byte").ask(SendMessage{.envelope = envelope({.id = "half",
                                                           .from = "byte",
                                                           .to = "prime",
                                                           .intent = Intent::Progress,
                                                           .answers = "dear"}),
                                     .priority = Priority::High});
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_TRUE(story.happened<ProgressReported>().empty());
    expect_untouched("progress");

    story.as("byte").ask(RefuseReply{.reply = answer_to("dear", "byte").envelope, .id = "bad"});
    expect_untouched("a reply that breaks a rule");

    story.as("byte").ask(CancelRequest{"dear", "I do not want it"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationNotFound);
    expect_untouched("a cancellation");

    for (const std::uint16_t attempt : {std::uint16_t{0}, std::uint16_t{1}}) {
        story.as("byte").ask(ReplyToDelivery{.delivery = {request, attempt},
                                             .envelope = answer_to("dear", "byte").envelope});
        EXPECT_EQ(story.happened<SettlementRefused>().size(), 1U);
        expect_untouched("a guessed delivery");
    }
    story.as("byte").ask(AuthorizeTool{.agent = {"byte"}, .tool = "ocr", .request = "dear"});
    EXPECT_TRUE(story.happened<ToolAuthorized>().empty());

    // The same after a restart; and once the request is approved, the target's answer counts.
    story.as_the_hub().restart();
    story.as("byte").ask(answer_to("dear", "byte", 10));
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    decide(request, {.decision = HumanDecision::Approve});
    answer("byte", "dear", 10);
}

TEST_F(Held, W9_AReplyByWorkflowDoesNotAnswerAHeldRequest) {
    allow(kSmallBudget);
    const auto held = delegate({.id = "dear", .tokens = 1'001});
    ASSERT_NE(asked_for(held), Ticket{});
    const auto open = delegate({.id = "cheap", .tokens = 10});
    story.as("byte");
    story.poll("byte");
    story.ask(TakeMessages{{story.state().registry.instance_last}, 5});
    ASSERT_EQ(story.delivered(), Ids{"cheap"});
    // The reply names the workflow of both requests, and "byte" has only one of them.
    story.ask(SendMessage{.envelope = envelope({.id = "r",
                                                .from = "byte",
                                                .to = "prime",
                                                .correlation = "s-1",
                                                .intent = Intent::Reply}),
                          .priority = Priority::High});
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(story.happened<RequestAnswered>().front().request, open);
}

TEST_F(Held, X8_S13_ARejectedRequestFailsWithTheReason) {
    allow(kSmallBudget);
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    decide(held, {.decision = HumanDecision::Reject, .reason = "too dear"});
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].request, held);
    EXPECT_EQ(failed[0].refusal, Refusal::BudgetTokensExceeded);
    EXPECT_NE(failed[0].detail.find("'olga' said no: too dear"), std::string::npos);
    EXPECT_TRUE(story.state().governor.held.empty());
}

/// An answered human task has ended, whatever becomes of the request (W9, A1).
TEST_F(Held, X8_S13_AHeldRequestCannotBeEdited) {
    allow(kSmallBudget);
    const auto request = delegate({.id = "d-1", .tokens = 1'001});
    decide(request, {.decision = HumanDecision::Edit, .content = R"({"tokens":900})"});
    EXPECT_EQ(story.refusal(), Refusal::InputValidationFailed);
    EXPECT_TRUE(story.happened<RequestFailed>().empty()) << "it is no silent no";
    decide(request, {.decision = HumanDecision::Approve, .tokens = 900});
    EXPECT_EQ(story.happened<RequestReleased>().size(), 1U);
}

TEST_F(Held, W9_A1_AnAnsweredHumanTaskIsNotWithdrawnToo) {
    allow(kSmallBudget);
    const auto is_answered_once = [&](Ticket id) {
        EXPECT_EQ(story.happened<HumanAnswered>().size(), 1U);
        EXPECT_TRUE(story.happened<HumanWithdrawn>().empty());
        EXPECT_EQ(people::find_human_task(story.state().people, id)->stage,
                  people::Stage::Answered);
        story.as_caller(person("otto")).ask(AnswerHumanTask{.id = id});
        EXPECT_EQ(story.refusal(), Refusal::HumanAlreadyAnswered);
    };
    const auto rejected = delegate({.id = "d-1", .tokens = 1'001});
    const auto first = asked_for(rejected);
    decide(rejected, {.decision = HumanDecision::Reject, .reason = "too dear"});
    is_answered_once(first);
    // Approved, but the recipient was removed meanwhile.
    const auto hindered = delegate({.id = "d-2", .tokens = 1'001});
    const auto second = asked_for(hindered);
    story.as_operator().ask(RemoveAgent{{"byte"}});
    decide(hindered, {});
    EXPECT_EQ(story.happened<RequestFailed>().size(), 1U);
    is_answered_once(second);
}

TEST_F(Held, S13_ALapsedHumanTaskFailsTheRequest) {
    allow(kSmallBudget);
    story.limits().people["budget"] = {.deadline = 2h};
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    const auto& human_tasks = story.state().people.human_tasks;
    EXPECT_EQ(human_tasks.at(human_tasks.tickets().front())->asked.role, "budget");
    story.later(2h - 1ms).tick();
    EXPECT_TRUE(story.happened<RequestFailed>().empty());
    story.later(1ms).tick();
    ASSERT_EQ(story.happened<RequestFailed>().size(), 1U);
    EXPECT_EQ(story.happened<RequestFailed>()[0].request, held);
    EXPECT_EQ(story.happened<RequestFailed>()[0].refusal, Refusal::HumanNotAnswered);
}

TEST_F(Held, X21_ACancellationReachesWhatWaitsForLeaveBelowIt) {
    allow(kSmallBudget);
    const auto parent = delegate({.id = "d-1", .tokens = 400});
    const auto child =
        delegate({.id = "d-2", .tokens = 401, .from = "byte", .to = "tag", .session = "d-1-s"});
    const auto human_task = asked_for(child);
    ASSERT_NE(human_task, Ticket{});
    story.as_the_hub().restart();
    story.as("prime").ask(CancelRequest{"d-1", "not needed"});
    std::vector<Ticket> cancelled;
    for (const auto& each : story.happened<RequestCancelled>()) cancelled.push_back(each.request);
    EXPECT_EQ(cancelled, (std::vector{parent, child}));
    ASSERT_EQ(story.happened<HumanWithdrawn>().size(), 1U);
    EXPECT_EQ(story.happened<HumanWithdrawn>()[0].id, human_task);
    EXPECT_TRUE(story.state().requests.slots.empty()) << "W1: who asked has its answer";
    EXPECT_TRUE(story.state().governor.held.empty());
}

TEST_F(Held, X21_SoDoesTheCancellationOfAWorkflow) {
    story.connect("byte", 4);
    story.as_caller(person("olga"))
        .ask(StartWorkflow{.id = "w",
                           .plan = R"({"steps":[{"id":"a","agent":"byte","max_tokens":900}]})",
                           .input = "{}"});
    allow({{{Rule::RiskLow, {}}, 100}});
    story.as("byte").ask(SendMessage{.envelope = envelope({.id = "d-2",
                                                           .from = "byte",
                                                           .to = "tag",
                                                           .correlation = "w",
                                                           .intent = Intent::Request}),
                                     .priority = Priority::High,
                                     .claim = std::make_shared<Claim>(Claim{.tokens_max = 101})});
    ASSERT_EQ(story.happened<HumanAsked>().size(), 1U);
    story.as_caller(person("olga")).ask(CancelRequest{"w", "not needed"});
    EXPECT_EQ(story.happened<RequestCancelled>().size(), 2U);
    EXPECT_EQ(story.happened<HumanWithdrawn>().size(), 1U);
    EXPECT_TRUE(story.state().requests.slots.empty());
}

TEST_F(Held, X4_G1_AStepThatPeopleLetThroughStandsAsDeepAsOneThatNobodyWasAskedAbout) {
    allow(kSmallBudget);
    const auto held = ask_for_a_dear_step();
    story.restart();
    decide(held, {});
    ASSERT_EQ(story.happened<RequestReleased>().size(), 1U);
    EXPECT_EQ(on_record(held)->depth, 0U);
    // So it is let through where none may delegate further.
    auto policy = kSmallBudget;
    policy[{Rule::DepthMax, {}}] = 1;
    allow(policy);
    story.as_the_hub().ask(
        StartWorkflow{.id = "v",
                      .plan = R"({"steps":[{"id":"a","agent":"tag","max_tokens":1001}]})",
                      .input = "{}"});
    ASSERT_EQ(story.happened<StepBegan>().size(), 1U);
    decide(story.happened<StepBegan>()[0].request, {});
    EXPECT_EQ(story.happened<RequestReleased>().size(), 1U);
}

TEST_F(Held, X8_AnEstimateIsComparedOnlyWithABudgetThatSomebodySaid) {
    allow({{{Rule::TokensInTotal, {}}, 9'000}, {{Rule::RiskLow, {}}, 1'000}});
    const auto ask = [&](const std::string& id) {
        story.as("prime").ask(
            SendMessage{.envelope = envelope({.id = id,
                                              .from = "prime",
                                              .to = "byte",
                                              .correlation = id,
                                              .intent = Intent::Request}),
                        .priority = Priority::High,
                        .claim = std::make_shared<Claim>(Claim{.tokens_estimated = 1'500})});
        const auto accepted = story.happened<MessageAccepted>();
        return accepted.empty() ? Ticket{} : accepted.front().ticket;
    };
    const auto first = ask("m-1");
    ASSERT_NE(asked_for(first), Ticket{}) << "it is given what is usual, which is a risk";
    decide(first, {});
    ASSERT_EQ(story.happened<RequestReleased>().size(), 1U);
    EXPECT_EQ(on_record(first)->tokens, 1'200U);
    const auto second = ask("m-2");
    ASSERT_NE(asked_for(second), Ticket{});
    decide(second, {.tokens = 1'499});
    ASSERT_EQ(story.happened<RequestFailed>().size(), 1U) << "this a person has said";
    EXPECT_EQ(story.happened<RequestFailed>()[0].refusal, Refusal::BudgetTokensExceeded);
}

TEST_F(Held, X21_CancellingWithdrawsTheHumanTask) {
    allow(kSmallBudget);
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    const auto human_task = asked_for(held);
    story.as("prime").ask(CancelRequest{"d-1", "not needed"});
    EXPECT_EQ(story.happened<HumanWithdrawn>().size(), 1U);
    story.as_caller(person("olga")).ask(AnswerHumanTask{.id = human_task});
    EXPECT_EQ(story.refusal(), Refusal::HumanTaskClosed);
    EXPECT_TRUE(story.happened<RequestReleased>().empty());
}

TEST_F(Held, X8_OtherLimitsApplyAfterTheApproval) {
    auto settings = kSmallBudget;
    settings[{Rule::FanoutMax, {}}] = 1;
    allow(settings);
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    ASSERT_NE(delegate({.id = "d-2", .tokens = 1}), Ticket{});
    decide(held, {});
    ASSERT_EQ(story.happened<RequestFailed>().size(), 1U);
    EXPECT_EQ(story.happened<RequestFailed>()[0].refusal, Refusal::DelegationFanoutExceeded);
}

TEST_F(Held, X7_AHeldRequestHasNoMoreTimeThanItsParent) {
    allow(kSmallBudget);
    story.connect("byte", 4);
    delegate({.id = "d-1", .tokens = 900, .timeout = 60s});
    const auto held =
        delegate({.id = "d-2", .tokens = 901, .from = "byte", .to = "tag", .session = "d-1-s"});
    ASSERT_NE(asked_for(held), Ticket{});
    story.later(50s);
    decide(held, {});
    EXPECT_EQ(on_record(held)->deadline, story.now() + 10s);
}

TEST_F(Held, G5_ALapseIsNoFailureOfTheTarget) {
    allow(kSmallBudget);
    story.connect("byte", 4);
    delegate({.id = "d-1", .tokens = 900, .timeout = 10s});
    const auto held =
        delegate({.id = "d-2", .tokens = 901, .from = "byte", .to = "tag", .session = "d-1-s"});
    story.as_the_hub().later(10s).tick();
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 2U) << "the parent's time is over, and so is the child's";
    EXPECT_EQ(std::ranges::count(failed, held, &RequestFailed::request), 1);
    const auto tag = registry::find_agent(story.state().registry, "tag");
    EXPECT_FALSE(story.state().governor.breakers.contains(tag)) << "tag was never asked";
}

TEST_F(Held, X7_AHeldRequestWithAnAnsweredParentDoesNotGoOn) {
    allow(kSmallBudget);
    story.connect("byte", 4);
    delegate({.id = "d-1", .tokens = 900, .timeout = 60s});
    const auto held =
        delegate({.id = "d-2", .tokens = 901, .from = "byte", .to = "tag", .session = "d-1-s"});
    answer("byte", "d-1", 1);
    decide(held, {});
    ASSERT_EQ(story.happened<RequestFailed>().size(), 1U);
    EXPECT_EQ(story.happened<RequestFailed>()[0].refusal, Refusal::RequestCancelled);
}

TEST_F(Held, S13_W9_HeldRequestsOutliveARestart) {
    allow(kSmallBudget);
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    story.as_the_hub().restart();
    EXPECT_EQ(story.state().governor.held.size(), 1U);
    decide(held, {});
    EXPECT_EQ(story.happened<RequestReleased>().size(), 1U);
    decide(held, {});
    EXPECT_TRUE(story.happened<RequestReleased>().empty()) << "an answer counts once";
}

TEST_F(Held, K3_ADuplicateOfAHeldRequestOpensNoSecondHumanTask) {
    allow(kSmallBudget);
    delegate({.id = "d-1", .tokens = 1'001});
    delegate({.id = "d-1", .tokens = 1'001});
    EXPECT_EQ(story.happened<DuplicateReceived>().size(), 1U);
    EXPECT_EQ(story.state().people.human_tasks.size(), 1U);
}

TEST_F(Held, W11_ASnapshotOfFormSevenNamesGrantsTwice) {
    allow(kSmallBudget);
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    decide(held, {});
    ASSERT_TRUE(on_record(held)->is_granted);
    story.state().broker.epoch = {};  // Form 7 had no epoch.
    const auto now = encode_state(story.state());
    auto seven = now;
    seven[0] = 7;
    // The bytes behind the empty list of held requests: the tools allowed by operators, silent
    // instances, and the additions of forms 12 and 13, all empty as well.
    ASSERT_TRUE(seven.ends_with(std::string_view{"\0\0\0\0\0\0\0\0\0\0", 10}));
    seven.resize(seven.size() - 9);
    put(seven, std::uint64_t{1});
    put(seven, held.value);
    put(seven, std::uint64_t{0});
    const auto put_older = [](auto& out, const auto& thing) { put_eight(out, thing); };
    const auto& state = story.state();
    age(seven, state.people.human_tasks, people::HumanTaskCodec{}, put_older);
    age(seven, state.governor.lineage.roots, governor::RootCodec{}, put_older);
    age(seven, state.governor.lineage.delegations, governor::DelegationCodec{}, put_older);
    const auto reloaded = decode_state(seven, story.limits());
    ASSERT_TRUE(reloaded);
    EXPECT_EQ(encode_state(*reloaded), now);
}

TEST_F(Held, T14_AboveTheLowThresholdOnePersonDecides) {
    allow({{{Rule::RiskLow, {}}, 100}});
    EXPECT_EQ(asked_for(delegate({.id = "d-1", .tokens = 100})), Ticket{}) << "at it, nobody";
    const auto held = delegate({.id = "d-2", .tokens = 101});
    EXPECT_NE(asked_for(held), Ticket{});
    decide(held, {});
    ASSERT_NE(on_record(held), nullptr);
    EXPECT_FALSE(on_record(held)->is_granted) << "the budgets have enough, and it draws on them";
    EXPECT_EQ(budget_of_tree().reserved, 201U);
}

TEST_F(Held, T14_AboveTheHighThresholdTwoPeopleDecide) {
    allow({{{Rule::RiskLow, {}}, 100}, {{Rule::RiskHigh, {}}, 1'000}});
    const auto held = delegate({.id = "d-1", .tokens = 1'001});
    decide(held, {});
    EXPECT_TRUE(story.happened<RequestReleased>().empty());
    decide(held, {});
    EXPECT_EQ(story.refusal(), Refusal::HumanAlreadyAnswered) << "not the same person twice";
    decide(held, {}, "otto");
    EXPECT_EQ(story.happened<RequestReleased>().size(), 1U);
}

TEST_F(Held, T14_AChangedThresholdActsOnTheNextRequest) {
    EXPECT_EQ(asked_for(delegate({.id = "d-1", .tokens = 500})), Ticket{});
    allow({{{Rule::RiskLow, {}}, 100}});
    EXPECT_NE(asked_for(delegate({.id = "d-2", .tokens = 500})), Ticket{});
}

TEST_F(Held, S13_AHeldWorkflowStepGoesOnWhenAPersonApproves) {
    allow(kSmallBudget);
    story.connect("byte", 4);
    const auto standing = [&] {
        const auto told = find_workflow(story.state(), "w")->report;
        return std::pair{told.find(R"("status":"WAITING_FOR_HUMAN")") != std::string::npos,
                         told.find(R"("status":"RUNNING")") != std::string::npos};
    };
    const auto request = ask_for_a_dear_step();
    EXPECT_TRUE(story.asked_for<Deliver>().empty()) << "nobody was asked";
    EXPECT_EQ(standing(), (std::pair{true, false}));
    story.as_the_hub().restart();
    story.connect("byte", 4);
    EXPECT_TRUE(story.asked_for<Deliver>().empty());
    EXPECT_EQ(standing(), (std::pair{true, false}));
    decide(request, {});
    EXPECT_EQ(story.asked_for<Deliver>().size(), 1U);
    EXPECT_EQ(standing(), (std::pair{false, true}));
}

TEST_F(Held, S13_W9_TheStarterOfAWorkflowCannotApproveItsSteps) {
    allow(kSmallBudget);
    const auto request = ask_for_a_dear_step("olga");
    decide(request, {}, "olga");
    EXPECT_EQ(story.refusal(), Refusal::HumanAnswerForbidden) << "it is her own";
    EXPECT_TRUE(story.happened<RequestReleased>().empty());
    decide(request, {}, "otto");
    EXPECT_EQ(story.happened<RequestReleased>().size(), 1U);
}

TEST_F(Held, S13_ARejectionFailsTheStep) {
    allow(kSmallBudget);
    const auto request = ask_for_a_dear_step();
    decide(request, {.decision = HumanDecision::Reject, .reason = "too dear"});
    const auto ended = story.happened<WorkflowEnded>();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_NE(ended[0].report.find("too dear"), std::string::npos) << ended[0].report;
}

TEST_F(Held, T14_OnlyAnEnabledChainIsOpen) {
    allow({{{Rule::ChainEnabled, {}}, 0},
           {{Rule::ChainEnabled, {ScopeKind::Chain, "prime>byte"}}, 1},
           {{Rule::ChainEnabled, {ScopeKind::Chain, "tag>*"}}, 1}});
    EXPECT_NE(delegate({.id = "d-1"}), Ticket{});
    EXPECT_EQ(delegate({.id = "d-2", .to = "tag"}), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_NE(delegate({.id = "d-3", .from = "tag", .session = "s-2"}), Ticket{});
    EXPECT_EQ(delegate({.id = "d-4", .from = "byte", .to = "prime", .session = "s-3"}), Ticket{})
        << "a chain has a direction";
    story.as("byte").request({.id = "q-1", .from = "byte", .to = "tag"});
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted) << "also where nothing is delegated";
}

TEST_F(Held, T14_ChainsAreAlsoOfPlatforms) {
    // Story's envelopes use taskwire, and so do its agents.
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "taskwire>taskwire"}}, 0}});
    EXPECT_EQ(delegate({.id = "d-1"}), Ticket{});
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "taskwire>kessel"}}, 0}});
    EXPECT_NE(delegate({.id = "d-2"}), Ticket{});
}

TEST_F(Held, G7_AnApprovedRequestFailsIfTheMailboxIsFull) {
    story.limits().mailbox_messages_max = 2;
    allow({{{Rule::RiskLow, {}}, 100}});
    std::vector<Ticket> held;
    for (const auto* id : {"d-1", "d-2", "d-3"})
        held.push_back(delegate({.id = id, .tokens = 101}));
    decide(held[0], {});
    decide(held[1], {});
    EXPECT_EQ(story.mailbox("byte").waiting, 2U);
    decide(held[2], {});
    EXPECT_TRUE(story.happened<RequestReleased>().empty());
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].refusal, Refusal::MailboxFull);
    EXPECT_NE(failed[0].detail.find("mailbox_messages_max"), std::string::npos) << failed[0].detail;
    EXPECT_EQ(story.mailbox("byte").waiting, 2U);
}

// --- handoffs, requests for help and pushed state ----------------------------------------------

/// A handoff of task "t", a request for help or a request with state, above the risk threshold.
struct Above {
    std::string id;
    std::string from;
    std::string to;
    Passing passing{};
    std::string state{};
    bool is_plain = false;
};

class HeldPassing : public Held {
  protected:
    HeldPassing() {
        story.limits().lease = 1h;
        story.limits().heartbeat_timeout = 1h;
        allow({{{Rule::RiskLow, {}}, 100}});
        for (const auto* name : {"prime", "byte", "tag"}) story.as_the_hub().connect(name, 10);
    }
    Ticket send(const Above& above) {
        story.as(above.from)
            .ask(SendMessage{
                .envelope = envelope({.id = above.id,
                                      .from = above.from,
                                      .to = above.to,
                                      .task = "t",
                                      .correlation = "c",
                                      .intent = Intent::Request}),
                .priority = Priority::High,
                .timeout = 60s,
                .claim = above.is_plain ? nullptr
                                        : std::make_shared<const Claim>(
                                              Claim{.objective_hash = above.id, .tokens_max = 500}),
                .passing =
                    above.is_plain ? nullptr : std::make_shared<const Passing>(above.passing),
                .state = above.state});
        const auto accepted = story.happened<MessageAccepted>();
        return accepted.empty() ? Ticket{} : accepted.front().ticket;
    }
    /// "prime" has given task "t" to "byte", who has it in hand.
    Ticket give_task() {
        return send({.id = "job", .from = "prime", .to = "byte", .is_plain = true});
    }
    void refuse(const std::string& from, const std::string& question) {
        auto no = answer_to(question, from);
        no.falls_short = true;
        no.kind = AnswerKind::Declined;
        story.as(from).ask(std::move(no));
    }
};

TEST_F(HeldPassing, W7_T3_AnApprovedHandoffHandsTheTaskOver) {
    const auto task = give_task();
    const auto handoff =
        send({.id = "h", .from = "byte", .to = "tag", .passing = {.hands_over = true}});
    ASSERT_NE(asked_for(handoff), Ticket{});
    story.as_the_hub().restart();
    for (const auto* name : {"prime", "byte", "tag"}) story.as_the_hub().connect(name, 10);
    decide(handoff, {});
    ASSERT_EQ(story.delivered(), Ids{"h"});
    answer("tag", "h", 1);
    const auto moved = story.happened<MessageMoved>();
    ASSERT_EQ(moved.size(), 1U) << "who takes it over has it";
    EXPECT_EQ(moved[0].ticket, task);
    EXPECT_EQ(moved[0].envelope->to(), "tag");
}

TEST_F(HeldPassing, W7_T3_ATaskInAHeldHandoffCannotBeOfferedAgain) {
    give_task();
    const auto first =
        send({.id = "h-1", .from = "byte", .to = "tag", .passing = {.hands_over = true}});
    ASSERT_NE(asked_for(first), Ticket{});
    story.as_the_hub().agent("cat");
    EXPECT_EQ(send({.id = "h-2", .from = "byte", .to = "cat", .passing = {.hands_over = true}}),
              Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted)
        << "its agent waits for the first's word";
    decide(first, {.decision = HumanDecision::Reject, .reason = "no"});
    EXPECT_NE(send({.id = "h-3", .from = "byte", .to = "cat", .passing = {.hands_over = true}}),
              Ticket{});
}

TEST_F(HeldPassing, W7_T3_ApprovingAHandoffOfAnEndedTaskFailsIt) {
    give_task();
    const auto handoff =
        send({.id = "h", .from = "byte", .to = "tag", .passing = {.hands_over = true}});
    answer("byte", "job", 1);
    decide(handoff, {});
    EXPECT_TRUE(story.happened<RequestReleased>().empty());
    ASSERT_EQ(story.happened<RequestFailed>().size(), 1U);
    EXPECT_EQ(story.happened<RequestFailed>()[0].refusal, Refusal::DelegationNotFound);
}

TEST_F(HeldPassing, T3_ARefusedApprovedHandoffGoesToTheFallback) {
    give_task();
    story.as_the_hub().agent("cat");
    story.as_the_hub().connect("cat", 10);
    const auto handoff = send({.id = "h",
                               .from = "byte",
                               .to = "tag",
                               .passing = {.hands_over = true, .fallback = "cat"}});
    decide(handoff, {});
    refuse("tag", "h");
    EXPECT_EQ(story.happened<PassingRefused>().size(), 1U);
    EXPECT_EQ(story.delivered(), Ids{"h"});
    const auto moved = story.happened<MessageMoved>();
    ASSERT_EQ(moved.size(), 1U);
    EXPECT_EQ(moved[0].envelope->to(), "cat");
}

TEST_F(HeldPassing, T4_TheFirstHelpersTimeBeginsOnApproval) {
    story.as_the_hub().agent("cat");
    story.as_the_hub().connect("cat", 10);
    const auto plea =
        send({.id = "help", .from = "prime", .to = "tag", .passing = {.fallback = "cat"}});
    ASSERT_NE(asked_for(plea), Ticket{});
    story.as_the_hub().later(50s).tick();
    EXPECT_TRUE(story.happened<PassingRefused>().empty()) << "nobody was asked yet";
    decide(plea, {});
    story.as_the_hub().later(30s - 1ms).tick();
    EXPECT_TRUE(story.happened<PassingRefused>().empty());
    story.later(1ms).tick();
    EXPECT_EQ(story.happened<PassingRefused>().size(), 1U) << "half of its own minute";
    EXPECT_EQ(story.delivered(), Ids{"help"});
}

TEST_F(HeldPassing, T4_W9_ALapseOffersTheRequestToNobodyElse) {
    story.limits().people[""] = {.deadline = 2h, .if_nobody = IfNobody::Reject};
    story.as_the_hub().agent("cat");
    story.as_the_hub().connect("cat", 10);
    send({.id = "help", .from = "prime", .to = "tag", .passing = {.fallback = "cat"}});
    story.as_the_hub().later(2h).tick();
    EXPECT_EQ(story.happened<RequestFailed>().size(), 1U);
    EXPECT_TRUE(story.happened<PassingRefused>().empty());
    EXPECT_TRUE(story.happened<MessageMoved>().empty()) << "people did not let it be asked";
}

TEST_F(HeldPassing, S5_W8_PushedStateComesBackWithTheAnswer) {
    const auto before = bytes_kept(story.state());
    const auto request = send({.id = "d", .from = "prime", .to = "byte", .state = R"({"step":3})"});
    ASSERT_NE(asked_for(request), Ticket{});
    const auto& asked = people::find_human_task(story.state().people, asked_for(request))->asked;
    EXPECT_EQ(bytes_kept(story.state()) - before, 2 + 10 + people::bytes_of(asked))
        << "G7: it counts from when it was laid down";
    decide(request, {});
    answer("byte", "d", 1);
    const auto shown = story.asked_for<Deliver>();
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown[0].state, R"({"step":3})");
}

TEST_F(HeldPassing, S5_PushedStateComesBackOnRejection) {
    const auto request = send({.id = "d", .from = "prime", .to = "byte", .state = R"({"step":3})"});
    decide(request, {.decision = HumanDecision::Reject, .reason = "too dear"});
    const auto shown = story.asked_for<Deliver>();
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown[0].state, R"({"step":3})");
}

// --- while the fleet is stopped --------------------------------------------------------------

TEST_F(Held, W9_W1_ARequestApprovedWhileTheFleetIsStoppedBeginsOnResume) {
    allow({{{Rule::RiskLow, {}}, 50}});
    story.connect("byte", 5);
    const auto request = delegate({.id = "d-1", .tokens = 100, .timeout = 1s});
    story.as_operator().ask(StopFleet{});
    decide(request, {.decision = HumanDecision::Approve, .tokens = 70}, "bea");
    EXPECT_EQ(story.refusal(), Refusal::None);
    EXPECT_EQ(story.happened<HumanAnswered>().size(), 1U);
    EXPECT_TRUE(story.happened<RequestReleased>().empty());
    story.as_the_hub().later(10s).restart();
    story.tick();
    EXPECT_TRUE(story.happened<RequestFailed>().empty()) << "its second has not begun";
    story.connect("byte", 5, "again");

    story.as_operator().ask(ResumeFleet{});
    const auto released = story.happened<RequestReleased>();
    ASSERT_EQ(released.size(), 1U);
    EXPECT_EQ(released[0].by, "bea");
    EXPECT_EQ(released[0].tokens, 70U);
    EXPECT_EQ(released[0].deadline, story.now() + 1s);
    EXPECT_EQ(story.delivered(), Ids{"d-1"});
    EXPECT_EQ(on_record(request)->tokens, 70U);
    EXPECT_TRUE(story.state().governor.approved.empty());
}

TEST_F(Held, X5_ApprovedRequestsAreReleasedOneByOneUnderTheGuards) {
    allow({{{Rule::RiskLow, {}}, 50}, {{Rule::FanoutMax, {}}, 1}});
    const auto first = delegate({.id = "d-1", .tokens = 100});
    const auto second = delegate({.id = "d-2", .tokens = 100});
    ASSERT_TRUE(first != Ticket{} && second != Ticket{});
    story.as_operator().ask(StopFleet{});
    decide(second, {.decision = HumanDecision::Approve});
    decide(first, {.decision = HumanDecision::Approve});
    story.as_operator().ask(ResumeFleet{});
    ASSERT_EQ(story.happened<RequestReleased>().size(), 1U);
    EXPECT_EQ(story.happened<RequestReleased>()[0].request, first) << "one after the other";
    ASSERT_EQ(story.happened<RequestFailed>().size(), 1U);
    EXPECT_EQ(story.happened<RequestFailed>()[0].refusal, Refusal::DelegationFanoutExceeded);
}

TEST_F(Held, W9_RejectionAndCancellationEndARequestWhileTheFleetIsStopped) {
    allow({{{Rule::RiskLow, {}}, 50}});
    const auto unwanted = delegate({.id = "d-1", .tokens = 100});
    const auto approved = delegate({.id = "d-2", .tokens = 100});
    story.as_operator().ask(StopFleet{});
    decide(unwanted, {.decision = HumanDecision::Reject, .reason = "too much"});
    EXPECT_EQ(story.happened<RequestFailed>().size(), 1U);
    decide(approved, {.decision = HumanDecision::Approve});
    story.as("prime").ask(CancelRequest{"d-2", "enough"});
    EXPECT_EQ(story.happened<RequestFailed>().size(), 1U);
    EXPECT_TRUE(story.state().governor.approved.empty());
    story.as_operator().ask(ResumeFleet{});
    EXPECT_TRUE(story.happened<RequestReleased>().empty());
}

}  // namespace
}  // namespace parlance::core
