#include "sim/plan.h"

#include <array>
#include <type_traits>

#include "core/testing/plain_scribe.h"

namespace parlance::sim {

namespace {

const core::PlainScribe kScribe;

constexpr std::uint64_t kVerbsApart = 0x5645'5242'5321'0000ULL;
constexpr std::uint64_t kVerbsLivesPercent = 60;
/// The budget rules; 0 is no limit.
constexpr std::array kPurses{Rule::TokensPerDelegation,
                             Rule::TokensPerRoot,
                             Rule::TokensPerAgent,
                             Rule::TokensPerUser,
                             Rule::TokensInTotal,
                             Rule::CostPerDelegation,
                             Rule::CostPerRoot,
                             Rule::CostPerAgent,
                             Rule::CostPerUser,
                             Rule::CostInTotal};

void draw_limits(Chance& chance, Limits& limits) {
    limits.lease = chance.ms(100, 2'000);
    limits.lease_max = limits.lease * 2;
    limits.awake_max = 2;  // So small that most waiting objects are packed.
    limits.backoff_base = chance.ms(10, 200);
    limits.backoff_max = chance.ms(200, 1'500);
    limits.backoff_multiplier = static_cast<std::uint32_t>(chance.between(1, 3));
    limits.backoff_jitter_percent = static_cast<std::uint32_t>(chance.between(0, 50));
    limits.retry_count_max = static_cast<std::uint32_t>(chance.between(0, 4));
    limits.low_every =
        static_cast<std::uint32_t>(chance.percent(50) ? chance.between(12, 20) : 100);
    limits.request_timeout = chance.ms(200, 4'000);
    limits.heartbeat_timeout = chance.ms(400, 2'000);
    limits.instance_credit_max = static_cast<std::uint32_t>(chance.between(4, 32));
    limits.instances_per_agent_max = 4;
    limits.mailbox_messages_max = chance.percent(50) ? chance.between(6, 25) : 200;
    limits.mailbox_bytes_max = chance.percent(20) ? chance.between(800, 4'000) : 1'000'000;
    limits.hub_bytes_max = limits.mailbox_bytes_max * 3 / 2;
    limits.open_requests_max = chance.percent(30) ? chance.between(3, 12) : 1'000;
    limits.people = {{"", {.deadline = Duration{1'000}}},
                     {"legal",
                      {.deadline = Duration{1'500},
                       .reminder = Duration{400},
                       .escalation = "finance",
                       .if_nobody = IfNobody::Escalate}},
                     {"finance", {.deadline = Duration{2'000}, .approvals_needed = 2}}};
    limits.remembered_ids_max = chance.percent(15) ? chance.between(16, 64) : 1'000'000;
}

/// Makes limits that a life could not reach otherwise small in some lives: a bound that nothing
/// approaches cannot be seen to hold (G7).
void draw_small_limits(Chance chance, Limits& limits) {
    const auto small = [&](auto& limit, std::uint64_t low, std::uint64_t high) {
        const bool is_small = chance.percent(20);
        const auto value = chance.between(low, high);
        if (is_small) limit = static_cast<std::remove_reference_t<decltype(limit)>>(value);
    };
    small(limits.retry_count_ceiling, 1, 3);
    small(limits.topics_max, 1, 1);
    small(limits.subscribers_per_topic_max, 1, 3);
    small(limits.workflows_max, 1, 3);
    small(limits.stream_parts_max, 1, 2);
    small(limits.stream_bytes_max, 1, 3);
    small(limits.streams_ended_max, 1, 4);
    small(limits.appeals_max, 1, 4);
    small(limits.appeals_ended_max, 1, 10);
    small(limits.shared_items_max, 1, 6);
    small(limits.shared_item_bytes_max, 40, 200);
    small(limits.shared_bytes_max, 100, 600);
}

void draw_faults(Chance& chance, Plan& plan) {
    const auto every = [&](std::uint64_t likely, std::uint64_t low, std::uint64_t high) {
        return chance.percent(likely) ? chance.ms(low, high) : Duration{};
    };
    plan.naughty = chance.percent(80) ? chance.between(5, 50) : 0;
    plan.lost = chance.percent(50) ? chance.between(1, 10) : 0;
    plan.doubled = chance.percent(50) ? chance.between(1, 15) : 0;
    plan.burst = chance.percent(50) ? chance.between(2, 12) : 0;
    plan.kill_every = every(50, 800, 4'000);
    plan.disk_fault_every = every(70, 500, 3'000);
    plan.full_every = every(25, 1'000, 4'000);
    plan.jump_every = every(30, 1'000, 4'000);
    plan.sync_max = Duration{chance.percent(15) ? 300 : 3};
    plan.broken_start = chance.percent(30) ? 25 : 0;
    plan.policy_every = every(40, 500, 4'000);
    plan.stop_every = every(20, 1'500, 6'000);
    plan.cancel_every = every(40, 200, 2'000);
    plan.flips_bit = chance.percent(4);
    plan.people_every = every(50, 60, 600);
    plan.workflow_every = every(50, 250, 1'600);
}

/// A limit, or sometimes none.
std::int64_t some(Chance& chance, std::uint64_t low, std::uint64_t high) {
    return chance.percent(30) ? 0 : static_cast<std::int64_t>(chance.between(low, high));
}

}  // namespace

Settings draw_policy(Chance& chance, const Plan& plan) {
    const auto number = [&](std::uint64_t low, std::uint64_t high) {
        return static_cast<std::int64_t>(chance.between(low, high));
    };
    Settings settings{{{Rule::DepthMax, {}}, number(2, 6)},
                      {{Rule::FanoutMax, {}}, number(1, 4)},
                      {{Rule::RootIdleMs, {}}, number(500, 5'000)},
                      {{Rule::DeadlineMsMax, {}}, number(300, 5'000)},
                      {{Rule::TokensPerDelegation, {}}, some(chance, 500, 3'000)},
                      {{Rule::TokensPerRoot, {}}, some(chance, 1'000, 6'000)},
                      {{Rule::TokensPerAgent, {}}, some(chance, 2'000, 20'000)},
                      {{Rule::TokensPerUser, {}}, some(chance, 2'000, 20'000)},
                      {{Rule::TokensInTotal, {}}, some(chance, 4'000, 40'000)},
                      {{Rule::CostPerRoot, {}}, some(chance, 500, 9'000)},
                      {{Rule::CostInTotal, {}}, some(chance, 3'000, 60'000)},
                      {{Rule::BudgetWindowMs, {}}, number(1'000, 6'000)},
                      {{Rule::BreakerFailures, {}}, chance.percent(15) ? 0 : number(1, 6)},
                      {{Rule::BreakerWindowMs, {}}, number(300, 5'000)},
                      {{Rule::BreakerOpenMs, {}}, number(200, 2'000)}};
    // Not drawn, so that recorded seeds keep their lives.
    settings[{Rule::BreakerFairMs, {}}] = settings[{Rule::BreakerOpenMs, {}}] / 8;
    settings[{Rule::CostPerDelegation, {}}] = settings[{Rule::TokensPerDelegation, {}}] * 3;
    settings[{Rule::CostPerAgent, {}}] = settings[{Rule::TokensPerAgent, {}}] * 2;
    settings[{Rule::CostPerUser, {}}] = settings[{Rule::TokensPerUser, {}}] * 2;
    const auto agent = [&](std::uint64_t each) {
        return Scope{ScopeKind::Agent, "agent-" + std::to_string(each)};
    };
    for (std::uint64_t each = 0; each < plan.agents; ++each) {
        if (chance.percent(50)) {
            settings[{Rule::CostPerMillionTokens, agent(each)}] = number(0, 5'000'000);
        }
        if (chance.percent(20)) settings[{Rule::FanoutMax, agent(each)}] = number(1, 3);
    }
    if (chance.percent(15)) settings[{Rule::MessagesPerMinute, {}}] = number(10, 60);
    if (chance.percent(15)) settings[{Rule::RequestsPerUserMinute, {}}] = number(3, 20);
    // In some lives no budget limits requests: a request then joins a tree of delegations only when
    // a delegation is made from the request.
    const bool spends_freely = plan.verbs.seed % 4 == 1;
    for (const auto rule : kPurses) {
        if (spends_freely) settings[{rule, {}}] = 0;
    }
    return settings;
}

Verbs draw_verbs(std::uint64_t seed) {
    Chance chance{seed ^ kVerbsApart};
    Verbs verbs;
    if (!chance.percent(kVerbsLivesPercent)) return verbs;
    const auto every = [&](std::uint64_t likely, std::uint64_t low, std::uint64_t high) {
        return chance.percent(likely) ? chance.ms(low, high) : Duration{};
    };
    verbs.seed = chance.bits();
    verbs.choose_every = every(75, 60, 900);
    verbs.keep_every = every(50, 100, 1'500);
    verbs.remove_every = every(30, 500, 4'000);
    verbs.handoff = chance.percent(60) ? chance.between(5, 40) : 0;
    verbs.state = chance.percent(60) ? chance.between(10, 60) : 0;
    verbs.poll_lost = chance.percent(40) ? chance.between(2, 25) : 0;
    verbs.clock_behind = chance.percent(25) ? chance.between(20, 80) : 0;
    verbs.descriptors_every = every(25, 500, 4'000);
    verbs.copy_every = every(25, 400, 3'000);
    verbs.restore = chance.between(20, 60);
    return verbs;
}

Plan draw_plan(Chance& chance) {
    Plan plan;
    draw_limits(chance, plan.limits);
    // With a random stream of its own, so that recorded seeds keep their lives.
    draw_small_limits(Chance{Chance{chance}.bits()}, plan.limits);
    plan.engine.limits = plan.limits;
    plan.engine.version = "sim";
    plan.engine.scribe = &kScribe;
    plan.engine.inbox_commands_max = chance.percent(20) ? 24 : 4'096;
    plan.engine.turn_commands_max = chance.between(1, 64);
    plan.engine.turn_commands_min = chance.between(1, plan.engine.turn_commands_max);
    plan.engine.snapshot_records_min = chance.between(30, 400);
    plan.engine.snapshot_bytes_factor = chance.between(0, 1);
    plan.engine.full_disk_retry = Duration{50};
    plan.journal.segment_bytes = 4'096 * chance.between(2, 10);

    plan.agents = chance.between(2, 6);
    plan.consumers_max = chance.between(1, 3);
    plan.credit_max = chance.percent(40) ? 1 : chance.between(2, 8);
    plan.tasks = chance.between(1, 4);
    plan.messages = chance.between(60, 240);
    plan.chaos = chance.ms(3'000, 9'000);
    plan.ttl = chance.between(0, 40);
    plan.request = chance.between(0, 60);
    plan.delegation = chance.percent(70) ? chance.between(20, 90) : 0;
    plan.passed_on = chance.percent(70) ? chance.between(10, 45) : 0;
    plan.liar = chance.percent(70) ? chance.between(5, 60) : 0;
    draw_faults(chance, plan);
    return plan;
}

}  // namespace parlance::sim
