// The cost of workflows (C15): time per workflow, memory of running workflows and of workflows that
// wait for people, the gain of parallel steps, and the journal's records per message.
//
//   parlance_workflow_bench --what rate|memory|parallel|people|rest|records [--count N]
//                           [--heap hub|plain] [--folder PATH]
//
// One measurement per process: memory once used stays used.
#include <fstream>
#include <thread>

#include <unistd.h>

#include "base/heap.h"
#include "base/json.h"
#include "bench/measure.h"
#include "bench/workflow/house.h"
#include "bench/workflow/rest.h"

namespace {

using namespace parlance;
using bench::House;
using std::chrono::milliseconds;

constexpr std::string_view kRisk = R"({"vendor":"Acme","country":"CA","amount":1250})";

/// Each step gets the previous step's result.
constexpr std::string_view kThreeSteps = R"({"name":"three","steps":[
    {"id":"gather","agent":"agent-0","inputs":{"vendor":{"$from":"/input/vendor"}}},
    {"id":"weigh","agent":"agent-1","inputs":{"score":{"$from":"/steps/gather/output/score"}}},
    {"id":"write","agent":"agent-2","inputs":{"score":{"$from":"/steps/weigh/output/score"}}}]})";

/// Three independent steps, a step that joins them, and a step that follows.
constexpr std::string_view kInParallel = R"({"name":"five","steps":[
    {"id":"a","agent":"agent-0"},{"id":"b","agent":"agent-1"},{"id":"c","agent":"agent-2"},
    {"id":"join","agent":"agent-3","after":["a","b","c"]},
    {"id":"write","agent":"agent-4","after":["join"]}]})";
constexpr std::string_view kInSequence = R"({"name":"five in a row","steps":[
    {"id":"a","agent":"agent-0"},{"id":"b","agent":"agent-1","after":["a"]},
    {"id":"c","agent":"agent-2","after":["b"]},{"id":"join","agent":"agent-3","after":["c"]},
    {"id":"write","agent":"agent-4","after":["join"]}]})";

/// After the first three steps two are at work: five agents, eight messages.
constexpr std::string_view kFiveAgents = R"({"name":"five agents","steps":[
    {"id":"a","agent":"agent-0"},{"id":"b","agent":"agent-1"},{"id":"c","agent":"agent-2"},
    {"id":"d","agent":"agent-3","after":["a","b","c"]},
    {"id":"e","agent":"agent-4","after":["a","b","c"]}]})";

constexpr std::string_view kOpensHumanTask = R"({"name":"onboarding","steps":[
    {"id":"compliance_check","label":"Compliance","inputs":{"vendor":{"$from":"/input/vendor"}},
     "human":{"role":"compliance_officer","kind":"approve",
              "question":"May the vendor be taken on and its first invoice be paid?"}},
    {"id":"pay","agent":"agent-0","after":["compliance_check"]}]})";

