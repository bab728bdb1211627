#include "dialects/taskwire/bodies.h"

#include "dialects/dialect_row.h"
#include "dialects/testing/generate.h"
#include "dialects/testing/reading.h"

namespace parlance::dialects {
namespace {

using testing::pointers;
using testing::Pointers;
using testing::read;
using testing::rejection_of;

std::string message(std::string_view type, std::string_view payload) {
    return R"({"id":"m-1","from":"alice","to":"bob","type":")" + std::string{type} +
           R"(","payload":)" + std::string{payload} + "}";
}

Pointers problems(std::string_view name, std::string_view text) {
    EXPECT_TRUE(json::check(text)) << text;
    return pointers(check_object(Dialect::Taskwire, name, text));
}

TEST(TaskwireBodies, T3_HoldsAHandoffToItsReasonsAndDates) {
    const Rejection rejection = rejection_of(message(
        "TASK_HANDOFF",
        R"({"reason":"BORED","deadline":"soon","context":{"priority":"urgent","history":[{}]},
            "constraints":{"required_capabilities":"all","budget_usd":-1}})"));
    EXPECT_EQ(pointers(rejection),
              (Pointers{"/payload/reason",
                        "/payload/context/priority",
                        "/payload/constraints/required_capabilities",
                        "/payload/constraints/budget_usd",
                        "/payload/deadline"}));
    EXPECT_EQ(rejection.problems[0].rule,
              "must be CAPABILITY_LIMIT, RATE_LIMIT, ERROR_RECOVERY, ESCALATION or LOAD_BALANCING");
    EXPECT_EQ(rejection.problems[0].section, "Handoff Request Format");
    for (const auto reason : taskwire::kHandoffReasons) {
        read(message("TASK_HANDOFF", R"({"reason":")" + std::string{reason} + "\"}"));
    }
    EXPECT_EQ(pointers(rejection_of(
                  message("TASK_HANDOFF", R"({"accepted":true,"requirements":[1],"error":{}})"))),
              (Pointers{"/payload/requirements/0", "/payload/error"}));
}

TEST(TaskwireBodies, T3_RequiresAllHandoffFieldsOnlyOfACheckedObject) {
    read(message("TASK_HANDOFF", "{}"));
    EXPECT_EQ(problems("TaskHandoffRequest", "{}"),
              (Pointers{"/task_id",
                        "/from_agent",
                        "/to_agent",
                        "/reason",
                        "/context",
                        "/constraints",
                        "/deadline"}));
    EXPECT_EQ(problems("TaskHandoffResponse", R"({"accepted":false,"constraints":{}})"),
              (Pointers{"/agent_id",
                        "/estimated_completion",
                        "/requirements",
                        "/constraints/required_capabilities"}));
}

TEST(TaskwireBodies, T4_HoldsHelpToItsTypes) {
    EXPECT_EQ(
        pointers(rejection_of(message(
            "HELP_REQUEST",
            R"({"help_type":"MONEY","urgency":"normal","context":{"attempted_solutions":0}})"))),
        (Pointers{
            "/payload/help_type", "/payload/context/attempted_solutions", "/payload/urgency"}));
    EXPECT_EQ(pointers(rejection_of(message(
                  "HELP_RESPONSE",
                  R"({"response_type":"SHRUG","follow_up_required":"no","estimated_effort":-5,
                      "resources":[{"type":"song","url":"u"}]})"))),
              (Pointers{"/payload/response_type",
                        "/payload/resources/0/type",
                        "/payload/follow_up_required",
                        "/payload/estimated_effort"}));
    for (const auto type : taskwire::kHelpTypes) {
        read(message("HELP_REQUEST", R"({"help_type":")" + std::string{type} + "\"}"));
    }
    for (const auto type : taskwire::kHelpResponseTypes) {
        read(message("HELP_RESPONSE", R"({"response_type":")" + std::string{type} + "\"}"));
    }
    for (const auto type : taskwire::kResourceTypes) {
        read(message("HELP_RESPONSE", R"({"resources":[{"type":")" + std::string{type} + "\"}]}"));
    }
}

