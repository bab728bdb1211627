#include "dialects/kessel/kessel.h"

#include <cmath>

#include "base/uuid.h"
#include "dialects/kessel/tables.h"
#include "dialects/testing/reading.h"

namespace parlance::dialects {
namespace {

using testing::at;
using testing::kKnown;
using testing::kNoon;
using testing::pointers;
using testing::Pointers;
using testing::read;
using testing::rejection_of;
using testing::with;

// The request of the contract's own example.
constexpr std::string_view kNpvRequest =
    R"({"source_agent":"CST","target_agent":"ANL","capability_code":"ANL_NPV",)"
    R"("request_id":"sess-789-20250118-143022","priority":"NORMAL","timeout_ms":15000,)"
    R"("inputs_json":{"cash_flows":[-100000,25000,35000,45000,55000],"discount_rate":0.12,)"
    R"("periods":"annual"},"context":{"session_id":"sess-789","user_id":"user-456",)"
    R"("engagement_type":"business_case"}})";

/// The net present value of the request above. The contract prints another figure.
double net_present_value() {
    const double flows[] = {-100000, 25000, 35000, 45000, 55000};
    double value = 0;
    for (int year = 0; year < 5; ++year) value += flows[year] / std::pow(1.12, year);
    return value;
}

TEST(Kessel, K1_ReadsARequestAndKeepsItsBytes) {
    const SendMessage send = read(kNpvRequest);
    EXPECT_EQ(send.envelope->dialect(), Dialect::Kessel);
    EXPECT_EQ(send.envelope->intent(), Intent::Request);
    EXPECT_EQ(send.envelope->type(), "REQUEST");
    EXPECT_EQ(send.envelope->id(), "sess-789-20250118-143022");
    EXPECT_EQ(send.envelope->from(), "CST");
    EXPECT_EQ(send.envelope->to(), "ANL");
    EXPECT_EQ(send.envelope->correlation(), "sess-789");
    EXPECT_EQ(send.priority, Priority::Normal);
    EXPECT_EQ(send.timeout, Duration{15000});
    EXPECT_EQ(send.envelope->body(), kNpvRequest);
}

TEST(Kessel, K1_AsksForEveryRequiredFieldAtOnce) {
    const Rejection rejection =
        rejection_of(R"({"correlation_id":"wf"})", {.dialect = Dialect::Kessel});
    EXPECT_EQ(rejection.refusal, Refusal::InputValidationFailed);
    EXPECT_EQ(
        pointers(rejection),
        (Pointers{
            "/source_agent", "/target_agent", "/capability_code", "/request_id", "/inputs_json"}));
    EXPECT_EQ(rejection.problems[4].rule, "is missing; must be an object");
    EXPECT_EQ(rejection.problems[4].section, "Inter-Agent Request Format");
    // The hub supplies the caller and a fresh id.
    EXPECT_EQ(pointers(rejection_of(R"({"inputs_json":{}})")),
              (Pointers{"/target_agent", "/capability_code"}));
}

TEST(Kessel, K2_FillsInTheDefaultsOfTheContract) {
    const SendMessage send =
        read(R"({"target_agent":"DOC","capability_code":"DOC_GENERATE","inputs_json":{}})");
    EXPECT_EQ(send.priority, Priority::Normal);
    EXPECT_EQ(send.timeout, Duration{30000});
    const auto body = send.envelope->body();
    EXPECT_EQ(at(body, {"priority"}), R"("NORMAL")");
    EXPECT_EQ(at(body, {"timeout_ms"}), "30000");
    EXPECT_EQ(at(body, {"source_agent"}), R"("caller")");
    EXPECT_EQ(at(body, {"request_id"}), R"("11111111-1111-4111-8111-111111111111")");
    EXPECT_EQ(at(body, {"context"}), "");
}

TEST(Kessel, K2_HoldsPriorityAndTimeToTheirWordsAndBounds) {
    const std::pair<const char*, Priority> words[] = {
        {"HIGH", Priority::High}, {"NORMAL", Priority::Normal}, {"LOW", Priority::Low}};
    for (const auto& [word, priority] : words) {
        EXPECT_EQ(read(with(kNpvRequest, "NORMAL", word)).priority, priority);
    }
    const Rejection rejection =
        rejection_of(with(with(kNpvRequest, "NORMAL", "urgent"), ":15000", ":0"));
    EXPECT_EQ(pointers(rejection), (Pointers{"/priority", "/timeout_ms"}));
    EXPECT_EQ(rejection.problems[0].rule, "must be HIGH, NORMAL or LOW");
    EXPECT_EQ(rejection.problems[0].value, R"("urgent")");
    EXPECT_EQ(rejection.problems[1].rule, "must be a whole number, 1 or more");
    EXPECT_EQ(rejection.id, "sess-789-20250118-143022");
    EXPECT_EQ(rejection.from, "CST");
}

TEST(Kessel, K3_ARequestIdIsAUuidOrASessionAndATime) {
    const auto reads = [](std::string_view id) {
        return read_message(with(kNpvRequest, "sess-789-20250118-143022", id), kKnown).has_value();
    };
    for (const char* good : {"550e8400-e29b-41d4-a716-446655440000",
                             "abc123-20250118-143022",
                             "sess_1692633612",
                             "s-20250118143022"}) {
        EXPECT_TRUE(reads(good)) << good;
    }
    for (const char* bad : {"",
                            "7",
                            "sess-789",
                            "-20250118-143022",
                            "sess 789-20250118-143022",
                            "sess-2025011-143022"}) {
        EXPECT_FALSE(reads(bad)) << bad;
    }
}

TEST(Kessel, K3_D4_TheSameRequestAgainHasTheSameFingerprint) {
    const auto fingerprint = [](std::string_view text) { return read(text).fingerprint; };
    EXPECT_EQ(fingerprint(kNpvRequest), fingerprint(with(kNpvRequest, "143022", "143023")));
    EXPECT_NE(fingerprint(kNpvRequest), fingerprint(with(kNpvRequest, "0.12", "0.13")));
    EXPECT_NE(fingerprint(kNpvRequest), fingerprint(with(kNpvRequest, "ANL_NPV", "ANL_IRR")));
}

TEST(Kessel, K4_ReadsTheThreeResponsesOfTheContract) {
    const std::string npv = std::to_string(std::round(net_present_value() * 100) / 100);
    ASSERT_EQ(npv.substr(0, 8), "17206.82");
    const SendMessage success = read(
        R"({"request_id":"sess-789-20250118-143022","status":"SUCCESS","confidence_level":"HIGH",)"
        R"("result_json":{"npv":)" +
        npv + R"(,"currency":"USD","discount_rate":0.12,"periods":5},)" +
        R"("metadata":{"processing_time_ms":245,"capability_version":1.0}})");
    EXPECT_EQ(success.envelope->intent(), Intent::Reply);
    EXPECT_EQ(success.envelope->answers(), "sess-789-20250118-143022");
    EXPECT_EQ(success.envelope->from(), "caller");
    EXPECT_TRUE(is_uuid(success.envelope->id()));

    read(R"({"request_id":"sess-789-20250118-143044","status":"PARTIAL","confidence_level":"MEDIUM",
             "result_json":{"market_size":4200000000,"growth_rate":0.15,
               "top_competitors":["Competitor A","Competitor B","Competitor C"],"market_share":null},
             "warnings":["Market share data unavailable from primary source",
                         "Growth rate based on 2023 data"]})");
    read(R"({"request_id":"sess-789-20250118-143105","status":"ERROR",
             "error_code":"INPUT_VALIDATION_FAILED","error_message":"Cash flows array must contain at least two values",
             "result_json":null})");
}

