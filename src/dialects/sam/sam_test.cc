#include "dialects/sam/sam.h"

#include "dialects/sam/tables.h"
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

// The message of section 1.2, with its "..." filled in.
constexpr std::string_view kRequest =
    R"({"message_id":"msg-uuid-1234","correlation_id":"corr-uuid-5678",)"
    R"("timestamp":"2025-11-23T10:00:00Z",)"
    R"("sender":{"agent_id":"vendor_onboarding_agent","role":"initiator"},)"
    R"("recipient":{"agent_id":"compliance_agent","role":"validator"},"message_type":"REQUEST",)"
    R"("payload":{"action":"validate_vendor","data":{"tax_id":"12"},"context":{"a":1}},)"
    R"("metadata":{"priority":"high","timeout_ms":5000}})";

constexpr std::string_view kError =
    R"({"message_type":"ERROR","error":{"code":"VALIDATION_FAILED",)"
    R"("message":"Tax ID format is invalid","source":"compliance_agent","severity":"CRITICAL",)"
    R"("retryable":false}})";

TEST(Sam, S3_ReadsTheEnvelopeAndKeepsItsBytes) {
    const SendMessage send = read(kRequest);
    EXPECT_EQ(send.envelope->dialect(), Dialect::Sam);
    EXPECT_EQ(send.envelope->intent(), Intent::Request);
    EXPECT_EQ(send.envelope->type(), "REQUEST");
    EXPECT_EQ(send.envelope->id(), "msg-uuid-1234");
    EXPECT_EQ(send.envelope->from(), "vendor_onboarding_agent");
    EXPECT_EQ(send.envelope->to(), "compliance_agent");
    EXPECT_EQ(send.envelope->correlation(), "corr-uuid-5678");
    EXPECT_EQ(send.priority, Priority::High);
    EXPECT_EQ(send.timeout, Duration{5000});
    EXPECT_EQ(send.envelope->body(), kRequest);
}

TEST(Sam, S3_KnowsTheFourTypes) {
    const std::pair<const char*, Intent> types[] = {
        {"REQUEST", Intent::Request}, {"RESPONSE", Intent::Reply}, {"EVENT", Intent::OneWay}};
    for (const auto& [type, intent] : types) {
        EXPECT_EQ(read(with(kRequest, "REQUEST", type)).envelope->intent(), intent);
    }
    EXPECT_EQ(pointers(rejection_of(with(kRequest, "REQUEST", "QUESTION"))),
              (Pointers{"/message_type"}));
    EXPECT_EQ(pointers(rejection_of(with(kRequest, R"("message_type":"REQUEST",)", ""))),
              (Pointers{"/message_type"}));
}

TEST(Sam, S3_LetsTheHubSupplyIdTimeAndSender) {
    const SendMessage send =
        read(R"({"recipient":{"agent_id":"b"},"message_type":"EVENT","payload":{"action":"x"}})");
    const auto body = send.envelope->body();
    EXPECT_EQ(at(body, {"sender"}), R"({"agent_id":"caller"})");
    EXPECT_EQ(at(body, {"message_id"}), R"("11111111-1111-4111-8111-111111111111")");
    EXPECT_EQ(at(body, {"timestamp"}), R"("2025-11-23T12:00:00.000Z")");
    EXPECT_EQ(send.envelope->from(), "caller");
    EXPECT_EQ(send.priority, Priority::Normal);
}

TEST(Sam, S3_ReportsAllProblemsAtOnce) {
    const Rejection rejection = rejection_of(
        R"({"message_id":"a b","timestamp":"later","sender":{"agent_id":7},"recipient":{},
            "message_type":"REQUEST","payload":{"data":1},"metadata":{"priority":"urgent",
            "timeout_ms":-1}})");
    EXPECT_EQ(pointers(rejection),
              (Pointers{"/message_id",
                        "/timestamp",
                        "/sender/agent_id",
                        "/recipient/agent_id",
                        "/payload/action",
                        "/metadata/priority",
                        "/metadata/timeout_ms"}));
    EXPECT_EQ(rejection.problems[5].rule, "must be critical, high, normal or low");
    EXPECT_EQ(rejection.problems[5].section, "1.2 Message Protocol");
    EXPECT_EQ(pointers(rejection_of(R"({"recipient":{"agent_id":"b"},"message_type":"RESPONSE"})")),
              (Pointers{"/payload"}));
}

TEST(Sam, S3_APayloadIsAnObject) {
    const auto wrong = [](std::string_view type, std::string_view payload) {
        return rejection_of(R"({"recipient":{"agent_id":"b"},"message_type":")" +
                            std::string{type} + R"(","payload":)" + std::string{payload} + "}");
    };
    for (const auto* const type : {"REQUEST", "RESPONSE", "EVENT"}) {
        for (const auto* const payload : {"null", R"("x")", "5", "[]", "true"}) {
            const Rejection rejection = wrong(type, payload);
            EXPECT_EQ(pointers(rejection), (Pointers{"/payload"})) << type << payload;
            EXPECT_NE(rejection.summary().find("an object with action, data and context"),
                      std::string::npos)
                << rejection.summary();
        }
    }
    read(R"({"recipient":{"agent_id":"b"},"message_type":"ERROR","payload":null,)"
         R"("error":{"code":"X","message":"y"}})");
}

