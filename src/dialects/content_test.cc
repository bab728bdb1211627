#include "dialects/content.h"

#include <gtest/gtest.h>

namespace parlance::dialects {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::string_view kRequest =
    R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"prime@boss.example",)"
    R"("target_employee":"byte-doc","user_id":"ana@example.org","parent_session_id":"s-1",)"
    R"("objective":"O","input":"I","constraints":{"max_tokens":1200},"context_hints":["h"],)"
    R"("handoff_data":{"facts":["f"],"references":[{"source_id":"r@example.org"}],)"
    R"("intermediate_results":{"a":1}},"created_at":"2025-11-23T10:00:00Z","x_own":"X"})";

TEST(Content, X15_IsTheSendersWordsWithoutTheProtocol) {
    EXPECT_EQ(content_of(Dialect::Delegation, kRequest),
              (Parts{R"("O")",
                     R"("I")",
                     R"("h")",
                     R"("f")",
                     R"("r@example.org")",
                     R"({"a":1})",
                     R"(,"x_own":"X")"}));
}

TEST(Content, X15_UnknownKeysAreTheSendersWords) {
    EXPECT_EQ(
        content_of(Dialect::Delegation,
                   R"({"ana@example.org" : 3,"input":"I",)"
                   R"("request_id":"550e8400-e29b-41d4-a716-446655440000",)"
                   R"("constraints":{"max_tokens":5,"b@example.org":1 , "c":2}})"),
        (Parts{R"("ana@example.org" : 3)", R"("I")", R"(,"b@example.org":1)", R"( , "c":2)"}));
    EXPECT_EQ(content_of(Dialect::Delegation,
                         R"({"input":"I","handoff_data":{"references":[)"
                         R"({"source_id":"r@example.org","ana@example.org":1}]}})"),
              (Parts{R"("I")", R"("r@example.org")", R"(,"ana@example.org":1)"}))
        << "beside a name too";
    EXPECT_EQ(content_of(Dialect::Sam,
                         R"({"message_type":"REQUEST","sender":{"agent_id":"a@b.example",)"
                         R"("ana@example.org":1}})"),
              (Parts{R"(,"ana@example.org":1)"}));
}

TEST(Content, X15_FieldsCanBeExempt) {
    const std::vector<std::string> exempt{"/objective", "/handoff_data/facts", "/x_own"};
    EXPECT_EQ(content_of(Dialect::Delegation, kRequest, exempt),
              (Parts{R"("I")", R"("h")", R"("r@example.org")", R"({"a":1})"}));
}

TEST(Content, X15_ValuesWithinTheSendersWordsCanBeExempt) {
    constexpr std::string_view kNested =
        R"({"input":"I","context_hints":["h","k"],"x_own":{"p":"q","r":["s","t"]},)"
        R"("handoff_data":{"intermediate_results":{"list":["a","b"],"more":"m"}}})";
    const std::vector<std::string> exempt{
        "/context_hints/1", "/x_own/r/0", "/handoff_data/intermediate_results/list/0"};
    EXPECT_EQ(content_of(Dialect::Delegation, kNested, exempt),
              (Parts{R"("I")", R"("h")", R"("p":"q")", R"("t")", R"("b")", R"(,"more":"m")"}));
}

TEST(Content, X15_UserOwningASourceIsAnId) {
    EXPECT_EQ(content_of(Dialect::Delegation,
                         R"({"input":"I","handoff_data":{"references":[)"
                         R"({"owner_scope":"user:ana@example.org","source_id":"S"},)"
                         R"({"owner_scope":"company","source_id":"T"}]}})"),
              (Parts{R"("I")", R"("S")", R"("company")", R"("T")"}));
}

TEST(Content, X15_ValuesThatBreakTheirFieldsRuleAreWords) {
    const auto of_payload = [](std::string_view type, std::string_view payload) {
        const std::string text = R"({"id":"m","from":"a","to":"b","type":")" + std::string{type} +
                                 R"(","payload":{"task_id":"t",)" + std::string{payload} + "}}";
        std::vector<std::string> parts;
        for (const auto part : content_of(Dialect::Taskwire, text)) parts.emplace_back(part);
        return parts;
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(of_payload("TASK_COMPLETE",
                         R"("follow_up_required":"mail fol.low@example.org","confidence":0.5)"),
              (Words{R"("mail fol.low@example.org")"}));
    EXPECT_EQ(of_payload("TASK_ASSIGNMENT", R"("max_tokens":{"ana@example.org":["b@c.example"]})"),
              (Words{R"({"ana@example.org":["b@c.example"]})"}));
    EXPECT_EQ(of_payload("TASK_UPDATE", R"("confidence":["ana@example.org"],"status":"by Ana")"),
              (Words{R"(["ana@example.org"])", R"("by Ana")"}));
    EXPECT_EQ(of_payload("TASK_UPDATE", R"("session_id":{"of":"ana@example.org"})"),
              (Words{R"({"of":"ana@example.org"})"}))
        << "which is no id then";
}

TEST(Content, OfAnyDialectIsFoundByItsTables) {
    EXPECT_EQ(content_of(Dialect::Kessel,
                         R"({"source_agent":"CST","target_agent":"ANL","capability_code":"NPV",)"
                         R"("request_id":"sess-789-20250118-143022","priority":"NORMAL",)"
                         R"("inputs_json":{"note":"n"}})"),
              (Parts{R"("NPV")", R"({"note":"n"})"}));
    EXPECT_EQ(
        content_of(Dialect::Taskwire,
                   R"({"id":"m","from":"a","to":"b","type":"HEARTBEAT","payload":{"n":"x"}})"),
        (Parts{R"({"n":"x"})"}));
    EXPECT_EQ(content_of(Dialect::Sam, "[1]"), (Parts{"[1]"})) << "what is no message is all words";
}

}  // namespace
}  // namespace parlance::dialects
