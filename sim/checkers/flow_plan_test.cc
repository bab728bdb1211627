// The checkers' own readers, and W8 on plans and answers that the readers read.
#include "sim/checkers/flow_plan.h"

#include <gtest/gtest.h>

#include "sim/checkers/checkers.h"
#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

TEST(PlainJson, ReadsValuesAndPointers) {
    const auto json = read_json(R"({"a":{"b":[1, "x\"y", null]},"c":true})");
    EXPECT_EQ(json.at("/a/b/0").raw, "1");
    EXPECT_EQ(json.at("/a/b/1").text, "x\"y");
    EXPECT_EQ(json.at("/a/b/2").raw, "null");
    EXPECT_TRUE(json["c"].is_true());
    EXPECT_TRUE(json.at("/a/b/n").empty()) << "a list has no names";
    EXPECT_TRUE(json.at("/a/b/3").empty());
    EXPECT_TRUE(json["d"].empty());
}

TEST(PlainJson, IsEmptyForInvalidJson) {
    for (const auto* text : {"", "{", "[1,]", R"({"a":1)", R"({"a" 1})", "1 2", R"("x)"}) {
        EXPECT_TRUE(read_json(text).empty()) << text;
    }
}

TEST(PlainJson, FillsReferencesWithValueDefaultOrNull) {
    const auto fill = [](std::string_view text) {
        return filled_in(read_json(text), [](std::string_view at) {
            return at == "/there" ? read_json("7") : PlainJson{};
        });
    };
    EXPECT_EQ(fill(R"({"a":{"$from":"/there"},"b":[{"$from":"/there"},2]})"),
              R"({"a":7,"b":[7,2]})");
    EXPECT_EQ(fill(R"({"a":{"$from":"/nowhere"}})"), R"({"a":null})");
    EXPECT_EQ(fill(R"({"$from":"/nowhere","default":"x"})"), R"("x")");
}

TEST(FlowPlan, KnowsTheStepsThatAStepWaitsFor) {
    const auto plan = read_flow_plan(R"({"on_error":"fail","steps":[
        {"id":"a","agent":"bob","human":{"role":"legal"}},
        {"id":"b","agent":"bob","on_error":"human","retry":{"limit":0}},
        {"id":"c","agent":"bob","inputs":{"x":{"$from":"/steps/b/output/n"}},"after":["a"],
         "confidence_min":0.5,"fallback":{"value":{"n":0}},"compensate":{"agent":"bob"}},
        {"id":"d","agent":"bob","for_each":{"$from":"/steps/c/output/list","at_most":4}}]})");
    ASSERT_EQ(plan.size(), 4U);
    EXPECT_TRUE(plan[0].is_human_task);
    EXPECT_TRUE(plan[0].fails_all);
    EXPECT_FALSE(plan[1].fails_all);
    EXPECT_EQ(plan[1].retry_max, 0U);
    EXPECT_EQ(plan[0].retry_max, 2U) << "unsaid";
    EXPECT_EQ(plan[2].after, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(plan[2].confidence_min, 500U);
    EXPECT_EQ(plan[2].fallback_value, R"({"n":0})");
    EXPECT_TRUE(plan[2].can_be_compensated);
    EXPECT_EQ(plan[3].after, std::vector<std::uint32_t>{2});
    EXPECT_EQ(plan[3].for_each, "/steps/c/output/list");
}

TEST(FlowPlan, ReadsOutputErrorAndConfidenceOfAnAnswer) {
    const auto done = read_flow_answer(R"({"output":{"n":1},"confidence":0.7})");
    EXPECT_TRUE(done.is_done);
    EXPECT_EQ(done.output, R"({"n":1})");
    EXPECT_EQ(done.confidence, 700U);
    EXPECT_FALSE(read_flow_answer(R"({"error":"DATA_MISSING"})").is_done);
    EXPECT_FALSE(read_flow_answer(R"({"output":1})").says_confidence);
}

/// A workflow whose second step has a condition on the first step's status.
struct Conditional {
    Chronicle life;
    Ticket run;

    explicit Conditional(const std::string& condition) {
        const auto plan =
            R"({"steps":[{"id":"s0","agent":"bob"},{"id":"s1","agent":"bob","when":{"value":)"
            R"({"$from":"/steps/s0/status"},"is":")" +
            condition + R"("}}]})";
        const auto sequence =
            life.record(WorkflowStarted{.id = "w", .plan_hash = "h", .plan = plan, .input = "{}"});
        run = {sequence.value * 1024};
        ask(0);
        const auto reply =
            envelope({.id = "r", .from = "bob", .to = "ORC", .body = R"({"output":1})"});
        life.record(RequestAnswered{.request = asked, .envelope = reply});
        life.record(StepEnded{.run = run, .step = 0, .output_at = 10, .output_size = 1});
    }
    void ask(std::uint32_t step) {
        asked = life.accept({.id = "q" + std::to_string(step),
                             .from = "ORC",
                             .intent = Intent::Request,
                             .body = R"({"inputs":{}})"},
                            {.deadline = life.now() + Duration{9'000}, .waits = true});
        life.record(StepBegan{.run = run, .step = step, .attempt = 1, .request = asked});
    }
    Ticket asked{};
};

TEST(W8, IsBrokenByAStepThatRunsAgainstItsCondition) {
    for (const bool holds : {false, true}) {
        Conditional runs{holds ? "COMPLETED" : "FAILED"};
        runs.ask(1);
        EXPECT_EQ(runs.life.breaks("W8"), !holds);
        Conditional passed{holds ? "COMPLETED" : "FAILED"};
        passed.life.record(StepEnded{.run = passed.run, .step = 1, .end = StepEnd::Skipped});
        EXPECT_EQ(passed.life.breaks("W8"), holds);
    }
}

TEST(W8, IsBrokenByAWorkflowWithAnotherInputThanOrdered) {
    for (const auto* input : {R"({"n":1})", R"({"n":2})"}) {
        Chronicle life;
        const std::string plan = R"({"steps":[{"id":"s0","agent":"bob"}]})";
        life.ask(StartWorkflow{.id = "w", .plan = plan, .input = R"({"n":1})"});
        life.record(WorkflowStarted{.id = "w", .plan_hash = "h", .plan = plan, .input = input});
        EXPECT_EQ(life.breaks("W8"), std::string{input} == R"({"n":2})");
    }
}

}  // namespace
}  // namespace parlance::sim
