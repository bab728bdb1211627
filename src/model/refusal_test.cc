#include "model/refusal.h"

#include <set>

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(Refusals, StandInTheTableInTheOrderOfTheirNumbers) {
    for (std::size_t i = 0; i < kRefusals.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(kRefusals[i].refusal), i + 1) << kRefusals[i].code;
    }
}

TEST(Refusals, HaveDistinctCodesAndAnAdviceEach) {
    std::set<std::string_view> codes;
    for (const auto& row : kRefusals) {
        EXPECT_TRUE(codes.insert(row.code).second) << row.code;
        EXPECT_FALSE(row.advice.empty()) << row.code;
        EXPECT_GE(row.http_status, 400) << row.code;
    }
}

}  // namespace
}  // namespace parlance
