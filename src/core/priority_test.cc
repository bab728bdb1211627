// Which task goes first, and that no task waits for ever.
#include <map>

#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

constexpr std::array kAll{Priority::Low, Priority::Normal, Priority::High, Priority::Critical};

/// Delivers one message at a time; returns the order of delivery.
Ids drain(Story& story, std::size_t count_max) {
    Ids seen;
    while (!story.delivered().empty() && seen.size() < count_max) {
        seen.push_back(story.delivered()[0]);
        story.ack(story.last_delivery());
    }
    return seen;
}

TEST(Priority, K8_T7_UrgentMessagesOvertakeInAWaitingQueue) {
    Story story;
    story.agent("bob");
    for (const auto priority : kAll) {
        const auto name = std::to_string(static_cast<int>(priority));
        story.send({.id = name + "a"}, priority).send({.id = name + "b"}, priority);
    }
    story.connect("bob", 1);
    EXPECT_EQ(drain(story, 8), (Ids{"0a", "0b", "1a", "1b", "2a", "2b", "3a", "3b"}));
}

TEST(Priority, D8_ACriticalMessageWaitsOnlyForTheMessageInFlight) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1);
    for (int i = 0; i < 5; ++i) story.send({.id = "low" + std::to_string(i)}, Priority::Low);
    const auto in_flight =
        broker::find_message(story.state().broker, ticket_at({story.state().sequence.value}));
    EXPECT_NE(in_flight, nullptr);
    story.send({.id = "critical"}, Priority::Critical);
    EXPECT_TRUE(story.delivered().empty());
    story.ask(LeaveInstance{{story.state().registry.instance_last}, "bye"});
    story.connect("bob", 1);
    EXPECT_EQ(story.delivered(), Ids{"critical"});
}

TEST(Priority, D8_ATaskHasThePriorityOfTheMostUrgentMessage) {
    Story story;
    story.agent("bob");
    story.send({.id = "n1"}, Priority::Normal);
    story.send({.id = "t1", .task = "t"}, Priority::Low);
    story.send({.id = "t2", .task = "t"}, Priority::Low);
    story.send({.id = "h1"}, Priority::High);
    story.send({.id = "t3", .task = "t"}, Priority::Critical);
    story.send({.id = "t4", .task = "t"}, Priority::Low);
    story.connect("bob", 1);
    EXPECT_EQ(drain(story, 6), (Ids{"t1", "t2", "t3", "h1", "n1", "t4"}))
        << "and no longer urgent once that one is through";
}

TEST(Priority, D8_AHighMessageRaisesItsTaskToHighAndNotToCritical) {
    Story story;
    story.agent("bob");
    story.send({.id = "t1", .task = "t"}, Priority::Normal);
    story.send({.id = "t2", .task = "t"}, Priority::High);
    story.send({.id = "c1"}, Priority::Critical);
    story.send({.id = "n1"}, Priority::Normal);
    story.connect("bob", 1);
    EXPECT_EQ(drain(story, 4), (Ids{"c1", "t1", "t2", "n1"}));
}

TEST(Priority, D8_TheInheritanceSurvivesARedelivery) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1);
    story.send({.id = "t1", .task = "t"}, Priority::High);
    const auto held = story.last_delivery();
    story.send({.id = "h1"}, Priority::High);
    story.send({.id = "t2", .task = "t"}, Priority::Critical);
    story.nack(held);
    EXPECT_EQ(story.delivered(), Ids{"h1"});
    const auto other = story.last_delivery();
    story.send({.id = "h2"}, Priority::High).later(std::chrono::seconds{1}).tick();
    story.ack(other);
    EXPECT_EQ(story.delivered(), Ids{"t1"}) << "critical by what stands behind it";
}

TEST(Priority, K8_D8_LowMessagesAreServedAtLeastOnceInAHundredDeliveries) {
    Story story;
    story.replayed_every(100);
    story.agent("bob");
    story.send({.id = "low1"}, Priority::Low).send({.id = "low2"}, Priority::Low);
    for (int i = 0; i < 250; ++i) story.send({.id = "m" + std::to_string(i)});
    story.connect("bob", 1);
    const auto seen = drain(story, 252);
    ASSERT_EQ(seen.size(), 252U);
    EXPECT_LE(std::ranges::find(seen, "low1") - seen.begin(), 99) << "the hundredth at the latest";
    EXPECT_GE(std::ranges::find(seen, "low1") - seen.begin(), 90) << "and not much sooner";
    EXPECT_LE(std::ranges::find(seen, "low2") - std::ranges::find(seen, "low1"), 100);
}

