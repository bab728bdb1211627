#include "base/decimal.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(Decimal, IsTheSameInAnyNotation) {
    for (const char* one : {"1", "1.0", "1.000", "10e-1", "0.1E+1", "1e0"}) {
        EXPECT_EQ(decimal_of(one), decimal_of("1")) << one;
    }
    EXPECT_EQ(decimal_of("-0.00"), decimal_of("0"));
    EXPECT_EQ(decimal_of("0e99"), decimal_of("0"));
    EXPECT_NE(decimal_of("-1"), decimal_of("1"));
}

TEST(Decimal, KeepsEveryDigit) {
    EXPECT_NE(decimal_of("9007199254740993"), decimal_of("9007199254740992"));
    EXPECT_NE(decimal_of("0.1000000000000000000000000001"), decimal_of("0.1"));
}

TEST(Decimal, IsOrderedByValue) {
    // In ascending order.
    const std::vector<std::string> ordered{"-1e400",
                                           "-12",
                                           "-11.9",
                                           "-1e-400",
                                           "0",
                                           "1e-400",
                                           "0.5",
                                           "0.51",
                                           "3",
                                           "12",
                                           "13",
                                           "1e400"};
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        for (std::size_t j = 0; j < ordered.size(); ++j) {
            EXPECT_EQ(compare(decimal_of(ordered[i]), decimal_of(ordered[j])), i <=> j)
                << ordered[i] << " and " << ordered[j];
        }
    }
}

TEST(Decimal, IsAMultipleExactly) {
    const auto is = [](const char* number, const char* of) {
        return is_multiple(decimal_of(number), decimal_of(of));
    };
    EXPECT_TRUE(is("0.3", "0.1"));  // False in binary fractions.
    EXPECT_TRUE(is("19.99", "0.01"));
    EXPECT_TRUE(is("-4.5", "1.5"));
    EXPECT_TRUE(is("0", "7"));
    EXPECT_FALSE(is("1e300", "3e2"));
    EXPECT_TRUE(is("3e300", "3e2"));
    EXPECT_TRUE(is("123456789012345678901234567890", "10"));
    EXPECT_FALSE(is("123456789012345678901234567891", "10"));
    EXPECT_FALSE(is("0.15", "0.1"));
    EXPECT_FALSE(is("1", "2e0"));
}

TEST(Decimal, KnowsWholeNumbers) {
    for (const char* whole : {"0", "3", "3.0", "3e2", "250e-1"}) {
        EXPECT_TRUE(decimal_of(whole).is_whole()) << whole;
    }
    EXPECT_FALSE(decimal_of("3.5").is_whole());
    EXPECT_FALSE(decimal_of("25e-1").is_whole());
}

}  // namespace
}  // namespace parlance
