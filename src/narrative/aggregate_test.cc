#include "narrative/aggregate.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace parlance::narrative {
namespace {

TEST(Aggregate, K17_ListsPartsInDeclaredOrderAndOneVocabularyWithConfidence) {
    const auto all =
        aggregate({{.label = "Market", .output = R"({"mkt_size":42})", .confidence = 900},
                   {.label = "Finance", .output = R"({"market_size":42})", .confidence = 600}},
                  {.terms = {{"mkt_size", "market size"}}});
    EXPECT_EQ(
        all.answer,
        "Market: market size: 42 (confidence high)\nFinance: market size: 42 (confidence medium)");
    EXPECT_EQ(json::find_at(json::root(all.components), "/1/confidence")->raw, "0.600");
    EXPECT_EQ(all.conflicts, "[]") << "they say the same";
}

TEST(Aggregate, K18_ConflictsAreReportedAndTheMoreConfidentValueIsPreferred) {
    const auto all =
        aggregate({{.label = "Market", .output = R"({"growth_rate":0.15})", .confidence = 900},
                   {.label = "Finance", .output = R"({"growth_rate":0.12})", .confidence = 500}},
                  {});
    const auto conflict = json::find_at(json::root(all.conflicts), "/0");
    ASSERT_TRUE(conflict);
    EXPECT_EQ(json::find(*conflict, "about")->raw, R"("growth rate")");
    EXPECT_EQ(json::find(*conflict, "preferred")->raw, "0.15");
    EXPECT_EQ(json::find_at(*conflict, "/values/1/source")->raw, R"("Finance")");
    EXPECT_NE(all.answer.find("I go by 0.15, which is surer."), std::string::npos) << all.answer;
    EXPECT_TRUE(all.question.empty());
}

TEST(Aggregate, K18_TiesAreAskedOfTheUser) {
    const auto all = aggregate({{.label = "Market", .output = R"({"rate":1})", .confidence = 700},
                                {.label = "Finance", .output = R"({"rate":2})", .confidence = 700}},
                               {});
    EXPECT_EQ(json::find_at(json::root(all.conflicts), "/0/preferred")->raw, "null");
    EXPECT_EQ(all.question,
              "There are different values for rate, equally sure: 1 (Market), 2 (Finance). Which "
              "should I go by?");
}

TEST(Aggregate, K18_DecidedConflictsAreNotAskedAgain) {
    const std::vector<Part> parts{{.label = "Market", .output = R"({"rate":1})"},
                                  {.label = "Finance", .output = R"({"rate":2})"}};
    const auto all = aggregate(parts, {.decisions = {{"rate", "2.0"}}});
    EXPECT_TRUE(all.question.empty()) << all.question;
    EXPECT_NE(all.answer.find("I go by 2, as you decided."), std::string::npos) << all.answer;
    EXPECT_FALSE(aggregate(parts, {.decisions = {{"rate", "3"}}}).question.empty())
        << "nobody says 3";
}

TEST(Aggregate, K18_TheSameNumberWrittenDifferentlyIsNoConflict) {
    EXPECT_EQ(aggregate({{.label = "A", .output = R"({"rate":1.0})"},
                         {.label = "B", .output = R"({"rate":10e-1})"}},
                        {})
                  .conflicts,
              "[]");
}

TEST(Aggregate, K16_MissingPartsAreReported) {
    const auto all = aggregate({{.label = "Tax", .reason = "it took too long"}}, {});
    EXPECT_EQ(all.answer, "Tax: not available, it took too long.");
    EXPECT_EQ(json::find_at(json::root(all.components), "/0/missing")->raw, "true");
}

TEST(Aggregate, K11_InternalNamesAreNeverShown) {
    std::vector<Internal> internals{
        {"ANL", "the analysis"}, {"ANL_NPV", "the present value"}, {"tag-ai", "the tagging"}};
    longest_first(internals);
    EXPECT_EQ(discreet("Routing to ANL for ANL_NPV.", internals),
              "Asking the analysis for the present value.");
    EXPECT_EQ(discreet("It was delegated to tag-ai", internals), "It was seen to by the tagging");
    EXPECT_EQ(discreet("CHANLON is a name.", internals), "CHANLON is a name.");
    const auto all = aggregate({{.label = "Finance", .output = R"({"answer":"ANL says 7"})"}},
                               {.internals = internals});
    EXPECT_EQ(all.answer, "Finance: the analysis says 7");
}

}  // namespace
}  // namespace parlance::narrative
