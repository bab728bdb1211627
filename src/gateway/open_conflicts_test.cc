#include "gateway/open_conflicts.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

constexpr std::string_view kOpenConflict =
    R"({"about":"growth","values":[{"value":"5 %","source":"Growth analysis"},)"
    R"({"value":"7 %","source":"Growth audit"}],"preferred":null})";

std::string chosen(std::string_view words) {
    const auto decision = settled(json::root(kOpenConflict), words);
    return decision ? decision->value : "nothing";
}

TEST(OpenConflicts, K18_AreSettledByPlaceValueOrSource) {
    for (const auto* words :
         {"1", "the first", "5 %", "Go by 5 %, please.", "the growth analysis"}) {
        EXPECT_EQ(chosen(words), R"("5 %")") << words;
    }
    for (const auto* words : {"2", "the second one", "7 %", "Growth audit", "the last"}) {
        EXPECT_EQ(chosen(words), R"("7 %")") << words;
    }
    for (const auto* words : {"3", "both 5 % and 7 %", "Compute the NPV", "", "25 %"}) {
        EXPECT_EQ(chosen(words), "nothing") << words;
    }
}

TEST(OpenConflicts, K18_AConflictWithAPreferredValueIsNoTie) {
    EXPECT_EQ(open_conflicts_in("[]"), "");
    EXPECT_EQ(open_conflicts_in(R"([{"about":"a","values":[],"preferred":1}])"), "");
    EXPECT_EQ(open_conflicts_in("[" + std::string{kOpenConflict} + "]"),
              "[" + std::string{kOpenConflict} + "]");
}

}  // namespace
}  // namespace parlance::gateway
