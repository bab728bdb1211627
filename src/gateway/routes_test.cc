#include "gateway/routes.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

using Captures = std::vector<std::string_view>;

TEST(Routes, SplitAPathByTheirPattern) {
    EXPECT_EQ(match_path("/v1/agents", "/v1/agents"), Captures{});
    EXPECT_EQ(match_path("/v1/agents/{id}", "/v1/agents/bob"), Captures{"bob"});
    EXPECT_EQ(match_path("/v1/agents/{id}/inbox", "/v1/agents/bob/inbox"), Captures{"bob"});
    EXPECT_EQ(match_path("/v1/topics/{t}/subscribers/{a}", "/v1/topics/news/subscribers/bob"),
              (Captures{"news", "bob"}));
}

TEST(Routes, LetAnAgentHaveSlashesInItsName) {
    EXPECT_EQ(match_path("/v1/agents/{id}/inbox", "/v1/agents/agent://planner/1/inbox"),
              Captures{"agent://planner/1"});
}

TEST(Routes, KeepAnEncodedSlashInAName) {
    const std::vector<std::size_t> slash{12};
    EXPECT_FALSE(match_path("/v1/agents/{id}/inbox", "/v1/agents/a/inbox", slash));
    EXPECT_EQ(match_path("/v1/agents/{id}", "/v1/agents/a/inbox", slash), Captures{"a/inbox"});
    EXPECT_EQ(match_path("/v1/agents/{id}/inbox", "/v1/agents/a/inbox/inbox", slash),
              Captures{"a/inbox"});
    const std::vector<std::size_t> last{18};
    EXPECT_EQ(match_path("/v1/agents/{id}/inbox", "/v1/agents/a/inbox/inbox", last), std::nullopt)
        << "what follows the name is none of it";
}

TEST(Routes, RefusePathsThatDoNotMatch) {
    EXPECT_FALSE(match_path("/v1/agents", "/v1/agents/"));
    EXPECT_FALSE(match_path("/v1/agents/{id}", "/v1/agents/"));
    EXPECT_FALSE(match_path("/v1/agents/{id}/inbox", "/v1/agents/bob"));
    EXPECT_FALSE(match_path("/v1/agents/{id}/inbox", "/v1/agents//inbox"));
    EXPECT_FALSE(match_path("/healthz", "/healthzz"));
}

}  // namespace
}  // namespace parlance::gateway
