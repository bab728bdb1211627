#include "core/cold/cold_store.h"

#include <gtest/gtest.h>

#include "core/words.h"

namespace parlance::core {
namespace {

struct Toy {
    std::string name;
    std::uint64_t size = 0;
};

struct ToyCodec {
    std::size_t pack(std::string& out, const Toy& toy) const {
        const auto begin = out.size();
        append_short(out, toy.name);
        const auto prefix_bytes = out.size() - begin;
        put(out, toy.size);
        return prefix_bytes;
    }
    Toy unpack(Ticket /*ticket*/, ByteReader& in) const {
        Toy toy{.name = take_short(in)};
        toy.size = in.varint();
        return toy;
    }
    bool is_small(const Toy& toy) const { return toy.size < 100; }
};
using Toys = ColdStore<Toy, ToyCodec>;

/// Tidies until nothing more is packed.
void rest(Toys& toys, std::size_t awake_max = 0) {
    for (int i = 0; i < 100; ++i) toys.tidy(awake_max);
}

std::vector<Ticket> tickets(std::initializer_list<std::uint64_t> numbers) {
    std::vector<Ticket> all;
    for (const auto number : numbers) all.push_back({number});
    return all;
}

TEST(ColdStore, PackedThingsAreReadAndChangedLikeLoadedOnes) {
    Toys toys;
    for (std::uint64_t i = 1; i <= 9; ++i) toys.emplace({i}, {.name = "toy", .size = i});
    rest(toys);
    EXPECT_EQ(toys.size(), 9U);
    EXPECT_EQ(toys.at({7})->size, 7U);
    EXPECT_TRUE(toys.contains({7}));
    EXPECT_TRUE(toys.find({10}) == nullptr);
    toys.wake({7})->size = 70;
    EXPECT_EQ(toys.at({7})->size, 70U);
    rest(toys);
    EXPECT_EQ(toys.at({7})->size, 70U);
    EXPECT_EQ(toys.wake({10}), nullptr);
}

TEST(ColdStore, LoadedAndPackedThingsHaveTheSameBytes) {
    Toys toys;
    toys.emplace({1}, {.name = "toy", .size = 3});
    std::string awake;
    toys.append_packed(awake, {1});
    rest(toys);
    std::string resting;
    toys.append_packed(resting, {1});
    EXPECT_EQ(awake, resting);
}

TEST(ColdStore, TicketsAreListedInOrderWhateverTheOrderOfInsertion) {
    Toys toys;
    for (const std::uint64_t i : {5U, 9U, 3U, 7U}) toys.emplace({i}, {.size = i});
    EXPECT_EQ(toys.tickets(), tickets({3, 5, 7, 9}));
    rest(toys);
    toys.erase({5});
    toys.erase({5});
    toys.erase({9});
    EXPECT_EQ(toys.tickets(), tickets({3, 7}));
    EXPECT_EQ(toys.next_after({}), Ticket{3});
    EXPECT_EQ(toys.next_after({3}), Ticket{7}) << "over the gap";
    EXPECT_EQ(toys.next_after({7}), Ticket{});
    toys.emplace({5}, {.size = 50});
    toys.wake({7});
    EXPECT_EQ(toys.tickets(), tickets({3, 5, 7}));
    EXPECT_EQ(toys.at({5})->size, 50U);
    EXPECT_EQ(toys.size(), 3U);
}

TEST(ColdStore, GapsOfErasedThingsAreClosed) {
    Toys toys;
    for (std::uint64_t i = 1; i <= 1'000; ++i) toys.emplace({i}, {.size = 1});
    rest(toys, 10);
    for (std::uint64_t i = 2; i < 1'000; ++i) toys.erase({i});
    EXPECT_EQ(toys.tickets(), tickets({1, 1'000}));
    EXPECT_EQ(toys.size(), 2U);
    toys.erase({1});
    toys.erase({1'000});
    EXPECT_TRUE(toys.empty());
}

TEST(ColdStore, TouchedThingsStayLoadedBeforeUntouchedOnes) {
    Toys toys;
    const auto* loved = &toys.emplace({1}, {.name = "loved"});
    for (std::uint64_t i = 2; i <= 20; ++i) toys.emplace({i}, {.name = "forgotten"});
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(toys.wake({1}), loved) << "it is where it was";
        toys.tidy(8);
    }
    EXPECT_EQ(toys.at({2})->name, "forgotten");
}

TEST(ColdStore, LargeThingsAreNeverPacked) {
    Toys toys;
    const auto* large = &toys.emplace({1}, {.size = 100});
    rest(toys);
    EXPECT_EQ(toys.at({1}).operator->(), large);
}

TEST(ColdStore, ACopyIsIndependentOfTheOriginal) {
    Toys toys;
    toys.emplace({1}, {.name = "a", .size = 1});
    toys.emplace({2}, {.name = "b", .size = 2});
    rest(toys, 1);
    auto copy = toys;
    copy.wake({1})->size = 10;
    copy.wake({2})->size = 20;
    EXPECT_EQ(toys.at({1})->size, 1U);
    EXPECT_EQ(toys.at({2})->size, 2U);
    EXPECT_EQ(copy.at({1})->size, 10U);
}

TEST(ColdStore, ASharedPrefixIsReadBackForEveryThing) {
    const std::string shared = "a name that is as long as it is common";
    Toys toys;
    for (std::uint64_t i = 1; i <= 60; ++i) {
        toys.emplace({i},
                     {.name = i % 3 == 0 ? "own name " + std::to_string(i) : shared, .size = i});
    }
    rest(toys);
    // Things with the shared name and with names of their own.
    for (std::uint64_t i = 1; i <= 60; i += 2) toys.erase({i});
    for (std::uint64_t i = 2; i <= 60; i += 2) {
        const auto name = i % 3 == 0 ? "own name " + std::to_string(i) : shared;
        EXPECT_EQ(toys.at({i})->name, name);
        EXPECT_EQ(toys.wake({i})->size, i);
        EXPECT_EQ(toys.at({i})->name, name);
    }
    rest(toys);
    EXPECT_EQ(toys.at({2})->name, shared) << "it was forgotten and is known again";
}

TEST(PrefixDictionary, AreKeptOnceAndForgottenWithTheirLastBlock) {
    PrefixDictionary dictionary;
    const std::string one = "the first of them";
    const std::string other = "another of them";
    const auto number = dictionary.keep(one);
    EXPECT_NE(number, 0U);
    EXPECT_EQ(dictionary.keep(one), number);
    EXPECT_NE(dictionary.keep(other), number);
    EXPECT_EQ(dictionary.at(number), one);
    EXPECT_EQ(dictionary.size(), 2U);
    dictionary.drop(number);
    EXPECT_EQ(dictionary.at(number), one) << "one is left";
    dictionary.drop(number);
    EXPECT_EQ(dictionary.size(), 1U);
    EXPECT_EQ(dictionary.keep("yet another of them"), number) << "its number is free";
}

TEST(PrefixDictionary, AreNotKeptIfShortOrTooMany) {
    PrefixDictionary dictionary;
    EXPECT_EQ(dictionary.keep("1234567"), 0U);
    for (int i = 0; i < 1'024; ++i)
        EXPECT_NE(dictionary.keep("a prefix, number " + std::to_string(i)), 0U);
    EXPECT_EQ(dictionary.keep("one too many"), 0U);
    dictionary.drop(0);
    EXPECT_EQ(dictionary.size(), 1'024U);
    EXPECT_NE(dictionary.keep("a prefix, number 7"), 0U) << "it is there already";
}

}  // namespace
}  // namespace parlance::core
