#include "dialects/taskwire/taskwire.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/iso_time.h"
#include "base/uuid.h"
#include "dialects/taskwire/tables.h"

namespace parlance::dialects {
namespace {

using taskwire::kTypes;

const Time kNoon = parse_iso_time("2025-11-23T12:00:00Z").value();

SendMessage read(std::string_view text, const Reception& reception = {}) {
    EXPECT_TRUE(json::check(text)) << text;
    auto reading = read_message(text, reception);
    EXPECT_TRUE(reading) << text << "\n" << (reading ? "" : reading.error().summary());
    return reading ? *std::move(reading)
                   : SendMessage{.envelope = Envelope::make({.id = "unreadable"}, "")};
}

Rejection rejection_of(std::string_view text, const Reception& reception = {}) {
    EXPECT_TRUE(json::check(text)) << text;
    auto reading = read_message(text, reception);
    EXPECT_FALSE(reading) << text;
    return reading ? Rejection{} : reading.error();
}

std::vector<std::string> pointers(const Rejection& rejection) {
    std::vector<std::string> pointers;
    for (const auto& problem : rejection.problems) pointers.push_back(problem.pointer);
    return pointers;
}

using Pointers = std::vector<std::string>;

std::string message(std::string_view type,
                    std::string_view payload = "{}",
                    std::string_view metadata = "{}") {
    return R"({"id":"m-1","timestamp":"2025-11-23T10:00:00.123Z","from":"alice","to":"bob","type":")" +
           std::string{type} + R"(","payload":)" + std::string{payload} + R"(,"metadata":)" +
           std::string{metadata} + "}";
}

/// A whole message with one base field replaced, or left out if `value` is empty.
std::string with(std::string_view name, std::string_view value) {
    const std::pair<std::string_view, std::string_view> fields[] = {
        {"id", R"("m-1")"},
        {"timestamp", R"("2025-11-23T10:00:00.123Z")"},
        {"from", R"("alice")"},
        {"to", R"("bob")"},
        {"type", R"("TASK_UPDATE")"},
        {"payload", "{}"},
        {"metadata", "{}"}};
    std::string text = "{";
    for (const auto& [key, usual] : fields) {
        const std::string_view written = key == name ? value : usual;
        if (written.empty()) continue;
        if (text.size() > 1) text += ',';
        text += '"' + std::string{key} + "\":" + std::string{written};
    }
    return text + "}";
}

TEST(Taskwire, T1_ReadsTheBaseMessageAndItsMetadata) {
    const SendMessage send = read(
        R"({"id":"3f2b8c1e-6a4d-4b0e-9a57-2f6d1c8e9b01","timestamp":"2025-11-23T10:00:00.123Z",
            "from":"planner-7","to":"coder/2","type":"TASK_ASSIGNMENT",
            "payload":{"task_id":"task-1","x":[1,{"task_id":"inner"}]},
            "metadata":{"correlation_id":"wf-42","priority":"low","ttl_ms":60000,
                        "retry_count":1,"max_retries":3,"timeout_ms":2500}})");
    const Envelope& envelope = *send.envelope;
    EXPECT_EQ(envelope.id(), "3f2b8c1e-6a4d-4b0e-9a57-2f6d1c8e9b01");
    EXPECT_EQ(envelope.from(), "planner-7");
    EXPECT_EQ(envelope.to(), "coder/2");
    EXPECT_EQ(envelope.type(), "TASK_ASSIGNMENT");
    EXPECT_EQ(envelope.task(), "task-1");
    EXPECT_EQ(envelope.correlation(), "wf-42");
    EXPECT_EQ(envelope.answers(), "");
    EXPECT_EQ(envelope.dialect(), Dialect::Taskwire);
    EXPECT_EQ(send.priority, Priority::Low);
    EXPECT_EQ(send.ttl, Duration{60000});
    EXPECT_EQ(send.retry_count_max, 3U);
    EXPECT_EQ(send.timeout, Duration{2500});
}

TEST(Taskwire, T1_KeepsTheMessageByteForByteAndPointsIntoIt) {
    const std::string text =
        "  " +
        message("TASK_UPDATE", R"({"task_id":"t"})", R"({"correlation_id":"c","mine":[1.50]})") +
        "\n";
    const EnvelopePtr envelope = read(text).envelope;
    EXPECT_EQ(envelope->body(), text);
    EXPECT_EQ(envelope->overhead_bytes(), Envelope::make({}, "")->overhead_bytes());
}

TEST(Taskwire, T1_ReadsEscapedHeaderFields) {
    const SendMessage send = read(
        R"({"id":"m\u002d1","from":"al\u0069ce","to":"b\u006fb","type":"TASK\u005fASSIGNMENT",
            "payload":{"task\u005fid":"t\n"},"metadata":{"correlation_id":"\u00e9","priority":"hi\u0067h"}})");
    EXPECT_EQ(send.envelope->id(), "m-1");
    EXPECT_EQ(send.envelope->from(), "alice");
    EXPECT_EQ(send.envelope->to(), "bob");
    EXPECT_EQ(send.envelope->type(), "TASK_ASSIGNMENT");
    EXPECT_EQ(send.envelope->task(), "t\n");
    EXPECT_EQ(send.envelope->correlation(), "é");
    EXPECT_EQ(send.priority, Priority::High);
}

