#include "dialects/translate.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "dialects/dialect_row.h"
#include "dialects/same.h"
#include "dialects/testing/generate.h"
#include "dialects/testing/reading.h"

namespace parlance::dialects {
namespace {

using testing::at;
using testing::kNoon;

constexpr Duration kLater{77'777};

std::string translated(std::string_view text, Dialect from, Dialect to, Time now = kNoon) {
    auto made = translate(text, from, to, {.now = now});
    EXPECT_TRUE(made) << text << "\n" << (made ? "" : made.error().summary());
    return made ? *std::move(made) : std::string{};
}

/// The number of messages per pair: PARLANCE_TRANSLATIONS=100000 for a long run.
std::uint64_t messages_per_pair() {
    const char* const wanted = std::getenv("PARLANCE_TRANSLATIONS");
    return wanted == nullptr ? 300 : std::strtoull(wanted, nullptr, 10);
}

/// A message translated there and back is unchanged; the translation is valid.
void expect_there_and_back(const DialectRow& from, const DialectRow& to, std::string_view message) {
    const std::string there = translated(message, from.dialect, to.dialect);
    const auto read = read_message(there, {.dialect = to.dialect});
    ASSERT_TRUE(read) << message << "\n" << there << "\n" << read.error().summary();
    const std::string back = translated(there, to.dialect, from.dialect, kNoon + kLater);
    ASSERT_TRUE(is_same(json::root(back), json::root(message)))
        << from.name << " " << message << "\n"
        << to.name << " " << there << "\n"
        << from.name << " " << back;
}

class Pairs : public ::testing::TestWithParam<std::pair<Dialect, Dialect>> {};

TEST_P(Pairs, P1_ThereAndBackIsTheIdentity) {
    const DialectRow& from = *row_of(GetParam().first);
    const DialectRow& to = *row_of(GetParam().second);
    testing::Generator generator{static_cast<std::uint64_t>(from.dialect) * 10 +
                                 static_cast<std::uint64_t>(to.dialect)};
    const auto& forms = from.forms->all;
    for (std::uint64_t i = 0; i < messages_per_pair(); ++i) {
        const Form& form = forms[i % forms.size()];
        ASSERT_NO_FATAL_FAILURE(
            expect_there_and_back(from, to, generator.message(form, *from.forms)));
    }
}

/// Nested objects.
std::string nested(std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += R"({"a":)";
    return text + '1' + std::string(depth, '}');
}

/// Requests with as many values as possible; "@" marks fields for any JSON.
constexpr std::pair<Dialect, std::string_view> kDeepRequests[] = {
    {Dialect::Kessel,
     R"({"source_agent":"CST","target_agent":"ANL","capability_code":"ANL_NPV","request_id":"sess-789-20250118-143022",
         "inputs_json":@})"},
    {Dialect::Kessel,
     R"({"source_agent":"CST","target_agent":"ANL","capability_code":"ANL_NPV","request_id":"sess-789-20250118-143022",
         "inputs_json":{},"context":@})"},
    {Dialect::Delegation,
     R"({"request_id":"00000000-0000-4000-8000-000000000001","origin_employee":"a","target_employee":"b","user_id":"u",
         "parent_session_id":"s","input":"i","objective":"o","more":@})"},
    {Dialect::Sam,
     R"({"message_id":"m","correlation_id":"wf-1","timestamp":"2025-11-23T10:00:00Z","sender":{"agent_id":"a"},
         "recipient":{"agent_id":"b"},"message_type":"REQUEST","payload":{"action":"ask","data":@,"more":@}})"},
    {Dialect::Correlation,
     R"({"correlation_id":"sess_0a1b2c3d_1700000000","agent":"a","target_agent":"b",
         "message_type":"orchestration_command","status":"pending","payload":@,"timestamp":"2025-11-23T10:00:00Z"})"},
    {Dialect::Taskwire,
     R"({"id":"m","from":"a","to":"b","type":"TASK_ASSIGNMENT","timestamp":"2025-11-23T10:00:00Z",
         "payload":{"action":"ask","input":@},"metadata":{"more":@}})"},
};

/// The request with nested objects, so that its depth is `depth`.
std::string deep(std::string_view request, std::size_t depth) {
    std::string text{request};
    for (auto place = text.find('@'); place != std::string::npos; place = text.find('@')) {
        const auto front = std::string_view{text}.substr(0, place);
        const auto open = std::ranges::count(front, '{') - std::ranges::count(front, '}');
        text.replace(place, 1, nested(depth - static_cast<std::size_t>(open)));
    }
    return text;
}

// Every message that the hub accepts can be translated into every dialect and back, at any depth.
TEST_P(Pairs, P1_MessagesOfAnyPermittedDepthGoThereAndBack) {
    const auto& [from, to] = GetParam();
    for (const auto& [dialect, request] : kDeepRequests) {
        if (dialect != from) continue;
        for (std::size_t depth = 60; depth <= json::kDepthMax; ++depth) {
            const std::string text = deep(request, depth);
            ASSERT_TRUE(json::check(text)) << text;
            ASSERT_TRUE(read_message(text, {.dialect = from})) << text;
            ASSERT_NO_FATAL_FAILURE(expect_there_and_back(*row_of(from), *row_of(to), text));
            const std::string there = translated(text, from, to);
            EXPECT_TRUE(json::check(there, json::kDepthMadeMax)) << there;
            EXPECT_EQ(read_message(there, {})->envelope->dialect(), to) << there;
        }
    }
}

std::vector<std::pair<Dialect, Dialect>> all_pairs() {
    std::vector<std::pair<Dialect, Dialect>> pairs;
    for (const auto* from : all_rows()) {
        for (const auto* to : all_rows()) pairs.emplace_back(from->dialect, to->dialect);
    }
    return pairs;
}

INSTANTIATE_TEST_SUITE_P(Translate, Pairs, ::testing::ValuesIn(all_pairs()), [](const auto& pair) {
    return std::string{name_of(pair.param.first)} + "_" + std::string{name_of(pair.param.second)};
});

constexpr std::string_view kKesselRequest =
    R"({"source_agent":"CST","target_agent":"ANL","capability_code":"ANL_NPV",
        "request_id":"sess-789-20250118-143022","priority":"LOW","timeout_ms":15000,
        "inputs_json":{"cash_flows":[-100000,25000],"discount_rate":0.120},
        "context":{"session_id":"sess-789","user_id":"user-456","engagement_type":"business_case"},
        "correlation_id":"wf-42"})";