TEST(TaskwireBodies, T5_HoldsStatusUsageAndHealthToTheirBounds) {
    EXPECT_EQ(pointers(rejection_of(
                  message("STATUS_UPDATE",
                          R"({"status":{"state":"ASLEEP","capability_level":101,"error_rate":1.1},
                "resource_usage":{"cpu_usage":100.5,"memory_usage":-1},
                "health_metrics":{"success_rate":2,"error_count":0.5},"current_tasks":[1]})"))),
              (Pointers{"/payload/status/state",
                        "/payload/status/capability_level",
                        "/payload/status/error_rate",
                        "/payload/current_tasks/0",
                        "/payload/resource_usage/cpu_usage",
                        "/payload/resource_usage/memory_usage",
                        "/payload/health_metrics/success_rate",
                        "/payload/health_metrics/error_count"}));
    for (const auto state : taskwire::kAgentStates) {
        read(message("STATUS_UPDATE", R"({"status":{"state":")" + std::string{state} + "\"}}"));
    }
    // A payload may be anything, so a payload that is no object has no rules.
    read(message("STATUS_UPDATE", "\"done\""));
}

TEST(TaskwireBodies, T6_HoldsAnErrorReportToItsTypesAndAttempts) {
    EXPECT_EQ(pointers(rejection_of(
                  message("ERROR_REPORT",
                          R"({"error_type":"OOPS","severity":"fatal","recovery_attempts":
                      [{"attempt_number":1,"outcome":"maybe"}],"suggested_actions":"none"})"))),
              (Pointers{"/payload/error_type",
                        "/payload/severity",
                        "/payload/recovery_attempts/0/outcome",
                        "/payload/suggested_actions"}));
    for (const auto type : taskwire::kErrorTypeWords) {
        read(message("ERROR_REPORT", R"({"error_type":")" + std::string{type} + "\"}"));
    }
    read(message("ERROR_REPORT", "1"));
}

TEST(TaskwireBodies, T12_ChecksTheSharedStateToItsDepths) {
    EXPECT_EQ(
        problems("SharedState",
                 R"({"task_registry":{"t/1":{"id":"t/1","status":"lost","created_at":"2025-11-23",
                              "updated_at":"2025-11-23","context":{"task_id":"t","task_type":"x",
                              "priority":"low","metadata":{},"dependencies":[],"history":[]}}},
                           "agent_registry":{"a":{"state":"IDLE"}},
                           "resource_allocations":{"r":{"agent_id":"a","resource_type":"gold",
                              "allocated":1,"consumed":0,"limit":2}},
                           "policy_state":{"version":"1","enabled_chains":[],
                              "risk_thresholds":{"low":-1,"high":1},
                              "budget_limits":{"per_task":1,"per_agent":1,"total":-1},
                              "circuit_breaker_config":{"error_threshold":1,"timeout_ms":1,
                                                        "reset_timeout_ms":1}},
                           "last_updated":"2025-11-23T10:00:00Z"})"),
        (Pointers{"/task_registry/t~11/status",
                  "/agent_registry/a/capability_level",
                  "/agent_registry/a/error_rate",
                  "/agent_registry/a/avg_response_time_ms",
                  "/agent_registry/a/last_heartbeat",
                  "/resource_allocations/r/resource_type",
                  "/policy_state/budget_limits/total"}));
}

TEST(TaskwireBodies, T13_ChecksAStateUpdate) {
    EXPECT_EQ(problems("StateUpdate",
                       R"({"operation":"UPDATE","entity_type":"TASK","entity_id":"t-1",
                           "changes":{"status":"completed"},"version":7,
                           "timestamp":"2025-11-23T10:00:00Z"})"),
              Pointers{});
    EXPECT_EQ(
        problems("StateUpdate",
                 R"({"operation":"MERGE","entity_type":"USER","changes":[],"version":-1})"),
        (Pointers{
            "/operation", "/entity_type", "/entity_id", "/changes", "/version", "/timestamp"}));
}

TEST(TaskwireBodies, T3_T4_T5_T6_T12_T13_TakeEveryObjectThatTheTablesDescribe) {
    testing::Generator generator{3};
    for (const Shape* shape : taskwire::kObjects) {
        for (int i = 0; i < 50; ++i) {
            const std::string object = generator.object(*shape);
            ASSERT_EQ(problems(shape->name, object), Pointers{}) << shape->name << " " << object;
        }
    }
}

}  // namespace
}  // namespace parlance::dialects
