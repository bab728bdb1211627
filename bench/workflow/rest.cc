#include "bench/workflow/rest.h"

#include <functional>

#include "bench/measure.h"
#include "core/snapshot.h"
#include "model/policy.h"

namespace parlance::bench {

namespace {

constexpr std::string_view kOpensHumanTask = R"({"name":"asks a person","steps":[
    {"id":"check","human":{"role":"compliance_officer","kind":"approve","question":"May we?"}},
    {"id":"pay","agent":"agent-0","after":["check"]}]})";
constexpr std::string_view kAsksAgent = R"({"name":"asks an agent","steps":[
    {"id":"gather","agent":"agent-1"},{"id":"write","agent":"agent-2","after":["gather"]}]})";

/// Runs per command: a command takes microseconds, and the process clock is coarser.
constexpr std::uint64_t kTimes = 20;

struct Deed {
    std::string_view name;
    std::function<void(std::uint64_t)> what;
};

double us_each(House& house, const Deed& deed, std::uint64_t first) {
    const auto begin = cpu_seconds();
    for (std::uint64_t i = 0; i < kTimes; ++i) {
        deed.what(first + i);
        house.settle();
    }
    return (cpu_seconds() - begin) * 1e6 / static_cast<double>(kTimes);
}

std::string setting(Rule rule, std::uint64_t value) {
    return print_policy({{{rule, {}}, static_cast<std::int64_t>(value)}});
}

void fill(House& house, std::uint64_t count) {
    for (const auto plan : {kOpensHumanTask, kAsksAgent}) {
        for (std::uint64_t i = 0; i < count; ++i) {
            house.start(std::string{plan}, "{}");
            if (i % 256 == 255) house.settle();
        }
        house.settle();
    }
}

}  // namespace

void measure_rest(House& house, std::uint64_t count) {
    fill(house, count);
    const auto& state = house.engine().state();
    const auto questions = state.people.human_tasks.tickets();
    REQUIRE(questions.size() == count && state.requests.open.size() == count);
    // Workflows that wait for people are numbered from 1, those that wait for agents from count +
    // 1. Each command gets a separate range.
    const std::vector<Deed> deeds{
        {"answer a question",
         [&](std::uint64_t i) { house.order(AnswerHumanTask{.id = questions[i]}); }},
        {"cancel, person asked",
         [&](std::uint64_t i) {
             house.order(CancelRequest{House::id_of(i + 1), "enough"});
         }},
        {"cancel, agent asked",
         [&](std::uint64_t i) {
             house.order(CancelRequest{House::id_of(count + i + 1), "enough"});
         }},
        {"an agent's answer", [&](std::uint64_t i) { house.answer(house.held()[i]); }},
        {"cancel nothing",
         [&](std::uint64_t i) {
             house.order(CancelRequest{"no " + std::to_string(i), ""});
         }},
        {"ask for a tool",
         [&](std::uint64_t) {
             house.order(AuthorizeTool{{"agent-1"}, "pen", ""});
         }},
        {"policy, a rate",
         [&](std::uint64_t i) {
             house.order(ChangePolicy{setting(Rule::MessagesPerMinute, 900'000 + i), {}, ""});
         }},
        {"policy, fan-out",
         [&](std::uint64_t i) {
             house.order(ChangePolicy{setting(Rule::FanoutMax, 10 + i), {}, ""});
         }},
        {"register an agent",
         [&](std::uint64_t i) {
             house.order(RegisterAgent{{"new-" + std::to_string(i)}, {}});
         }},
        {"start a workflow",
         [&](std::uint64_t) { house.start(std::string{kOpensHumanTask}, "{}"); }},
    };
    std::uint64_t first = 0;
    for (const auto& deed : deeds) {
        print_figures({{deed.name, us_each(house, deed, first)}}, false);
        first += kTimes;
    }
    const auto begin = cpu_seconds();
    const auto bytes = core::encode_state(state).size();
    print_figures({{"a snapshot, ms", (cpu_seconds() - begin) * 1e3},
                   {"its megabytes", static_cast<double>(bytes) / 1e6}},
                  false);
}

}  // namespace parlance::bench
