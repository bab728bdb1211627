#include "sim/plan.h"

#include <array>
#include <type_traits>

#include "core/testing/plain_message_writer.h"

namespace parlance::sim {

namespace {

const core::PlainMessageWriter kMessageWriter;

constexpr std::uint64_t kVerbsApart = 0x5645'5242'5321'0000ULL;
constexpr std::uint64_t kVerbsLivesPercent = 60;
/// The budget rules; 0 is no limit.
constexpr std::array kBudgetRules{Rule::TokensPerDelegation,
                                  Rule::TokensPerRoot,
                                  Rule::TokensPerAgent,
                                  Rule::TokensPerUser,
                                  Rule::TokensInTotal,
                                  Rule::CostPerDelegation,
                                  Rule::CostPerRoot,
                                  Rule::CostPerAgent,
                                  Rule::CostPerUser,
                                  Rule::CostInTotal};

void draw_limits(Entropy& entropy, Limits& limits) {
    limits.lease = entropy.ms(100, 2'000);
    limits.lease_max = limits.lease * 2;
    limits.awake_max = 2;  // So small that most waiting objects are packed.
    limits.backoff_base = entropy.ms(10, 200);
    limits.backoff_max = entropy.ms(200, 1'500);
    limits.backoff_multiplier = static_cast<std::uint32_t>(entropy.between(1, 3));
    limits.backoff_jitter_percent = static_cast<std::uint32_t>(entropy.between(0, 50));
    limits.retry_count_max = static_cast<std::uint32_t>(entropy.between(0, 4));
    limits.low_every =
        static_cast<std::uint32_t>(entropy.percent(50) ? entropy.between(12, 20) : 100);
    limits.request_timeout = entropy.ms(200, 4'000);
    limits.heartbeat_timeout = entropy.ms(400, 2'000);
    limits.instance_credit_max = static_cast<std::uint32_t>(entropy.between(4, 32));
    limits.instances_per_agent_max = 4;
    limits.mailbox_messages_max = entropy.percent(50) ? entropy.between(6, 25) : 200;
    limits.mailbox_bytes_max = entropy.percent(20) ? entropy.between(800, 4'000) : 1'000'000;
    limits.hub_bytes_max = limits.mailbox_bytes_max * 3 / 2;
    limits.open_requests_max = entropy.percent(30) ? entropy.between(3, 12) : 1'000;
    limits.people = {{"", {.deadline = Duration{1'000}}},
                     {"legal",
                      {.deadline = Duration{1'500},
                       .reminder = Duration{400},
                       .escalation = "finance",
                       .if_nobody = IfNobody::Escalate}},
                     {"finance", {.deadline = Duration{2'000}, .approvals_needed = 2}}};
    limits.remembered_ids_max = entropy.percent(15) ? entropy.between(16, 64) : 1'000'000;
}

/// Makes limits that a life could not reach otherwise small in some lives: a bound that nothing
/// approaches cannot be seen to hold (G7).
void draw_small_limits(Entropy entropy, Limits& limits) {
    const auto small = [&](auto& limit, std::uint64_t low, std::uint64_t high) {
        const bool is_small = entropy.percent(20);
        const auto value = entropy.between(low, high);
        if (is_small) limit = static_cast<std::remove_reference_t<decltype(limit)>>(value);
    };
    small(limits.retry_count_ceiling, 1, 3);
    small(limits.topics_max, 1, 1);
    small(limits.subscribers_per_topic_max, 1, 3);
    small(limits.workflows_max, 1, 3);
    small(limits.stream_parts_max, 1, 2);
    small(limits.stream_bytes_max, 1, 3);
    small(limits.streams_ended_max, 1, 4);
    small(limits.human_tasks_max, 1, 4);
    small(limits.human_tasks_ended_max, 1, 10);
    small(limits.shared_items_max, 1, 6);
    small(limits.shared_item_bytes_max, 40, 200);
    small(limits.shared_bytes_max, 100, 600);
}

void draw_faults(Entropy& entropy, Plan& plan) {
    const auto every = [&](std::uint64_t likely, std::uint64_t low, std::uint64_t high) {
        return entropy.percent(likely) ? entropy.ms(low, high) : Duration{};
    };
    plan.naughty = entropy.percent(80) ? entropy.between(5, 50) : 0;
    plan.lost = entropy.percent(50) ? entropy.between(1, 10) : 0;
    plan.doubled = entropy.percent(50) ? entropy.between(1, 15) : 0;
    plan.burst = entropy.percent(50) ? entropy.between(2, 12) : 0;
    plan.kill_every = every(50, 800, 4'000);
    plan.disk_fault_every = every(70, 500, 3'000);
    plan.full_every = every(25, 1'000, 4'000);
    plan.jump_every = every(30, 1'000, 4'000);
    plan.sync_max = Duration{entropy.percent(15) ? 300 : 3};
    plan.broken_start = entropy.percent(30) ? 25 : 0;
    plan.policy_every = every(40, 500, 4'000);
    plan.stop_every = every(20, 1'500, 6'000);
    plan.cancel_every = every(40, 200, 2'000);
    plan.flips_bit = entropy.percent(4);
    plan.people_every = every(50, 60, 600);
    plan.workflow_every = every(50, 250, 1'600);
}

/// A limit, or sometimes none.
std::int64_t some(Entropy& entropy, std::uint64_t low, std::uint64_t high) {
    return entropy.percent(30) ? 0 : static_cast<std::int64_t>(entropy.between(low, high));
}

}  // namespace

Settings draw_policy(Entropy& entropy, const Plan& plan) {
    const auto number = [&](std::uint64_t low, std::uint64_t high) {
        return static_cast<std::int64_t>(entropy.between(low, high));
    };
    Settings settings{{{Rule::DepthMax, {}}, number(2, 6)},
                      {{Rule::FanoutMax, {}}, number(1, 4)},
                      {{Rule::RootIdleMs, {}}, number(500, 5'000)},
                      {{Rule::DeadlineMsMax, {}}, number(300, 5'000)},
                      {{Rule::TokensPerDelegation, {}}, some(entropy, 500, 3'000)},
                      {{Rule::TokensPerRoot, {}}, some(entropy, 1'000, 6'000)},
                      {{Rule::TokensPerAgent, {}}, some(entropy, 2'000, 20'000)},
                      {{Rule::TokensPerUser, {}}, some(entropy, 2'000, 20'000)},
                      {{Rule::TokensInTotal, {}}, some(entropy, 4'000, 40'000)},
                      {{Rule::CostPerRoot, {}}, some(entropy, 500, 9'000)},
                      {{Rule::CostInTotal, {}}, some(entropy, 3'000, 60'000)},
                      {{Rule::BudgetWindowMs, {}}, number(1'000, 6'000)},
                      {{Rule::BreakerFailures, {}}, entropy.percent(15) ? 0 : number(1, 6)},
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
        if (entropy.percent(50)) {
            settings[{Rule::CostPerMillionTokens, agent(each)}] = number(0, 5'000'000);
        }
        if (entropy.percent(20)) settings[{Rule::FanoutMax, agent(each)}] = number(1, 3);
    }
    if (entropy.percent(15)) settings[{Rule::MessagesPerMinute, {}}] = number(10, 60);
    if (entropy.percent(15)) settings[{Rule::RequestsPerUserMinute, {}}] = number(3, 20);
    // In some lives no budget limits requests: a request then joins a tree of delegations only when
    // a delegation is made from the request.
    const bool spends_freely = plan.verbs.seed % 4 == 1;
    for (const auto rule : kBudgetRules) {
        if (spends_freely) settings[{rule, {}}] = 0;
    }
    return settings;
}

Verbs draw_verbs(std::uint64_t seed) {
    Entropy entropy{seed ^ kVerbsApart};
    Verbs verbs;
    if (!entropy.percent(kVerbsLivesPercent)) return verbs;
    const auto every = [&](std::uint64_t likely, std::uint64_t low, std::uint64_t high) {
        return entropy.percent(likely) ? entropy.ms(low, high) : Duration{};
    };
    verbs.seed = entropy.bits();
    verbs.choose_every = every(75, 60, 900);
    verbs.keep_every = every(50, 100, 1'500);
    verbs.remove_every = every(30, 500, 4'000);
    verbs.handoff = entropy.percent(60) ? entropy.between(5, 40) : 0;
    verbs.state = entropy.percent(60) ? entropy.between(10, 60) : 0;
    verbs.poll_lost = entropy.percent(40) ? entropy.between(2, 25) : 0;
    verbs.clock_behind = entropy.percent(25) ? entropy.between(20, 80) : 0;
    verbs.descriptors_every = every(25, 500, 4'000);
    verbs.copy_every = every(25, 400, 3'000);
    verbs.restore = entropy.between(20, 60);
    return verbs;
}

Plan draw_plan(Entropy& entropy) {
    Plan plan;
    draw_limits(entropy, plan.limits);
    // With a random stream of its own, so that recorded seeds keep their lives.
    draw_small_limits(Entropy{Entropy{entropy}.bits()}, plan.limits);
    plan.engine.limits = plan.limits;
    plan.engine.version = "sim";
    plan.engine.message_writer = &kMessageWriter;
    plan.engine.inbox_commands_max = entropy.percent(20) ? 24 : 4'096;
    plan.engine.turn_commands_max = entropy.between(1, 64);
    plan.engine.turn_commands_min = entropy.between(1, plan.engine.turn_commands_max);
    plan.engine.snapshot_records_min = entropy.between(30, 400);
    plan.engine.snapshot_bytes_factor = entropy.between(0, 1);
    plan.engine.full_disk_retry = Duration{50};
    plan.journal.segment_bytes = 4'096 * entropy.between(2, 10);

    plan.agents = entropy.between(2, 6);
    plan.consumers_max = entropy.between(1, 3);
    plan.credit_max = entropy.percent(40) ? 1 : entropy.between(2, 8);
    plan.tasks = entropy.between(1, 4);
    plan.messages = entropy.between(60, 240);
    plan.chaos = entropy.ms(3'000, 9'000);
    plan.ttl = entropy.between(0, 40);
    plan.request = entropy.between(0, 60);
    plan.delegation = entropy.percent(70) ? entropy.between(20, 90) : 0;
    plan.passed_on = entropy.percent(70) ? entropy.between(10, 45) : 0;
    plan.liar = entropy.percent(70) ? entropy.between(5, 60) : 0;
    draw_faults(entropy, plan);
    return plan;
}

}  // namespace parlance::sim
