// Workflows as the core runs them: order, values, conditions, failures, and the end.
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

/// A story with connected agents, who answer when a test says so.
struct Office {
    Story story;
    std::map<std::string, DeliveryToken> held;  ///< The last delivery of each agent.
    std::map<std::string, std::string> asked;   ///< The body of that delivery.
    std::vector<std::string> order;             ///< The agents in the order of their deliveries.
    std::vector<DeliveryToken> handed;          ///< The deliveries in the same order.

    explicit Office(const std::vector<std::string>& agents) {
        for (const auto& agent : agents) {
            story.as_the_hub().ask(
                RegisterAgent{{agent}, {.capabilities = R"([{"code":"DO_)" + agent + R"("}])"}});
            story.connect(agent, 10);
        }
    }
    Office& start(const std::string& plan, const std::string& input = "{}") {
        story.as_the_hub().ask(StartWorkflow{.id = "w", .plan = plan, .input = input});
        return look();
    }
    Office& look() {
        for (const auto& deliver : story.asked_for<Deliver>()) {
            const std::string to{deliver.envelope->to()};
            held[to] = deliver.delivery;
            asked[to] = deliver.envelope->body();
            order.push_back(to);
            handed.push_back(deliver.delivery);
        }
        return *this;
    }
    Office& answer(const std::string& agent, const std::string& body, std::uint64_t tokens = 0) {
        const auto token = held.at(agent);
        held.erase(agent);
        const Letter letter{.id = "r" + std::to_string(++answers),
                            .from = agent,
                            .to = "ORC",
                            .correlation = "w",
                            .intent = Intent::Reply,
                            .body = body};
        story.as(agent).ask(ReplyToDelivery{
            .delivery = token, .envelope = envelope(letter), .tokens_used = tokens});
        return look();
    }
    Office& later(Duration by) {
        story.as_the_hub().later(by).tick();
        return look();
    }
    std::string inputs(const std::string& agent) const {
        return std::string{json::find(json::root(asked.at(agent)), "inputs")->raw};
    }
    std::optional<WorkflowEnded> ended() const {
        const auto all = story.happened<WorkflowEnded>();
        return all.empty() ? std::nullopt : std::optional{all.front()};
    }
    std::string report_at(std::string_view pointer) const {
        const auto end = ended();
        if (!end) return "still running";
        const auto value = json::find_at(json::root(end->report), pointer);
        return value ? std::string{value->raw} : "nothing";
    }
    int answers = 0;
};

TEST(Workflow, K14_EachStepGetsTheValuesGatheredSoFar) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[
        {"id":"first","agent":"a","inputs":{"x":{"$from":"/input/x"}}},
        {"id":"second","agent":"b","inputs":{"y":{"$from":"/steps/first/output/y"}}}]})",
                 R"({"x":1})");
    EXPECT_EQ(office.order, (Ids{"a"}));
    EXPECT_EQ(office.inputs("a"), R"({"x":1})");
    office.answer("a", R"({"output":{"y":[2,3]}})");
    EXPECT_EQ(office.order, (Ids{"a", "b"}));
    EXPECT_EQ(office.inputs("b"), R"({"y":[2,3]})");
    const auto context = *json::find(json::root(office.asked["b"]), "context");
    EXPECT_EQ(json::find_at(context, "/prior_outputs/first/y")->raw, "[2,3]");
    EXPECT_EQ(json::find_at(context, "/workflow_position")->raw, "\"Step 2 of 2 (second)\"");
    office.answer("b", R"({"output":"z","confidence":0.9})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Completed);
    EXPECT_EQ(office.report_at("/output/second"), R"("z")");
    EXPECT_EQ(office.report_at("/steps/1/confidence"), "0.900");
    EXPECT_TRUE(office.story.state().workflows.runs.empty()) << "C10";
}

