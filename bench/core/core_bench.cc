// The core's time for one message: send, lease and acknowledgement together.
//
// Without network and journal: decide, apply and react on a state with many agents, each with one
// consumer. Making the envelope belongs to the gateway and is left out.
#include <benchmark/benchmark.h>

#include "bench/core/letters.h"
#include "core/core.h"

namespace parlance::core {
namespace {

class Hub {
  public:
    explicit Hub(std::uint64_t agents) {
        live(StartHub{.hub_id = "hub", .hash_key_0 = 1, .hash_key_1 = 2});
        for (std::uint64_t i = 0; i < agents; ++i) {
            names.push_back("agent-" + std::to_string(i));
            live(RegisterAgent{{names.back()}, {}});
            live(JoinInstance{{names.back()}, "one", InstanceKind::Socket, 256});
        }
    }

    bool live(Command command) {
        stamped_.command = std::move(command);
        decide(state_, stamped_, events_);
        for (const auto& event : events_) {
            apply(state_, stamped_.now, event);
            react(state_, stamped_, event, effects);
        }
        return !events_.empty();
    }

    std::vector<std::string> names;
    Effects effects;

  private:
    State state_;
    Events events_;
    Stamped stamped_{.now = Time{std::chrono::hours{480'000}}, .reply_target = {1}};
};

/// Arguments: agents, a separate task per message (0 or 1), messages per turn.
void send_lease_ack(benchmark::State& run) {
    Hub hub{static_cast<std::uint64_t>(run.range(0))};
    bench::LetterMaker letters;
    const bool has_task = run.range(1) != 0;
    const auto batch = static_cast<std::size_t>(run.range(2));
    std::uint64_t number = 0;
    std::vector<SendMessage> sends;
    std::vector<DeliveryToken> tokens;
    for (auto _ : run) {
        run.PauseTiming();
        sends.clear();
        for (std::size_t i = 0; i < 64; ++i) {
            const auto& to = hub.names[++number * 7919 % hub.names.size()];
            sends.push_back({.envelope = letters.make(number, to, has_task),
                             .priority = Priority::High,
                             .fingerprint = number});
        }
        run.ResumeTiming();
        for (std::size_t begin = 0; begin < sends.size(); begin += batch) {
            hub.effects.clear();
            for (std::size_t i = begin; i < begin + batch; ++i) hub.live(std::move(sends[i]));
            while (hub.live(Tick{})) {
            }
            tokens.clear();
            for (const auto& effect : hub.effects) {
                if (const auto* deliver = std::get_if<Deliver>(&effect)) {
                    tokens.push_back(deliver->delivery);
                }
            }
            if (tokens.size() != batch) return run.SkipWithError("not everything was delivered");
            for (const auto& token : tokens) hub.live(AckDelivery{token});
            hub.live(Tick{});
        }
    }
    run.SetItemsProcessed(static_cast<std::int64_t>(number));
    run.counters["us_a_message"] =
        benchmark::Counter(static_cast<double>(number) / 1e6,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(send_lease_ack)
    ->ArgNames({"agents", "task", "batch"})
    ->ArgsProduct({{10, 10'000}, {0, 1}, {1, 64}});

}  // namespace
}  // namespace parlance::core

BENCHMARK_MAIN();
