// Shows the checkers of W1, W4 and W8 workflows that break their promises, and workflows that keep
// them.
#include <gtest/gtest.h>

#include "core/handles.h"
#include "model/plan.h"
#include "sim/checkers/checkers.h"
#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kFirst = 0;
constexpr std::uint32_t kSecond = 1;
constexpr const char* kPlan = R"({"steps":[
    {"id":"first","agent":"bob","compensate":{"agent":"bob"}},
    {"id":"second","agent":"bob","compensate":{"agent":"bob"},
     "inputs":{"of":{"$from":"/steps/first/output"}}}]})";
constexpr const char* kAnswer = R"({"output":1})";
constexpr std::uint32_t kAnswerAt = 10;

/// The records of a workflow of two steps, one after the other.
struct Tale {
    Chronicle life;
    Ticket run;
    std::map<std::uint32_t, Ticket> asked;
    int letters = 0;

    explicit Tale(Time deadline = {}) {
        run = core::ticket_at(life.record(WorkflowStarted{.id = "w",
                                                          .plan_hash = "h",
                                                          .plan = kPlan,
                                                          .input = "{}",
                                                          .correlation = "w",
                                                          .deadline = deadline}));
    }
    Tale& begin(std::uint32_t step, const std::string& inputs, StepPath path = StepPath::Planned) {
        const auto ticket =
            life.accept({.id = "q" + std::to_string(++letters),
                         .from = "ORC",
                         .to = "bob",
                         .correlation = "w",
                         .intent = Intent::Request,
                         .body = R"({"inputs":)" + inputs + "}"},
                        {.priority = Priority::High, .deadline = life.now() + 1s, .waits = true});
        life.record(
            StepBegan{.run = run, .step = step, .attempt = 1, .path = path, .request = ticket});
        asked[step] = ticket;
        return *this;
    }
    Tale& answer(std::uint32_t step, const std::string& body = kAnswer) {
        const auto reply = envelope({.id = "r" + std::to_string(++letters),
                                     .from = "bob",
                                     .to = "ORC",
                                     .correlation = "w",
                                     .intent = Intent::Reply,
                                     .body = body});
        life.record(RequestAnswered{.request = asked.at(step), .envelope = reply});
        return *this;
    }
    Tale& end(std::uint32_t step, StepEnd end = StepEnd::Done) {
        StepEnded ended{.run = run, .step = step, .end = end};
        if (end == StepEnd::Done) ended.output_at = kAnswerAt;
        if (end == StepEnd::Done) ended.output_size = 1;
        life.record(ended);
        return *this;
    }
    Tale& do_step(std::uint32_t step) {
        return begin(step, step == kFirst ? "{}" : R"({"of":1})").answer(step).end(step);
    }
    Tale& compensate() {
        life.record(WorkflowUndone{.run = run, .by = "alice"});
        return *this;
    }
    Tale& compensate_step(std::uint32_t step) {
        return begin(step, step == kFirst ? "{}" : R"({"of":1})", StepPath::Compensation)
            .answer(step)
            .end(step, StepEnd::Compensated);
    }
    Tale& finish(WorkflowEnd end, const std::string& output, const std::string& status) {
        auto report = R"({"workflow_id":"w","status":")" + status + R"(","output":)" + output +
                      R"(,"steps":[])" + (status == "COMPLETED" ? "}" : R"(,"missing":[]})");
        life.record(WorkflowEnded{.run = run, .id = "w", .end = end, .report = report});
        life.show(TellEnded{"w", report});
        return *this;
    }
    Tale& complete() {
        return finish(WorkflowEnd::Completed, R"({"first":1,"second":1})", "COMPLETED");
    }
    bool breaks(const std::string& promise) const { return life.breaks(promise); }
};

TEST(W8, IsKeptByACompletedWorkflow) {
    Tale tale;
    tale.do_step(kFirst).do_step(kSecond).complete();
    for (const auto* promise : {"W1", "W4", "W8"})
        EXPECT_FALSE(tale.breaks(promise)) << tale.life.broken();
}

TEST(W8, IsKeptByCompensatingTheLastStepFirst) {
    Tale tale;
    tale.do_step(kFirst).do_step(kSecond).compensate().compensate_step(kSecond).compensate_step(
        kFirst);
    tale.finish(WorkflowEnd::Cancelled, "{}", "CANCELLED");
    for (const auto* promise : {"W1", "W4", "W8"})
        EXPECT_FALSE(tale.breaks(promise)) << tale.life.broken();
}

