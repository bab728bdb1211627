// How long a hostile megabyte takes: to be read in each dialect, and to be translated there and
// back. The bound is 50 ms for any.
#include <benchmark/benchmark.h>

#include "base/json.h"
#include "dialects/dialect_row.h"
#include "dialects/translate.h"

namespace parlance::dialects {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
const Time kNow{Duration{1'763'892'000'000}};

/// A kessel request; `inputs` and `more` make it large.
std::string request(std::string_view inputs, std::string_view more = {}) {
    return R"({"source_agent":"a","target_agent":"b","capability_code":"c",)"
           R"("request_id":"550e8400-e29b-41d4-a716-446655440000","inputs_json":)" +
           std::string{inputs} + std::string{more} + "}";
}

std::string extension(std::string_view keeps) {
    return R"(,"parlance":{"dialect":"sam","form":"REQUEST","at":"2025-11-23T12:00:00Z","keeps":[)" +
           std::string{keeps} + "]}";
}

/// `part(i)` again and again with commas between, up to so many bytes.
template <class Part>
std::string repeated(std::size_t bytes, Part part) {
    std::string all;
    for (int i = 0; all.size() < bytes; ++i) {
        if (i > 0) all += ',';
        all += part(i);
    }
    return all;
}

std::string names(std::size_t bytes) {
    return repeated(bytes, [](int i) { return '"' + std::to_string(i) + "\":0"; });
}

struct Hostile {
    const char* name;
    std::string text;
};

std::vector<Hostile> all_hostile() {
    const std::string long_name(kMegabyte / 4, 'n');
    const std::string behind = "{\"" + long_name + "\":{" + names(kMegabyte / 2) + "}}";
    const std::string kept = R"({"at":"/payload/data/)" + long_name + R"(/x","value":1})";
    return {
        {"many names", request("{" + names(kMegabyte) + "}")},
        {"many members", request("{}", "," + names(kMegabyte))},
        {"names with escapes",
         request(
             "{" +
             repeated(kMegabyte, [](int i) { return R"("\u00e9)" + std::to_string(i) + "\":0"; }) +
             "}")},
        {"many objects",
         request("{\"a\":[" + repeated(kMegabyte, [](int) { return "{}"; }) + "]}")},
        {"one string", request("{\"a\":\"" + std::string(kMegabyte, 'x') + "\"}")},
        {"escaped string",
         request("{\"a\":\"" + repeated(kMegabyte, [](int) { return "\\u0041\\n"; }) + "\"}")},
        {"names behind a name", request(behind, extension(kept))},
        {"many keeps",
         request("{}",
                 extension(repeated(kMegabyte,
                                    [](int i) {
                                        return R"({"at":"/payload/data/)" + std::to_string(i) +
                                               R"(","value":0})";
                                    })))},
        {"keeps that break rules",
         request("{}",
                 extension(repeated(kMegabyte,
                                    [](int i) {
                                        return R"({"at":"/metadata/warnings/)" + std::to_string(i) +
                                               R"(","value":0})";
                                    })))},
        {"keeps far in",
         request("{}",
                 extension(repeated(kMegabyte,
                                    [](int i) {
                                        std::string at;
                                        for (int depth = 0; depth < 60; ++depth) at += "/a";
                                        return R"({"at":")" + at + std::to_string(i) +
                                               R"(","value":0})";
                                    })))},
    };
}

void reads(benchmark::State& state, const std::string& text) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(json::check(text));
        benchmark::DoNotOptimize(read_message(text, {.now = kNow}));
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

void plan() {
    for (const Hostile& hostile : all_hostile()) {
        const std::string name = hostile.name;
        benchmark::RegisterBenchmark((name + "/read").c_str(), reads, hostile.text)
            ->Unit(benchmark::kMillisecond);
        for (const DialectRow* row : all_rows()) {
            if (row->dialect == Dialect::Kessel) continue;
            const std::string pair = name + "/" + std::string{row->name};
            benchmark::RegisterBenchmark(pair.c_str(), translates, hostile.text, row->dialect)
                ->Unit(benchmark::kMillisecond);
            benchmark::RegisterBenchmark(
                (pair + "/back").c_str(), comes_back, hostile.text, row->dialect)
                ->Unit(benchmark::kMillisecond);
        }
    }
}

}  // namespace
}  // namespace parlance::dialects

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    parlance::dialects::plan();
    benchmark::RunSpecifiedBenchmarks();
}
