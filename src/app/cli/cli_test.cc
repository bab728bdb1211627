// The command line: accepted and refused arguments, and exit codes.
#include "app/cli/cli.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "app/cli/draft.h"
#include "base/json.h"
#include "base/uuid.h"
#include "sdk/cpp/testing/scripted_hub.h"

namespace parlance::cli {
namespace {

using sdk::testing::Peer;
using sdk::testing::ScriptedHub;

struct Ended {
    int exit = 0;
    std::string out{};
    std::string err{};
};

Ended run_with(std::vector<const char*> arguments) {
    CLI::App app;
    Context context;
    add_globals(app, context);
    add_send(app, context);
    add_request(app, context);
    add_listen(app, context);
    add_agents(app, context);
    add_dead_letters(app, context);
    add_journal(app, context);
    add_bench(app, context);
    add_sim(app, context);
    add_version(app, context);
    add_workflow(app, context);
    add_validate(app, context);
    add_convert(app, context);
    add_policy(app, context);
    add_completion(app, context);
    arguments.insert(arguments.begin(), "parlance");
    // Words in writable memory.
    std::vector<std::string> words{arguments.begin(), arguments.end()};
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Ended ended;
    ended.exit = run(app, context, static_cast<int>(argv.size()), argv.data());
    std::fflush(stdout);
    ended.out = testing::internal::GetCapturedStdout();
    ended.err = testing::internal::GetCapturedStderr();
    return ended;
}

TEST(CommandLine, EndsWithTwoAndAdviceOnAUsageError) {
    const std::pair<std::vector<const char*>, const char*> cases[] = {
        {{}, "subcommand"},
        {{"frobnicate"}, "frobnicate"},
        {{"send", "--frobnicate"}, "--frobnicate"},
        {{"send", "--as", "a", "x"}, "nobody to send to"},
        {{"send", "--to", "b", "x"}, "no sender"},
        {{"send", "--as", "a", "--to", "b", "--priority", "urgent", "x"}, "urgent"},
        {{"send", "--as", "a", "--to", "b", "{\"x\":"}, "not JSON"},
        {{"send", "--as", "a", "--to", "b", "@/nonexistent"}, "/nonexistent"},
        {{"send", "--as", "a", "--to", "b", "--task", "t", "[1]"}, "--task"},
        {{"send", "--as", "a", "--to", "b", "--ttl", "soon", "x"}, "soon"},
        {{"send", "--as", "a", "--to", "b", "--hub", "h:0", "x"}, "h:0"},
        {{"request", "--as", "a", "--to", "b", "--type", "HEARTBEAT", "x"}, "HEARTBEAT"},
        {{"listen"}, "nobody listens"},
        {{"listen", "--as", "a", "--credit", "0"}, "--credit"},
        {{"agents", "show"}, "id"},
        {{"agents", "register", "a", "--dialect", "klingon"}, "klingon"},
        {{"dead-letters", "redeliver"}, "which ones"},
        {{"dead-letters", "redeliver", "1", "--all"}, "which ones"},
        {{"dead-letters", "discard", "1"}, "--reason"},
        {{"dead-letters", "discard", "1", "--reason", ""}, "the --reason is empty"},
        {{"listen", "--as", "a", "--count", "0"}, "--count"},
        {{"--frobnicate"}, "there is no option '--frobnicate' here"},
        {{"send", "--max", "2"}, "there is no option '--max' here"},
        {{"version", "now"}, "'now' is one word too many here"},
        {{"bench"}, "`parlance bench` needs 'what': publish: until durable"},
        {{"journal", "show"}, "`parlance journal show` needs 'range': SEQ, SEQ..SEQ or SEQ.."},
        {{"bench", "publish", "--size", "-1"},
         "must be a whole number from 1 to 8388608, not '-1'"},
        {{"bench", "publish", "--size", "99999999999999"}, "not '99999999999999'"},
        {{"bench", "publish", "--seconds", "0"}, "must be a number from 0.001 to 86400, not '0'"},
        {{"bench", "publish", "--seconds", "1e300"}, "from 0.001 to 86400, not '1e300'"},
        {{"bench", "publish", "--messages", "-5"}, "not '-5'"},
        {{"sim", "--seed", "-1"}, "must be a whole number from 0, not '-1'"},
        {{"bench", "juggle"}, "juggle"},
        {{"bench", "publish", "--size", "10"}, "too small"},
        {{"bench", "deliver", "--http"}, "--http"},
        {{"completion", "tcsh"}, "tcsh"},
        {{"journal", "verify", "--data", "/nonexistent"}, "/nonexistent"},
        {{"journal", "verify", "--data", "."}, "there is no journal in '.'"},
        {{"journal", "list", "--data", "."}, "there is no journal in '.'"},
        {{"send", "--as", "a", "--to", "b", "@."}, "cannot read '.': it is a directory"},
        {{"request", "--as", "a", "--to", "b", "@."}, "cannot read '.': it is a directory"},
        {{"workflow", "run", "."}, "cannot read '.': it is a directory"},
        {{"validate", "."}, "cannot read '.': it is a directory"},
        {{"validate", "/nonexistent"}, "cannot read '/nonexistent': there is no such file"},
        {{"convert", "--to", "sam", "."}, "cannot read '.': it is a directory"},
        {{"policy", "check", "."}, "cannot read '.': it is a directory"},
        {{"policy", "check", "/nonexistent"}, "there is no such file"},
        {{"agents", "--token-file", "."}, "cannot read '.': it is a directory"}};
    for (const auto& [arguments, word] : cases) {
        const Ended ended = run_with(arguments);
        EXPECT_EQ(ended.exit, Misused) << word;
        EXPECT_NE(ended.err.find(word), std::string::npos) << ended.err;
        EXPECT_EQ(ended.err.find('\033'), std::string::npos) << "no colours into a pipe";
    }
}

TEST(CommandLine, EndsWithThreeWhenNoHubAnswers) {
    std::string hub;
    {
        hub = "127.0.0.1:" + std::to_string(ScriptedHub{[](Peer&) {}}.address().port);
    }
    const Ended ended = run_with({"agents", "--hub", hub.c_str()});
    EXPECT_EQ(ended.exit, NoHub);
    EXPECT_NE(ended.err.find("parlance serve --dev"), std::string::npos) << ended.err;
}

TEST(CommandLine, NeverDiscardsWithoutConfirmationOffATerminal) {
    const Ended ended = run_with({"dead-letters", "discard", "1", "--reason", "old"});
    EXPECT_EQ(ended.exit, Misused);
    EXPECT_NE(ended.err.find("--yes"), std::string::npos);
}

TEST(CommandLine, TakesGlobalOptionsAlsoAfterTheVerb) {
    EXPECT_EQ(run_with({"version", "--json"}).out, run_with({"--json", "version"}).out);
    EXPECT_TRUE(json::check(run_with({"version", "--json"}).out));
}

TEST(CommandLine, PrintsItsVersionForTheOptionAndTheVerb) {
    const Ended ended = run_with({"--version"});
    EXPECT_EQ(ended.exit, Done);
    EXPECT_EQ(ended.out, run_with({"version"}).out);
}

TEST(CommandLine, ReportsAnEmptyListOfMessages) {
    const auto file = testing::TempDir() + "cli_test_empty_list.json";
    std::ofstream{file} << "[]";
    const Ended ended = run_with({"validate", file.c_str()});
    EXPECT_EQ(ended.exit, Misused);
    EXPECT_NE(ended.err.find("its list is empty"), std::string::npos) << ended.err;
    std::remove(file.c_str());
}

TEST(CommandLine, HelpNamesTheExitCodesAndShowsExamples) {
    const Ended ended = run_with({"--help"});
    EXPECT_EQ(ended.exit, Done);
    EXPECT_NE(ended.out.find("3 no hub answers"), std::string::npos);
    EXPECT_NE(run_with({"send", "--help"}).out.find("Example:"), std::string::npos);
    EXPECT_EQ(run_with({"request", "--help"}).out.find("topic:"), std::string::npos)
        << "a topic is never asked";
}

TEST(CommandLine, HelpFitsAHundredColumns) {
    for (const char* verb : {"bench", "send", "request", "listen", "journal", "sim", "agents"}) {
        std::istringstream lines{run_with({verb, "--help"}).out};
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), 100U) << verb << ": " << line;
        }
    }
}

