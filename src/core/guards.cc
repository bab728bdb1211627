#include "core/guards.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/mutant.h"
#include "core/capability.h"
#include "core/draft.h"
#include "model/names.h"

namespace parlance::core {

namespace {

/// True if agents that work in the request's tree cannot leave the tree.
bool is_bound(const GuardInput& input) {
    return !input.user.empty() || (input.at.root != nullptr && governor::binds(*input.at.root));
}

// --- budgets ---------------------------------------------------------------------------------

/// A budget that a delegation draws on.
struct Source {
    std::string_view whose;
    std::uint64_t left = governor::kNoLimit;
    Refusal refusal = Refusal::BudgetTokensExceeded;  ///< If more is asked.
};

Source poorest(std::initializer_list<Source> sources) {
    return *std::ranges::min_element(sources, {}, &Source::left);
}

std::uint64_t left_in_account(const GuardInput& input,
                              const std::string& name,
                              Rule rule,
                              const Subject& subject) {
    const auto& governor = input.state.governor;
    const auto window = governor::window_of(governor.policy);
    return governor::left_in(
        governor::budget_at(governor.lineage.accounts, name, input.now, window),
        static_cast<std::uint64_t>(input.limit(rule, subject)));
}

/// The rest of `left` after the requests made beside this one.
std::uint64_t without(std::uint64_t left, std::uint64_t beside) {
    return left == governor::kNoLimit ? left : left - std::min(left, beside);
}

/// The target's account, with an accepted offer settled.
governor::Budget account_of_target(const GuardInput& input) {
    const auto& governor = input.state.governor;
    auto budget = governor::budget_at(governor.lineage.accounts,
                                      governor::agent_account(input.envelope.to()),
                                      input.now,
                                      governor::window_of(governor.policy));
    governor::settle(budget, input.settled.tokens, input.settled.tokens_spent);
    return budget;
}

Source budget_of_target(const GuardInput& input) {
    const auto most = input.limit(Rule::TokensPerAgent, as_target(input.state, input.target));
    return {"its target",
            governor::left_in(account_of_target(input), static_cast<std::uint64_t>(most))};
}

/// The operator's allocation to the target, less the tokens promised already (T15).
Source allocation_of_target(const GuardInput& input) {
    const auto to = input.envelope.to();
    const auto left = shared::left_of(input.state.shared, to, "tokens");
    if (left == governor::kNoLimit) return {};
    return {"the allocation of its target",
            without(without(left, input.settled.tokens_used), account_of_target(input).reserved),
            Refusal::ResourceLimitExceeded};
}

/// The most that the tree may spend: the present limit of its founder (T14). The founder's
/// capability is not on record: if the policy has limits by capability, the limit recorded at the
/// founding holds.
std::uint64_t budget_of_tree(const GuardInput& input, Rule rule) {
    const auto& root = *input.at.root;
    const auto& settings = input.state.governor.policy.settings;
    const auto at = settings.lower_bound({rule, {ScopeKind::Capability, {}}});
    const bool has_capabilities = at != settings.end() && at->first.first == rule &&
                                  at->first.second.kind == ScopeKind::Capability;
    if (has_capabilities) return rule == Rule::TokensPerRoot ? root.tokens : root.cost;
    auto founder = as_target(input.state, root.origin);
    founder.user = root.user;
    return static_cast<std::uint64_t>(input.limit(rule, founder));
}

/// Of all budgets drawn on by the request, the budget with the least left.
Source scarcest_budget(const GuardInput& input) {
    const auto& lineage = input.state.governor.lineage;
    const auto most = static_cast<std::uint64_t>(input.limit(Rule::TokensPerDelegation));
    const auto above = governor::budget_giver(lineage, input.at.parent);
    const auto account = [&](const std::string& name, Rule rule, const Subject& subject) {
        return left_in_account(input, name, rule, subject);
    };
    std::string_view whose_tree = "the tree of delegations that it belongs to";
    std::uint64_t tree = governor::kNoLimit;
    if (above != nullptr && above->is_open) {
        tree = governor::left_in(above->below, above->tokens);
    } else if (above != nullptr) {
        whose_tree = "the request out of which it is asked, which is over,";
        tree = 0;  // An answered request has returned the rest of its reservation.
    } else if (input.at.root != nullptr) {
        tree = governor::left_in(input.at.root->budget, budget_of_tree(input, Rule::TokensPerRoot));
    } else {
        tree = governor::left_in({}, static_cast<std::uint64_t>(input.limit(Rule::TokensPerRoot)));
    }
    const auto user = input.user.empty() ? governor::kNoLimit
                                         : account(governor::user_account(input.user),
                                                   Rule::TokensPerUser,
                                                   {.user = input.user});
    const auto hub = above == nullptr
                         ? account(std::string{governor::kHubAccount}, Rule::TokensInTotal, {})
                         : governor::kNoLimit;
    const auto beside = input.beside.tokens;
    return poorest({
        {"one delegation", most == 0 ? governor::kNoLimit : most},
        {whose_tree, input.is_in_one_tree() ? without(tree, beside) : tree},
        budget_of_target(input),
        allocation_of_target(input),
        // The requester's own reservation counts against these already.
        {"its user", above == nullptr ? without(user, beside) : governor::kNoLimit},
        {"the hub", without(hub, beside)},
    });
}

/// True if the request states its budget. In a dialect where every request carries a budget, a
/// missing one is a budget of 0; only a plan may leave the number to the hub.
bool says_budget(const GuardInput& input) {
    return input.claim.tokens_max > 0 || (input.claim.has_session && !input.claim.may_repeat);
}

/// The tokens that the request may spend. A dialect without budgets is no way round the limits: in
/// a bound tree, and wherever the policy limits spending, the request gets the usual number or the
/// rest. If nothing is left, the request asks for the usual number and is refused.
std::uint64_t tokens_for(const GuardInput& input) {
    const bool is_free = !is_bound(input) && !limits_spending(input.state.governor.policy) &&
                         !input.claim.may_repeat;
    if (says_budget(input) || is_free || is_planted(Mutant::AskForFree))
        return input.claim.tokens_max;
    const auto left = scarcest_budget(input).left;
    return left == 0 ? governor::kTokensUsual : std::min(left, governor::kTokensUsual);
}

// --- the guards ------------------------------------------------------------------------------

/// A passing verdict, with words if the caller wants an explanation.
template <class... Values>
GuardVerdict passed(const GuardInput& input,
                    fmt::format_string<Values...> words,
                    Values&&... values) {
    if (input.rules == nullptr) return {};
    return {.detail = fmt::format(words, std::forward<Values>(values)...)};
}

/// How many people must approve tokens beyond a budget; 0: nobody can.
std::uint32_t approvals_for_budget(const GuardInput& input) {
    return input.limit(Rule::BudgetAsksPeople) != 0 ? 1 : 0;
}

GuardVerdict check_chain(const GuardInput& input) {
    const auto& profile = input.state.registry.agents[input.target].profile;
    auto found = chain_ruling(input.state.governor.policy,
                              {.from = input.envelope.from(),
                               .to = input.envelope.to(),
                               .from_platform = enum_name(input.envelope.dialect()),
                               .to_platform = enum_name(profile.dialect)});
    const bool is_enabled = found.value != 0;
    if (input.rules != nullptr) input.rules->push_back({Rule::ChainEnabled, std::move(found)});
    if (is_enabled) return {};
    return {Refusal::RouteNotPermitted, chain_words(input.envelope.from(), input.envelope.to())};
}

/// The risk of a delegation is measured by the tokens it may spend.
GuardVerdict check_risk(const GuardInput& input) {
    const auto asked = input.tokens;
    const auto passes = [&](Rule rule) {
        const auto threshold = static_cast<std::uint64_t>(input.limit(rule));
        return threshold > 0 && asked > threshold;
    };
    const bool is_high = passes(Rule::RiskHigh);
    if (!is_high && !passes(Rule::RiskLow)) return passed(input, "it asks for {} tokens", asked);
    const auto rule = is_high ? Rule::RiskHigh : Rule::RiskLow;
    return {Refusal::BudgetTokensExceeded,
            fmt::format("It asks for {} tokens, and above {} {} ({}).",
                        asked,
                        input.limit(rule),
                        is_high ? "two people decide" : "a person decides",
                        kRules[static_cast<std::size_t>(rule)].name),
            is_high ? 2U : 1U};
}

/// How many people must approve a request for so many tokens of this subject.
std::uint32_t approvals_for_risk(const GuardInput& input,
                                 const Subject& subject,
                                 std::uint64_t tokens) {
    const auto passes = [&](Rule rule) {
        const auto threshold = static_cast<std::uint64_t>(input.limit(rule, subject));
        return threshold > 0 && tokens > threshold;
    };
    if (passes(Rule::RiskHigh)) return 2;
    return passes(Rule::RiskLow) ? 1 : 0;
}

/// A moving request whose new target needs more approvals than its present holder was not approved
/// by enough people, and cannot wait for approval because its time has begun.
GuardVerdict check_risk_of_target(const GuardInput& input) {
    const auto needed = approvals_for_risk(input, input.subject, input.tokens_before);
    if (needed <= approvals_for_risk(input, input.subject_before, input.tokens_before)) return {};
    const auto rule = needed > 1 ? Rule::RiskHigh : Rule::RiskLow;
    return {Refusal::BudgetTokensExceeded,
            fmt::format("It may spend {} tokens, and above {} {} whether '{}' gets it ({}).",
                        input.tokens_before,
                        input.limit(rule),
                        needed > 1 ? "two people decide" : "a person decides",
                        input.envelope.to(),
                        kRules[static_cast<std::size_t>(rule)].name)};
}

GuardVerdict check_circuit(const GuardInput& input) {
    const auto& breakers = input.state.governor.breakers;
    auto stage = governor::stage_of(breakers, input.target);
    if (is_planted(Mutant::LeaveAllAlone) && !breakers.empty()) {
        stage = breakers.begin()->second.stage;
    }
    if (stage == governor::BreakerStage::Closed || is_planted(Mutant::HandOverWhileOpen)) {
        return passed(input, "the breaker of '{}' is closed", input.envelope.to());
    }
    // Only a request probes the agent: one-way messages leave the probe open. An agent that accepts
    // an offer is answering already.
    const bool is_probe =
        stage == governor::BreakerStage::Probing &&
        (input.is_taken || broker::mailbox_of(input.state.broker, input.target).requests == 0);
    if (is_probe) return passed(input, "it is let through to try '{}'", input.envelope.to());
    const auto found = breakers.find(input.target);
    const bool is_open = found != breakers.end() && stage == governor::BreakerStage::Open;
    return {.refusal = Refusal::AgentCircuitOpen,
            .detail = circuit_words(input.state,
                                    input.target,
                                    input.envelope,
                                    input.now,
                                    input.has_claim ? &input.claim : nullptr),
            .retry_after_ms = is_open ? milliseconds(found->second.open_until - input.now) : 0};
}

GuardVerdict check_rate(const GuardInput& input) {
    if (input.user.empty()) return passed(input, "it is for no user");
    const auto most = input.limit(Rule::RequestsPerUserMinute);
    if (most == 0) return {};
    const auto& rates = input.state.governor.rates;
    const auto account = governor::user_account(input.user);
    const auto made = governor::count_at(rates, account, input.now);
    const auto count = std::max(input.beside.rated, std::uint64_t{1});
    const auto limit = static_cast<std::uint64_t>(most);
    if (made + count <= limit) {
        return passed(
            input, "{} of {} were made for user '{}' in this minute", made, most, input.user);
    }
    const auto wait =
        count > limit ? 0
                      : milliseconds(governor::wait_at(rates, account, input.now, limit - count));
    return {.refusal = Refusal::RateLimitExceeded,
            .detail = fmt::format("{} of {} requests were made for user '{}' in this minute "
                                  "(requests_per_user_minute); {}",
                                  made,
                                  most,
                                  input.user,
                                  when_taken(count, wait)),
            .retry_after_ms = wait};
}

GuardVerdict check_session(const GuardInput& input) {
    const auto& lineage = input.state.governor.lineage;
    const auto asked_in = governor::find_session(lineage, input.claim.session);
    // A session begun by the sender stays the sender's, whatever sessions others name alike.
    const bool is_anothers = asked_in != nullptr && asked_in->target != input.origin &&
                             input.at.parent == nullptr && input.at.root == nullptr &&
                             input.claim.has_session;
    if (is_anothers) {
        return {Refusal::IdentityMismatch,
                fmt::format("session '{}' is not one of '{}': name the session that you were given "
                            "with your own request",
                            input.claim.session,
                            input.envelope.from())};
    }
    return {};
}

/// The session named by the request but kept for another user; empty if none.
std::string_view foreign_session(const GuardInput& input) {
    const auto& child = input.claim.child_session;
    const auto& own = input.claim.session;
    if (is_kept_for_another(input.state, child, input.user) ||
        governor::is_of_another(input.state.governor.lineage, child, input.user)) {
        return child;
    }
    return is_kept_for_another(input.state, own, input.user) ? own : std::string_view{};
}

/// For a moving request: a named session may have become another user's meanwhile.
GuardVerdict check_sessions(const GuardInput& input) {
    if (is_planted(Mutant::MixUsers)) return {};
    const auto session = foreign_session(input);
    if (session.empty()) return {};
    return {Refusal::UserIsolationViolated,
            not_of_user(fmt::format("session '{}'", session), input.user)};
}

GuardVerdict check_user(const GuardInput& input) {
    const auto violated = [&](std::string_view what) {
        return GuardVerdict{Refusal::UserIsolationViolated, not_of_user(what, input.user)};
    };
    if (is_planted(Mutant::MixUsers)) return {};
    // An agent may continue the work of a user whose request is in its hand; else the agent needs a
    // grant.
    const bool is_held = input.at.parent != nullptr && input.at.root->user == input.claim.user;
    if (input.caller != nullptr && !input.caller->is_operator && !input.claim.user.empty() &&
        !is_held && !may_act_for_user(*input.caller, input.claim.user)) {
        return {Refusal::UserIsolationViolated,
                fmt::format("'{}' has no grant for user '{}' and works on nothing of that user",
                            input.envelope.from(),
                            input.claim.user)};
    }
    // A tree belongs to one user: the first user named in it.
    const bool is_owned = input.at.root != nullptr && !input.at.root->user.empty();
    if (is_owned && input.at.root->user != input.user) {
        return violated(input.at.parent != nullptr ? "the request that you work on"
                                                   : "session '" + input.claim.session + "'");
    }
    const auto& lineage = input.state.governor.lineage;
    const auto& child = input.claim.child_session;
    const auto at = governor::find_session(lineage, child);
    const bool is_in_use =
        at != nullptr && (at->user != input.user || (at->is_open && at->target != input.target));
    if (is_in_use) return violated("session '" + child + "'");
    if (const auto session = foreign_session(input); !session.empty()) {
        return violated(fmt::format("session '{}'", session));
    }
    const auto owner = foreign_owner(input.state, input.claim.owners, input.user);
    if (!owner.empty()) return violated(fmt::format("a source of '{}' that it refers to", owner));
    if (input.user.empty()) return passed(input, "it is for no user");
    return passed(input, "it is for user '{}'", input.user);
}

GuardVerdict check_depth(const GuardInput& input) {
    if (input.rules != nullptr) input.limit(Rule::DepthMax);  // measure() went by this rule.
    if (input.depth < input.depth_max || is_planted(Mutant::IgnoreDepth)) {
        return passed(input, "depth {} is below {}", input.depth, input.depth_max);
    }
    const auto limit = fmt::format(
        "Max delegation depth exceeded: Delegation depth limit reached "
        "({}/{}). Cannot delegate further. Return results to parent",
        input.depth,
        input.depth_max);
    const auto principal = input.principal();
    if (principal.empty()) return {Refusal::DelegationDepthExceeded, limit + "."};
    return {Refusal::DelegationDepthExceeded,
            fmt::format("{}: return your result to '{}' and let it call '{}'.",
                        limit,
                        principal,
                        input.envelope.to())};
}

GuardVerdict check_fanout(const GuardInput& input) {
    std::uint32_t open = 0;
    if (input.at.parent != nullptr) {
        open = input.at.parent->open_children;
    } else if (input.at.root != nullptr) {
        open = input.at.root->open_children;
    }
    if (input.is_in_one_tree()) open += input.beside.count;
    const auto most = input.limit(Rule::FanoutMax);
    if (open < most || is_planted(Mutant::IgnoreFanout)) {
        return passed(input, "{} of {} are open", open, most);
    }
    return {Refusal::DelegationFanoutExceeded,
            fmt::format("Too many concurrent delegates ({}/{}). Choose top {} most relevant "
                        "employees.",
                        open + 1,
                        most,
                        most)};
}

/// The parent that is in no tree yet, as it will stand on record.
governor::Delegation founder_of(const GuardInput& input) {
    const auto& open = *input.at.unfounded;
    governor::Delegation founder{.request = open.ticket, .root = open.ticket};
    founder.origin = open.requester;
    founder.target = registry::find_agent(input.state.registry, open.asked->to());
    if (input.founder) founder.objective_hash = input.founder->objective_hash;
    if (input.founder) founder.words_hash = input.founder->words_hash;
    return founder;
}

/// True if the target has this objective already, further up the chain, whatever the dialects.
bool is_ring(const GuardInput& input, const governor::DelegationKeyView& key) {
    if (input.at.unfounded != nullptr) return governor::is_round(founder_of(input), key);
    return governor::find_ring(input.state.governor.lineage, input.at.parent, key) != nullptr;
}

GuardVerdict check_cycle(const GuardInput& input) {
    if (input.claim.objective_hash.empty() || is_planted(Mutant::IgnoreCycles)) return {};
    governor::DelegationKeyView key{
        input.origin, input.target, input.claim.objective_hash, input.claim.words_hash};
    // A task may be offered repeatedly, but never to an agent at work on it further up.
    if (input.at.is_sideways && input.at.parent != nullptr) {
        key.objective_hash = input.at.parent->objective_hash;
        key.words_hash = input.at.parent->words_hash;
    }
    const bool may_repeat = input.at.is_sideways || input.claim.may_repeat;
    if (!may_repeat && input.at.root != nullptr && governor::is_taken(*input.at.root, key)) {
        return {Refusal::DelegationCycleDetected,
                fmt::format("Cycle detected: {} → {} with same objective already in progress.",
                            input.envelope.from(),
                            input.envelope.to())};
    }
    if (!is_ring(input, key)) return {};
    return {Refusal::DelegationCycleDetected,
            fmt::format("Cycle detected: '{}' is at work on this objective already, further up the "
                        "chain. Do it yourself, or return what you have{}.",
                        input.envelope.to(),
                        input.principal().empty() ? std::string{}
                                                  : fmt::format(" to '{}'", input.principal()))};
}

GuardVerdict check_tools(const GuardInput& input) {
    const auto& allowed = input.state.registry.agents[input.target].profile.tools_allowed;
    for (const auto& tool : input.claim.tools) {
        if (std::ranges::find(allowed, tool) == allowed.end()) {
            return {Refusal::ToolNotAllowed,
                    fmt::format("Employee {} not authorized to use tool {}. It may use: {}.",
                                input.envelope.to(),
                                tool,
                                fmt::join(allowed, ", "))};
        }
        const bool is_granted =
            input.at.parent == nullptr || !input.at.parent->limits_tools ||
            std::ranges::find(input.at.parent->tools, tool) != input.at.parent->tools.end() ||
            is_planted(Mutant::AddTools);
        if (!is_granted) {
            return {Refusal::ToolNotAllowed,
                    fmt::format("Tool {} was not granted to '{}', so it cannot be passed on to "
                                "'{}'. Granted are: {}.",
                                tool,
                                input.envelope.from(),
                                input.envelope.to(),
                                fmt::join(input.at.parent->tools, ", "))};
        }
    }
    return {};
}

GuardVerdict check_estimate(const GuardInput& input) {
    if (!says_budget(input) || input.claim.tokens_estimated <= input.claim.tokens_max) {
        return passed(input, "estimated tokens: {}", input.claim.tokens_estimated);
    }
    return {Refusal::BudgetTokensExceeded,
            fmt::format("Estimated tokens ({}) exceeds budget ({}). Simplify task or increase "
                        "budget.",
                        input.claim.tokens_estimated,
                        input.claim.tokens_max)};
}

GuardVerdict too_many_tokens(const GuardInput& input, const Source& source) {
    // People cannot extend an allocation made by operators.
    const bool is_budget = source.refusal == Refusal::BudgetTokensExceeded;
    return {
        source.refusal,
        fmt::format(
            "It asks for {} tokens, and {} has {} left.", input.tokens, source.whose, source.left),
        is_budget ? approvals_for_budget(input) : 0};
}

GuardVerdict check_tokens(const GuardInput& input) {
    if (input.tokens == 0 || is_planted(Mutant::Overspend)) return {};
    const auto least = scarcest_budget(input);
    if (input.tokens <= least.left && least.left == governor::kNoLimit) {
        return passed(input, "it asks for {} tokens", input.tokens);
    }
    if (input.tokens <= least.left) {
        return passed(input,
                      "it asks for {} tokens, and {} has {} left",
                      input.tokens,
                      least.whose,
                      least.left);
    }
    return too_many_tokens(input, least);
}

/// For a moving request: the previous holder's reservation is released and the new holder's is
/// made. An accepted offer is settled first; a lowered limit is not exceeded by that.
GuardVerdict check_budget_of_target(const GuardInput& input) {
    if (input.tokens == 0 || is_planted(Mutant::Overspend)) return {};
    const auto source = poorest({budget_of_target(input), allocation_of_target(input)});
    return input.tokens <= source.left ? GuardVerdict{} : too_many_tokens(input, source);
}

/// The money left in the account for this window, after an accepted offer is settled.
std::uint64_t money_left(const GuardInput& input, const std::string& account, std::int64_t most) {
    const auto& governor = input.state.governor;
    auto budget = governor::budget_at(
        governor.lineage.accounts, account, input.now, governor::window_of(governor.policy));
    governor::settle(budget, input.settled.cost, input.settled.cost_spent);
    return governor::left_in(budget, static_cast<std::uint64_t>(most));
}

std::uint64_t money_left_in_tree(const GuardInput& input) {
    if (input.at.root == nullptr) {
        return governor::left_in({}, static_cast<std::uint64_t>(input.limit(Rule::CostPerRoot)));
    }
    const auto& root = *input.at.root;
    auto budget = root.cost_budget;
    if (root.number == input.settled.root) {
        governor::settle(budget, input.settled.cost, input.settled.cost_spent);
    }
    return governor::left_in(budget, budget_of_tree(input, Rule::CostPerRoot));
}

/// The operator's allocation of money to the target, less the money promised already (T15).
Source money_allotted_to_target(const GuardInput& input) {
    const auto left = shared::left_of(input.state.shared, input.envelope.to(), "budget");
    if (left == governor::kNoLimit) return {};
    const auto& governor = input.state.governor;
    const auto promised = governor::budget_at(governor.lineage.accounts,
                                              governor::agent_cost_account(input.envelope.to()),
                                              input.now,
                                              governor::window_of(governor.policy))
                              .reserved;
    return {
        "the allocation of its target", without(left, promised), Refusal::ResourceLimitExceeded};
}

/// Of all money budgets drawn on by the request, the budget with the least left.
Source poorest_in_money(const GuardInput& input) {
    const auto beside = input.beside.cost;
    // A moving request's own reservation is in all of these budgets but the new target's.
    const auto with_its_own = [&](std::uint64_t left) {
        return left > governor::kNoLimit - input.cost_before ? governor::kNoLimit
                                                             : left + input.cost_before;
    };
    // Account names are built only where there is a limit.
    const auto left = [&](std::int64_t most, const auto& account) {
        return most == 0 ? governor::kNoLimit : money_left(input, account(), most);
    };
    const auto one = input.limit(Rule::CostPerDelegation);
    const auto of_target = input.limit(Rule::CostPerAgent, as_target(input.state, input.target));
    const auto of_user =
        input.user.empty() ? 0 : input.limit(Rule::CostPerUser, {.user = input.user});
    const auto in_total = input.limit(Rule::CostInTotal, {});
    const auto tree = money_left_in_tree(input);
    return poorest({
        {"one delegation",
         one == 0 ? governor::kNoLimit
                  : std::max(static_cast<std::uint64_t>(one), input.cost_before)},
        {"the tree of delegations that it belongs to",
         with_its_own(input.is_in_one_tree() ? without(tree, beside) : tree)},
        {"its target",
         left(of_target, [&] { return governor::agent_cost_account(input.envelope.to()); })},
        money_allotted_to_target(input),
        {"its user",
         with_its_own(without(
             left(of_user, [&] { return governor::user_cost_account(input.user); }), beside))},
        {"the hub",
         with_its_own(
             without(money_left(input, std::string{governor::kCostAccount}, in_total), beside))},
    });
}

GuardVerdict check_cost(const GuardInput& input) {
    if (input.cost == 0 || is_planted(Mutant::Overspend)) return {};
    const auto least = poorest_in_money(input);
    if (input.cost <= least.left) return passed(input, "it may cost {} millionths", input.cost);
    // People cannot extend an allocation made by operators.
    const bool is_budget = least.refusal == Refusal::BudgetTokensExceeded;
    return {
        is_budget ? Refusal::BudgetCostExceeded : least.refusal,
        fmt::format(
            "It may cost {} millionths, and {} has {} left.", input.cost, least.whose, least.left),
        is_budget ? approvals_for_budget(input) : 0};
}

/// A request's answer returns everything given with the request.
GuardVerdict check_over(const GuardInput& input) {
    if (input.at.parent == nullptr || input.at.parent->is_open) return {};
    return {Refusal::DelegationNotFound,
            fmt::format("the request that '{}' was given in session '{}' is over: ask out of one "
                        "that you work on, or out of a session of your own",
                        input.envelope.from(),
                        input.at.parent->session)};
}

/// The parent of a workflow step or of a call's share may be over by now.
GuardVerdict check_parent(const GuardInput& input) {
    const bool is_lost = input.out_of != Ticket{} && input.at.unfounded == nullptr &&
                         (input.at.parent == nullptr || !input.at.parent->is_open);
    if (!is_lost && !input.principal().empty()) {
        return passed(input,
                      "'{}' asks out of the request that '{}' gave it",
                      input.envelope.from(),
                      input.principal());
    }
    if (!is_lost) {
        return passed(input,
                      "{}",
                      input.at.root != nullptr ? "it is asked out of a tree that is known"
                                               : "it begins a tree of its own");
    }
    return {Refusal::DelegationNotFound,
            input.claim.may_repeat
                ? "the request out of which the workflow was started is over: start what goes "
                  "beyond it on its own"
                : "the request out of which it is asked is over"};
}

/// For a moving request: a new request is held to the allocation before the guards run.
GuardVerdict check_allocation(const GuardInput& input) {
    auto spent = allocation_spent(input.state, input.envelope.to());
    if (spent.empty()) return {};
    return {Refusal::ResourceLimitExceeded, std::move(spent)};
}

constexpr std::array kGuards{
    Guard{"chain", check_chain, true},
    Guard{"circuit", check_circuit, true},
    Guard{"parent", check_parent},
    Guard{"rate", check_rate},
    Guard{"session", check_session},
    Guard{"user", check_user},
    Guard{"depth", check_depth},
    Guard{"fan-out", check_fanout},
    Guard{"cycle", check_cycle},
    Guard{"tools", check_tools},
    Guard{"estimate", check_estimate},
    Guard{"risk", check_risk},
    Guard{.name = "tokens", .check = check_tokens, .is_of_budgets = true},
    Guard{.name = "cost", .check = check_cost, .is_of_budgets = true},
    Guard{"over", check_over},
};

constexpr std::array kGuardsOfMoves{
    Guard{"allocation", check_allocation, true},
    Guard{"chain", check_chain, true},
    Guard{"circuit", check_circuit, true},
    Guard{"user", check_sessions},
    Guard{"depth", check_depth},
    Guard{"cycle", check_cycle},
    Guard{"tools", check_tools},
    Guard{"risk", check_risk_of_target},
    Guard{"tokens", check_budget_of_target},
    Guard{"cost", check_cost},
};

}  // namespace

std::uint64_t milliseconds(Duration duration) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 1));
}

