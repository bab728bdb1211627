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
struct WorkflowFixture {
    Story story;
    std::map<std::string, DeliveryToken> held;  ///< The last delivery of each agent.
    std::map<std::string, std::string> asked;   ///< The body of that delivery.
    std::vector<std::string> order;             ///< The agents in the order of their deliveries.
    std::vector<DeliveryToken> handed;          ///< The deliveries in the same order.

    explicit WorkflowFixture(const std::vector<std::string>& agents) {
        for (const auto& agent : agents) {
            story.as_the_hub().ask(
                RegisterAgent{{agent}, {.capabilities = R"([{"code":"DO_)" + agent + R"("}])"}});
            story.connect(agent, 10);
        }
    }
    WorkflowFixture& start(const std::string& plan, const std::string& input = "{}") {
        story.as_the_hub().ask(StartWorkflow{.id = "w", .plan = plan, .input = input});
        return look();
    }
    WorkflowFixture& look() {
        for (const auto& deliver : story.asked_for<Deliver>()) {
            const std::string to{deliver.envelope->to()};
            held[to] = deliver.delivery;
            asked[to] = deliver.envelope->body();
            order.push_back(to);
            handed.push_back(deliver.delivery);
        }
        return *this;
    }
    WorkflowFixture& answer(const std::string& agent,
                            const std::string& body,
                            std::uint64_t tokens = 0) {
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
    WorkflowFixture& later(Duration by) {
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
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[
        {"id":"first","agent":"a","inputs":{"x":{"$from":"/input/x"}}},
        {"id":"second","agent":"b","inputs":{"y":{"$from":"/steps/first/output/y"}}}]})",
                  R"({"x":1})");
    EXPECT_EQ(fixture.order, (Ids{"a"}));
    EXPECT_EQ(fixture.inputs("a"), R"({"x":1})");
    fixture.answer("a", R"({"output":{"y":[2,3]}})");
    EXPECT_EQ(fixture.order, (Ids{"a", "b"}));
    EXPECT_EQ(fixture.inputs("b"), R"({"y":[2,3]})");
    const auto context = *json::find(json::root(fixture.asked["b"]), "context");
    EXPECT_EQ(json::find_at(context, "/prior_outputs/first/y")->raw, "[2,3]");
    EXPECT_EQ(json::find_at(context, "/workflow_position")->raw, "\"Step 2 of 2 (second)\"");
    fixture.answer("b", R"({"output":"z","confidence":0.9})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Completed);
    EXPECT_EQ(fixture.report_at("/output/second"), R"("z")");
    EXPECT_EQ(fixture.report_at("/steps/1/confidence"), "0.900");
    EXPECT_TRUE(fixture.story.state().workflows.runs.empty()) << "C10";
}

TEST(Workflow, X8_AStepWhoseInputIsAboveItsOwnMaxTokensFails) {
    const auto plan = [](const std::string& limit) {
        return R"({"steps":[{"id":"a","agent":"a")" + limit +
               R"(,"inputs":{"measured":true,"text":")" + std::string(2'000, 'x') + R"("}}]})";
    };
    WorkflowFixture strict{{"a"}};
    strict.start(plan(R"(,"max_tokens":100)"));
    EXPECT_EQ(strict.order, Ids{}) << "its agent never sees it";
    EXPECT_EQ(strict.report_at("/steps/0/error/code"), R"("BUDGET_TOKENS_EXCEEDED")");
    EXPECT_NE(strict.report_at("/steps/0/error/message").find("exceeds budget (100)"),
              std::string::npos)
        << strict.report_at("/steps/0");
    WorkflowFixture usual{{"a"}};
    usual.start(plan(""));
    EXPECT_EQ(usual.order, Ids{"a"}) << "the default is a delegation's, and nobody said it";
}

TEST(Workflow, X8_TheHubsContextDoesNotCountTowardsAStepsMaxTokens) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[{"id":"first","agent":"a"},
        {"id":"second","agent":"b","after":["first"],"max_tokens":200,"inputs":{"measured":true}}]})");
    fixture.answer("a", R"({"output":")" + std::string(2'000, 'x') + R"("})");
    EXPECT_EQ(fixture.order, (Ids{"a", "b"}));
}