TEST(Kessel, K4_HoldsAResponseToWhatItsStatusDemands) {
    const auto problems = [](std::string_view rest) {
        return pointers(
            rejection_of(R"({"request_id":"sess-1-20250118-143022",)" + std::string{rest} + "}"));
    };
    EXPECT_EQ(problems(R"("status":"DONE","result_json":{})"), (Pointers{"/status"}));
    EXPECT_EQ(problems(R"("status":"SUCCESS")"), (Pointers{"/result_json", "/confidence_level"}));
    EXPECT_EQ(problems(R"("status":"SUCCESS","result_json":{},"confidence_level":"SURE")"),
              (Pointers{"/confidence_level"}));
    EXPECT_EQ(problems(R"("status":"PARTIAL","result_json":{},"confidence_level":"LOW")"),
              (Pointers{"/warnings"}));
    EXPECT_EQ(
        problems(R"("status":"PARTIAL","result_json":{},"confidence_level":"LOW","warnings":[])"),
        (Pointers{"/warnings"}));
    EXPECT_EQ(problems(R"("status":"ERROR","result_json":{"npv":1})"),
              (Pointers{"/result_json", "/error_code", "/error_message"}));
    read(R"({"request_id":"sess-1-20250118-143022","status":"TIMEOUT","result_json":{"half":1}})");
}

