#include "sim/plan.h"

namespace parlance::sim {

namespace {

void draw_limits(Chance& chance, Limits& limits) {
    limits.lease = chance.ms(100, 2'000);
    limits.lease_max = limits.lease * 2;
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
    limits.open_requests_max = chance.percent(30) ? chance.between(3, 12) : 1'000;
    limits.remembered_ids_max = chance.percent(15) ? chance.between(16, 64) : 1'000'000;
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
    plan.flips_bit = chance.percent(4);
}

}  // namespace

Plan draw_plan(Chance& chance) {
    Plan plan;
    draw_limits(chance, plan.limits);
    plan.engine.limits = plan.limits;
    plan.engine.version = "sim";
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
    draw_faults(chance, plan);
    return plan;
}

}  // namespace parlance::sim
