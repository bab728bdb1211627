#include "intents/parts.h"

#include <gtest/gtest.h>

namespace parlance::intents {

namespace {

using Parts = std::vector<std::string_view>;

TEST(Parts, K12_AreCutWhereOneIntentStepIsAddedToTheNext) {
    EXPECT_EQ(parts_of("Project our revenue, and then write a report"),
              (Parts{"Project our revenue", "write a report"}));
    EXPECT_EQ(parts_of("Check the vendor. Also draft a contract!"),
              (Parts{"Check the vendor", "draft a contract"}));
    EXPECT_EQ(parts_of("sum it up AND mail it"), (Parts{"sum it up", "mail it"}));
}

TEST(Parts, K12_AreNotCutInsideOfWordsAndNumbers) {
    EXPECT_EQ(parts_of("understand the sand in thenar 3.5"),
              Parts{"understand the sand in thenar 3.5"});
    EXPECT_EQ(parts_of("and"), Parts{"and"});
    EXPECT_EQ(parts_of(" ?! "), Parts{});
}

TEST(Parts, K12_AreBoundedInNumber) {
    std::string text = "a";
    for (int i = 0; i < 100; ++i) text += " and a";
    EXPECT_EQ(parts_of(text).size(), kPartsMax);
}

}  // namespace

}  // namespace parlance::intents
