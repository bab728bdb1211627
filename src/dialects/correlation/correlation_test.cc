#include "dialects/correlation/correlation.h"

#include <fmt/format.h>

#include "base/uuid.h"
#include "dialects/correlation/tables.h"
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

// The message of the document.
constexpr std::string_view kMessage =
    R"({"correlation_id":"session_user_1692633600_a7b2c9d4_1692633612",)"
    R"("agent":"intent_recognition","target_agent":"task_planning",)"
    R"("timestamp":"2025-08-21T10:30:00Z","message_type":"classification_result",)"
    R"("status":"success","payload":{"intent_category":"discovery",)"
    R"("entities":["datacenter-01","devices"],"confidence":0.89},)"
    R"("next_steps":["task_planning","tool_coordination"],"error_details":null})";

constexpr std::string_view kError =
    R"({"correlation_id":"session_user_1692633600_a7b2c9d4_1692633612",)"
    R"("agent":"intent_recognition","status":"error","error_details":{"error_type":"api_timeout",)"
    R"("error_message":"OpenAI API timeout after 30 seconds","retry_possible":true},)"
    R"("fallback_strategy":"use_rule_based_classification"})";

std::string message(std::string_view type,
                    std::string_view from,
                    std::string_view to,
                    std::string_view status = "pending") {
    return R"({"correlation_id":"s_a7b2c9d4_1692633612","agent":")" + std::string{from} +
           R"(","target_agent":")" + std::string{to} + R"(","message_type":")" + std::string{type} +
           R"(","status":")" + std::string{status} + R"(","payload":{}})";
}

TEST(Correlation, C2_ReadsTheMessageAndKeepsItsBytes) {
    const SendMessage send = read(kMessage);
    EXPECT_EQ(send.envelope->dialect(), Dialect::Correlation);
    EXPECT_EQ(send.envelope->type(), "classification_result");
    EXPECT_EQ(send.envelope->intent(), Intent::OneWay);
    EXPECT_EQ(send.envelope->from(), "intent_recognition");
    EXPECT_EQ(send.envelope->to(), "task_planning");
    EXPECT_EQ(send.envelope->correlation(), "session_user_1692633600_a7b2c9d4_1692633612");
    EXPECT_EQ(send.envelope->body(), kMessage);
}

TEST(Correlation, C1_C2_ReportsAllProblemsAtOnce) {
    const Rejection rejection = rejection_of(
        R"({"correlation_id":"wf-42","target_agent":7,"message_type":"gossip","status":"fine",
            "next_steps":["a b"],"error_details":{"error_type":"x"},"fallback_strategy":1})");
    EXPECT_EQ(pointers(rejection),
              (Pointers{"/correlation_id",
                        "/target_agent",
                        "/message_type",
                        "/status",
                        "/payload",
                        "/next_steps/0",
                        "/error_details/error_message",
                        "/error_details/retry_possible",
                        "/fallback_strategy"}));
    EXPECT_EQ(rejection.problems[0].section, "Correlation ID Format");
}

TEST(Correlation, C8_D4_AMessageWithoutAnIdIsIdentifiedByItsContent) {
    EXPECT_TRUE(is_uuid(std::string{read(kMessage).envelope->id()}));
    EXPECT_EQ(read(kMessage).envelope->id(), read(kMessage).envelope->id());
    // Other content in the same workflow makes another message.
    EXPECT_NE(read(kMessage).envelope->id(), read(with(kMessage, "0.89", "0.88")).envelope->id());
    EXPECT_EQ(read(with(kMessage, "{", R"({"message_id":"m-1",)")).envelope->id(), "m-1");
}

TEST(Correlation, C3_KnowsTheFiveTypesAndOnlyACommandAwaitsAnAnswer) {
    const std::pair<const char*, Intent> types[] = {{"classification_result", Intent::OneWay},
                                                    {"execution_plan", Intent::OneWay},
                                                    {"tool_results", Intent::OneWay},
                                                    {"orchestration_command", Intent::Request},
                                                    {"status_update", Intent::Progress}};
    EXPECT_EQ(correlation::kTypes.size(), std::size(types));
    for (const auto& [type, intent] : types) {
        EXPECT_EQ(read(message(type, "alice", "bob")).envelope->intent(), intent) << type;
    }
}

