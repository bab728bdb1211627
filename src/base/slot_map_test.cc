#include "base/slot_map.h"

#include <vector>

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(SlotMap, FindsEachByItsNumberAndNothingElse) {
    std::vector<std::uint64_t> numbers;
    const auto number_of = [&](Slot slot) { return numbers[slot]; };
    SlotMap map;
    for (Slot slot = 0; slot < 1'000; ++slot) {
        numbers.push_back(slot * 1'024U + 1'024U);
        map.add(numbers.back(), slot);
    }
    for (Slot slot = 0; slot < 1'000; ++slot) EXPECT_EQ(map.find(numbers[slot], number_of), slot);
    EXPECT_EQ(map.find(1'023, number_of), kNoSlot);
    map.remove(numbers[7], number_of);
    EXPECT_EQ(map.find(numbers[7], number_of), kNoSlot);
    EXPECT_EQ(map.size(), 999U);
}

TEST(SlotMap, DistinguishesNumbersWithEqualHalfHashes) {
    // Since spread() times its inverse is one, the hashes of both numbers differ in the lower half
    // only.
    constexpr std::uint64_t kInverse = 0xF1DE'83E1'9937'733DU;
    const std::vector<std::uint64_t> numbers{kInverse * 5, kInverse * 6};
    ASSERT_EQ(HashedSlot::half(spread(numbers[0])), HashedSlot::half(spread(numbers[1])));
    const auto number_of = [&](Slot slot) { return numbers[slot]; };
    SlotMap map;
    map.add(numbers[0], 0);
    EXPECT_EQ(map.find(numbers[1], number_of), kNoSlot);
    map.add(numbers[1], 1);
    EXPECT_EQ(map.find(numbers[0], number_of), 0U);
    EXPECT_EQ(map.find(numbers[1], number_of), 1U);
    map.remove(numbers[0], number_of);
    EXPECT_EQ(map.find(numbers[0], number_of), kNoSlot);
    EXPECT_EQ(map.find(numbers[1], number_of), 1U);
}

TEST(SlotMap, GivesAllInTheOrderOfTheirNumbers) {
    const std::vector<std::uint64_t> numbers{30, 10, 20};
    SlotMap map;
    for (Slot slot = 0; slot < 3; ++slot) map.add(numbers[slot], slot);
    const std::vector<SlotMap::Row> expected{{10, 1}, {20, 2}, {30, 0}};
    EXPECT_EQ(map.sorted([&](Slot slot) { return numbers[slot]; }), expected);
}

}  // namespace
}  // namespace parlance
