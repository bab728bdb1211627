#include "dialects/dialects.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "dialects/fields.h"
#include "dialects/testing/reading.h"

namespace parlance::dialects {
namespace {

using testing::kNoon;

Rejection rejection_of(std::string_view text, const Reception& reception = {}) {
    EXPECT_TRUE(json::check(text)) << text;
    auto reading = read_message(text, reception);
    EXPECT_FALSE(reading) << text;
    return reading ? Rejection{} : reading.error();
}

TEST(Refusal, SaysWhatToDoInEveryDialect) {
    constexpr std::string_view kRing = "Cycle detected: 'a' is at work on this.";
    const auto advice = std::string{refusal_row(Refusal::DelegationCycleDetected).advice};
    const auto said = [&](Dialect dialect, std::initializer_list<std::string_view> names) {
        const auto text =
            write_refusal(dialect, "m-1", "b", Refusal::DelegationCycleDetected, kRing, kNoon);
        return testing::at(text, names);
    };
    const auto whole = '"' + std::string{kRing} + ' ' + advice + '"';
    EXPECT_EQ(said(Dialect::Kessel, {"error_message"}), whole);
    EXPECT_EQ(said(Dialect::Sam, {"error", "message"}), whole);
    EXPECT_EQ(said(Dialect::Correlation, {"error_details", "error_message"}), whole);
    // These dialects have a separate field for the advice.
    EXPECT_EQ(said(Dialect::Delegation, {"error"}), '"' + std::string{kRing} + '"');
    EXPECT_EQ(said(Dialect::Delegation, {"summary"}), '"' + advice + '"');
    EXPECT_EQ(said(Dialect::Taskwire, {"payload", "message"}), '"' + std::string{kRing} + '"');
    EXPECT_EQ(said(Dialect::Taskwire, {"payload", "suggested_actions"}), "[\"" + advice + "\"]");
}

TEST(Refusal, OfAMessageWithoutAnIdNamesNoId) {
    for (const auto dialect : {Dialect::Delegation, Dialect::Kessel}) {
        const auto named = write_refusal(dialect,
                                         "550e8400-e29b-41d4-a716-446655440000",
                                         "b",
                                         Refusal::DeliveryStale,
                                         "d",
                                         kNoon);
        EXPECT_EQ(testing::at(named, {"request_id"}), R"("550e8400-e29b-41d4-a716-446655440000")");
        const auto text = write_refusal(dialect, "", "b", Refusal::DeliveryStale, "d", kNoon);
        EXPECT_EQ(testing::at(text, {"request_id"}), "");
        EXPECT_TRUE(json::check(text)) << text;
    }
}

TEST(Dialects, AreFoundByNameAndNamedByNumber) {
    EXPECT_EQ(dialect_named("taskwire"), Dialect::Taskwire);
    EXPECT_EQ(name_of(Dialect::Taskwire), "taskwire");
    EXPECT_FALSE(dialect_named("Taskwire"));
    EXPECT_FALSE(dialect_named("esperanto"));
    EXPECT_FALSE(dialect_named(""));
}

TEST(Dialects, RefuseNonObjectsAsMalformed) {
    for (const char* text : {"[]", "1", "\"TASK_ASSIGNMENT\"", "null", " true "}) {
        const Rejection rejection = rejection_of(text);
        EXPECT_EQ(rejection.refusal, Refusal::MessageMalformed) << text;
        ASSERT_EQ(rejection.problems.size(), 1U);
        EXPECT_EQ(rejection.problems[0].pointer, "");
        EXPECT_EQ(rejection.problems[0].rule, "must be a JSON object");
    }
}

TEST(Dialects, NameTheNearestDialectAndTheMissingMembersForAnUnrecognisedMessage) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"{}", "taskwire", "from, to, type, payload"},
        {R"({"id":"m-1","payload":{}})", "taskwire", "from, to, type"},
        {R"({"verb":"send","body":"x"})", "taskwire", "from, to, type"},
        {R"({"request_id":"r","target_agent":"ANL"})", "kessel", "source_agent, capability_code"},
        {R"({"request_id":"r","objective":"x","input":"y"})", "delegation", "target_employee"},
        {R"({"message_id":"m","payload":{},"metadata":{}})", "sam", "recipient, message_type"},
        {R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","status":"success"})",
         "delegation",
         "lacks target_employee, summary, result, token_usage"},
        {R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","status":"done"})",
         "kessel",
         "none of the members that only kessel has: source_agent,"},
    };
    for (const auto& [text, name, lacking] : cases) {
        const Rejection rejection = rejection_of(text);
        EXPECT_EQ(rejection.refusal, Refusal::MessageDialectUnknown) << text;
        EXPECT_NE(rejection.summary().find(name), std::string::npos) << rejection.summary();
        EXPECT_NE(rejection.summary().find(lacking), std::string::npos) << rejection.summary();
    }
}

