#include "gateway/classifier_trainer.h"

#include <gtest/gtest.h>

namespace parlance::gateway {

namespace {

constexpr std::string_view kProjection =
    R"([{"code":"ANL_PROJECTION","intent":"financial_projection","description":"Project revenue",)"
    R"("examples":["forecast sales","forecast sales"],"version":"2"},{"code":"ANL_NPV"}])";

TEST(Offers, K12_AreReadFromAnAgentsCapabilities) {
    const auto offers = read_offers("ANL", kProjection);
    ASSERT_EQ(offers.size(), 2U);
    EXPECT_EQ(offers[0].agent, "ANL");
    EXPECT_EQ(offers[0].intent, "financial_projection");
    EXPECT_EQ(offers[0].version, "2");
    EXPECT_EQ(offers[0].examples.size(), 2U);
    EXPECT_EQ(offers[1].intent, "anl_npv");
    EXPECT_TRUE(read_offers("ANL", "[]").empty());
}

TEST(Offers, K12_GiveEachExampleAndDescriptionOnce) {
    auto offers = read_offers("ANL", kProjection);
    const auto training_examples = training_examples_of(offers);
    ASSERT_EQ(training_examples.size(), 3U);
    EXPECT_EQ(training_examples[0].intent, "ANL_NPV");
    EXPECT_EQ(training_examples[0].text, "ANL NPV");
    EXPECT_EQ(training_examples[1].text, "Project revenue");
    EXPECT_EQ(training_examples[2].text, "forecast sales");
}

TEST(Offers, K12_ToClassifyGiveNoTrainingExamples) {
    EXPECT_TRUE(
        training_examples_of(read_offers("LLM", R"([{"code":"INTENT_CLASSIFY"}])")).empty());
}

}  // namespace

}  // namespace parlance::gateway
