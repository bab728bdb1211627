#include "dialects/delegation/delegation.h"

#include "base/sha256.h"
#include "dialects/delegation/tables.h"
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

// The document's simple delegation, with its generated values filled in.
constexpr std::string_view kRequest =
    R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"prime-boss",)"
    R"("target_employee":"byte-doc","user_id":"user-1","parent_session_id":"prime-session",)"
    R"("objective":"Extract receipt data",)"
    R"("input":"User uploaded receipt.jpg - extract all fields",)"
    R"("constraints":{"max_tokens":1200,"max_depth":2,"deadline_ms":15000},)"
    R"("context_hints":["receipt","ocr"],"handoff_data":{}})";

constexpr std::string_view kResponse =
    R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","target_employee":"byte-doc",)"
    R"("summary":"Read one receipt.","result":"Total 12.30",)"
    R"("artifacts":[{"type":"json","value":{"total":12.30},"label":"receipt"},)"
    R"({"type":"table","value":[[1]]},{"type":"url","value":"x"},{"type":"id","value":1},)"
    R"({"type":"file","value":null}],"new_facts":["shops at Acme"],)"
    R"("used_sources":[{"owner_scope":"user","source_id":"doc-1","relevance":0.9}],)"
    R"("token_usage":{"prompt":100,"completion":20,"total":120},"duration_ms":812,)"
    R"("child_session_id":"child-1","confidence":87,"requires_followup":false,)"
    R"("status":"success"})";

TEST(Delegation, X1_ReadsTheRequestEnvelope) {
    const SendMessage send = read(kRequest);
    EXPECT_EQ(send.envelope->dialect(), Dialect::Delegation);
    EXPECT_EQ(send.envelope->intent(), Intent::Request);
    EXPECT_EQ(send.envelope->id(), "550e8400-e29b-41d4-a716-446655440000");
    EXPECT_EQ(send.envelope->from(), "prime-boss");
    EXPECT_EQ(send.envelope->to(), "byte-doc");
    EXPECT_EQ(send.envelope->correlation(), "prime-session");
    EXPECT_EQ(send.timeout, Duration{15000});
    // Unchanged, with the session that the hub adds at the front (X3).
    const std::string_view body = send.envelope->body();
    EXPECT_EQ(body.substr(body.find(R"("request_id")")), kRequest.substr(1));
}

TEST(Delegation, X1_ARequestIdIsAUuidOfTheFourthVersion) {
    const auto foreign = testing::with(kRequest, "a716", "c716");
    EXPECT_EQ(pointers(rejection_of(foreign)), (Pointers{"/request_id"})) << "another variant";
}

TEST(Delegation, X2_TheRelevanceOfASourceIsAnyNumber) {
    for (const char* relevance : {"-1", "0", "-0.5", "17"}) {
        read(testing::with(
            kResponse, R"("relevance":0.9)", R"("relevance":)" + std::string{relevance}));
    }
}

TEST(Delegation, X3_AMissingSessionIsMadeAndReturned) {
    const SendMessage send = read(kRequest);
    const std::string session = at(send.envelope->body(), {"child_session_id"});
    EXPECT_EQ(session.size(), 38U) << session;
    EXPECT_EQ(at(read(kRequest).envelope->body(), {"child_session_id"}), session)
        << "a repeat has the same";
    const auto answered =
        read_reply(R"({"result":"Total 12.30","summary":"","status":"success",)"
                   R"("token_usage":{"prompt":350,"completion":120,"total":470}})",
                   *send.envelope,
                   {.caller = "byte-doc"});
    ASSERT_TRUE(answered) << answered.error().summary();
    EXPECT_EQ(at(answered->envelope->body(), {"child_session_id"}), session);
    EXPECT_EQ(answered->tokens_used, 470U) << "350 and 120";
}

