#include "base/sorted_chunks.h"

#include <cstdint>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace parlance {
namespace {

using Pair = std::pair<std::uint64_t, std::uint64_t>;

TEST(SortedChunks, IsInOrderWhateverTheOrderOfInsertion) {
    SortedChunks<int> set{5, 3, 9, 1, 3};
    EXPECT_EQ(set.size(), 4U);
    EXPECT_EQ(std::vector<int>(set.begin(), set.end()), (std::vector{1, 3, 5, 9}));
    EXPECT_FALSE(set.insert(9));
    EXPECT_FALSE(set.erase(4));
    EXPECT_TRUE(set.erase(5));
    EXPECT_TRUE(set.contains(3));
    EXPECT_FALSE(set.contains(5));
    EXPECT_EQ(*set.lower_bound(4), 9);
    EXPECT_EQ(set.lower_bound(10), set.end());
}

TEST(SortedChunks, AnEmptySetIsSearchedLikeAnyOther) {
    SortedChunks<int> set;
    EXPECT_EQ(set.lower_bound(1), set.end());
    EXPECT_EQ(set.begin(), set.end());
    EXPECT_FALSE(set.contains(1));
    EXPECT_FALSE(set.erase(1));
    EXPECT_EQ(set, SortedChunks<int>{});
}

/// Compares with std::set: random inserts and erases, of few and of many values.
void compare_with_a_tree(std::uint64_t seed, std::uint64_t values, int rounds) {
    std::mt19937_64 entropy{seed};
    SortedChunks<Pair> set;
    std::set<Pair> tree;
    for (int round = 0; round < rounds; ++round) {
        const Pair value{entropy() % values, entropy() % 3};
        // Grows for a while, then shrinks for a while.
        const bool grows = (round / 1'000) % 3 != 2;
        if ((entropy() % 4 != 0) == grows) {
            ASSERT_EQ(set.emplace(value.first, value.second), tree.insert(value).second);
        } else {
            ASSERT_EQ(set.erase(value), tree.erase(value) == 1);
        }
        ASSERT_EQ(set.size(), tree.size());
        const Pair sought{entropy() % values, 0};
        const auto found = set.lower_bound(sought);
        const auto expected = tree.lower_bound(sought);
        ASSERT_EQ(found == set.end(), expected == tree.end());
        ASSERT_TRUE(expected == tree.end() || *found == *expected);
        ASSERT_TRUE(expected == tree.begin() || *std::prev(found) == *std::prev(expected));
    }
    EXPECT_TRUE(std::ranges::equal(set, tree));
}

TEST(SortedChunks, IsLikeATreeOfTheSameValues) {
    compare_with_a_tree(1, 50, 10'000);
    compare_with_a_tree(2, 5'000, 30'000);
    compare_with_a_tree(3, UINT64_MAX, 10'000);
}

TEST(SortedChunks, ASlidingWindowOfValuesLeavesNoRest) {
    SortedChunks<int> set;
    for (int i = 0; i < 10'000; ++i) {
        set.insert(i);
        EXPECT_EQ(set.erase(i - 500), i >= 500);
        EXPECT_EQ(*set.begin(), std::max(i - 499, 0));
    }
    EXPECT_EQ(set.size(), 500U);
}

}  // namespace
}  // namespace parlance