TEST(Translate, P1_ARequestKeepsItsMeaningInEveryDialect) {
    const std::string task = translated(kKesselRequest, Dialect::Kessel, Dialect::Taskwire);
    EXPECT_EQ(at(task, {"id"}), R"("sess-789-20250118-143022")");
    EXPECT_EQ(at(task, {"from"}), R"("CST")");
    EXPECT_EQ(at(task, {"to"}), R"("ANL")");
    EXPECT_EQ(at(task, {"type"}), R"("TASK_ASSIGNMENT")");
    EXPECT_EQ(at(task, {"payload", "action"}), R"("ANL_NPV")");
    EXPECT_EQ(at(task, {"payload", "input", "discount_rate"}), "0.120");
    EXPECT_EQ(at(task, {"payload", "context", "user_id"}), R"("user-456")");
    EXPECT_EQ(at(task, {"metadata", "priority"}), R"("low")");
    EXPECT_EQ(at(task, {"metadata", "timeout_ms"}), "15000");
    EXPECT_EQ(at(task, {"metadata", "correlation_id"}), R"("wf-42")");
    EXPECT_EQ(at(task, {"timestamp"}), R"("2025-11-23T12:00:00.000Z")");

    const std::string delegated = translated(kKesselRequest, Dialect::Kessel, Dialect::Delegation);
    EXPECT_EQ(at(delegated, {"origin_employee"}), R"("CST")");
    EXPECT_EQ(at(delegated, {"target_employee"}), R"("ANL")");
    EXPECT_EQ(at(delegated, {"user_id"}), R"("user-456")");
    EXPECT_EQ(at(delegated, {"parent_session_id"}), R"("sess-789")");
    EXPECT_EQ(at(delegated, {"objective"}), R"("ANL_NPV")");
    EXPECT_EQ(at(delegated, {"input"}),
              R"("{\"cash_flows\":[-100000,25000],\"discount_rate\":0.120}")");
    EXPECT_EQ(at(delegated, {"constraints"}),
              R"({"max_tokens":1200,"max_depth":2,"deadline_ms":15000})");

    const std::string sam = translated(kKesselRequest, Dialect::Kessel, Dialect::Sam);
    EXPECT_EQ(at(sam, {"message_type"}), R"("REQUEST")");
    EXPECT_EQ(at(sam, {"sender", "agent_id"}), R"("CST")");
    EXPECT_EQ(at(sam, {"recipient", "agent_id"}), R"("ANL")");
    EXPECT_EQ(at(sam, {"payload", "action"}), R"("ANL_NPV")");
    EXPECT_EQ(at(sam, {"payload", "data", "discount_rate"}), "0.120");
    EXPECT_EQ(at(sam, {"payload", "context", "session_id"}), R"("sess-789")");
    EXPECT_EQ(at(sam, {"metadata", "priority"}), R"("low")");
    EXPECT_EQ(at(sam, {"metadata", "timeout_ms"}), "15000");
    EXPECT_EQ(at(sam, {"correlation_id"}), R"("wf-42")");

    const std::string correlated =
        translated(kKesselRequest, Dialect::Kessel, Dialect::Correlation);
    EXPECT_EQ(at(correlated, {"message_type"}), R"("orchestration_command")");
    // The first eight digits of the MD5 of wf-42, and the time in the request's id.
    EXPECT_EQ(at(correlated, {"correlation_id"}), R"("wf-42_d6faef40_1737210622")");
    EXPECT_EQ(at(correlated, {"status"}), R"("pending")");
    EXPECT_EQ(at(correlated, {"payload", "action"}), R"("ANL_NPV")");
    EXPECT_EQ(at(correlated, {"timeout_ms"}), "15000");
}

TEST(Translate, P1_AKesselTimeoutArrivesAsAFailureWithATimeoutText) {
    constexpr std::string_view kTimeout =
        R"({"request_id":"sess-1-20250118-143022","status":"TIMEOUT"})";
    const std::string delegated = translated(kTimeout, Dialect::Kessel, Dialect::Delegation);
    EXPECT_EQ(at(delegated, {"status"}), R"("failed")");
    EXPECT_NE(at(delegated, {"error"}).find("Timeout"), std::string::npos);
    const std::string failed = translated(kTimeout, Dialect::Kessel, Dialect::Taskwire);
    EXPECT_EQ(at(failed, {"type"}), R"("TASK_FAILED")");
    EXPECT_EQ(at(failed, {"payload", "error_type"}), R"("TIMEOUT")");
    EXPECT_EQ(at(failed, {"payload", "request_id"}), R"("sess-1-20250118-143022")");
    const std::string sam = translated(kTimeout, Dialect::Kessel, Dialect::Sam);
    EXPECT_EQ(at(sam, {"message_type"}), R"("ERROR")");
    EXPECT_EQ(at(sam, {"metadata", "status"}), R"("timeout")");
    const std::string correlated = translated(kTimeout, Dialect::Kessel, Dialect::Correlation);
    EXPECT_EQ(at(correlated, {"status"}), R"("error")");
    EXPECT_NE(at(correlated, {"error_details", "error_message"}).find("Timeout"),
              std::string::npos);
}

TEST(Translate, P1_ATimeoutStaysATimeoutInEveryDialect) {
    const std::pair<Dialect, const char*> timeouts[] = {
        {Dialect::Sam,
         R"({"message_id":"m","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},
             "message_type":"ERROR","error":{"code":"TIMEOUT","message":"late"}})"},
        {Dialect::Taskwire,
         R"({"id":"m","from":"a","to":"b","type":"TASK_FAILED",
             "payload":{"error":{"code":"REQUEST_TIMED_OUT","message":"late"}}})"},
        {Dialect::Delegation,
         R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","target_employee":"byte-doc",
             "summary":"","result":"","token_usage":{"prompt":0,"completion":0,"total":0},
             "status":"failed","error":"Delegation timeout after 300 ms"})"}};
    for (const auto& [dialect, text] : timeouts) {
        EXPECT_EQ(at(translated(text, dialect, Dialect::Kessel), {"status"}), R"("TIMEOUT")")
            << text;
    }
    // X7: the document's own words stay unchanged.
    EXPECT_EQ(at(translated(timeouts[2].second, Dialect::Delegation, Dialect::Correlation),
                 {"error_details", "error_message"}),
              R"("Delegation timeout after 300 ms")");
    constexpr std::string_view kTimeout =
        R"({"request_id":"sess-1-20250118-143022","status":"TIMEOUT"})";
    EXPECT_EQ(at(translated(kTimeout, Dialect::Kessel, Dialect::Sam), {"error", "code"}),
              R"("TIMEOUT")");
    // A retry may help, as after the hub's own timeouts, unless the message denies it.
    EXPECT_EQ(at(translated(kTimeout, Dialect::Kessel, Dialect::Sam), {"error", "retryable"}),
              "true");
    EXPECT_EQ(at(translated(kTimeout, Dialect::Kessel, Dialect::Correlation),
                 {"error_details", "retry_possible"}),
              "true");
    constexpr std::string_view kForGood =
        R"({"id":"m","from":"a","to":"b","type":"TASK_FAILED","payload":{"error_type":"TIMEOUT",
            "error":{"code":"TIMEOUT","message":"late","retryable":false}}})";
    EXPECT_EQ(at(translated(kForGood, Dialect::Taskwire, Dialect::Sam), {"error", "retryable"}),
              "false");
    // In a dialect with a word for timeout, another status means no timeout.
    constexpr std::string_view kError =
        R"({"request_id":"sess-1-20250118-143022","status":"ERROR",
            "error_code":"REQUEST_TIMED_OUT","error_message":"x"})";
    EXPECT_EQ(at(translated(kError, Dialect::Kessel, Dialect::Taskwire), {"payload", "error_type"}),
              "");
}

TEST(Translate, P1_APartialAnswerHasAWarningWhereNoStatusExpressesPartial) {
    constexpr std::string_view kPartial =
        R"({"message_id":"m","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},"in_reply_to":"r",
            "message_type":"RESPONSE","payload":{"data":{"half":1}},"metadata":{"status":"partial"}})";
    const std::string told = translated(kPartial, Dialect::Sam, Dialect::Correlation);
    EXPECT_EQ(at(told, {"status"}), R"("success")");
    EXPECT_EQ(at(told, {"warnings"}), R"(["The answer is partial."])");
    // The answer's own warning is enough, and a dialect with a word for partial needs no warning.
    const std::string warned =
        testing::with(kPartial, R"("partial")", R"("partial","warnings":["no second half"])");
    EXPECT_EQ(at(translated(warned, Dialect::Sam, Dialect::Correlation), {"warnings"}),
              R"(["no second half"])");
    EXPECT_EQ(at(translated(kPartial, Dialect::Sam, Dialect::Taskwire), {"payload", "warnings"}),
              "");
}

TEST(Translate, P1_ProtocolMembersOfAnAnswerAreNotContent) {
    constexpr std::string_view kDone =
        R"({"id":"m","from":"a","to":"b","type":"TASK_COMPLETE",
            "payload":{"total":42,"request_id":"q-1"}})";
    const std::string done = translated(kDone, Dialect::Taskwire, Dialect::Sam);
    EXPECT_EQ(at(done, {"payload", "data"}), R"({"total":42})");
    EXPECT_EQ(at(done, {"in_reply_to"}), R"("q-1")");
    constexpr std::string_view kFailed =
        R"({"id":"m","from":"a","to":"b","type":"TASK_FAILED","payload":{"request_id":"q-1",
            "half":1,"error_type":"RATE_LIMIT","error":{"code":"A_B","message":"no"}}})";
    const std::string failed = translated(kFailed, Dialect::Taskwire, Dialect::Sam);
    EXPECT_EQ(at(failed, {"payload", "data"}), R"({"half":1})");
    EXPECT_EQ(at(failed, {"error", "code"}), R"("A_B")");
    const std::string bare = testing::with(kFailed, R"("half":1,)", "");
    EXPECT_EQ(at(translated(bare, Dialect::Taskwire, Dialect::Sam), {"payload"}), "");
}

TEST(Translate, P1_SomeDialectsShowAnEventAsARequest) {
    const auto event = testing::read(
        R"({"message_id":"m","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},
            "message_type":"EVENT","payload":{"action":"done"}})");
    EXPECT_TRUE(is_shown_as_request(*event.envelope, Dialect::Kessel));
    EXPECT_TRUE(is_shown_as_request(*event.envelope, Dialect::Delegation));
    for (const Dialect dialect : {Dialect::Taskwire, Dialect::Sam, Dialect::Correlation}) {
        EXPECT_FALSE(is_shown_as_request(*event.envelope, dialect)) << name_of(dialect);
    }
    const auto report = testing::read(
        R"({"id":"m","from":"a","to":"b","type":"ERROR_REPORT","payload":{"message":"x"}})");
    EXPECT_FALSE(is_shown_as_request(*report.envelope, Dialect::Kessel)) << "it is a response";
}

TEST(Translate, S10_AnErrorHasAllFiveMembersInSam) {
    constexpr std::string_view kError =
        R"({"request_id":"sess-1-20250118-143022","status":"ERROR","error_code":"DATA_MISSING",
            "error_message":"no rows","source_agent":"ANL","target_agent":"buyer"})";
    EXPECT_EQ(at(translated(kError, Dialect::Kessel, Dialect::Sam), {"error"}),
              R"({"code":"DATA_MISSING","message":"no rows","source":"ANL","severity":"HIGH",)"
              R"("retryable":false})");
}