TEST(Dialects, AreRecognisedFromTheMessage) {
    const auto dialect = [](std::string_view text) {
        const auto reading = read_message(text, {.caller = "a", .fresh_id = "f-20250118-143022"});
        EXPECT_TRUE(reading) << text << (reading ? "" : reading.error().summary());
        return reading ? reading->envelope->dialect() : Dialect{};
    };
    EXPECT_EQ(dialect(R"({"to":"b","type":"HEARTBEAT","payload":1})"), Dialect::Taskwire);
    EXPECT_EQ(dialect(R"({"target_agent":"b","capability_code":"X","inputs_json":{}})"),
              Dialect::Kessel);
    EXPECT_EQ(dialect(R"({"request_id":"s-20250118-143022","status":"TIMEOUT"})"), Dialect::Kessel);
    EXPECT_EQ(dialect(R"({"recipient":{"agent_id":"b"},"message_type":"EVENT","payload":{}})"),
              Dialect::Sam);
    EXPECT_EQ(dialect(R"({"correlation_id":"s_a7b2c9d4_1","target_agent":"b","status":"pending",)"
                      R"("message_type":"tool_results","payload":1})"),
              Dialect::Correlation);
    EXPECT_EQ(
        dialect(R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","user_id":"u",)"
                R"("target_employee":"b","parent_session_id":"s","objective":"o","input":""})"),
        Dialect::Delegation);
}

TEST(Dialects, X17_AreRecognisedInAnOlderVersion) {
    constexpr std::string_view kOld =
        R"({"version":"0.8","request_id":"550e8400-e29b-41d4-a716-446655440000","target":"byte",)"
        R"("result":"r","status":"success"})";
    const auto reading = read_message(kOld, {});
    ASSERT_TRUE(reading) << reading.error().summary();
    EXPECT_EQ(reading->envelope->dialect(), Dialect::Delegation);
    EXPECT_EQ(reading->envelope->from(), "byte");
    EXPECT_EQ(reading->envelope->answers(), "550e8400-e29b-41d4-a716-446655440000");
    EXPECT_EQ(rejection_of(R"({"version":"0.8","status":"success"})").refusal,
              Refusal::MessageDialectUnknown);
}

TEST(Dialects, KnowTheirDocumentsExamplesAsPartsOfOtherMessages) {
    const auto part = read_part(
        Dialect::Kessel,
        R"({"session_id":"sess-789","original_request":"Help me","prior_agents":["ORC"]})");
    ASSERT_TRUE(part);
    EXPECT_EQ(part->type, "HANDOFF CONTEXT");
    EXPECT_EQ(part->lacks, std::vector<std::string>{"/target_agent"});
    const auto intent = read_part(Dialect::Kessel,
                                  R"({"primary_intent":"financial_projection",)"
                                  R"("intent_confidence":0.85,"target_agent":"ANL"})");
    ASSERT_TRUE(intent);
    EXPECT_EQ(intent->lacks, std::vector<std::string>{"/recipient_agent"});
    const auto error = read_part(Dialect::Sam,
                                 R"({"message_type":"ERROR","error":{"code":"VALIDATION_FAILED",)"
                                 R"("message":"Tax ID format is invalid"}})");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->lacks, std::vector<std::string>{"/recipient"});
    // A complete message is no part, and a part must be valid.
    EXPECT_FALSE(read_part(Dialect::Sam, R"({"message_type":"REQUEST","payload":{"action":"x"}})"));
    EXPECT_FALSE(read_part(Dialect::Kessel, R"({"session_id":7,"original_request":"Help me"})"));
}

