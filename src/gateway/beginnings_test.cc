#include "gateway/beginnings.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

TEST(Beginnings, C1_OfRecentWorkflowsStayTheSame) {
    Beginnings beginnings{4};
    const Time noon{Duration{1'763'899'200'000}};
    EXPECT_EQ(beginnings.of("a", noon), noon);
    EXPECT_EQ(beginnings.of("a", noon + Duration{5000}), noon);
    EXPECT_EQ(beginnings.of("b", noon + Duration{1}), noon + Duration{1});
    EXPECT_EQ(beginnings.of("c", noon + Duration{2}), noon + Duration{2});
    EXPECT_EQ(beginnings.of("a", noon + Duration{3}), noon) << "who is asked for stays";
    for (const auto* other : {"d", "e", "f", "g"}) beginnings.of(other, noon);
    EXPECT_EQ(beginnings.of("b", noon + Duration{9}), noon + Duration{9});
}

}  // namespace
}  // namespace parlance::gateway
