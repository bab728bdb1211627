#include "gateway/inbox_share.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

TEST(InboxShare, G6_IsFullAtItsLimitAndHasRoomForEachCommandThatLeaves) {
    InboxShare share;
    for (std::uint64_t number = 1; number <= InboxShare::kCommandsMax; ++number) {
        ASSERT_FALSE(share.is_full(0)) << number;
        share.add(number);
    }
    EXPECT_TRUE(share.is_full(0));
    EXPECT_FALSE(share.is_full(1));
    share.add(InboxShare::kCommandsMax + 1);
    EXPECT_TRUE(share.is_full(1));
}

TEST(InboxShare, G6_CountsOnlyTheCommandsOfItsAgent) {
    InboxShare share;
    // Every second command is another agent's.
    for (std::uint64_t i = 1; i <= InboxShare::kCommandsMax; ++i) share.add(2 * i);
    EXPECT_TRUE(share.is_full(1));
    EXPECT_FALSE(share.is_full(2));
    EXPECT_FALSE(share.is_full(2 * InboxShare::kCommandsMax));
}

}  // namespace
}  // namespace parlance::gateway