TEST(Taskwire, T1_LetsTheHubSupplyIdAndSenderOnly) {
    const Reception known{.caller = "alice", .fresh_id = "fresh-1"};
    const std::string_view text = R"({"to":"bob","type":"HEARTBEAT","payload":null})";
    const EnvelopePtr envelope = read(text, known).envelope;
    EXPECT_EQ(envelope->id(), "fresh-1");
    EXPECT_EQ(envelope->from(), "alice");
    // The recipient sees both, and every other byte unchanged.
    EXPECT_EQ(envelope->body(),
              R"({"id":"fresh-1","from":"alice","to":"bob","type":"HEARTBEAT","payload":null})");
    EXPECT_EQ(pointers(rejection_of(text)), (Pointers{"/id", "/from"}));
    EXPECT_EQ(pointers(rejection_of(R"({"from":"alice"})", known)),
              (Pointers{"/to", "/type", "/payload"}));
}

TEST(Taskwire, T1_TakesNullForAbsentExceptAsPayload) {
    const Reception known{.caller = "alice", .fresh_id = "fresh-1"};
    const SendMessage send = read(
        R"({"id":null,"timestamp":null,"from":null,"to":"bob","type":"TASK_UPDATE","payload":null,
            "metadata":{"correlation_id":null,"priority":null,"ttl_ms":null}})",
        known);
    EXPECT_EQ(send.envelope->id(), "fresh-1");
    EXPECT_TRUE(send.envelope->body().starts_with(R"({"id":"fresh-1")"));
    EXPECT_EQ(send.priority, Priority::Normal);
    EXPECT_FALSE(send.ttl);
    EXPECT_EQ(pointers(rejection_of(with("to", "null"))), (Pointers{"/to"}));
    EXPECT_EQ(pointers(rejection_of(with("payload", ""))), (Pointers{"/payload"}));
}

TEST(Taskwire, T1_CollectsAllProblemsAtOnceWithPointerValueRuleAndSection) {
    const Rejection rejection = rejection_of(
        R"({"id":"has space","timestamp":"yesterday","from":"alice","to":7,"type":"TASK_START",
            "metadata":{"correlation_id":1,"priority":"urgent","ttl_ms":-1,"retry_count":0.5,
                        "max_retries":"3","timeout_ms":0}})");
    EXPECT_EQ(rejection.refusal, Refusal::InputValidationFailed);
    EXPECT_EQ(rejection.id, "");
    EXPECT_EQ(rejection.from, "alice");
    EXPECT_EQ(pointers(rejection),
              (Pointers{"/id",
                        "/timestamp",
                        "/to",
                        "/type",
                        "/payload",
                        "/metadata/correlation_id",
                        "/metadata/priority",
                        "/metadata/ttl_ms",
                        "/metadata/retry_count",
                        "/metadata/max_retries",
                        "/metadata/timeout_ms"}));
    EXPECT_EQ(rejection.problems[3].value, R"("TASK_START")");
    EXPECT_NE(rejection.problems[3].rule.find("TASK_ASSIGNMENT"), std::string::npos);
    EXPECT_EQ(rejection.problems[3].section, "Message Types");
    EXPECT_EQ(rejection.problems[4].value, "");
    EXPECT_NE(rejection.problems[4].rule.find("missing"), std::string::npos);
    EXPECT_EQ(rejection.problems[6].rule, "must be low, normal, high or critical");
    EXPECT_NE(rejection.summary().find("/metadata/ttl_ms"), std::string::npos);
}