TEST(Workflow, K15_IndependentStepsRunAtTheSameTimeAndAreJoined) {
    WorkflowFixture fixture{{"a", "b", "c"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b"},
        {"id":"z","agent":"c","inputs":{"x":{"$from":"/steps/x/output"},"y":{"$from":"/steps/y/output"}}}]})");
    EXPECT_EQ(fixture.order, (Ids{"a", "b"}));
    fixture.answer("b", R"({"output":2})");
    EXPECT_EQ(fixture.order.size(), 2U) << "the join waits for both";
    fixture.answer("a", R"({"output":1})");
    EXPECT_EQ(fixture.inputs("c"), R"({"x":1,"y":2})");
}

TEST(Workflow, X2_K16_TokensAreSummedOverTheElementsOfAList) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[
        {"id":"x","agent":"a","for_each":{"$from":"/input","at_most":3}},
        {"id":"y","agent":"b","after":["x"]}]})",
                  "[1,2,3]");
    std::uint64_t tokens = 100;
    for (std::size_t i = 0; i < 3; ++i) {
        fixture.held["a"] = fixture.handed[i];
        fixture.answer("a", R"({"output":1})", tokens);
        tokens *= 10;
    }
    fixture.answer("b", R"({"output":1})", 7);
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.report_at("/steps/0/tokens_used"), "11100");
    EXPECT_EQ(fixture.report_at("/steps/1/tokens_used"), "7");
    EXPECT_EQ(fixture.report_at("/tokens_used"), "11107");
}

TEST(Workflow, X5_NoMoreStepsAreOpenThanTheFanOut) {
    WorkflowFixture fixture{{"a", "b", "c", "d"}};
    fixture.start(R"({"steps":[{"id":"1","agent":"a"},{"id":"2","agent":"b"},{"id":"3","agent":"c"},
        {"id":"4","agent":"d"}]})");
    EXPECT_EQ(fixture.order.size(), 3U);
    EXPECT_FALSE(fixture.held.contains("d"));
    fixture.answer("b", R"({"output":1})");
    EXPECT_EQ(fixture.order.back(), "d");
}

TEST(Workflow, X5_ALoweredFanOutEndsNoStepAndEachBeginsOnce) {
    WorkflowFixture fixture{{"a", "b", "c", "d", "e"}};
    fixture.start(R"({"steps":[{"id":"1","agent":"a"},{"id":"2","agent":"b"},{"id":"3","agent":"c"},
        {"id":"4","agent":"d"},{"id":"5","agent":"e","after":["4"]}]})");
    const auto allow = [&](std::int64_t most) {
        fixture.story.as_operator().ask(
            ChangePolicy{.settings = print_policy({{{Rule::FanoutMax, {}}, most}})});
        fixture.look();
    };
    allow(2);
    EXPECT_EQ(fixture.order.size(), 3U) << "what is open stays so";
    fixture.answer("a", R"({"output":1})").answer("b", R"({"output":1})");
    EXPECT_EQ(fixture.order.back(), "d") << "now there is one open, and room for another";
    fixture.answer("d", R"({"output":1})");
    EXPECT_EQ(fixture.order.back(), "e");
    allow(1);
    allow(4);
    EXPECT_EQ(fixture.order.size(), 5U) << "each began once";
}

TEST(Workflow, X5_AFanOutOfOneHoldsOtherStepsUntilRaised) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.story.as_operator().ask(
        ChangePolicy{.settings = print_policy({{{Rule::FanoutMax, {}}, 1}})});
    fixture.start(R"({"steps":[{"id":"1","agent":"a"},{"id":"2","agent":"b"}]})");
    EXPECT_EQ(fixture.order, std::vector<std::string>{"a"});
    fixture.story.as_operator().ask(
        ChangePolicy{.settings = print_policy({{{Rule::FanoutMax, {}}, 2}})});
    EXPECT_EQ(fixture.look().order, (std::vector<std::string>{"a", "b"}));
}

