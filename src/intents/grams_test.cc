#include "intents/grams.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "intents/space.h"

namespace parlance::intents {

namespace {

using Words = std::vector<std::string>;

TEST(Grams, K12_WordsAreFoldedAndCutAtNonLetters) {
    EXPECT_EQ(words_of("What's  the NPV?"), (Words{"what", "'s", "the", "npv"}));
    EXPECT_EQ(words_of("ｃａｓｈ-flows ' 2026"), (Words{"cash", "flows", "2026"}));
    EXPECT_EQ(words_of(std::string(500, 'x')).front().size(), 64U);
}

TEST(Grams, K12_AreTheWordsTheirPairsAndTheirPieces) {
    // Of " ab ": two, three and four bytes give 3 + 2 + 1 pieces; the pairs are ^ab and ab$.
    const auto grams = grams_of("ab");
    EXPECT_EQ(std::ranges::count(grams, GramKind::Word, &Gram::kind), 3);
    EXPECT_EQ(std::ranges::count(grams, GramKind::Piece, &Gram::kind), 6);
}

double length_of(const Place& place) {
    double square = 0;
    for (const Term& term : place) square += term.weight * term.weight;
    return square;
}

TEST(Space, K12_UnknownGramsTakeTheirShareOfTheLength) {
    const std::vector<std::string_view> texts{"project the revenue", "write a report"};
    const Space space{texts};
    EXPECT_NEAR(length_of(space.place_of("project the revenue")), 1, 1e-5);
    EXPECT_LT(length_of(space.place_of("project the zebra")), 0.9);
    EXPECT_LT(length_of(space.place_of("zygote")), 0.2);
    EXPECT_TRUE(space.place_of("").empty());
}

TEST(Space, K12_ACommonWordCountsLessThanARareOneHoweverFewTextsThereAre) {
    // "the" and "ape" have the same length and the same text count: only commonness differs.
    const std::vector<std::string_view> texts{"the ape"};
    const Space space{texts};
    EXPECT_LT(length_of(space.place_of("the zebra")), 0.8 * length_of(space.place_of("ape zebra")));
}

}  // namespace

}  // namespace parlance::intents
