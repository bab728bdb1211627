#include "gateway/marked_id.h"

#include <gtest/gtest.h>

#include "model/envelope.h"

namespace parlance::gateway {
namespace {

TEST(MarkedId, D5_TheSameTicketOfAnotherMomentIsAnotherHumanTask) {
    EXPECT_EQ(human_task_id({4096}, Time{std::chrono::milliseconds{35}}), "4096.z");
    EXPECT_EQ(human_task_id({4096}, Time{std::chrono::milliseconds{36}}), "4096.10");
    EXPECT_FALSE(names_id("4096.z", "4096.10"));
    EXPECT_TRUE(names_id("4096.z", "4096.z"));
}

TEST(MarkedId, D5_ATicketAloneIsAnIdAsEventsShowIt) {
    EXPECT_TRUE(names_id("4096", "4096.z"));
    EXPECT_FALSE(names_id("409", "4096.z"));
    EXPECT_FALSE(names_id("4096.", "4096.z"));
    EXPECT_EQ(parse_ticket("4096.z"), Ticket{4096});
    EXPECT_EQ(parse_ticket("4096"), Ticket{4096});
}

TEST(MarkedId, D5_TextWithoutALeadingNumberIsNoId) {
    for (const auto* text : {"", ".", ".z", "z", "-1", "4096x", "4 .z", "99999999999999999999.z"}) {
        EXPECT_EQ(parse_ticket(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace parlance::gateway