TEST(Workflow, K16_AFailedStepLeavesAPartialResultThatNamesTheMissingStep) {
    WorkflowFixture fixture{{"a", "b", "c"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a","label":"The sum"},{"id":"y","agent":"b"},
        {"id":"z","agent":"c","after":["x"]}]})");
    fixture.answer("a", R"({"error":"DATA_MISSING","retryable":false})");
    EXPECT_FALSE(fixture.ended());
    fixture.answer("b", R"({"output":2})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Partial);
    EXPECT_EQ(fixture.report_at("/output"), R"({"y":2})");
    EXPECT_EQ(fixture.report_at("/missing/0/label"), R"("The sum")");
    EXPECT_EQ(fixture.report_at("/missing/0/code"), R"("DATA_MISSING")");
    EXPECT_EQ(fixture.report_at("/missing/1/step"), R"("z")");
    EXPECT_EQ(fixture.report_at("/missing/2"), "nothing");
}

TEST(Workflow, K16_OnErrorFailFailsTheWholeWorkflow) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"on_error":"fail","steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b"}]})");
    fixture.answer("a", R"({"error":"DATA_MISSING","retryable":false})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Failed);
    ASSERT_EQ(fixture.story.happened<RequestCancelled>().size(), 1U) << "b may stop";
    EXPECT_EQ(fixture.story.state().requests.open.size(), 0U);
}

TEST(Workflow, X20_RunsAStepOnlyIfItsConditionHolds) {
    for (const auto& [score, runs] : {std::pair{"0.5", false}, {"0.7", true}, {"7e-1", true}}) {
        WorkflowFixture fixture{{"a", "b"}};
        fixture.start(R"({"steps":[{"id":"x","agent":"a"},
            {"id":"y","agent":"b","when":{"value":{"$from":"/steps/x/output/score"},"at_least":0.7}}]})");
        fixture.answer("a", std::string{R"({"output":{"score":)"} + score + "}}");
        EXPECT_EQ(fixture.order.size() == 2, runs) << score;
        if (runs) continue;
        EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Completed);
        EXPECT_EQ(fixture.report_at("/steps/1/status"), R"("SKIPPED")");
    }
}

TEST(Workflow, RunsAStepForEachElementOfAList) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a"},
        {"id":"y","agent":"b","for_each":{"$from":"/steps/x/output","at_most":2},
         "inputs":{"it":{"$from":"/item/n"}}}]})");
    fixture.answer("a", R"({"output":[{"n":1},{"n":2}]})");
    EXPECT_EQ(fixture.order, (Ids{"a", "b", "b"}));
    const auto second = fixture.held.at("b");
    EXPECT_EQ(fixture.inputs("b"), R"({"it":2})");
    fixture.answer("b", R"({"output":"two"})");
    fixture.held["b"] = {{second.ticket.value}, 1};
    // The other element is not answered yet.
    EXPECT_FALSE(fixture.ended());
}

TEST(Workflow, G3_APlansRepeatedRequestIsNoCycleAndNotKept) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"each","agent":"a","for_each":{"$from":"/input/list"}}]})",
                  R"({"list":[1,2]})");
    EXPECT_EQ(fixture.order, (std::vector<std::string>{"a", "a"})) << "the same delegation, twice";
    const auto& roots = fixture.story.state().governor.lineage.roots;
    ASSERT_EQ(roots.size(), 1U);
    EXPECT_TRUE(roots.at(roots.tickets().front())->delegation_keys.empty());
}

TEST(Workflow, AListLongerThanTheLimitFailsTheStep) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"y","agent":"a","for_each":{"$from":"/input","at_most":2}}]})",
                  "[1,2,3]");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Failed);
    EXPECT_EQ(fixture.report_at("/missing/0/reason"),
              R"("'/input' is a list of 3, and at most 2 are taken")");
}

