#include "gateway/wait_shares.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

TEST(WaitShares, G6_OfOneCallerBelowAtAndAboveTheirNumber) {
    WaitShares shares;
    const auto first = shares.take("a", 2);
    auto second = shares.take("a", 2);
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(shares.take("a", 2));
    EXPECT_TRUE(shares.take("b", 2)) << "another has its own";
    second.reset();
    EXPECT_TRUE(shares.take("a", 2));
}

TEST(WaitShares, MayBeGivenBackWhenTheDeskIsGone) {
    auto shares = std::make_unique<WaitShares>();
    auto kept = shares->take("a", 1);
    shares.reset();
    kept.reset();
}

}  // namespace
}  // namespace parlance::gateway