TEST(Workflow, X8_AStepWhoseInputIsAboveItsOwnMaxTokensFails) {
    const auto plan = [](const std::string& limit) {
        return R"({"steps":[{"id":"a","agent":"a")" + limit +
               R"(,"inputs":{"measured":true,"text":")" + std::string(2'000, 'x') + R"("}}]})";
    };
    Office strict{{"a"}};
    strict.start(plan(R"(,"max_tokens":100)"));
    EXPECT_EQ(strict.order, Ids{}) << "its agent never sees it";
    EXPECT_EQ(strict.report_at("/steps/0/error/code"), R"("BUDGET_TOKENS_EXCEEDED")");
    EXPECT_NE(strict.report_at("/steps/0/error/message").find("exceeds budget (100)"),
              std::string::npos)
        << strict.report_at("/steps/0");
    Office usual{{"a"}};
    usual.start(plan(""));
    EXPECT_EQ(usual.order, Ids{"a"}) << "the default is a delegation's, and nobody said it";
}

TEST(Workflow, X8_TheHubsContextDoesNotCountTowardsAStepsMaxTokens) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[{"id":"first","agent":"a"},
        {"id":"second","agent":"b","after":["first"],"max_tokens":200,"inputs":{"measured":true}}]})");
    office.answer("a", R"({"output":")" + std::string(2'000, 'x') + R"("})");
    EXPECT_EQ(office.order, (Ids{"a", "b"}));
}

TEST(Workflow, K15_IndependentStepsRunAtTheSameTimeAndAreJoined) {
    Office office{{"a", "b", "c"}};
    office.start(R"({"steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b"},
        {"id":"z","agent":"c","inputs":{"x":{"$from":"/steps/x/output"},"y":{"$from":"/steps/y/output"}}}]})");
    EXPECT_EQ(office.order, (Ids{"a", "b"}));
    office.answer("b", R"({"output":2})");
    EXPECT_EQ(office.order.size(), 2U) << "the join waits for both";
    office.answer("a", R"({"output":1})");
    EXPECT_EQ(office.inputs("c"), R"({"x":1,"y":2})");
}

TEST(Workflow, X2_K16_TokensAreSummedOverTheElementsOfAList) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[
        {"id":"x","agent":"a","for_each":{"$from":"/input","at_most":3}},
        {"id":"y","agent":"b","after":["x"]}]})",
                 "[1,2,3]");
    std::uint64_t tokens = 100;
    for (std::size_t i = 0; i < 3; ++i) {
        office.held["a"] = office.handed[i];
        office.answer("a", R"({"output":1})", tokens);
        tokens *= 10;
    }
    office.answer("b", R"({"output":1})", 7);
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.report_at("/steps/0/tokens_used"), "11100");
    EXPECT_EQ(office.report_at("/steps/1/tokens_used"), "7");
    EXPECT_EQ(office.report_at("/tokens_used"), "11107");
}

TEST(Workflow, X5_NoMoreStepsAreOpenThanTheFanOut) {
    Office office{{"a", "b", "c", "d"}};
    office.start(R"({"steps":[{"id":"1","agent":"a"},{"id":"2","agent":"b"},{"id":"3","agent":"c"},
        {"id":"4","agent":"d"}]})");
    EXPECT_EQ(office.order.size(), 3U);
    EXPECT_FALSE(office.held.contains("d"));
    office.answer("b", R"({"output":1})");
    EXPECT_EQ(office.order.back(), "d");
}

TEST(Workflow, X5_ALoweredFanOutEndsNoStepAndEachBeginsOnce) {
    Office office{{"a", "b", "c", "d", "e"}};
    office.start(R"({"steps":[{"id":"1","agent":"a"},{"id":"2","agent":"b"},{"id":"3","agent":"c"},
        {"id":"4","agent":"d"},{"id":"5","agent":"e","after":["4"]}]})");
    const auto allow = [&](std::int64_t most) {
        office.story.as_operator().ask(
            ChangePolicy{.settings = print_policy({{{Rule::FanoutMax, {}}, most}})});
        office.look();
    };
    allow(2);
    EXPECT_EQ(office.order.size(), 3U) << "what is open stays so";
    office.answer("a", R"({"output":1})").answer("b", R"({"output":1})");
    EXPECT_EQ(office.order.back(), "d") << "now there is one open, and room for another";
    office.answer("d", R"({"output":1})");
    EXPECT_EQ(office.order.back(), "e");
    allow(1);
    allow(4);
    EXPECT_EQ(office.order.size(), 5U) << "each began once";
}