TEST(Workflow, K16_AListOfWhichSomeFailedIsPartial) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(
        R"({"steps":[{"id":"y","label":"Pages","agent":"a","for_each":{"$from":"/input","at_most":2}}]})",
        "[1,2]");
    fixture.answer("a", R"({"error":"UNREADABLE","retryable":false})");
    EXPECT_FALSE(fixture.ended());
    ASSERT_EQ(fixture.handed.size(), 2U);
    fixture.held["a"] = fixture.handed.front();
    fixture.answer("a", R"({"output":"one"})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Partial);
    EXPECT_EQ(fixture.report_at("/output/y"), R"(["one",null])");
    EXPECT_EQ(fixture.report_at("/steps/0/partial"), "true") << "and so is the step";
    EXPECT_EQ(fixture.report_at("/steps/0/missing_elements"), "[1]");
    EXPECT_EQ(fixture.report_at("/missing/0/elements"), "1");
    EXPECT_EQ(fixture.report_at("/missing/0/of"), "2");
    EXPECT_EQ(fixture.report_at("/missing/0/code"), R"("UNREADABLE")");
}

TEST(Workflow, K18_TheAnswerNamesConflictingValuesWithoutInternalNames) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(
        R"({"steps":[{"id":"x","label":"Market","agent":"a"},{"id":"y","label":"Finance","agent":"b"}]})");
    fixture.answer("b", R"({"output":{"rate":2},"confidence":0.9})");
    fixture.answer("a", R"({"output":{"rate":1},"confidence":0.6})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.report_at("/conflicts/0/preferred"), "2");
    EXPECT_EQ(fixture.report_at("/components/0/label"), R"("Market")")
        << "as planned, not as they came";
    EXPECT_EQ(
        fixture.report_at("/answer"),
        R"("Market: rate: 1 (confidence medium)\nFinance: rate: 2 (confidence high)\n)"
        R"(Note: there are different values for rate: 1 (Market), 2 (Finance). I go by 2, which is surer.")");
}

TEST(Workflow, C13_RetriesATransientFailure) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a"}]})");
    fixture.answer("a", R"({"error":"API_TIMEOUT","retryable":true})");
    EXPECT_TRUE(fixture.held.empty()) << "not before its wait is over";
    fixture.later(199ms);
    EXPECT_TRUE(fixture.held.empty());
    fixture.later(1ms);
    fixture.answer("a", R"({"error":"API_TIMEOUT","retryable":true})");
    fixture.later(399ms);
    EXPECT_TRUE(fixture.held.empty()) << "the second wait is twice as long";
    fixture.later(1ms);
    fixture.answer("a", R"({"output":1})");
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Completed);
    EXPECT_EQ(fixture.report_at("/steps/0/attempts"), "3");
}

TEST(Workflow, C13_GivesUpAfterItsRetries) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a","retry":{"limit":1,"backoff_ms":50}}]})");
    fixture.answer("a", R"({"error":"API_TIMEOUT"})").later(50ms);
    fixture.answer("a", R"({"error":"API_TIMEOUT"})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Failed);
}

TEST(Workflow, C9_FollowsTheStrategyNamedByTheAgent) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a","inputs":{"n":1}}]})");
    fixture.answer("a", R"({"error":"API_TIMEOUT","retryable":false,"strategy":"DO_b"})");
    EXPECT_EQ(fixture.order, (Ids{"a", "b"}));
    EXPECT_EQ(fixture.inputs("b"), R"({"n":1})");
    fixture.answer("b", R"({"output":"by rules"})");
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Completed);
    EXPECT_EQ(fixture.report_at("/steps/0/by"), R"("strategy")");
}

TEST(Workflow, FollowsThePlannedFallback) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(
        R"({"steps":[{"id":"x","agent":"a","fallback":{"agent":"b","inputs":{"easy":true}}}]})");
    fixture.answer("a", R"({"error":"NO_IDEA","retryable":false})");
    EXPECT_EQ(fixture.inputs("b"), R"({"easy":true})");
    WorkflowFixture value{{"a"}};
    value.start(R"({"steps":[{"id":"x","agent":"a","fallback":{"value":{"rate":0.1}}}]})");
    value.answer("a", R"({"error":"NO_IDEA","retryable":false})");
    EXPECT_EQ(value.report_at("/output/x"), R"({"rate":0.1})");
    EXPECT_EQ(value.report_at("/steps/0/error/code"), R"("NO_IDEA")");
}

TEST(Workflow, S13_AnAnswerBelowConfidenceMinIsAFailure) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a","confidence_min":0.6}]})");
    fixture.answer("a", R"({"output":1,"confidence":0.599})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.report_at("/missing/0/code"), R"("CONFIDENCE_TOO_LOW")");
}