TEST(Kessel, K5_AnErrorCodeIsACategoryAndASpecificError) {
    const auto reads = [](std::string_view code) {
        return read_message(
                   R"({"request_id":"sess-1-20250118-143022","status":"ERROR","error_message":"m",)"
                   R"("error_code":")" +
                       std::string{code} + "\"}",
                   {.dialect = Dialect::Kessel, .caller = "ANL"})
            .has_value();
    };
    EXPECT_TRUE(reads("DATA_MISSING_REQUIRED_INPUT"));
    EXPECT_TRUE(reads("LLM_429"));
    for (const char* bad : {"", "oops", "DATA", "DATA_", "_DATA", "DATA__X", "data_missing"}) {
        EXPECT_FALSE(reads(bad)) << bad;
    }
    const Rejection rejection = rejection_of(
        R"({"request_id":"sess-1-20250118-143022","status":"PARTIAL","confidence_level":"LOW",
            "result_json":{},"warnings":["a",7],"metadata":{"processing_time_ms":"long"}})");
    EXPECT_EQ(pointers(rejection), (Pointers{"/warnings/1", "/metadata/processing_time_ms"}));
}

constexpr std::string_view kHandoff =
    R"({"session_id":"sess-789","original_request":"Help me build a business case for market entry",)"
    R"x("workflow_position":"Step 3 of 5 (Financial Analysis)","prior_agents":["ORC","CST"],)x"
    R"("prior_outputs":{"cst_framework":"market_entry_assessment",)"
    R"("cst_scenarios":["conservative","base","aggressive"]},)"
    R"("constraints":{"budget_range":[1000000,5000000],"timeline":"18_months",)"
    R"("risk_tolerance":"moderate"}})";

TEST(Kessel, K10_ReadsTheHandoffContextOfTheContract) {
    EXPECT_EQ(check_object(Dialect::Kessel, "HANDOFF CONTEXT", kHandoff).size(), 0U);
    // Sent alone, the handoff must name its recipient.
    EXPECT_EQ(pointers(rejection_of(kHandoff)), (Pointers{"/target_agent"}));
    const SendMessage send = read(with(kHandoff, "{", R"({"target_agent":"ANL",)"));
    EXPECT_EQ(send.envelope->type(), "HANDOFF CONTEXT");
    EXPECT_EQ(send.envelope->intent(), Intent::OneWay);
    EXPECT_EQ(send.envelope->correlation(), "sess-789");
    EXPECT_EQ(
        pointers(check_object(
            Dialect::Kessel, "HANDOFF CONTEXT", R"({"prior_agents":["ORC",1],"constraints":[]})")),
        (Pointers{"/session_id", "/original_request", "/prior_agents/1", "/constraints"}));
}

TEST(Kessel, K10_RefusesAHandoffThatLostMandatoryContext) {
    const std::string whole = with(kHandoff, "{", R"({"target_agent":"ANL",)");
    const Rejection session = rejection_of(with(whole, R"("session_id":"sess-789",)", ""));
    EXPECT_EQ(session.refusal, Refusal::HandoffContextIncomplete);
    EXPECT_EQ(pointers(session), (Pointers{"/session_id"}));
    const Rejection request = rejection_of(
        with(whole, R"("original_request":"Help me build a business case for market entry",)", ""));
    EXPECT_EQ(request.refusal, Refusal::HandoffContextIncomplete);
    EXPECT_EQ(pointers(request), (Pointers{"/original_request"}));
    EXPECT_EQ(rejection_of(with(whole, R"("sess-789")", "7")).refusal,
              Refusal::InputValidationFailed);
    // An empty value is lost context too.
    const Rejection empty = rejection_of(with(whole, R"("sess-789")", R"("")"));
    EXPECT_EQ(empty.refusal, Refusal::HandoffContextIncomplete);
    EXPECT_EQ(empty.summary(),
              R"(/session_id must be a string that is not empty, not "" )"
              R"((Context Preservation Requirements))");
}

TEST(Kessel, K12_ReadsTheIntentClassificationOfTheContract) {
    constexpr std::string_view kIntent =
        R"({"primary_intent":"financial_projection","intent_confidence":0.85,"target_agent":"ANL",
            "target_capability":"ANL_PROJECTION","secondary_intents":["document_generation"],
            "secondary_targets":[{"agent":"DOC","capability":"DOC_GENERATE"}]})";
    EXPECT_EQ(check_object(Dialect::Kessel, "INTENT CLASSIFICATION", kIntent).size(), 0U);
    EXPECT_EQ(pointers(check_object(Dialect::Kessel,
                                    "INTENT CLASSIFICATION",
                                    with(with(kIntent, "0.85", "1.2"), R"("agent":"DOC",)", ""))),
              (Pointers{"/intent_confidence", "/secondary_targets/0/agent"}));
    EXPECT_EQ(read(with(kIntent, "{", R"({"recipient_agent":"ORC",)")).envelope->to(), "ORC");
}

