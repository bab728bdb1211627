#include "core/governor/lineage.h"

#include <algorithm>

#include "base/check.h"

namespace parlance::core::governor {

namespace {

std::string key_of(const Errand& errand) {
    return std::to_string(errand.origin) + ' ' + std::to_string(errand.target) + ' ' +
           std::string{errand.objective_hash};
}

Root& root_of(Lineage& lineage, Ticket number) { return lineage.roots.at(number); }

/// The delegation that holds what is set aside for this one; null: the root does.
Delegation* holder(Lineage& lineage, const Delegation& delegation) {
    const auto* above = purse_holder(lineage, find_delegation(lineage, delegation.parent));
    return above == nullptr ? nullptr : &lineage.delegations.at(above->request);
}

std::uint32_t& open_children_of_parent(Lineage& lineage, const Delegation& delegation) {
    return delegation.parent == Ticket{} ? root_of(lineage, delegation.root).open_children
                                         : lineage.delegations.at(delegation.parent).open_children;
}

void set_aside(Lineage& lineage, const Delegation& delegation, const Circumstances& at) {
    if (delegation.is_granted) return;
    auto& root = root_of(lineage, delegation.root);
    auto* above = holder(lineage, delegation);
    reserve(above == nullptr ? root.purse : above->below, delegation.tokens);
    reserve(root.cost_purse, delegation.cost);
    auto& accounts = lineage.accounts;
    const auto open = [&](const std::string& name, std::uint64_t amount) {
        reserve(accounts, name, amount, at.now, at.budget_window);
    };
    open(agent_account(at.target_name), delegation.tokens);
    open(std::string{kCostAccount}, delegation.cost);
    if (above != nullptr) return;
    if (!delegation.user.empty()) open(user_account(delegation.user), delegation.tokens);
    open(std::string{kHubAccount}, delegation.tokens);
}

/// What its own work cost, and what the whole of it did. Children that are still out keep what
/// they have, and so it counts as gone.
void charge(Lineage& lineage, const Delegation& delegation, const Ending& ending) {
    if (delegation.tokens == 0 || delegation.is_granted) return;
    const auto below = delegation.below.spent + delegation.below.reserved;
    const auto own = std::min(ending.tokens_used, delegation.tokens - below);
    const auto cost = scaled(delegation.cost, own, delegation.tokens);
    auto& root = root_of(lineage, delegation.root);
    auto* above = holder(lineage, delegation);
    settle(above == nullptr ? root.purse : above->below, delegation.tokens, own + below);
    settle(root.cost_purse, delegation.cost, cost);
    const auto close = [&](const std::string& name, std::uint64_t amount, std::uint64_t spent) {
        settle(lineage.accounts, name, amount, spent, ending.now, ending.budget_window);
    };
    close(agent_account(ending.target_name), delegation.tokens, own);
    close(std::string{kCostAccount}, delegation.cost, cost);
    if (above != nullptr) return;
    if (!delegation.user.empty()) {
        close(user_account(delegation.user), delegation.tokens, own + below);
    }
    close(std::string{kHubAccount}, delegation.tokens, own + below);
}

void erase_root(Lineage& lineage, Ticket number) {
    const auto found = lineage.roots.find(number);
    const auto& root = found->second;
    if (root.is_by_session) lineage.roots_by_session.erase({root.session, root.origin});
    lineage.idle.erase({root.ends_at, number});
    lineage.roots.erase(found);
}

/// Takes an ended delegation off the record if nothing is below it, and then those above it that
/// only waited for that.
void forget(Lineage& lineage, Ticket request, const Ending& ending) {
    while (request != Ticket{}) {
        const auto found = lineage.delegations.find(request);
        const auto& delegation = found->second;
        if (delegation.is_open || delegation.children > 0) return;
        const auto parent = delegation.parent;
        if (parent != Ticket{}) --lineage.delegations.at(parent).children;
        auto& root = root_of(lineage, delegation.root);
        lineage.sessions.erase({delegation.session, request});
        lineage.delegations.erase(found);
        --root.count;
        if (root.count == 0) {
            if (!root.is_by_session) return erase_root(lineage, root.number);
            root.ends_at = ending.now + ending.root_idle;
            lineage.idle.emplace(root.ends_at, root.number);
        }
        request = parent;
    }
}

/// One more is on record in the tree.
void join(Lineage& lineage, const Delegation& delegation) {
    auto& root = root_of(lineage, delegation.root);
    if (root.count == 0) lineage.idle.erase({root.ends_at, root.number});
    root.ends_at = {};
    ++root.count;
}

}  // namespace

const Delegation* find_delegation(const Lineage& lineage, Ticket request) {
    const auto found = lineage.delegations.find(request);
    return found == lineage.delegations.end() ? nullptr : &found->second;
}

const Root* find_root(const Lineage& lineage, std::string_view session, AgentHandle origin) {
    const auto found = lineage.roots_by_session.find({std::string{session}, origin});
    return found == lineage.roots_by_session.end() ? nullptr : &lineage.roots.at(found->second);
}

const Delegation* find_session(const Lineage& lineage, std::string_view session) {
    // The end of time and of tickets: the one before it is the last of the session.
    auto at = lineage.sessions.upper_bound({std::string{session}, Ticket{kNoLimit}});
    if (session.empty() || at == lineage.sessions.begin()) return nullptr;
    --at;
    return at->first == session ? &lineage.delegations.at(at->second) : nullptr;
}

std::vector<Ticket> roots_named(const Lineage& lineage, std::string_view session) {
    std::vector<Ticket> roots;
    auto at = lineage.roots_by_session.lower_bound({std::string{session}, 0});
    for (; at != lineage.roots_by_session.end() && at->first.first == session; ++at) {
        roots.push_back(at->second);
    }
    return roots;
}

const Delegation* purse_holder(const Lineage& lineage, const Delegation* parent) {
    while (parent != nullptr && parent->tokens == 0) {
        parent = find_delegation(lineage, parent->parent);
    }
    return parent;
}

bool is_taken(const Root& root, const Errand& errand) {
    return root.errands.contains(key_of(errand));
}

const Delegation* find_ring(const Lineage& lineage, const Delegation* last, const Errand& errand) {
    for (const auto* each = last; each != nullptr; each = find_delegation(lineage, each->parent)) {
        const bool is_on_it = each->origin == errand.target || each->target == errand.target;
        if (is_on_it && each->objective_hash == errand.objective_hash) return each;
    }
    return nullptr;
}

void found(Lineage& lineage, const DelegationFounded& event, const Circumstances& at) {
    lineage.roots.emplace(event.request,
                          Root{.number = event.request,
                               .origin = at.origin,
                               .user = event.user,
                               .count = 1,
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
                                .user = event.user};
    lineage.delegations.emplace(event.request, delegation);
    ++root_of(lineage, event.request).open_children;
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
                          .tools = event.tools,
                          .limits_tools = event.limits_tools,
                          .tokens = event.tokens,
                          .cost = event.cost,
                          .is_granted = event.is_granted};
    auto& root = root_of(lineage, event.root);
    root.errands.insert(key_of({at.origin, at.target, event.objective_hash}));
    if (root.user.empty()) root.user = event.user;
    join(lineage, delegation);
    ++open_children_of_parent(lineage, delegation);
    set_aside(lineage, delegation, at);
    index(lineage, delegation);
    lineage.delegations.emplace(event.request, std::move(delegation));
}

void end(Lineage& lineage, Ticket request, const Ending& ending) {
    const auto found = lineage.delegations.find(request);
    if (found == lineage.delegations.end() || !found->second.is_open) return;
    auto& delegation = found->second;
    charge(lineage, delegation, ending);
    delegation.is_open = false;
    const auto work = lineage.at_work.find(delegation.target);
    work->second.erase(request);
    if (work->second.empty()) lineage.at_work.erase(work);
    --open_children_of_parent(lineage, delegation);
    forget(lineage, request, ending);
}

void retarget(Lineage& lineage, Ticket request, const Retarget& to) {
    const auto found = lineage.delegations.find(request);
    if (found == lineage.delegations.end() || !found->second.is_open) return;
    auto& delegation = found->second;
    const auto work = lineage.at_work.find(delegation.target);
    work->second.erase(request);
    if (work->second.empty()) lineage.at_work.erase(work);
    delegation.target = to.target;
    lineage.at_work[to.target].insert(request);
    root_of(lineage, delegation.root)
        .errands.insert(key_of({delegation.origin, to.target, delegation.objective_hash}));
    auto& accounts = lineage.accounts;
    settle(accounts, agent_account(to.name_before), delegation.tokens, 0, to.now, to.budget_window);
    reserve(accounts, agent_account(to.name), delegation.tokens, to.now, to.budget_window);
}

void end_root(Lineage& lineage, Ticket number) {
    CHECK(lineage.roots.at(number).count == 0);
    erase_root(lineage, number);
}

void index(Lineage& lineage, const Delegation& delegation) {
    const auto parent = lineage.delegations.find(delegation.parent);
    if (parent != lineage.delegations.end()) ++parent->second.children;
    if (delegation.is_open) lineage.at_work[delegation.target].insert(delegation.request);
    if (!delegation.session.empty())
        lineage.sessions.emplace(delegation.session, delegation.request);
}

void index(Lineage& lineage, const Root& root) {
    if (root.is_by_session) lineage.roots_by_session[{root.session, root.origin}] = root.number;
    if (root.count == 0 && root.ends_at != Time{}) lineage.idle.emplace(root.ends_at, root.number);
}

}  // namespace parlance::core::governor
