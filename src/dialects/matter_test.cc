// Action and content of each dialect's requests, and answers: docs/generated/dialects.md has the
// table.
#include "dialects/matter.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace parlance::dialects {
namespace {

Matter matter(std::string_view text, std::optional<Dialect> dialect = {}) {
    const auto message = read_message(
        text,
        {.dialect = dialect, .caller = "a", .fresh_id = "11111111-2222-4333-8444-555555555555"});
    if (!message) {
        ADD_FAILURE() << message.error().summary();
        return {};
    }
    return matter_of(*message->envelope);
}

TEST(Matter, OfEachDialectsRequestIsTheActionAndTheContent) {
    struct Row {
        std::string_view text;
        std::string_view action_pointer;
        std::string_view content_pointer;
    };
    // Each requests "npv" with {"rate":1}.
    for (
        const auto& [text, action_pointer, content_pointer] : {
            Row{R"({"id":"1","from":"a","to":"b","type":"TASK_ASSIGNMENT","payload":{"action":"npv","input":{"rate":1}}})",
                "/payload/action",
                "/payload/input"},
            Row{R"({"source_agent":"a","target_agent":"b","capability_code":"npv","request_id":"11111111-2222-4333-8444-555555555555","inputs_json":{"rate":1}})",
                "/capability_code",
                "/inputs_json"},
            Row{R"({"request_id":"11111111-2222-4333-8444-555555555555","parent_session_id":"s","user_id":"u","origin_employee":"a","target_employee":"b","objective":"npv","input":"{\"rate\":1}","timestamp":"2025-11-23T10:00:00Z"})",
                "/objective",
                "/input"},
            Row{R"({"message_id":"11111111-2222-4333-8444-555555555555","correlation_id":"c","timestamp":"2025-11-23T10:00:00Z","sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},"message_type":"REQUEST","payload":{"action":"npv","data":{"rate":1}}})",
                "/payload/action",
                "/payload/data"},
            Row{R"({"correlation_id":"s_0a1b2c3d_1700000000","message_type":"orchestration_command","agent":"a","target_agent":"b","timestamp":"2025-11-23T10:00:00Z","status":"success","payload":{"action":"npv","data":{"rate":1}}})",
                "/payload/action",
                "/payload/data"},
        }) {
        const auto found = matter(text);
        EXPECT_EQ(found.action, "npv") << text;
        EXPECT_EQ(found.action_pointer, action_pointer);
        EXPECT_EQ(found.content, R"({"rate":1})") << text;
        EXPECT_EQ(found.content_pointer, content_pointer);
    }
}

TEST(Matter, IncludesEmptyContent) {
    const auto found = matter(
        R"({"source_agent":"a","target_agent":"b","capability_code":"GENERAL","request_id":"11111111-2222-4333-8444-555555555555","inputs_json":{}})");
    EXPECT_EQ(found.action, "GENERAL");
    EXPECT_EQ(found.content, "{}");
    EXPECT_EQ(found.content_pointer, "/inputs_json");
}

TEST(Matter, OfAnAnswerTellsCompleteSuccess) {
    const auto answer = [](std::string_view status, std::string_view rest) {
        return matter(
            std::string{
                R"({"request_id":"11111111-2222-4333-8444-555555555555","source_agent":"b","target_agent":"a","status":")"} +
                std::string{status} + "\"," + std::string{rest} + "}",
            Dialect::Kessel);
    };
    const auto whole = answer("SUCCESS", R"("result_json":{"npv":3},"confidence_level":"HIGH")");
    EXPECT_TRUE(whole.is_success);
    EXPECT_EQ(whole.content_pointer, "/result_json");
    EXPECT_EQ(whole.content, R"({"npv":3})");
    EXPECT_FALSE(answer("PARTIAL", R"("result_json":{},"confidence_level":"LOW","warnings":["w"])")
                     .is_success);
    EXPECT_FALSE(answer("ERROR", R"("error_code":"A_B_ERROR","error_message":"m")").is_success);
}

TEST(Matter, OnlyKesselAlwaysNamesACapability) {
    EXPECT_TRUE(names_capabilities(Dialect::Kessel));
    EXPECT_FALSE(names_capabilities(Dialect::Taskwire));
    EXPECT_FALSE(names_capabilities(Dialect::Delegation));
}

}  // namespace
}  // namespace parlance::dialects
