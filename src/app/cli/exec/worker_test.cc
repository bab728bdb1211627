#include "app/cli/exec/worker.h"

#include <array>
#include <csignal>

#include <gtest/gtest.h>
#include <poll.h>

#include "base/json.h"

namespace parlance::cli::exec {
namespace {

using Kind = Verdict::Kind;

constexpr std::string_view kTask = R"({"id":"m","type":"TASK_ASSIGNMENT","payload":{"n":1}})";
constexpr std::string_view kUpdate = R"({"id":"m","type":"TASK_UPDATE","payload":{}})";

TEST(Verdict, MakesALineThePayloadOfTheAnswer) {
    const Verdict verdict = verdict_of("taskwire", kTask, R"({"sum":3})");
    EXPECT_EQ(verdict.kind, Kind::Reply);
    EXPECT_EQ(verdict.text, R"({"type":"TASK_COMPLETE","payload":{"sum":3}})");
    EXPECT_EQ(verdict_of("taskwire", R"({"type":"HELP_REQUEST","payload":{}})", "7").text,
              R"({"type":"HELP_RESPONSE","payload":7})");
}

TEST(Verdict, PassesAWholeAnswerUnchanged) {
    for (const char* line : {R"({"type":"TASK_FAILED","payload":{}})",
                             R"({"type":"TASK_COMPLETE","payload":1})",
                             R"({"type":"TASK_HANDOFF","payload":{"accepted":false}})"}) {
        EXPECT_EQ(verdict_of("taskwire", kTask, line).text, line);
    }
}

TEST(Verdict, WrapsAnEchoedRequestAsAPayload) {
    EXPECT_EQ(verdict_of("taskwire", kTask, kTask).text,
              R"({"type":"TASK_COMPLETE","payload":)" + std::string(kTask) + "}");
}

TEST(Verdict, MakesPlainWordsAndAnEmptyLineIntoPayloads) {
    EXPECT_EQ(verdict_of("taskwire", kTask, "all done").text,
              R"({"type":"TASK_COMPLETE","payload":{"text":"all done"}})");
    EXPECT_EQ(verdict_of("taskwire", kTask, "").text, R"({"type":"TASK_COMPLETE","payload":{}})");
    EXPECT_TRUE(json::check(verdict_of("taskwire", kTask, "\xFF\xFE").text));
}

TEST(Verdict, AcknowledgesAOneWayMessageWhateverTheLine) {
    for (const char* line : {"", "ok", "{}", "{broken"}) {
        EXPECT_EQ(verdict_of("taskwire", kUpdate, line).kind, Kind::Ack) << line;
    }
}

TEST(Verdict, LeavesOtherDialectsToTheProgram) {
    EXPECT_EQ(verdict_of("kessel", "{}", R"({"status":"SUCCESS"})").text,
              R"({"status":"SUCCESS"})");
    EXPECT_EQ(verdict_of("kessel", "{}", " ").kind, Kind::Ack);
    EXPECT_EQ(verdict_of("kessel", "{}", "done").kind, Kind::Nack);
}

TEST(Verdict, IsFinalForAnAnswerTooLongToSend) {
    const Verdict reply{.kind = Kind::Reply, .text = std::string(100, 'x')};
    EXPECT_EQ(within(reply, 100).kind, Kind::Reply);
    const Verdict nack = within(reply, 99);
    EXPECT_EQ(nack.kind, Kind::Nack);
    EXPECT_TRUE(nack.is_final);
    EXPECT_EQ(nack.text, "the answer has 100 bytes, 99 is the most");
}

TEST(Lines, ComeOutWholeFromPiecesOfAnySize) {
    Lines lines;
    lines.add("on");
    EXPECT_EQ(lines.next(), std::nullopt);
    lines.add("e\r\ntwo\n\nthr");
    EXPECT_EQ(lines.next(), "one");
    EXPECT_EQ(lines.next(), "two");
    EXPECT_EQ(lines.next(), "");
    EXPECT_EQ(lines.next(), std::nullopt);
    EXPECT_EQ(lines.rest(), "thr");
}

TEST(Lines, AreBoundedInLength) {
    Lines lines;
    lines.add(std::string(Lines::kBytesMax, 'x'));
    EXPECT_FALSE(lines.is_too_long());
    lines.add("x");
    EXPECT_TRUE(lines.is_too_long());
}

/// Waits on the program's pipe, not on the clock.
std::vector<Outcome> outcomes_of(Worker& worker) {
    while (true) {
        auto outcomes = worker.listen(Clock::now());
        if (!outcomes.empty() || worker.child() == nullptr) return outcomes;
        const Child& child = *worker.child();
        std::array<pollfd, 2> items{pollfd{.fd = child.output(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = child.wants_to_write() ? child.input() : -1,
                                           .events = POLLOUT,
                                           .revents = 0}};
        if (::poll(items.data(), items.size(), 10'000) <= 0) return {};
    }
}

class WorkerTest : public testing::Test {
  protected:
    WorkerTest() { std::signal(SIGPIPE, SIG_IGN); }
};

TEST_F(WorkerTest, GivesOneLineAndTakesOneLine) {
    Worker worker{{"cat"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    for (const char* id : {"1.1", "2.1"}) {
        ASSERT_TRUE(worker.is_idle());
        worker.give({id, "{\"type\": \"TASK_ASSIGNMENT\",\n \"payload\": {}}"});
        EXPECT_TRUE(worker.is_busy());
        const auto outcomes = outcomes_of(worker);
        ASSERT_EQ(outcomes.size(), 1U);
        EXPECT_EQ(outcomes[0].work.delivery_id, id);
        EXPECT_EQ(outcomes[0].verdict.text,
                  R"({"type":"TASK_COMPLETE","payload":{"type":"TASK_ASSIGNMENT","payload":{}}})");
    }
}

TEST_F(WorkerTest, CarriesALineLargerThanAPipe) {
    Worker worker{{"cat"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    const std::string big(400'000, 'x');
    worker.give({"1.1", R"({"type":"TASK_ASSIGNMENT","payload":")" + big + "\"}"});
    const auto outcomes = outcomes_of(worker);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_NE(outcomes[0].verdict.text.find(big), std::string::npos);
}

TEST_F(WorkerTest, NacksFinallyAfterALineWithoutEnd) {
    Worker worker{{"sh", "-c", "tr '\\0' x </dev/zero"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    worker.give({"1.1", std::string(kTask)});
    const auto outcomes = outcomes_of(worker);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].work.delivery_id, "1.1");
    EXPECT_TRUE(outcomes[0].verdict.is_final);
    EXPECT_EQ(outcomes[0].verdict.text, "the answer has more than 8388608 bytes in one line");
}

TEST_F(WorkerTest, KillsAndReportsAProgramThatFloods) {
    Worker worker{{"sh", "-c", "read line; echo done; exec yes"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    worker.give({"1.1", std::string(kTask)});
    const auto outcomes = outcomes_of(worker);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].verdict.text, R"({"type":"TASK_COMPLETE","payload":{"text":"done"}})");

    EXPECT_TRUE(outcomes_of(worker).empty()) << "the rest answers nothing";
    EXPECT_EQ(worker.child(), nullptr) << "and it is not read for ever";
    EXPECT_GT(worker.rests_until(), Clock::now());
    const auto report = worker.take_report();
    EXPECT_NE(report.find("lines that no message asked for; it is ended"), std::string::npos)
        << report;
    EXPECT_EQ(worker.take_report(), "") << "once";
}

TEST_F(WorkerTest, DropsUnsolicitedLinesAndReportsThemOnce) {
    Worker worker{{"sh", "-c", "echo ready; exec cat"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    pollfd item{.fd = worker.child()->output(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&item, 1, 10'000), 1);
    EXPECT_TRUE(worker.listen(Clock::now()).empty());
    EXPECT_FALSE(worker.is_idle()) << "before it is known that no more follows";
    EXPECT_TRUE(worker.listen(Clock::now()).empty());
    EXPECT_EQ(worker.take_report(), "the program wrote 1 line that no message asked for");
    ASSERT_TRUE(worker.is_idle());
    worker.give({"1.1", std::string(kTask)});
    ASSERT_EQ(outcomes_of(worker).size(), 1U);
    EXPECT_EQ(worker.take_report(), "");
}

TEST_F(WorkerTest, DoesNotWaitForAProgramThatClosesItsStdoutAndStays) {
    Worker worker{{"sh", "-c", "trap '' TERM; exec >&-; while :; do sleep 1; done"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    worker.give({"1.1", std::string(kTask)});
    const auto outcomes = outcomes_of(worker);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].verdict.text, "the program was killed by signal 9 before it answered");
}

TEST_F(WorkerTest, NacksTheMessageOfAProgramThatDies) {
    Worker worker{{"false"}, "taskwire"};
    const auto now = Clock::now();
    ASSERT_TRUE(worker.start(now));
    worker.give({"1.1", std::string(kTask)});
    const auto outcomes = outcomes_of(worker);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].verdict.kind, Kind::Nack);
    EXPECT_EQ(outcomes[0].verdict.text, "the program exited with status 1 before it answered");
    EXPECT_EQ(worker.child(), nullptr);
    EXPECT_GT(worker.rests_until(), now);
}

TEST_F(WorkerTest, BacksOffBeforeARestart) {
    Worker worker{{"true"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    EXPECT_TRUE(outcomes_of(worker).empty());
    ASSERT_TRUE(worker.start(worker.rests_until() - std::chrono::milliseconds{1}));
    EXPECT_EQ(worker.child(), nullptr);
    ASSERT_TRUE(worker.start(worker.rests_until()));
    EXPECT_NE(worker.child(), nullptr);
}

TEST_F(WorkerTest, ReportsTheSignalThatKilledTheProgram) {
    Worker worker{{"sh", "-c", "read line; kill -9 $$"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    worker.give({"1.1", std::string(kTask)});
    const auto outcomes = outcomes_of(worker);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].verdict.text, "the program was killed by signal 9 before it answered");
}

TEST_F(WorkerTest, TakesTheAnswerOfAProgramThatAnswersAndLeaves) {
    Worker worker{{"sh", "-c", "read line; echo '{\"bye\":1}'"}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    worker.give({"1.1", std::string(kTask)});
    const auto outcomes = outcomes_of(worker);
    ASSERT_GE(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].verdict.text, R"({"type":"TASK_COMPLETE","payload":{"bye":1}})");
}

/// Works until told to stop; prints no answer to the first line.
constexpr const char* kStoppable =
    "read -r task; read -r stop; printf '%s\\n' \"stopped by $stop\"; cat";

TEST_F(WorkerTest, X21_NotifiesTheProgramOfACancellation) {
    Worker worker{{"sh", "-c", kStoppable}, "taskwire"};
    ASSERT_TRUE(worker.start(Clock::now()));
    worker.give({"1.1", std::string(kTask)});
    worker.disown();
    worker.tell_cancelled("no \"need\"\nany more");
    EXPECT_TRUE(worker.is_busy()) << "until it has said its line";
    const auto late = outcomes_of(worker);
    ASSERT_EQ(late.size(), 1U);
    EXPECT_EQ(late[0].work.delivery_id, "") << "nobody is answered";
    EXPECT_NE(late[0].verdict.text.find("cancelled"), std::string::npos) << late[0].verdict.text;

    ASSERT_TRUE(worker.is_idle()) << "the same program goes on";
    worker.give({"2.1", std::string(kTask)});
    const auto next = outcomes_of(worker);
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(next[0].work.delivery_id, "2.1");
    EXPECT_EQ(next[0].verdict.text,
              R"({"type":"TASK_COMPLETE","payload":)" + std::string(kTask) + "}");
}

TEST_F(WorkerTest, ReportsAProgramThatCannotRun) {
    Worker worker{{"no-such-program-anywhere"}, "taskwire"};
    const auto started = worker.start(Clock::now());
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().fault, Fault::NotFound);
    EXPECT_NE(started.error().message.find("no-such-program-anywhere"), std::string::npos);
}

}  // namespace
}  // namespace parlance::cli::exec
