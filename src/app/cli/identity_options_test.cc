#include "app/cli/identity_options.h"

#include <gtest/gtest.h>

namespace parlance::cli {
namespace {

TEST(TimeToLive, IsANumberAndAUnit) {
    EXPECT_EQ(parse_ttl("45s"), std::chrono::seconds{45});
    EXPECT_EQ(parse_ttl("15m"), std::chrono::minutes{15});
    EXPECT_EQ(parse_ttl("12h"), std::chrono::hours{12});
    EXPECT_EQ(parse_ttl("30d"), std::chrono::hours{720});
    EXPECT_EQ(parse_ttl("3650d"), std::chrono::hours{87'600});
    for (const auto* text : {"", "d", "30", "0d", "-1d", "3651d", "30 d", "1w", "30dd", "1.5h"}) {
        EXPECT_FALSE(parse_ttl(text)) << text;
    }
    EXPECT_FALSE(parse_ttl("99999999999999999999s"));
    EXPECT_FALSE(parse_ttl("9223372036854775807d")) << "no overflow";
}

}  // namespace
}  // namespace parlance::cli
