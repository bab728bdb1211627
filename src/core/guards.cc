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
bool is_bound(const Case& the) {
    return !the.user.empty() || (the.at.root != nullptr && governor::binds(*the.at.root));
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

std::uint64_t left_in_account(const Case& the,
                              const std::string& name,
                              Rule rule,
                              const Subject& subject) {
    const auto& governor = the.state.governor;
    const auto window = governor::window_of(governor.policy);
    return governor::left_in(governor::purse_at(governor.lineage.accounts, name, the.now, window),
                             static_cast<std::uint64_t>(the.limit(rule, subject)));
}

/// The rest of `left` after the requests made beside this one.
std::uint64_t without(std::uint64_t left, std::uint64_t beside) {
    return left == governor::kNoLimit ? left : left - std::min(left, beside);
}

/// The target's account, with an accepted offer settled.
governor::Purse account_of_target(const Case& the) {
    const auto& governor = the.state.governor;
    auto purse = governor::purse_at(governor.lineage.accounts,
                                    governor::agent_account(the.envelope.to()),
                                    the.now,
                                    governor::window_of(governor.policy));
    governor::settle(purse, the.settled.tokens, the.settled.tokens_spent);
    return purse;
}

Source purse_of_target(const Case& the) {
    const auto most = the.limit(Rule::TokensPerAgent, as_target(the.state, the.target));
    return {"its target",
            governor::left_in(account_of_target(the), static_cast<std::uint64_t>(most))};
}

/// The operator's allocation to the target, less the tokens promised already (T15).
Source allocation_of_target(const Case& the) {
    const auto to = the.envelope.to();
    const auto left = shared::left_of(the.state.shared, to, "tokens");
    if (left == governor::kNoLimit) return {};
    return {"the allocation of its target",
            without(without(left, the.settled.tokens_used), account_of_target(the).reserved),
            Refusal::ResourceLimitExceeded};
}

/// The most that the tree may spend: the present limit of its founder (T14). The founder's
/// capability is not on record: if the policy has limits by capability, the limit recorded at the
/// founding holds.
std::uint64_t purse_of_tree(const Case& the, Rule rule) {
    const auto& root = *the.at.root;
    const auto& settings = the.state.governor.policy.settings;
    const auto at = settings.lower_bound({rule, {ScopeKind::Capability, {}}});
    const bool has_capabilities = at != settings.end() && at->first.first == rule &&
                                  at->first.second.kind == ScopeKind::Capability;
    if (has_capabilities) return rule == Rule::TokensPerRoot ? root.tokens : root.cost;
    auto founder = as_target(the.state, root.origin);
    founder.user = root.user;
    return static_cast<std::uint64_t>(the.limit(rule, founder));
}

/// Of all budgets drawn on by the request, the budget with the least left.
Source poorest_purse(const Case& the) {
    const auto& lineage = the.state.governor.lineage;
    const auto most = static_cast<std::uint64_t>(the.limit(Rule::TokensPerDelegation));
    const auto above = governor::purse_giver(lineage, the.at.parent);
    const auto account = [&](const std::string& name, Rule rule, const Subject& subject) {
        return left_in_account(the, name, rule, subject);
    };
    std::string_view whose_tree = "the tree of delegations that it belongs to";
    std::uint64_t tree = governor::kNoLimit;
    if (above != nullptr && above->is_open) {
        tree = governor::left_in(above->below, above->tokens);
    } else if (above != nullptr) {
        whose_tree = "the request out of which it is asked, which is over,";
        tree = 0;  // An answered request has returned the rest of its reservation.
    } else if (the.at.root != nullptr) {
        tree = governor::left_in(the.at.root->purse, purse_of_tree(the, Rule::TokensPerRoot));
    } else {
        tree = governor::left_in({}, static_cast<std::uint64_t>(the.limit(Rule::TokensPerRoot)));
    }
    const auto user =
        the.user.empty()
            ? governor::kNoLimit
            : account(governor::user_account(the.user), Rule::TokensPerUser, {.user = the.user});
    const auto hub = above == nullptr
                         ? account(std::string{governor::kHubAccount}, Rule::TokensInTotal, {})
                         : governor::kNoLimit;
    const auto beside = the.beside.tokens;
    return poorest({
        {"one delegation", most == 0 ? governor::kNoLimit : most},
        {whose_tree, the.is_in_one_tree() ? without(tree, beside) : tree},
        purse_of_target(the),
        allocation_of_target(the),
        // The requester's own reservation counts against these already.
        {"its user", above == nullptr ? without(user, beside) : governor::kNoLimit},
        {"the hub", without(hub, beside)},
    });
}

/// True if the request states its budget. In a dialect where every request carries a budget, a
/// missing one is a budget of 0; only a plan may leave the number to the hub.
bool says_budget(const Case& the) {
    return the.claim.tokens_max > 0 || (the.claim.has_session && !the.claim.may_repeat);
}

/// The tokens that the request may spend. A dialect without budgets is no way round the limits: in
/// a bound tree, and wherever the policy limits spending, the request gets the usual number or the
/// rest. If nothing is left, the request asks for the usual number and is refused.
std::uint64_t tokens_for(const Case& the) {
    const bool is_free =
        !is_bound(the) && !limits_spending(the.state.governor.policy) && !the.claim.may_repeat;
    if (says_budget(the) || is_free || is_planted(Mutant::AskForFree)) return the.claim.tokens_max;
    const auto left = poorest_purse(the).left;
    return left == 0 ? governor::kTokensUsual : std::min(left, governor::kTokensUsual);
}

// --- the guards ------------------------------------------------------------------------------

/// A passing verdict, with words if the caller wants an explanation.
template <class... Values>
Word passed(const Case& the, fmt::format_string<Values...> words, Values&&... values) {
    if (the.rules == nullptr) return {};
    return {.detail = fmt::format(words, std::forward<Values>(values)...)};
}

/// How many people must approve tokens beyond a budget; 0: nobody can.
std::uint32_t approvals_for_budget(const Case& the) {
    return the.limit(Rule::BudgetAsksPeople) != 0 ? 1 : 0;
}

Word check_chain(const Case& the) {
    const auto& profile = the.state.registry.agents[the.target].profile;
    auto found = chain_ruling(the.state.governor.policy,
                              {.from = the.envelope.from(),
                               .to = the.envelope.to(),
                               .from_platform = enum_name(the.envelope.dialect()),
                               .to_platform = enum_name(profile.dialect)});
    const bool is_enabled = found.value != 0;
    if (the.rules != nullptr) the.rules->push_back({Rule::ChainEnabled, std::move(found)});
    if (is_enabled) return {};
    return {Refusal::RouteNotPermitted, chain_words(the.envelope.from(), the.envelope.to())};
}

/// The risk of a delegation is measured by the tokens it may spend.
Word check_risk(const Case& the) {
    const auto asked = the.tokens;
    const auto passes = [&](Rule rule) {
        const auto threshold = static_cast<std::uint64_t>(the.limit(rule));
        return threshold > 0 && asked > threshold;
    };
    const bool is_high = passes(Rule::RiskHigh);
    if (!is_high && !passes(Rule::RiskLow)) return passed(the, "it asks for {} tokens", asked);
    const auto rule = is_high ? Rule::RiskHigh : Rule::RiskLow;
    return {Refusal::BudgetTokensExceeded,
            fmt::format("It asks for {} tokens, and above {} {} ({}).",
                        asked,
                        the.limit(rule),
                        is_high ? "two people decide" : "a person decides",
                        kRules[static_cast<std::size_t>(rule)].name),
            is_high ? 2U : 1U};
}

/// How many people must approve a request for so many tokens of this subject.
std::uint32_t approvals_for_risk(const Case& the, const Subject& subject, std::uint64_t tokens) {
    const auto passes = [&](Rule rule) {
        const auto threshold = static_cast<std::uint64_t>(the.limit(rule, subject));
        return threshold > 0 && tokens > threshold;
    };
    if (passes(Rule::RiskHigh)) return 2;
    return passes(Rule::RiskLow) ? 1 : 0;
}

/// A moving request whose new target needs more approvals than its present holder was not approved
/// by enough people, and cannot wait for approval because its time has begun.
Word check_risk_of_target(const Case& the) {
    const auto needed = approvals_for_risk(the, the.subject, the.tokens_before);
    if (needed <= approvals_for_risk(the, the.subject_before, the.tokens_before)) return {};
    const auto rule = needed > 1 ? Rule::RiskHigh : Rule::RiskLow;
    return {Refusal::BudgetTokensExceeded,
            fmt::format("It may spend {} tokens, and above {} {} whether '{}' gets it ({}).",
                        the.tokens_before,
                        the.limit(rule),
                        needed > 1 ? "two people decide" : "a person decides",
                        the.envelope.to(),
                        kRules[static_cast<std::size_t>(rule)].name)};
}

Word check_circuit(const Case& the) {
    const auto& breakers = the.state.governor.breakers;
    auto stage = governor::stage_of(breakers, the.target);
    if (is_planted(Mutant::LeaveAllAlone) && !breakers.empty()) {
        stage = breakers.begin()->second.stage;
    }
    if (stage == governor::BreakerStage::Closed || is_planted(Mutant::HandOverWhileOpen)) {
        return passed(the, "the breaker of '{}' is closed", the.envelope.to());
    }
    // Only a request probes the agent: one-way messages leave the probe open. An agent that accepts
    // an offer is answering already.
    const bool is_probe =
        stage == governor::BreakerStage::Probing &&
        (the.is_taken || broker::mailbox_of(the.state.broker, the.target).requests == 0);
    if (is_probe) return passed(the, "it is let through to try '{}'", the.envelope.to());
    const auto found = breakers.find(the.target);
    const bool is_open = found != breakers.end() && stage == governor::BreakerStage::Open;
    return {.refusal = Refusal::AgentCircuitOpen,
            .detail = circuit_words(
                the.state, the.target, the.envelope, the.now, the.has_claim ? &the.claim : nullptr),
            .retry_after_ms = is_open ? milliseconds(found->second.open_until - the.now) : 0};
}

Word check_rate(const Case& the) {
    if (the.user.empty()) return passed(the, "it is for no user");
    const auto most = the.limit(Rule::RequestsPerUserMinute);
    if (most == 0) return {};
    const auto& rates = the.state.governor.rates;
    const auto account = governor::user_account(the.user);
    const auto made = governor::count_at(rates, account, the.now);
    const auto count = std::max(the.beside.rated, std::uint64_t{1});
    const auto limit = static_cast<std::uint64_t>(most);
    if (made + count <= limit) {
        return passed(the, "{} of {} were made for user '{}' in this minute", made, most, the.user);
    }
    const auto wait =
        count > limit ? 0 : milliseconds(governor::wait_at(rates, account, the.now, limit - count));
    return {.refusal = Refusal::RateLimitExceeded,
            .detail = fmt::format("{} of {} requests were made for user '{}' in this minute "
                                  "(requests_per_user_minute); {}",
                                  made,
                                  most,
                                  the.user,
                                  when_taken(count, wait)),
            .retry_after_ms = wait};
}

Word check_session(const Case& the) {
    const auto& lineage = the.state.governor.lineage;
    const auto asked_in = governor::find_session(lineage, the.claim.session);
    // A session begun by the sender stays the sender's, whatever sessions others name alike.
    const bool is_anothers = asked_in != nullptr && asked_in->target != the.origin &&
                             the.at.parent == nullptr && the.at.root == nullptr &&
                             the.claim.has_session;
    if (is_anothers) {
        return {Refusal::IdentityMismatch,
                fmt::format("session '{}' is not one of '{}': name the session that you were given "
                            "with your own request",
                            the.claim.session,
                            the.envelope.from())};
    }
    return {};
}

/// The session named by the request but kept for another user; empty if none.
std::string_view foreign_session(const Case& the) {
    const auto& child = the.claim.child_session;
    const auto& own = the.claim.session;
    if (is_kept_for_another(the.state, child, the.user) ||
        governor::is_of_another(the.state.governor.lineage, child, the.user)) {
        return child;
    }
    return is_kept_for_another(the.state, own, the.user) ? own : std::string_view{};
}

/// For a moving request: a named session may have become another user's meanwhile.
Word check_sessions(const Case& the) {
    if (is_planted(Mutant::MixUsers)) return {};
    const auto session = foreign_session(the);
    if (session.empty()) return {};
    return {Refusal::UserIsolationViolated,
            not_of_user(fmt::format("session '{}'", session), the.user)};
}

Word check_user(const Case& the) {
    const auto violated = [&](std::string_view what) {
        return Word{Refusal::UserIsolationViolated, not_of_user(what, the.user)};
    };
    if (is_planted(Mutant::MixUsers)) return {};
    // An agent may continue the work of a user whose request is in its hand; else the agent needs a
    // grant.
    const bool is_held = the.at.parent != nullptr && the.at.root->user == the.claim.user;
    if (the.caller != nullptr && !the.caller->is_operator && !the.claim.user.empty() && !is_held &&
        !may_act_for_user(*the.caller, the.claim.user)) {
        return {Refusal::UserIsolationViolated,
                fmt::format("'{}' has no grant for user '{}' and works on nothing of that user",
                            the.envelope.from(),
                            the.claim.user)};
    }
    // A tree belongs to one user: the first user named in it.
    const bool is_owned = the.at.root != nullptr && !the.at.root->user.empty();
    if (is_owned && the.at.root->user != the.user) {
        return violated(the.at.parent != nullptr ? "the request that you work on"
                                                 : "session '" + the.claim.session + "'");
    }
    const auto& lineage = the.state.governor.lineage;
    const auto& child = the.claim.child_session;
    const auto at = governor::find_session(lineage, child);
    const bool is_in_use =
        at != nullptr && (at->user != the.user || (at->is_open && at->target != the.target));
    if (is_in_use) return violated("session '" + child + "'");
    if (const auto session = foreign_session(the); !session.empty()) {
        return violated(fmt::format("session '{}'", session));
    }
    const auto owner = foreign_owner(the.state, the.claim.owners, the.user);
    if (!owner.empty()) return violated(fmt::format("a source of '{}' that it refers to", owner));
    if (the.user.empty()) return passed(the, "it is for no user");
    return passed(the, "it is for user '{}'", the.user);
}

Word check_depth(const Case& the) {
    if (the.rules != nullptr) the.limit(Rule::DepthMax);  // measure() went by this rule.
    if (the.depth < the.depth_max || is_planted(Mutant::IgnoreDepth)) {
        return passed(the, "depth {} is below {}", the.depth, the.depth_max);
    }
    const auto limit = fmt::format(
        "Max delegation depth exceeded: Delegation depth limit reached "
        "({}/{}). Cannot delegate further. Return results to parent",
        the.depth,
        the.depth_max);
    const auto principal = the.principal();
    if (principal.empty()) return {Refusal::DelegationDepthExceeded, limit + "."};
    return {Refusal::DelegationDepthExceeded,
            fmt::format("{}: return your result to '{}' and let it call '{}'.",
                        limit,
                        principal,
                        the.envelope.to())};
}

Word check_fanout(const Case& the) {
    std::uint32_t open = 0;
    if (the.at.parent != nullptr) {
        open = the.at.parent->open_children;
    } else if (the.at.root != nullptr) {
        open = the.at.root->open_children;
    }
    if (the.is_in_one_tree()) open += the.beside.count;
    const auto most = the.limit(Rule::FanoutMax);
    if (open < most || is_planted(Mutant::IgnoreFanout)) {
        return passed(the, "{} of {} are open", open, most);
    }
    return {Refusal::DelegationFanoutExceeded,
            fmt::format("Too many concurrent delegates ({}/{}). Choose top {} most relevant "
                        "employees.",
                        open + 1,
                        most,
                        most)};
}

/// The parent that is in no tree yet, as it will stand on record.
governor::Delegation founder_of(const Case& the) {
    const auto& open = *the.at.unfounded;
    governor::Delegation founder{.request = open.ticket, .root = open.ticket};
    founder.origin = open.requester;
    founder.target = registry::find_agent(the.state.registry, open.asked->to());
    if (the.founder) founder.objective_hash = the.founder->objective_hash;
    if (the.founder) founder.words_hash = the.founder->words_hash;
    return founder;
}

/// True if the target has this objective already, further up the chain, whatever the dialects.
bool is_ring(const Case& the, const governor::Errand& errand) {
    if (the.at.unfounded != nullptr) return governor::is_round(founder_of(the), errand);
    return governor::find_ring(the.state.governor.lineage, the.at.parent, errand) != nullptr;
}

Word check_cycle(const Case& the) {
    if (the.claim.objective_hash.empty() || is_planted(Mutant::IgnoreCycles)) return {};
    governor::Errand errand{the.origin, the.target, the.claim.objective_hash, the.claim.words_hash};
    // A task may be offered repeatedly, but never to an agent at work on it further up.
    if (the.at.is_sideways && the.at.parent != nullptr) {
        errand.objective_hash = the.at.parent->objective_hash;
        errand.words_hash = the.at.parent->words_hash;
    }
    const bool may_repeat = the.at.is_sideways || the.claim.may_repeat;
    if (!may_repeat && the.at.root != nullptr && governor::is_taken(*the.at.root, errand)) {
        return {Refusal::DelegationCycleDetected,
                fmt::format("Cycle detected: {} → {} with same objective already in progress.",
                            the.envelope.from(),
                            the.envelope.to())};
    }
    if (!is_ring(the, errand)) return {};
    return {Refusal::DelegationCycleDetected,
            fmt::format("Cycle detected: '{}' is at work on this objective already, further up the "
                        "chain. Do it yourself, or return what you have{}.",
                        the.envelope.to(),
                        the.principal().empty() ? std::string{}
                                                : fmt::format(" to '{}'", the.principal()))};
}

Word check_tools(const Case& the) {
    const auto& allowed = the.state.registry.agents[the.target].profile.tools_allowed;
    for (const auto& tool : the.claim.tools) {
        if (std::ranges::find(allowed, tool) == allowed.end()) {
            return {Refusal::ToolNotAllowed,
                    fmt::format("Employee {} not authorized to use tool {}. It may use: {}.",
                                the.envelope.to(),
                                tool,
                                fmt::join(allowed, ", "))};
        }
        const bool is_granted =
            the.at.parent == nullptr || !the.at.parent->limits_tools ||
            std::ranges::find(the.at.parent->tools, tool) != the.at.parent->tools.end() ||
            is_planted(Mutant::AddTools);
        if (!is_granted) {
            return {Refusal::ToolNotAllowed,
                    fmt::format("Tool {} was not granted to '{}', so it cannot be passed on to "
                                "'{}'. Granted are: {}.",
                                tool,
                                the.envelope.from(),
                                the.envelope.to(),
                                fmt::join(the.at.parent->tools, ", "))};
        }
    }
    return {};
}

Word check_estimate(const Case& the) {
    if (!says_budget(the) || the.claim.tokens_estimated <= the.claim.tokens_max) {
        return passed(the, "estimated tokens: {}", the.claim.tokens_estimated);
    }
    return {Refusal::BudgetTokensExceeded,
            fmt::format("Estimated tokens ({}) exceeds budget ({}). Simplify task or increase "
                        "budget.",
                        the.claim.tokens_estimated,
                        the.claim.tokens_max)};
}

Word too_many_tokens(const Case& the, const Source& source) {
    // People cannot extend an allocation made by operators.
    const bool is_budget = source.refusal == Refusal::BudgetTokensExceeded;
    return {
        source.refusal,
        fmt::format(
            "It asks for {} tokens, and {} has {} left.", the.tokens, source.whose, source.left),
        is_budget ? approvals_for_budget(the) : 0};
}

Word check_tokens(const Case& the) {
    if (the.tokens == 0 || is_planted(Mutant::Overspend)) return {};
    const auto least = poorest_purse(the);
    if (the.tokens <= least.left && least.left == governor::kNoLimit) {
        return passed(the, "it asks for {} tokens", the.tokens);
    }
    if (the.tokens <= least.left) {
        return passed(
            the, "it asks for {} tokens, and {} has {} left", the.tokens, least.whose, least.left);
    }
    return too_many_tokens(the, least);
}

/// For a moving request: the previous holder's reservation is released and the new holder's is
/// made. An accepted offer is settled first; a lowered limit is not exceeded by that.
Word check_purse_of_target(const Case& the) {
    if (the.tokens == 0 || is_planted(Mutant::Overspend)) return {};
    const auto source = poorest({purse_of_target(the), allocation_of_target(the)});
    return the.tokens <= source.left ? Word{} : too_many_tokens(the, source);
}

/// The money left in the account for this window, after an accepted offer is settled.
std::uint64_t money_left(const Case& the, const std::string& account, std::int64_t most) {
    const auto& governor = the.state.governor;
    auto purse = governor::purse_at(
        governor.lineage.accounts, account, the.now, governor::window_of(governor.policy));
    governor::settle(purse, the.settled.cost, the.settled.cost_spent);
    return governor::left_in(purse, static_cast<std::uint64_t>(most));
}

std::uint64_t money_left_in_tree(const Case& the) {
    if (the.at.root == nullptr) {
        return governor::left_in({}, static_cast<std::uint64_t>(the.limit(Rule::CostPerRoot)));
    }
    const auto& root = *the.at.root;
    auto purse = root.cost_purse;
    if (root.number == the.settled.root) {
        governor::settle(purse, the.settled.cost, the.settled.cost_spent);
    }
    return governor::left_in(purse, purse_of_tree(the, Rule::CostPerRoot));
}

/// The operator's allocation of money to the target, less the money promised already (T15).
Source money_allotted_to_target(const Case& the) {
    const auto left = shared::left_of(the.state.shared, the.envelope.to(), "budget");
    if (left == governor::kNoLimit) return {};
    const auto& governor = the.state.governor;
    const auto promised = governor::purse_at(governor.lineage.accounts,
                                             governor::agent_cost_account(the.envelope.to()),
                                             the.now,
                                             governor::window_of(governor.policy))
                              .reserved;
    return {
        "the allocation of its target", without(left, promised), Refusal::ResourceLimitExceeded};
}

/// Of all money budgets drawn on by the request, the budget with the least left.
Source poorest_in_money(const Case& the) {
    const auto beside = the.beside.cost;
    // A moving request's own reservation is in all of these budgets but the new target's.
    const auto with_its_own = [&](std::uint64_t left) {
        return left > governor::kNoLimit - the.cost_before ? governor::kNoLimit
                                                           : left + the.cost_before;
    };
    // Account names are built only where there is a limit.
    const auto left = [&](std::int64_t most, const auto& account) {
        return most == 0 ? governor::kNoLimit : money_left(the, account(), most);
    };
    const auto one = the.limit(Rule::CostPerDelegation);
    const auto of_target = the.limit(Rule::CostPerAgent, as_target(the.state, the.target));
    const auto of_user = the.user.empty() ? 0 : the.limit(Rule::CostPerUser, {.user = the.user});
    const auto in_total = the.limit(Rule::CostInTotal, {});
    const auto tree = money_left_in_tree(the);
    return poorest({
        {"one delegation",
         one == 0 ? governor::kNoLimit
                  : std::max(static_cast<std::uint64_t>(one), the.cost_before)},
        {"the tree of delegations that it belongs to",
         with_its_own(the.is_in_one_tree() ? without(tree, beside) : tree)},
        {"its target",
         left(of_target, [&] { return governor::agent_cost_account(the.envelope.to()); })},
        money_allotted_to_target(the),
        {"its user",
         with_its_own(without(left(of_user, [&] { return governor::user_cost_account(the.user); }),
                              beside))},
        {"the hub",
         with_its_own(
             without(money_left(the, std::string{governor::kCostAccount}, in_total), beside))},
    });
}

Word check_cost(const Case& the) {
    if (the.cost == 0 || is_planted(Mutant::Overspend)) return {};
    const auto least = poorest_in_money(the);
    if (the.cost <= least.left) return passed(the, "it may cost {} millionths", the.cost);
    // People cannot extend an allocation made by operators.
    const bool is_budget = least.refusal == Refusal::BudgetTokensExceeded;
    return {
        is_budget ? Refusal::BudgetCostExceeded : least.refusal,
        fmt::format(
            "It may cost {} millionths, and {} has {} left.", the.cost, least.whose, least.left),
        is_budget ? approvals_for_budget(the) : 0};
}

/// A request's answer returns everything given with the request.
Word check_over(const Case& the) {
    if (the.at.parent == nullptr || the.at.parent->is_open) return {};
    return {Refusal::DelegationNotFound,
            fmt::format("the request that '{}' was given in session '{}' is over: ask out of one "
                        "that you work on, or out of a session of your own",
                        the.envelope.from(),
                        the.at.parent->session)};
}

/// The parent of a workflow step or of a call's share may be over by now.
Word check_parent(const Case& the) {
    const bool is_lost = the.out_of != Ticket{} && the.at.unfounded == nullptr &&
                         (the.at.parent == nullptr || !the.at.parent->is_open);
    if (!is_lost && !the.principal().empty()) {
        return passed(the,
                      "'{}' asks out of the request that '{}' gave it",
                      the.envelope.from(),
                      the.principal());
    }
    if (!is_lost) {
        return passed(the,
                      "{}",
                      the.at.root != nullptr ? "it is asked out of a tree that is known"
                                             : "it begins a tree of its own");
    }
    return {Refusal::DelegationNotFound,
            the.claim.may_repeat
                ? "the request out of which the workflow was started is over: start what goes "
                  "beyond it on its own"
                : "the request out of which it is asked is over"};
}

/// For a moving request: a new request is held to the allocation before the guards run.
Word check_allocation(const Case& the) {
    auto spent = allocation_spent(the.state, the.envelope.to());
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
    Guard{.name = "tokens", .check = check_tokens, .is_of_purses = true},
    Guard{.name = "cost", .check = check_cost, .is_of_purses = true},
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
    Guard{"tokens", check_purse_of_target},
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

std::uint64_t cost_for(const Case& the) {
    const auto price = limit_of(
        the.state.governor.policy, Rule::CostPerMillionTokens, as_target(the.state, the.target));
    return governor::scaled(the.tokens, static_cast<std::uint64_t>(price), 1'000'000);
}

void measure(Case& the) {
    if (the.at.unfounded != nullptr && the.state.scribe != nullptr) {
        the.founder = the.state.scribe->claim(*the.at.unfounded->asked);
    }
    the.user = the.claim.user;
    if (the.user.empty() && the.at.root != nullptr) the.user = the.at.root->user;
    // The hub's invitations count for the requester of the call, under the requester's limits.
    const auto* const call =
        the.at.is_invited ? broker::find_request(the.state.requests, the.out_of) : nullptr;
    const auto& asked = call != nullptr ? *call->asked : the.envelope;
    the.subject = {.platform = enum_name(asked.dialect()),
                   .agent = asked.from(),
                   .capability = capability_asked(the.state, the.target, the.claim),
                   .user = the.user};
    const std::uint32_t deeper = the.at.is_sideways ? 0 : 1;
    if (the.at.parent != nullptr) the.depth = the.at.parent->depth + deeper;
    if (the.at.unfounded != nullptr) the.depth = 1 + deeper;
    // A plan begun from outside the tree is the beginning: "0 = user to Prime".
    const bool is_planned = the.claim.may_repeat && the.at.parent == nullptr;
    if (is_planned && the.at.unfounded == nullptr) the.depth = 0;
    // A declared depth can only be stricter.
    the.depth = is_planted(Mutant::BelieveTheDepth) && the.claim.depth > 0
                    ? the.claim.depth
                    : std::max(the.depth, the.claim.depth);
    the.depth_max = static_cast<std::uint32_t>(the.limit(Rule::DepthMax));
    // Where every request declares a limit, a missing limit is 0.
    if (the.claim.depth_max > 0 || the.claim.has_session) {
        the.depth_max = std::min(the.depth_max, the.claim.depth_max);
    }
    if (the.at.parent != nullptr && !is_planted(Mutant::WidenTheDepth)) {
        the.depth_max = std::min(the.depth_max, the.at.parent->depth_max);
    }
    the.tokens = tokens_for(the);
    the.cost = cost_for(the);
}

std::span<const Guard> guards() { return kGuards; }

std::span<const Guard> guards_of_moves() { return kGuardsOfMoves; }

}  // namespace parlance::core
