// What the governor's guards add to a request: the same one with nothing to guard against, and as a
// delegation with every rule set.
//
// Only `decide` is measured, which changes nothing and so can be asked again and again; personal
// data is another question (bench/personal).
#include <benchmark/benchmark.h>

#include "core/core.h"

namespace parlance::core {
namespace {

void live(State& state, Command command) {
    const Stamped stamped{.command = std::move(command), .now = Time{std::chrono::hours{480'000}}};
    Events events;
    decide(state, stamped, events);
    for (const auto& event : events) apply(state, stamped.now, event);
}

/// No rule lets it off easily, and none refuses it.
Settings all_on() {
    Settings settings;
    for (const auto& row : kRules) settings[{row.rule, Scope{}}] = std::max(row.preset, row.least);
    for (const auto rule : {Rule::TokensPerDelegation,
                            Rule::TokensPerRoot,
                            Rule::TokensPerAgent,
                            Rule::TokensPerUser,
                            Rule::TokensInTotal,
                            Rule::CostPerDelegation,
                            Rule::CostPerRoot,
                            Rule::CostPerAgent,
                            Rule::CostPerUser,
                            Rule::CostInTotal,
                            Rule::MessagesPerMinute,
                            Rule::RequestsPerUserMinute,
                            Rule::RiskLow,
                            Rule::RiskHigh}) {
        settings[{rule, Scope{}}] = 1'000'000;
    }
    settings[{Rule::CostPerMillionTokens, Scope{}}] = 1'000;
    settings[{Rule::BudgetAsksPeople, Scope{}}] = 1;
    settings[{Rule::ChainEnabled, Scope{}}] = 0;
    settings[{Rule::ChainEnabled, Scope{ScopeKind::Chain, "prime>byte"}}] = 1;
    return settings;
}

SendMessage request(bool is_delegation) {
    SendMessage send{.envelope = Envelope::make({.id = "request",
                                                 .from = "prime",
                                                 .to = "byte",
                                                 .type = "REQUEST",
                                                 .correlation = "session",
                                                 .intent = Intent::Request},
                                                std::string(512, 'x')),
                     .priority = Priority::High};
    if (!is_delegation) return send;
    send.claim = std::make_shared<const Claim>(Claim{.user = "user",
                                                     .session = "session",
                                                     .child_session = "child",
                                                     .objective = "extract",
                                                     .objective_hash = std::string(64, 'a'),
                                                     .depth_max = 2,
                                                     .tokens_max = 1'000,
                                                     .tokens_estimated = 128,
                                                     .tools = {"ocr"},
                                                     .has_session = true});
    return send;
}

/// Argument: whether every guard is on.
void decide_request(benchmark::State& run) {
    const bool is_guarded = run.range(0) != 0;
    State state;
    live(state, StartHub{.hub_id = "hub", .hash_key_0 = 1, .hash_key_1 = 2});
    for (const auto* name : {"prime", "byte"}) {
        live(state, RegisterAgent{{name}, {.tools_allowed = {"ocr"}}});
    }
    const Settings off{{{Rule::BreakerFailures, Scope{}}, 0}};
    live(state, ChangePolicy{.settings = print_policy(is_guarded ? all_on() : off), .reason = "-"});
    const Stamped stamped{.command = request(is_guarded), .now = state.now};
    Events events;
    for (auto _ : run) {
        decide(state, stamped, events);
        benchmark::DoNotOptimize(events.data());
    }
    if (!std::holds_alternative<MessageAccepted>(events.front())) run.SkipWithError("refused");
}
BENCHMARK(decide_request)->ArgName("guards")->Arg(0)->Arg(1);

}  // namespace
}  // namespace parlance::core

BENCHMARK_MAIN();
