// `policy explain` says what sending does: the same guards in the same order, the same refusal in
// the same words, and no guard that sending would not ask (T14).
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/admission.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using Names = std::vector<std::string>;

/// Guards asked of every request to an agent; a guard that is not asked is listed where it says so.
const Names kOutsideOfTrees{"identity",
                            "id",
                            "fleet",
                            "messages",
                            "recipient",
                            "mailbox",
                            "room",
                            "allocation",
                            "tree",
                            "chain",
                            "circuit"};
const Names kInTrees{"identity", "id",         "fleet",
                     "messages", "recipient",  "mailbox",
                     "room",     "allocation", "capability rules",
                     "chain",    "circuit",    "parent",
                     "rate",     "session",    "user",
                     "depth",    "fan-out",    "cycle",
                     "tools",    "estimate",   "risk",
                     "tokens",   "cost",       "over"};

/// The guards that may give each refusal.
const std::map<Refusal, std::set<std::string>> kGuardOf{
    {Refusal::IdentityMismatch, {"identity", "session"}},
    {Refusal::MessageIdConflict, {"id"}},
    {Refusal::FleetStopped, {"fleet"}},
    {Refusal::RateLimitExceeded, {"messages", "rate"}},
    {Refusal::AgentNotRegistered, {"recipient"}},
    {Refusal::RouteNotPermitted, {"chain"}},
    {Refusal::AgentCircuitOpen, {"circuit"}},
    {Refusal::UserIsolationViolated, {"id", "user"}},
    {Refusal::DelegationDepthExceeded, {"depth"}},
    {Refusal::DelegationFanoutExceeded, {"fan-out"}},
    {Refusal::DelegationCycleDetected, {"cycle"}},
    {Refusal::ToolNotAllowed, {"tools"}},
    {Refusal::BudgetTokensExceeded, {"estimate", "risk", "tokens"}},
    {Refusal::BudgetCostExceeded, {"cost"}},
    {Refusal::DelegationNotFound, {"over"}}};

constexpr std::array kAgents{"ann", "bob", "cat", "dan", "eve"};

Names names_of(const std::vector<Finding>& findings) {
    Names names;
    for (const auto& finding : findings) names.emplace_back(finding.guard);
    return names;
}

bool is_beginning(const Names& names, const Names& of) {
    return names.size() <= of.size() &&
           std::ranges::equal(
               names, Names(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(names.size())));
}

class Explaining {
  public:
    explicit Explaining(std::uint64_t seed) : entropy_(seed) {
        story_.replayed_every(9'000);
        story_.limits().heartbeat_timeout = Duration{36'000'000};
        story_.limits().lease = Duration{3'600'000};
        for (const auto* agent : kAgents) {
            story_.ask(RegisterAgent{{agent}, {.tools_allowed = {"ocr"}}});
            story_.connect(agent, 500);
        }
        change_policy();
    }

    void run(int count) {
        for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) step();
    }
    /// The guards that refused requests in a tree, and requests in none.
    std::set<std::string> refused_in_trees;
    std::set<std::string> refused_outside;
    int held = 0;
    int repeats = 0;
    int accepted = 0;

  private:
    std::uint64_t any(std::uint64_t end) { return entropy_() % end; }
    bool is_one_in(std::uint64_t count) { return any(count) == 0; }
    std::string agent() { return kAgents[any(kAgents.size())]; }