/// Answers the one waiting human task as a person of the office.
void answer_as(WorkflowFixture& fixture, const char* who, AnswerHumanTask answer) {
    const auto& human_tasks = fixture.story.state().people.human_tasks;
    for (const auto id : human_tasks.tickets()) {
        if (human_tasks.at(id)->stage == people::Stage::Waiting) answer.id = id;
    }
    fixture.story.as_caller({.agent = {who}, .is_operator = true, .role = OperatorRole::Operator});
    fixture.story.ask(std::move(answer));
    fixture.look();
}

TEST(Workflow, S13_AHumanStepWaitsForItsAnswer) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a"},
        {"id":"ok","after":["x"],"human":{"role":"compliance","question":"Take them on?"}},
        {"id":"y","agent":"b","inputs":{"said":{"$from":"/steps/ok/output/decision"}}}]})");
    fixture.answer("a", R"({"output":1})");
    EXPECT_EQ(fixture.order, (Ids{"a"}));
    fixture.story.as_the_hub().restart();
    EXPECT_EQ(fixture.order.size(), 1U);
    answer_as(fixture, "ann", {.decision = HumanDecision::Approve});
    EXPECT_EQ(fixture.story.happened<StepEnded>().size(), 1U);
    fixture.story.as_the_hub().connect("b", 1, "again");
    fixture.look();
    EXPECT_EQ(fixture.inputs("b"), R"({"said":"approve"})");
}

TEST(Workflow, S13_ARejectionFailsTheStep) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"ok","human":{"question":"May we?"}}]})");
    answer_as(fixture, "ann", {.decision = HumanDecision::Reject, .reason = "too dear"});
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.report_at("/missing/0/reason"), R"("too dear")");
}

TEST(Workflow, S13_APersonMayFindAnUnsureAnswerGoodEnough) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a","confidence_min":0.6,"on_error":"human"}]})");
    fixture.answer("a", R"({"output":{"n":7},"confidence":0.3})");
    EXPECT_FALSE(fixture.ended());
    answer_as(fixture, "ann", {.decision = HumanDecision::Approve});
    EXPECT_EQ(fixture.report_at("/output/x"), R"({"n":7})");
}

TEST(Workflow, S12_APermanentFailureGoesToAPerson) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a","on_error":"human"}]})");
    fixture.answer("a", R"({"error":"NO_IDEA","retryable":false})");
    answer_as(fixture, "ann", {.decision = HumanDecision::Answer, .content = "42"});
    EXPECT_EQ(fixture.report_at("/output/x"), "42");
}

TEST(Workflow, W9_CancellingWithdrawsHumanTasks) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"ok","human":{"question":"May we?"}}]})");
    fixture.story.as_operator().ask(CancelRequest{"w", "no longer"});
    EXPECT_EQ(fixture.story.happened<HumanWithdrawn>().size(), 1U);
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Cancelled);
}

TEST(Workflow, S13_ALapsedHumanStepFollowsIfNobody) {
    for (const auto& [word, end] :
         {std::pair{"fail", WorkflowEnd::Failed}, {"approve", WorkflowEnd::Completed}}) {
        WorkflowFixture fixture{{"a"}};
        fixture.start(
            std::string{
                R"({"steps":[{"id":"ok","human":{"question":"May we?","deadline_ms":1000,"if_nobody":")"} +
            word + R"("}}]})");
        fixture.later(999ms);
        EXPECT_FALSE(fixture.ended());
        fixture.later(1ms);
        ASSERT_TRUE(fixture.ended()) << word;
        EXPECT_EQ(fixture.ended()->end, end);
    }
}

TEST(Workflow, K20_AFinalReportHasNoRunningStep) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"timeout_ms":1000,"steps":[{"id":"x","human":{"question":"May we?"}},
        {"id":"y","agent":"b","after":["x"]}]})");
    fixture.later(1000ms);
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::TimedOut);
    EXPECT_EQ(fixture.report_at("/steps/0/status"), R"("CANCELLED")");
    EXPECT_EQ(fixture.report_at("/steps/1/status"), R"("CANCELLED")");
}