TEST(Taskwire, T1_HoldsIdsAndAgentsToTheirLettersAndLengths) {
    const auto quoted = [](std::size_t count) { return '"' + std::string(count, 'x') + '"'; };
    for (const char* field : {"id", "from", "to"}) {
        EXPECT_TRUE(read_message(with(field, quoted(128)), {})) << field;
        for (const std::string& bad : {quoted(129),
                                       quoted(0),
                                       std::string{R"("a b")"},
                                       std::string{R"("a\"b")"},
                                       std::string{R"("a\nb")"},
                                       std::string{"\"\u00e9\""},
                                       std::string{"1"},
                                       std::string{"{}"},
                                       std::string{"true"}}) {
            EXPECT_EQ(pointers(rejection_of(with(field, bad))),
                      (Pointers{std::string{"/"} + field}))
                << bad;
        }
    }
    EXPECT_TRUE(read_message(with("from", R"("Team.A_b-c:1/x@host")"), {}));
    EXPECT_TRUE(read_message(with("id", R"("{a#1}~!")"), {}));
    EXPECT_FALSE(read_message(with("to", R"("bob!")"), {}));
    EXPECT_TRUE(read_message(with("to", R"("topic:news/1")"), {}));
    EXPECT_FALSE(read_message(with("to", R"("topic:")"), {}));
    EXPECT_FALSE(read_message(with("from", R"("topic:news")"), {}));
}

TEST(Taskwire, T1_HoldsMetadataToItsBounds) {
    const auto reads = [](std::string_view metadata) {
        return read_message(message("TASK_UPDATE", "{}", metadata), {}).has_value();
    };
    EXPECT_TRUE(reads(R"({"ttl_ms":0})"));
    EXPECT_TRUE(reads(R"({"ttl_ms":9007199254740992})"));
    EXPECT_FALSE(reads(R"({"ttl_ms":9007199254740993})"));
    EXPECT_TRUE(reads(R"({"ttl_ms":6e4})"));
    EXPECT_FALSE(reads(R"({"ttl_ms":1.5})"));
    EXPECT_TRUE(reads(R"({"timeout_ms":1,"retry_count":0,"max_retries":0})"));
    EXPECT_FALSE(reads(R"({"retry_count":-1})"));
    EXPECT_FALSE(reads(R"({"correlation_id":")" + std::string(129, 'c') + "\"}"));
    EXPECT_TRUE(reads(R"({"correlation_id":")" + std::string(128, 'c') + "\"}"));
    EXPECT_FALSE(reads(R"({"correlation_id":"a\u000ab"})"));
    EXPECT_FALSE(reads("[]"));
    EXPECT_TRUE(reads(R"({"shoe_size":44})"));
    EXPECT_FALSE(reads(R"({"priority":"HIGH"})"));
}

TEST(Taskwire, T2_KnowsTheTenTypesAndTheirIntents) {
    const std::pair<std::string_view, Intent> expected[] = {{"TASK_ASSIGNMENT", Intent::Request},
                                                            {"TASK_HANDOFF", Intent::Request},
                                                            {"TASK_UPDATE", Intent::OneWay},
                                                            {"TASK_COMPLETE", Intent::Reply},
                                                            {"TASK_FAILED", Intent::Reply},
                                                            {"HELP_REQUEST", Intent::Request},
                                                            {"HELP_RESPONSE", Intent::Reply},
                                                            {"STATUS_UPDATE", Intent::OneWay},
                                                            {"HEARTBEAT", Intent::OneWay},
                                                            {"ERROR_REPORT", Intent::OneWay}};
    EXPECT_EQ(kTypes.size(), std::size(expected));
    for (const auto& [type, intent] : expected) {
        EXPECT_EQ(read(message(type)).envelope->intent(), intent) << type;
    }
    for (const char* bad : {"", "task_update", "TASK_UPDATE ", "TASK", "PING"}) {
        EXPECT_EQ(pointers(rejection_of(message(bad))), (Pointers{"/type"})) << bad;
    }
}

TEST(Taskwire, T2_TakesAHandoffWithABooleanAcceptedAsTheReply) {
    const auto intent = [](std::string_view payload) {
        return read(message("TASK_HANDOFF", payload)).envelope->intent();
    };
    EXPECT_EQ(intent(R"({"accepted":true,"agent_id":"bob"})"), Intent::Reply);
    EXPECT_EQ(intent(R"({"accepted":false})"), Intent::Reply);
    EXPECT_EQ(intent(R"({"accepted":"yes"})"), Intent::Request);
    EXPECT_EQ(intent(R"({"accepted":null})"), Intent::Request);
    EXPECT_EQ(intent(R"({"context":{"accepted":true}})"), Intent::Request);
    EXPECT_EQ(read(message("TASK_ASSIGNMENT", R"({"accepted":true})")).envelope->intent(),
              Intent::Request);
}

TEST(Taskwire, T7_PriorityDefaultsToTheTypes) {
    const std::pair<std::string_view, Priority> expected[] = {{"ERROR_REPORT", Priority::Critical},
                                                              {"TASK_HANDOFF", Priority::High},
                                                              {"HELP_REQUEST", Priority::High},
                                                              {"HELP_RESPONSE", Priority::High},
                                                              {"TASK_ASSIGNMENT", Priority::High},
                                                              {"TASK_COMPLETE", Priority::High},
                                                              {"TASK_FAILED", Priority::High},
                                                              {"TASK_UPDATE", Priority::Normal},
                                                              {"STATUS_UPDATE", Priority::Normal},
                                                              {"HEARTBEAT", Priority::Low}};
    for (const auto& [type, priority] : expected) {
        EXPECT_EQ(read(message(type)).priority, priority) << type;
    }
}

TEST(Taskwire, T7_PriorityOfTheSenderTakesPrecedence) {
    const std::pair<std::string_view, Priority> words[] = {{"critical", Priority::Critical},
                                                           {"high", Priority::High},
                                                           {"normal", Priority::Normal},
                                                           {"low", Priority::Low}};
    for (const auto& [word, priority] : words) {
        const std::string metadata = R"({"priority":")" + std::string{word} + "\"}";
        EXPECT_EQ(read(message("ERROR_REPORT", "{}", metadata)).priority, priority);
        EXPECT_EQ(read(message("HEARTBEAT", "{}", metadata)).priority, priority);
    }
}

TEST(Taskwire, T9_TaskIsThePayloadsOrElseTheWorkflows) {
    const auto task =
        [](std::string_view type, std::string_view payload, std::string_view metadata) {
            return std::string{read(message(type, payload, metadata)).envelope->task()};
        };
    const std::string_view workflow = R"({"correlation_id":"wf"})";
    EXPECT_EQ(task("TASK_UPDATE", R"({"task_id":"t-1"})", workflow), "t-1");
    EXPECT_EQ(task("TASK_HANDOFF", R"({"context":{"task_id":"t-2"}})", workflow), "t-2");
    EXPECT_EQ(task("TASK_HANDOFF", R"({"task_id":"t-1","context":{"task_id":"t-2"}})", "{}"),
              "t-1");
    EXPECT_EQ(task("TASK_UPDATE", R"({"context":{"task_id":"t-2"}})", workflow), "wf");
    EXPECT_EQ(task("TASK_UPDATE", R"({"task_id":7})", workflow), "wf");
    EXPECT_EQ(task("TASK_UPDATE", R"("task_id")", workflow), "wf");
    EXPECT_EQ(task("TASK_UPDATE", "null", "{}"), "");
    EXPECT_EQ(task("TASK_ASSIGNMENT", "{}", "{}"), "");
}

TEST(Taskwire, T9_OverlongTaskAndRequestIdsAreRefused) {
    const auto id = [](std::size_t bytes) { return '"' + std::string(bytes, 't') + '"'; };
    const auto refused = [](std::string_view type, const std::string& payload) {
        return pointers(rejection_of(message(type, payload, "{}")));
    };
    EXPECT_EQ(read(message("TASK_UPDATE", R"({"task_id":)" + id(128) + "}")).envelope->task(),
              std::string(128, 't'));
    EXPECT_EQ(refused("TASK_UPDATE", R"({"task_id":)" + id(129) + "}"),
              Pointers{"/payload/task_id"});
    EXPECT_EQ(refused("TASK_HANDOFF", R"({"context":{"task_id":)" + id(129) + "}}"),
              Pointers{"/payload/context/task_id"});
    EXPECT_EQ(refused("TASK_COMPLETE", R"({"request_id":)" + id(129) + "}"),
              Pointers{"/payload/request_id"});
    // 70 letters are 140 bytes; 128 letters, each with an escape, are 128 bytes.
    std::string wide;
    std::string escaped;
    for (int i = 0; i < 70; ++i) wide += "ü";
    for (int i = 0; i < 128; ++i) escaped += "\\u0074";
    EXPECT_EQ(refused("TASK_UPDATE", R"({"task_id":")" + wide + "\"}"),
              Pointers{"/payload/task_id"});
    EXPECT_EQ(read(message("TASK_UPDATE", R"({"task_id":")" + escaped + "\"}")).envelope->task(),
              std::string(128, 't'));
}

