#include "gateway/problem.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace parlance::gateway {
namespace {

std::string member(const transport::Response& response, std::string_view key) {
    const auto value = json::find(json::root(response.body), key);
    return value ? std::string{value->raw} : "nothing";
}

std::string header(const transport::Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
        if (key == name) return value;
    }
    return "nothing";
}

TEST(Problem, SaysTheSameStatusInTheLineAndInTheBody) {
    for (const auto& row : kRefusals) {
        const auto response = problem(row.refusal, "why");
        EXPECT_EQ(response.status, row.http_status);
        EXPECT_EQ(member(response, "status"), std::to_string(row.http_status)) << row.code;
    }
    for (const int status : {400, 408, 413, 426, 429, 431, 500}) {
        const auto response = door_problem(status, "why");
        EXPECT_EQ(response.status, status);
        EXPECT_EQ(member(response, "status"), std::to_string(status));
    }
}

TEST(Problem, HasItsCodeItsDetailAndItsAdvice) {
    for (const auto& row : kRefusals) {
        const auto response = problem(row.refusal, "this is wrong");
        ASSERT_TRUE(json::check(response.body)) << response.body;
        EXPECT_EQ(response.content_type, "application/problem+json");
        EXPECT_EQ(member(response, "type"), "\"about:blank\"");
        EXPECT_EQ(member(response, "code"), "\"" + std::string{row.code} + "\"");
        EXPECT_EQ(member(response, "detail"), "\"this is wrong. " + std::string{row.advice} + "\"");
        EXPECT_EQ(member(response, "retryable"), row.retryable ? "true" : "false");
        EXPECT_EQ(member(response, "problems"), "nothing") << "there are none to list";
        EXPECT_EQ(member(response, "dialect_error"), "nothing");
    }
}

TEST(Problem, HasRetryAfterExactlyWhenRetryable) {
    for (const auto& row : kRefusals) {
        EXPECT_EQ(header(problem(row.refusal, {}), "Retry-After") != "nothing", row.retryable)
            << row.code;
    }
}

TEST(Problem, OfTheListenerHasTheCodeOfItsStatus) {
    EXPECT_EQ(member(door_problem(429, "full"), "code"), "\"CONNECTION_LIMIT_EXCEEDED\"");
    EXPECT_EQ(header(door_problem(429, "full"), "Retry-After"), "1");
    EXPECT_EQ(member(door_problem(413, "large"), "code"), "\"MESSAGE_TOO_LARGE\"");
    EXPECT_EQ(member(door_problem(431, "large"), "code"), "\"MESSAGE_TOO_LARGE\"");
    EXPECT_EQ(member(door_problem(426, "old"), "code"), "\"CONNECTION_UPGRADE_REQUIRED\"");
    EXPECT_EQ(member(door_problem(408, "slow"), "code"), "\"MESSAGE_MALFORMED\"");
}

TEST(Problem, OfTheListenerAdvisesOnHttpAndNotOnMessages) {
    const std::pair<int, const char*> cases[] = {{400, "well-formed HTTP/1.1 request"},
                                                 {408, "in one go"},
                                                 {431, "shorter header fields"},
                                                 {413, "Send a smaller message"}};
    for (const auto& [status, advice] : cases) {
        const auto detail = member(door_problem(status, "why"), "detail");
        EXPECT_NE(detail.find(advice), std::string::npos) << detail;
        EXPECT_EQ(detail.find("dialect"), std::string::npos) << detail;
    }
}

TEST(Problem, AdvisesByDetailWhereTheUsualAdviceDoesNotHelp) {
    const auto full = problem(Refusal::HubOverloaded, "it has 7, which is its limit (agents_max)");
    EXPECT_EQ(member(full, "detail"),
              R"("it has 7, which is its limit (agents_max). Waiting does not help: remove agents )"
              R"(that are no longer needed, or raise limits.agents_max.")");
    EXPECT_EQ(
        member(problem(Refusal::RouteNotPermitted, "delivery 9.2 awaits no answer"), "detail"),
        R"("delivery 9.2 awaits no answer. Acknowledge it.")");
    std::string item;
    append_refused(item,
                   {.delivery_id = "9.2",
                    .refusal = Refusal::RouteNotPermitted,
                    .detail = "delivery 9.2 awaits no answer"},
                   {});
    EXPECT_NE(item.find("Acknowledge it"), std::string::npos) << item;
}