TEST(Workflow, K20_ATimedOutWorkflowReturnsItsPartialResult) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"timeout_ms":1000,"steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b"}]})");
    fixture.answer("a", R"({"output":1})").later(999ms);
    EXPECT_FALSE(fixture.ended());
    fixture.later(1ms);
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::TimedOut);
    EXPECT_EQ(fixture.report_at("/output"), R"({"x":1})");
    EXPECT_EQ(fixture.report_at("/missing/0/step"), R"("y")");
}

TEST(Workflow, X21_CancellingCompensatesDoneSteps) {
    WorkflowFixture fixture{{"a", "b", "c"}};
    fixture.start(R"({"steps":[
        {"id":"book","agent":"a","compensate":{"agent":"c","inputs":{"cancel":{"$from":"/steps/book/output/id"}}}},
        {"id":"pay","agent":"b","after":["book"]}]})");
    fixture.answer("a", R"({"output":{"id":"b-7"}})");
    fixture.story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    fixture.look();
    EXPECT_EQ(fixture.story.happened<WorkflowUndone>().size(), 1U);
    EXPECT_EQ(fixture.order, (Ids{"a", "b", "c"}));
    EXPECT_EQ(fixture.inputs("c"), R"({"cancel":"b-7"})");
    fixture.answer("c", R"({"output":true})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Cancelled);
    EXPECT_EQ(fixture.report_at("/steps/0/status"), R"("COMPENSATED")");
    EXPECT_EQ(fixture.report_at("/steps/1/status"), R"("FAILED")") << "b was at work";
}

TEST(Workflow, X21_AFailedCompensationIsReportedAsFailed) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[
        {"id":"book","agent":"a","compensate":{"capability":"UNBOOK"}},
        {"id":"pay","agent":"b","after":["book"]},
        {"id":"tell","agent":"b","after":["pay"]}]})");
    fixture.answer("a", R"({"output":{"id":"b-7"}})");
    fixture.story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    fixture.look();
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Cancelled);
    EXPECT_EQ(fixture.report_at("/steps/0/status"), R"("COMPENSATION_FAILED")");
    EXPECT_EQ(fixture.report_at("/steps/0/error/code"), R"("CAPABILITY_NOT_REGISTERED")");
    EXPECT_EQ(fixture.report_at("/steps/2/status"), R"("CANCELLED")") << "and was never asked";
}

TEST(Workflow, X21_LaterStepsAreCompensatedFirstWhateverTheOrderInThePlan) {
    WorkflowFixture fixture{{"a", "b", "c"}};
    fixture.start(R"({"steps":[
        {"id":"pay","agent":"b","after":["book"],"compensate":{"agent":"b"}},
        {"id":"book","agent":"a","compensate":{"agent":"a"}},
        {"id":"tell","agent":"c","after":["pay"]}]})");
    fixture.answer("a", R"({"output":1})").answer("b", R"({"output":2})");
    EXPECT_EQ(fixture.order, (Ids{"a", "b", "c"}));
    fixture.story.as_operator().ask(CancelRequest{"w", "no longer needed"});
    fixture.look().answer("b", R"({"output":0})").answer("a", R"({"output":0})");
    EXPECT_EQ(fixture.order, (Ids{"a", "b", "c", "b", "a"}));
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Cancelled);
}

TEST(Workflow, C11_GoesOnAfterARestart) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b","after":["x"]}]})");
    fixture.story.as_the_hub().restart();
    fixture.story.connect("a", 1, "again");
    fixture.look();
    fixture.answer("a", R"({"output":1})");
    fixture.story.as_the_hub().connect("b", 1, "again");
    fixture.look();
    fixture.answer("b", R"({"output":2})");
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Completed);
}