TEST(Taskwire, GivesARequestWithoutCorrelationItsOwnId) {
    EXPECT_EQ(read(message("HELP_REQUEST")).envelope->correlation(), "m-1");
    EXPECT_EQ(read(message("TASK_UPDATE")).envelope->correlation(), "");
    EXPECT_EQ(read(message("TASK_COMPLETE")).envelope->correlation(), "");
}

TEST(Taskwire, ReadsWhichRequestAReplyAnswers) {
    const auto answers = [](std::string_view type, std::string_view payload) {
        return std::string{read(message(type, payload)).envelope->answers()};
    };
    for (const char* type : {"TASK_COMPLETE", "TASK_FAILED", "HELP_RESPONSE"}) {
        EXPECT_EQ(answers(type, R"({"request_id":"r-1"})"), "r-1") << type;
    }
    EXPECT_EQ(answers("TASK_COMPLETE", R"({"request_id":1})"), "");
    EXPECT_EQ(pointers(rejection_of(message("HELP_RESPONSE", R"({"request_id":1})"))),
              (Pointers{"/payload/request_id"}));
    EXPECT_EQ(answers("TASK_HANDOFF", R"({"accepted":true,"request_id":"r-1"})"), "r-1");
    EXPECT_EQ(answers("TASK_ASSIGNMENT", R"({"request_id":"r-1"})"), "");
    EXPECT_EQ(answers("STATUS_UPDATE", R"({"request_id":"r-1"})"), "");
}

TEST(Taskwire, ReadsWhetherTheRequestIsFullyDone) {
    const auto falls_short = [](std::string_view type, std::string_view payload) {
        return read(message(type, payload)).falls_short;
    };
    EXPECT_FALSE(falls_short("TASK_COMPLETE", R"({"result":1})"));
    EXPECT_FALSE(falls_short("TASK_COMPLETE", R"({"result":1,"status":"success"})"));
    EXPECT_TRUE(falls_short("TASK_COMPLETE", R"({"result":1,"status":"partial"})"));
    EXPECT_TRUE(falls_short("TASK_FAILED", "{}"));
    EXPECT_FALSE(falls_short("TASK_HANDOFF", R"({"accepted":true,"request_id":"r-1"})"));
    EXPECT_TRUE(falls_short("TASK_HANDOFF", R"({"accepted":false,"request_id":"r-1"})"));
    EXPECT_FALSE(falls_short("TASK_UPDATE", R"({"status":"failed"})"));
}