TEST(Workflow, X5_AFanOutOfOneHoldsOtherStepsUntilRaised) {
    Office office{{"a", "b"}};
    office.story.as_operator().ask(
        ChangePolicy{.settings = print_policy({{{Rule::FanoutMax, {}}, 1}})});
    office.start(R"({"steps":[{"id":"1","agent":"a"},{"id":"2","agent":"b"}]})");
    EXPECT_EQ(office.order, std::vector<std::string>{"a"});
    office.story.as_operator().ask(
        ChangePolicy{.settings = print_policy({{{Rule::FanoutMax, {}}, 2}})});
    EXPECT_EQ(office.look().order, (std::vector<std::string>{"a", "b"}));
}

TEST(Workflow, K16_AFailedStepLeavesAPartialResultThatNamesTheMissingStep) {
    Office office{{"a", "b", "c"}};
    office.start(R"({"steps":[{"id":"x","agent":"a","label":"The sum"},{"id":"y","agent":"b"},
        {"id":"z","agent":"c","after":["x"]}]})");
    office.answer("a", R"({"error":"DATA_MISSING","retryable":false})");
    EXPECT_FALSE(office.ended());
    office.answer("b", R"({"output":2})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Partial);
    EXPECT_EQ(office.report_at("/output"), R"({"y":2})");
    EXPECT_EQ(office.report_at("/missing/0/label"), R"("The sum")");
    EXPECT_EQ(office.report_at("/missing/0/code"), R"("DATA_MISSING")");
    EXPECT_EQ(office.report_at("/missing/1/step"), R"("z")");
    EXPECT_EQ(office.report_at("/missing/2"), "nothing");
}

TEST(Workflow, K16_OnErrorFailFailsTheWholeWorkflow) {
    Office office{{"a", "b"}};
    office.start(R"({"on_error":"fail","steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b"}]})");
    office.answer("a", R"({"error":"DATA_MISSING","retryable":false})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Failed);
    ASSERT_EQ(office.story.happened<RequestCancelled>().size(), 1U) << "b may stop";
    EXPECT_EQ(office.story.state().requests.open.size(), 0U);
}

TEST(Workflow, X20_RunsAStepOnlyIfItsConditionHolds) {
    for (const auto& [score, runs] : {std::pair{"0.5", false}, {"0.7", true}, {"7e-1", true}}) {
        Office office{{"a", "b"}};
        office.start(R"({"steps":[{"id":"x","agent":"a"},
            {"id":"y","agent":"b","when":{"value":{"$from":"/steps/x/output/score"},"at_least":0.7}}]})");
        office.answer("a", std::string{R"({"output":{"score":)"} + score + "}}");
        EXPECT_EQ(office.order.size() == 2, runs) << score;
        if (runs) continue;
        EXPECT_EQ(office.ended()->end, WorkflowEnd::Completed);
        EXPECT_EQ(office.report_at("/steps/1/status"), R"("SKIPPED")");
    }
}

TEST(Workflow, RunsAStepForEachElementOfAList) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[{"id":"x","agent":"a"},
        {"id":"y","agent":"b","for_each":{"$from":"/steps/x/output","at_most":2},
         "inputs":{"it":{"$from":"/item/n"}}}]})");
    office.answer("a", R"({"output":[{"n":1},{"n":2}]})");
    EXPECT_EQ(office.order, (Ids{"a", "b", "b"}));
    const auto second = office.held.at("b");
    EXPECT_EQ(office.inputs("b"), R"({"it":2})");
    office.answer("b", R"({"output":"two"})");
    office.held["b"] = {{second.ticket.value}, 1};
    // The other element is not answered yet.
    EXPECT_FALSE(office.ended());
}

TEST(Workflow, G3_APlansRepeatedRequestIsNoCycleAndNotKept) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"each","agent":"a","for_each":{"$from":"/input/list"}}]})",
                 R"({"list":[1,2]})");
    EXPECT_EQ(office.order, (std::vector<std::string>{"a", "a"})) << "the same errand, twice";
    const auto& roots = office.story.state().governor.lineage.roots;
    ASSERT_EQ(roots.size(), 1U);
    EXPECT_TRUE(roots.at(roots.tickets().front())->errands.empty());
}