TEST(Correlation, C3_EachTypeGoesOnlyInItsDirection) {
    const std::tuple<const char*, const char*, const char*> permitted[] = {
        {"classification_result", "intent_recognition", "task_planning"},
        {"execution_plan", "task_planning", "tool_coordination"},
        {"tool_results", "tool_coordination", "response_generation"},
        {"orchestration_command", "conversation_manager", "intent_recognition"},
        {"orchestration_command", "conversation_manager", "tool_coordination"},
        {"status_update", "tool_coordination", "conversation_manager"},
    };
    for (const auto& [type, from, to] : permitted) read(message(type, from, to));
    const Rejection back =
        rejection_of(message("classification_result", "task_planning", "intent_recognition"));
    EXPECT_EQ(back.refusal, Refusal::RouteNotPermitted);
    EXPECT_EQ(pointers(back), (Pointers{"/agent", "/target_agent"}));
    EXPECT_EQ(back.problems[0].rule,
              "must be intent_recognition and not task_planning: classification_result goes from "
              "intent_recognition to task_planning");
    EXPECT_EQ(rejection_of(message("status_update", "task_planning", "tool_coordination")).refusal,
              Refusal::RouteNotPermitted);
    EXPECT_EQ(rejection_of(message("orchestration_command", "task_planning", "tool_coordination"))
                  .refusal,
              Refusal::RouteNotPermitted);
}

TEST(Correlation, C3_EnforcesTheRegisteredRoleOfAnAgent) {
    const RoleOf roles = [](std::string_view agent) -> std::optional<std::string_view> {
        if (agent == "alice") return "conversation_manager";
        if (agent == "bob") return "task_planning";
        if (agent == "task_planning") return "";  // Of another dialect, with the same name.
        return std::nullopt;
    };
    const auto refusal = [&](std::string_view type, std::string_view from, std::string_view to) {
        const auto send = read_message(message(type, from, to),
                                       {.dialect = Dialect::Correlation, .role_of = &roles});
        return send ? Refusal::None : send.error().refusal;
    };
    EXPECT_EQ(refusal("orchestration_command", "alice", "bob"), Refusal::None);
    EXPECT_EQ(refusal("orchestration_command", "bob", "alice"), Refusal::RouteNotPermitted);
    EXPECT_EQ(refusal("status_update", "bob", "alice"), Refusal::None);
    EXPECT_EQ(refusal("status_update", "alice", "bob"), Refusal::RouteNotPermitted);
    EXPECT_EQ(refusal("execution_plan", "bob", "tool_coordination"), Refusal::None);
    EXPECT_EQ(refusal("execution_plan", "tool_coordination", "bob"), Refusal::RouteNotPermitted);
    EXPECT_EQ(refusal("status_update", "bob", "task_planning"), Refusal::None);
}

TEST(Correlation, C3_EnforcesDirectionsInOtherDialectsToo) {
    const RoleOf roles = [](std::string_view agent) -> std::optional<std::string_view> {
        if (agent == "alice") return "conversation_manager";
        if (agent == "bob") return "intent_recognition";
        if (agent == "carol") return "response_generation";
        if (agent == "ANL") return "";  // An agent of another dialect.
        return std::nullopt;
    };
    const auto refusal = [&](std::string_view type, std::string_view from, std::string_view to) {
        const auto send = read_message(
            fmt::format(R"({{"sender":{{"agent_id":"{}"}},"recipient":{{"agent_id":"{}"}},)"
                        R"("message_id":"m","timestamp":"2025-11-23T10:00:00Z",)"
                        R"("message_type":"{}","payload":{{"action":"x"}}}})",
                        from,
                        to,
                        type),
            {.role_of = &roles});
        return send ? Refusal::None : send.error().refusal;
    };
    EXPECT_EQ(refusal("REQUEST", "bob", "carol"), Refusal::RouteNotPermitted);
    EXPECT_EQ(refusal("EVENT", "bob", "carol"), Refusal::RouteNotPermitted);
    EXPECT_EQ(refusal("REQUEST", "alice", "carol"), Refusal::None);
    EXPECT_EQ(refusal("EVENT", "bob", "alice"), Refusal::None);
    EXPECT_EQ(refusal("REQUEST", "ANL", "carol"), Refusal::None)
        << "who is none of them has no part";
    EXPECT_EQ(refusal("REQUEST", "bob", "ANL"), Refusal::None);
}