TEST(Taskwire, K21_AnswersAreClassedAsDoneDeclinedOrFailed) {
    const auto kind = [](std::string_view type, std::string_view payload) {
        return read(message(type, payload)).kind;
    };
    EXPECT_EQ(kind("TASK_COMPLETE", R"({"result":1})"), AnswerKind::Done);
    EXPECT_EQ(kind("TASK_FAILED", "{}"), AnswerKind::Failed);
    EXPECT_EQ(kind("TASK_FAILED", R"({"error":{"code":"MODEL_CRASHED","message":"m"}})"),
              AnswerKind::Failed);
    // The document's eight error types: two of them are about the request.
    for (const std::string type : {"TIMEOUT",
                                   "RATE_LIMIT",
                                   "NETWORK_ERROR",
                                   "RESOURCE_EXHAUSTED",
                                   "INTERNAL_ERROR",
                                   "EXTERNAL_SERVICE_ERROR"}) {
        EXPECT_EQ(kind("TASK_FAILED", R"({"error_type":")" + type + "\"}"), AnswerKind::Failed)
            << type;
    }
    for (const std::string type : {"VALIDATION_ERROR", "AUTHENTICATION_ERROR"}) {
        EXPECT_EQ(kind("TASK_FAILED", R"({"error_type":")" + type + "\"}"), AnswerKind::Declined)
            << type;
    }
    EXPECT_EQ(kind("TASK_HANDOFF", R"({"accepted":false,"request_id":"r-1"})"),
              AnswerKind::Declined);
}