TEST(Translate, T7_ThePriorityImpliedByATypeIsTranslated) {
    const std::tuple<const char*, const char*, const char*> types[] = {
        {"ERROR_REPORT", "critical", ""},
        {"HEARTBEAT", "low", "LOW"},
        {"TASK_UPDATE", "normal", "NORMAL"},
        {"TASK_ASSIGNMENT", "high", "HIGH"}};
    for (const auto& [type, word, kessel] : types) {
        const std::string text = R"({"id":"m-1","from":"a","to":"b","type":")" + std::string{type} +
                                 R"(","payload":{"message":"x"}})";
        const std::string quoted = '"' + std::string{word} + '"';
        EXPECT_EQ(at(translated(text, Dialect::Taskwire, Dialect::Sam), {"metadata", "priority"}),
                  quoted)
            << type;
        if (*kessel == '\0') continue;
        EXPECT_EQ(at(translated(text, Dialect::Taskwire, Dialect::Kessel), {"priority"}),
                  '"' + std::string{kessel} + '"')
            << type;
        EXPECT_EQ(at(translated(text, Dialect::Taskwire, Dialect::Delegation), {"priority"}),
                  quoted);
        EXPECT_EQ(at(translated(text, Dialect::Taskwire, Dialect::Correlation), {"priority"}),
                  quoted);
    }
    constexpr std::string_view kUrgent =
        R"({"id":"m-1","from":"a","to":"b","type":"HELP_REQUEST","payload":{"urgency":"critical"}})";
    const std::string sam = translated(kUrgent, Dialect::Taskwire, Dialect::Sam);
    EXPECT_EQ(at(sam, {"metadata", "priority"}), R"("critical")");
    EXPECT_EQ(at(sam, {"error"}), "") << "how urgent help is says nothing of an error";
}

TEST(Translate, T1_TheMetadataIsCompleteAndStatesTheEffectivePriority) {
    constexpr std::string_view kRequest =
        R"({"message_id":"m","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},
            "message_type":"REQUEST","payload":{"action":"x"}})";
    EXPECT_EQ(at(translated(kRequest, Dialect::Sam, Dialect::Taskwire), {"metadata"}),
              R"({"priority":"normal","retry_count":0,"max_retries":5})");
}

TEST(Translate, X3_TheChildSessionComesBackFromAnyDialect) {
    constexpr std::string_view kAsked =
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"prime-boss",
            "target_employee":"b","user_id":"u","parent_session_id":"s","objective":"o",
            "input":"i","child_session_id":"child-7"})";
    const EnvelopePtr asked = testing::read(kAsked).envelope;
    const std::pair<Dialect, const char*> answers[] = {
        {Dialect::Taskwire, R"({"total":42})"},
        {Dialect::Taskwire, R"({"type":"TASK_FAILED","payload":{"error":{"message":"x"}}})"},
        {Dialect::Kessel, R"({"total":42})"},
        {Dialect::Delegation, R"({"total":42})"},
        {Dialect::Sam, R"({"total":42})"},
        {Dialect::Sam, R"({"message_type":"RESPONSE","payload":{"data":42}})"},
        {Dialect::Correlation, R"({"total":42})"}};
    for (const auto& [dialect, answer] : answers) {
        const auto reply = read_reply(answer,
                                      *asked,
                                      {.dialect = dialect,
                                       .caller = "b",
                                       .fresh_id = "22222222-2222-4222-8222-222222222222",
                                       .now = kNoon});
        ASSERT_TRUE(reply) << answer << reply.error().summary();
        const std::string told = translated(reply->envelope->body(), dialect, Dialect::Delegation);
        EXPECT_EQ(at(told, {"child_session_id"}), R"("child-7")") << answer;
    }
}

TEST(Translate, P1_AnErrorKeepsItsCodeTextAndRetryAdvice) {
    constexpr std::string_view kError =
        R"({"correlation_id":"s_a7b2c9d4_1692633612","agent":"intent_recognition","status":"error",
            "error_details":{"error_type":"api_timeout","error_message":"OpenAI API timeout",
                             "retry_possible":true},"fallback_strategy":"use_rules"})";
    const std::string kessel = translated(kError, Dialect::Correlation, Dialect::Kessel);
    EXPECT_EQ(at(kessel, {"status"}), R"("ERROR")");
    EXPECT_EQ(at(kessel, {"error_code"}), R"("API_TIMEOUT")");
    EXPECT_EQ(at(kessel, {"error_message"}), R"("OpenAI API timeout")");
    const std::string sam = translated(kError, Dialect::Correlation, Dialect::Sam);
    EXPECT_EQ(at(sam, {"error"}),
              R"({"code":"api_timeout","message":"OpenAI API timeout",)"
              R"("source":"intent_recognition","severity":"HIGH","retryable":true})");
    const std::string task = translated(kError, Dialect::Correlation, Dialect::Taskwire);
    EXPECT_EQ(at(task, {"payload", "error"}),
              R"({"code":"api_timeout","message":"OpenAI API timeout","retryable":true,)"
              R"("fallback":"use_rules"})");
}

TEST(Translate, K4_AResponseHasAResultWhateverItsStatus) {
    constexpr std::string_view kError =
        R"({"message_id":"m","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},
            "message_type":"ERROR","correlation_id":"c","timestamp":"2025-11-23T10:00:00Z","in_reply_to":"r",
            "error":{"code":"A_B_C","message":"no","source":"a","severity":"LOW","retryable":false}})";
    const std::string error = translated(kError, Dialect::Sam, Dialect::Kessel);
    EXPECT_EQ(at(error, {"status"}), R"("ERROR")");
    EXPECT_EQ(at(error, {"result_json"}), "null");
    EXPECT_TRUE(
        is_same(json::root(translated(error, Dialect::Kessel, Dialect::Sam)), json::root(kError)));
    // Null has no meaning, so it is left out in another dialect.
    constexpr std::string_view kNull =
        R"({"request_id":"sess-1-20250118-143022","status":"ERROR","result_json":null,"error_code":"A_B",
            "error_message":"no"})";
    const std::string sam = translated(kNull, Dialect::Kessel, Dialect::Sam);
    EXPECT_EQ(at(sam, {"payload"}), "") << sam;
    EXPECT_TRUE(
        is_same(json::root(translated(sam, Dialect::Sam, Dialect::Kessel)), json::root(kNull)));
}

/// An answer in another dialect to a taskwire request, as the requester sees the answer.
std::string answered_to(std::string_view type, std::string_view answer, Dialect dialect) {
    const auto request = testing::read(R"({"id":"q-1","from":"ann","to":"bob","type":")" +
                                       std::string{type} + R"(","payload":{}})");
    const auto reply = read_reply(
        answer,
        *request.envelope,
        {.dialect = dialect, .caller = "bob", .fresh_id = testing::kKnown.fresh_id, .now = kNoon});
    EXPECT_TRUE(reply) << reply.error().summary();
    if (!reply) return {};
    const Envelope& envelope = *reply->envelope;
    const auto told = translate(envelope.body(),
                                dialect,
                                Dialect::Taskwire,
                                {.now = kNoon,
                                 .from = envelope.from(),
                                 .to = envelope.to(),
                                 .id = envelope.id(),
                                 .answers = envelope.answers(),
                                 .correlation = envelope.correlation(),
                                 .type = envelope.type()});
    EXPECT_TRUE(told);
    EXPECT_TRUE(told && read_message(*told, {.dialect = Dialect::Taskwire}));
    return told.value_or("{}");
}

TEST(Translate, T3_T4_AnAnswerHasTheTypeThatTheRequestDemands) {
    const std::pair<Dialect, std::string_view> answers[] = {
        {Dialect::Sam, R"({"message_type":"RESPONSE","payload":{"data":{"advice":"rest"}}})"},
        {Dialect::Kessel,
         R"({"status":"SUCCESS","result_json":{"advice":"rest"},"confidence_level":"HIGH"})"},
        {Dialect::Delegation,
         R"({"summary":"s","result":"rest","status":"success",)"
         R"("token_usage":{"prompt":1,"completion":1,"total":2}})"},
        {Dialect::Correlation, R"({"advice":"rest"})"},
    };
    for (const auto& [dialect, answer] : answers) {
        const std::string help = answered_to("HELP_REQUEST", answer, dialect);
        EXPECT_EQ(at(help, {"type"}), R"("HELP_RESPONSE")") << help;
        EXPECT_EQ(at(help, {"payload", "request_id"}), R"("q-1")") << help;
        EXPECT_NE(at(help, {"payload", "content"}).find("rest"), std::string::npos) << help;
        const std::string handoff = answered_to("TASK_HANDOFF", answer, dialect);
        EXPECT_EQ(at(handoff, {"type"}), R"("TASK_HANDOFF")") << handoff;
        EXPECT_EQ(at(handoff, {"payload", "accepted"}), "true") << handoff;
        EXPECT_EQ(at(answered_to("TASK_ASSIGNMENT", answer, dialect), {"type"}),
                  R"("TASK_COMPLETE")");
    }
    // A failure has the usual type.
    EXPECT_EQ(at(answered_to("HELP_REQUEST",
                             R"({"status":"ERROR","error_code":"A_B","error_message":"no"})",
                             Dialect::Kessel),
                 {"type"}),
              R"("TASK_FAILED")");
}