TEST(Problem, EscapesTextOfTheClient) {
    const auto response = problem(Refusal::MessageMalformed, "the name is \"\n\x01");
    EXPECT_TRUE(json::check(response.body)) << response.body;
    EXPECT_EQ(response.body.find('\n'), std::string::npos);
}

TEST(Problem, ListsAllFlawsOfAMessage) {
    const dialects::Rejection rejection{
        .refusal = Refusal::InputValidationFailed,
        .id = "m-1",
        .problems = {{.pointer = "/to", .value = "7", .rule = "a string", .section = "Base"},
                     {.pointer = "/type", .value = "", .rule = "one of ten", .section = "Types"}}};
    const auto response = problem(rejection, Dialect::Taskwire, Time{});
    EXPECT_EQ(member(response, "problems"),
              R"([{"pointer":"/to","value":"7","rule":"a string","section":"Base"},)"
              R"({"pointer":"/type","value":"","rule":"one of ten","section":"Types"}])");
    EXPECT_NE(member(response, "dialect_error").find("\"m-1\""), std::string::npos)
        << response.body;
}

TEST(Problem, OfAnAnswerNamesItsRequestAndItsWorkflow) {
    const dialects::Rejection rejection{.refusal = Refusal::OutputValidationFailed,
                                        .id = "r-1",
                                        .from = "tool_coordination",
                                        .correlation = "s_a7b2c9d4_1692633612",
                                        .answers = "q-1",
                                        .problems = {{.pointer = "/status", .rule = "a word"}}};
    const auto response = problem(rejection, Dialect::Correlation, Time{});
    const auto error = member(response, "dialect_error");
    for (const auto* const part : {R"("correlation_id":"s_a7b2c9d4_1692633612")",
                                   R"("in_reply_to":"q-1")",
                                   R"("target_agent":"tool_coordination")"}) {
        EXPECT_NE(error.find(part), std::string::npos) << part << " " << error;
    }
}

TEST(Refused, IsAListItemThatNamesItsMessageOrDelivery) {
    std::string items;
    append_refused(items, {.message_id = "m", .refusal = Refusal::HubOverloaded}, {});
    append_refused(items, {.delivery_id = "7.1", .refusal = Refusal::DeliveryStale}, "{}");
    const auto text = "[" + items + "]";
    ASSERT_TRUE(json::check(text)) << text;
    json::Elements list{json::root(text)};
    ASSERT_TRUE(list.next());
    EXPECT_EQ(json::find(list.value, "message_id")->raw, "\"m\"");
    EXPECT_EQ(json::find(list.value, "retry_after_ms")->raw, "1000");
    ASSERT_TRUE(list.next());
    EXPECT_EQ(json::find(list.value, "delivery_id")->raw, "\"7.1\"");
    EXPECT_FALSE(json::find(list.value, "retry_after_ms"));
    EXPECT_EQ(json::find(list.value, "dialect_error")->raw, "{}");
}

TEST(Problem, X12_SaysWhenARetryWouldBeTaken) {
    const auto known = problem(Refusal::RateLimitExceeded, "too many", {}, {}, 47'001);
    EXPECT_EQ(header(known, "Retry-After"), "48") << "whole seconds, and none too early";
    EXPECT_NE(known.body.find(R"("retry_after_ms":47001)"), std::string::npos) << known.body;
    std::string out;
    append_refused(out, {.refusal = Refusal::RateLimitExceeded, .retry_after_ms = 47'001}, {});
    EXPECT_NE(out.find(R"("retry_after_ms":47001)"), std::string::npos) << out;
}

}  // namespace
}  // namespace parlance::gateway