TEST(Workflow, C11_AStepLostOnTheWayToAPollerIsDeliveredAgainInTime) {
    WorkflowFixture fixture{{}};
    auto& story = fixture.story;
    story.as_the_hub().ask(RegisterAgent{{"p"}, {}});
    story.ask(JoinInstance{{"p"}, "one", InstanceKind::Poll, 0});
    const auto instance = story.asked_for<TellJoined>().back().instance;
    fixture.start(R"({"steps":[{"id":"x","agent":"p"}]})");
    story.as_the_hub().ask(TakeMessages{instance, 1});
    fixture.look();
    ASSERT_EQ(fixture.order, (Ids{"p"})) << "the hub dies, and its answer with it";
    story.later(1s).restart();
    story.later(14s).tick();
    story.ask(TakeMessages{instance, 1});
    EXPECT_EQ(fixture.look().order.size(), 1U) << "who has it may still answer";
    story.later(1s).tick();
    for (int i = 0; i < 5 && fixture.order.size() < 2; ++i) {
        story.later(1s).ask(TakeMessages{instance, 1});
        fixture.look();
    }
    ASSERT_EQ(fixture.order.size(), 2U) << "a step has 30 s, and 15 of the 29 were over";
    fixture.answer("p", R"({"output":1})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Completed);
}

TEST(Workflow, C8_AWorkflowStartedTwiceRunsOnce) {
    WorkflowFixture fixture{{"a"}};
    const std::string plan = R"({"steps":[{"id":"x","agent":"a"}]})";
    fixture.start(plan).start(plan);
    EXPECT_EQ(fixture.story.happened<DuplicateReceived>().size(), 1U);
    EXPECT_EQ(fixture.order.size(), 1U);
    fixture.start(R"({"steps":[{"id":"other","agent":"a"}]})");
    EXPECT_EQ(fixture.story.refusal(), Refusal::MessageIdConflict);
}

TEST(Workflow, X13_RepeatingAnotherCallersStartRevealsNothing) {
    WorkflowFixture fixture{{"a"}};
    const StartWorkflow start{
        .id = "w", .plan = R"({"steps":[{"id":"x","agent":"a"}]})", .user = "u"};
    fixture.story.as_caller({.agent = {"a"}, .users = {"u"}}).ask(start);
    EXPECT_EQ(fixture.story.happened<WorkflowStarted>().size(), 1U);
    fixture.story.as_caller({.agent = {"eve"}}).ask(start);
    EXPECT_EQ(fixture.story.refusal(), Refusal::UserIsolationViolated);
    EXPECT_TRUE(fixture.story.happened<DuplicateReceived>().empty());
}

TEST(Workflow, I1_RepeatingAnotherCallersStartWithoutAUserRevealsNothing) {
    WorkflowFixture fixture{{"a"}};
    const StartWorkflow start{.id = "w", .plan = R"({"steps":[{"id":"x","agent":"a"}]})"};
    auto other = start;
    other.plan = R"({"steps":[{"id":"y","agent":"a"}]})";
    fixture.story.as("bob").ask(start);
    const auto told_to_eve = [&](const StartWorkflow& again) {
        fixture.story.as("eve").ask(again);
        EXPECT_EQ(fixture.story.refusal(), Refusal::MessageIdConflict);
        const auto refused = fixture.story.happened<MessageRefused>();
        if (refused.empty()) return std::string{"not refused"};
        EXPECT_EQ(refused.front().from, "eve");
        return refused.front().detail;
    };
    const auto is_repeat = [&] { return !fixture.story.happened<DuplicateReceived>().empty(); };
    const auto try_all = [&] {
        EXPECT_EQ(told_to_eve(start), told_to_eve(other));
        fixture.story.as("bob").ask(start);
        EXPECT_TRUE(is_repeat()) << "who started it may ask again";
        fixture.story.as_operator().ask(start);
        EXPECT_TRUE(is_repeat());
    };
    fixture.look();
    try_all();
    fixture.answer("a", R"({"done":true})");
    ASSERT_TRUE(fixture.ended());
    try_all();
    fixture.story.as_the_hub().restart();
    try_all();
}

TEST(Workflow, AsksTheLeastBusyAgentWithTheCapability) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.story.as_the_hub().ask(RegisterAgent{{"b"}, {.capabilities = R"([{"code":"DO_a"}])"}});
    fixture.story.send({.id = "busy", .to = "a"});
    fixture.start(R"({"steps":[{"id":"x","capability":"DO_a"}]})");
    EXPECT_EQ(fixture.order.back(), "b");
}