TEST(Translate, P1_ConfidenceIsOnOneScale) {
    const auto response = [](std::string_view word) {
        return R"({"request_id":"sess-1-20250118-143022","status":"SUCCESS","result_json":{},)"
               R"("confidence_level":")" +
               std::string{word} + "\"}";
    };
    const std::tuple<const char*, const char*, const char*> words[] = {
        {"HIGH", "90", "0.9"},
        {"MEDIUM", "70", "0.7"},
        {"LOW", "40", "0.4"},
        {"SPECULATIVE", "15", "0.15"}};
    for (const auto& [word, percent, unit] : words) {
        const std::string delegated =
            translated(response(word), Dialect::Kessel, Dialect::Delegation);
        EXPECT_EQ(at(delegated, {"confidence"}), percent);
        const std::string sam = translated(response(word), Dialect::Kessel, Dialect::Sam);
        EXPECT_EQ(at(sam, {"metadata", "confidence"}), unit);
    }
    const auto kessel_word = [](std::string_view percent) {
        const std::string text =
            R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","target_employee":"byte-doc",)"
            R"("summary":"s","result":"r","token_usage":{"prompt":1,"completion":1,"total":2},)"
            R"("status":"success","confidence":)" +
            std::string{percent} + "}";
        return at(translated(text, Dialect::Delegation, Dialect::Kessel), {"confidence_level"});
    };
    EXPECT_EQ(kessel_word("100"), R"("HIGH")");
    EXPECT_EQ(kessel_word("80"), R"("HIGH")");
    EXPECT_EQ(kessel_word("79.9"), R"("MEDIUM")");
    EXPECT_EQ(kessel_word("50"), R"("MEDIUM")");
    EXPECT_EQ(kessel_word("25"), R"("LOW")");
    EXPECT_EQ(kessel_word("0"), R"("SPECULATIVE")");
}

TEST(Translate, P1_PrioritiesKeepTheirOrderAndKesselsThreeAreTheLowerThree) {
    const std::tuple<const char*, const char*> words[] = {
        {"critical", "HIGH"}, {"high", "HIGH"}, {"normal", "NORMAL"}, {"low", "LOW"}};
    for (const auto& [task, kessel] : words) {
        const std::string text =
            R"({"id":"m-1","from":"a","to":"b","type":"TASK_ASSIGNMENT","payload":{},)"
            R"("metadata":{"priority":")" +
            std::string{task} + "\"}}";
        EXPECT_EQ(at(translated(text, Dialect::Taskwire, Dialect::Kessel), {"priority"}),
                  '"' + std::string{kessel} + '"');
        EXPECT_EQ(at(translated(text, Dialect::Taskwire, Dialect::Sam), {"metadata", "priority"}),
                  '"' + std::string{task} + '"');
    }
}

TEST(Translate, P1_ADeadlineBecomesTheRemainingTime) {
    constexpr std::string_view kHelp =
        R"({"id":"m-1","from":"a","to":"b","type":"HELP_REQUEST",
            "payload":{"description":"Why?","deadline":"2025-11-23T12:00:30Z"}})";
    EXPECT_EQ(at(translated(kHelp, Dialect::Taskwire, Dialect::Kessel), {"timeout_ms"}), "30000");
    EXPECT_EQ(at(translated(kHelp, Dialect::Taskwire, Dialect::Delegation),
                 {"constraints", "deadline_ms"}),
              "30000");
}

TEST(Translate, X1_AMissingMandatoryDeadlineIsTheHubs) {
    constexpr std::string_view kRequest =
        R"({"message_id":"m","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},
            "message_type":"REQUEST","payload":{"action":"x"}})";
    const auto told = [&](std::string_view text, Dialect to) {
        return translate(text, Dialect::Sam, to, {.now = kNoon, .patience = Duration{300'000}})
            .value();
    };
    EXPECT_EQ(at(told(kRequest, Dialect::Delegation), {"constraints", "deadline_ms"}), "300000");
    const std::string limited =
        testing::with(kRequest, R"("REQUEST")", R"("REQUEST","metadata":{"timeout_ms":70})");
    EXPECT_EQ(at(told(limited, Dialect::Delegation), {"constraints", "deadline_ms"}), "70");
    EXPECT_EQ(at(told(kRequest, Dialect::Correlation), {"timeout_ms"}), "")
        << "nobody needs one there";
    // The way back removes the hub's deadline, and adds none.
    const std::string back = translate(told(kRequest, Dialect::Delegation),
                                       Dialect::Delegation,
                                       Dialect::Sam,
                                       {.now = kNoon, .patience = Duration{300'000}})
                                 .value();
    EXPECT_TRUE(is_same(json::root(back), json::root(kRequest))) << back;
    constexpr std::string_view kDelegated =
        R"({"request_id":"00000000-0000-4000-8000-000000000001","origin_employee":"a",
            "target_employee":"b","user_id":"u","parent_session_id":"s","input":"i","objective":"o"})";
    const std::string home = translate(translated(kDelegated, Dialect::Delegation, Dialect::Kessel),
                                       Dialect::Kessel,
                                       Dialect::Delegation,
                                       {.now = kNoon, .patience = Duration{300'000}})
                                 .value();
    EXPECT_TRUE(is_same(json::root(home), json::root(kDelegated))) << home;
}

TEST(Translate, P1_AHandoffKeepsTheRequestAndItsFindings) {
    constexpr std::string_view kHandoff =
        R"({"session_id":"sess-789","original_request":"Help me build a business case",
            "workflow_position":"Step 3 of 5","prior_agents":["ORC","CST"],
            "prior_outputs":{"cst_framework":"market_entry"},"source_agent":"CST",
            "target_agent":"ANL","request_id":"sess-789-20250118-143022"})";
    const std::string task = translated(kHandoff, Dialect::Kessel, Dialect::Taskwire);
    EXPECT_EQ(at(task, {"type"}), R"("TASK_HANDOFF")");
    EXPECT_EQ(at(task, {"payload", "from_agent"}), R"("CST")");
    EXPECT_EQ(at(task, {"payload", "to_agent"}), R"("ANL")");
    EXPECT_EQ(at(task, {"payload", "context", "task_type"}), R"("Help me build a business case")");
    EXPECT_EQ(at(task, {"payload", "context", "metadata", "cst_framework"}), R"("market_entry")");
    EXPECT_EQ(at(task, {"payload", "context", "session_id"}), R"("sess-789")");
}

/// Every field that the document wants preserved.
constexpr std::string_view kWholeHandoff =
    R"({"session_id":"sess-789","original_request":"Help me build a business case",
        "workflow_position":"Step 3 of 5","prior_agents":["ORC","CST"],
        "prior_outputs":{"cst_framework":"market_entry"},
        "constraints":{"timeline":"18_months","max_tokens":900,"deadline":"soon"},
        "history_reference":"h-1","decisions":["enter"],"findings":{"size":4},"data":[7],
        "assumptions":["stable"],"source_agent":"CST","target_agent":"ANL",
        "request_id":"sess-789-20250118-143022"})";

void expect_back(std::string_view there, Dialect from, Dialect to, std::string_view original) {
    const std::string back = translated(there, from, to, kNoon + kLater);
    EXPECT_TRUE(is_same(json::root(back), json::root(original))) << there << "\n" << back;
}

TEST(Translate, P1_K10_TaskwireGetsEverythingThatAHandoffPreserves) {
    const std::string task = translated(kWholeHandoff, Dialect::Kessel, Dialect::Taskwire);
    // With the members that a taskwire agent expects, and without a deadline that is no date.
    EXPECT_EQ(at(task, {"payload", "constraints"}),
              R"({"max_tokens":900,"required_capabilities":[],"timeline":"18_months"})");
    EXPECT_EQ(at(task, {"payload", "context", "history"}),
              R"([{"timestamp":"2025-11-23T12:00:00.000Z","event_type":"took_part",)"
              R"("agent_id":"ORC","details":{}},)"
              R"({"timestamp":"2025-11-23T12:00:00.000Z","event_type":"took_part",)"
              R"("agent_id":"CST","details":{}}])");
    for (const char* name : {"workflow_position",
                             "history_reference",
                             "decisions",
                             "findings",
                             "data",
                             "assumptions"}) {
        EXPECT_EQ(at(task, {"payload", "context", name}), at(kWholeHandoff, {name})) << name;
    }
    EXPECT_TRUE(read_message(task, {.dialect = Dialect::Taskwire})) << task;
    expect_back(task, Dialect::Taskwire, Dialect::Kessel, kWholeHandoff);
    // Changes by a taskwire agent count.
    std::string changed = testing::with(task, R"("18_months")", R"("6_months")");
    changed = testing::with(changed, R"("agent_id":"CST")", R"("agent_id":"AUD")");
    const std::string back = translated(changed, Dialect::Taskwire, Dialect::Kessel);
    EXPECT_EQ(at(back, {"constraints", "timeline"}), R"("6_months")");
    EXPECT_EQ(at(back, {"constraints", "deadline"}), R"("soon")");
    EXPECT_EQ(at(back, {"prior_agents"}), R"(["ORC","AUD"])");
}

TEST(Translate, P1_K10_OtherDialectsGetEverythingThatAHandoffPreservesInTheContext) {
    const std::string sam = translated(kWholeHandoff, Dialect::Kessel, Dialect::Sam);
    const std::string command = translated(kWholeHandoff, Dialect::Kessel, Dialect::Correlation);
    const std::string delegated = translated(kWholeHandoff, Dialect::Kessel, Dialect::Delegation);
    for (const char* name : {"constraints",
                             "prior_agents",
                             "workflow_position",
                             "history_reference",
                             "decisions",
                             "findings",
                             "data",
                             "assumptions"}) {
        const auto said = at(kWholeHandoff, {name});
        EXPECT_EQ(at(sam, {"payload", "context", name}), said) << name;
        EXPECT_EQ(at(command, {"payload", "context", name}), said) << name;
        EXPECT_EQ(at(delegated, {"handoff_data", "intermediate_results", name}), said) << name;
    }
    expect_back(sam, Dialect::Sam, Dialect::Kessel, kWholeHandoff);
    expect_back(command, Dialect::Correlation, Dialect::Kessel, kWholeHandoff);
    expect_back(delegated, Dialect::Delegation, Dialect::Kessel, kWholeHandoff);
    // No context was passed on, so there is none.
    constexpr std::string_view kBare =
        R"({"session_id":"s","original_request":"r","source_agent":"CST","target_agent":"ANL",
            "request_id":"sess-789-20250118-143022"})";
    EXPECT_EQ(at(translated(kBare, Dialect::Kessel, Dialect::Sam), {"payload", "context"}), "");
}