TEST(Taskwire, TurnsADeadlineIntoTheRemainingTime) {
    const auto timeout =
        [](std::string_view type, std::string_view payload, std::string_view metadata) {
            return read(message(type, payload, metadata), {.now = kNoon}).timeout;
        };
    const std::string_view soon = R"({"deadline":"2025-11-23T12:00:30Z"})";
    EXPECT_EQ(timeout("TASK_HANDOFF", soon, "{}"), Duration{30'000});
    EXPECT_EQ(timeout("HELP_REQUEST", R"({"deadline":"2025-11-23T13:00:30+01:00"})", "{}"),
              Duration{30'000});
    EXPECT_EQ(
        timeout(
            "TASK_ASSIGNMENT", R"({"constraints":{"deadline":"2025-11-23T12:00:00.5Z"}})", "{}"),
        Duration{500});
    EXPECT_EQ(timeout("TASK_HANDOFF", soon, R"({"timeout_ms":7})"), Duration{7});
    EXPECT_EQ(timeout("TASK_HANDOFF", R"({"deadline":"2020-01-01T00:00:00Z"})", "{}"), Duration{1});
    EXPECT_EQ(timeout("TASK_ASSIGNMENT", R"({"deadline":"soon"})", "{}"), std::nullopt);
    EXPECT_EQ(pointers(rejection_of(message("TASK_HANDOFF", R"({"deadline":"soon"})"))),
              (Pointers{"/payload/deadline"}));
    EXPECT_EQ(timeout("TASK_HANDOFF", R"({"deadline":null})", "{}"), std::nullopt);
    EXPECT_EQ(timeout("TASK_UPDATE", soon, R"({"timeout_ms":7})"), std::nullopt);
}

TEST(Taskwire, D4_FingerprintIsEqualForARetryAndDiffersForOtherContent) {
    const auto fingerprint = [](std::string_view text) { return read(text).fingerprint; };
    const std::uint64_t first =
        fingerprint(message("TASK_UPDATE", "{\"a\":1}", R"({"retry_count":0})"));
    EXPECT_EQ(first, fingerprint(message("TASK_UPDATE", "{\"a\":1}", R"({"retry_count":1})")));
    EXPECT_EQ(fingerprint(with("timestamp", R"("2030-01-01T00:00:00Z")")),
              fingerprint(with("timestamp", "")));
    EXPECT_NE(first, fingerprint(message("TASK_UPDATE", "{\"a\":2}")));
    EXPECT_NE(first, fingerprint(message("STATUS_UPDATE", "{\"a\":1}")));
    EXPECT_NE(fingerprint(with("to", R"("bob")")), fingerprint(with("to", R"("eve")")));
}

EnvelopePtr request_of(std::string_view type, std::string_view payload = R"({"task_id":"t-1"})") {
    return read(message(type, payload, R"({"correlation_id":"wf-1"})")).envelope;
}

const Reception kAnswering{
    .dialect = Dialect::Taskwire, .caller = "bob", .fresh_id = "fresh-1", .now = kNoon};

Reading<SendMessage> reply(std::string_view text, const EnvelopePtr& request) {
    EXPECT_TRUE(json::check(text)) << text;
    auto reading = read_reply(text, *request, kAnswering);
    if (reading) {
        EXPECT_TRUE(json::check(reading->envelope->body())) << reading->envelope->body();
        EXPECT_EQ(reading->envelope->from(), "bob");
        EXPECT_EQ(reading->envelope->to(), "alice");
        EXPECT_EQ(reading->envelope->correlation(), "wf-1");
        EXPECT_EQ(reading->envelope->answers(), "m-1");
        EXPECT_EQ(reading->envelope->intent(), Intent::Reply);
    }
    return reading;
}

TEST(Taskwire, T1_IsShownWithItsMissingDefaults) {
    const auto shown = [](std::string_view text) {
        return with_defaults(*read_message(text, {.caller = "a"}).value().envelope, kNoon);
    };
    EXPECT_EQ(shown(R"({"id":"m","from":"a","to":"b","type":"HEARTBEAT","payload":1})"),
              R"({"timestamp":"2025-11-23T12:00:00.000Z","metadata":{"priority":"low",)"
              R"("retry_count":0,"max_retries":5},)"
              R"("id":"m","from":"a","to":"b","type":"HEARTBEAT","payload":1})");
    EXPECT_EQ(shown(R"({"id":"m","timestamp":"2025-11-23","from":"a","to":"b",)"
                    R"("type":"HELP_REQUEST","payload":{"urgency":"critical"},)"
                    R"("metadata":{"max_retries":2}})"),
              R"({"id":"m","timestamp":"2025-11-23","from":"a","to":"b",)"
              R"("type":"HELP_REQUEST","payload":{"urgency":"critical"},)"
              R"("metadata":{"priority":"critical","retry_count":0,"max_retries":2}})");
    EXPECT_EQ(shown(R"({"id":"m","timestamp":"2025-11-23","from":"a","to":"b",)"
                    R"("type":"HEARTBEAT","payload":1,)"
                    R"("metadata":{"priority":"high","retry_count":1,"max_retries":2}})"),
              "");
}

TEST(Taskwire, T1_EnvelopeKnowsWhetherEveryDefaultIsPresent) {
    const auto is_whole = [](std::string_view text) {
        return read_message(text, {.caller = "a"}).value().envelope->is_whole();
    };
    EXPECT_TRUE(is_whole(R"({"id":"m","timestamp":"2025-11-23","from":"a","to":"b",)"
                         R"("type":"HEARTBEAT","payload":1,)"
                         R"("metadata":{"priority":"high","retry_count":1,"max_retries":2}})"));
    // One of the four left out, each in turn.
    for (const auto* text :
         {R"({"id":"m","from":"a","to":"b","type":"HEARTBEAT","payload":1,)"
          R"("metadata":{"priority":"high","retry_count":1,"max_retries":2}})",
          R"({"id":"m","timestamp":"2025-11-23","from":"a","to":"b","type":"HEARTBEAT",)"
          R"("payload":1,"metadata":{"retry_count":1,"max_retries":2}})",
          R"({"id":"m","timestamp":"2025-11-23","from":"a","to":"b","type":"HEARTBEAT",)"
          R"("payload":1,"metadata":{"priority":"high","max_retries":2}})",
          R"({"id":"m","timestamp":"2025-11-23","from":"a","to":"b","type":"HEARTBEAT",)"
          R"("payload":1,"metadata":{"priority":"high","retry_count":1}})"}) {
        EXPECT_FALSE(is_whole(text)) << text;
        EXPECT_NE(
            dialects::with_defaults(*read_message(text, {.caller = "a"}).value().envelope, kNoon),
            "")
            << text;
    }
}

TEST(TaskwireReply, W3_WholeMessageNamesItsRequest) {
    const auto answer =
        reply(R"({"type":"TASK_COMPLETE","payload":{"result":1}})", request_of("TASK_ASSIGNMENT"));
    EXPECT_EQ(json::find(json::root(answer.value().envelope->body()), "payload")->raw,
              R"({"request_id":"m-1","result":1})");
}

TEST(TaskwireReply, KeepsAWholeMessageUnchanged) {
    const std::string_view text =
        R"({"id":"a-1","timestamp":"2025-11-23T12:00:00Z","from":"bob","to":"alice",
            "type":"TASK_COMPLETE","payload":{"request_id":"m-1","result":1.50},
            "metadata":{"correlation_id":"wf-1"}})";
    EXPECT_EQ(reply(text, request_of("TASK_ASSIGNMENT")).value().envelope->body(), text);
}

TEST(TaskwireReply, FillsInMembersFromTheRequestAndKeepsTheOtherBytes) {
    const EnvelopePtr request = request_of("TASK_ASSIGNMENT");
    EXPECT_EQ(reply(R"({"type":"TASK_FAILED", "payload":{"n":1.50, "big":123456789012345678901}})",
                    request)
                  .value()
                  .envelope->body(),
              R"({"id":"fresh-1","timestamp":"2025-11-23T12:00:00.000Z","from":"bob","to":"alice",)"
              R"("metadata":{"correlation_id":"wf-1"},)"
              R"("type":"TASK_FAILED", )"
              R"("payload":{"request_id":"m-1","n":1.50, "big":123456789012345678901}})");
    EXPECT_EQ(
        reply(
            R"({"id":"a","timestamp":"2025-11-23","from":null,"to":"alice","type":"TASK_COMPLETE",)"
            R"("payload":0,"metadata":{"priority":"low"}})",
            request)
            .value()
            .envelope->body(),
        R"({"id":"a","timestamp":"2025-11-23","from":"bob","to":"alice","type":"TASK_COMPLETE",)"
        R"("payload":0,"metadata":{"correlation_id":"wf-1","priority":"low"}})");
}

TEST(TaskwireReply, WrapsABareResultInTheTypeThatAnswers) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"TASK_ASSIGNMENT", "TASK_COMPLETE", R"({"result":42})"},
        {"TASK_HANDOFF", "TASK_HANDOFF", R"({"accepted":true,"agent_id":"bob"})"},
        {"HELP_REQUEST", "HELP_RESPONSE", R"({"content":"Try again."})"}};
    for (const auto& [asked, answered, result] : cases) {
        const auto answer = reply(result, request_of(asked)).value();
        EXPECT_EQ(answer.envelope->type(), answered);
        EXPECT_EQ(answer.envelope->id(), "fresh-1");
        EXPECT_EQ(answer.envelope->task(), "t-1");
        const auto payload = json::find(json::root(answer.envelope->body()), "payload");
        EXPECT_EQ(payload->raw,
                  R"({"task_id":"t-1","request_id":"m-1",)" + std::string{result}.substr(1));
    }
}

