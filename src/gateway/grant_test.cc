// A grant as JSON and as headers (X12): complete, and without values that could begin another
// header.
#include "gateway/grant.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

EnvelopePtr request() {
    return Envelope::make({.id = "r-1", .from = "prime", .to = "byte", .intent = Intent::Request},
                          "{}");
}

Grant whole_grant() {
    return {.depth = 1,
            .depth_max = 2,
            .deadline = Time{std::chrono::seconds{1'700'000'000}},
            .left = Duration{1'500},
            .tokens = 900,
            .tools = {"ocr", "sql"},
            .limits_tools = true,
            .user = "u-1",
            .session = "c-1",
            .parent = "prime",
            .parent_session = "s-1",
            .root = {77}};
}

TEST(Grant, X4_X7_X8_X14_PrintsAllOfTheRecord) {
    EXPECT_EQ(
        grant_json(whole_grant()),
        R"({"depth":1,"depth_max":2,"deadline":"2023-11-14T22:13:20.000Z","deadline_ms":1500,)"
        R"("tokens":900,"tools":["ocr","sql"],"user":"u-1","session":"c-1","parent":"prime",)"
        R"("root":"77"})");
}

TEST(Grant, LeavesOutMembersThatWereNotGranted) {
    auto grant = whole_grant();
    grant.tokens = 0;
    grant.limits_tools = false;
    grant.user.clear();
    grant.session.clear();
    EXPECT_EQ(
        grant_json(grant),
        R"({"depth":1,"depth_max":2,"deadline":"2023-11-14T22:13:20.000Z","deadline_ms":1500,)"
        R"("parent":"prime","root":"77"})");
    grant.limits_tools = true;
    grant.tools.clear();
    EXPECT_NE(grant_json(grant).find(R"("tools":[])"), std::string::npos) << "none at all";
}

TEST(Grant, X12_HeadersAreTheHttpFormsAndThenTheHubs) {
    const Headers expected{{"X-Agent-Request-ID", "r-1"},
                           {"X-Agent-Origin", "prime"},
                           {"X-Agent-Depth", "1"},
                           {"X-Agent-Parent-Session", "s-1"},
                           {"X-Agent-Depth-Max", "2"},
                           {"X-Agent-Deadline", "2023-11-14T22:13:20.000Z"},
                           {"X-Agent-Deadline-Ms", "1500"},
                           {"X-Agent-Tokens", "900"},
                           {"X-Agent-Tools", R"(["ocr","sql"])"},
                           {"X-Agent-User", "u-1"},
                           {"X-Agent-Session", "c-1"},
                           {"X-Agent-Parent", "prime"},
                           {"X-Agent-Root", "77"}};
    EXPECT_EQ(grant_headers(*request(), whole_grant()), expected);
}

TEST(Grant, X12_ValuesThatNoHeaderCanCarryAreLeftOut) {
    for (const auto* bad : {"u\r\nX-Agent-Depth: 0", "u\n", "m\xc3\xbcller", "u\t", ""}) {
        auto grant = whole_grant();
        grant.user = bad;
        for (const auto& [name, value] : grant_headers(*request(), grant)) {
            EXPECT_NE(name, "X-Agent-User") << bad;
        }
    }
}

}  // namespace
}  // namespace parlance::gateway