TEST(Workflow, AListLongerThanTheLimitFailsTheStep) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"y","agent":"a","for_each":{"$from":"/input","at_most":2}}]})",
                 "[1,2,3]");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Failed);
    EXPECT_EQ(office.report_at("/missing/0/reason"),
              R"("'/input' is a list of 3, and at most 2 are taken")");
}

TEST(Workflow, K16_AListOfWhichSomeFailedIsPartial) {
    Office office{{"a"}};
    office.start(
        R"({"steps":[{"id":"y","label":"Pages","agent":"a","for_each":{"$from":"/input","at_most":2}}]})",
        "[1,2]");
    office.answer("a", R"({"error":"UNREADABLE","retryable":false})");
    EXPECT_FALSE(office.ended());
    ASSERT_EQ(office.handed.size(), 2U);
    office.held["a"] = office.handed.front();
    office.answer("a", R"({"output":"one"})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Partial);
    EXPECT_EQ(office.report_at("/output/y"), R"(["one",null])");
    EXPECT_EQ(office.report_at("/steps/0/partial"), "true") << "and so is the step";
    EXPECT_EQ(office.report_at("/steps/0/missing_elements"), "[1]");
    EXPECT_EQ(office.report_at("/missing/0/elements"), "1");
    EXPECT_EQ(office.report_at("/missing/0/of"), "2");
    EXPECT_EQ(office.report_at("/missing/0/code"), R"("UNREADABLE")");
}

TEST(Workflow, K18_TheAnswerNamesConflictingValuesWithoutInternalNames) {
    Office office{{"a", "b"}};
    office.start(
        R"({"steps":[{"id":"x","label":"Market","agent":"a"},{"id":"y","label":"Finance","agent":"b"}]})");
    office.answer("b", R"({"output":{"rate":2},"confidence":0.9})");
    office.answer("a", R"({"output":{"rate":1},"confidence":0.6})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.report_at("/conflicts/0/preferred"), "2");
    EXPECT_EQ(office.report_at("/components/0/label"), R"("Market")")
        << "as planned, not as they came";
    EXPECT_EQ(
        office.report_at("/answer"),
        R"("Market: rate: 1 (confidence medium)\nFinance: rate: 2 (confidence high)\n)"
        R"(Note: there are different values for rate: 1 (Market), 2 (Finance). I go by 2, which is surer.")");
}

TEST(Workflow, C13_RetriesATransientFailure) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"x","agent":"a"}]})");
    office.answer("a", R"({"error":"API_TIMEOUT","retryable":true})");
    EXPECT_TRUE(office.held.empty()) << "not before its wait is over";
    office.later(199ms);
    EXPECT_TRUE(office.held.empty());
    office.later(1ms);
    office.answer("a", R"({"error":"API_TIMEOUT","retryable":true})");
    office.later(399ms);
    EXPECT_TRUE(office.held.empty()) << "the second wait is twice as long";
    office.later(1ms);
    office.answer("a", R"({"output":1})");
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Completed);
    EXPECT_EQ(office.report_at("/steps/0/attempts"), "3");
}

TEST(Workflow, C13_GivesUpAfterItsRetries) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"x","agent":"a","retry":{"limit":1,"backoff_ms":50}}]})");
    office.answer("a", R"({"error":"API_TIMEOUT"})").later(50ms);
    office.answer("a", R"({"error":"API_TIMEOUT"})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Failed);
}

TEST(Workflow, C9_FollowsTheStrategyNamedByTheAgent) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[{"id":"x","agent":"a","inputs":{"n":1}}]})");
    office.answer("a", R"({"error":"API_TIMEOUT","retryable":false,"strategy":"DO_b"})");
    EXPECT_EQ(office.order, (Ids{"a", "b"}));
    EXPECT_EQ(office.inputs("b"), R"({"n":1})");
    office.answer("b", R"({"output":"by rules"})");
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Completed);
    EXPECT_EQ(office.report_at("/steps/0/by"), R"("strategy")");
}