std::uint64_t resident_bytes() {
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    std::ifstream{"/proc/self/statm"} >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void answer_all(House& house) {
    for (auto left = house.held().size(); left > 0; --left) {
        house.answer(house.held().front());
        house.held().pop_front();
    }
}

/// Agents answer at once; `outstanding` workflows are always under way.
void measure_rate(House& house, std::uint64_t count, std::uint64_t outstanding) {
    const std::string plan{kThreeSteps};
    const std::string input{kRisk};
    const auto before = house.engine().counts();
    const auto begin = bench::Clock::now();
    while (house.ended() < count) {
        while (house.started() < count && house.started() - house.ended() < outstanding) {
            house.start(plan, input);
        }
        house.turn();
        answer_all(house);
    }
    const auto seconds = bench::seconds_between(begin, bench::Clock::now());
    REQUIRE(json::find(json::root(house.last_report()), "status")->raw == R"("COMPLETED")");
    const auto& after = house.engine().counts();
    const auto each = static_cast<double>(count);
    const auto since = [](std::uint64_t now, std::uint64_t then) {
        return static_cast<double>(now - then);
    };
    bench::print_figures({{"workflows_s", each / seconds},
                          {"syncs", since(after.turns, before.turns)},
                          {"records_each", since(after.records, before.records) / each},
                          {"bytes_each", since(after.bytes, before.bytes) / each},
                          {"cpu_us_each", bench::cpu_seconds() * 1e6 / each}},
                         false);
}

/// Bytes of inputs, answers and requests, which the hub keeps to send again: no overhead of the
/// workflow. (Remembered ids are no overhead either: they outlive the workflow, and their total is
/// bounded.)
std::uint64_t body_bytes(const core::State& state) {
    std::uint64_t bytes = 0;
    for (const auto number : state.workflows.runs.tickets()) {
        const auto run = core::workflow::find_run(state.workflows, number);
        bytes += run->input.size();
        for (const auto& step : run->steps) {
            for (const auto& item : step.items) {
                bytes += item.output.size();
                if (item.reply) bytes += item.reply->body().size();
            }
        }
    }
    state.requests.slots.for_each(
        [&](Slot slot) { bytes += state.requests.open[slot].asked->body().size(); });
    return bytes;
}

void measure_memory(House& house, std::uint64_t count) {
    const std::string plan{kFiveAgents};
    const std::string input{kRisk};
    const auto grow = [&](std::uint64_t by) {
        for (std::uint64_t i = 0; i < by; ++i) {
            house.start(plan, input);
            if (i % 256 == 255 || i + 1 == by) {
                house.settle();
                answer_all(house);
                house.settle();
                house.held().clear();
            }
        }
    };
    // Grows the one-time costs first: buffers, and the loaded workflows, whose number is bounded.
    grow(2 * Limits{}.awake_max);
    house.held().shrink_to_fit();
    const auto& state = house.engine().state();
    const auto before = resident_bytes();
    const auto bodies_before = body_bytes(state);
    const auto remembered_before = core::broker::bytes_of(state.dedup);
    grow(count);
    REQUIRE(state.requests.open.size() == 2 * house.started());
    const auto each = [&](std::uint64_t now, std::uint64_t then) {
        return static_cast<double>(now - then) / static_cast<double>(count);
    };
    const auto whole = each(resident_bytes(), before);
    const auto bodies = each(body_bytes(state), bodies_before);
    const auto remembered = each(core::broker::bytes_of(state.dedup), remembered_before);
    bench::print_figures({{"bytes_each", whole},
                          {"of_them_bodies", bodies},
                          {"of_them_remembered", remembered},
                          {"its_own", whole - bodies - remembered}},
                         false);
}

/// Work time of the agents: for the three independent steps, and for the two steps that join and
/// write.
struct Work {
    milliseconds independent;
    milliseconds joining;
};

milliseconds work_of(const House::Held& held, const Work& work) {
    const auto agent = held.asked->to();
    return agent == "agent-3" || agent == "agent-4" ? work.joining : work.independent;
}

/// Milliseconds from the start of a workflow to its end.
double time_of(House& house, std::string_view plan, const Work& agents) {
    const auto ended = house.ended();
    const auto begin = bench::Clock::now();
    house.start(std::string{plan}, std::string{kRisk});
    while (house.ended() == ended) {
        house.turn();
        if (house.held().empty()) continue;
        const auto held = house.held().front();
        const auto work = work_of(held, agents);
        if (bench::Clock::now() - held.since < work) {
            std::this_thread::sleep_until(held.since + work);
        }
        // All agents whose time is over answer together, as they would over the wire.
        while (!house.held().empty() &&
               bench::Clock::now() - house.held().front().since >= work - milliseconds{1}) {
            house.answer(house.held().front());
            house.held().pop_front();
        }
    }
    return bench::seconds_between(begin, bench::Clock::now()) * 1000;
}

void measure_parallel(House& house, const Work& agents, std::uint64_t count) {
    std::vector<double> in_parallel;
    std::vector<double> in_sequence;
    for (std::uint64_t i = 0; i < count; ++i) {
        in_sequence.push_back(time_of(house, kInSequence, agents));
        in_parallel.push_back(time_of(house, kInParallel, agents));
    }
    const auto row = bench::percentile(in_sequence, 0.5);
    const auto side = bench::percentile(in_parallel, 0.5);
    bench::print_figures({{"independent_steps_ms", static_cast<double>(agents.independent.count())},
                          {"joining_steps_ms", static_cast<double>(agents.joining.count())},
                          {"sequence_ms", row},
                          {"parallel_ms", side},
                          {"faster_percent", 100 * (row - side) / row}},
                         false);
}

void measure_people(House& house, std::uint64_t count) {
    const std::string plan{kOpensHumanTask};
    const std::string input{kRisk};
    const auto before = resident_bytes();
    for (std::uint64_t i = 0; i < count; ++i) {
        house.start(plan, input);
        if (i % 256 == 255) house.settle();
    }
    house.settle();
    REQUIRE(core::people::waiting_count(house.engine().state().people) == count);
    const auto bytes = static_cast<double>(resident_bytes() - before);
    constexpr int kLooks = 6'000;  // A minute of a loop that looks every 10 ms.
    const auto busy = bench::cpu_seconds();
    for (int i = 0; i < kLooks; ++i) {
        house.pass(milliseconds{10});
        house.turn();
    }
    bench::print_figures({{"megabytes", bytes / 1e6},
                          {"bytes_each", bytes / static_cast<double>(count)},
                          {"us_a_look", (bench::cpu_seconds() - busy) * 1e6 / kLooks}},
                         false);
}

/// Messages of 512 bytes, accepted, delivered and acknowledged, `outstanding` at a time.
void measure_records(House& house, std::uint64_t count, std::uint64_t outstanding) {
    constexpr std::size_t kBodyBytes = 512;
    constexpr std::string_view kId = "5f0c9a52-6a1d-4f0e-9b7e-";
    auto text = bench::message_of(kBodyBytes);
    text.replace(text.find(R"("sink")"), 6, R"("agent-0")").erase(text.size() - 6, 3);
    REQUIRE(text.size() == kBodyBytes);
    const auto task_at = text.find("task-1");
    const auto before = house.engine().counts();
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto number = std::to_string(100'000'000'000 + i);
        text.replace(text.find(kId) + kId.size(), number.size(), number);
        // A separate task per message: messages of one task are delivered in sequence.
        text.replace(task_at, 6, number, number.size() - 6);
        house.send(text);
        if (i % outstanding + 1 != outstanding && i + 1 != count) continue;
        house.settle();
        for (const auto& held : house.held()) house.acknowledge(held);
        house.held().clear();
        house.settle();
    }
    const auto& after = house.engine().counts();
    const auto each = static_cast<double>(count);
    bench::print_figures(
        {{"records_each", static_cast<double>(after.records - before.records) / each},
         {"bytes_beyond", static_cast<double>(after.bytes - before.bytes) / each - kBodyBytes},
         {"syncs", static_cast<double>(after.turns - before.turns)}},
        false);
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Flags flags{
        argc,
        argv,
        "What workflows cost.",
        {{"--what", "rate", "rate, memory, parallel, people, rest or records"},
         {"--count", "100000", "workflows"},
         {"--outstanding", "1024", "of rate and records: how many are under way"},
         {"--heap", "hub", "as the hub sets it up; or plain, as glibc has it"},
         {"--folder", "/tmp/parlance-workflow-bench", "for the journal"}}};
    const auto& what = flags.text("--what");
    const auto count = flags.number("--count");
    if (flags.text("--heap") == "hub") give_back_large_blocks();
    House house{{.folder = flags.text("--folder") + "-" + std::to_string(::getpid()),
                 .has_own_clock = what == "memory" || what == "people" || what == "rest"}};
    if (what == "memory") {
        measure_memory(house, count);
    } else if (what == "parallel") {
        // Equal times allow 40 % at most; steps worth running in parallel mostly take longer.
        const auto times = std::min<std::uint64_t>(count, 50);
        measure_parallel(house, {milliseconds{20}, milliseconds{20}}, times);
        measure_parallel(house, {milliseconds{30}, milliseconds{20}}, times);
    } else if (what == "people") {
        measure_people(house, count);
    } else if (what == "rest") {
        bench::measure_rest(house, count);
    } else if (what == "records") {
        measure_records(house, count, flags.number("--outstanding"));
    } else {
        measure_rate(house, count, flags.number("--outstanding"));
    }
    return EXIT_SUCCESS;
}
