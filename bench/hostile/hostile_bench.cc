// The time for a hostile megabyte: reading, translating to each dialect and back, parsing as a text
// block, validating against a schema, and compiling as a schema with flaws. The bound is 50 ms
// each.
#include <benchmark/benchmark.h>

#include "base/json.h"
#include "base/personal/redact.h"
#include "base/schema/schema.h"
#include "dialects/dialect_row.h"
#include "dialects/translate.h"
#include "hostile.h"

namespace parlance::dialects {
namespace {

const Time kNow{Duration{1'763'892'000'000}};

/// As in the gateway: the text is outlined once, and walked by the outline.
void reads(benchmark::State& state, const std::string& text) {
    json::Outline outline;
    for (auto _ : state) {
        const bool is_json = json::check(text, outline).has_value();
        benchmark::DoNotOptimize(is_json);
        benchmark::DoNotOptimize(
            read_message(text, {.message = json::root(text, outline), .caller = "a", .now = kNow}));
    }
}

/// Reads a refused message and prints its faults.
void refuses(benchmark::State& state, const std::string& text) {
    json::Outline outline;
    for (auto _ : state) {
        const bool is_json = json::check(text, outline).has_value();
        benchmark::DoNotOptimize(is_json);
        const auto message =
            read_message(text, {.message = json::root(text, outline), .caller = "a", .now = kNow});
        if (message) return state.SkipWithError("it is taken");
        benchmark::DoNotOptimize(message.error().summary());
    }
}

void translates(benchmark::State& state, const std::string& text, Dialect to) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            translate(text, Dialect::Kessel, to, {.now = kNow, .id = "550e8400"}));
    }
}

void comes_back(benchmark::State& state, const std::string& text, Dialect from) {
    const auto there = translate(text, Dialect::Kessel, from, {.now = kNow});
    if (!there) return state.SkipWithError("it cannot be said there");
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            translate(*there, from, Dialect::Kessel, {.now = kNow, .id = "550e8400"}));
    }
}

/// Redacted as before a delivery.
void is_redacted(benchmark::State& state, const std::string& text) {
    const personal::Masking masking{personal::structured_kinds(), "session", "key"};
    for (auto _ : state) benchmark::DoNotOptimize(personal::redact(text, masking));
}

/// Restored as for the requester.
void is_restored(benchmark::State& state, const HostileAnswer& hostile) {
    const personal::Masking masking{personal::structured_kinds(), "session", "key"};
    const auto known = personal::originals(hostile.question, masking);
    if (known.size() != 1) return state.SkipWithError("there is not one placeholder");
    std::string answer;
    for (std::size_t done = 0; done < hostile.answer.size();) {
        const std::size_t next =
            std::min(hostile.answer.find(hostile.name, done), hostile.answer.size());
        answer.append(hostile.answer, done, next - done);
        if (next < hostile.answer.size()) answer += known[0].placeholder;
        done = next + hostile.name.size();
    }
    for (auto _ : state) {
        const auto originals = personal::originals(hostile.question, masking);
        benchmark::DoNotOptimize(personal::restore(answer, originals));
    }
}

void is_unfolded(benchmark::State& state, const std::string& text) {
    for (auto _ : state) benchmark::DoNotOptimize(from_text_form(text));
}

void is_held_to(benchmark::State& state, const HostileInstance& hostile) {
    const auto compiled = schema::compile(hostile.schema);
    if (!compiled) return state.SkipWithError(compiled.error().front().reason.c_str());
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema::check(*compiled, json::root(hostile.text)));
    }
}

void is_found_flawed(benchmark::State& state, const std::string& schema) {
    for (auto _ : state) {
        const auto compiled = schema::compile(schema);
        if (compiled) return state.SkipWithError("it has no flaws");
        benchmark::DoNotOptimize(compiled.error());
    }
}

template <class Measured, class... Given>
void plan(const std::string& name, Measured measured, Given... given) {
    benchmark::RegisterBenchmark(name.c_str(), measured, given...)->Unit(benchmark::kMillisecond);
}

void plan_all() {
    for (const Hostile& hostile : hostile_requests()) {
        plan(hostile.name + "/read", reads, hostile.text);
        for (const DialectRow* row : all_rows()) {
            if (row->dialect == Dialect::Kessel) continue;
            const std::string pair = hostile.name + "/" + std::string{row->name};
            plan(pair, translates, hostile.text, row->dialect);
            plan(pair + "/back", comes_back, hostile.text, row->dialect);
        }
    }
    for (const Hostile& each : hostile_persons())
        plan(each.name + "/redacted", is_redacted, each.text);
    plan("placeholders before spaces/restored", is_restored, hostile_answer());
    for (const Hostile& each : hostile_strangers())
        plan(each.name + "/refused", refuses, each.text);
    for (const Hostile& each : hostile_blocks()) plan(each.name + "/block", is_unfolded, each.text);
    for (const auto& each : hostile_instances()) plan(each.name + "/schema", is_held_to, each);
    for (const Hostile& each : hostile_schemas())
        plan(each.name + "/flawed", is_found_flawed, each.text);
}

}  // namespace
}  // namespace parlance::dialects

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    parlance::dialects::plan_all();
    benchmark::RunSpecifiedBenchmarks();
}