TEST(W8, IsBrokenByCompensatingTheFirstStepFirst) {
    Tale tale;
    tale.do_step(kFirst).do_step(kSecond).compensate().compensate_step(kFirst).compensate_step(
        kSecond);
    tale.finish(WorkflowEnd::Cancelled, "{}", "CANCELLED");
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByAMissingCompensation) {
    Tale tale;
    tale.do_step(kFirst).compensate().finish(WorkflowEnd::Cancelled, R"({"first":1})", "CANCELLED");
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByCompensatingAStepThatDidNotRun) {
    Tale tale;
    tale.do_step(kFirst).compensate().compensate_step(kSecond).compensate_step(kFirst);
    tale.finish(WorkflowEnd::Cancelled, "{}", "CANCELLED");
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByRunningACompletedStepAgain) {
    Tale tale;
    tale.do_step(kFirst).do_step(kFirst).do_step(kSecond).complete();
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByIgnoringAGoodAnswer) {
    Tale tale;
    tale.begin(kFirst, "{}").answer(kFirst);
    tale.life.record(StepDelayed{.run = tale.run, .step = kFirst, .attempt = 1});
    tale.do_step(kFirst).do_step(kSecond).complete();
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByAStepBeforeItsInputs) {
    Tale tale;
    tale.do_step(kSecond).do_step(kFirst).complete();
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByOtherInputs) {
    Tale tale;
    tale.do_step(kFirst).begin(kSecond, R"({"of":2})").answer(kSecond).end(kSecond).complete();
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByAnOutputOtherThanTheAnswers) {
    Tale tale;
    tale.do_step(kFirst)
        .begin(kSecond, R"({"of":1})")
        .answer(kSecond, R"({"output":22})")
        .end(kSecond);
    tale.complete();
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByAStepThatEndsWithoutAnAnswer) {
    Tale tale;
    tale.do_step(kFirst).begin(kSecond, R"({"of":1})").end(kSecond).complete();
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByAReportOfAnotherOutput) {
    Tale tale;
    tale.do_step(kFirst).do_step(kSecond);
    tale.finish(WorkflowEnd::Completed, R"({"first":1,"second":2})", "COMPLETED");
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W8, IsBrokenByAWorkflowThatEndsBeforeAllSteps) {
    Tale tale;
    tale.do_step(kFirst).finish(WorkflowEnd::Completed, R"({"first":1})", "COMPLETED");
    EXPECT_TRUE(tale.breaks("W8"));
}

TEST(W1, IsBrokenByAWorkflowThatNeverEnds) {
    Tale tale;
    tale.do_step(kFirst).do_step(kSecond);
    EXPECT_TRUE(tale.breaks("W1"));
}

TEST(W1, IsBrokenByAWorkflowThatEndsTwice) {
    Tale tale;
    tale.do_step(kFirst).do_step(kSecond).complete().complete();
    EXPECT_TRUE(tale.breaks("W1"));
}

TEST(W1, IsBrokenByAWorkflowThatOutlivesItsDeadline) {
    for (const auto late : {0s, 1s}) {
        Tale tale{Chronicle{}.now() + 500ms};
        tale.do_step(kFirst);
        tale.life.later(500ms).record(InstanceSeen{.instance = {1}});
        tale.life.later(late);
        tale.finish(WorkflowEnd::TimedOut, R"({"first":1})", "TIMED_OUT");
        EXPECT_EQ(tale.breaks("W1"), late > 0s);
    }
}

TEST(W1, IsBrokenByATimeoutBeforeTheDeadline) {
    Tale tale{Chronicle{}.now() + 500ms};
    tale.do_step(kFirst).finish(WorkflowEnd::TimedOut, R"({"first":1})", "TIMED_OUT");
    EXPECT_TRUE(tale.breaks("W1"));
}

TEST(W4, IsBrokenByPassingOnAnInvalidAnswer) {
    for (const bool is_refused : {false, true}) {
        Tale tale;
        tale.begin(kFirst, "{}").answer(kFirst);
        const auto& answered = std::get<RequestAnswered>(tale.life.history.journal.back().event);
        if (is_refused) tale.life.ask(RefuseReply{.reply = answered.envelope}, "bob");
        EXPECT_EQ(tale.breaks("W4"), is_refused);
    }
}

TEST(W4, IsBrokenByAFailureWithoutACodeOrReason) {
    for (const auto& [refusal, detail] : {std::pair{Refusal::None, "why"},
                                          {Refusal::RequestTimedOut, ""},
                                          {Refusal::RequestTimedOut, "why"}}) {
        Chronicle life;
        life.show(TellAnswer{.request = {1}, .failure = {refusal, detail}});
        EXPECT_EQ(life.breaks("W4"), refusal == Refusal::None || *detail == '\0') << detail;
    }
}

TEST(W4, IsBrokenByAnInvalidReport) {
    const auto breaks = [](const std::string& report) {
        Chronicle life;
        life.show(TellEnded{"w", R"({"workflow_id":"w",)" + report + "}"});
        return life.breaks("W4");
    };
    EXPECT_FALSE(breaks(
        R"("status":"COMPLETED","steps":[{"status":"COMPLETED","output":1,"confidence":0.9}])"));
    EXPECT_TRUE(
        breaks(R"("status":"COMPLETED","steps":[{"status":"COMPLETED","confidence":1.1}])"));
    EXPECT_TRUE(breaks(R"("status":"COMPLETED","steps":[],"missing":[{"reason":"it"}])"));
    EXPECT_TRUE(breaks(R"("status":"PARTIAL","steps":[])")) << "what is missing?";
    EXPECT_TRUE(breaks(R"("status":"PARTIAL","steps":[],"missing":[])"));
    EXPECT_TRUE(breaks(R"("status":"PARTIAL","steps":[],"missing":[{"step":"a"}])")) << "why?";
    const std::string failed =
        R"("status":"FAILED","missing":[{"reason":"it"}],"steps":[{"status":"FAILED")";
    EXPECT_FALSE(breaks(failed + R"(,"error":{"code":"A_B","message":"no"}}])"));
    EXPECT_TRUE(breaks(failed + "}]"));
    EXPECT_TRUE(breaks(failed + R"(,"error":{"code":"A_B","message":""}}])"));
    EXPECT_TRUE(breaks(failed + R"(,"output":1,"error":{"code":"A_B","message":"no"}}])"));
}

}  // namespace
}  // namespace parlance::sim