TEST(Delegation, X3_TheHubsOwnAnswerNamesTheSessionOfTheWork) {
    const SendMessage send = read(kRequest);
    const std::string session = at(send.envelope->body(), {"child_session_id"});
    for (const auto refusal : {Refusal::RequestTimedOut, Refusal::RequestCancelled}) {
        const auto own = write_failure(*send.envelope, refusal, "too late", kNoon);
        EXPECT_EQ(at(own, {"child_session_id"}), session);
        const auto taskwire =
            write_failure(*send.envelope, refusal, "too late", kNoon, Dialect::Taskwire);
        EXPECT_EQ(at(taskwire, {"payload", "child_session_id"}), session);
        const auto sam = write_failure(*send.envelope, refusal, "too late", kNoon, Dialect::Sam);
        EXPECT_EQ(at(sam, {"child_session_id"}), session);
    }
}

TEST(Delegation, X16_AnAnswerSaysWhetherTheRequestIsFullyDone) {
    const SendMessage send = read(kRequest);
    for (const std::string status : {"success", "partial", "failed"}) {
        const auto answered =
            read_reply(R"({"result":"r","summary":"s","status":")" + status +
                           R"(","token_usage":{"prompt":1,"completion":1,"total":2}})",
                       *send.envelope,
                       {.caller = "byte-doc"});
        ASSERT_TRUE(answered) << answered.error().summary();
        EXPECT_EQ(answered->falls_short, status != "success") << status;
    }
}

TEST(Delegation, K21_AnswersAreClassedAsDoneDeclinedOrFailed) {
    const SendMessage send = read(kRequest);
    const auto kind = [&](std::string_view more) {
        const auto answered =
            read_reply(R"({"result":"r","summary":"s",)" + std::string{more} +
                           R"(,"token_usage":{"prompt":1,"completion":1,"total":2}})",
                       *send.envelope,
                       {.caller = "byte-doc"});
        EXPECT_TRUE(answered) << more;
        return answered ? answered->kind : AnswerKind::Done;
    };
    EXPECT_EQ(kind(R"("status":"success")"), AnswerKind::Done);
    EXPECT_EQ(kind(R"("status":"partial")"), AnswerKind::Done);
    EXPECT_EQ(kind(R"("status":"failed")"), AnswerKind::Failed);
    EXPECT_EQ(kind(R"("status":"failed","error":"the model is not there")"), AnswerKind::Failed);
    EXPECT_EQ(kind(R"("status":"failed","error":"I cannot read this receipt")"),
              AnswerKind::Declined);
    EXPECT_EQ(kind(R"("status":"failed","error":"x","error_code":"INPUT_VALIDATION_FAILED")"),
              AnswerKind::Declined);
    EXPECT_EQ(kind(R"("status":"failed","error":"Timeout: my time was over")"), AnswerKind::Failed);
    EXPECT_EQ(kind(R"("status":"failed","error":"x","error_code":"TIMEOUT")"), AnswerKind::Failed);
}

TEST(Delegation, K21_G5_TextQuotedFromARequestDoesNotCountAgainstTheAgent) {
    const SendMessage send = read(kRequest);
    const auto answered = read_reply(
        R"({"result":"r","summary":"s","status":"failed","error":"Timeout: as I was sent",)"
        R"("error_code":"INPUT_VALIDATION_FAILED",)"
        R"("token_usage":{"prompt":1,"completion":1,"total":2}})",
        *send.envelope,
        {.caller = "byte-doc"});
    ASSERT_TRUE(answered);
    EXPECT_EQ(answered->kind, AnswerKind::Declined) << "its code says how it failed";
}

TEST(Delegation, X4_X8_ARequestClaimsItsPlaceInTheTree) {
    const SendMessage send = read(kRequest);
    ASSERT_TRUE(send.claim);
    const Claim& claim = *send.claim;
    EXPECT_TRUE(claim.has_session);
    EXPECT_EQ(claim.user, "user-1");
    EXPECT_EQ(claim.session, "prime-session");
    EXPECT_EQ(claim.objective, "Extract receipt data");
    EXPECT_EQ(claim.depth_max, 2U);
    EXPECT_EQ(claim.tokens_max, 1200U);
    EXPECT_EQ(claim.objective_hash, to_hex(sha256("extract receipt data")));
}