TEST(TaskwireReply, KeepsTheIdsOfABareResult) {
    const auto answer =
        reply(R"({"request_id":"mine","task_id":"t-9"})", request_of("TASK_ASSIGNMENT")).value();
    EXPECT_EQ(json::find(json::root(answer.envelope->body()), "payload")->raw,
              R"({"request_id":"mine","task_id":"t-9"})");
    const auto empty = reply("{}", request_of("HELP_REQUEST", "null")).value();
    EXPECT_EQ(json::find(json::root(empty.envelope->body()), "payload")->raw,
              R"({"request_id":"m-1"})");
}

TEST(TaskwireReply, RefusesContradictionsOfTheRequestAndNamesEachField) {
    const auto refused = reply(R"({"type":"TASK_COMPLETE","payload":0,"from":"eve","to":"carol",)"
                               R"("metadata":{"correlation_id":"wf-2","priority":"urgent"}})",
                               request_of("TASK_ASSIGNMENT"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().refusal, Refusal::IdentityMismatch) << "eve did not ask";
    EXPECT_EQ(pointers(refused.error()),
              (Pointers{"/metadata/priority", "/from", "/to", "/metadata/correlation_id"}));
    EXPECT_NE(refused.error().summary().find("wf-1"), std::string::npos);
    const auto one = reply(R"({"type":"TASK_COMPLETE","payload":0,"to":"carol"})",
                           request_of("TASK_ASSIGNMENT"));
    ASSERT_FALSE(one);
    EXPECT_EQ(one.error().refusal, Refusal::InputValidationFailed);
    EXPECT_EQ(pointers(one.error()), (Pointers{"/to"}));
}

TEST(TaskwireReply, RefusesMessagesThatDoNotAnswer) {
    const EnvelopePtr request = request_of("TASK_HANDOFF");
    EXPECT_EQ(pointers(reply(R"({"type":"HEARTBEAT","payload":{}})", request).error()),
              (Pointers{"/type"}));
    EXPECT_EQ(pointers(reply(R"({"agent_id":"bob"})", request).error()),
              (Pointers{"/payload/accepted"}));
    EXPECT_EQ(pointers(reply(R"({"type":"TASK_DONE","payload":{}})", request).error()),
              (Pointers{"/type"}));
    EXPECT_EQ(pointers(reply(R"({"type":"TASK_COMPLETE"})", request).error()),
              (Pointers{"/payload"}));
    EXPECT_EQ(reply("[1]", request).error().refusal, Refusal::MessageMalformed);
}

TEST(TaskwireReply, T5_AnUpdateIsProgressBeforeTheAnswer) {
    const auto update = read_reply(R"({"type":"TASK_UPDATE","payload":{"percent":40}})",
                                   *request_of("TASK_ASSIGNMENT"),
                                   kAnswering);
    ASSERT_TRUE(update) << update.error().summary();
    EXPECT_EQ(update->envelope->intent(), Intent::Progress);
    EXPECT_EQ(update->envelope->answers(), "m-1");
}

TEST(TaskwireReply, IsRefusedWhenTheFilledInMessageIsTooLarge) {
    const std::string head = R"({"result":")";
    const std::string text = head + std::string(kMessageBytesMax - head.size() - 2, 'x') + "\"}";
    ASSERT_EQ(text.size(), kMessageBytesMax);
    EXPECT_EQ(read_reply(text, *request_of("TASK_ASSIGNMENT"), kAnswering).error().refusal,
              Refusal::MessageTooLarge);
}

TEST(TaskwireReply, IsRefusedWhenTheFilledInMessageIsTooDeep) {
    const auto nested = [](std::size_t depth) {
        return R"({"result":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
    };
    const EnvelopePtr request = request_of("TASK_ASSIGNMENT");
    EXPECT_TRUE(reply(nested(json::kDepthMax - 1), request));
    EXPECT_EQ(reply(nested(json::kDepthMax), request).error().refusal, Refusal::MessageMalformed);
}

TEST(TaskwireReply, ToATopicComesFromTheAnsweringAgent) {
    const EnvelopePtr request =
        read(R"({"id":"m-1","from":"alice","to":"topic:help","type":"HELP_REQUEST","payload":{}})")
            .envelope;
    const auto answer = read_reply(R"({"content":"yes"})", *request, kAnswering).value();
    EXPECT_EQ(answer.envelope->from(), "bob");
    EXPECT_EQ(answer.envelope->correlation(), "m-1");
}

TEST(TaskwireHub, ReportsAFailedRequestInTheTargetsName) {
    const EnvelopePtr request = request_of("TASK_ASSIGNMENT");
    const std::string text = write_failure(*request, Refusal::RequestTimedOut, "5 s passed", kNoon);
    const SendMessage failure = read(text);
    EXPECT_EQ(failure.envelope->from(), "bob");
    EXPECT_EQ(failure.envelope->to(), "alice");
    EXPECT_EQ(failure.envelope->type(), "TASK_FAILED");
    EXPECT_EQ(failure.envelope->correlation(), "wf-1");
    EXPECT_EQ(failure.envelope->answers(), "m-1");
    EXPECT_EQ(failure.envelope->intent(), Intent::Reply);
    EXPECT_TRUE(is_uuid(failure.envelope->id()));
    EXPECT_EQ(json::find(json::root(text), "payload")->raw,
              R"({"task_id":"t-1","request_id":"m-1","error":{"code":"REQUEST_TIMED_OUT",)"
              R"("message":"5 s passed","retryable":true},"error_type":"TIMEOUT"})");
}