constexpr std::string_view kTaskHandoff =
    R"({"id":"m-1","from":"ann","to":"CST","type":"TASK_HANDOFF",
        "timestamp":"2025-11-23T10:00:00Z","payload":{"task_id":"t-1","from_agent":"ann",
        "to_agent":"CST","reason":"ESCALATION","context":{"task_id":"t-1","task_type":"ship",
        "priority":"high","metadata":{"left":["send"]},"dependencies":[],"history":[
          {"timestamp":"2025-11-22","event_type":"began","agent_id":"bob","details":{}},
          {"timestamp":"2025-11-22","event_type":"held","details":{"why":"rain"}},
          {"timestamp":"2025-11-23","event_type":"went_on","agent_id":"ann","details":{}},
          {"timestamp":"2025-11-23","event_type":"ended","agent_id":"bob","details":{}}]},
        "constraints":{"max_tokens":500,"required_capabilities":["SHIP"],"budget_usd":2.5},
        "deadline":"2099-01-01T00:00:00Z"}})";

TEST(Translate, P1_T3_KesselGetsTheConstraintsAndPriorAgentsOfATask) {
    const std::string kessel = translated(kTaskHandoff, Dialect::Taskwire, Dialect::Kessel);
    EXPECT_EQ(at(kessel, {"constraints"}),
              R"({"max_tokens":500,"required_capabilities":["SHIP"],"budget_usd":2.5})");
    EXPECT_EQ(at(kessel, {"prior_agents"}), R"(["bob","ann"])");
    expect_back(kessel, Dialect::Kessel, Dialect::Taskwire, kTaskHandoff);
    const std::string sam = translated(kTaskHandoff, Dialect::Taskwire, Dialect::Sam);
    EXPECT_EQ(at(sam, {"payload", "context", "constraints", "budget_usd"}), "2.5");
    EXPECT_EQ(at(sam, {"metadata", "max_tokens"}), "500");
    expect_back(sam, Dialect::Sam, Dialect::Taskwire, kTaskHandoff);
    // If both fields state a value and one is changed, the slot's own field counts.
    const std::string changed =
        translated(testing::with(sam, R"("max_tokens":500})", R"("max_tokens":400})"),
                   Dialect::Sam,
                   Dialect::Taskwire);
    EXPECT_EQ(at(changed, {"payload", "constraints", "max_tokens"}), "400");
}

std::string history_of(std::string_view task) {
    return at(task, {"payload", "context", "history"});
}

TEST(Translate, P1_K10_NewPriorAgentsAreAddedToTheHistoryOfATask) {
    const std::string kessel = translated(kTaskHandoff, Dialect::Taskwire, Dialect::Kessel);
    const std::string longer = testing::with(kessel, R"(["bob","ann"])", R"(["bob","ann","CST"])");
    const std::string back = translated(longer, Dialect::Kessel, Dialect::Taskwire, kNoon + kLater);
    EXPECT_EQ(
        history_of(back),
        R"([{"timestamp":"2025-11-22","event_type":"began","agent_id":"bob","details":{}},)"
        R"({"timestamp":"2025-11-22","event_type":"held","details":{"why":"rain"}},)"
        R"({"timestamp":"2025-11-23","event_type":"went_on","agent_id":"ann","details":{}},)"
        R"({"timestamp":"2025-11-23","event_type":"ended","agent_id":"bob","details":{}},)"
        R"({"timestamp":"2025-11-23T12:00:00.000Z","event_type":"took_part","agent_id":"CST",)"
        R"("details":{}}])");
    EXPECT_EQ(at(translated(back, Dialect::Taskwire, Dialect::Kessel), {"prior_agents"}),
              R"(["bob","ann","CST"])");
    // An entry that is no agent enters no history, and removes no other agent.
    const std::string sam = translated(kTaskHandoff, Dialect::Taskwire, Dialect::Sam);
    const std::string odd = testing::with(sam, R"(["bob","ann"])", R"(["bob","ann",{"a":"Cy"}])");
    EXPECT_EQ(history_of(translated(odd, Dialect::Sam, Dialect::Taskwire)),
              history_of(kTaskHandoff));
}

TEST(Translate, P1_K10_AHandoffInKesselFillsMandatoryFields) {
    constexpr std::string_view kHandoff =
        R"({"id":"m-1","from":"ann","to":"CST","type":"TASK_HANDOFF",
            "timestamp":"2025-11-23T10:00:00Z",
            "payload":{"task_id":"t-1","context":{"task_type":"","session_id":""}}})";
    const std::string kessel = translated(kHandoff, Dialect::Taskwire, Dialect::Kessel);
    EXPECT_EQ(at(kessel, {"session_id"}), R"("unknown")");
    EXPECT_EQ(at(kessel, {"original_request"}), R"("unknown")");
    EXPECT_TRUE(read_message(kessel, {.dialect = Dialect::Kessel})) << kessel;
    expect_back(kessel, Dialect::Kessel, Dialect::Taskwire, kHandoff);
}

/// So many names, separated by commas.
std::string agents_listed(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + '"';
    return all;
}
std::string event_by(std::string_view agent) {
    return R"({"timestamp":"2025-11-22","event_type":"did","agent_id":")" + std::string{agent} +
           R"(","details":{}})";
}

TEST(Translate, P1_K10_OfTooManyAgentsTheFirstAreTranslatedAndNoneIsLost) {
    const std::string all = '[' + agents_listed(65) + ']';
    const std::string many = testing::with(kWholeHandoff, R"(["ORC","CST"])", all);
    const std::string task = translated(many, Dialect::Kessel, Dialect::Taskwire);
    EXPECT_TRUE(history_of(task).ends_with(R"("agent_id":"a63","details":{}}])")) << task;
    expect_back(task, Dialect::Taskwire, Dialect::Kessel, many);
    // One more event removes no agent.
    const std::string longer =
        testing::with(task,
                      R"("agent_id":"a63","details":{}}])",
                      R"("agent_id":"a63","details":{}},)" + event_by("AUD") + ']');
    EXPECT_EQ(at(translated(longer, Dialect::Taskwire, Dialect::Kessel), {"prior_agents"}), all);
}

TEST(Translate, P1_K10_OneAgentBeyondTheLimitRemovesNothingFromAHistory) {
    std::string events = '[' + event_by("a0");
    for (int i = 1; i < 64; ++i) events += ',' + event_by("a" + std::to_string(i));
    events += ',' + event_by("a0") + ']';
    const std::string task = testing::with(kTaskHandoff, history_of(kTaskHandoff), events);
    const std::string kessel = translated(task, Dialect::Taskwire, Dialect::Kessel);
    const std::string told = '[' + agents_listed(64) + ']';
    EXPECT_EQ(at(kessel, {"prior_agents"}), told);
    const std::string longer = '[' + agents_listed(64) + R"(,"CST"])";
    const std::string back = translated(
        testing::with(kessel, told, longer), Dialect::Kessel, Dialect::Taskwire, kNoon + kLater);
    EXPECT_EQ(history_of(back), events);
    EXPECT_EQ(at(translated(back, Dialect::Taskwire, Dialect::Kessel), {"prior_agents"}), longer)
        << "it travels in the extension";
}

TEST(Translate, P1_K10_PriorAgentsAreSearchedInTheFirstThousandEvents) {
    std::string events = '[' + event_by("bob");
    for (int i = 1; i < 1024; ++i) events += ',' + event_by("bob");
    events += ',' + event_by("ann") + ']';
    const std::string task = testing::with(kTaskHandoff, history_of(kTaskHandoff), events);
    const std::string kessel = translated(task, Dialect::Taskwire, Dialect::Kessel);
    EXPECT_EQ(at(kessel, {"prior_agents"}), R"(["bob"])");
    expect_back(kessel, Dialect::Kessel, Dialect::Taskwire, task);
}

