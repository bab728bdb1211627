#include <csignal>
#include <vector>

#include <gtest/gtest.h>

#include "transport/transport.h"

namespace parlance::transport {
namespace {

TEST(Loop, HandlesEverySignal) {
    Loop loop;
    std::vector<int> heard;
    loop.on_signal([&](int number) {
        heard.push_back(number);
        if (heard.size() == 2) return loop.stop();
        std::raise(SIGINT);  // A second signal while the first is being handled.
    });
    loop.post([] { std::raise(SIGTERM); });
    loop.run([] {});
    EXPECT_EQ(heard, (std::vector{SIGTERM, SIGINT}));
}

TEST(Loop, G7_AnAlarmThatNobodyKeepsGivesItsWorkBackAtOnce) {
    Loop loop;
    const auto held = std::make_shared<int>(0);
    bool has_rung = false;
    auto dropped = loop.alarm(std::chrono::hours{1}, [held] {});
    const auto kept = loop.alarm(Duration{1}, [&, held] {
        has_rung = true;
        loop.stop();
    });
    EXPECT_EQ(held.use_count(), 3);
    dropped.reset();
    loop.run([] {});
    EXPECT_TRUE(has_rung);
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Loop, RunsBetweenAfterEachGroupOfHandlers) {
    Loop loop;
    std::vector<int> order;
    loop.post([&] { order.push_back(1); });
    loop.after(Duration{1}, [&] {
        order.push_back(2);
        loop.stop();
    });
    loop.run([&] {
        if (!order.empty() && order.back() != 0) order.push_back(0);
    });
    ASSERT_GE(order.size(), 3U);
    EXPECT_EQ((std::vector<int>{order.begin(), order.begin() + 3}), (std::vector{1, 0, 2}));
}

}  // namespace
}  // namespace parlance::transport