TEST(TaskwireHub, ReportsOtherFailuresAsExternalServiceErrors) {
    const EnvelopePtr request = request_of("HELP_REQUEST", "{}");
    const std::string text = write_failure(*request, Refusal::RequestRejected, "", kNoon);
    EXPECT_EQ(
        json::find(json::root(text), "payload")->raw,
        R"({"request_id":"m-1","error":{"code":"REQUEST_REJECTED","message":)"
        R"("The agent refused the request. Read the reason, change the request or ask another.",)"
        R"("retryable":false},"error_type":"EXTERNAL_SERVICE_ERROR"})");
    EXPECT_NE(
        json::find(json::root(text), "id")->raw,
        json::find(json::root(write_failure(*request, Refusal::RequestTimedOut, "", kNoon)), "id")
            ->raw);
}

TEST(TaskwireHub, T6_RefusesInTheFormOfAnErrorReport) {
    const std::string text = write_refusal(Dialect::Taskwire,
                                           "m-1",
                                           "alice",
                                           Refusal::InputValidationFailed,
                                           "/to is \"wrong\"",
                                           kNoon);
    const SendMessage report = read(text);
    EXPECT_EQ(report.envelope->type(), "ERROR_REPORT");
    EXPECT_EQ(report.envelope->from(), "parlance");
    EXPECT_EQ(report.envelope->to(), "alice");
    EXPECT_EQ(report.priority, Priority::Critical);
    const json::Value payload = *json::find(json::root(text), "payload");
    std::string spare;
    const auto member = [&](std::string_view key) { return json::find(payload, key)->raw; };
    EXPECT_TRUE(is_uuid(json::find(payload, "error_id")->text(spare)));
    EXPECT_EQ(member("agent_id"), R"("parlance")");
    EXPECT_EQ(member("error_type"), R"("VALIDATION_ERROR")");
    EXPECT_EQ(member("severity"), R"("medium")");
    EXPECT_EQ(member("message"), R"("/to is \"wrong\"")");
    EXPECT_EQ(member("context"), "{}");
    EXPECT_EQ(member("recovery_attempts"), "[]");
    EXPECT_EQ(member("suggested_actions"),
              R"(["Correct the named field and send the message again."])");
}

TEST(TaskwireHub, T6_AReportAlwaysNamesARecipientAndItsWorkflow) {
    const std::string text = write_refusal(
        Dialect::Taskwire, "", "", Refusal::MessageMalformed, "no JSON", kNoon, "wf-1");
    const SendMessage report = read(text);
    EXPECT_EQ(report.envelope->to(), "unknown");
    EXPECT_EQ(report.envelope->correlation(), "wf-1");
}

TEST(TaskwireHub, T6_NamesOnlyErrorTypesAndSeveritiesOfTheDocument) {
    const std::string_view types[] = {"TIMEOUT",
                                      "RATE_LIMIT",
                                      "VALIDATION_ERROR",
                                      "NETWORK_ERROR",
                                      "AUTHENTICATION_ERROR",
                                      "RESOURCE_EXHAUSTED",
                                      "INTERNAL_ERROR",
                                      "EXTERNAL_SERVICE_ERROR"};
    const std::string_view severities[] = {"low", "medium", "high", "critical"};
    for (const auto& row : taskwire::kErrorTypes) {
        EXPECT_EQ(std::ranges::count(types, row.error_type), 1) << row.error_type;
        EXPECT_EQ(std::ranges::count(severities, row.severity), 1) << row.severity;
    }
}

TEST(TaskwireTables, StandInTheOrderOfTheirIndices) {
    using namespace taskwire;
    EXPECT_EQ(kBase[Id].name, "id");
    EXPECT_EQ(kBase[Timestamp].name, "timestamp");
    EXPECT_EQ(kBase[From].name, "from");
    EXPECT_EQ(kBase[To].name, "to");
    EXPECT_EQ(kBase[Type].name, "type");
    EXPECT_EQ(kBase[Payload].name, "payload");
    EXPECT_EQ(kBase[Metadata].name, "metadata");
    EXPECT_EQ(kMetadata[CorrelationId].name, "correlation_id");
    EXPECT_EQ(kMetadata[PriorityWord].name, "priority");
    EXPECT_EQ(kMetadata[TtlMs].name, "ttl_ms");
    EXPECT_EQ(kMetadata[RetryCount].name, "retry_count");
    EXPECT_EQ(kMetadata[MaxRetries].name, "max_retries");
    EXPECT_EQ(kMetadata[TimeoutMs].name, "timeout_ms");
    for (const auto& type : kTypes) {
        EXPECT_NE(kBase[Type].expected.find(type.name), std::string_view::npos) << type.name;
    }
}

}  // namespace
}  // namespace parlance::dialects