TEST(Workflow, FollowsThePlannedFallback) {
    Office office{{"a", "b"}};
    office.start(
        R"({"steps":[{"id":"x","agent":"a","fallback":{"agent":"b","inputs":{"easy":true}}}]})");
    office.answer("a", R"({"error":"NO_IDEA","retryable":false})");
    EXPECT_EQ(office.inputs("b"), R"({"easy":true})");
    Office value{{"a"}};
    value.start(R"({"steps":[{"id":"x","agent":"a","fallback":{"value":{"rate":0.1}}}]})");
    value.answer("a", R"({"error":"NO_IDEA","retryable":false})");
    EXPECT_EQ(value.report_at("/output/x"), R"({"rate":0.1})");
    EXPECT_EQ(value.report_at("/steps/0/error/code"), R"("NO_IDEA")");
}

TEST(Workflow, S13_AnAnswerBelowConfidenceMinIsAFailure) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"x","agent":"a","confidence_min":0.6}]})");
    office.answer("a", R"({"output":1,"confidence":0.599})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.report_at("/missing/0/code"), R"("CONFIDENCE_TOO_LOW")");
}

/// Answers the one waiting human task as a person of the office.
void answer_as(Office& office, const char* who, AnswerPerson answer) {
    const auto& appeals = office.story.state().people.appeals;
    for (const auto id : appeals.tickets()) {
        if (appeals.at(id)->stage == people::Stage::Waiting) answer.id = id;
    }
    office.story.as_caller({.agent = {who}, .is_operator = true, .role = OperatorRole::Operator});
    office.story.ask(std::move(answer));
    office.look();
}

TEST(Workflow, S13_AHumanStepWaitsForItsAnswer) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[{"id":"x","agent":"a"},
        {"id":"ok","after":["x"],"human":{"role":"compliance","question":"Take them on?"}},
        {"id":"y","agent":"b","inputs":{"said":{"$from":"/steps/ok/output/decision"}}}]})");
    office.answer("a", R"({"output":1})");
    EXPECT_EQ(office.order, (Ids{"a"}));
    office.story.as_the_hub().restart();
    EXPECT_EQ(office.order.size(), 1U);
    answer_as(office, "ann", {.decision = HumanDecision::Approve});
    EXPECT_EQ(office.story.happened<StepEnded>().size(), 1U);
    office.story.as_the_hub().connect("b", 1, "again");
    office.look();
    EXPECT_EQ(office.inputs("b"), R"({"said":"approve"})");
}

TEST(Workflow, S13_ARejectionFailsTheStep) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"ok","human":{"question":"May we?"}}]})");
    answer_as(office, "ann", {.decision = HumanDecision::Reject, .reason = "too dear"});
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.report_at("/missing/0/reason"), R"("too dear")");
}

TEST(Workflow, S13_APersonMayFindAnUnsureAnswerGoodEnough) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"x","agent":"a","confidence_min":0.6,"on_error":"human"}]})");
    office.answer("a", R"({"output":{"n":7},"confidence":0.3})");
    EXPECT_FALSE(office.ended());
    answer_as(office, "ann", {.decision = HumanDecision::Approve});
    EXPECT_EQ(office.report_at("/output/x"), R"({"n":7})");
}

TEST(Workflow, S12_APermanentFailureGoesToAPerson) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"x","agent":"a","on_error":"human"}]})");
    office.answer("a", R"({"error":"NO_IDEA","retryable":false})");
    answer_as(office, "ann", {.decision = HumanDecision::Answer, .content = "42"});
    EXPECT_EQ(office.report_at("/output/x"), "42");
}

TEST(Workflow, W9_CancellingWithdrawsHumanTasks) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"ok","human":{"question":"May we?"}}]})");
    office.story.as_operator().ask(CancelRequest{"w", "no longer"});
    EXPECT_EQ(office.story.happened<HumanWithdrawn>().size(), 1U);
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Cancelled);
}

TEST(Workflow, S13_ALapsedHumanStepFollowsIfNobody) {
    for (const auto& [word, end] :
         {std::pair{"fail", WorkflowEnd::Failed}, {"approve", WorkflowEnd::Completed}}) {
        Office office{{"a"}};
        office.start(
            std::string{
                R"({"steps":[{"id":"ok","human":{"question":"May we?","deadline_ms":1000,"if_nobody":")"} +
            word + R"("}}]})");
        office.later(999ms);
        EXPECT_FALSE(office.ended());
        office.later(1ms);
        ASSERT_TRUE(office.ended()) << word;
        EXPECT_EQ(office.ended()->end, end);
    }
}

