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

TEST(Content, X15_IsWhatTheSenderSaysAndNotTheProtocol) {
    EXPECT_EQ(content_of(Dialect::Delegation, kRequest),
              (Parts{R"("O")", R"("I")", R"("h")", R"("f")", R"({"a":1})", R"(,"x_own":"X")"}));
}

TEST(Content, X15_KeysThatNoTableKnowsAreTheSendersWords) {
    EXPECT_EQ(
        content_of(Dialect::Delegation,
                   R"({"ana@example.org" : 3,"request_id":"r","input":"I",)"
                   R"("constraints":{"max_tokens":5,"b@example.org":1 , "c":2}})"),
        (Parts{R"("ana@example.org" : 3)", R"("I")", R"(,"b@example.org":1)", R"( , "c":2)"}));
    EXPECT_EQ(content_of(Dialect::Delegation,
                         R"({"input":"I","handoff_data":{"references":[)"
                         R"({"source_id":"r@example.org","ana@example.org":1}]}})"),
              (Parts{R"("I")", R"(,"ana@example.org":1)"}))
        << "beside a name too";
    EXPECT_EQ(content_of(Dialect::Sam,
                         R"({"message_type":"REQUEST","sender":{"agent_id":"a@b.example",)"
                         R"("ana@example.org":1}})"),
              (Parts{R"(,"ana@example.org":1)"}));
}

TEST(Content, X15_FieldsCanBeExempt) {
    const std::vector<std::string> exempt{"/objective", "/handoff_data/facts", "/x_own"};
    EXPECT_EQ(content_of(Dialect::Delegation, kRequest, exempt),
              (Parts{R"("I")", R"("h")", R"({"a":1})"}));
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
