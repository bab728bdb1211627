// The cost of the search for personal data: in a message without any, in a message full of personal
// data, and in crafted text.
#include <string>

#include <benchmark/benchmark.h>

#include "base/personal/personal.h"
#include "base/personal/redact.h"

namespace parlance::personal {
namespace {

constexpr std::string_view kMessage =
    R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"prime-boss",)"
    R"("target_employee":"byte-doc","user_id":"user-1","parent_session_id":"prime-session",)"
    R"("objective":"Extract receipt data","context_hints":["receipt","ocr"],)"
    R"("constraints":{"max_tokens":1200,"max_depth":2,"deadline_ms":15000},)"
    R"("input":"The receipt of 2025-11-23T10:00:00Z has 14 lines and comes to 1,204.50 EUR; )"
    R"(please list each line with its amount, the rate of tax and the account it belongs to, )"
    R"(and say which of them look wrong. Use version 2.4.1 of the rules."})";

constexpr std::string_view kPersonal =
    "Hi, I am reachable at 555-123-4567 or ana.oduya@example.org, born on 2/25/1980. "
    "Card 4111 1111 1111 1111, account DE89 3704 0044 0532 0130 00, SSN 078-05-1121, "
    "from 203.0.113.7 and 2001:db8::7. ";

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes) out += text;
    out.resize(bytes);
    return out;
}

void measure(benchmark::State& run, const std::string& text) {
    std::vector<Finding> findings;
    for (auto _ : run) {
        findings.clear();
        find(text, structured_kinds(), {}, findings);
        benchmark::DoNotOptimize(findings.data());
    }
    run.counters["found"] = static_cast<double>(findings.size());
    run.SetBytesProcessed(run.iterations() * static_cast<std::int64_t>(text.size()));
}

void BM_Message512(benchmark::State& run) { measure(run, repeated(kMessage, 512)); }
BENCHMARK(BM_Message512);

/// The same message as in the hub: strings and long numbers, each with its key.
void BM_RedactMessage512(benchmark::State& run) {
    const Masking masking{structured_kinds(), "session", "key"};
    for (auto _ : run) {
        auto redacted = redact(kMessage, masking);
        benchmark::DoNotOptimize(redacted);
    }
    run.SetBytesProcessed(run.iterations() * static_cast<std::int64_t>(kMessage.size()));
}
BENCHMARK(BM_RedactMessage512);

/// A message that is mostly redacted: found, named by a keyed hash, and rewritten.
void BM_RedactFullOfIt(benchmark::State& run) {
    const Masking masking{structured_kinds(), "session", "key"};
    const auto message = R"({"input":")" + repeated(kPersonal, 1 << 20) + "\"}";
    for (auto _ : run) {
        auto redacted = redact(message, masking);
        benchmark::DoNotOptimize(redacted);
    }
    run.SetBytesProcessed(run.iterations() * static_cast<std::int64_t>(message.size()));
}
BENCHMARK(BM_RedactFullOfIt);

void BM_Prose(benchmark::State& run) {
    measure(run,
            repeated("Please list each line with its amount and say which are wrong. ", 1 << 20));
}
BENCHMARK(BM_Prose);

void BM_BeyondAscii(benchmark::State& run) {
    measure(run, repeated("Größe und Maß der Straße, s'il vous plaît, 14 % à 3,50 €. ", 1 << 20));
}
BENCHMARK(BM_BeyondAscii);

void BM_FullOfIt(benchmark::State& run) { measure(run, repeated(kPersonal, 1 << 20)); }
BENCHMARK(BM_FullOfIt);

/// Each pattern repeated to a megabyte.
void BM_Hostile(benchmark::State& run, std::string_view pattern) {
    measure(run, repeated(pattern, 1 << 20));
}
BENCHMARK_CAPTURE(BM_Hostile, digits, "4");
BENCHMARK_CAPTURE(BM_Hostile, spaced_digits, "4 ");
BENCHMARK_CAPTURE(BM_Hostile, ats, "a@");
BENCHMARK_CAPTURE(BM_Hostile, domains, "a@b.c.d.e.f.");
BENCHMARK_CAPTURE(BM_Hostile, colons, ":");
BENCHMARK_CAPTURE(BM_Hostile, colon_words, "a1:");
BENCHMARK_CAPTURE(BM_Hostile, logins, "://a:a");
BENCHMARK_CAPTURE(BM_Hostile, cues, "call me at 12-34 ");
BENCHMARK_CAPTURE(BM_Hostile, ibans, "GB69 ");
BENCHMARK_CAPTURE(BM_Hostile, wide, "\xEF\xBC\x94");

}  // namespace
}  // namespace parlance::personal

BENCHMARK_MAIN();
