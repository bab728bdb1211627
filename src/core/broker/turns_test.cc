// The promises about turns hold in whatever order consumers come.
#include "core/broker/turns.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parlance::core::broker {
namespace {

constexpr Waiting kAllWait{true, true, true, true};

TEST(Turns, TheMostUrgentLevelGoesFirst) {
    EXPECT_EQ(next_turn({}, kAllWait, false, 10), Priority::Critical);
    EXPECT_EQ(next_turn({}, {false, false, true, true}, false, 10), Priority::Normal);
    EXPECT_EQ(next_turn({}, {false, false, false, true}, false, 10), Priority::Low);
}

TEST(Turns, ALevelPassedOverOftenEnoughIsNext) {
    EXPECT_EQ(next_turn({.passed_over = {0, 0, 0, 9}}, kAllWait, false, 10), Priority::Critical);
    EXPECT_EQ(next_turn({.passed_over = {0, 0, 0, 10}}, kAllWait, false, 10), Priority::Low);
    EXPECT_EQ(next_turn({.passed_over = {0, 0, 11, 10}}, kAllWait, false, 10), Priority::Normal)
        << "the one that was passed over for longest";
    EXPECT_EQ(next_turn({.passed_over = {0, 10, 10, 10}}, kAllWait, false, 10), Priority::Low);
    EXPECT_EQ(next_turn({.passed_over = {0, 0, 0, 10}}, {true, false, false, false}, false, 10),
              Priority::Critical)
        << "nobody is there";
}

TEST(Turns, D8_NobodyGetsAFavourAfterALowerHandOver) {
    const Turns due{.passed_over = {0, 10, 10, 10}};
    const Turns owed{.passed_over = due.passed_over, .was_lower = true};
    EXPECT_EQ(next_turn(owed, kAllWait, false, 10), Priority::Critical) << "the mailbox's";
    EXPECT_EQ(next_turn(due, kAllWait, true, 10), Priority::Critical) << "the consumer's";
    EXPECT_EQ(next_turn(owed, {false, true, true, true}, true, 10), Priority::Low)
        << "only a critical one is owed anything";
}

TEST(Turns, EveryHandOverOfAnotherLevelCountsWhileALevelWaits) {
    Turns turns;
    count_hand_over(turns, Priority::Normal, {true, true, true, false});
    EXPECT_EQ(turns, (Turns{.passed_over = {0, 1, 0, 0}, .was_lower = true}));
    count_hand_over(turns, Priority::Critical, {true, true, true, true});
    EXPECT_EQ(turns, (Turns{.passed_over = {0, 2, 1, 1}, .was_lower = false}));
    count_hand_over(turns, Priority::High, {true, true, true, true});
    EXPECT_EQ(turns, (Turns{.passed_over = {0, 0, 2, 2}, .was_lower = true}));
}

TEST(Turns, PatienceLeavesRoomForHandOversStillToCome) {
    EXPECT_EQ(patience(100, 1), 92U);
    EXPECT_EQ(patience(100, 64), 29U);
    EXPECT_EQ(patience(10, 1), 2U);
    EXPECT_EQ(patience(9, 1), 1U);
    EXPECT_EQ(patience(2, 1), 1U) << "at its least";
}

/// Checks both promises over random hand-overs while levels run empty now and then; `pick` chooses
/// the consumer.
template <class Pick>
void expect_promises(std::uint32_t low_every,
                     std::size_t consumers,
                     std::uint64_t seed,
                     Pick pick) {
    std::mt19937_64 entropy{seed};
    Turns turns;
    std::vector<bool> was_lower(consumers);
    std::array<std::uint32_t, kPriorities> since{};
    Waiting waiting = kAllWait;
    for (int i = 0; i < 2'000; ++i) {
        if (entropy() % 4 == 0) waiting[entropy() % 3] = entropy() % 4 != 0;
        const auto taker = pick(entropy, was_lower);
        const auto given =
            next_turn(turns, waiting, was_lower[taker], patience(low_every, consumers));
        const bool is_lower = given != Priority::Critical;
        ASSERT_FALSE(is_lower && waiting[0] && (turns.was_lower || was_lower[taker])) << i;
        for (std::size_t level = 1; level < kPriorities; ++level) {
            since[level] = waiting[level] ? since[level] + 1 : 0;
            if (!waiting[level]) turns.passed_over[level] = 0;
            ASSERT_LE(since[level], low_every) << "level " << level << " at " << i;
        }
        since[static_cast<std::size_t>(given)] = 0;
        count_hand_over(turns, given, waiting);
        was_lower[taker] = is_lower;
    }
}

TEST(Turns, D8_BothPromisesHoldWhicheverConsumerComes) {
    const auto anybody = [](auto& entropy, const std::vector<bool>& was_lower) {
        return entropy() % was_lower.size();
    };
    const auto debtors_first = [](auto& entropy, const std::vector<bool>& was_lower) {
        const auto found = std::ranges::find(was_lower, true);
        return found == was_lower.end() ? entropy() % was_lower.size()
                                        : static_cast<std::size_t>(found - was_lower.begin());
    };
    const auto debtors_last = [](auto& entropy, const std::vector<bool>& was_lower) {
        const auto found = std::ranges::find(was_lower, false);
        return found == was_lower.end() ? entropy() % was_lower.size()
                                        : static_cast<std::size_t>(found - was_lower.begin());
    };
    for (const std::size_t consumers : {1U, 2U, 3U, 8U, 64U}) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const auto tightest = static_cast<std::uint32_t>(consumers + 8);
            for (const auto low_every : {tightest, tightest + 10, 100U}) {
                SCOPED_TRACE(std::to_string(consumers) + " consumers, seed " +
                             std::to_string(seed) + ", low_every " + std::to_string(low_every));
                expect_promises(low_every, consumers, seed, anybody);
                expect_promises(low_every, consumers, seed, debtors_first);
                expect_promises(low_every, consumers, seed, debtors_last);
                if (testing::Test::HasFailure()) return;
            }
        }
    }
}

}  // namespace
}  // namespace parlance::core::broker