TEST(Delegation, X1_FillsInTheDefaults) {
    const SendMessage none = read(
        R"({"target_employee":"byte-doc","user_id":"u","parent_session_id":"s","objective":"o",)"
        R"("input":"i"})");
    EXPECT_EQ(at(none.envelope->body(), {"constraints"}),
              R"({"max_tokens":1200,"max_depth":2,"deadline_ms":15000})");
    EXPECT_EQ(at(none.envelope->body(), {"context_hints"}), "[]");
    EXPECT_EQ(at(none.envelope->body(), {"handoff_data"}), "{}");
    EXPECT_EQ(at(none.envelope->body(), {"origin_employee"}), R"("caller")");
    EXPECT_EQ(none.timeout, Duration{15000});

    const SendMessage some = read(with(kRequest,
                                       R"({"max_tokens":1200,"max_depth":2,"deadline_ms":15000})",
                                       R"({"max_depth":1})"));
    EXPECT_EQ(at(some.envelope->body(), {"constraints", "max_tokens"}), "1200");
    EXPECT_EQ(at(some.envelope->body(), {"constraints", "max_depth"}), "1");
    EXPECT_EQ(at(some.envelope->body(), {"constraints", "deadline_ms"}), "15000");
}

TEST(Delegation, X1_ReportsAllProblemsAtOnce) {
    const Rejection rejection = rejection_of(
        R"({"request_id":"req-1","origin_employee":"prime-boss","objective":7,
            "constraints":{"deadline_ms":0},"context_hints":["a",1],
            "handoff_data":{"references":[{"owner_scope":"user"}],"facts":"none"},
            "current_depth":-1,"created_at":"now"})");
    EXPECT_EQ(pointers(rejection),
              (Pointers{"/request_id",
                        "/target_employee",
                        "/user_id",
                        "/parent_session_id",
                        "/objective",
                        "/input",
                        "/constraints/deadline_ms",
                        "/context_hints/1",
                        "/handoff_data/facts",
                        "/handoff_data/references/0/source_id",
                        "/current_depth",
                        "/created_at"}));
    EXPECT_EQ(rejection.problems[0].rule,
              "must be a UUID v4, such as 550e8400-e29b-41d4-a716-446655440000");
    EXPECT_EQ(rejection.problems[9].section, "Request Envelope");
    // Version 1, not 4.
    EXPECT_EQ(pointers(rejection_of(with(kRequest, "41d4", "11d4"))), (Pointers{"/request_id"}));
}

TEST(Delegation, X2_ReadsTheResponseEnvelope) {
    const SendMessage send = read(kResponse);
    EXPECT_EQ(send.envelope->intent(), Intent::Reply);
    EXPECT_EQ(send.envelope->answers(), "550e8400-e29b-41d4-a716-446655440000");
    EXPECT_EQ(send.envelope->from(), "byte-doc");
    EXPECT_EQ(send.envelope->body(), kResponse);
}

TEST(Delegation, X2_HoldsTheResponseToItsWordsAndBounds) {
    EXPECT_EQ(pointers(rejection_of(with(kResponse, R"("type":"table")", R"("type":"chart")"))),
              (Pointers{"/artifacts/1/type"}));
    EXPECT_EQ(pointers(rejection_of(with(kResponse, ":87", ":101"))), (Pointers{"/confidence"}));
    EXPECT_EQ(pointers(rejection_of(with(kResponse, R"("success")", R"("done")"))),
              (Pointers{"/status"}));
    const Rejection sum = rejection_of(with(kResponse, "120}", "121}"));
    EXPECT_EQ(pointers(sum), (Pointers{"/token_usage/total"}));
    EXPECT_EQ(sum.problems[0].rule, "must be prompt and completion together, 120");
    for (const char* status : {"success", "partial", "failed"}) {
        read(with(kResponse, R"("success")", '"' + std::string{status} + '"'));
    }
}

