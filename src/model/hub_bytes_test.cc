#include "model/hub_bytes.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

TEST(HubBytes, G7_AreAQuarterOfTheMemoryWithinAFloorAndACap) {
    EXPECT_EQ(hub_bytes_for(2 * kGibibyte), 512 * kMebibyte);
    EXPECT_EQ(hub_bytes_for(16 * kGibibyte), 4 * kGibibyte);
    EXPECT_EQ(hub_bytes_for(128 * kMebibyte), 64 * kMebibyte) << "the floor";
    EXPECT_EQ(hub_bytes_for(1024 * kGibibyte), 8 * kGibibyte) << "the cap";
}

TEST(HubBytes, G7_AreTheFixedDefaultWhereTheMemoryIsNotKnown) {
    EXPECT_EQ(hub_bytes_for(0), Limits{}.hub_bytes_max);
}

}  // namespace
}  // namespace parlance
