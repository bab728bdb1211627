#include "core/governor/lineage.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "base/mutant.h"

namespace parlance::core::governor {

namespace {

/// Bound on the delegations of a root on record; beyond it ended delegations are forgotten at once.
constexpr std::uint32_t kKeptMax = 1'024;

DelegationKey owned_key(const DelegationKeyView& key) {
    return {key.origin, key.target, std::string{key.objective_hash}};
}

/// Whether an objective, in a dialect whose objectives can have more than words, has only words.
bool is_bare(std::string_view objective_hash, std::string_view words_hash) {
    return !words_hash.empty() && objective_hash.starts_with(words_hash);
}

/// decide() names only delegations and roots on record.
Root& root_of(Lineage& lineage, Ticket number) {
    auto* root = lineage.roots.wake(number);
    CHECK(root != nullptr);
    return *root;
}
Delegation& delegation_of(Lineage& lineage, Ticket request) {
    auto* delegation = lineage.delegations.wake(request);
    CHECK(delegation != nullptr);
    return *delegation;
}

/// Only leads to candidate roots; the session's name decides.
std::uint64_t hash_of(std::string_view session) { return siphash(process_key(), session); }

Work work_on(const Delegation& delegation) {
    return {.agent = delegation.target,
            .height = UINT32_MAX - delegation.depth,
            .request = delegation.request};
}

void begin_work(Lineage& lineage, const Delegation& delegation) {
    lineage.at_work.insert(work_on(delegation));
    if (delegation.limits_tools) lineage.limits.emplace(delegation.target, delegation.request);
}

void end_work(Lineage& lineage, const Delegation& delegation) {
    lineage.at_work.erase(work_on(delegation));
    if (delegation.limits_tools) lineage.limits.erase({delegation.target, delegation.request});
}

/// The delegation whose budget holds this reservation; null: the root's does.
Delegation* holder(Lineage& lineage, const Delegation& delegation) {
    const auto above = budget_holder(lineage, find_delegation(lineage, delegation.parent));
    return above == nullptr ? nullptr : &delegation_of(lineage, above->request);
}

std::uint32_t& open_children_of_parent(Lineage& lineage, const Delegation& delegation) {
    return delegation.parent == Ticket{} ? root_of(lineage, delegation.root).open_children
                                         : delegation_of(lineage, delegation.parent).open_children;
}

void set_aside(Lineage& lineage, const Delegation& delegation, const Circumstances& at) {
    if (delegation.is_granted) return;
    auto& root = root_of(lineage, delegation.root);
    auto* above = holder(lineage, delegation);
    reserve(above == nullptr ? root.budget : above->below, delegation.tokens);
    reserve(root.cost_budget, delegation.cost);
    auto& accounts = lineage.accounts;
    const auto open = [&](const std::string& name, std::uint64_t amount) {
        reserve(accounts, name, amount, at.now, at.budget_window);
    };
    open(agent_account(at.target_name), delegation.tokens);
    open(agent_cost_account(at.target_name), delegation.cost);
    if (!delegation.user.empty()) open(user_cost_account(delegation.user), delegation.cost);
    open(std::string{kCostAccount}, delegation.cost);
    // Costs are reserved per delegation; tokens are passed on, and counted once.
    if (above != nullptr) return;
    if (!delegation.user.empty()) open(user_account(delegation.user), delegation.tokens);
    open(std::string{kHubAccount}, delegation.tokens);
}

/// Collects the open delegations below `holder` with a reservation in its budget.
void add_dependents(const Lineage& lineage, Ticket holder, std::vector<Ticket>& dependents) {
    for (const auto request : children_of(lineage, holder)) {
        const auto each = lineage.delegations.at(request);
        if (each->is_granted) continue;  // A granted delegation has its own budget.
        const bool has_some = each->tokens > 0 && each->is_open;
        if (has_some) dependents.push_back(request);
        if (!has_some) add_dependents(lineage, request, dependents);
    }
}

/// Charges the delegation's own use and the use of ended delegations below it. Open children keep
/// their reservations, from now on in the budget above.
void charge(Lineage& lineage, const Delegation& delegation, const Ending& ending) {
    if (delegation.tokens == 0 || delegation.is_granted) return;
    const auto tokens = delegation.tokens - delegation.below.reserved;
    const auto own = own_tokens(delegation, ending.tokens_used);
    const auto spent = own + delegation.below.spent;
    const auto cost = scaled(delegation.cost, own, delegation.tokens);
    auto& root = root_of(lineage, delegation.root);
    auto* above = holder(lineage, delegation);
    settle(above == nullptr ? root.budget : above->below, tokens, spent);
    settle(root.cost_budget, delegation.cost, cost);
    const auto close = [&](const std::string& name, std::uint64_t amount, std::uint64_t gone) {
        settle(lineage.accounts, name, amount, gone, ending.now, ending.budget_window);
    };
    close(agent_account(ending.target_name), delegation.tokens, own);
    close(agent_cost_account(ending.target_name), delegation.cost, cost);
    if (!delegation.user.empty()) close(user_cost_account(delegation.user), delegation.cost, cost);
    close(std::string{kCostAccount}, delegation.cost, cost);
    if (above != nullptr) return;
    if (!delegation.user.empty()) close(user_account(delegation.user), tokens, spent);
    close(std::string{kHubAccount}, tokens, spent);
    if (!delegation.user.empty() || delegation.below.reserved == 0) return;
    // The delegation was for no user: no user's budget held its children, whose user was named
    // later.
    std::vector<Ticket> dependents;
    add_dependents(lineage, delegation.request, dependents);
    for (const auto request : dependents) {
        const auto each = lineage.delegations.at(request);
        if (each->user.empty()) continue;
        const auto account = user_account(each->user);
        reserve(lineage.accounts, account, each->tokens, ending.now, ending.budget_window);
    }
}

void erase_root(Lineage& lineage, Ticket number) {
    const auto root = lineage.roots.at(number);
    if (root->is_by_session) {
        lineage.roots_by_session.erase({hash_of(root->session), root->origin, number});
    }
    lineage.idle.erase({root->ends_at, number});
    lineage.roots.erase(number);
}

/// Takes an ended delegation without children off the record, and then each ancestor that only
/// waited for that.
void forget(Lineage& lineage, Ticket request) {
    while (request != Ticket{}) {
        const auto& delegation = delegation_of(lineage, request);
        if (delegation.is_open || delegation.is_kept || delegation.children > 0) return;
        const auto parent = delegation.parent;
        if (parent != Ticket{}) --delegation_of(lineage, parent).children;
        --root_of(lineage, delegation.root).count;
        lineage.over.erase({delegation.root, request});
        lineage.sessions.erase({hash_of(delegation.session), request});
        lineage.children.erase({parent, request});
        lineage.delegations.erase(request);
        request = parent;
    }
}

/// Erases a root with all its delegations on record, of which none is open.
void erase_tree(Lineage& lineage, Ticket number) {
    auto over = over_in(lineage, number);
    // The youngest first: a child is younger than its parent.
    std::ranges::reverse(over);
    for (const auto request : over) {
        auto* delegation = lineage.delegations.wake(request);
        if (delegation == nullptr) continue;  // Already erased with the last delegation below it.
        delegation->is_kept = false;
        forget(lineage, request);
    }
    CHECK(root_of(lineage, number).count == 0);
    erase_root(lineage, number);
}

/// Counts another open delegation of the tree.
void join(Lineage& lineage, const Delegation& delegation) {
    auto& root = root_of(lineage, delegation.root);
    if (root.open == 0) lineage.idle.erase({root.ends_at, root.number});
    root.ends_at = {};
    ++root.count;
    ++root.open;
}

/// Counts an ended delegation. A tree without open delegations ends at once; if known by a session,
/// after `root_idle`.
void leave(Lineage& lineage, Ticket number, const Ending& ending) {
    auto& root = root_of(lineage, number);
    --root.open;
    if (root.open > 0) return;
    if (!root.is_by_session) return erase_tree(lineage, number);
    const auto idle = ending.root_idle / (is_planted(Mutant::EndTheTreeEarly) ? 2 : 1);
    root.ends_at = ending.now + idle;
    lineage.idle.emplace(root.ends_at, number);
}

}  // namespace

Reading<Delegation> find_delegation(const Lineage& lineage, Ticket request) {
    return lineage.delegations.find(request);
}

Reading<Root> find_root(const Lineage& lineage, std::string_view session, AgentHandle origin) {
    const auto hash = hash_of(session);
    auto at = lineage.roots_by_session.lower_bound({hash, origin, {}});
    for (; at != lineage.roots_by_session.end(); ++at) {
        if (at->session_hash != hash || at->origin != origin) break;
        if (auto root = lineage.roots.at(at->number); root->session == session) return root;
    }
    return {};
}

Reading<Delegation> find_session(const Lineage& lineage, std::string_view session) {
    const auto hash = hash_of(session);
    Reading<Delegation> last;
    // From the end of the session's range backwards, so that the latest come first.
    auto at = lineage.sessions.lower_bound({hash, Ticket{kNoLimit}});
    while (at != lineage.sessions.begin() && (--at)->first == hash) {
        auto each = lineage.delegations.at(at->second);
        if (each->session != session) continue;
        if (each->is_open) return each;
        if (last == nullptr) last = std::move(each);
    }
    return last;
}

std::vector<Ticket> in_session(const Lineage& lineage, std::string_view session) {
    std::vector<Ticket> found;
    const auto hash = hash_of(session);
    auto at = lineage.sessions.lower_bound({hash, Ticket{}});
    for (; at != lineage.sessions.end() && at->first == hash; ++at) {
        if (lineage.delegations.at(at->second)->session == session) found.push_back(at->second);
    }
    return found;
}

std::vector<Ticket> children_of(const Lineage& lineage, Ticket parent) {
    std::vector<Ticket> children;
    auto at = lineage.children.lower_bound({parent, Ticket{}});
    for (; at != lineage.children.end() && at->first == parent; ++at) {
        children.push_back(at->second);
    }
    return children;
}

std::vector<Ticket> over_in(const Lineage& lineage, Ticket root) {
    std::vector<Ticket> over;
    auto at = lineage.over.lower_bound({root, Ticket{}});
    for (; at != lineage.over.end() && at->first == root; ++at) over.push_back(at->second);
    return over;
}

std::vector<Ticket> limits_of(const Lineage& lineage, AgentHandle agent) {
    std::vector<Ticket> limits;
    auto at = lineage.limits.lower_bound({agent, Ticket{}});
    for (; at != lineage.limits.end() && at->first == agent; ++at) limits.push_back(at->second);
    return limits;
}

bool works_on(const Lineage& lineage, AgentHandle agent, Ticket request) {
    const auto delegation = find_delegation(lineage, request);
    return delegation != nullptr && delegation->is_open && delegation->target == agent;
}

bool is_at_work(const Lineage& lineage, AgentHandle agent) {
    const auto at = lineage.at_work.lower_bound({.agent = agent});
    return at != lineage.at_work.end() && at->agent == agent;
}

std::vector<Ticket> roots_named(const Lineage& lineage, std::string_view session) {
    std::vector<Ticket> roots;
    const auto hash = hash_of(session);
    auto at = lineage.roots_by_session.lower_bound({hash, 0, {}});
    for (; at != lineage.roots_by_session.end() && at->session_hash == hash; ++at) {
        if (lineage.roots.at(at->number)->session == session) roots.push_back(at->number);
    }
    return roots;
}

bool is_of_another(const Lineage& lineage, std::string_view session, std::string_view user) {
    const auto is_other = [&](std::string_view other) { return !other.empty() && other != user; };
    const bool has_worked = std::ranges::any_of(in_session(lineage, session), [&](Ticket request) {
        return is_other(lineage.delegations.at(request)->user);
    });
    return has_worked || std::ranges::any_of(roots_named(lineage, session), [&](Ticket number) {
               return is_other(lineage.roots.at(number)->user);
           });
}

Reading<Delegation> budget_giver(const Lineage& lineage, Reading<Delegation> parent) {
    while (parent != nullptr && parent->tokens == 0) {
        parent = find_delegation(lineage, parent->parent);
    }
    return parent;
}

Reading<Delegation> budget_holder(const Lineage& lineage, Reading<Delegation> parent) {
    auto giver = budget_giver(lineage, std::move(parent));
    while (giver != nullptr && !giver->is_open && !giver->is_granted) {
        giver = budget_giver(lineage, find_delegation(lineage, giver->parent));
    }
    return giver;
}

bool is_taken(const Root& root, const DelegationKeyView& key) {
    return root.delegation_keys.contains(owned_key(key));
}

bool is_round(const Delegation& each, const DelegationKeyView& key) {
    if (each.origin != key.target && each.target != key.target) return false;
    if (each.objective_hash == key.objective_hash) return true;
    // A task id in an objective of words alone is bookkeeping, and makes no different objective.
    if (each.words_hash == key.words_hash && is_bare(each.objective_hash, each.words_hash) &&
        is_bare(key.objective_hash, key.words_hash)) {
        return true;
    }
    // Two objectives that both have more than words are not equal by their words.
    if (key.words_hash.empty()) {
        return !each.words_hash.empty() && each.words_hash == key.objective_hash;
    }
    return each.words_hash.empty() && each.objective_hash == key.words_hash;
}

Reading<Delegation> find_ring(const Lineage& lineage,
                              const Reading<Delegation>& last,
                              const DelegationKeyView& key) {
    for (auto each = last; each != nullptr; each = find_delegation(lineage, each->parent)) {
        if (is_round(*each, key)) return each;
    }
    return {};
}

void found(Lineage& lineage, const DelegationFounded& event, const Circumstances& at) {
    lineage.roots.emplace(event.request,
                          Root{.number = event.request,
                               .origin = at.origin,
                               .user = event.user,
                               .count = 1,
                               .open = 1,
                               .tokens = event.tokens,
                               .cost = event.cost});
    const Delegation delegation{.request = event.request,
                                .root = event.request,
                                .origin = at.origin,
                                .target = at.target,
                                .depth = 1,
                                .depth_max = event.depth_max,
                                .admitted_at = at.now,
                                .deadline = at.deadline,
                                .user = event.user,
                                .objective_hash = event.objective_hash,
                                .words_hash = event.words_hash};
    lineage.delegations.emplace(event.request, delegation);
    auto& root = root_of(lineage, event.request);
    ++root.open_children;
    const bool is_given = !at.may_repeat && !event.objective_hash.empty();
    if (is_given) root.delegation_keys.insert({at.origin, at.target, event.objective_hash});
    index(lineage, delegation);
}

void admit(Lineage& lineage, const DelegationAdmitted& event, const Circumstances& at) {
    if (event.root == event.request) {
        Root root{.number = event.request,
                  .session = event.session,
                  .origin = at.origin,
                  .user = event.user,
                  .is_by_session = !event.session.empty(),
                  .tokens = event.root_tokens,
                  .cost = event.root_cost};
        index(lineage, root);
        lineage.roots.emplace(event.request, std::move(root));
    }
    Delegation delegation{.request = event.request,
                          .parent = event.parent,
                          .root = event.root,
                          .origin = at.origin,
                          .target = at.target,
                          .depth = event.depth,
                          .depth_max = event.depth_max,
                          .admitted_at = at.now,
                          .deadline = at.deadline,
                          .user = event.user,
                          .session = event.child_session,
                          .objective_hash = event.objective_hash,
                          .words_hash = event.words_hash,
                          .tools = event.tools,
                          .limits_tools = event.limits_tools,
                          .tokens = event.tokens,
                          .cost = event.cost,
                          .is_granted = event.is_granted,
                          .is_planned = at.may_repeat};
    auto& root = root_of(lineage, event.root);
    if (!at.may_repeat) root.delegation_keys.insert({at.origin, at.target, event.objective_hash});
    if (root.user.empty()) root.user = event.user;
    join(lineage, delegation);
    ++open_children_of_parent(lineage, delegation);
    set_aside(lineage, delegation, at);
    index(lineage, delegation);
    lineage.delegations.emplace(event.request, std::move(delegation));
}

std::uint64_t own_tokens(const Delegation& delegation, std::uint64_t tokens_used) {
    if (delegation.tokens == 0) return 0;
    return std::min(tokens_used, left_in(delegation.below, delegation.tokens));
}

std::uint64_t charged_tokens(const Lineage& lineage, Ticket request, std::uint64_t tokens_used) {
    const auto delegation = find_delegation(lineage, request);
    const bool is_known = delegation != nullptr && delegation->is_open && delegation->tokens > 0;
    return is_known ? own_tokens(*delegation, tokens_used) : tokens_used;
}

std::uint64_t cost_of(const Lineage& lineage, Ticket request, std::uint64_t tokens_used) {
    const auto delegation = find_delegation(lineage, request);
    if (delegation == nullptr || !delegation->is_open || delegation->tokens == 0) return 0;
    return scaled(delegation->cost, own_tokens(*delegation, tokens_used), delegation->tokens);
}

void end(Lineage& lineage, Ticket request, const Ending& ending) {
    auto* found = lineage.delegations.wake(request);
    if (found == nullptr || !found->is_open) return;
    auto& delegation = *found;
    const auto root = delegation.root;
    charge(lineage, delegation, ending);
    delegation.is_open = false;
    end_work(lineage, delegation);
    --open_children_of_parent(lineage, delegation);
    delegation.is_kept = !delegation.session.empty() && !delegation.is_planned &&
                         root_of(lineage, root).count <= kKeptMax;
    lineage.over.emplace(root, request);
    forget(lineage, request);
    leave(lineage, root, ending);
}

void retarget(Lineage& lineage, Ticket request, const Retarget& to) {
    auto* found = lineage.delegations.wake(request);
    if (found == nullptr || !found->is_open) return;
    auto& delegation = *found;
    end_work(lineage, delegation);
    delegation.target = to.target;
    begin_work(lineage, delegation);
    if (!to.may_repeat) {
        root_of(lineage, delegation.root)
            .delegation_keys.insert({delegation.origin, to.target, delegation.objective_hash});
    }
    if (delegation.is_granted) return;  // No reservation of the old agent to release.
    const auto give_back = [&](const std::string& name, std::uint64_t amount) {
        settle(lineage.accounts, name, amount, 0, to.now, to.budget_window);
    };
    const auto open = [&](const std::string& name, std::uint64_t amount) {
        reserve(lineage.accounts, name, amount, to.now, to.budget_window);
    };
    const auto cost_before = delegation.cost;
    if (to.is_priced) delegation.cost = to.cost;
    give_back(agent_account(to.name_before), delegation.tokens);
    open(agent_account(to.name), delegation.tokens);
    give_back(agent_cost_account(to.name_before), cost_before);
    open(agent_cost_account(to.name), delegation.cost);
    if (delegation.cost == cost_before) return;
    auto& budget = root_of(lineage, delegation.root).cost_budget;
    settle(budget, cost_before, 0);
    reserve(budget, delegation.cost);
    give_back(std::string{kCostAccount}, cost_before);
    open(std::string{kCostAccount}, delegation.cost);
    if (delegation.user.empty()) return;
    give_back(user_cost_account(delegation.user), cost_before);
    open(user_cost_account(delegation.user), delegation.cost);
}

void end_root(Lineage& lineage, Ticket number) {
    CHECK(lineage.roots.at(number)->open == 0);
    erase_tree(lineage, number);
}

void taint(Lineage& lineage, Ticket request) {
    while (auto* delegation = lineage.delegations.wake(request)) {
        delegation->is_tainted = true;
        request = delegation->parent;
    }
}

void tidy(Lineage& lineage, std::size_t awake_max) {
    lineage.delegations.tidy(awake_max);
    lineage.roots.tidy(awake_max);
}

void index(Lineage& lineage, const Delegation& delegation) {
    if (auto* parent = lineage.delegations.wake(delegation.parent)) ++parent->children;
    if (delegation.parent != Ticket{}) {
        lineage.children.emplace(delegation.parent, delegation.request);
    }
    if (delegation.is_open) begin_work(lineage, delegation);
    if (!delegation.is_open) lineage.over.emplace(delegation.root, delegation.request);
    if (!delegation.session.empty()) {
        lineage.sessions.emplace(hash_of(delegation.session), delegation.request);
    }
}

void index(Lineage& lineage, const Root& root) {
    if (root.is_by_session) {
        lineage.roots_by_session.insert({hash_of(root.session), root.origin, root.number});
    }
    if (root.ends_at != Time{}) lineage.idle.emplace(root.ends_at, root.number);
}

}  // namespace parlance::core::governor
