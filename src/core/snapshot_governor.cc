// The governor as bytes, and back.
#include <algorithm>
#include <utility>

#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

AgentHandle take_agent(ByteReader& in, const State& state) {
    const auto agent = in.varint();
    const bool is_known = agent < state.registry.agents.size();
    expect(in, is_known);
    return is_known ? static_cast<AgentHandle>(agent) : 0;
}

void take_breakers(PieceReader& in, State& state) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        auto& breaker = state.governor.breakers[take_agent(in, state)];
        breaker.stage =
            take_enum(in, governor::BreakerStage::Closed, governor::BreakerStage::Probing);
        breaker.open_until = take_time(in);
        const auto failures = take_count(in);
        for (std::uint64_t k = 0; k < failures; ++k) breaker.failures.push_back(take_time(in));
    }
}

void take_rates(PieceReader& in, governor::Rates& rates) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        auto name = take_text(in);
        // Before form 12 a minute was one step; since then the steps stand at the end of the
        // snapshot.
        governor::RateStep step{.since = take_time(in)};
        step.last = step.since;
        step.count = in.varint();
        if (step.count > 0) governor::put_rate(rates, std::move(name), {.steps = {step}});
    }
}

void put_steps(PieceWriter& pieces, const governor::Rates& rates) {
    auto& out = pieces.bytes();
    put(out, rates.by_name.size());
    for (const auto& [name, rate] : rates.by_name) {
        if (!pieces.spill()) return;
        put(out, name);
        put(out, rate.steps.size());
        for (const auto& step : rate.steps) {
            put(out, step.since);
            put(out, step.last);
            put(out, step.count);
        }
    }
}

void take_steps(PieceReader& in, governor::Rates& rates) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        auto name = take_text(in);
        governor::Rate rate;
        const auto steps = take_count(in);
        for (std::uint64_t k = 0; k < steps && in.ok(); ++k) {
            auto& step = rate.steps.emplace_back();
            step.since = take_time(in);
            step.last = take_time(in);
            step.count = in.varint();
        }
        expect(in, !rate.steps.empty() && !rates.by_name.contains(name));
        if (in.ok()) governor::put_rate(rates, std::move(name), std::move(rate));
    }
}

/// True if every parent and root named by a delegation exists.
bool is_sound(const governor::Lineage& lineage) {
    return std::ranges::all_of(lineage.delegations.tickets(), [&](Ticket request) {
        const auto each = lineage.delegations.at(request);
        const bool has_parent =
            each->parent == Ticket{} || lineage.delegations.contains(each->parent);
        // A parent is older than its child, so parents form no ring.
        return has_parent && each->parent < request && lineage.roots.contains(each->root);
    });
}

void take_lineage(PieceReader& in, State& state, RecordEncoding encoding, std::uint64_t form) {
    auto& lineage = state.governor.lineage;
    const auto is_agent = [&](AgentHandle agent) { return agent < state.registry.agents.size(); };
    const auto roots = take_count(in);
    for (std::uint64_t i = 0; i < roots && in.ok(); ++i) {
        in.refill();
        auto root = governor::RootCodec{}.unpack(in, encoding);
        const auto number = root.number;
        root.open = 0;  // Counted as delegations are read.
        expect(in,
               is_agent(root.origin) && is_near(root.ends_at) && !lineage.roots.contains(number));
        if (!in.ok()) return;
        governor::index(lineage, root);
        lineage.roots.emplace(number, std::move(root));
        governor::tidy(lineage, state.limits.awake_max);
    }
    const auto delegations = take_count(in);
    for (std::uint64_t i = 0; i < delegations && in.ok(); ++i) {
        in.refill();
        auto each = governor::DelegationCodec{}.unpack(in, encoding);
        const auto request = each.request;
        expect(in,
               is_agent(each.origin) && is_agent(each.target) && is_near(each.admitted_at) &&
                   is_near(each.deadline) && !lineage.delegations.contains(request));
        if (!in.ok()) return;
        each.children = 0;  // Counted as children are read.
        auto* const root = lineage.roots.wake(each.root);
        expect(in, root != nullptr);
        if (!in.ok()) return;
        if (each.is_open) ++root->open;
        // Before form 12 the requester's name said so.
        const auto& origin = state.registry.agents[each.origin].id.value;
        if (form < 12) each.is_planned = origin == kOrchestrator;
        governor::index(lineage, each);
        lineage.delegations.emplace(request, std::move(each));
        governor::tidy(lineage, state.limits.awake_max);
    }
}