TEST(Sam, S6_ReadsTheContextObject) {
    constexpr std::string_view kContext =
        R"({"workflow_id":"wf-101","status":"IN_PROGRESS","current_agent":"compliance_agent",
            "entities":{"vendor":{"id":"v-123","name":"Acme Corp","status":"pending_validation"},
                        "requisition":null},
            "history":[{"agent":"vendor_agent","action":"collected_data",
                        "timestamp":"2025-11-23T10:00:00Z"}],
            "artifacts":[{"type":"document","url":"s3://bucket/x"}]})";
    EXPECT_EQ(check_object(Dialect::Sam, "Global Context", kContext).size(), 0U);
    EXPECT_EQ(
        pointers(check_object(Dialect::Sam,
                              "Global Context",
                              R"({"workflow_id":"wf 1","entities":[],"history":[{"agent":"a"}],)"
                              R"("artifacts":[{"url":1}]})")),
        (Pointers{"/workflow_id",
                  "/status",
                  "/entities",
                  "/history/0/action",
                  "/artifacts/0/type",
                  "/artifacts/0/url"}));
    EXPECT_EQ(check_object(Dialect::Sam, "Local Context", "{}").size(), 1U);
}

TEST(Sam, S10_ReadsTheErrorFormWithAndWithoutItsEnvelope) {
    EXPECT_EQ(check_object(Dialect::Sam, "error", at(kError, {"error"})).size(), 0U);
    // Recognised by its type; a message must also name a recipient.
    EXPECT_EQ(pointers(rejection_of(kError)), (Pointers{"/recipient"}));
    const SendMessage send =
        read(with(kError, "{", R"({"recipient":{"agent_id":"orchestrator"},)"));
    EXPECT_EQ(send.envelope->type(), "ERROR");
    EXPECT_EQ(send.envelope->intent(), Intent::Reply);
    EXPECT_EQ(send.priority, Priority::High);
    EXPECT_EQ(pointers(rejection_of(R"({"recipient":{"agent_id":"o"},"message_type":"ERROR",)"
                                    R"("error":{"severity":1,"retryable":"no"}})")),
              (Pointers{"/error/code", "/error/message", "/error/severity", "/error/retryable"}));
    EXPECT_EQ(pointers(rejection_of(R"({"recipient":{"agent_id":"o"},"message_type":"ERROR"})")),
              (Pointers{"/error"}));
}

TEST(Sam, S10_FillsInMissingErrorMembersAndRefusesUnknownSeverities) {
    constexpr std::string_view kShort =
        R"({"recipient":{"agent_id":"o"},"sender":{"agent_id":"a"},"message_type":"ERROR",)"
        R"("error":{"code":"X","message":"y"}})";
    const SendMessage send = read(kShort);
    EXPECT_EQ(at(send.envelope->body(), {"error", "source"}), R"("a")");
    EXPECT_EQ(at(send.envelope->body(), {"error", "severity"}), R"("HIGH")");
    EXPECT_EQ(at(send.envelope->body(), {"error", "retryable"}), "false");
    const Rejection bad = rejection_of(with(kShort, R"("y")", R"("y","severity":"BAD")"));
    EXPECT_EQ(pointers(bad), (Pointers{"/error/severity"}));
    EXPECT_EQ(bad.problems[0].rule, "must be LOW, MEDIUM, HIGH or CRITICAL");
}

TEST(SamReply, S3_IsCompletedFromItsRequest) {
    const EnvelopePtr request = read(kRequest).envelope;
    const Reception answering{.caller = "compliance_agent", .fresh_id = "msg-2", .now = kNoon};
    const auto reply = read_reply(
        R"({"message_type":"RESPONSE","payload":{"data":{"ok":true}}})", *request, answering);
    ASSERT_TRUE(reply) << reply.error().summary();
    const auto body = reply->envelope->body();
    EXPECT_EQ(at(body, {"correlation_id"}), R"("corr-uuid-5678")");
    EXPECT_EQ(at(body, {"in_reply_to"}), R"("msg-uuid-1234")");
    EXPECT_EQ(at(body, {"recipient", "agent_id"}), R"("vendor_onboarding_agent")");
    EXPECT_EQ(reply->envelope->answers(), "msg-uuid-1234");
    const auto bare = read_reply(R"({"ok":true})", *request, answering);
    ASSERT_TRUE(bare) << bare.error().summary();
    EXPECT_EQ(at(bare->envelope->body(), {"payload"}), R"({"data":{"ok":true}})");
    const auto wrong =
        read_reply(R"({"message_type":"RESPONSE","payload":{},"correlation_id":"other"})",
                   *request,
                   answering);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().refusal, Refusal::InputValidationFailed);
    EXPECT_EQ(pointers(wrong.error()), (Pointers{"/correlation_id"}));
    const auto anothers =
        read_reply(R"({"message_type":"RESPONSE","payload":{},"sender":{"agent_id":"eve"}})",
                   *request,
                   answering);
    ASSERT_FALSE(anothers);
    EXPECT_EQ(anothers.error().refusal, Refusal::IdentityMismatch);
}

TEST(SamHub, S10_RefusesInTheErrorForm) {
    const std::string text = write_refusal(
        Dialect::Sam, "msg-1", "buyer", Refusal::InputValidationFailed, "/payload", kNoon);
    EXPECT_EQ(
        at(text, {"error"}),
        R"({"code":"INPUT_VALIDATION_FAILED","message":"/payload. Correct the named field and )"
        R"(send the message again.","source":"parlance","severity":"HIGH","retryable":false})");
    EXPECT_EQ(read(text).envelope->to(), "buyer");
}

}  // namespace
}  // namespace parlance::dialects