TEST(Delegation, X12_AHeaderMustNotContradictTheBody) {
    const auto headers = [](std::string_view depth, std::string_view origin) {
        return [=](std::string_view name) -> std::string_view {
            if (name == "X-Agent-Depth") return depth;
            if (name == "X-Agent-Origin") return origin;
            return {};
        };
    };
    const std::string request = with(kRequest, "{", R"({"current_depth":1,)");
    using delegation::check_headers;
    EXPECT_EQ(check_headers(json::root(request), headers("1", "prime-boss")).size(), 0U);
    EXPECT_EQ(check_headers(json::root(request), headers("", "")).size(), 0U);
    EXPECT_EQ(pointers(check_headers(json::root(request), headers("2", "tag-ai"))),
              (Pointers{"/origin_employee", "/current_depth"}));
    EXPECT_EQ(delegation::kHeaders.size(), 4U);
}

TEST(Delegation, X12_HeadersSupplyMissingMembers) {
    const auto header = [](std::string_view name) -> std::string_view {
        if (name == "X-Agent-Request-ID") return "550e8400-e29b-41d4-a716-446655440000";
        if (name == "X-Agent-Origin") return "prime-boss";
        if (name == "X-Agent-Depth") return "1";
        return {};
    };
    const std::string text = delegation::with_headers(
        json::root(R"({"origin_employee":"tag-ai","request_id":null,"input":"i"})"), header);
    EXPECT_EQ(at(text, {"request_id"}), R"("550e8400-e29b-41d4-a716-446655440000")");
    EXPECT_EQ(at(text, {"origin_employee"}), R"("tag-ai")") << "its own word stays";
    EXPECT_EQ(at(text, {"current_depth"}), "1");
    EXPECT_FALSE(json::find(json::root(text), "parent_session_id"));
    const auto odd = [](std::string_view name) -> std::string_view {
        return name == "X-Agent-Depth" ? "1,\"x\":2" : "";
    };
    EXPECT_TRUE(json::check(delegation::with_headers(json::root("{}"), odd)));
}

TEST(Delegation, X17_ReadsTheCurrentVersionAndNamesSupportedVersions) {
    read(with(kRequest, "{", R"({"version":"1.0",)"));
    const Rejection rejection = rejection_of(with(kRequest, "{", R"({"version":"3.0",)"));
    EXPECT_EQ(pointers(rejection), (Pointers{"/version"}));
    EXPECT_NE(rejection.summary().find("1.0"), std::string::npos);
}

TEST(Delegation, X17_UnsupportedVersionsAreRefusedAndSupportedVersionsNamed) {
    for (const char* version : {R"("1.1")", R"("0.7")", R"("")", "1.0"}) {
        const Rejection rejection =
            rejection_of(with(kRequest, "{", R"({"version":)" + std::string{version} + ","));
        EXPECT_EQ(rejection.refusal, Refusal::ProtocolVersionUnsupported);
        EXPECT_NE(rejection.summary().find("1.0, 0.9 or 0.8"), std::string::npos)
            << rejection.summary();
    }
}

TEST(Delegation, X17_ThePreviousVersionIsReadByItsOldNames) {
    constexpr std::string_view kOlder =
        R"({"version":"0.9","request_id":"550e8400-e29b-41d4-a716-446655440000",)"
        R"("origin":"prime-boss","target":"byte-doc","user_id":"user-1",)"
        R"("parent_session_id":"prime-session","objective":"Extract receipt data",)"
        R"("input":"all fields","depth":1,"constraints":{"deadline_ms":5000},"x_own":[1]})";
    const SendMessage send = read(kOlder);
    const std::string_view body = send.envelope->body();
    EXPECT_EQ(send.envelope->from(), "prime-boss");
    EXPECT_EQ(send.envelope->to(), "byte-doc");
    EXPECT_EQ(send.timeout, Duration{5000});
    EXPECT_EQ(at(body, {"version"}), R"("1.0")");
    EXPECT_EQ(at(body, {"current_depth"}), "1");
    EXPECT_EQ(at(body, {"x_own"}), "[1]");
    EXPECT_FALSE(json::find(json::root(body), "origin")) << body;
    EXPECT_EQ(read(body).fingerprint, send.fingerprint) << "it is a current message now";
    const auto reply = read_reply(R"({"version":"0.9","result":"r","status":"success",)"
                                  R"("token_usage":{"prompt":1,"completion":1,"total":2}})",
                                  *send.envelope,
                                  {.caller = "byte-doc", .fresh_id = "f-1", .now = kNoon});
    ASSERT_TRUE(reply) << reply.error().summary();
    EXPECT_EQ(at(reply->envelope->body(), {"summary"}), R"("")");
}