std::string http(int status, std::string_view body) {
    return "HTTP/1.1 " + std::to_string(status) +
           " X\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

Ended run_against(std::string_view answer,
                  std::vector<const char*> arguments,
                  std::string* request = nullptr) {
    ScriptedHub hub{[&](Peer& peer) {
        std::string seen = peer.read_request();
        if (seen.starts_with("GET /v1/agents/")) {  // The check for a registered agent.
            peer.write(http(200, "{}"));
            seen = peer.read_request();
        }
        if (request != nullptr) *request = seen;
        peer.write(answer);
    }};
    const std::string address = "127.0.0.1:" + std::to_string(hub.address().port);
    arguments.push_back("--hub");
    arguments.push_back(address.c_str());
    return run_with(arguments);
}

TEST(Send, PostsATaskwireMessageAndPrintsItsSequence) {
    std::string request;
    const Ended ended =
        run_against(http(202, R"({"message_id":"m-1","sequence":42})"),
                    {"send", "--as", "alice", "--to", "bob", "--task", "t", "--id", "m-1", "hello"},
                    &request);
    EXPECT_EQ(ended.exit, Done) << ended.err;
    EXPECT_EQ(ended.out, "accepted  m-1  sequence 42\n");
    EXPECT_NE(request.find("Parlance-Agent: alice\r\n"), std::string::npos);
    EXPECT_NE(request.find(R"("payload":{"task_id":"t","text":"hello"})"), std::string::npos)
        << request;
}

TEST(Send, EndsWithOneAndTheHubsReasonForARefusal) {
    const Ended ended = run_against(
        http(404,
             R"({"code":"AGENT_NOT_REGISTERED","detail":"recipient 'bob' is not registered. )"
             R"(Register the agent with PUT /v1/agents/{id}, or correct the recipient."})"),
        {"send", "--as", "alice", "--to", "bob", "x"});
    EXPECT_EQ(ended.exit, Refused);
    EXPECT_EQ(ended.err,
              "parlance: AGENT_NOT_REGISTERED: recipient 'bob' is not registered\n"
              "  → Register the agent with PUT /v1/agents/{id}, or correct the recipient.\n");
}