TEST(Workflow, K20_AFinalReportHasNoRunningStep) {
    Office office{{"a", "b"}};
    office.start(R"({"timeout_ms":1000,"steps":[{"id":"x","human":{"question":"May we?"}},
        {"id":"y","agent":"b","after":["x"]}]})");
    office.later(1000ms);
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::TimedOut);
    EXPECT_EQ(office.report_at("/steps/0/status"), R"("CANCELLED")");
    EXPECT_EQ(office.report_at("/steps/1/status"), R"("CANCELLED")");
}

TEST(Workflow, K20_ATimedOutWorkflowReturnsItsPartialResult) {
    Office office{{"a", "b"}};
    office.start(R"({"timeout_ms":1000,"steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b"}]})");
    office.answer("a", R"({"output":1})").later(999ms);
    EXPECT_FALSE(office.ended());
    office.later(1ms);
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::TimedOut);
    EXPECT_EQ(office.report_at("/output"), R"({"x":1})");
    EXPECT_EQ(office.report_at("/missing/0/step"), R"("y")");
}

TEST(Workflow, X21_CancellingCompensatesDoneSteps) {
    Office office{{"a", "b", "c"}};
    office.start(R"({"steps":[
        {"id":"book","agent":"a","compensate":{"agent":"c","inputs":{"cancel":{"$from":"/steps/book/output/id"}}}},
        {"id":"pay","agent":"b","after":["book"]}]})");
    office.answer("a", R"({"output":{"id":"b-7"}})");
    office.story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    office.look();
    EXPECT_EQ(office.story.happened<WorkflowUndone>().size(), 1U);
    EXPECT_EQ(office.order, (Ids{"a", "b", "c"}));
    EXPECT_EQ(office.inputs("c"), R"({"cancel":"b-7"})");
    office.answer("c", R"({"output":true})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Cancelled);
    EXPECT_EQ(office.report_at("/steps/0/status"), R"("COMPENSATED")");
    EXPECT_EQ(office.report_at("/steps/1/status"), R"("FAILED")") << "b was at work";
}

TEST(Workflow, X21_AFailedCompensationIsReportedAsFailed) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[
        {"id":"book","agent":"a","compensate":{"capability":"UNBOOK"}},
        {"id":"pay","agent":"b","after":["book"]},
        {"id":"tell","agent":"b","after":["pay"]}]})");
    office.answer("a", R"({"output":{"id":"b-7"}})");
    office.story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    office.look();
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Cancelled);
    EXPECT_EQ(office.report_at("/steps/0/status"), R"("COMPENSATION_FAILED")");
    EXPECT_EQ(office.report_at("/steps/0/error/code"), R"("CAPABILITY_NOT_REGISTERED")");
    EXPECT_EQ(office.report_at("/steps/2/status"), R"("CANCELLED")") << "and was never asked";
}

TEST(Workflow, X21_LaterStepsAreCompensatedFirstWhateverTheOrderInThePlan) {
    Office office{{"a", "b", "c"}};
    office.start(R"({"steps":[
        {"id":"pay","agent":"b","after":["book"],"compensate":{"agent":"b"}},
        {"id":"book","agent":"a","compensate":{"agent":"a"}},
        {"id":"tell","agent":"c","after":["pay"]}]})");
    office.answer("a", R"({"output":1})").answer("b", R"({"output":2})");
    EXPECT_EQ(office.order, (Ids{"a", "b", "c"}));
    office.story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    office.look().answer("b", R"({"output":0})").answer("a", R"({"output":0})");
    EXPECT_EQ(office.order, (Ids{"a", "b", "c", "b", "a"}));
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Cancelled);
}

TEST(Workflow, C11_GoesOnAfterARestart) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b","after":["x"]}]})");
    office.story.as_the_hub().restart();
    office.story.connect("a", 1, "again");
    office.look();
    office.answer("a", R"({"output":1})");
    office.story.as_the_hub().connect("b", 1, "again");
    office.look();
    office.answer("b", R"({"output":2})");
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Completed);
}