TEST(Translate, P1_T4_ARequestForHelpCarriesItsAttemptedSolutions) {
    constexpr std::string_view kHelp =
        R"({"id":"m-1","from":"a","to":"b","type":"HELP_REQUEST","timestamp":"2025-11-23T10:00:00Z",
            "payload":{"requester_id":"a","task_id":"t-1","help_type":"CODE_REVIEW",
            "description":"Why?","urgency":"high",
            "context":{"current_state":"stuck","error_details":"E1","attempted_solutions":["on"]}}})";
    const auto tried = at(kHelp, {"payload", "context"});
    const std::tuple<Dialect, std::vector<std::string_view>> places[] = {
        {Dialect::Kessel, {"context"}},
        {Dialect::Delegation, {"handoff_data", "intermediate_results"}},
        {Dialect::Sam, {"payload", "context"}},
        {Dialect::Correlation, {"payload", "context"}}};
    for (const auto& [dialect, path] : places) {
        const std::string told = translated(kHelp, Dialect::Taskwire, dialect);
        json::Value place = json::root(told);
        for (const auto name : path) place = json::find(place, name).value_or(json::Value{"{}"});
        EXPECT_EQ(place.raw, tried) << told;
        expect_back(told, dialect, Dialect::Taskwire, kHelp);
    }
}

TEST(Translate, P1_T4_AnIncompleteContextIsChangedInPlace) {
    constexpr std::string_view kHelp =
        R"({"id":"m-1","from":"a","to":"b","type":"HELP_REQUEST","timestamp":"2025-11-23T10:00:00Z",
            "payload":{"requester_id":"a","task_id":"t-1","help_type":"CODE_REVIEW",
            "description":"Why?","urgency":"high","context":{"current_state":"stuck"}}})";
    const std::string sam = translated(kHelp, Dialect::Taskwire, Dialect::Sam);
    EXPECT_EQ(at(sam, {"payload", "context"}), R"({"current_state":"stuck"})");
    expect_back(sam, Dialect::Sam, Dialect::Taskwire, kHelp);
    const std::string changed = testing::with(sam, R"("stuck")", R"("unstuck")");
    EXPECT_EQ(at(translated(changed, Dialect::Sam, Dialect::Taskwire), {"payload", "context"}),
              R"({"current_state":"unstuck"})");
}

TEST(Translate, P1_C2_TheNextStepsAreTranslatedBesideAContext) {
    constexpr std::string_view kCommand =
        R"({"correlation_id":"s_a7b2c9d4_1692633612","agent":"a","target_agent":"b",
            "timestamp":"2025-08-21T10:30:00Z","message_type":"orchestration_command",
            "status":"pending","payload":{"action":"ask","context":{"a":1}},"next_steps":["x"]})";
    const std::string sam = translated(kCommand, Dialect::Correlation, Dialect::Sam);
    EXPECT_EQ(at(sam, {"payload", "context"}), R"({"next_steps":["x"],"a":1})");
    expect_back(sam, Dialect::Sam, Dialect::Correlation, kCommand);
    const std::string changed = testing::with(sam, R"(["x"],"a":1)", R"(["x"],"a":2)");
    const std::string back = translated(changed, Dialect::Sam, Dialect::Correlation);
    EXPECT_EQ(at(back, {"payload", "context"}), R"({"a":2})");
    EXPECT_EQ(at(back, {"next_steps"}), R"(["x"])");
}

TEST(Translate, P1_T4_X2_TheNeedForFollowUpIsTranslatedBothWays) {
    constexpr std::string_view kResponse =
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","target_employee":"byte-doc",
            "summary":"s","result":"r","token_usage":{"prompt":1,"completion":1,"total":2},
            "status":"success","requires_followup":true})";
    EXPECT_EQ(at(translated(kResponse, Dialect::Delegation, Dialect::Taskwire),
                 {"payload", "follow_up_required"}),
              "true");
    constexpr std::string_view kHelp =
        R"({"id":"m-1","from":"b","to":"a","type":"HELP_RESPONSE","payload":{"request_id":"q-1",
            "content":"rest","follow_up_required":true}})";
    EXPECT_EQ(at(translated(kHelp, Dialect::Taskwire, Dialect::Delegation), {"requires_followup"}),
              "true");
}

TEST(Translate, P1_K12_AClassificationKeepsItsValuesInEveryDialect) {
    constexpr std::string_view kFound =
        R"({"primary_intent":"financial_projection","intent_confidence":0.85,"target_agent":"ANL",
            "target_capability":"ANL_PROJECTION","secondary_intents":["document_generation"],
            "secondary_targets":[{"agent":"DOC","capability":"DOC_GENERATE"}],
            "source_agent":"ORC","recipient_agent":"planner",
            "request_id":"sess-789-20250118-143022"})";
    const std::string result = translated(kFound, Dialect::Kessel, Dialect::Correlation);
    EXPECT_EQ(at(result, {"message_type"}), R"("classification_result")");
    EXPECT_EQ(at(result, {"status"}), R"("success")") << "it is done, as in the document's example";
    EXPECT_EQ(at(result, {"next_steps"}), R"(["ANL"])");
    EXPECT_EQ(at(result, {"payload", "intent_category"}), R"("financial_projection")");
    const std::string sam = translated(kFound, Dialect::Kessel, Dialect::Sam);
    EXPECT_EQ(at(sam, {"payload", "context", "next_steps"}), R"(["ANL"])");
    const std::string update = translated(kFound, Dialect::Kessel, Dialect::Taskwire);
    EXPECT_EQ(at(update, {"payload", "context", "next_steps"}), R"(["ANL"])");
    EXPECT_EQ(at(update, {"payload", "status"}), "") << "nobody needs it there";
    for (const char* name : {"target_capability", "secondary_intents", "secondary_targets"}) {
        const auto said = at(kFound, {name});
        EXPECT_EQ(at(result, {"payload", name}), said) << name;
        EXPECT_EQ(at(sam, {"payload", "context", name}), said) << name;
        EXPECT_EQ(at(update, {"payload", "context", name}), said) << name;
    }
    expect_back(result, Dialect::Correlation, Dialect::Kessel, kFound);
    expect_back(sam, Dialect::Sam, Dialect::Kessel, kFound);
    expect_back(update, Dialect::Taskwire, Dialect::Kessel, kFound);
}

TEST(Translate, P1_C2_OfSeveralNextStepsTheFirstIsTheTarget) {
    constexpr std::string_view kResult =
        R"({"correlation_id":"s_a7b2c9d4_1692633612","agent":"intent_recognition",
            "target_agent":"task_planning","timestamp":"2025-08-21T10:30:00Z",
            "message_type":"classification_result","status":"pending",
            "payload":{"intent_category":"discovery","entities":["d"],"confidence":0.89},
            "next_steps":["task_planning","tool_coordination"]})";
    const std::string kessel = translated(kResult, Dialect::Correlation, Dialect::Kessel);
    EXPECT_EQ(at(kessel, {"target_agent"}), R"("task_planning")");
    EXPECT_EQ(at(kessel, {"recipient_agent"}), R"("task_planning")");
    expect_back(kessel, Dialect::Kessel, Dialect::Correlation, kResult);
}

TEST(Translate, K6_JsonInATextReachesOtherDialectsParsedAsWhenChecked) {
    constexpr std::string_view kDelegationWithJsonText =
        R"({"request_id":"00000000-0000-4000-8000-000000000001","origin_employee":"a",
            "target_employee":"b","user_id":"u","parent_session_id":"s","objective":"NPV",
            "input":"{ \"flows\": [1, 2.50] }"})";
    const std::tuple<Dialect, std::vector<std::string_view>> places[] = {
        {Dialect::Kessel, {"inputs_json"}},
        {Dialect::Taskwire, {"payload", "input"}},
        {Dialect::Sam, {"payload", "data"}},
        {Dialect::Correlation, {"payload", "data"}}};
    for (const auto& [dialect, path] : places) {
        const std::string told = translated(kDelegationWithJsonText, Dialect::Delegation, dialect);
        json::Value place = json::root(told);
        for (const auto name : path) place = json::find(place, name).value_or(json::Value{"{}"});
        EXPECT_EQ(place.raw, R"({ "flows": [1, 2.50] })") << told;
        expect_back(told, dialect, Dialect::Delegation, kDelegationWithJsonText);
    }
    const auto input = [&](std::string_view text) {
        const std::string delegated = testing::with(
            kDelegationWithJsonText, R"("{ \"flows\": [1, 2.50] }")", std::string{text});
        return std::string{
            at(translated(delegated, Dialect::Delegation, Dialect::Sam), {"payload", "data"})};
    };
    EXPECT_EQ(input(R"("[1,2]")"), "[1,2]");
    EXPECT_EQ(input(R"("{flows: 1}")"), R"("{flows: 1}")") << "no JSON is text";
    EXPECT_EQ(input(R"("42")"), R"("42")");
    const std::string deep = std::string(17, '[') + std::string(17, ']');
    EXPECT_EQ(input('"' + deep + '"'), '"' + deep + '"') << "what is deep stays text";
    // In a dialect that allows objects, a string with JSON stays a string.
    constexpr std::string_view kText =
        R"({"message_id":"m","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},
            "message_type":"REQUEST","payload":{"action":"x","data":"{\"a\":1}"}})";
    EXPECT_EQ(at(translated(kText, Dialect::Sam, Dialect::Taskwire), {"payload", "input"}),
              R"("{\"a\":1}")");
}

