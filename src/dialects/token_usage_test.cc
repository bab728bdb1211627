// Tokens used by an answer are charged and translated in every dialect (X8, P2).
#include "dialects/token_usage.h"

#include <gtest/gtest.h>

#include "dialects/message_writer.h"
#include "dialects/testing/reading.h"
#include "dialects/translate.h"

namespace parlance::dialects {
namespace {

using testing::at;
using testing::kNoon;
using testing::pointers;
using testing::Pointers;

constexpr std::string_view kRequest =
    R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"prime",)"
    R"("target_employee":"worker","user_id":"u","parent_session_id":"s","objective":"READ",)"
    R"("input":"it"})";

Reading<SendMessage> answered(Dialect dialect, std::string_view text) {
    const auto request = testing::read(kRequest).envelope;
    return read_reply(text,
                      *request,
                      {.dialect = dialect,
                       .caller = "worker",
                       .fresh_id = "11111111-1111-4111-8111-111111111111",
                       .now = kNoon});
}

struct AnswerRow {
    Dialect dialect;
    std::string_view text;
};

/// The row's answer with this token count.
std::string saying(const AnswerRow& row, std::string_view tokens) {
    return testing::with(row.text, "@", tokens);
}

constexpr std::array kAnswers{
    AnswerRow{
        Dialect::Delegation,
        R"({"summary":"s","result":"r","status":"success","token_usage":{"prompt":0,"completion":@,)"
        R"("total":500}})"},
    AnswerRow{Dialect::Kessel,
              R"({"status":"SUCCESS","result_json":{"a":1},"confidence_level":"HIGH",)"
              R"("metadata":{"tokens_used":@}})"},
    AnswerRow{Dialect::Kessel,
              R"({"status":"SUCCESS","result_json":{"a":1},"confidence_level":"HIGH",)"
              R"("metadata":{"token_usage":{"total":@}}})"},
    AnswerRow{Dialect::Kessel,
              R"({"status":"ERROR","error_code":"MODEL_GAVE_UP","error_message":"no",)"
              R"("metadata":{"tokens_used":@}})"},
    AnswerRow{Dialect::Taskwire,
              R"({"type":"TASK_COMPLETE","payload":{"result":1},"metadata":{"tokens_used":@}})"},
    AnswerRow{Dialect::Taskwire, R"({"type":"TASK_COMPLETE","payload":{"tokens_used":@}})"},
    AnswerRow{Dialect::Taskwire,
              R"({"type":"TASK_COMPLETE","payload":{"token_usage":{"total":@}}})"},
    AnswerRow{Dialect::Taskwire,
              R"({"type":"TASK_COMPLETE","payload":{"result":1,"resource_usage":{"tokens_used":@,)"
              R"("tokens_remaining":1,"cost_usd":0.1,"cpu_usage":1,"memory_usage":1}}})"},
    AnswerRow{Dialect::Taskwire,
              R"({"type":"TASK_FAILED","payload":{"error":{"message":"no"},)"
              R"("resource_usage":{"tokens_used":@}}})"},
    AnswerRow{Dialect::Sam,
              R"({"message_type":"RESPONSE","payload":{"data":{}},"metadata":{"tokens_used":@}})"},
    AnswerRow{
        Dialect::Sam,
        R"({"message_type":"RESPONSE","payload":{"data":{}},"metadata":{"token_usage":{"total":@}}})"},
    AnswerRow{Dialect::Sam, R"({"message_type":"RESPONSE","payload":{"data":{},"tokens_used":@}})"},
    AnswerRow{Dialect::Sam,
              R"({"message_type":"ERROR","error":{"code":"A_B","message":"no"},)"
              R"("metadata":{"tokens_used":@}})"},
    AnswerRow{
        Dialect::Correlation,
        R"({"message_type":"status_update","status":"success","payload":{"a":1},"tokens_used":@})"},
    AnswerRow{Dialect::Correlation,
              R"({"message_type":"status_update","status":"success","payload":{"tokens_used":@}})"},
    AnswerRow{Dialect::Correlation,
              R"({"message_type":"status_update","status":"success","payload":{},)"
              R"("metadata":{"token_usage":{"total":@}}})"},
    AnswerRow{Dialect::Correlation,
              R"({"status":"error","tokens_used":@,"error_details":{"error_type":"api_timeout",)"
              R"("error_message":"no","retry_possible":true}})"},
};

TEST(TokenUsage, X8_P2_TokensUsedAreChargedInEveryDialect) {
    for (const AnswerRow& row : kAnswers) {
        const auto answer = answered(row.dialect, saying(row, "500"));
        ASSERT_TRUE(answer) << row.text << answer.error().summary();
        EXPECT_EQ(answer->tokens_used, 500U) << row.text;
        EXPECT_EQ(read_said(*answer->envelope).tokens_used, 500U) << row.text;
        if (row.dialect == Dialect::Delegation) continue;
        const auto told =
            translate(answer->envelope->body(), row.dialect, Dialect::Delegation, {.now = kNoon});
        ASSERT_TRUE(told) << row.text;
        EXPECT_EQ(at(*told, {"token_usage"}), R"({"prompt":0,"completion":500,"total":500})")
            << row.text;
    }
}

TEST(TokenUsage, X8_PartialTokensRoundUpAndOtherValuesCountAsZero) {
    for (const AnswerRow& row : kAnswers) {
        if (row.dialect == Dialect::Delegation) continue;  // X2: only whole tokens are allowed.
        const auto part = answered(row.dialect, saying(row, "12.25"));
        ASSERT_TRUE(part) << row.text;
        EXPECT_EQ(part->tokens_used, 13U) << row.text;
        const auto vast = answered(row.dialect, saying(row, "9007199254740992"));
        ASSERT_TRUE(vast) << row.text;
        EXPECT_EQ(vast->tokens_used, std::uint64_t{1} << 53U) << row.text;
        for (const auto* odd : {"0", "-5", "\"500\"", "[500]", "{}", "null", "true"}) {
            const auto answer = answered(row.dialect, saying(row, odd));
            if (!answer) continue;  // Fields that are enforced.
            EXPECT_EQ(answer->tokens_used, 0U) << row.text << odd;
        }
    }
}

TEST(TokenUsage, X8_TheFieldThatTheHubWritesIsEnforced) {
    const auto kessel =
        answered(Dialect::Kessel,
                 R"({"status":"SUCCESS","result_json":{"a":1},"confidence_level":"HIGH",)"
                 R"("metadata":{"tokens_used":"500"}})");
    ASSERT_FALSE(kessel);
    EXPECT_EQ(pointers(kessel.error()), (Pointers{"/metadata/tokens_used"}));
    const auto taskwire =
        answered(Dialect::Taskwire,
                 R"({"type":"TASK_COMPLETE","payload":{},"metadata":{"tokens_used":-1}})");
    ASSERT_FALSE(taskwire);
    EXPECT_EQ(pointers(taskwire.error()), (Pointers{"/metadata/tokens_used"}));
}

TEST(TokenUsage, X8_P2_TokensUsedAreTranslatedForTheRequester) {
    constexpr std::string_view kResponse =
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","target_employee":"worker",)"
        R"("summary":"s","result":"r","token_usage":{"prompt":350,"completion":120,"total":470},)"
        R"("status":"success"})";
    const auto told = [&](Dialect reader) {
        const auto text = translate(kResponse, Dialect::Delegation, reader, {.now = kNoon});
        EXPECT_TRUE(text);
        return text.value_or("");
    };
    EXPECT_EQ(at(told(Dialect::Kessel), {"metadata", "tokens_used"}), "470");
    EXPECT_EQ(at(told(Dialect::Taskwire), {"metadata", "tokens_used"}), "470");
    EXPECT_EQ(at(told(Dialect::Sam), {"metadata", "tokens_used"}), "470");
    EXPECT_EQ(at(told(Dialect::Correlation), {"tokens_used"}), "470");
    const auto back =
        translate(told(Dialect::Sam), Dialect::Sam, Dialect::Delegation, {.now = kNoon});
    ASSERT_TRUE(back);
    EXPECT_EQ(at(*back, {"token_usage"}), R"({"prompt":350,"completion":120,"total":470})");
}

}  // namespace
}  // namespace parlance::dialects
