#include "gateway/read_queue.h"

#include <vector>

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

TEST(ReadQueue, G7_BeginsReadsInOrderAndUpToItsLimitAtATime) {
    ReadQueue reads;
    std::vector<std::size_t> begun;
    const std::size_t all = 2 * ReadQueue::kReadsMax;
    for (std::size_t i = 0; i < all; ++i) {
        reads.push([&begun, i] {
            begun.push_back(i);
            return true;
        });
    }
    EXPECT_EQ(begun.size(), ReadQueue::kReadsMax);
    for (std::size_t i = 0; i < ReadQueue::kReadsMax; ++i) reads.done();
    ASSERT_EQ(begun.size(), all);
    for (std::size_t i = 0; i < all; ++i) EXPECT_EQ(begun[i], i);
}

TEST(ReadQueue, G7_PassesOverStreamsThatWereClosedWhileTheyWaited) {
    ReadQueue reads;
    int begun = 0;
    for (std::size_t i = 0; i < ReadQueue::kReadsMax; ++i) reads.push([] { return true; });
    for (int i = 0; i < 10'000; ++i) reads.push([] { return false; });
    reads.push([&begun] { return ++begun > 0; });
    reads.done();
    EXPECT_EQ(begun, 1);
}

}  // namespace
}  // namespace parlance::gateway
