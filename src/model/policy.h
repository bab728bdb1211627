// The rules of what is permitted: numbers that can change while the hub runs (T14).
//
// A rule has a default, and values for the whole hub, a platform, an agent, a capability or a user:
// the most specific value wins. The table below defines all rules; the policy file, the API, the
// explanations and the documentation are derived from the table.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace parlance {

/// The numbers are never stored: policies are written by rule name.
enum class Rule : std::uint8_t {
    DepthMax,
    FanoutMax,
    RootIdleMs,
    DeadlineMsMax,
    TokensPerDelegation,
    TokensPerRoot,
    TokensPerAgent,
    TokensPerUser,
    TokensInTotal,
    CostPerMillionTokens,
    CostPerDelegation,
    CostPerRoot,
    CostPerAgent,
    CostPerUser,
    CostInTotal,
    BudgetWindowMs,
    BreakerFailures,
    BreakerWindowMs,
    BreakerOpenMs,
    BreakerFairMs,
    MessagesPerMinute,
    RequestsPerUserMinute,
    IntentSurePercent,
    IntentThinkablePercent,
    IntentAgentWaitMs,
    BudgetAsksPeople,
    RiskLow,
    RiskHigh,
    ChainEnabled,
    kRules
};
inline constexpr auto kRuleCount = static_cast<std::size_t>(Rule::kRules);

/// Where a value holds. Later scopes are more specific.
enum class ScopeKind : std::uint8_t { Hub, Platform, Agent, Capability, User, Chain };
inline constexpr std::array<std::string_view, 6> kScopeNames{
    "hub", "platform", "agent", "capability", "user", "chain"};

/// A set of scope kinds, one bit each.
using Scopes = unsigned;
constexpr Scopes scopes_of(std::initializer_list<ScopeKind> kinds) {
    Scopes scopes = 0;
    for (const auto kind : kinds) scopes |= 1U << static_cast<unsigned>(kind);
    return scopes;
}
constexpr bool is_among(ScopeKind kind, Scopes scopes) { return (scopes & scopes_of({kind})) != 0; }

struct RuleRow {
    Rule rule;
    std::string_view name;
    std::int64_t preset;
    std::int64_t least;
    std::int64_t most;
    Scopes scopes;  ///< Scopes with an effect; a value in any different scope would do nothing.
    std::string_view meaning;
};

/// Scopes for the hub as a whole, for agents, for users, for pairs of requester and recipient, and
/// for requests (by requester, user and capability).
inline constexpr auto kOfTheHub = scopes_of({ScopeKind::Hub});
inline constexpr auto kOfAgents =
    scopes_of({ScopeKind::Hub, ScopeKind::Platform, ScopeKind::Agent});
inline constexpr auto kOfUsers = scopes_of({ScopeKind::Hub, ScopeKind::User});
inline constexpr auto kOfChains = kOfAgents | scopes_of({ScopeKind::Chain});
inline constexpr auto kOfRequests = kOfAgents | kOfUsers | scopes_of({ScopeKind::Capability});

/// JSON carries integers exactly up to here.
inline constexpr std::int64_t kPolicyMost = std::int64_t{1} << 53U;
inline constexpr std::int64_t kWeekMs = std::int64_t{7} * 24 * 3600 * 1000;

