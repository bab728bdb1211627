#include "intents/intents.h"

#include <gtest/gtest.h>

namespace parlance::intents {

namespace {

const std::atomic<bool> kGoOn{false};

const std::vector<TrainingExample> kExamples{
    {"PROJECT", "project our revenue for the next five years"},
    {"PROJECT", "forecast cash flow"},
    {"PROJECT", "what will sales be in 2030"},
    {"WRITE", "write a report"},
    {"WRITE", "generate the board document"},
    {"WRITE", "draft a memo of these findings"},
    {"CHECK", "is this vendor compliant"},
    {"CHECK", "check the contract against our rules"},
    {"CHECK", "audit the supplier"},
};

Classifier learnt(const std::vector<TrainingExample>& examples) {
    return *Classifier::train(examples, kGoOn);
}

Guess best(const Classifier& classifier, std::string_view text) {
    return classifier.guess(text).front();
}

TEST(Intents, K12_AreRecognisedInOtherWordsThanTheExamples) {
    const auto classifier = learnt(kExamples);
    EXPECT_EQ(best(classifier, "please forecast the revenue").intent, "PROJECT");
    EXPECT_EQ(best(classifier, "generate a short memo").intent, "WRITE");
    EXPECT_EQ(best(classifier, "audit whether this suplier is complaint").intent, "CHECK");
    for (const TrainingExample& example : kExamples) {
        const auto guess = best(classifier, example.text);
        EXPECT_EQ(guess.intent, example.intent) << example.text;
        EXPECT_GE(guess.confidence, 0.5) << example.text;
    }
}

TEST(Intents, K13_OutOfScopeSentencesHaveLowConfidence) {
    const auto classifier = learnt(kExamples);
    for (const auto* text : {"how tall is a giraffe", "play some music", "xyzzy", "", "?"}) {
        EXPECT_LT(best(classifier, text).confidence, 0.35) << text;
    }
}

TEST(Intents, K13_OneCapabilityWithOneExampleIsNotTheAnswerToEverything) {
    const auto classifier = learnt({{"NPV", "compute the net present value"}});
    EXPECT_GE(best(classifier, "compute the net present value").confidence, 0.5);
    EXPECT_LT(best(classifier, "can you please tell me the time").confidence, 0.35);
    EXPECT_LT(best(learnt({{"T", "T"}}), "how tall is a giraffe").confidence, 0.15);
    EXPECT_TRUE(learnt({}).guess("anything").empty());
}

TEST(Intents, K13_SentencesTrainedAsOutOfScopeHaveLowConfidence) {
    auto examples = kExamples;
    const std::string_view text = "report a broken printer to the janitor";
    const auto before = best(learnt(examples), text).confidence;
    examples.push_back({"", std::string{text}});
    EXPECT_LT(best(learnt(examples), text).confidence, before);
}

TEST(Intents, K12_TheSameExamplesGiveTheSameGuessesToTheLastBit) {
    const auto one = learnt(kExamples);
    const auto other = learnt(kExamples);
    for (const auto* text : {"forecast a report", "check it", "revenue"}) {
        const auto left = one.guess(text);
        const auto right = other.guess(text);
        for (std::size_t i = 0; i < left.size(); ++i) {
            EXPECT_EQ(left[i].intent, right[i].intent);
            EXPECT_EQ(left[i].confidence, right[i].confidence);
        }
    }
}

TEST(Intents, K12_ManyIntentsTrainedOnTwoThreadsComeOutTheSame) {
    std::vector<TrainingExample> examples;
    for (int i = 0; i < 40; ++i) {
        const auto word = std::to_string(i * 7919);
        examples.push_back({"I" + word, "order part " + word});
        examples.push_back({"I" + word, "is part " + word + " in stock"});
    }
    const auto one = learnt(examples);
    const auto other = learnt(examples);
    for (const TrainingExample& example : examples) {
        EXPECT_EQ(best(one, example.text).intent, example.intent);
        EXPECT_EQ(best(one, example.text).confidence, best(other, example.text).confidence);
    }
}

TEST(Intents, K12_TrainingStopsOnRequest) {
    const std::atomic<bool> stops{true};
    EXPECT_FALSE(Classifier::train(kExamples, stops));
}

}  // namespace

}  // namespace parlance::intents
