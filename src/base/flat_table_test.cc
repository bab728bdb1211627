#include "base/flat_table.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace parlance {
namespace {

struct Row {
    std::uint64_t key = 0;
    std::uint32_t value = 0;  ///< Zero marks a gap.

    std::uint64_t place() const { return spread(key); }
    bool empty() const { return value == 0; }
};
using Table = FlatTable<Row>;

const Row* find(const Table& table, std::uint64_t key) {
    return table.find(spread(key), [&](const Row& row) { return row.key == key; });
}

TEST(FlatTable, FindsAddedRowsAndNothingElse) {
    Table table;
    EXPECT_EQ(find(table, 0), nullptr);
    for (std::uint32_t i = 1; i <= 1'000; ++i) table.add({i, i});
    EXPECT_EQ(table.size(), 1'000U);
    for (std::uint32_t i = 1; i <= 1'000; ++i) EXPECT_EQ(find(table, i)->value, i);
    EXPECT_EQ(find(table, 0), nullptr);
    EXPECT_EQ(find(table, 1'001), nullptr);
}

TEST(FlatTable, IsNeverHalfEmptyOnceItIsLarge) {
    Table table;
    for (std::uint32_t i = 1; i <= 100'000; ++i) {
        table.add({i, i});
        // Filled to five sixths, then grown by a quarter: two thirds full.
        if (i <= 1'000) continue;
        ASSERT_LT(table.bytes(), i * sizeof(Row) * 8 / 5) << i;
    }
}

TEST(FlatTable, IsMostlyFullIfItIsDense) {
    FlatTable<Row, Fill::Dense> table;
    for (std::uint32_t i = 1; i <= 100'000; ++i) {
        table.add({i, i});
        // Filled to seven eighths, then grown by an eighth: seven ninths full; the few rows at the
        // end take little.
        if (i <= 1'000) continue;
        ASSERT_LT(table.bytes(), i * sizeof(Row) * 9 / 7 * 103 / 100) << i;
    }
    for (std::uint32_t i = 1; i <= 100'000; ++i) {
        const auto* row = table.find(spread(i), [&](const Row& each) { return each.key == i; });
        ASSERT_NE(row, nullptr);
        ASSERT_EQ(row->value, i);
    }
}

TEST(FlatTable, RowsOfOnePlaceStandTogetherInTheOrderTheyCame) {
    Table table;
    for (std::uint32_t i = 1; i <= 40; ++i) table.add({7, i});
    for (std::uint32_t i = 1; i <= 40; ++i) table.add({i + 100, i});
    const auto* row = table.find(spread(7), [](const Row& each) { return each.value == 33; });
    ASSERT_NE(row, nullptr);
    EXPECT_EQ((row - 1)->value, 32U);
    table.remove(row);
    EXPECT_EQ(table.find(spread(7), [](const Row& each) { return each.value == 33; }), nullptr);
    EXPECT_EQ(table.size(), 79U);
}

TEST(FlatTable, EvenTheLastPlaceHasRoomForMany) {
    struct Last {
        std::uint32_t value = 0;
        std::uint64_t place() const { return UINT64_MAX; }
        bool empty() const { return value == 0; }
    };
    FlatTable<Last> table;
    for (std::uint32_t i = 1; i <= 100; ++i) table.add({i});
    for (std::uint32_t i = 1; i <= 100; ++i) {
        const auto* row = table.find(UINT64_MAX, [&](const Last& each) { return each.value == i; });
        ASSERT_NE(row, nullptr) << i;
        table.remove(row);
    }
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.bytes(), 0U) << "an empty table is a small one";
}

TEST(FlatTable, MakesRoomAtItsEndWithoutBecomingTwiceAsLarge) {
    Table table;
    // The largest results of spread() are those of its inverse: all these rows belong at the end.
    constexpr std::uint64_t kInverse = 0xF1DE'83E1'9937'733DU;
    static_assert(spread(kInverse) == 1);
    for (std::uint32_t i = 1; i <= 10'000; ++i) table.add({i, i});
    const auto before = table.bytes();
    for (std::uint32_t i = 1; i <= 50; ++i) table.add({kInverse * (UINT64_MAX - i), i});
    for (std::uint32_t i = 1; i <= 50; ++i) {
        EXPECT_EQ(find(table, kInverse * (UINT64_MAX - i))->value, i);
    }
    EXPECT_LT(table.bytes(), before * 5 / 4);
}

TEST(FlatTable, AnEmptiedSmallTableKeepsItsMemory) {
    Table table;
    for (int round = 0; round < 3; ++round) {
        for (std::uint32_t i = 1; i <= 5; ++i) table.add({i, i});
        const auto bytes = table.bytes();
        for (std::uint32_t i = 1; i <= 5; ++i) table.remove(find(table, i));
        EXPECT_TRUE(table.empty());
        EXPECT_EQ(table.bytes(), bytes);
        for (std::uint32_t i = 1; i <= 5; ++i) EXPECT_EQ(find(table, i), nullptr);
        table.for_each([](const Row&) { ADD_FAILURE() << "nothing is left in it"; });
    }
}

TEST(FlatTable, IsLikeAMapOfTheSameRows) {
    std::mt19937_64 entropy{5};
    Table table;
    std::map<std::uint64_t, std::uint32_t> map;
    for (int round = 0; round < 50'000; ++round) {
        const auto key = entropy() % 2'000 * 0x0100'0000'0000U;  // As far apart as possible.
        const auto* found = find(table, key);
        ASSERT_EQ(found != nullptr, map.contains(key)) << round;
        if (found != nullptr) {
            ASSERT_EQ(found->value, map.at(key));
            table.remove(found);
            map.erase(key);
        } else {
            const auto value = static_cast<std::uint32_t>(entropy() | 1U);
            table.add({key, value});
            map.emplace(key, value);
        }
        ASSERT_EQ(table.size(), map.size());
    }
    std::size_t rows = 0;
    std::uint64_t last = 0;
    table.for_each([&](const Row& row) {
        EXPECT_EQ(map.at(row.key), row.value);
        EXPECT_GE(row.place(), last);
        last = row.place();
        ++rows;
    });
    EXPECT_EQ(rows, map.size());
}

}  // namespace
}  // namespace parlance