TEST(Dialects, AreRecognisedDespiteAMarkOfAnotherDialect) {
    // "type" is taskwire's mark, and comes first; all other members are kessel's.
    const auto reading =
        read_message(R"({"type":"x","source_agent":"a","target_agent":"b","capability_code":"X",)"
                     R"("request_id":"s-20250118-143022","inputs_json":{}})",
                     {});
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->envelope->dialect(), Dialect::Kessel);
}

TEST(Dialects, AreNamedToResolveAnAmbiguousMessage) {
    const std::string_view text = R"({"from":"a","to":"b","sender":{},"recipient":{}})";
    const Rejection rejection = rejection_of(text);
    EXPECT_EQ(rejection.refusal, Refusal::MessageDialectUnknown);
    EXPECT_NE(rejection.summary().find("marks of taskwire and of sam"), std::string::npos);
    // A connection has no headers: the advice must be possible there too.
    EXPECT_NE(rejection.summary().find("leave out those of one, or post it"), std::string::npos);
    EXPECT_EQ(rejection_of(text, {.dialect = Dialect::Sam}).refusal,
              Refusal::InputValidationFailed);
}

TEST(Dialects, AreRecognisedWhateverTheOrderOfTheMembers) {
    // Both dialects can read the message: without a named dialect it is ambiguous.
    const std::string_view taskwire = R"("id":"m","from":"a","to":"b","type":"HEARTBEAT")";
    const std::string_view sam =
        R"("message_id":"m","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},)"
        R"("message_type":"EVENT")";
    for (const auto& [first, last] : {std::pair{taskwire, sam}, std::pair{sam, taskwire}}) {
        const auto text = "{" + std::string{first} + "," + std::string{last} + R"(,"payload":{}})";
        EXPECT_EQ(rejection_of(text).refusal, Refusal::MessageDialectUnknown) << text;
        for (const Dialect dialect : {Dialect::Taskwire, Dialect::Sam}) {
            EXPECT_EQ(read_message(text, {.dialect = dialect})->envelope->dialect(), dialect);
        }
    }
}

TEST(Dialects, CheckAMessageOnceTheDialectIsNamedOrRecognised) {
    EXPECT_EQ(rejection_of("{}", {.dialect = Dialect::Taskwire}).refusal,
              Refusal::InputValidationFailed);
    EXPECT_EQ(rejection_of(R"({"to":"bob"})").refusal, Refusal::InputValidationFailed);
}

TEST(Dialects, RecogniseAMessageWithoutMarksByItsTypeWordAtAnyPosition) {
    std::string text = "{";
    for (int i = 0; i < 100; ++i) text += "\"n" + std::to_string(i) + "\":0,";
    const Rejection rejection = rejection_of(text + R"("message_type":"tool_results"})");
    EXPECT_EQ(rejection.dialect, Dialect::Correlation) << rejection.summary();
}

TEST(Dialects, RefuseAnUnsupportedDialect) {
    EXPECT_EQ(rejection_of(R"({"to":"bob"})", {.dialect = Dialect{77}}).refusal,
              Refusal::MessageDialectUnknown);
}

TEST(Dialects, RefuseAMessageTooLargeForAnEnvelope) {
    const std::string text =
        R"({"to":"bob","payload":")" + std::string(kMessageBytesMax, 'x') + "\"}";
    EXPECT_EQ(rejection_of(text).refusal, Refusal::MessageTooLarge);
}

