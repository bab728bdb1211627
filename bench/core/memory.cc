// The memory cost of waiting: resident bytes of a state with a million messages, beyond their
// bodies, or with a hundred thousand human tasks.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <unistd.h>

#include "bench/core/letters.h"
#include "core/core.h"

namespace {

using namespace parlance;

constexpr std::uint64_t kMessages = 1'000'000;
constexpr std::uint64_t kAgents = 100;
constexpr std::uint64_t kQuestions = 100'000;

std::uint64_t resident_bytes() {
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    std::ifstream{"/proc/self/statm"} >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void live(core::State& state, Command command) {
    static Events events;
    const Stamped stamped{.command = std::move(command), .now = Time{std::chrono::hours{480'000}}};
    core::decide(state, stamped, events);
    for (const auto& event : events) core::apply(state, stamped.now, event);
}

/// Each with a separate workflow and 200 bytes of context, a reminder and an escalation.
int ask_people(core::State& state) {
    const auto before = resident_bytes();
    for (std::uint64_t i = 0; i < kQuestions; ++i) {
        live(state,
             OpenHumanTask{{.role = "compliance_officer",
                            .kind = HumanKind::Approve,
                            .text = "May the vendor be taken on and its first invoice be paid?",
                            .context = "{\"vendor\":\"" + std::string(186, 'v') + "\"}",
                            .workflow = "workflow-0000000000-" + std::to_string(i),
                            .step = "compliance_check",
                            .user = "user-" + std::to_string(i),
                            .reminder = std::chrono::hours{4},
                            .escalation = "head_of_compliance"}});
    }
    if (core::people::waiting_count(state.people) != kQuestions) return EXIT_FAILURE;
    const auto bytes = resident_bytes() - before;
    std::printf("%llu questions wait for people in %llu MB, %llu bytes each\n",
                static_cast<unsigned long long>(kQuestions),
                static_cast<unsigned long long>(bytes / 1'000'000),
                static_cast<unsigned long long>(bytes / kQuestions));
    return EXIT_SUCCESS;
}

}  // namespace

/// "task": a separate task per message; "people": human tasks. One measurement per process: memory
/// once used stays used.
int main(int argc, char** argv) {
    const bool has_task = argc > 1 && std::string_view{argv[1]} == "task";
    core::State state;
    live(state, StartHub{.hub_id = "hub", .hash_key_0 = 1, .hash_key_1 = 2});
    for (std::uint64_t i = 0; i < kAgents; ++i) {
        live(state, RegisterAgent{{"agent-" + std::to_string(i)}, {}});
    }
    if (argc > 1 && std::string_view{argv[1]} == "people") return ask_people(state);
    bench::LetterMaker letters;
    const auto before = resident_bytes();
    for (std::uint64_t i = 0; i < kMessages; ++i) {
        live(state,
             SendMessage{
                 .envelope = letters.make(i, "agent-" + std::to_string(i % kAgents), has_task),
                 .priority = Priority::High,
                 .fingerprint = i});
    }
    if (state.broker.waiting != kMessages) return EXIT_FAILURE;
    const auto each = (resident_bytes() - before) / kMessages;
    std::printf("%s task: %llu bytes a waiting message, %lld of them beyond its body\n",
                has_task ? "with a" : "without a",
                static_cast<unsigned long long>(each),
                static_cast<long long>(each) - static_cast<long long>(bench::kBodyBytes));
    return EXIT_SUCCESS;
}