TEST(Translate, P1_AnEventAndAStatusReachEveryDialect) {
    constexpr std::string_view kEvent =
        R"({"message_id":"m-1","timestamp":"2025-11-23T10:00:00Z","sender":{"agent_id":"a"},
            "recipient":{"agent_id":"b"},"message_type":"EVENT",
            "payload":{"action":"vendor_added","data":{"id":"v-1"}}})";
    EXPECT_EQ(at(translated(kEvent, Dialect::Sam, Dialect::Taskwire), {"type"}),
              R"("TASK_UPDATE")");
    EXPECT_EQ(at(translated(kEvent, Dialect::Sam, Dialect::Kessel), {"capability_code"}),
              R"("vendor_added")");
    const std::string correlated = translated(kEvent, Dialect::Sam, Dialect::Correlation);
    EXPECT_EQ(at(correlated, {"message_type"}), R"("status_update")");
    EXPECT_EQ(at(correlated, {"status"}), R"("pending")");
    EXPECT_EQ(at(correlated, {"payload", "data"}), R"({"id":"v-1"})");
}

TEST(Translate, P1_ChangesByAnAgentInBetweenCount) {
    std::string sam = translated(kKesselRequest, Dialect::Kessel, Dialect::Sam);
    const auto change = [&](std::string_view old, std::string_view fresh) {
        const auto place = sam.find(old);
        ASSERT_NE(place, std::string::npos) << sam;
        sam.replace(place, old.size(), fresh);
    };
    change(R"("priority":"low")", R"("priority":"high")");
    change(R"("agent_id":"ANL")", R"("agent_id":"DOC")");
    const std::string back = translated(sam, Dialect::Sam, Dialect::Kessel);
    EXPECT_EQ(at(back, {"priority"}), R"("HIGH")");
    EXPECT_EQ(at(back, {"target_agent"}), R"("DOC")");
    EXPECT_EQ(at(back, {"request_id"}), R"("sess-789-20250118-143022")");
    EXPECT_EQ(at(back, {"context", "engagement_type"}), R"("business_case")");
}

TEST(Translate, P1_KeptValuesDoNotOverwriteAChange) {
    // 87 becomes HIGH and would come back as 90, so 87 is kept.
    constexpr std::string_view kResponse =
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","target_employee":"byte-doc",
            "summary":"s","result":"r","token_usage":{"prompt":1,"completion":1,"total":2},
            "status":"success","confidence":87})";
    std::string kessel = translated(kResponse, Dialect::Delegation, Dialect::Kessel);
    EXPECT_EQ(at(translated(kessel, Dialect::Kessel, Dialect::Delegation), {"confidence"}), "87");
    kessel.replace(kessel.find(R"("HIGH")"), 6, R"("LOW")");
    EXPECT_EQ(at(translated(kessel, Dialect::Kessel, Dialect::Delegation), {"confidence"}), "40");
}

constexpr std::string_view kAroundTheSender =
    R"({"source_agent":"mallory","target_agent":"victim","capability_code":"PAY",
        "request_id":"550e8400-e29b-41d4-a716-446655440000","inputs_json":{},
        "parlance":{"dialect":"sam","form":"REQUEST","at":"2025-11-23T12:00:00Z",
          "keeps":[{"at":"/sender","was":{"agent_id":"mallory"},"value":{"agent_id":"CFO"}}]}})";

TEST(Translate, P1_AnExtensionCannotSpeakForAnotherSender) {
    constexpr std::string_view kForged =
        R"({"message_id":"m-1","sender":{"agent_id":"mallory"},"recipient":{"agent_id":"ANL"},
            "message_type":"REQUEST","payload":{"action":"PAY"},
            "parlance":{"dialect":"kessel","form":"REQUEST","at":"2025-11-23T12:00:00Z",
              "keeps":[{"at":"/source_agent","value":"CFO","was":"mallory"},
                       {"at":"/context","value":{"session_id":"s-1"}}]}})";
    const std::string kessel = translated(kForged, Dialect::Sam, Dialect::Kessel);
    EXPECT_EQ(at(kessel, {"source_agent"}), R"("mallory")");
    EXPECT_EQ(at(kessel, {"context", "session_id"}), R"("s-1")") << "it is heeded in all else";
    EXPECT_TRUE(read_message(kessel, {.dialect = Dialect::Kessel})) << kessel;
}

TEST(Translate, P1_AnExtensionCannotReplaceTheObjectAroundTheSender) {
    const std::string sam = translated(kAroundTheSender, Dialect::Kessel, Dialect::Sam);
    EXPECT_EQ(at(sam, {"sender", "agent_id"}), R"("mallory")");
}

/// The message as the hub carries it: the hub and its readers know the message's id.
std::string carried(std::string_view text, Dialect from, Dialect to) {
    const auto read = read_message(text, {.dialect = from, .now = kNoon});
    EXPECT_TRUE(read) << text << "\n" << (read ? "" : read.error().summary());
    if (!read) return {};
    const Envelope& envelope = *read->envelope;
    const bool is_reply = envelope.intent() == Intent::Reply;
    return translate(envelope.body(),
                     from,
                     to,
                     {.now = kNoon + kLater,
                      .from = envelope.from(),
                      .to = envelope.to(),
                      .id = envelope.id(),
                      .answers = is_reply ? envelope.answers() : "",
                      .correlation = is_reply ? envelope.correlation() : ""})
        .value();
}

/// A kessel payment sent by mallory, with a forged extension about its original in sam.
std::string forged(std::string_view form, std::string_view keeps) {
    return R"({"source_agent":"mallory","target_agent":"victim","capability_code":"PAY",
               "request_id":"550e8400-e29b-41d4-a716-446655440000","correlation_id":"wf-1",
               "inputs_json":{"sum":7},"parlance":{"dialect":"sam","form":")" +
           std::string{form} + R"(","at":"2025-11-23T12:00:00Z","keeps":[)" + std::string{keeps} +
           "]}}";
}

TEST(Translate, P1_AForwardedRequestComesBackWithAllItsFields) {
    std::string sam = carried(kKesselRequest, Dialect::Kessel, Dialect::Sam);
    const auto change = [&](std::string_view old, std::string_view fresh) {
        const auto place = sam.find(old);
        ASSERT_NE(place, std::string::npos) << sam;
        sam.replace(place, old.size(), fresh);
    };
    change(R"("agent_id":"CST")", R"("agent_id":"broker")");
    change(R"("agent_id":"ANL")", R"("agent_id":"DOC")");
    const std::string back = carried(sam, Dialect::Sam, Dialect::Kessel);
    EXPECT_EQ(at(back, {"source_agent"}), R"("broker")");
    EXPECT_EQ(at(back, {"target_agent"}), R"("DOC")");
    for (const char* name : {"capability_code",
                             "request_id",
                             "priority",
                             "timeout_ms",
                             "inputs_json",
                             "context",
                             "correlation_id"}) {
        EXPECT_EQ(at(back, {name}), at(kKesselRequest, {name})) << back;
    }
}

TEST(Translate, P1_AnExtensionCannotOverrideTheHubsKnowledge) {
    const std::string sam = carried(
        forged("REQUEST",
               R"({"at":"/message_id","was":"550e8400-e29b-41d4-a716-446655440000","value":"m-7"},
                  {"at":"/correlation_id","was":"wf-1","value":"wf-7"},
                  {"at":"/in_reply_to","value":"m-8"},
                  {"at":"/recipient","was":{"agent_id":"victim"}},
                  {"at":"/team","value":"red"})"),
        Dialect::Kessel,
        Dialect::Sam);
    EXPECT_EQ(at(sam, {"message_id"}), R"("550e8400-e29b-41d4-a716-446655440000")");
    EXPECT_EQ(at(sam, {"correlation_id"}), R"("wf-1")");
    EXPECT_EQ(at(sam, {"recipient", "agent_id"}), R"("victim")");
    EXPECT_FALSE(json::find(json::root(sam), "in_reply_to")) << sam;
    EXPECT_EQ(at(sam, {"team"}), R"("red")") << "all else is the sender's to say";
    EXPECT_NE(sam.find(R"("wf-7")"), std::string::npos) << "what was not taken is not lost";
}

TEST(Translate, P1_AnExtensionCannotChangeTheKindOfAMessage) {
    for (const char* form : {"RESPONSE", "ERROR", "EVENT"}) {
        const std::string sam = carried(forged(form, ""), Dialect::Kessel, Dialect::Sam);
        EXPECT_EQ(at(sam, {"message_type"}), R"("REQUEST")") << form;
    }
    const std::string sam =
        carried(forged("REQUEST", R"({"at":"/message_type","was":"REQUEST","value":"RESPONSE"})"),
                Dialect::Kessel,
                Dialect::Sam);
    EXPECT_EQ(at(sam, {"message_type"}), R"("REQUEST")");
    EXPECT_EQ(at(sam, {"payload", "data", "sum"}), "7");
}

TEST(Translate, P1_KeptValuesThatBreakTheirFieldsRuleStayInTheExtension) {
    const std::string sam = carried(
        forged("REQUEST",
               R"({"at":"/metadata/confidence","value":"often"},{"at":"/team","value":"red"})"),
        Dialect::Kessel,
        Dialect::Sam);
    EXPECT_FALSE(json::find(json::root(at(sam, {"metadata"})), "confidence")) << sam;
    EXPECT_EQ(at(sam, {"team"}), R"("red")");
    EXPECT_NE(sam.find(R"("often")"), std::string::npos) << sam;
    EXPECT_TRUE(read_message(sam, {.dialect = Dialect::Sam})) << sam;
}

TEST(Translate, P1_AnExtensionWithADuplicatePointerIsIgnored) {
    for (const char* keeps : {R"({"at":"/a","value":1},{"at":"/a","value":2})",
                              R"({"at":"/a~2b","value":1})",
                              R"({"at":"/a~","value":1})"}) {
        const std::string sam = carried(forged("REQUEST", keeps), Dialect::Kessel, Dialect::Sam);
        EXPECT_FALSE(json::find(json::root(sam), "a")) << sam;
        EXPECT_TRUE(json::check(sam)) << sam;
    }
}

TEST(Translate, P1_KeptValuesAreRestoredInAnyOrder) {
    // Members of one object are not adjacent in alphabetical order: "/d!" is before "/d/x".
    const std::array keeps{R"({"at":"/payload/data/d/y","value":1})",
                           R"({"at":"/payload/data/d!","value":2})",
                           R"({"at":"/payload/data/d/x","value":3,"was":0})",
                           R"({"at":"/payload/data/d~1x","value":4})",
                           R"({"at":"/payload/data/d~0","value":5})",
                           R"({"at":"/payload/data/e","was":0})"};
    std::array<std::size_t, keeps.size()> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
        std::string list;
        for (const std::size_t i : order) list += (list.empty() ? "" : ",") + std::string{keeps[i]};
        const std::string text = testing::with(forged("REQUEST", list),
                                               R"("inputs_json":{"sum":7})",
                                               R"("inputs_json":{"d":{"x":0},"e":0,"f":0})");
        const std::string sam = carried(text, Dialect::Kessel, Dialect::Sam);
        ASSERT_TRUE(is_same(json::root(at(sam, {"payload", "data"})),
                            json::root(R"({"d":{"x":3,"y":1},"f":0,"d!":2,"d/x":4,"d~":5})")))
            << list << sam;
    } while (std::ranges::next_permutation(order).found);
}