TEST(Delegation, X17_TheOldestVersionHasItsLimitsAtTheTop) {
    constexpr std::string_view kOldest =
        R"({"version":"0.8","request_id":"550e8400-e29b-41d4-a716-446655440000",)"
        R"("origin":"prime-boss","target":"byte-doc","user_id":"user-1",)"
        R"("parent_session_id":"prime-session","objective":"Extract receipt data",)"
        R"("input":"all fields","max_tokens":800,"deadline_ms":5000,"facts":["a"]})";
    const SendMessage send = read(kOldest);
    const std::string_view body = send.envelope->body();
    EXPECT_EQ(at(body, {"constraints", "max_tokens"}), "800");
    EXPECT_EQ(at(body, {"constraints", "max_depth"}), "2") << "the default, as ever";
    EXPECT_EQ(at(body, {"handoff_data", "facts"}), R"(["a"])");
    EXPECT_EQ(at(body, {"origin_employee"}), R"("prime-boss")");
    EXPECT_EQ(send.timeout, Duration{5000});
    const auto reply = read_reply(R"({"version":"0.8","result":"r","status":"success"})",
                                  *send.envelope,
                                  {.caller = "byte-doc", .fresh_id = "f-1", .now = kNoon});
    ASSERT_TRUE(reply) << reply.error().summary();
    EXPECT_EQ(at(reply->envelope->body(), {"token_usage", "total"}), "0");
}

TEST(Delegation, X17_ProblemsInAnOlderVersionNameTheCurrentField) {
    const Rejection rejection = rejection_of(
        R"({"version":"0.8","origin":"prime-boss","target":"byte-doc","user_id":"u",)"
        R"("parent_session_id":"s","objective":"o","input":"i","deadline_ms":"soon"})");
    EXPECT_EQ(pointers(rejection), (Pointers{"/constraints/deadline_ms"}));
}

TEST(DelegationReply, X2_IsCompletedFromItsRequest) {
    const EnvelopePtr request = read(kRequest).envelope;
    const Reception answering{.caller = "byte-doc", .fresh_id = "f-1", .now = kNoon};
    const auto reply = read_reply(
        R"({"summary":"s","result":"r","token_usage":{"prompt":1,"completion":1,"total":2},)"
        R"("status":"success"})",
        *request,
        answering);
    ASSERT_TRUE(reply) << reply.error().summary();
    EXPECT_EQ(at(reply->envelope->body(), {"request_id"}),
              R"("550e8400-e29b-41d4-a716-446655440000")");
    EXPECT_EQ(at(reply->envelope->body(), {"target_employee"}), R"("byte-doc")");
    EXPECT_EQ(reply->envelope->to(), "prime-boss");
    const auto bare = read_reply(R"({"total":12.30})", *request, answering);
    ASSERT_TRUE(bare) << bare.error().summary();
    EXPECT_EQ(at(bare->envelope->body(), {"result"}), R"("{\"total\":12.30}")");
    const auto wrong = read_reply(with(kResponse, "byte-doc", "tag-ai"), *request, answering);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().refusal, Refusal::IdentityMismatch);
    EXPECT_EQ(pointers(wrong.error()), (Pointers{"/target_employee"}));
}

TEST(DelegationHub, X7_SaysThatTimeIsUp) {
    const EnvelopePtr request = read(kRequest).envelope;
    const std::string text = write_failure(
        *request, Refusal::RequestTimedOut, "Delegation timeout after 15000 ms", kNoon);
    EXPECT_EQ(at(text, {"status"}), R"("failed")");
    EXPECT_EQ(at(text, {"error"}), R"("Delegation timeout after 15000 ms")");
    EXPECT_EQ(at(text, {"token_usage"}), R"({"prompt":0,"completion":0,"total":0})");
    EXPECT_EQ(read(text).envelope->answers(), request->id());
}

}  // namespace
}  // namespace parlance::dialects