TEST(Correlation, C4_EveryInteractionSucceedsFailsOrIsPending) {
    const auto intent = [](std::string_view status) {
        std::string text = message("status_update", "alice", "conversation_manager", status);
        if (status == "error" || status == "failure") {
            text = with(text,
                        R"("payload")",
                        R"("error_details":{"error_type":"x",)"
                        R"("error_message":"y","retry_possible":false},)"
                        R"("payload")");
        }
        return read(text).envelope->intent();
    };
    EXPECT_EQ(intent("success"), Intent::Reply);
    EXPECT_EQ(intent("error"), Intent::Reply);
    EXPECT_EQ(intent("failure"), Intent::Reply);
    EXPECT_EQ(intent("pending"), Intent::Progress);
    EXPECT_EQ(pointers(rejection_of(message("status_update", "a", "b", "error"))),
              (Pointers{"/error_details"}));
}

TEST(Correlation, C9_ReadsTheErrorWithItsFallbackAndSendsItToTheManager) {
    const SendMessage send = read(kError);
    EXPECT_EQ(send.envelope->type(), "error");
    EXPECT_EQ(send.envelope->intent(), Intent::Reply);
    EXPECT_EQ(send.envelope->to(), "conversation_manager");
    EXPECT_EQ(at(send.envelope->body(), {"fallback_strategy"}),
              R"("use_rule_based_classification")");
    EXPECT_EQ(pointers(rejection_of(with(kError, "true", "\"maybe\""))),
              (Pointers{"/error_details/retry_possible"}));
}

TEST(CorrelationReply, C2_IsCompletedFromItsCommand) {
    const EnvelopePtr request =
        read(message("orchestration_command", "conversation_manager", "task_planning")).envelope;
    const Reception answering{.caller = "task_planning", .fresh_id = "m-2", .now = kNoon};
    const auto reply =
        read_reply(R"({"message_type":"status_update","status":"success","payload":{"done":1}})",
                   *request,
                   answering);
    ASSERT_TRUE(reply) << reply.error().summary();
    EXPECT_EQ(at(reply->envelope->body(), {"correlation_id"}), R"("s_a7b2c9d4_1692633612")");
    EXPECT_EQ(at(reply->envelope->body(), {"agent"}), R"("task_planning")");
    EXPECT_EQ(reply->envelope->to(), "conversation_manager");
    const auto bare = read_reply(R"({"done":1})", *request, answering);
    ASSERT_TRUE(bare) << bare.error().summary();
    EXPECT_EQ(at(bare->envelope->body(), {"message_type"}), R"("status_update")");
    EXPECT_EQ(at(bare->envelope->body(), {"status"}), R"("success")");
    EXPECT_EQ(at(bare->envelope->body(), {"payload"}), R"({"done":1})");
    const auto anothers = read_reply(
        R"({"message_type":"status_update","agent":"eve","status":"success","payload":{}})",
        *request,
        answering);
    ASSERT_FALSE(anothers);
    EXPECT_EQ(anothers.error().refusal, Refusal::IdentityMismatch);
}

TEST(CorrelationHub, C9_SaysWhetherARetryMayHelp) {
    const EnvelopePtr request =
        read(message("orchestration_command", "conversation_manager", "task_planning")).envelope;
    const std::string text = write_failure(*request, Refusal::RequestTimedOut, "5 s", kNoon);
    EXPECT_EQ(at(text, {"error_details"}),
              R"({"error_type":"REQUEST_TIMED_OUT","error_message":"Timeout: 5 s",)"
              R"("retry_possible":true})");
    EXPECT_EQ(at(text, {"agent"}), R"("task_planning")");
    EXPECT_EQ(read(text).envelope->intent(), Intent::Reply);
}

TEST(Correlation, C8_ARepeatWithoutATimestampIsTheSameMessage) {
    constexpr std::string_view kPlan =
        R"({"correlation_id":"s_a7b2c9d4_1692633612","agent":"a","target_agent":"b",)"
        R"("message_type":"execution_plan","status":"success","payload":{"steps":2}})";
    const SendMessage first = read(kPlan);
    Reception later = testing::kKnown;
    later.now += Duration{5000};
    const SendMessage again = read(kPlan, later);
    EXPECT_EQ(first.envelope->id(), again.envelope->id());
    EXPECT_EQ(first.fingerprint, again.fingerprint);
    EXPECT_NE(first.envelope->id(), read(testing::with(kPlan, "2}", "3}")).envelope->id());
}

}  // namespace
}  // namespace parlance::dialects