TEST(Dialects, ListAHundredProblemsOfAHostileMessageAndCountTheRest) {
    std::string text =
        R"({"correlation_id":"s_a7b2c9d4_1","agent":"a","target_agent":"b","status":"pending",)"
        R"("message_type":"tool_results","payload":1,"next_steps":[)";
    for (int i = 0; i < 100'000; ++i) text += "1,";
    const Rejection rejection = rejection_of(text + "1]}");
    ASSERT_EQ(rejection.problems.size(), 101U);
    EXPECT_EQ(rejection.problems[99].pointer, "/next_steps/99");
    // 100,001 steps are wrong.
    EXPECT_EQ(rejection.problems.back().rule, "has 99901 more problems, not listed here");
    EXPECT_TRUE(
        rejection.summary().ends_with("; the message has 99901 more problems, not listed here"))
        << rejection.summary().substr(rejection.summary().size() - 200);
}

TEST(Rejection, T1_K2_NamesTheMaximumOnlyForANumberAboveTheMaximum) {
    const auto rule_for = [](std::string_view timeout) {
        const Rejection rejection = rejection_of(
            R"({"source_agent":"CST","target_agent":"ANL","capability_code":"X","inputs_json":{},)"
            R"("request_id":"sess-789-20250118-143022","timeout_ms":)" +
            std::string{timeout} + "}");
        return rejection.problems.empty() ? std::string{} : rejection.problems[0].rule;
    };
    // The first integer above the maximum, which a double would round down to the maximum.
    for (const char* large : {"9007199254740993", "1e30", "99999999999999999999"}) {
        EXPECT_EQ(rule_for(large), "must be a whole number, 1 or more, and at most 2^53") << large;
    }
    for (const char* other : {"0", "-1", "1.5", "\"9007199254740993\""}) {
        EXPECT_EQ(rule_for(other), "must be a whole number, 1 or more") << other;
    }
    const Rejection ttl =
        rejection_of(R"({"id":"m","from":"a","to":"b","type":"HEARTBEAT","payload":1,)"
                     R"("metadata":{"ttl_ms":9007199254740993}})");
    ASSERT_EQ(ttl.problems.size(), 1U);
    EXPECT_EQ(ttl.problems[0].rule, "must be a whole number of milliseconds from 0 to 2^53");
}

TEST(Rejection, SumsUpEveryProblemWithItsValueAndSection) {
    const Rejection rejection{
        .problems = {{.pointer = "/to", .rule = "is missing; must be x", .section = "Base"},
                     {.pointer = "/type", .value = "7", .rule = "must be y"}}};
    EXPECT_EQ(rejection.summary(), "/to is missing; must be x (Base); /type must be y, not 7");
}

TEST(Rejection, ReportsInvalidJsonInASentenceOfItsOwn) {
    EXPECT_EQ((Rejection{.problems = {{.rule = "JSON is wrong at byte 3: x", .is_sentence = true}}}
                   .summary()),
              "JSON is wrong at byte 3: x");
    EXPECT_EQ((Rejection{.problems = {{.rule = "JSON of this kind is not read"}}}.summary()),
              "the message JSON of this kind is not read")
        << "its words do not decide";
    EXPECT_EQ((Rejection{.problems = {{.rule = "must be a JSON object"}}}.summary()),
              "the message must be a JSON object");
}

TEST(Problems, ShowAValueShortenedBetweenCharacters) {
    EXPECT_EQ(shortened("short"), "short");
    EXPECT_EQ(shortened(std::string(60, 'a')), std::string(60, 'a'));
    EXPECT_EQ(shortened(std::string(59, 'a') + "éé"), std::string(59, 'a') + "…");
    EXPECT_EQ(shortened(std::string(100, 'a')), std::string(60, 'a') + "…");
}

}  // namespace
}  // namespace parlance::dialects
