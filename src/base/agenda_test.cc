#include "base/agenda.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(Agenda, GivesEntriesInOrderOfTimeThenNumberWhateverTheOrderOfInsertion) {
    std::mt19937 entropy{7};
    std::vector<AgendaPlace> places(200, kNotOnAgenda);
    const auto mark_of = [&](Slot slot) { return AgendaMark{places[slot], 1'000 - slot}; };
    Agenda agenda;
    std::vector<std::pair<std::int64_t, std::uint64_t>> expected;
    for (Slot slot = 0; slot < 200; ++slot) {
        const std::int64_t at = entropy() % 20;
        agenda.set({.at = Time{Duration{at}}, .owner = slot}, mark_of);
        expected.emplace_back(at, 1'000 - slot);
    }
    for (Slot slot = 0; slot < 200; slot += 3) {  // Moves some entries and removes some.
        const std::int64_t at = entropy() % 20;
        agenda.set({.at = Time{Duration{at}}, .owner = slot}, mark_of);
        expected[slot].first = at;
    }
    for (Slot slot = 1; slot < 200; slot += 5) agenda.remove(slot, mark_of);
    std::erase_if(expected, [](const auto& entry) { return (1'000 - entry.second) % 5 == 1; });
    std::ranges::sort(expected);

    for (const auto& [at, number] : expected) {
        ASSERT_FALSE(agenda.empty());
        EXPECT_EQ(agenda.first().at, Time{Duration{at}});
        EXPECT_EQ(1'000 - agenda.first().owner, number);
        agenda.remove(agenda.first().owner, mark_of);
    }
    EXPECT_TRUE(agenda.empty());
}

TEST(Agenda, RemovingAnAbsentEntryDoesNothing) {
    AgendaPlace place = kNotOnAgenda;
    Agenda agenda;
    agenda.remove(0, [&](Slot) { return AgendaMark{place, 0}; });
    EXPECT_TRUE(agenda.empty());
}

}  // namespace
}  // namespace parlance
