// The governor as bytes, and back.
#include <algorithm>
#include <utility>

#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

using governor::Delegation;
using governor::Purse;
using governor::Root;

void put_purse(std::string& out, const Purse& purse) {
    put(out, purse.reserved);
    put(out, purse.spent);
}

Purse take_purse(ByteReader& in) {
    const auto reserved = in.varint();
    return {.reserved = reserved, .spent = in.varint()};
}

template <class Texts>
void put_texts(std::string& out, const Texts& texts) {
    put(out, texts.size());
    for (const auto& text : texts) put(out, text);
}

AgentHandle take_agent(ByteReader& in, const State& state) {
    const auto agent = in.varint();
    const bool is_known = agent < state.registry.agents.size();
    expect(in, is_known);
    return is_known ? static_cast<AgentHandle>(agent) : 0;
}

void put_delegation(std::string& out, const Delegation& each) {
    put(out, each.request.value);
    put(out, each.parent.value);
    put(out, each.root.value);
    put(out, each.origin);
    put(out, each.target);
    put(out, each.depth);
    put(out, each.depth_max);
    put(out, each.admitted_at);
    put(out, each.deadline);
    put(out, each.user);
    put(out, each.session);
    put(out, each.objective_hash);
    put_texts(out, each.tools);
    put(out, std::uint64_t{each.limits_tools});
    put(out, std::uint64_t{each.is_open});
    put(out, each.open_children);
    put(out, each.tokens);
    put(out, each.cost);
    put_purse(out, each.below);
}

Delegation take_delegation(ByteReader& in, const State& state) {
    Delegation each;
    each.request.value = in.varint();
    each.parent.value = in.varint();
    each.root.value = in.varint();
    each.origin = take_agent(in, state);
    each.target = take_agent(in, state);
    each.depth = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    each.depth_max = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    each.admitted_at = take_time(in);
    each.deadline = take_time(in);
    each.user = take_text(in);
    each.session = take_text(in);
    each.objective_hash = take_text(in);
    const auto tools = take_count(in);
    for (std::uint64_t i = 0; i < tools; ++i) each.tools.push_back(take_text(in));
    each.limits_tools = in.varint() != 0;
    each.is_open = in.varint() != 0;
    each.open_children = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    each.tokens = in.varint();
    each.cost = in.varint();
    each.below = take_purse(in);
    return each;
}

void put_root(std::string& out, const Root& root) {
    put(out, root.number.value);
    put(out, root.session);
    put(out, root.origin);
    put(out, root.user);
    put(out, std::uint64_t{root.is_by_session});
    put(out, root.count);
    put(out, root.open_children);
    put(out, root.ends_at);
    put(out, root.tokens);
    put(out, root.cost);
    put_purse(out, root.purse);
    put_purse(out, root.cost_purse);
    put_texts(out, root.errands);
}

Root take_root(ByteReader& in, const State& state) {
    Root root;
    root.number.value = in.varint();
    root.session = take_text(in);
    root.origin = take_agent(in, state);
    root.user = take_text(in);
    root.is_by_session = in.varint() != 0;
    root.count = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    root.open_children = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    root.ends_at = take_time(in);
    root.tokens = in.varint();
    root.cost = in.varint();
    root.purse = take_purse(in);
    root.cost_purse = take_purse(in);
    const auto errands = take_count(in);
    for (std::uint64_t i = 0; i < errands; ++i) root.errands.insert(take_text(in));
    return root;
}

void take_breakers(ByteReader& in, State& state) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        auto& breaker = state.governor.breakers[take_agent(in, state)];
        breaker.stage =
            take_enum(in, governor::BreakerStage::Closed, governor::BreakerStage::Probing);
        breaker.open_until = take_time(in);
        const auto failures = take_count(in);
        for (std::uint64_t k = 0; k < failures; ++k) breaker.failures.push_back(take_time(in));
    }
}

void take_rates(ByteReader& in, governor::Rates& rates) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        auto name = take_text(in);
        governor::Rate rate;
        rate.since = take_time(in);
        rate.count = in.varint();
        rates.emplace(std::move(name), rate);
    }
}

/// Whoever is named is there.
bool is_sound(const governor::Lineage& lineage) {
    return std::ranges::all_of(lineage.delegations, [&](const auto& entry) {
        const auto& [request, each] = entry;
        const bool has_parent =
            each.parent == Ticket{} || lineage.delegations.contains(each.parent);
        // A parent is older than its child, so that there is no ring among them.
        return has_parent && each.parent < request && lineage.roots.contains(each.root);
    });
}

}  // namespace

void put_governor(std::string& out, const governor::Governor& governor) {
    put(out, governor.policy.version);
    put(out, print_policy(governor.policy.settings));
    const auto& lineage = governor.lineage;
    put(out, lineage.roots.size());
    for (const auto& [number, root] : lineage.roots) put_root(out, root);
    put(out, lineage.delegations.size());
    for (const auto& [request, each] : lineage.delegations) put_delegation(out, each);
    put(out, std::uint64_t{governor.is_stopped});
    put(out, governor.breakers.size());
    for (const auto& [agent, breaker] : governor.breakers) {
        put(out, agent);
        put(out, static_cast<std::uint64_t>(breaker.stage));
        put(out, breaker.open_until);
        put(out, breaker.failures.size());
        for (const auto at : breaker.failures) put(out, at);
    }
    put(out, governor.rates.size());
    for (const auto& [name, rate] : governor.rates) {
        put(out, name);
        put(out, rate.since);
        put(out, rate.count);
    }
    put(out, lineage.accounts.size());
    for (const auto& [name, account] : lineage.accounts) {
        put(out, name);
        put(out, account.since);
        put_purse(out, account.purse);
    }
}

void take_governor(ByteReader& in, State& state) {
    state.governor.policy.version = in.varint();
    auto settings = parse_policy(take_text(in));
    if (!settings) return spoil(in);
    state.governor.policy.settings = *std::move(settings);
    auto& lineage = state.governor.lineage;
    const auto roots = take_count(in);
    for (std::uint64_t i = 0; i < roots && in.ok(); ++i) {
        auto root = take_root(in, state);
        governor::index(lineage, root);
        lineage.roots.emplace(root.number, std::move(root));
    }
    const auto delegations = take_count(in);
    for (std::uint64_t i = 0; i < delegations && in.ok(); ++i) {
        auto each = take_delegation(in, state);
        governor::index(lineage, each);
        lineage.delegations.emplace(each.request, std::move(each));
    }
    state.governor.is_stopped = in.varint() != 0;
    take_breakers(in, state);
    take_rates(in, state.governor.rates);
    const auto accounts = take_count(in);
    for (std::uint64_t i = 0; i < accounts && in.ok(); ++i) {
        auto name = take_text(in);
        governor::Account account;
        account.since = take_time(in);
        account.purse = take_purse(in);
        lineage.accounts.emplace(std::move(name), account);
    }
    expect(in, is_sound(lineage));
}

}  // namespace parlance::core
