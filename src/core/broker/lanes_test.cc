#include "core/broker/lanes.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "core/keys.h"

namespace parlance::core::broker {
namespace {

constexpr HashKey kKey{1, 2};

struct House {
    Broker broker;

    Slot add(std::uint64_t ticket, std::string_view task, Priority priority = Priority::Normal) {
        return broker.messages.add(Message{.ticket = {ticket},
                                           .envelope = Envelope::make({.task = task}, ""),
                                           .mailbox = 0,
                                           .priority = priority});
    }
    Lane join(Slot slot) {
        return join_lane(broker, kKey, lane_key_of(kKey, broker.messages[slot]), slot);
    }
    std::optional<Lane> find(std::string_view task) const {
        return find_lane(broker, kKey, lane_key(kKey, 0, task));
    }
};

TEST(Lanes, ALaneOfASingleMessageIsFoundLikeALaneOfMany) {
    House house;
    EXPECT_FALSE(house.find("t"));
    const Slot first = house.add(1, "t", Priority::High);
    EXPECT_EQ(house.join(first).head, first);
    ASSERT_TRUE(house.find("t"));
    EXPECT_EQ(house.find("t")->tail, first);
    EXPECT_EQ(house.find("t")->urgent[1], 1U);
    EXPECT_FALSE(house.find("u"));

    const Slot second = house.add(2, "t", Priority::Critical);
    EXPECT_EQ(house.join(second).head, first);
    EXPECT_EQ(house.find("t")->tail, second);
    EXPECT_EQ(house.find("t")->urgent[0], 1U);
    EXPECT_EQ(house.broker.messages[first].lane_next, second);
    EXPECT_TRUE(house.broker.singles.empty());

    const auto left = quit_lane(house.broker, kKey, first);
    ASSERT_TRUE(left) << "it has another head";
    EXPECT_EQ(left->head, second);
    EXPECT_EQ(house.find("t")->urgent[1], 0U);
    EXPECT_EQ(house.broker.singles.size(), 1U);
    EXPECT_TRUE(house.broker.lanes.empty());

    EXPECT_FALSE(quit_lane(house.broker, kKey, second));
    EXPECT_FALSE(house.find("t"));
    EXPECT_TRUE(house.broker.singles.empty());
}

TEST(Lanes, LeavingFromTheMiddleOrTheEndKeepsTheHead) {
    House house;
    const Slot first = house.add(1, "t");
    const Slot second = house.add(2, "t");
    const Slot third = house.add(3, "t");
    for (const Slot slot : {first, second, third}) house.join(slot);
    EXPECT_FALSE(quit_lane(house.broker, kKey, second));
    EXPECT_EQ(house.broker.messages[first].lane_next, third);
    EXPECT_EQ(house.broker.messages[third].link_prev, first);
    EXPECT_FALSE(quit_lane(house.broker, kKey, third));
    EXPECT_EQ(house.broker.messages[first].lane_next, kNoSlot);
    EXPECT_EQ(house.find("t")->head, first);
    EXPECT_EQ(house.find("t")->tail, first);
}

TEST(Lanes, TwoTasksAreTwoLanesEvenIfHalfOfTheirHashesCollides) {
    // Among so many tasks two half-hashes collide, by the birthday bound.
    std::map<std::uint32_t, std::string> tasks;
    std::string one;
    std::string other;
    for (int i = 0; one.empty(); ++i) {
        ASSERT_LT(i, 2'000'000);
        auto task = "task " + std::to_string(i);
        const auto half = HashedSlot::half(lane_key(kKey, 0, task));
        const auto [found, is_new] = tasks.emplace(half, task);
        if (is_new) continue;
        one = found->second;
        other = task;
    }
    House house;
    const Slot first = house.add(1, one);
    const Slot second = house.add(2, other);
    house.join(first);
    EXPECT_FALSE(house.find(other));
    EXPECT_EQ(house.join(second).head, second);
    EXPECT_EQ(house.find(one)->head, first);
    EXPECT_EQ(house.find(other)->head, second);
    quit_lane(house.broker, kKey, first);
    EXPECT_FALSE(house.find(one));
    EXPECT_EQ(house.find(other)->head, second);
}

}  // namespace
}  // namespace parlance::core::broker
