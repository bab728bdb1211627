#include "app/cli/profile.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace parlance::cli {
namespace {

TEST(Profile, K1_TheNineAgentsOfKesselAreReady) {
    const auto agents = read_profile("kessel");
    ASSERT_TRUE(agents) << agents.error().message;
    std::vector<std::string> ids;
    for (const ProfiledAgent& agent : *agents) {
        ids.push_back(agent.id);
        const auto dialect = json::find(json::root(agent.registration), "dialect");
        ASSERT_TRUE(dialect) << agent.id;
        EXPECT_EQ(dialect->raw, R"("kessel")") << agent.id;
    }
    EXPECT_EQ(
        ids,
        (std::vector<std::string>{"ORC", "ANL", "AUD", "CHA", "SPO", "DOC", "PRF", "CST", "CHG"}));
}

TEST(Profile, K1_AnUnknownNameIsReportedWithTheKnownNames) {
    const auto nothing = read_profile("esperanto");
    ASSERT_FALSE(nothing);
    EXPECT_NE(nothing.error().message.find("'esperanto'"), std::string::npos);
    EXPECT_NE(nothing.error().message.find("(kessel)"), std::string::npos);
}

}  // namespace
}  // namespace parlance::cli
