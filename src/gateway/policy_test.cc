#include "gateway/policy.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

TEST(Policy, T14_SurvivesWritingAndReading) {
    const std::string text =
        R"({"hub":{"depth_max":4,"root_idle_ms":1000},"platform":{"kessel":{"fanout_max":9}},)"
        R"("agent":{"byte-doc":{"fanout_max":2},"tag":{"breaker_failures":0}},"user":{"u@x":{"tokens_per_user":7}}})";
    const auto settings = read_settings(json::root(text));
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->size(), 6U);
    EXPECT_EQ(write_settings(*settings), text);
    const auto again = parse_policy(print_policy(*settings));
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *settings) << "and as the journal has it";
}

TEST(Policy, T14_TakesChainsAndRulesWithoutAnUpperBound) {
    for (const auto* text : {R"({"chain":{"a>b":{"chain_enabled":1}}})",
                             R"({"platform":{"correlation":{"chain_enabled":1}}})",
                             R"({"chain":{"*>*":{"chain_enabled":0}}})",
                             R"({"hub":{"risk_low":9,"risk_high":0}})",
                             R"({"hub":{"risk_low":8,"risk_high":8}})"}) {
        EXPECT_TRUE(read_settings(json::root(text))) << text;
    }
}

TEST(Policy, T14_ErrorNamesTheFlaw) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {R"([])", "a policy must be an object"},
        {R"({"planet":{}})", "'planet' must be hub"},
        {R"({"hub":{"depth":1}})", "no rule 'depth'"},
        {R"({"hub":{"depth_max":0}})", "depth_max must be a whole number from 1 to 64, not 0"},
        {R"({"hub":{"depth_max":"3"}})", "not \"3\""},
        {R"({"hub":3})", "hub must be a table of rules"},
        {R"({"agent":{"a b":{"depth_max":1}}})", "'a b' must be a name without spaces"},
        {R"({"agent":{"":{"depth_max":1}}})", "must be a name"},
        {R"({"agent":{"a":{"depth_max":1.5}}})", "agent a: depth_max must be"},
        {R"({"chain":{"abc":{"chain_enabled":1}}})", "'abc' must be two names with > between them"},
        {R"({"chain":{"a>":{"chain_enabled":1}}})", "'a>' must be two names with >"},
        {R"({"chain":{">a":{"chain_enabled":1}}})", "'>a' must be two names with >"},
        {R"({"chain":{"a>*>c":{"chain_enabled":1}}})", "'a>*>c' must be two names with >"},
        {R"({"capability":{"READ":{"chain_enabled":0}}})",
         "capability READ: chain_enabled would do nothing there; it belongs to hub, platform, "
         "agent "
         "or chain"},
        {R"({"platform":{"nope":{"depth_max":3}}})",
         "platform: 'nope' must be taskwire, kessel, delegation, sam or correlation"},
        {R"({"platform":{"Kessel":{"depth_max":3}}})", "platform: 'Kessel' must be taskwire"},
        {R"({"platform":{"nope":{}}})", "platform: 'nope' must be taskwire"},
        {R"({"user":{"u":{"root_idle_ms":9}}})",
         "root_idle_ms would do nothing there; it belongs to hub"},
        {R"({"hub":{"risk_low":9,"risk_high":8}})",
         "hub: risk_low must be at most risk_high, which is 8, not 9"},
        {R"({"hub":{"intent_sure_percent":20,"intent_thinkable_percent":21}})",
         "intent_thinkable_percent must be at most intent_sure_percent, which is 20, not 21"},
    };
    for (const auto& [text, what] : wrong) {
        const auto settings = read_settings(json::root(text));
        ASSERT_FALSE(settings) << text;
        EXPECT_NE(settings.error().message.find(what), std::string::npos)
            << settings.error().message;
    }
}

TEST(Policy, T14_PlatformNamesInAChainMatchPlatformsAndNotAgents) {
    struct Case {
        const char* policy;
        Chain chain;
        bool is_enabled;
    };
    const Chain impostor{"kessel", "b", "taskwire", "delegation"};
    const Case cases[] = {
        // An agent called like a platform does not match by its name.
        {"chain kessel>* chain_enabled 1\n", impostor, false},
        {"chain *>sam chain_enabled 1\n", {"a", "sam", "kessel", "taskwire"}, false},
        {"chain kessel>sam chain_enabled 1\n", {"kessel", "sam", "taskwire", "taskwire"}, false},
        // The agent's platform matches.
        {"chain taskwire>* chain_enabled 1\n", impostor, true},
        {"chain kessel>* chain_enabled 1\n", {"taskwire", "b", "kessel", "sam"}, true},
        {"chain kessel>sam chain_enabled 1\n", {"a", "b", "kessel", "sam"}, true},
        // Beside an agent's name, or in an agent's own table, the word names an agent.
        {"chain kessel>b chain_enabled 1\n", impostor, true},
        {"chain a>sam chain_enabled 1\n", {"a", "sam", "kessel", "taskwire"}, true},
        {"chain a>sam chain_enabled 1\n", {"a", "b", "kessel", "sam"}, false},
        {"agent kessel chain_enabled 1\n", impostor, true},
    };
    for (const auto& item : cases) {
        const auto settings = parse_policy(std::string{"hub chain_enabled 0\n"} + item.policy);
        ASSERT_TRUE(settings) << settings.error().message;
        EXPECT_EQ(is_chain_enabled({.settings = *settings}, item.chain), item.is_enabled)
            << item.policy << item.chain.from << " of " << item.chain.from_platform;
    }
}

}  // namespace
}  // namespace parlance::gateway