TEST(Send, ReportsAServerThatIsNoHub) {
    const Ended ended = run_against(http(404, "<html>not here</html>"),
                                    {"send", "--as", "alice", "--to", "bob", "x"});
    EXPECT_EQ(ended.exit, Refused);
    EXPECT_NE(ended.err.find("Is it a Parlance hub"), std::string::npos);
}

TEST(Request, PrintsThePayloadOfTheAnswer) {
    std::string request;
    const Ended ended = run_against(http(200, R"({"type":"TASK_COMPLETE","payload":{"n": 1}})"),
                                    {"request", "--as", "a", "--to", "b", "--wait", "250", "x"},
                                    &request);
    EXPECT_EQ(ended.exit, Done) << ended.err;
    EXPECT_EQ(ended.out, "{\"n\":1}\n");
    EXPECT_NE(request.find("Prefer: wait=250\r\n"), std::string::npos);
}

TEST(Request, EndsWithFourWhenTheAnswerIsLate) {
    const std::pair<int, const char*> cases[] = {
        {202, R"({"message_id":"m","sequence":1})"},
        {200,
         R"({"type":"TASK_FAILED","payload":{"error":{"code":"REQUEST_TIMED_OUT","message":"x"}}})"},
        {504, R"({"code":"REQUEST_TIMED_OUT","detail":"x"})"}};
    for (const auto& [status, body] : cases) {
        EXPECT_EQ(run_against(http(status, body), {"request", "--as", "a", "--to", "b", "x"}).exit,
                  TimedOut)
            << status;
    }
}

TEST(Request, ReportsATimeoutAnsweredByTheHub) {
    const Ended ended = run_against(
        http(
            200,
            R"({"type":"TASK_FAILED","from":"b","payload":{"error":{"code":"REQUEST_TIMED_OUT","message":"no answer before the deadline"}}})"),
        {"request", "--as", "a", "--to", "b", "x"});
    EXPECT_NE(ended.err.find("b has not answered in time: no answer before the deadline"),
              std::string::npos)
        << ended.err;
    EXPECT_EQ(ended.err.find("answered TASK_FAILED"), std::string::npos);
}

TEST(Request, EndsWithOneWhenTheAgentFailed) {
    const Ended ended =
        run_against(http(200, R"({"type":"TASK_FAILED","from":"b","payload":{"why":"tired"}})"),
                    {"request", "--as", "a", "--to", "b", "x"});
    EXPECT_EQ(ended.exit, Refused);
    EXPECT_NE(ended.err.find("tired"), std::string::npos);
}

TEST(Agents, AreListedWithTheirWaitingMessages) {
    const Ended ended = run_against(
        http(
            200,
            R"({"agents":[{"agent":"coder","dialect":"taskwire","role":"dev","status":"BUSY",)"
            R"("instances":[{"instance":"7","last_seen":"2020-01-01T00:00:00.000Z"}],"waiting":1200,)"
            R"("in_flight":2,"dead_letters":0}]})"),
        {"agents"});
    EXPECT_EQ(ended.exit, Done) << ended.err;
    EXPECT_NE(ended.out.find("coder  BUSY    taskwire  dev      1    1,200          2     0"),
              std::string::npos)
        << ended.out;
}

TEST(Draft, GivesEveryMessageAFreshUuid) {
    EXPECT_TRUE(is_uuid(fresh_id()));
    EXPECT_NE(fresh_id(), fresh_id());
}

TEST(Draft, ShapesPayloads) {
    EXPECT_EQ(shape_payload("{\"a\":1}", "").value(), "{\"a\":1}");
    EXPECT_EQ(shape_payload(" 7 ", "").value(), "7");
    EXPECT_EQ(shape_payload("two words\n", "").value(), R"({"text":"two words"})");
    EXPECT_EQ(shape_payload("", "").value(), "{}");
    EXPECT_EQ(shape_payload("{ }", "t").value(), R"({"task_id":"t" })");
    EXPECT_EQ(shape_payload("{\"a\":1}", "t").value(), R"({"task_id":"t","a":1})");
    EXPECT_EQ(shape_payload(R"({"task_id":"t"})", "t").value(), R"({"task_id":"t"})");
    EXPECT_FALSE(shape_payload(R"({"task_id":"u"})", "t"));
    EXPECT_FALSE(shape_payload("[1", ""));
    EXPECT_FALSE(shape_payload("\"x\"", "t"));
}

TEST(Draft, RefusesOptionsOutsideUtf8) {
    EXPECT_FALSE(compose({.from = "a\xFF", .to = "b", .type = "T"}, "{}", now()));
}

}  // namespace
}  // namespace parlance::cli
