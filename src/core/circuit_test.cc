// The agents suggested while an agent is left alone: able to do the same, and allowed to be asked
// (K21).
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

constexpr auto kReads = R"([{"code":"READ"}])";
constexpr auto kReadsAndSorts = R"([{"code":"READ"},{"code":"SORT"}])";
constexpr auto kSorts = R"([{"code":"SORT"}])";

class Circuit : public ::testing::Test {
  protected:
    Circuit() {
        story.agent("alice");
        can("bob", kReadsAndSorts);
    }
    void can(const std::string& agent, const std::string& capabilities) {
        story.ask(RegisterAgent{{agent},
                                {.role = "clerk", .domain = "sums", .capabilities = capabilities}});
    }
    void is_there(const std::string& agent) { story.connect(agent, 1); }
    void allow(const Settings& settings) {
        story.as_operator().ask(ChangePolicy{.settings = print_policy(settings)});
        ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
        story.as_the_hub();
    }
    /// A request that the agent takes before all waiting messages, and does not answer in time.
    void leave_unanswered(const std::string& agent) {
        const auto idler = story.poll(agent, "idler");
        story.request({.id = "f-" + std::to_string(++number), .to = agent},
                      true,
                      Priority::Critical,
                      Duration{1'000});
        story.ask(TakeMessages{idler, 1});
        story.later(Duration{1'000}).tick();
    }
    void leave_alone(const std::string& agent) {
        for (int i = 0; i < 5; ++i) leave_unanswered(agent);
        ASSERT_EQ(story.happened<BreakerOpened>().size(), 1U);
    }
    /// The advice in the refusal of a request to bob.
    std::string words(const std::string& body = R"({"capability":"READ"})") {
        story.request({.id = "q-" + std::to_string(++number), .body = body}, true);
        EXPECT_EQ(story.refusal(), Refusal::AgentCircuitOpen);
        const auto refused = story.asked_for<TellRefused>();
        return refused.empty() ? "" : advice_in(refused.back().detail);
    }
    /// The text behind the words on how long the agent is left alone.
    static std::string advice_in(const std::string& detail) {
        const auto at = detail.find(". ");
        return at == std::string::npos ? detail : detail.substr(at + 2);
    }
    Story story;
    int number = 0;
};

TEST_F(Circuit, K21_SuggestsAnAgentWithTheCapabilityAndNotOneMerelyAlike) {
    can("carol", kSorts);
    can("dave", kReads);
    is_there("carol");
    is_there("dave");
    leave_alone("bob");
    EXPECT_EQ(words(), "Ask 'dave' instead, or ask again later");
    EXPECT_EQ(words(R"({"capability":"SORT"})"), "Ask 'carol' instead, or ask again later");
}

TEST_F(Circuit, T14_K21_ABreakerCanBeSetForAPlatform) {
    story.ask(RegisterAgent{{"carol"}, {.dialect = Dialect::Kessel}});
    allow({{{Rule::BreakerFailures, {ScopeKind::Platform, "kessel"}}, 1},
           {{Rule::BreakerOpenMs, {ScopeKind::Platform, "kessel"}}, 7'000}});
    leave_unanswered("bob");
    EXPECT_TRUE(story.happened<BreakerOpened>().empty()) << "he speaks another dialect";
    leave_unanswered("carol");
    const auto opened = story.happened<BreakerOpened>();
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened[0].until, story.now() + Duration{7'000});
}

TEST_F(Circuit, K21_WithoutACapabilitySuggestsTheSameRoleAndDomain) {
    story.ask(RegisterAgent{{"carol"}, {.role = "clerk", .domain = "taxes"}});
    story.ask(RegisterAgent{{"dave"}, {.role = "clerk", .domain = "sums"}});
    is_there("carol");
    leave_alone("bob");
    EXPECT_EQ(words("{}"), "Ask 'dave' instead, which is offline for now, or ask again later");
}

TEST_F(Circuit, K21_SuggestsPresentAgentsBeforeOfflineOnes) {
    can("carol", kReads);
    can("dave", kReads);
    is_there("dave");
    leave_alone("bob");
    EXPECT_EQ(words(), "Ask 'dave' instead, or ask again later");
}

TEST_F(Circuit, K21_DoesNotSuggestAnAgentWithAnOpenBreaker) {
    can("carol", kReads);
    is_there("carol");
    leave_alone("carol");
    leave_alone("bob");
    EXPECT_EQ(words(), "Nobody else who can do 'READ' can be asked now: ask again later");
}

TEST_F(Circuit, K21_T14_DoesNotSuggestAnAgentThatTheRequesterMayNotAsk) {
    can("carol", kReads);
    can("dave", kReads);
    is_there("carol");
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "alice>carol"}}, 0}});
    leave_alone("bob");
    EXPECT_EQ(words(), "Ask 'dave' instead, which is offline for now, or ask again later");
    allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "alice>*"}}, 0},
           {{Rule::ChainEnabled, {ScopeKind::Chain, "alice>bob"}}, 1}});
    EXPECT_EQ(words(), "Nobody else who can do 'READ' can be asked now: ask again later");
}