/// A megabyte of names in an object behind a long name, and an extension that points there.
std::string hostile_names(std::string_view member) {
    const std::string name(std::size_t{1} << 18U, 'n');
    std::string names;
    for (int i = 0; names.size() < (std::size_t{1} << 19U); ++i) {
        names += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
    }
    std::string text = forged("REQUEST", R"({"at":"/payload/data/)" + name + R"(/x","value":1})");
    const std::string old = R"("inputs_json":{"sum":7})";
    return text.replace(text.find(old),
                        old.size(),
                        "\"" + std::string{member} + "\":{\"" + name + "\":{" + names + "}}" +
                            (member == "inputs_json" ? "" : R"(,"inputs_json":{})"));
}

// Writing the long name again for each name behind it would copy 15 GB.
TEST(Translate, P1_AMegabyteOfHostileNamesIsTranslatedThereAndBack) {
    for (const char* member : {"inputs_json", "context", "extra"}) {
        const std::string there = translated(hostile_names(member), Dialect::Kessel, Dialect::Sam);
        EXPECT_EQ(at(translated(there, Dialect::Sam, Dialect::Kessel), {"capability_code"}),
                  R"("PAY")");
    }
}

// Each small keep contains its pointer, and so takes many times the room of its value.
TEST(Translate, P1_AMegabyteOfSmallDifferencesIsKeptInWholeMembers) {
    std::string names;
    for (int i = 0; names.size() < (std::size_t{1} << 20U); ++i) {
        names += ",\"" + std::to_string(i) + "\":0";
    }
    const std::string text =
        R"({"id":"m","from":"a","to":"b","type":"TASK_ASSIGNMENT","timestamp":"2025-11-23T10:00:00Z",)"
        R"("payload":{"action":"ask","input":{})" +
        names + "}}";
    const std::string there = translated(text, Dialect::Taskwire, Dialect::Kessel);
    EXPECT_LT(there.size(), 4 * text.size());
    const std::string back = translated(there, Dialect::Kessel, Dialect::Taskwire, kNoon + kLater);
    EXPECT_TRUE(is_same(json::root(back), json::root(text)));
}

TEST(Translate, P1_AMegabyteOfKeptValuesIsRestored) {
    std::string keeps;
    for (int i = 0; keeps.size() < (std::size_t{1} << 20U); ++i) {
        keeps += (i == 0 ? R"({"at":"/payload/data/)" : R"(,{"at":"/payload/data/)") +
                 std::to_string(i) + R"(","value":0})";
    }
    const std::string sam = translated(forged("REQUEST", keeps), Dialect::Kessel, Dialect::Sam);
    EXPECT_EQ(at(sam, {"payload", "data", "4711"}), "0");
}

TEST(Translate, C1_AWorkflowAlwaysHasTheSameCorrelationId) {
    const auto shown = [](std::string_view text, Dialect from, Time now) {
        return std::string{
            at(translated(text, from, Dialect::Correlation, now), {"correlation_id"})};
    };
    const auto later = kNoon + kLater;
    EXPECT_EQ(shown(kKesselRequest, Dialect::Kessel, kNoon),
              shown(kKesselRequest, Dialect::Kessel, later));
    constexpr std::string_view kAlone =
        R"({"id":"m-1","from":"a","to":"b","type":"HELP_REQUEST","payload":{"question":"Why?"}})";
    // A request without a workflow begins one, identified by the request's id: MD5 of m-1.
    EXPECT_EQ(shown(kAlone, Dialect::Taskwire, kNoon), R"("m-1_4e3871ed_1763899200")");
    // The message's own time counts; without one, the time that the hub knows.
    const std::string sent = testing::with(kAlone, "{", R"({"timestamp":"2023-08-21T16:00:12Z",)");
    EXPECT_EQ(shown(sent, Dialect::Taskwire, later), R"("m-1_4e3871ed_1692633612")");
    const auto told =
        translate(kAlone, Dialect::Taskwire, Dialect::Correlation, {.now = later, .began = kNoon});
    EXPECT_EQ(at(told.value(), {"correlation_id"}), R"("m-1_4e3871ed_1763899200")");
}

TEST(Translate, C1_AWorkflowGetsItsOwnIdBack) {
    constexpr std::string_view kCommand =
        R"({"correlation_id":"wf-42_d6faef40_0","agent":"a","target_agent":"b",
            "timestamp":"2025-08-21T10:30:00Z","message_type":"orchestration_command",
            "status":"pending","payload":{}})";
    const auto read = read_message(kCommand, {.dialect = Dialect::Correlation});
    ASSERT_TRUE(read) << read.error().summary();
    EXPECT_EQ(read->envelope->correlation(), "wf-42");
    EXPECT_EQ(at(translated(kCommand, Dialect::Correlation, Dialect::Kessel), {"correlation_id"}),
              R"("wf-42")");
}

TEST(Translate, P1_TheHubSuppliesMissingFields) {
    constexpr std::string_view kResponse =
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","status":"SUCCESS",
            "result_json":{"npv":1},"confidence_level":"HIGH"})";
    const std::string sam = translate(kResponse,
                                      Dialect::Kessel,
                                      Dialect::Sam,
                                      {.now = kNoon,
                                       .from = "ANL",
                                       .to = "buyer",
                                       .answers = "msg-1",
                                       .correlation = "corr-5"})
                                .value();
    EXPECT_EQ(at(sam, {"sender", "agent_id"}), R"("ANL")");
    EXPECT_EQ(at(sam, {"recipient", "agent_id"}), R"("buyer")");
    EXPECT_EQ(at(sam, {"in_reply_to"}), R"("msg-1")");
    EXPECT_EQ(at(sam, {"correlation_id"}), R"("corr-5")");
    EXPECT_EQ(at(sam, {"payload", "data"}), R"({"npv":1})");
}

TEST(Forms, CoverEachActAndReadGeneratedMessages) {
    testing::Generator generator{7};
    for (const DialectRow* row : all_rows()) {
        for (std::size_t act = 0; act < kActs; ++act) {
            EXPECT_NE(form_named(*row->forms, row->forms->by_act[act]), nullptr) << row->name;
        }
        for (const Form& form : row->forms->all) {
            for (int i = 0; i < 50; ++i) {
                const std::string message = generator.message(form, *row->forms);
                ASSERT_TRUE(json::check(message)) << message;
                const auto read = read_message(message, {.dialect = row->dialect});
                ASSERT_TRUE(read) << row->name << " " << message << "\n" << read.error().summary();
                const std::string_view type = read->envelope->type();
                EXPECT_TRUE(type == form.name || type == form.word);
            }
        }
    }
}

}  // namespace
}  // namespace parlance::dialects