TEST(Workflow, C11_AStepLostOnTheWayToAPollerIsDeliveredAgainInTime) {
    Office office{{}};
    auto& story = office.story;
    story.as_the_hub().ask(RegisterAgent{{"p"}, {}});
    story.ask(JoinInstance{{"p"}, "one", InstanceKind::Poll, 0});
    const auto instance = story.asked_for<TellJoined>().back().instance;
    office.start(R"({"steps":[{"id":"x","agent":"p"}]})");
    story.as_the_hub().ask(TakeMessages{instance, 1});
    office.look();
    ASSERT_EQ(office.order, (Ids{"p"})) << "the hub dies, and its answer with it";
    story.later(1s).restart();
    story.later(14s).tick();
    story.ask(TakeMessages{instance, 1});
    EXPECT_EQ(office.look().order.size(), 1U) << "who has it may still answer";
    story.later(1s).tick();
    for (int i = 0; i < 5 && office.order.size() < 2; ++i) {
        story.later(1s).ask(TakeMessages{instance, 1});
        office.look();
    }
    ASSERT_EQ(office.order.size(), 2U) << "a step has 30 s, and 15 of the 29 were over";
    office.answer("p", R"({"output":1})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Completed);
}

TEST(Workflow, C8_AWorkflowStartedTwiceRunsOnce) {
    Office office{{"a"}};
    const std::string plan = R"({"steps":[{"id":"x","agent":"a"}]})";
    office.start(plan).start(plan);
    EXPECT_EQ(office.story.happened<DuplicateReceived>().size(), 1U);
    EXPECT_EQ(office.order.size(), 1U);
    office.start(R"({"steps":[{"id":"other","agent":"a"}]})");
    EXPECT_EQ(office.story.refusal(), Refusal::MessageIdConflict);
}

TEST(Workflow, X13_RepeatingAnotherCallersStartRevealsNothing) {
    Office office{{"a"}};
    const StartWorkflow start{
        .id = "w", .plan = R"({"steps":[{"id":"x","agent":"a"}]})", .user = "u"};
    office.story.as_caller({.agent = {"a"}, .users = {"u"}}).ask(start);
    EXPECT_EQ(office.story.happened<WorkflowStarted>().size(), 1U);
    office.story.as_caller({.agent = {"eve"}}).ask(start);
    EXPECT_EQ(office.story.refusal(), Refusal::UserIsolationViolated);
    EXPECT_TRUE(office.story.happened<DuplicateReceived>().empty());
}

TEST(Workflow, I1_RepeatingAnotherCallersStartWithoutAUserRevealsNothing) {
    Office office{{"a"}};
    const StartWorkflow start{.id = "w", .plan = R"({"steps":[{"id":"x","agent":"a"}]})"};
    auto other = start;
    other.plan = R"({"steps":[{"id":"y","agent":"a"}]})";
    office.story.as("bob").ask(start);
    const auto told_to_eve = [&](const StartWorkflow& again) {
        office.story.as("eve").ask(again);
        EXPECT_EQ(office.story.refusal(), Refusal::MessageIdConflict);
        const auto refused = office.story.happened<MessageRefused>();
        if (refused.empty()) return std::string{"not refused"};
        EXPECT_EQ(refused.front().from, "eve");
        return refused.front().detail;
    };
    const auto is_repeat = [&] { return !office.story.happened<DuplicateReceived>().empty(); };
    const auto try_all = [&] {
        EXPECT_EQ(told_to_eve(start), told_to_eve(other));
        office.story.as("bob").ask(start);
        EXPECT_TRUE(is_repeat()) << "who started it may ask again";
        office.story.as_operator().ask(start);
        EXPECT_TRUE(is_repeat());
    };
    office.look();
    try_all();
    office.answer("a", R"({"done":true})");
    ASSERT_TRUE(office.ended());
    try_all();
    office.story.as_the_hub().restart();
    try_all();
}

TEST(Workflow, AsksTheLeastBusyAgentWithTheCapability) {
    Office office{{"a", "b"}};
    office.story.as_the_hub().ask(RegisterAgent{{"b"}, {.capabilities = R"([{"code":"DO_a"}])"}});
    office.story.send({.id = "busy", .to = "a"});
    office.start(R"({"steps":[{"id":"x","capability":"DO_a"}]})");
    EXPECT_EQ(office.order.back(), "b");
}

TEST(Workflow, FailsAStepThatNoAgentHasTheCapabilityFor) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"x","capability":"DO_nothing"}]})");
    EXPECT_EQ(office.report_at("/missing/0/code"), R"("CAPABILITY_NOT_REGISTERED")");
}

