#include "dialects/id_forms.h"

#include <gtest/gtest.h>

#include "base/iso_time.h"
#include "base/uuid.h"

namespace parlance::dialects {
namespace {

TEST(CorrelationId, C1_IsMadeOfSessionQueryHashAndSeconds) {
    const Time now = parse_iso_time("2023-08-21T16:00:12.900Z").value();
    // MD5 of the empty text begins d41d8cd9, and MD5 of "abc" 90015098 (RFC 1321).
    EXPECT_EQ(make_correlation_id("session_user_1692633600", "", now),
              "session_user_1692633600_d41d8cd9_1692633612");
    EXPECT_EQ(make_correlation_id("s", "abc", now), "s_90015098_1692633612");
}

TEST(CorrelationId, C1_IsValidForAnyDate) {
    EXPECT_TRUE(is_correlation_id(make_correlation_id("s", "q", Time{Duration{-1}})));
}

TEST(CorrelationId, C1_IsReadBackIntoItsParts) {
    const CorrelationParts parts =
        split_correlation_id("session_user_1692633600_a7b2c9d4_1692633612");
    EXPECT_EQ(parts.session, "session_user_1692633600");
    EXPECT_EQ(parts.query_hash, "a7b2c9d4");
    EXPECT_EQ(parts.seconds, "1692633612");
    for (const char* bad : {"",
                            "wf-42",
                            "_a7b2c9d4_1692633612",
                            "s_a7b2c9d_1692633612",
                            "s_A7B2C9D4_1692633612",
                            "s_a7b2c9d4_",
                            "s_a7b2c9d4_16926x"}) {
        EXPECT_FALSE(is_correlation_id(bad)) << bad;
        EXPECT_EQ(split_correlation_id(bad).session, "") << bad;
    }
}

TEST(CorrelationId, C1_DerivedFromAWorkflowLeadsBackToTheWorkflow) {
    // MD5 of "abc" begins 90015098 (RFC 1321).
    const Time began = parse_iso_time("2023-08-21T16:00:12.900Z").value();
    EXPECT_EQ(derived_correlation_id("abc", began), "abc_90015098_1692633612");
    EXPECT_TRUE(is_correlation_id(derived_correlation_id("abc", began)));
    // Whatever the time in the id.
    EXPECT_EQ(workflow_of("abc_90015098_0"), "abc");
    EXPECT_EQ(workflow_of("abc_90015098_1692633612"), "abc");
    for (const char* own : {"abc_d41d8cd9_1692633612", "abc", "", "_90015098_1"}) {
        EXPECT_EQ(workflow_of(own), own);
    }
}

TEST(RequestId, K3_EndsInATimeThatCanBeRead) {
    const auto seconds = [](std::string_view id) {
        const auto time = time_in(id);
        return time ? time->time_since_epoch().count() / 1000 : -1;
    };
    EXPECT_EQ(seconds("sess-789-20250118-143022"), 1737210622);
    EXPECT_EQ(seconds("sess_20250118143022"), 1737210622);
    EXPECT_EQ(seconds("user_1692633612"), 1692633612);
    EXPECT_EQ(seconds("user-1692633612900"), 1692633612);
    for (const char* none :
         {"", "wf-42", "a-20251318-143022", "20250118-143022", "a-16926336123"}) {
        EXPECT_EQ(seconds(none), -1) << none;
    }
}

TEST(ErrorCode, K5_IsMadeFromAnyErrorName) {
    EXPECT_EQ(make_error_code("api_timeout"), "API_TIMEOUT");
    EXPECT_EQ(make_error_code("Rate limit!"), "RATE_LIMIT");
    EXPECT_EQ(make_error_code("boom"), "AGENT_BOOM");
    EXPECT_EQ(make_error_code(""), "AGENT_ERROR");
    EXPECT_EQ(make_error_code("ü"), "AGENT_ERROR");
    for (const char* text : {"a b", "_x_", "9", "A__B", "..."}) {
        EXPECT_TRUE(is_error_code(make_error_code(text))) << text;
    }
}

TEST(DerivedUuid, X1_IsDeterminedByTheTextAndHasVersionFour) {
    EXPECT_EQ(derived_uuid("a"), derived_uuid("a"));
    EXPECT_NE(derived_uuid("a"), derived_uuid("b"));
    EXPECT_TRUE(is_uuid4(derived_uuid("a")));
    EXPECT_TRUE(is_uuid4(derived_uuid(std::uint64_t{7})));
    EXPECT_FALSE(is_uuid4("f47ac10b-58cc-1372-a567-0e02b2c3d479"));
}

}  // namespace
}  // namespace parlance::dialects