TEST_F(Circuit, K21_DoesNotSuggestTheRequesterItself) {
    can("alice", kReads);
    is_there("alice");
    leave_alone("bob");
    EXPECT_EQ(words(), "Nobody else who can do 'READ' can be asked now: ask again later");
    EXPECT_EQ(words("{}"), "Nobody else is known who does the same: ask again later");
}

TEST_F(Circuit, K21_G5_WaitingRequestsFailWithTheSameSuggestion) {
    can("carol", kSorts);
    can("dave", kReads);
    is_there("carol");
    is_there("dave");
    const auto waiting = story.request({.id = "waiting", .body = R"({"capability":"READ"})"},
                                       true,
                                       Priority::High,
                                       Duration{600'000});
    leave_alone("bob");
    std::string told;
    for (const auto& failed : story.happened<RequestFailed>()) {
        if (failed.request == waiting) told = advice_in(failed.detail);
    }
    EXPECT_EQ(told, "Ask 'dave' instead, or ask again later");
}

TEST_F(Circuit, G5_OneWayMessagesLeaveTheProbeToARequest) {
    leave_alone("bob");
    story.later(Duration{30'000}).tick();
    ASSERT_EQ(story.happened<BreakerProbed>().size(), 1U);
    story.send({.id = "waits"});
    const auto bob = story.poll("bob");
    story.ask(TakeMessages{bob, 1});
    ASSERT_EQ(story.mailbox("bob").in_flight, 1U);
    const auto told = story.last_delivery();
    story.send({.id = "waits, too"});
    story.request({.id = "probe"}, true, Priority::Critical);
    EXPECT_EQ(story.refusal(), Refusal::None);
    story.request({.id = "second"}, true);
    EXPECT_EQ(story.refusal(), Refusal::AgentCircuitOpen) << "one request at a time";
    story.ack(told).ask(TakeMessages{bob, 1});
    EXPECT_EQ(story.delivered(), Ids{"probe"});
    story.ask(answer_to("probe", "bob"));
    EXPECT_EQ(story.happened<BreakerClosed>().size(), 1U);
}

TEST_F(Circuit, G5_AMailboxCountsItsRequestsInEveryStage) {
    story.request({.id = "r"}, false, Priority::High, Duration{600'000});
    EXPECT_EQ(story.mailbox("bob").requests, 1U);
    story.send({.id = "m"});
    EXPECT_EQ(story.mailbox("bob").requests, 1U);
    story.connect("bob", 1);
    EXPECT_EQ(story.mailbox("bob").requests, 1U) << "also in flight";
    const auto letter = story.last_delivery();
    story.ask(NackDelivery{.delivery = letter, .reason = "never", .is_final = true});
    EXPECT_EQ(story.mailbox("bob").requests, 0U) << "it is a dead letter";
    EXPECT_EQ(story.mailbox("alice").requests, 0U) << "its failure asks alice for nothing";
}

}  // namespace
}  // namespace parlance::core
