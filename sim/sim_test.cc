#include "sim/sim.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "base/mutant.h"
#include "sim/worker.h"

namespace parlance::sim {
namespace {

TEST(Sim, LivesTheSameLifeTwice) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        const auto first = run(seed);
        const auto second = run(seed);
        EXPECT_EQ(first.trace_hash, second.trace_hash) << seed;
        EXPECT_EQ(first.steps, second.steps) << seed;
        EXPECT_EQ(first.records, second.records) << seed;
    }
}

TEST(Sim, LivesAnotherLifeForAnotherSeed) { EXPECT_NE(run(1).trace_hash, run(2).trace_hash); }

TEST(Sim, HasCrashesAndTrafficWorthTheName) {
    std::uint64_t crashes = 0;
    std::uint64_t messages = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto verdict = run(seed);
        crashes += verdict.crashes;
        messages += verdict.messages;
    }
    EXPECT_GE(crashes, 20U);
    EXPECT_GE(messages, 1'000U);
}

std::vector<Verdict> verdicts_of(const std::vector<Task>& tasks, unsigned jobs) {
    std::vector<Verdict> all;
    run_tasks(tasks, jobs, [&](const Task&, const Verdict& verdict) {
        all.push_back(verdict);
        return true;
    });
    std::ranges::sort(all, {}, &Verdict::seed);
    return all;
}

TEST(Worker, LivesTheSameLifeInAProcessOfItsOwn) {
    const auto here = run(7);
    const auto there = verdicts_of({{.first = 7, .last = 7}}, 1);
    ASSERT_EQ(there.size(), 1U);
    EXPECT_EQ(there.front().trace_hash, here.trace_hash);
}

TEST(Worker, EndsWithTheGreatestSeedThereIs) {
    constexpr auto kGreatest = std::numeric_limits<std::uint64_t>::max();
    const auto all = verdicts_of({{.first = kGreatest - 1, .last = kGreatest}}, 1);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.back().seed, kGreatest);
}

TEST(Worker, SharesTheSeedsOut) {
    const auto all = verdicts_of(
        {{.first = 1, .last = 5, .stride = 2}, {.first = 2, .last = 5, .stride = 2}}, 2);
    ASSERT_EQ(all.size(), 5U);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].seed, i + 1);
}

TEST(Worker, PlantsABugThatStaysInItsProcess) {
    if (!kHasMutants) GTEST_SKIP() << "built without planted bugs";
    bool is_found = false;
    run_tasks({{.first = 1, .last = 100, .mutant = kMutants.front()}},
              1,
              [&](const Task&, const Verdict& verdict) {
                  is_found = !verdict.ok;
                  return !is_found;
              });
    EXPECT_TRUE(is_found);
    EXPECT_FALSE(is_planted(kMutants.front().mutant));
}

}  // namespace
}  // namespace parlance::sim
