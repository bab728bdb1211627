#include "intents/understand.h"

#include <map>

#include <gtest/gtest.h>

#include "intents/routing.h"

namespace parlance::intents {

namespace {

constexpr Bounds kBounds{.sure = 0.5, .thinkable = 0.3};

/// Returns the scripted guesses for each text, and a weak "OTHER" for all other texts.
Guesser scripted(std::map<std::string, std::vector<Guess>, std::less<>> script) {
    return [script = std::move(script)](std::string_view text) {
        const auto found = script.find(text);
        return found == script.end() ? std::vector<Guess>{{"OTHER", 0.01}} : found->second;
    };
}

TEST(Understanding, K13_RoutesFromTheThresholdOnAndAsksBackBelow) {
    EXPECT_EQ(weigh({{"A", 0.5}, {"B", 0.1}}, kBounds).outcome, Outcome::Route);
    const auto unsure = weigh({{"A", 0.49}, {"B", 0.3}, {"C", 0.29}}, kBounds);
    EXPECT_EQ(unsure.outcome, Outcome::Clarify);
    EXPECT_EQ(unsure.rivals.size(), 2U);
}

TEST(Understanding, K13_OffersEquallyGoodIntents) {
    const auto found = weigh({{"A", 0.80}, {"B", 0.78}, {"C", 0.60}}, kBounds);
    EXPECT_EQ(found.outcome, Outcome::Options);
    ASSERT_EQ(found.rivals.size(), 2U);
    EXPECT_EQ(found.rivals[1].intent, "B");
    // One of the two is below the threshold: only one route is good.
    EXPECT_EQ(weigh({{"A", 0.51}, {"B", 0.49}}, kBounds).outcome, Outcome::Route);
}

TEST(Understanding, K13_CannotWhenEveryGuessIsBelowTheLowerBound) {
    EXPECT_EQ(weigh({{"A", 0.29}}, kBounds).outcome, Outcome::Cannot);
    EXPECT_EQ(weigh({}, kBounds).outcome, Outcome::Cannot);
}

TEST(Understanding, K12_TheFirstOfSeveralIntentStepsIsPrimary) {
    const auto guess = scripted({{"project it and write it up", {{"B", 0.6}}},
                                 {"project it", {{"A", 0.7}}},
                                 {"write it up", {{"B", 0.9}}}});
    const auto found = understand(guess, "project it and write it up", kBounds);
    EXPECT_EQ(found.primary.intent, "A");
    ASSERT_EQ(found.secondary.size(), 1U);
    EXPECT_EQ(found.secondary.front().intent, "B");
}

TEST(Understanding, K12_PartsWithoutAClearIntentStayTogether) {
    const auto guess =
        scripted({{"show terms and conditions", {{"A", 0.9}}}, {"show terms", {{"A", 0.6}}}});
    const auto found = understand(guess, "show terms and conditions", kBounds);
    EXPECT_EQ(found.primary.confidence, 0.9);
    EXPECT_TRUE(found.secondary.empty());
}

TEST(Understanding, K12_PartsThatContradictTheWholeTextStayTogether) {
    const auto guess = scripted({{"rock and roll", {{"MUSIC", 0.9}}},
                                 {"rock", {{"STONES", 0.7}}},
                                 {"roll", {{"BAKERY", 0.7}}}});
    EXPECT_EQ(understand(guess, "rock and roll", kBounds).primary.intent, "MUSIC");
}

/// One case for each line of the contract's two lists.
struct RoutingCase {
    Situation situation;
    bool routes;
    std::string_view words;
};

TEST(Routing, K9_EachRuleOfTheContractDecidesItsOwnCase) {
    const std::vector<RoutingCase> cases{
        {{.has_target = true, .is_named = true},
         true,
         "Request requires capability registered to another agent"},
        {{.has_target = true, .is_sure = true, .is_target_there = true},
         true,
         "User intent clearly maps to different agent domain"},
        {{.has_target = true, .is_sure = true, .same_domain = true, .is_target_there = true},
         true,
         "Specialized expertise would produce better result"},
        {{.is_own = true, .has_target = true, .lacks_data = true},
         true,
         "Current agent lacks data or context other agent has"},
        {{.is_own = true, .is_named = true}, false, "Request is within agent primary scope"},
        {{.has_target = true, .is_sure = true},
         false,
         "Routing would introduce unnecessary latency"},
        {{}, false, "Request is simple enough to handle without specialization"},
        {{.is_own = true, .has_target = true},
         false,
         "Local handling would produce equivalent result"},
    };
    ASSERT_EQ(cases.size(), kRoutingRules.size());
    for (const auto& [situation, routes, words] : cases) {
        EXPECT_EQ(routing_rule(situation).words, words);
        EXPECT_EQ(routing_rule(situation).routes, routes) << words;
    }
}

TEST(Routing, K9_RequestsWithoutATargetAreNeverRouted) {
    for (unsigned bits = 0; bits < 128; ++bits) {
        const auto bit = [&](unsigned at) { return (bits >> at & 1U) != 0; };
        const Situation situation{.is_own = bit(0),
                                  .has_target = bit(1),
                                  .is_named = bit(2),
                                  .is_sure = bit(3),
                                  .same_domain = bit(4),
                                  .lacks_data = bit(5),
                                  .is_target_there = bit(6)};
        EXPECT_TRUE(situation.has_target || !routing_rule(situation).routes) << bits;
    }
}

}  // namespace

}  // namespace parlance::intents
