// The time to read a message of half a kilobyte in each dialect, and to translate the message.
//
// Reading is all of the gateway's work on the bytes: strict JSON, recognition, every rule of the
// dialect, and the envelope. Translation is the cost of a delivery to a reader of a different
// dialect.
#include <string>

#include <benchmark/benchmark.h>

#include "base/iso_time.h"
#include "base/json.h"
#include "dialects/dialects.h"
#include "dialects/translate.h"

namespace parlance::dialects {
namespace {

struct Sample {
    Dialect dialect;
    std::string_view before;  ///< The text before and behind the padding.
    std::string_view behind;
};

constexpr std::size_t kBytes = 512;

const Sample kSamples[] = {
    {Dialect::Taskwire,
     R"({"id":"3f2b8c1e-6a4d-4b0e-9a57-2f6d1c8e9b01","timestamp":"2025-11-23T10:00:00.123Z","from":"planner-7","to":"coder/2","type":"TASK_ASSIGNMENT","payload":{"task_id":"task-1","note":")",
     R"("},"metadata":{"correlation_id":"wf-42","priority":"low","ttl_ms":60000,"retry_count":1,"max_retries":3}})"},
    {Dialect::Kessel,
     R"({"source_agent":"CST","target_agent":"ANL","capability_code":"CALCULATE_NPV","request_id":"sess-789-20250118-143022","priority":"NORMAL","timeout_ms":15000,"inputs_json":{"cash_flows":[-100000,25000,35000,45000],"note":")",
     R"("},"context":{"session_id":"sess-789","user_id":"user-456"}})"},
    {Dialect::Delegation,
     R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"prime-boss","target_employee":"byte-doc","user_id":"user-1","parent_session_id":"prime-session","objective":"Extract receipt data","context_hints":["receipt","ocr"],"constraints":{"max_tokens":1200,"max_depth":2,"deadline_ms":15000},"input":")",
     R"("})"},
    {Dialect::Sam,
     R"({"message_id":"msg-1234","correlation_id":"corr-5678","timestamp":"2025-11-23T10:00:00Z","sender":{"agent_id":"vendor_agent","role":"initiator"},"recipient":{"agent_id":"compliance_agent","role":"validator"},"message_type":"REQUEST","payload":{"action":"validate_vendor","data":{"note":")",
     R"("}},"metadata":{"priority":"high","timeout_ms":5000}})"},
    {Dialect::Correlation,
     R"({"correlation_id":"session_user_1692633600_a7b2c9d4_1692633612","agent":"intent_recognition","target_agent":"task_planning","timestamp":"2025-08-21T10:30:00Z","message_type":"classification_result","status":"success","payload":{"intent_category":"discovery","confidence":0.89,"note":")",
     R"("},"next_steps":["task_planning"],"error_details":null})"},
};

std::string message_of(const Sample& sample) {
    const std::size_t size = sample.before.size() + sample.behind.size();
    const std::string note(size < kBytes ? kBytes - size : 0, 'x');
    return std::string{sample.before} + note + std::string{sample.behind};
}

void hear(benchmark::State& run, const Sample& sample) {
    const std::string text = message_of(sample);
    const Reception reception{.caller = "caller",
                              .fresh_id = "11111111-1111-4111-8111-111111111111",
                              .now = parse_iso_time("2025-11-23T12:00:00Z").value()};
    json::Outline outline;
    for (auto _ : run) {
        if (!json::check(text, outline)) return run.SkipWithError("no JSON");
        Reception received = reception;
        received.message = json::root(text, outline);
        const auto message = read_message(text, received);
        if (!message) return run.SkipWithError(message.error().summary().c_str());
        benchmark::DoNotOptimize(message->envelope.get());
    }
}

void say(benchmark::State& run, const Sample& sample, Dialect reader) {
    const std::string text = message_of(sample);
    const Passage passage{.now = parse_iso_time("2025-11-23T12:00:00Z").value()};
    for (auto _ : run) {
        const auto told = translate(text, sample.dialect, reader, passage);
        if (!told) return run.SkipWithError("cannot be said");
        benchmark::DoNotOptimize(told->data());
    }
}

}  // namespace
}  // namespace parlance::dialects

int main(int argc, char** argv) {
    using namespace parlance::dialects;
    for (const Sample& sample : kSamples) {
        const auto name = "read/" + std::string{name_of(sample.dialect)};
        benchmark::RegisterBenchmark(name.c_str(), hear, sample);
    }
    for (const Sample& sample : kSamples) {
        for (const Sample& other : kSamples) {
            if (other.dialect == sample.dialect) continue;
            const auto name = "translate/" + std::string{name_of(sample.dialect)} + "/" +
                              std::string{name_of(other.dialect)};
            benchmark::RegisterBenchmark(name.c_str(), say, sample, other.dialect);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
