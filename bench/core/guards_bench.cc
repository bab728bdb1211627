// The cost of the governor's guards per request: a request without guards, and a delegation with
// every rule set, at the root of a tree and inside a tree; and the cost of a search for personal
// data in a delegation, the guard before delivery.
//
// Only `decide` is measured; `decide` changes nothing and can run again and again.
#include <benchmark/benchmark.h>

#include "base/personal/redact.h"
#include "core/core.h"
#include "dialects/content.h"

namespace parlance::core {
namespace {

void live(State& state, Command command) {
    const Stamped stamped{.command = std::move(command), .now = Time{std::chrono::hours{480'000}}};
    Events events;
    decide(state, stamped, events);
    for (const auto& event : events) apply(state, stamped.now, event);
}

/// Every rule is evaluated in full, and no rule refuses the request.
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
    for (const auto* chain : {"prime>byte", "byte>*", "tag>*"}) {
        settings[{Rule::ChainEnabled, Scope{ScopeKind::Chain, chain}}] = 1;
    }
    return settings;
}

/// Requester, recipient and session of a delegation.
struct BenchDelegation {
    const char* id = "request";
    const char* from = "prime";
    const char* to = "byte";
    const char* session = "session";
    const char* child = "child";
    char objective = 'a';
    std::uint64_t tokens = 100;
};

SendMessage plain(const BenchDelegation& fields) {
    return {.envelope = Envelope::make({.id = fields.id,
                                        .from = fields.from,
                                        .to = fields.to,
                                        .type = "REQUEST",
                                        .correlation = fields.session,
                                        .intent = Intent::Request},
                                       std::string(512, 'x')),
            .priority = Priority::High};
}

SendMessage delegation(const BenchDelegation& fields) {
    auto send = plain(fields);
    send.claim =
        std::make_shared<const Claim>(Claim{.user = "user",
                                            .session = fields.session,
                                            .child_session = fields.child,
                                            .objective = "extract",
                                            .objective_hash = std::string(64, fields.objective),
                                            .depth_max = 8,
                                            .tokens_max = fields.tokens,
                                            .tokens_estimated = 128 / 4,
                                            .tools = {"ocr"},
                                            .has_session = true});
    return send;
}

State hub_with(const Settings& settings) {
    State state;
    live(state, StartHub{.hub_id = "hub", .hash_key_0 = 1, .hash_key_1 = 2});
    for (const auto* name : {"prime", "byte", "tag", "crystal", "ledger"}) {
        live(state, RegisterAgent{{name}, {.tools_allowed = {"ocr"}}});
    }
    live(state, ChangePolicy{.settings = print_policy(settings), .reason = "-"});
    return state;
}

void measure(benchmark::State& run, const State& state, SendMessage send) {
    const Stamped stamped{.command = std::move(send), .now = state.now};
    Events events;
    for (auto _ : run) {
        decide(state, stamped, events);
        benchmark::DoNotOptimize(events.data());
    }
    if (!std::holds_alternative<MessageAccepted>(events.front())) run.SkipWithError("refused");
}

void unguarded(benchmark::State& run) {
    measure(run, hub_with({{{Rule::BreakerFailures, Scope{}}, 0}}), plain({}));
}
BENCHMARK(unguarded);

void first_of_a_tree(benchmark::State& run) { measure(run, hub_with(all_on()), delegation({})); }
BENCHMARK(first_of_a_tree);

/// The third open delegation below a parent that is itself a delegation; each has a reservation.
void inside_a_tree(benchmark::State& run) {
    auto state = hub_with(all_on());
    live(state, delegation({.id = "d-1", .child = "s-1", .tokens = 10'000}));
    live(state,
         delegation({.id = "d-2",
                     .from = "byte",
                     .to = "tag",
                     .session = "s-1",
                     .child = "s-2",
                     .objective = 'b',
                     .tokens = 1'000}));
    live(state,
         delegation({.id = "d-3",
                     .from = "tag",
                     .to = "crystal",
                     .session = "s-2",
                     .child = "s-3",
                     .objective = 'c'}));
    live(state,
         delegation({.id = "d-4",
                     .from = "tag",
                     .to = "crystal",
                     .session = "s-2",
                     .child = "s-4",
                     .objective = 'd'}));
    if (state.governor.lineage.delegations.size() != 4) return run.SkipWithError("no tree");
    measure(run,
            state,
            delegation({.id = "d-5",
                        .from = "tag",
                        .to = "ledger",
                        .session = "s-2",
                        .child = "s-5",
                        .objective = 'e'}));
}
BENCHMARK(inside_a_tree);

/// The search for personal data in a delegation of 512 bytes, as before a delivery.
void look_for_personal_data(benchmark::State& run) {
    constexpr std::string_view kMessage =
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"prime-boss",)"
        R"("target_employee":"byte-doc","user_id":"user-1","parent_session_id":"prime-session",)"
        R"("objective":"Extract receipt data","context_hints":["receipt","ocr"],)"
        R"("constraints":{"max_tokens":1200,"max_depth":2,"deadline_ms":15000},)"
        R"("input":"The receipt of 2025-11-23T10:00:00Z has 14 lines and comes to 1,204.50 EUR; )"
        R"(please list each line with its amount, the rate of tax and the account it belongs )"
        R"(to, and say which look wrong."})";
    const personal::Masking masking{personal::structured_kinds(), "session", "key"};
    for (auto _ : run) {
        const auto words = dialects::content_of(Dialect::Delegation, kMessage);
        auto redacted = personal::redact(kMessage, words, masking);
        if (redacted) run.SkipWithError("something was found");
        benchmark::DoNotOptimize(redacted);
    }
}
BENCHMARK(look_for_personal_data);

}  // namespace
}  // namespace parlance::core

BENCHMARK_MAIN();