    void change_policy() {
        const auto maybe = [&](std::int64_t value) { return is_one_in(2) ? 0 : value; };
        Settings settings{{{Rule::DepthMax, {}}, 2 + static_cast<std::int64_t>(any(3))},
                          {{Rule::MessagesPerMinute, {ScopeKind::Agent, "ann"}}, maybe(10)},
                          {{Rule::RequestsPerUserMinute, {}}, maybe(8)},
                          {{Rule::FanoutMax, {}}, 1 + static_cast<std::int64_t>(any(3))},
                          {{Rule::RootIdleMs, {}}, 2'000},
                          {{Rule::TokensPerRoot, {}}, maybe(4'000)},
                          {{Rule::TokensPerDelegation, {}}, maybe(1'500)},
                          {{Rule::CostPerMillionTokens, {}}, maybe(1'000'000)},
                          {{Rule::CostPerDelegation, {}}, maybe(900)},
                          {{Rule::CostPerRoot, {}}, maybe(1'000)},
                          {{Rule::CostPerAgent, {}}, maybe(2'000)},
                          {{Rule::CostPerUser, {}}, maybe(2'000)},
                          {{Rule::BudgetAsksPeople, {}}, maybe(1)},
                          {{Rule::RiskLow, {}}, maybe(1'200)},
                          {{Rule::RiskHigh, {}}, maybe(1'800)},
                          {{Rule::BreakerFailures, {}}, maybe(3)},
                          {{Rule::BreakerOpenMs, {}}, 3'000}};
        // With any budget set, every request is in a tree.
        const bool has_budgets = !is_one_in(3);
        for (auto& [key, value] : settings) {
            const auto name = kRules[static_cast<std::size_t>(key.first)].name;
            const bool is_budget = name.starts_with("tokens_") || name.starts_with("cost_");
            if (is_budget && !has_budgets) value = 0;
        }
        if (is_one_in(2)) settings[{Rule::ChainEnabled, {ScopeKind::Chain, "bob>cat"}}] = 0;
        story_.as_operator().ask(ChangePolicy{.settings = print_policy(settings)});
        ASSERT_EQ(story_.happened<PolicyChanged>().size(), 1U);
        story_.as_the_hub();
    }

    void step() {
        story_.later(Duration{any(400)});
        const auto kind = any(100);
        if (kind < 1) return change_policy();
        if (kind < 2) {
            story_.as_operator().ask(StopFleet{});
            send();
            story_.as_operator().ask(ResumeFleet{});
            story_.as_the_hub();
            return;
        }
        if (kind < 25) return answer();
        send();
    }

    void answer() {
        const auto& requests = story_.state().requests;
        const auto slots = requests.slots.sorted(broker::ticket_of(requests.open));
        if (slots.empty()) return;
        const auto asked = requests.open[slots[any(slots.size())].second].asked;
        story_.ask(answer_to(std::string{asked->id()}, std::string{asked->to()}, any(500)));
    }

    SendMessage any_message(bool is_in_a_tree) {
        Letter letter{.id = "m-" + std::to_string(is_one_in(15) ? any(number_ + 1) : ++number_),
                      .from = agent(),
                      .to = is_one_in(30) ? "nobody" : agent(),
                      .correlation = "w-" + std::to_string(++workflow_),
                      .intent = Intent::Request,
                      .body = is_one_in(2) ? "{}" : R"({"a":1})"};
        SendMessage send{.envelope = envelope(letter),
                         .priority = Priority::High,
                         .timeout = Duration{any(4'000)},
                         .fingerprint = fingerprint(letter),
                         .waits = true};
        if (is_in_a_tree) send.claim = any_claim();
        return send;
    }
    ClaimPtr any_claim() {
        return std::make_shared<const Claim>(
            Claim{.user = "u-" + std::to_string(any(3)),
                  .session = "s-" + std::to_string(any(8)),
                  .child_session = is_one_in(10) ? "s-" + std::to_string(any(8)) : "",
                  .objective_hash = "o-" + std::to_string(any(6)),
                  .depth = static_cast<std::uint32_t>(is_one_in(8) ? any(4) : 0),
                  .depth_max = 1 + static_cast<std::uint32_t>(any(6)),
                  .tokens_max = any(2'000),
                  .tokens_estimated = any(60),
                  .tools = is_one_in(10) ? Names{"shell"} : Names{},
                  .has_session = true});
    }

    void send() {
        const bool is_in_a_tree = !is_one_in(3);
        const auto message = any_message(is_in_a_tree);
        const std::string speaker{is_one_in(30) ? "eve" : message.envelope->from()};
        const bool is_named = is_one_in(3);
        const auto caller = is_named ? std::make_shared<const Caller>(Caller{{speaker}}) : nullptr;
        const auto told = explain(story_.state(), {.caller = caller, .now = story_.now()}, message);
        if (caller) {
            story_.as_caller(*caller);
        }
        story_.ask(message);
        story_.as_the_hub();
        // An agent that holds work of a tree asks in that tree, whatever it claims.
        const bool is_placed = !is_beginning(names_of(told.findings), kOutsideOfTrees);
        compare(told, is_in_a_tree || is_placed);
        if (is_in_a_tree || told.refusal != Refusal::None || told.is_repeat) return;
        const bool is_admitted = !story_.happened<DelegationAdmitted>().empty() ||
                                 !story_.happened<RequestHeld>().empty();
        EXPECT_EQ(is_placed, is_admitted);
    }

    void compare(const Explanation& told, bool is_in_a_tree) {
        const auto refusals = story_.happened<MessageRefused>();
        ASSERT_EQ(told.refusal, refusals.empty() ? Refusal::None : refusals[0].refusal)
            << told.detail;
        ASSERT_FALSE(told.findings.empty());
        const auto& last = told.findings.back();
        if (!refusals.empty()) {
            EXPECT_EQ(told.detail, refusals[0].detail);
            EXPECT_EQ(told.retry_after_ms, refusals[0].retry_after_ms);
            EXPECT_EQ(last.refusal, told.refusal);
            const auto guards = kGuardOf.find(told.refusal);
            ASSERT_NE(guards, kGuardOf.end()) << told.detail;
            EXPECT_TRUE(guards->second.contains(std::string{last.guard})) << last.guard;
            (is_in_a_tree ? refused_in_trees : refused_outside).emplace(last.guard);
        } else {
            ++accepted;
        }
        const bool is_held = !story_.happened<RequestHeld>().empty();
        EXPECT_EQ(told.approvals_needed > 0, is_held);
        held += is_held ? 1 : 0;
        const bool is_repeat = !story_.happened<DuplicateReceived>().empty();
        EXPECT_EQ(told.is_repeat, is_repeat);
        repeats += is_repeat ? 1 : 0;
        for (const auto& each : told.findings) {
            const bool lets_pass = each.refusal == Refusal::None || each.approvals_needed > 0;
            EXPECT_TRUE(lets_pass || &each == &last) << each.guard << " came before " << last.guard;
        }
        const auto names = names_of(told.findings);
        const auto& whole = is_in_a_tree ? kInTrees : kOutsideOfTrees;
        EXPECT_TRUE(is_beginning(names, whole)) << testing::PrintToString(names);
        if (refusals.empty() && !is_repeat) {
            EXPECT_EQ(names, whole);
        }
    }

    Story story_;
    std::mt19937_64 entropy_;
    std::uint64_t number_ = 0;
    std::uint64_t workflow_ = 0;
};

TEST(Explain, T14_GivesTheVerdictOfSendingForAnyMessage) {
    std::set<std::string> in_trees;
    std::set<std::string> outside;
    int held = 0;
    int repeats = 0;
    int accepted = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Explaining walk{seed};
        walk.run(1'500);
        if (testing::Test::HasFailure()) return;
        in_trees.merge(walk.refused_in_trees);
        outside.merge(walk.refused_outside);
        held += walk.held;
        repeats += walk.repeats;
        accepted += walk.accepted;
    }
    // A guard that never refused proves nothing.
    for (const auto* guard :
         {"identity", "id", "fleet", "messages", "recipient", "chain", "circuit"}) {
        EXPECT_TRUE(outside.contains(guard)) << guard;
        EXPECT_TRUE(in_trees.contains(guard)) << guard;
    }
    for (const auto* guard :
         {"rate", "user", "depth", "fan-out", "cycle", "tools", "estimate", "tokens", "cost"}) {
        EXPECT_TRUE(in_trees.contains(guard)) << guard;
        EXPECT_FALSE(outside.contains(guard)) << guard;
    }
    EXPECT_GT(held, 50);
    EXPECT_GT(repeats, 20);
    EXPECT_GT(accepted, 1'000);
}

class Explained : public ::testing::Test {
  protected:
    Explained() {
        for (const auto* agent : {"ann", "bob"}) story.agent(agent);
    }
    void allow(const Settings& settings) {
        story.as_operator().ask(ChangePolicy{.settings = print_policy(settings)});
        ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
        story.as_the_hub();
    }
    Explanation told(Claim claim) {
        const auto message =
            envelope({.id = "m", .from = "ann", .to = "bob", .intent = Intent::Request});
        return explain(story.state(),
                       {.now = story.now()},
                       {.envelope = message, .claim = std::make_shared<Claim>(std::move(claim))});
    }
    static const Finding& at(const Explanation& told, std::string_view guard) {
        static const Finding none;
        const auto found = std::ranges::find(told.findings, guard, &Finding::guard);
        EXPECT_NE(found, told.findings.end()) << guard;
        return found == told.findings.end() ? none : *found;
    }
    Story story;
};

TEST_F(Explained, T14_AGuardNamesItsRuleScopeAndValues) {
    allow({{{Rule::DepthMax, {}}, 5},
           {{Rule::DepthMax, {ScopeKind::Agent, "ann"}}, 4},
           {{Rule::ChainEnabled, {ScopeKind::Chain, "ann>bob"}}, 1}});
    const auto all = told({.user = "u", .session = "s", .depth_max = 9, .has_session = true});
    EXPECT_EQ(all.refusal, Refusal::None);
    const auto& depth = at(all, "depth");
    EXPECT_EQ(depth.detail, "depth 1 is below 4");
    ASSERT_EQ(depth.rules.size(), 1U);
    EXPECT_EQ(depth.rules[0].ruling.value, 4);
    EXPECT_EQ(depth.rules[0].ruling.scope, (Scope{ScopeKind::Agent, "ann"}));
    const auto& fanout = at(all, "fan-out");
    EXPECT_EQ(fanout.detail, "0 of 3 are open");
    ASSERT_EQ(fanout.rules.size(), 1U);
    EXPECT_TRUE(fanout.rules[0].ruling.is_preset);
    const auto& chain = at(all, "chain");
    ASSERT_EQ(chain.rules.size(), 1U);
    EXPECT_EQ(chain.rules[0].ruling.scope, (Scope{ScopeKind::Chain, "ann>bob"}));
}

TEST_F(Explained, X8_ARequestForPeopleToDecideIsAcceptedAndWaits) {
    allow({{{Rule::RiskLow, {}}, 100}, {{Rule::RiskHigh, {}}, 1'000}});
    const auto ask = [&](std::uint64_t tokens) {
        return told({.user = "u",
                     .session = "s",
                     .depth_max = 9,
                     .tokens_max = tokens,
                     .has_session = true});
    };
    EXPECT_EQ(ask(100).approvals_needed, 0U);
    EXPECT_EQ(ask(101).approvals_needed, 1U);
    EXPECT_EQ(ask(1'001).approvals_needed, 2U);
    EXPECT_EQ(ask(1'001).refusal, Refusal::None);
    EXPECT_EQ(at(ask(1'001), "risk").approvals_needed, 2U);
}

// --- the capability that a rule applies to ---------------------------------------------------

class CapabilityRule : public Explained {
  protected:
    CapabilityRule() {
        allow({{{Rule::TokensPerDelegation, {ScopeKind::Capability, "READ"}}, 500}});
    }
    void bob_can(const std::string& capabilities) {
        story.ask(RegisterAgent{{"bob"}, {.capabilities = capabilities}});
    }
    Explanation ask(std::vector<std::string> words, std::uint64_t tokens) {
        return told({.user = "u",
                     .session = "s",
                     .words = std::move(words),
                     .depth_max = 9,
                     .tokens_max = tokens,
                     .has_session = true});
    }
    Refusal refusal(std::vector<std::string> words, std::uint64_t tokens) {
        return ask(std::move(words), tokens).refusal;
    }
};

TEST_F(CapabilityRule, T14_AppliesToTheNamedCapabilityExactlyAtItsLimit) {
    bob_can(R"([{"code":"READ"},{"code":"SORT"}])");
    EXPECT_EQ(refusal({"Read this", "READ"}, 500), Refusal::None);
    EXPECT_EQ(refusal({"Read this", "READ"}, 501), Refusal::BudgetTokensExceeded);
    EXPECT_EQ(refusal({"SORT", "READ"}, 501), Refusal::None) << "the first that is named";
    const auto all = ask({"READ"}, 501);
    ASSERT_FALSE(all.findings.back().rules.empty());
    EXPECT_EQ(all.findings.back().rules[0].ruling.scope, (Scope{ScopeKind::Capability, "READ"}));
}

TEST_F(CapabilityRule, T14_AppliesToATargetsOnlyCapability) {
    bob_can(R"([{"code":"READ"}])");
    EXPECT_EQ(refusal({"whatever"}, 500), Refusal::None);
    EXPECT_EQ(refusal({"whatever"}, 501), Refusal::BudgetTokensExceeded);
    EXPECT_EQ(refusal({}, 501), Refusal::BudgetTokensExceeded);
    bob_can(R"([{"code":"SORT"}])");
    EXPECT_EQ(refusal({"READ"}, 501), Refusal::None) << "it is not bob's any more";
}

TEST_F(CapabilityRule, T14_DoesNotApplyIfNoneOfSeveralCapabilitiesIsNamedAndExplainSaysSo) {
    bob_can(R"([{"code":"READ"},{"code":"SORT"}])");
    const auto all = ask({"something"}, 501);
    EXPECT_EQ(all.refusal, Refusal::None);
    const auto& finding = at(all, "capability rules");
    EXPECT_FALSE(finding.is_asked);
    EXPECT_EQ(finding.detail, "'bob' has registered 2 capabilities, and it names none of them");
}

TEST_F(CapabilityRule, T14_AppliesToAnAgentFoundByTheCapability) {
    bob_can(R"([{"code":"READ"},{"code":"SORT"}])");
    const auto ask_for = [&](const std::string& to, std::uint64_t tokens) {
        const auto message =
            envelope({.id = "m", .from = "ann", .to = to, .intent = Intent::Request});
        return explain(story.state(),
                       {.now = story.now()},
                       {.envelope = message,
                        .claim = std::make_shared<Claim>(Claim{.user = "u",
                                                               .session = "s",
                                                               .depth_max = 9,
                                                               .tokens_max = tokens,
                                                               .has_session = true})})
            .refusal;
    };
    EXPECT_EQ(ask_for("capability:READ", 500), Refusal::None);
    EXPECT_EQ(ask_for("capability:READ", 501), Refusal::BudgetTokensExceeded);
    EXPECT_EQ(ask_for("capability:SORT", 501), Refusal::None);
}

}  // namespace
}  // namespace parlance::core
