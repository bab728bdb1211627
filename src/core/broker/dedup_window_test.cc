#include "core/broker/dedup_window.h"

#include <gtest/gtest.h>

namespace parlance::core::broker {
namespace {

const auto kNoneLive = [](Ticket) { return false; };

TEST(DedupWindow, FindsRememberedIdsAnswersAndClosedNames) {
    DedupWindow window;
    remember_id(window, 1, {.ticket = {10}, .fingerprint = 5});
    remember_answer(window, 1, {11});
    remember_closed(window, 2, {10});
    ASSERT_TRUE(find_id(window, 1));
    EXPECT_EQ(find_id(window, 1)->ticket, Ticket{10});
    EXPECT_EQ(find_answer(window, 1), Sequence{11});
    EXPECT_EQ(find_closed(window, 2), Ticket{10});
    EXPECT_FALSE(find_id(window, 2));
    EXPECT_EQ(find_answer(window, 2), Sequence{});
    EXPECT_EQ(find_closed(window, 1), Ticket{});
}

TEST(DedupWindow, G7_HoldsAtMostItsLimitAndAtLeastHalfOfIt) {
    DedupWindow window;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        remember_id(window, i, {.ticket = {i}});
        age(window, 10, kNoneLive);
        EXPECT_LE(window.newer.ids.size() + window.older.ids.size(), 10U);
        for (std::uint64_t back = 0; back < 5 && back < i; ++back) {
            EXPECT_TRUE(find_id(window, i - back)) << i << " - " << back;
        }
    }
}

TEST(DedupWindow, D4_NeverForgetsLiveIdsHoweverMany) {
    DedupWindow window;
    const auto is_live = [](Ticket ticket) { return ticket.value % 2 == 0; };
    for (std::uint64_t i = 1; i <= 400; ++i) {
        remember_id(window, i, {.ticket = {i}});
        age(window, 10, is_live);
    }
    for (std::uint64_t i = 2; i <= 400; i += 2) EXPECT_TRUE(find_id(window, i)) << i;
    EXPECT_FALSE(find_id(window, 1));
}

// Without reserving the table first this takes minutes.
TEST(DedupWindow, D4_KeepsAMillionLiveIdsWithTheirAnswers) {
    constexpr std::uint64_t kCount = 1'000'000;
    DedupWindow window;
    for (std::uint64_t i = 1; i <= kCount; ++i) {
        remember_id(window, i, {.ticket = {i}});
        remember_answer(window, i, {i});
    }
    const auto all_live = [](Ticket) { return true; };
    age(window, kCount, all_live);  // The rows become the older generation,
    window.taken = kCount;
    age(window, kCount, all_live);  // and here the newer one again.
    EXPECT_EQ(window.newer.ids.size(), kCount);
    EXPECT_EQ(find_id(window, kCount)->ticket, Ticket{kCount});
    EXPECT_EQ(find_answer(window, 1), Sequence{1});
}

TEST(DedupWindow, D4_KeepsTheAnswerWithALiveId) {
    DedupWindow window;
    remember_id(window, 1, {.ticket = {1}});
    remember_answer(window, 1, {2});
    const auto is_live = [](Ticket ticket) { return ticket == Ticket{1}; };
    for (std::uint64_t i = 10; i <= 100; ++i) {
        remember_id(window, i, {.ticket = {i}});
        age(window, 10, is_live);
    }
    EXPECT_EQ(find_answer(window, 1), Sequence{2});
}

TEST(DedupWindow, LooksAtEachLiveIdOnlyOncePerGeneration) {
    DedupWindow window;
    std::uint64_t asked = 0;
    const auto is_live = [&](Ticket) {
        ++asked;
        return true;
    };
    for (std::uint64_t i = 1; i <= 10'000; ++i) {
        remember_id(window, i, {.ticket = {i}});
        age(window, 1000, is_live);
    }
    EXPECT_LE(asked, 20 * 10'000U) << "not once for every message";
}

TEST(DedupWindow, G7_NamesOfEndedRequestsAreBoundedToo) {
    constexpr std::uint64_t kIdsMax = 10;
    constexpr auto kMost = closed_names_max(kIdsMax);
    DedupWindow window;
    remember_id(window, 1, {.ticket = {1}});
    for (std::uint64_t i = 1; i <= 5 * kMost; ++i) {
        remember_closed(window, i, {i});
        age_closed(window, kIdsMax);
        ASSERT_LE(window.newer.closed.size() + window.older.closed.size(), 2 * kMost);
    }
    EXPECT_EQ(find_closed(window, 4 * kMost + 1), Ticket{4 * kMost + 1}) << "the latest are known";
    EXPECT_EQ(find_closed(window, 1), Ticket{}) << "long ago";
    EXPECT_TRUE(find_id(window, 1)) << "ids are not forgotten for names";
}

}  // namespace
}  // namespace parlance::core::broker
