#include "app/cli/histogram.h"

#include <gtest/gtest.h>

namespace parlance::cli {
namespace {

TEST(Histogram, IsExactForSmallValues) {
    Histogram histogram;
    for (std::uint64_t value = 1; value <= 10; ++value) histogram.record(value);
    EXPECT_EQ(histogram.percentile(0.5), 5U);
    EXPECT_EQ(histogram.percentile(0.9), 9U);
    EXPECT_EQ(histogram.percentile(1.0), 10U);
    EXPECT_EQ(histogram.percentile(0.0), 1U);
}

TEST(Histogram, IsNeverBelowTheTruthAndAtMostAThirtySecondAbove) {
    Histogram histogram;
    constexpr std::uint64_t kCount = 100'000;
    for (std::uint64_t i = 1; i <= kCount; ++i) histogram.record(i * 1'000);
    for (const double quantile : {0.01, 0.5, 0.9, 0.99, 0.999}) {
        const double truth = quantile * static_cast<double>(kCount) * 1'000;
        const auto found = static_cast<double>(histogram.percentile(quantile));
        EXPECT_GE(found, truth) << quantile;
        EXPECT_LE(found, truth * (1 + 1.0 / 32)) << quantile;
    }
    EXPECT_EQ(histogram.max(), kCount * 1'000);
}

TEST(Histogram, StaysBetweenTheSmallestAndTheLargestValue) {
    Histogram histogram;
    histogram.record(1'000'003);
    EXPECT_EQ(histogram.percentile(0.5), 1'000'003U);
    EXPECT_EQ(histogram.percentile(0.999), 1'000'003U);
}

TEST(Histogram, HoldsTheWholeRange) {
    Histogram histogram;
    histogram.record(0);
    histogram.record(~std::uint64_t{0});
    EXPECT_EQ(histogram.percentile(0.5), 0U);
    EXPECT_EQ(histogram.percentile(1.0), ~std::uint64_t{0});
    EXPECT_EQ(histogram.total(), 2U);
}

TEST(Histogram, AddsASecondHistogram) {
    Histogram one;
    Histogram other;
    for (int i = 0; i < 90; ++i) one.record(10);
    for (int i = 0; i < 10; ++i) other.record(20);
    one.add(other);
    EXPECT_EQ(one.total(), 100U);
    EXPECT_EQ(one.percentile(0.90), 10U);
    EXPECT_EQ(one.percentile(0.91), 20U);
    EXPECT_EQ(one.max(), 20U);
    EXPECT_EQ(one.min(), 10U);
}

TEST(Histogram, IsZeroWithoutValues) {
    const Histogram histogram;
    EXPECT_EQ(histogram.percentile(0.5), 0U);
    EXPECT_EQ(histogram.max(), 0U);
    EXPECT_EQ(histogram.min(), 0U);
    EXPECT_EQ(render(histogram, {}), "");
}

TEST(Histogram, DrawsEveryValueOnceAndMarksThePercentiles) {
    Histogram histogram;
    for (int i = 0; i < 98; ++i) histogram.record(1'100);
    histogram.record(9'000);
    histogram.record(70'000);
    const std::string picture = render(histogram, {.width = 80});
    EXPECT_NE(picture.find("98  p50 p90"), std::string::npos) << picture;
    EXPECT_NE(picture.find("max"), std::string::npos) << picture;
    // 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50 µs: empty rows between are shown too.
    EXPECT_EQ(std::count(picture.begin(), picture.end(), '\n'), 11) << picture;
    EXPECT_TRUE(picture.starts_with("     1 µs  █")) << picture;
}

TEST(Durations, HaveThreeDigitsAndTheUnitThatFits) {
    const std::pair<double, const char*> cases[] = {{0, "0 ns"},
                                                    {417, "417 ns"},
                                                    {999.6, "1.00 µs"},
                                                    {38'240, "38.2 µs"},
                                                    {155'000, "155 µs"},
                                                    {1'940'000, "1.94 ms"},
                                                    {2'610'000'000, "2.61 s"}};
    for (const auto& [nanoseconds, text] : cases) EXPECT_EQ(duration_text(nanoseconds), text);
}

TEST(Counts, AreGroupedByThousands) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1'000), "1,000");
    EXPECT_EQ(count_text(1'204'551), "1,204,551");
}

}  // namespace
}  // namespace parlance::cli