/// Every priority waits all the time; records the priority and the instance of each delivery.
struct Rush {
    Story story;
    explicit Rush(std::uint32_t low_every, int consumers) {
        story.replayed_every(50);
        story.limits().low_every = low_every;
        story.limits().heartbeat_timeout = std::chrono::hours{100};
        story.agent("bob");
        for (int i = 0; i < 120; ++i) {
            for (const auto priority : kAll) {
                const auto level = std::to_string(static_cast<int>(priority));
                story.send({.id = level + "-" + std::to_string(i)}, priority);
            }
        }
        for (int i = 0; i < consumers; ++i) {
            story.connect("bob", 1, "consumer-" + std::to_string(i));
            note();
        }
    }
    void note() {
        for (const auto& deliver : story.asked_for<Deliver>()) {
            went.emplace_back(deliver.envelope->id().front(), deliver.instance);
            held.push_back(deliver.delivery);
        }
    }
    void go_on(int times) {
        for (int i = 0; i < times && !held.empty(); ++i) {
            const auto next = held.begin() + (i * 7) % static_cast<int>(held.size());
            const auto token = *next;
            held.erase(next);
            story.ack(token);
            note();
        }
    }
    std::vector<std::pair<char, InstanceNumber>> went;
    std::vector<DeliveryToken> held;
};

TEST(Priority, D8_ACriticalMessageIsPassedOverAtMostOnce) {
    for (const int consumers : {1, 3}) {
        Rush rush{12, consumers};
        rush.go_on(120);
        std::map<InstanceNumber, char> last;
        std::array<int, kPriorities> since{};
        char before = '0';
        for (const auto& [level, instance] : rush.went) {
            const bool is_lower = level != '0';
            EXPECT_FALSE(is_lower && before != '0') << "two lower ones in a row";
            EXPECT_FALSE(is_lower && last.contains(instance) && last[instance] != '0')
                << "a consumer had two lower ones in a row";
            before = last[instance] = level;
            for (auto& times : since) ++times;
            since[static_cast<std::size_t>(level - '0')] = 0;
            EXPECT_LE(*std::ranges::max_element(since), 12 - 1) << "1 in 12 for each of them";
        }
        EXPECT_GE(rush.went.size(), 100U);
    }
}

TEST(Priority, D8_ACriticalMessageOvertakesADueLowOne) {
    Story story;
    story.limits().low_every = 10;
    story.agent("bob");
    story.connect("bob", 1);
    story.send({.id = "h1"});
    const auto first = story.last_delivery();
    for (const auto* id : {"h2", "h3"}) story.send({.id = id});
    story.send({.id = "low"}, Priority::Low);
    story.ack(first);
    story.ack(story.last_delivery());
    ASSERT_EQ(story.delivered(), Ids{"h3"}) << "low is due for the next one";
    const auto in_flight = story.last_delivery();
    story.send({.id = "critical"}, Priority::Critical);
    story.ack(in_flight);
    EXPECT_EQ(drain(story, 2), (Ids{"critical", "low"}));
}

TEST(Priority, K8_D8_LowMessagesAreServedWithinOneLargeStepToo) {
    Story story;
    story.replayed_every(100);
    story.limits().low_every = 17;
    story.agent("bob");
    for (int i = 0; i < 50; ++i) story.send({.id = "m" + std::to_string(i)});
    story.send({.id = "low"}, Priority::Low).send({.id = "normal"}, Priority::Normal);
    story.connect("bob", 100);
    const auto seen = story.delivered();
    ASSERT_EQ(seen.size(), 52U);
    EXPECT_EQ(std::ranges::find(seen, "low") - seen.begin(), 9);
    EXPECT_EQ(std::ranges::find(seen, "normal") - seen.begin(), 10);
}

TEST(Priority, AnEndedWaitIsNotCountedForTheNextMessage) {
    Story story;
    story.limits().low_every = 10;
    story.agent("bob");
    story.connect("bob", 1);
    story.send({.id = "h0"});
    const auto held = story.last_delivery();
    story.send({.id = "low1"}, Priority::Low);
    for (int i = 1; i < 8; ++i) story.send({.id = "h" + std::to_string(i)});
    story.send({.id = "low2"}, Priority::Low);
    story.ack(held);
    EXPECT_EQ(drain(story, 6), (Ids{"h1", "h2", "low1", "h3", "h4", "low2"}));
}

}  // namespace
}  // namespace parlance::core
