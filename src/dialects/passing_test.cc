// Values that the hub rewrites in a message passed on, by the tables.
#include "dialects/passing.h"

#include <gtest/gtest.h>

#include "dialects/claim.h"
#include "dialects/testing/reading.h"

namespace parlance::dialects {
namespace {

using testing::at;
using testing::read;

constexpr std::string_view kDelegated =
    R"({"request_id":"33333333-3333-4333-8333-333333333333","origin_employee":"prime",)"
    R"("target_employee":"byte","objective":"parse","input":"x","user_id":"u","parent_session_id":"s",)"
    R"("timestamp":"2025-11-23T10:00:00Z","constraints":{"max_tokens":200,"max_depth":2}})";
constexpr std::string_view kSam =
    R"({"message_id":"m","correlation_id":"c","timestamp":"2025-11-23T10:00:00Z",)"
    R"("sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},"message_type":"REQUEST",)"
    R"("payload":{"action":"x","data":{"max_tokens":200},"context":{}},)"
    R"("metadata":{"max_tokens":200}})";
constexpr std::string_view kTaskwire =
    R"({"id":"m","from":"a","to":"b","type":"TASK_ASSIGNMENT",)"
    R"("payload":{"task_id":"t","input":{"max_tokens":200},"max_tokens":200}})";

TEST(Passing, X8_EveryBudgetFieldOfARequestGetsTheAllottedTokens) {
    for (const auto text : {kDelegated, kSam, kTaskwire}) {
        const auto request = read(text).envelope;
        const auto allotted = dialects::allotted(*request, 4'500);
        EXPECT_EQ(claim_of(*allotted)->tokens_max, 4'500U) << allotted->body();
        EXPECT_EQ(allotted->header().id, request->header().id);
        // Restoring the requested budget restores the bytes.
        EXPECT_EQ(dialects::allotted(*allotted, 200)->body(), request->body());
    }
}

TEST(Passing, G7_WhatIsNeededTwiceIsKeptOnce) {
    const auto passing = passing_of(
        *read(R"({"id":"m","from":"a","to":"b","type":"HELP_REQUEST","payload":{"task_id":"t",)"
              R"("required_capabilities":["S1","S0","S1"],)"
              R"("constraints":{"required_capabilities":["S0","S2"]}}})")
             .envelope);
    ASSERT_NE(passing, nullptr);
    EXPECT_EQ(passing->skills, (std::vector<std::string>{"S1", "S0", "S2"}));
}

TEST(Passing, X8_OnlyBudgetFieldsAreChanged) {
    const auto allotted = dialects::allotted(*read(kSam).envelope, 100);
    EXPECT_EQ(at(allotted->body(), {"payload", "data", "max_tokens"}), "200");
    EXPECT_EQ(at(allotted->body(), {"metadata", "max_tokens"}), "100");
    const auto task = dialects::allotted(*read(kTaskwire).envelope, 100);
    EXPECT_EQ(at(task->body(), {"payload", "max_tokens"}), "100");
    EXPECT_EQ(at(task->body(), {"payload", "input", "max_tokens"}), "200");
}

TEST(Passing, X2_AnAnswerStatesItsTotalCost) {
    const auto answer =
        read(R"({"request_id":"33333333-3333-4333-8333-333333333333","target_employee":"byte",)"
             R"("summary":"s","result":"r","status":"success",)"
             R"("token_usage":{"prompt":0,"completion":0,"total":0}})");
    EXPECT_EQ(at(charged(*answer.envelope, 70)->body(), {"token_usage"}),
              R"({"prompt":0,"completion":70,"total":70})");
}

TEST(Passing, X2_AnIncompleteAnswerIsPartial) {
    const auto answer =
        read(R"({"request_id":"33333333-3333-4333-8333-333333333333","target_employee":"byte",)"
             R"("summary":"s","result":"{\"parts\":[]}","status":"success",)"
             R"("token_usage":{"prompt":0,"completion":0,"total":0}})");
    const auto partial = made_partial(*answer.envelope, "'tag' did not");
    EXPECT_EQ(at(partial->body(), {"status"}), R"("partial")");
    EXPECT_EQ(at(partial->body(), {"warnings"}), R"(["'tag' did not"])");
    EXPECT_EQ(at(partial->body(), {"result"}), R"("{\"parts\":[]}")");
    EXPECT_EQ(at(partial->body(), {"request_id"}), R"("33333333-3333-4333-8333-333333333333")");
    EXPECT_EQ(partial->header().id, answer.envelope->header().id);
    // An answer without a status gets none.
    const auto plain = read(kTaskwire).envelope;
    EXPECT_EQ(made_partial(*plain, "'tag' did not")->body(), plain->body());
}

}  // namespace
}  // namespace parlance::dialects