TEST(KesselReply, K4_EchoesTheRequestAndIsCompleted) {
    const EnvelopePtr request = read(kNpvRequest).envelope;
    const Reception answering{.caller = "ANL", .fresh_id = "f-1", .now = kNoon};
    const auto whole = read_reply(
        R"({"status":"SUCCESS","result_json":{"npv":17206.82},"confidence_level":"HIGH"})",
        *request,
        answering);
    ASSERT_TRUE(whole) << whole.error().summary();
    EXPECT_EQ(at(whole->envelope->body(), {"request_id"}), R"("sess-789-20250118-143022")");
    EXPECT_EQ(whole->envelope->answers(), "sess-789-20250118-143022");
    EXPECT_EQ(whole->envelope->from(), "ANL");
    EXPECT_EQ(whole->envelope->to(), "CST");
    EXPECT_EQ(whole->envelope->correlation(), "sess-789");

    const auto bare = read_reply(R"({"npv":17206.82})", *request, answering);
    ASSERT_TRUE(bare) << bare.error().summary();
    EXPECT_EQ(at(bare->envelope->body(), {"result_json"}), R"({"npv":17206.82})");
    EXPECT_EQ(at(bare->envelope->body(), {"status"}), R"("SUCCESS")");

    const auto anothers = read_reply(
        R"({"source_agent":"EVE","status":"SUCCESS","result_json":{}})", *request, answering);
    ASSERT_FALSE(anothers);
    EXPECT_EQ(anothers.error().refusal, Refusal::IdentityMismatch);
}

TEST(KesselReply, W3_IsShownWithTheWorkflowFromItsHeader) {
    const SendMessage said =
        read(R"({"request_id":"sess-1-20250118-143022","status":"TIMEOUT","result_json":{}})");
    Header header = said.envelope->header();
    header.correlation = "wf-9";
    const auto envelope = Envelope::make(header, said.envelope->body());
    EXPECT_EQ(at(with_defaults(*envelope, kNoon), {"correlation_id"}), R"("wf-9")");
    EXPECT_EQ(with_defaults(*read(kNpvRequest).envelope, kNoon), "");
}

TEST(KesselReply, K5_IsRefusedToTheAgentThatBrokeTheRules) {
    const EnvelopePtr request = read(kNpvRequest).envelope;
    const Reception answering{.caller = "ANL", .fresh_id = "f-1", .now = kNoon};
    const auto refused = read_reply(
        R"({"request_id":"sess-1-20250118-143022","status":"ERROR"})", *request, answering);
    ASSERT_FALSE(refused);
    EXPECT_EQ(pointers(refused.error()),
              (Pointers{"/error_code", "/error_message", "/request_id"}));
    EXPECT_FALSE(read_reply(kNpvRequest, *request, answering));
}

TEST(KesselHub, K5_K20_SaysFailureAndTimeoutAsTheContractDoes) {
    const EnvelopePtr request = read(kNpvRequest).envelope;
    const std::string timeout = write_failure(*request, Refusal::RequestTimedOut, "15 s", kNoon);
    EXPECT_EQ(at(timeout, {"status"}), R"("TIMEOUT")");
    EXPECT_EQ(at(timeout, {"result_json"}), "null") << "a required field of every response";
    EXPECT_EQ(at(timeout, {"request_id"}), R"("sess-789-20250118-143022")");
    EXPECT_EQ(read(timeout).envelope->to(), "CST");
    const std::string refusal = write_refusal(Dialect::Kessel,
                                              "sess-1-20250118-143022",
                                              "CST",
                                              Refusal::InputValidationFailed,
                                              "/x",
                                              kNoon);
    EXPECT_EQ(at(refusal, {"status"}), R"("ERROR")");
    EXPECT_EQ(at(refusal, {"error_code"}), R"("INPUT_VALIDATION_FAILED")");
    EXPECT_EQ(at(refusal, {"error_message"}),
              R"("/x. Correct the named field and send the message again.")");
    EXPECT_EQ(at(refusal, {"result_json"}), "null");
    read(refusal);
}

}  // namespace
}  // namespace parlance::dialects
