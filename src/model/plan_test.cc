#include "model/plan.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

std::vector<std::string> faults(std::string_view text) {
    std::vector<std::string> pointers;
    const auto plan = read_plan(text);
    if (plan) return pointers;
    for (const auto& fault : plan.error()) pointers.push_back(fault.pointer + ": " + fault.rule);
    return pointers;
}

TEST(Plan, MakesAStepWaitForTheStepsItsValuesComeFrom) {
    const auto plan = read_plan(R"({"steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},
        {"id":"c","agent":"x","after":["b"],"inputs":{"deep":[{"$from":"/steps/a/output"}]}}]})");
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ((*plan)->steps[2].after, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Plan, ReportsAllItsFaultsAtOnce) {
    EXPECT_EQ(faults(R"({"steps":[{"id":"a","agent":"x","after":["b"]},
                                  {"id":"a","agent":"x","when":{"value":{"$from":"/steps/c/output"},"is":1}}]})"),
              (std::vector<std::string>{"/steps/1/id: must be no other step's",
                                        "/steps/0/after: must name a step of this workflow",
                                        "/steps/1/when: must name a step of this workflow"}));
}

TEST(Plan, RefusesStepsThatWaitForEachOther) {
    EXPECT_EQ(
        faults(
            R"({"steps":[{"id":"a","agent":"x","after":["c"]},{"id":"b","agent":"x","after":["a"]},
                                  {"id":"c","agent":"x","after":["b"]},{"id":"d","agent":"x"}]})")
            .size(),
        3U);
    EXPECT_EQ(faults(R"({"steps":[{"id":"a","agent":"x","after":["a"]}]})").size(), 1U);
}

TEST(Plan, IsRefusedByItsSchema) {
    for (const auto* text : {R"({})",
                             R"({"steps":[]})",
                             R"({"steps":[{"id":"a"}]})",
                             R"({"steps":[{"id":"a b","agent":"x"}]})",
                             R"({"steps":[{"id":"a","agent":"x","retry":{"limit":21}}]})",
                             R"({"steps":[{"id":"a","agent":"x","human":{"question":"?"}}]})",
                             R"({"steps":[{"id":"a","agent":"x","colour":"red"}]})",
                             R"([)"}) {
        EXPECT_FALSE(faults(text).empty()) << text;
    }
}

std::vector<std::string> doubts(std::string_view text) {
    std::vector<std::string> pointers;
    for (const auto& fault : doubts_about(text)) {
        pointers.push_back(fault.pointer + " " + fault.value + ": " + fault.rule);
    }
    return pointers;
}

TEST(Plan, K14_DoubtsReferencesToNothing) {
    EXPECT_EQ(doubts(R"({"steps":[{"id":"a","agent":"x","inputs":{"n":[{"$from":"nope"}]}}]})"),
              (std::vector<std::string>{
                  "/steps/0/inputs nope: must point to /input, /request, /constraints, /item or "
                  "/steps/ID/output"}));
    EXPECT_EQ(
        doubts(R"({"steps":[{"id":"a","agent":"x","inputs":{"n":{"$from":"/item/x"}}}]})"),
        (std::vector<std::string>{"/steps/0/inputs /item/x: must not be taken from /item in a "
                                  "step without for_each"}));
    EXPECT_EQ(doubts(R"({"steps":[{"id":"a","agent":"x","for_each":{"$from":"/input"},
        "inputs":{"a":{"$from":"/item"},"b":{"$from":"/request"},"c":{"$from":"/steps/a/output"}}}]})"),
              std::vector<std::string>{});
}

TEST(Plan, X20_DoubtsAConditionThatComparesNothing) {
    EXPECT_EQ(doubts(R"({"steps":[{"id":"a","agent":"x","when":{"value":1}}]})").size(), 1U);
    EXPECT_EQ(doubts(R"({"steps":[{"id":"a","agent":"x","when":{"is":1}}]})").size(), 1U);
    EXPECT_EQ(
        doubts(R"({"steps":[{"id":"a","agent":"x","when":{"not":{"all":[{"value":1}]}}}]})").size(),
        1U);
    EXPECT_EQ(doubts(R"({"steps":[{"id":"a","agent":"x","when":{"any":[{"value":1,"is":1},
        {"value":{"$from":"/input"},"exists":true}]}}]})"),
              std::vector<std::string>{});
}

TEST(Plan, C1_DoubtsANameWithALineBreak) {
    EXPECT_EQ(doubts(R"({"workflow_id":"a\nb","steps":[{"id":"a","agent":"x"}]})").size(), 1U);
}

}  // namespace
}  // namespace parlance
