#include "gateway/fair_lines.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

constexpr auto kMax = FairLines::kUnderWayMax;

TEST(FairLines, G6_WhoAsksForMuchDelaysAnotherByNoMoreThanAFew) {
    FairLines lines;
    std::string begun;
    const auto ask = [&](const std::string& who) {
        EXPECT_TRUE(lines.push(who, [&begun, who] {
            begun += who;
            return true;
        }));
    };
    for (std::size_t i = 0; i < 100; ++i) ask("a");
    ask("b");
    EXPECT_EQ(begun, std::string(kMax, 'a') + "b");
    lines.done("a");
    EXPECT_EQ(begun, std::string(kMax, 'a') + "ba");
}

TEST(FairLines, G7_ALineBelowAtAndAboveItsLength) {
    FairLines lines;
    int begun = 0;
    const auto ask = [&] { return lines.push("a", [&begun] { return ++begun > 0; }); };
    for (std::size_t i = 0; i < kMax + FairLines::kWaitingMax; ++i) {
        EXPECT_FALSE(lines.is_full("a"));
        ASSERT_TRUE(ask()) << i;
    }
    EXPECT_TRUE(lines.is_full("a"));
    EXPECT_FALSE(ask());
    EXPECT_FALSE(lines.is_full("b"));
    lines.done("a");
    EXPECT_TRUE(ask());
    EXPECT_EQ(begun, static_cast<int>(kMax) + 1);
}

TEST(FairLines, BeginsInOrderAndPassesOverWhatNobodyWantsAnyMore) {
    FairLines lines;
    std::vector<int> begun;
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(lines.push("a", [&begun, i] {
            if (i >= 4 && i < 15) return false;
            begun.push_back(i);
            return true;
        }));
    }
    for (int i = 0; i < 9; ++i) lines.done("a");
    EXPECT_EQ(begun, (std::vector{0, 1, 2, 3, 15, 16, 17, 18, 19}));
}

}  // namespace
}  // namespace parlance::gateway
