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