/// Before form 12 only the hub and the tree had money budgets: reserves for agents and users.
void set_money_aside(State& state) {
    auto& lineage = state.governor.lineage;
    const auto window = governor::window_of(state.governor.policy);
    for (const auto request : lineage.delegations.tickets()) {
        const auto each = lineage.delegations.at(request);
        if (!each->is_open || each->is_granted) continue;
        const auto& target = state.registry.agents[each->target].id.value;
        const auto open = [&](const std::string& account) {
            governor::reserve(lineage.accounts, account, each->cost, state.now, window);
        };
        open(governor::agent_cost_account(target));
        if (!each->user.empty()) open(governor::user_cost_account(each->user));
    }
}

}  // namespace

void put_governor(PieceWriter& pieces, const governor::Governor& governor) {
    auto& out = pieces.bytes();
    put(out, governor.policy.version);
    put(out, print_policy(governor.policy.settings));
    const auto& lineage = governor.lineage;
    put(out, lineage.roots.size());
    for (const auto number : lineage.roots.tickets()) {
        if (!pieces.spill()) return;
        lineage.roots.append_packed(out, number);
    }
    put(out, lineage.delegations.size());
    for (const auto request : lineage.delegations.tickets()) {
        if (!pieces.spill()) return;
        lineage.delegations.append_packed(out, request);
    }
    put(out, std::uint64_t{governor.is_stopped});
    put(out, governor.breakers.size());
    for (const auto& [agent, breaker] : governor.breakers) {
        if (!pieces.spill()) return;
        put(out, agent);
        put(out, static_cast<std::uint64_t>(breaker.stage));
        put(out, breaker.open_until);
        put(out, breaker.failures.size());
        for (const auto at : breaker.failures) put(out, at);
    }
    put(out, std::uint64_t{0});  // Rates stand at the end, with their steps.
    put(out, lineage.accounts.by_name.size());
    for (const auto& [name, account] : lineage.accounts.by_name) {
        if (!pieces.spill()) return;
        put(out, name);
        put(out, account.since);
        governor::put_budget(out, account.budget);
    }
}

void take_governor(PieceReader& in, State& state, RecordEncoding encoding, std::uint64_t form) {
    state.governor.policy.version = in.varint();
    auto settings = parse_policy(take_text(in));
    if (!settings) return spoil(in);
    state.governor.policy.settings = *std::move(settings);
    auto& lineage = state.governor.lineage;
    take_lineage(in, state, encoding, form);
    state.governor.is_stopped = in.varint() != 0;
    take_breakers(in, state);
    take_rates(in, state.governor.rates);
    const auto accounts = take_count(in);
    for (std::uint64_t i = 0; i < accounts && in.ok(); ++i) {
        in.refill();
        auto name = take_text(in);
        governor::Account account;
        account.since = take_time(in);
        account.budget = governor::take_budget(in);
        governor::put_account(lineage.accounts, std::move(name), account);
    }
    expect(in, is_sound(lineage));
    if (form < 12 && in.ok()) set_money_aside(state);
}

void put_stop(PieceWriter& pieces, const governor::Governor& governor) {
    auto& out = pieces.bytes();
    put(out, governor.stop.by);
    put(out, governor.stop.reason);
    put(out, governor.stop.at);
    put_steps(pieces, governor.rates);
}

void take_stop(PieceReader& in, governor::Governor& governor) {
    governor.stop.by = take_text(in);
    governor.stop.reason = take_text(in);
    governor.stop.at = take_time(in);
    take_steps(in, governor.rates);
}

}  // namespace parlance::core
