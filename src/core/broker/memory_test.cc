#include "core/broker/memory.h"

#include <gtest/gtest.h>

namespace parlance::core::broker {
namespace {

const auto kNoneLive = [](Ticket) { return false; };

TEST(Memory, FindsRememberedIdsAnswersAndClosedNames) {
    Memory memory;
    remember_id(memory, 1, {.ticket = {10}, .fingerprint = 5});
    remember_answer(memory, 1, {11});
    remember_closed(memory, 2, {10});
    ASSERT_TRUE(find_id(memory, 1));
    EXPECT_EQ(find_id(memory, 1)->ticket, Ticket{10});
    EXPECT_EQ(find_answer(memory, 1), Sequence{11});
    EXPECT_EQ(find_closed(memory, 2), Ticket{10});
    EXPECT_FALSE(find_id(memory, 2));
    EXPECT_EQ(find_answer(memory, 2), Sequence{});
    EXPECT_EQ(find_closed(memory, 1), Ticket{});
}

TEST(Memory, G7_HoldsAtMostItsLimitAndAtLeastHalfOfIt) {
    Memory memory;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        remember_id(memory, i, {.ticket = {i}});
        age(memory, 10, kNoneLive);
        EXPECT_LE(memory.newer.ids.size() + memory.older.ids.size(), 10U);
        for (std::uint64_t back = 0; back < 5 && back < i; ++back) {
            EXPECT_TRUE(find_id(memory, i - back)) << i << " - " << back;
        }
    }
}

TEST(Memory, D4_NeverForgetsLiveIdsHoweverMany) {
    Memory memory;
    const auto is_live = [](Ticket ticket) { return ticket.value % 2 == 0; };
    for (std::uint64_t i = 1; i <= 400; ++i) {
        remember_id(memory, i, {.ticket = {i}});
        age(memory, 10, is_live);
    }
    for (std::uint64_t i = 2; i <= 400; i += 2) EXPECT_TRUE(find_id(memory, i)) << i;
    EXPECT_FALSE(find_id(memory, 1));
}

// Without reserving the table first this takes minutes.
TEST(Memory, D4_KeepsAMillionLiveIdsWithTheirAnswers) {
    constexpr std::uint64_t kCount = 1'000'000;
    Memory memory;
    for (std::uint64_t i = 1; i <= kCount; ++i) {
        remember_id(memory, i, {.ticket = {i}});
        remember_answer(memory, i, {i});
    }
    const auto all_live = [](Ticket) { return true; };
    age(memory, kCount, all_live);  // The rows become the older generation,
    memory.taken = kCount;
    age(memory, kCount, all_live);  // and here the newer one again.
    EXPECT_EQ(memory.newer.ids.size(), kCount);
    EXPECT_EQ(find_id(memory, kCount)->ticket, Ticket{kCount});
    EXPECT_EQ(find_answer(memory, 1), Sequence{1});
}

TEST(Memory, D4_KeepsTheAnswerWithALiveId) {
    Memory memory;
    remember_id(memory, 1, {.ticket = {1}});
    remember_answer(memory, 1, {2});
    const auto is_live = [](Ticket ticket) { return ticket == Ticket{1}; };
    for (std::uint64_t i = 10; i <= 100; ++i) {
        remember_id(memory, i, {.ticket = {i}});
        age(memory, 10, is_live);
    }
    EXPECT_EQ(find_answer(memory, 1), Sequence{2});
}

TEST(Memory, LooksAtEachLiveIdOnlyOncePerGeneration) {
    Memory memory;
    std::uint64_t asked = 0;
    const auto is_live = [&](Ticket) {
        ++asked;
        return true;
    };
    for (std::uint64_t i = 1; i <= 10'000; ++i) {
        remember_id(memory, i, {.ticket = {i}});
        age(memory, 1000, is_live);
    }
    EXPECT_LE(asked, 20 * 10'000U) << "not once for every message";
}

TEST(Memory, G7_NamesOfEndedRequestsAreBoundedToo) {
    constexpr std::uint64_t kIdsMax = 10;
    constexpr auto kMost = closed_names_max(kIdsMax);
    Memory memory;
    remember_id(memory, 1, {.ticket = {1}});
    for (std::uint64_t i = 1; i <= 5 * kMost; ++i) {
        remember_closed(memory, i, {i});
        age_closed(memory, kIdsMax);
        ASSERT_LE(memory.newer.closed.size() + memory.older.closed.size(), 2 * kMost);
    }
    EXPECT_EQ(find_closed(memory, 4 * kMost + 1), Ticket{4 * kMost + 1}) << "the latest are known";
    EXPECT_EQ(find_closed(memory, 1), Ticket{}) << "long ago";
    EXPECT_TRUE(find_id(memory, 1)) << "ids are not forgotten for names";
}

}  // namespace
}  // namespace parlance::core::broker
