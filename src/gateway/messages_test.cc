#include <gtest/gtest.h>

#include "gateway/handlers.h"

namespace parlance::gateway {
namespace {

TEST(PreferredWait, IsFoundAmongOtherPreferences) {
    const std::pair<std::string_view, std::optional<std::int64_t>> cases[] = {
        {"", std::nullopt},
        {"wait=50", 50},
        {"respond-async, wait=50", 50},
        {"respond-async; note=\"a, wait=9\", Wait = \"50\" ; now", 50},
        {"wait=50, wait=70", 50},
        {"wait=0", 0},
        {"wait=99999999999999999999", 600'000},
        {"nowait=50", std::nullopt},
        {"note=\"wait=50\"", std::nullopt},
        {"waiting, , ;", std::nullopt},
        {"note=\"half\\", std::nullopt}};
    for (const auto& [prefer, ms] : cases) {
        const auto wait = preferred_wait(prefer);
        ASSERT_TRUE(wait) << prefer;
        ASSERT_EQ(wait->has_value(), ms.has_value()) << prefer;
        if (!ms) continue;
        EXPECT_EQ((*wait)->count(), *ms) << prefer;
    }
}

TEST(PreferredWait, UnreadableTimeIsAnErrorAndNotAMissingWait) {
    for (const std::string_view prefer : {"wait=abc", "wait", "wait=", "wait=-1", "a, wait=1.5"}) {
        const auto wait = preferred_wait(prefer);
        ASSERT_FALSE(wait) << prefer;
        EXPECT_NE(wait.error().message.find("milliseconds"), std::string::npos);
    }
}

}  // namespace
}  // namespace parlance::gateway