TEST(Workflow, FailsAStepThatNoAgentHasTheCapabilityFor) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"x","capability":"DO_nothing"}]})");
    EXPECT_EQ(fixture.report_at("/missing/0/code"), R"("CAPABILITY_NOT_REGISTERED")");
}

TEST(Workflow, WaitsForAStoppedFleetAndGoesOnOnResume) {
    WorkflowFixture fixture{{"a", "b"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a"},{"id":"y","agent":"b","after":["x"]}]})");
    fixture.story.as_operator().ask(StopFleet{.reason = "fire drill"});
    fixture.answer("a", R"({"output":1})");
    EXPECT_EQ(fixture.order.size(), 1U);
    fixture.story.as_operator().ask(ResumeFleet{});
    fixture.look();
    EXPECT_EQ(fixture.order.back(), "b");
}

TEST(Workflow, HasATreeOfItsOwnAndEndsTheTree) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a"}]})");
    EXPECT_EQ(fixture.story.happened<DelegationAdmitted>().front().session, "w");
    fixture.answer("a", R"({"output":1})");
    EXPECT_EQ(fixture.story.happened<DelegationTreeEnded>().size(), 1U);
    EXPECT_TRUE(fixture.story.state().governor.lineage.roots.empty());
}

TEST(Workflow, StoppingTheFleetWithCancellationEndsRunningWorkflows) {
    WorkflowFixture fixture{{"a", "b", "d"}};
    fixture.start(R"({"steps":[{"id":"x","agent":"a","fallback":{"agent":"d"}},
        {"id":"y","human":{"question":"Go on?"}},
        {"id":"z","agent":"b","after":["x"]}]})");
    EXPECT_EQ(fixture.order, (Ids{"a"}));
    fixture.story.as_operator().ask(StopFleet{.reason = "fire", .cancels = true});
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Cancelled);
    EXPECT_EQ(fixture.report_at("/status"), R"("CANCELLED")");
    EXPECT_EQ(fixture.ended()->reason, "the fleet was stopped: fire");
    fixture.story.as_operator().ask(ResumeFleet{.reason = "it is out"});
    fixture.look().later(1h);
    EXPECT_EQ(fixture.order, (Ids{"a"})) << "nobody is asked in its place";
    EXPECT_TRUE(fixture.story.state().workflows.runs.empty());
}

TEST(Workflow, AResumedFleetCompensatesCancelledWorkflows) {
    WorkflowFixture fixture{{"a", "b", "c"}};
    fixture.start(R"({"steps":[{"id":"book","agent":"a","compensate":{"agent":"c"}},
        {"id":"pay","agent":"b","after":["book"],"fallback":{"agent":"a"}}]})");
    fixture.answer("a", R"({"output":{"id":7}})");
    EXPECT_EQ(fixture.order, (Ids{"a", "b"}));
    fixture.story.as_operator().ask(StopFleet{.reason = "fire", .cancels = true});
    EXPECT_FALSE(fixture.ended());
    const auto compensated = fixture.story.happened<WorkflowUndone>();
    ASSERT_EQ(compensated.size(), 1U);
    EXPECT_EQ(compensated[0].by, "olga");
    fixture.story.as_operator().ask(ResumeFleet{.reason = "it is out"});
    EXPECT_EQ(fixture.look().order, (Ids{"a", "b", "c"}));
    fixture.answer("c", R"({"output":1})");
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Cancelled);
}

TEST(Workflow, StoppingTheFleetWithCancellationWithdrawsHumanTasks) {
    WorkflowFixture fixture{{"a"}};
    fixture.start(R"({"steps":[{"id":"x","human":{"question":"Go on?"}}]})");
    ASSERT_EQ(fixture.story.happened<HumanAsked>().size(), 1U);
    fixture.story.as_operator().ask(StopFleet{.reason = "fire", .cancels = true});
    EXPECT_EQ(fixture.story.happened<HumanWithdrawn>().size(), 1U);
    ASSERT_TRUE(fixture.ended());
    EXPECT_EQ(fixture.ended()->end, WorkflowEnd::Cancelled);
}

}  // namespace
}  // namespace parlance::core