std::string chain_words(std::string_view from, std::string_view to) {
    return fmt::format(
        "'{}' may not ask '{}': the policy does not enable this chain (chain_enabled)", from, to);
}

std::string when_taken(std::uint64_t count, std::uint64_t retry_after_ms) {
    if (count == 1) return fmt::format("the next is taken in {} ms", retry_after_ms);
    if (retry_after_ms == 0) return fmt::format("this counts as {}, and no minute has room", count);
    return fmt::format("this counts as {}, and is taken in {} ms", count, retry_after_ms);
}

std::uint64_t cost_for(const GuardInput& input) {
    const auto price = limit_of(input.state.governor.policy,
                                Rule::CostPerMillionTokens,
                                as_target(input.state, input.target));
    return governor::scaled(input.tokens, static_cast<std::uint64_t>(price), 1'000'000);
}

void measure(GuardInput& input) {
    if (input.at.unfounded != nullptr && input.state.message_writer != nullptr) {
        input.founder = input.state.message_writer->claim(*input.at.unfounded->asked);
    }
    input.user = input.claim.user;
    if (input.user.empty() && input.at.root != nullptr) input.user = input.at.root->user;
    // The hub's invitations count for the requester of the call, under the requester's limits.
    const auto* const call =
        input.at.is_invited ? broker::find_request(input.state.requests, input.out_of) : nullptr;
    const auto& asked = call != nullptr ? *call->asked : input.envelope;
    input.subject = {.platform = enum_name(asked.dialect()),
                     .agent = asked.from(),
                     .capability = capability_asked(input.state, input.target, input.claim),
                     .user = input.user};
    const std::uint32_t deeper = input.at.is_sideways ? 0 : 1;
    if (input.at.parent != nullptr) input.depth = input.at.parent->depth + deeper;
    if (input.at.unfounded != nullptr) input.depth = 1 + deeper;
    // A plan begun from outside the tree is the beginning: "0 = user to Prime".
    const bool is_planned = input.claim.may_repeat && input.at.parent == nullptr;
    if (is_planned && input.at.unfounded == nullptr) input.depth = 0;
    // A declared depth can only be stricter.
    input.depth = is_planted(Mutant::BelieveTheDepth) && input.claim.depth > 0
                      ? input.claim.depth
                      : std::max(input.depth, input.claim.depth);
    input.depth_max = static_cast<std::uint32_t>(input.limit(Rule::DepthMax));
    // Where every request declares a limit, a missing limit is 0.
    if (input.claim.depth_max > 0 || input.claim.has_session) {
        input.depth_max = std::min(input.depth_max, input.claim.depth_max);
    }
    if (input.at.parent != nullptr && !is_planted(Mutant::WidenTheDepth)) {
        input.depth_max = std::min(input.depth_max, input.at.parent->depth_max);
    }
    input.tokens = tokens_for(input);
    input.cost = cost_for(input);
}

std::span<const Guard> guards() { return kGuards; }

std::span<const Guard> guards_of_moves() { return kGuardsOfMoves; }

}  // namespace parlance::core