TEST(Workflow, WaitsForAStoppedFleetAndGoesOnOnResume) {
    Office office{{"a", "b"}};
    office.start(R"({"steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b","after":["x"]}]})");
    office.story.as_operator().ask(StopFleet{.reason = "fire drill"});
    office.answer("a", R"({"output":1})");
    EXPECT_EQ(office.order.size(), 1U);
    office.story.as_operator().ask(ResumeFleet{});
    office.look();
    EXPECT_EQ(office.order.back(), "b");
}

TEST(Workflow, HasATreeOfItsOwnAndEndsTheTree) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"x","agent":"a"}]})");
    EXPECT_EQ(office.story.happened<DelegationAdmitted>().front().session, "w");
    office.answer("a", R"({"output":1})");
    EXPECT_EQ(office.story.happened<DelegationTreeEnded>().size(), 1U);
    EXPECT_TRUE(office.story.state().governor.lineage.roots.empty());
}

TEST(Workflow, StoppingTheFleetWithCancellationEndsRunningWorkflows) {
    Office office{{"a", "b", "d"}};
    office.start(R"({"steps":[{"id":"x","agent":"a","fallback":{"agent":"d"}},
        {"id":"y","human":{"question":"Go on?"}},
        {"id":"z","agent":"b","after":["x"]}]})");
    EXPECT_EQ(office.order, (Ids{"a"}));
    office.story.as_operator().ask(StopFleet{.reason = "fire", .cancels = true});
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Cancelled);
    EXPECT_EQ(office.report_at("/status"), R"("CANCELLED")");
    EXPECT_EQ(office.ended()->reason, "the fleet was stopped: fire");
    office.story.as_operator().ask(ResumeFleet{.reason = "it is out"});
    office.look().later(1h);
    EXPECT_EQ(office.order, (Ids{"a"})) << "nobody is asked in its place";
    EXPECT_TRUE(office.story.state().workflows.runs.empty());
}

TEST(Workflow, AResumedFleetCompensatesCancelledWorkflows) {
    Office office{{"a", "b", "c"}};
    office.start(R"({"steps":[{"id":"book","agent":"a","compensate":{"agent":"c"}},
        {"id":"pay","agent":"b","after":["book"],"fallback":{"agent":"a"}}]})");
    office.answer("a", R"({"output":{"id":7}})");
    EXPECT_EQ(office.order, (Ids{"a", "b"}));
    office.story.as_operator().ask(StopFleet{.reason = "fire", .cancels = true});
    EXPECT_FALSE(office.ended());
    const auto undone = office.story.happened<WorkflowUndone>();
    ASSERT_EQ(undone.size(), 1U);
    EXPECT_EQ(undone[0].by, "olga");
    office.story.as_operator().ask(ResumeFleet{.reason = "it is out"});
    EXPECT_EQ(office.look().order, (Ids{"a", "b", "c"}));
    office.answer("c", R"({"output":1})");
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Cancelled);
}

TEST(Workflow, StoppingTheFleetWithCancellationWithdrawsHumanTasks) {
    Office office{{"a"}};
    office.start(R"({"steps":[{"id":"x","human":{"question":"Go on?"}}]})");
    ASSERT_EQ(office.story.happened<HumanAsked>().size(), 1U);
    office.story.as_operator().ask(StopFleet{.reason = "fire", .cancels = true});
    EXPECT_EQ(office.story.happened<HumanWithdrawn>().size(), 1U);
    ASSERT_TRUE(office.ended());
    EXPECT_EQ(office.ended()->end, WorkflowEnd::Cancelled);
}

}  // namespace
}  // namespace parlance::core