/// In the order of Rule. 0, where allowed, means no limit unless stated otherwise.
// clang-format off
inline constexpr std::array<RuleRow, kRuleCount> kRules{{
    {Rule::DepthMax, "depth_max", 8, 1, 64, kOfRequests,
     "A delegation of this depth is refused, whatever depth its sender allows."},
    {Rule::FanoutMax, "fanout_max", 3, 1, 1'000, kOfRequests,
     "How many delegations of one parent may be open at a time."},
    {Rule::RootIdleMs, "root_idle_ms", 60'000, 1, kWeekMs, kOfTheHub,
     "A session known only by its id ends when nothing of it was open for so long."},
    {Rule::DeadlineMsMax, "deadline_ms_max", kWeekMs, 1, kWeekMs, kOfRequests,
     "The longest time that a delegation may be given."},
    {Rule::TokensPerDelegation, "tokens_per_delegation", 0, 0, kPolicyMost, kOfRequests,
     "The most tokens that one delegation may ask for."},
    {Rule::TokensPerRoot, "tokens_per_root", 0, 0, kPolicyMost, kOfRequests,
     "The purse of a whole tree of delegations, in tokens."},
    {Rule::TokensPerAgent, "tokens_per_agent", 0, 0, kPolicyMost, kOfAgents,
     "What one agent may spend in a budget window, in tokens."},
    {Rule::TokensPerUser, "tokens_per_user", 0, 0, kPolicyMost, kOfUsers,
     "What may be spent for one user in a budget window, in tokens."},
    {Rule::TokensInTotal, "tokens_in_total", 0, 0, kPolicyMost, kOfTheHub,
     "What the whole hub may spend in a budget window, in tokens."},
    {Rule::CostPerMillionTokens, "cost_per_million_tokens", 0, 0, 1'000'000'000'000, kOfAgents,
     "The price of an agent's tokens, in millionths of the currency."},
    {Rule::CostPerDelegation, "cost_per_delegation", 0, 0, kPolicyMost, kOfRequests,
     "The most that one delegation may cost, in millionths of the currency."},
    {Rule::CostPerRoot, "cost_per_root", 0, 0, kPolicyMost, kOfRequests,
     "The purse of a whole tree of delegations, in millionths of the currency."},
    {Rule::CostPerAgent, "cost_per_agent", 0, 0, kPolicyMost, kOfAgents,
     "What one agent's work may cost in a budget window, in millionths of the currency."},
    {Rule::CostPerUser, "cost_per_user", 0, 0, kPolicyMost, kOfUsers,
     "What may be spent for one user in a budget window, in millionths of the currency."},
    {Rule::CostInTotal, "cost_in_total", 0, 0, kPolicyMost, kOfTheHub,
     "What the whole hub may spend in a budget window, in millionths of the currency."},
    {Rule::BudgetWindowMs, "budget_window_ms", 86'400'000, 1'000, 31 * (kWeekMs / 7), kOfTheHub,
     "How long a budget window is."},
    {Rule::BreakerFailures, "breaker_failures", 5, 0, 1'000'000, kOfAgents,
     "So many failures in a row within the window open an agent's breaker; 0 switches it off."},
    {Rule::BreakerWindowMs, "breaker_window_ms", 60'000, 1, kWeekMs, kOfAgents,
     "How long a failure counts."},
    {Rule::BreakerOpenMs, "breaker_open_ms", 30'000, 1, kWeekMs, kOfAgents,
     "How long a breaker stays open before one request is let through to try."},
    {Rule::BreakerFairMs, "breaker_fair_ms", 1'000, 0, kWeekMs, kOfAgents,
     "A missed deadline is an agent's failure if it was handed the request so long before."},
    {Rule::MessagesPerMinute, "messages_per_minute", 0, 0, kPolicyMost, kOfAgents,
     "How many messages one agent may send in a minute."},
    {Rule::RequestsPerUserMinute, "requests_per_user_minute", 0, 0, kPolicyMost, kOfRequests,
     "How many requests may be made for one user in a minute."},
    {Rule::IntentSurePercent, "intent_sure_percent", 25, 1, 100, kOfTheHub,
     "From this confidence on a classified request is routed; below, the hub asks back."},
    {Rule::IntentThinkablePercent, "intent_thinkable_percent", 15, 0, 100, kOfTheHub,
     "Below this confidence the hub does not ask back but says that it cannot help."},
    {Rule::IntentAgentWaitMs, "intent_agent_wait_ms", 5'000, 1, 60'000, kOfTheHub,
     "How long an agent that classifies may take before the hub does it itself."},
    {Rule::BudgetAsksPeople, "budget_asks_people", 0, 0, 1, kOfRequests,
     "With 1 a delegation that a purse has too little for waits for a person; with 0 it is refused."},
    {Rule::RiskLow, "risk_low", 0, 0, kPolicyMost, kOfRequests,
     "A delegation that asks for more tokens than this waits until a person approves."},
    {Rule::RiskHigh, "risk_high", 0, 0, kPolicyMost, kOfRequests,
     "A delegation that asks for more tokens than this waits until two people approve."},
    {Rule::ChainEnabled, "chain_enabled", 1, 0, 1, kOfChains,
     "Whether requests may go from one to the other; with 0 they are refused."},
}};
// clang-format on
static_assert(
    [] {
        for (std::size_t i = 0; i < kRuleCount; ++i) {
            if (kRules[i].rule != static_cast<Rule>(i)) return false;
        }
        return true;
    }(),
    "the table stands in the order of the rules");

struct Scope {
    ScopeKind kind = ScopeKind::Hub;
    std::string name{};
    auto operator<=>(const Scope&) const = default;
};

/// Values by rule and scope: "agent byte-doc fanout_max 2".
using Settings = std::map<std::pair<Rule, Scope>, std::int64_t>;

struct Policy {
    std::uint64_t version = 0;
    Settings settings{};
    bool operator==(const Policy&) const = default;
};

/// The subject of a lookup. An empty name matches no setting.
struct Subject {
    std::string_view platform{};
    std::string_view agent{};
    std::string_view capability{};
    std::string_view user{};
};

/// Requester and recipient, with their platforms.
struct Chain {
    std::string_view from{};
    std::string_view to{};
    std::string_view from_platform{};
    std::string_view to_platform{};
};
/// A rule's value, and the scope that set the value.
struct Ruling {
    std::int64_t value = 0;
    Scope scope{};
    bool is_preset = false;
};
/// The chain rule's value. "a>b" is the most specific name, then "a>*", "*>b", then the same with
/// platforms, then "*>*"; without a match, the requester's own value holds.
Ruling chain_ruling(const Policy& policy, const Chain& chain);
inline bool is_chain_enabled(const Policy& policy, const Chain& chain) {
    return chain_ruling(policy, chain).value != 0;
}
Ruling ruling(const Policy& policy, Rule rule, const Subject& subject);
/// The value of ruling() alone: every request looks up two dozen values.
std::int64_t limit_of(const Policy& policy, Rule rule, const Subject& subject = {});

/// True if the rule is set for any scope.
bool is_set(const Policy& policy, Rule rule);
/// True if a budget limits any request, even a request without a user.
bool limits_spending(const Policy& policy);

/// Why a rule has no effect in a scope. Empty: the rule may be set.
std::string misplacement(Rule rule, const Scope& scope);
/// "hub", "agent byte-doc".
std::string name_of(const Scope& scope);

/// One setting per line, sorted: the form in the journal and for comparison.
std::string print_policy(const Settings& settings);
/// The error names the first malformed line or value out of bounds.
Result<Settings> parse_policy(std::string_view text);

}  // namespace parlance
