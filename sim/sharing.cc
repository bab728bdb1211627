// How agents use shared state: agents write to contexts and tasks, their own or foreign, with the
// current version or an older version, and hand contexts to one another.
#include "sim/agents.h"

namespace parlance::sim {

namespace {

constexpr std::uint64_t kContexts = 2;
constexpr std::uint64_t kTasks = 2;
constexpr std::array kEntities{"vendor", "audit", "quote", "letter"};

/// Mostly the current version; else an older version, or none.
std::optional<std::uint64_t> some_version(Entropy& entropy, std::uint64_t current) {
    if (entropy.percent(50)) return current;
    if (entropy.percent(50) && current > 0) return current - 1;
    return std::nullopt;
}

}  // namespace

void Agents::share(std::uint64_t agent) {
    if (is_calm_) return;
    timeline_.after(entropy_.ms(50, 900), [this, agent] { share(agent); });
    if (door_.shared() == nullptr) return;
    if (entropy_.percent(10)) return keep_session(agent);
    if (entropy_.percent(30)) return write_task(agent);
    write_context(agent);
}

void Agents::write_context(std::uint64_t agent) {
    const auto workflow = "context-" + std::to_string(entropy_.below(kContexts));
    const auto name = agent_name(agent);
    const auto* context = core::shared::find(door_.shared()->contexts, workflow);
    const bool is_own = context != nullptr && context->owner == name;
    // An owner often hands its context over; a foreign agent seldom tries.
    if (context != nullptr && entropy_.percent(is_own ? 40 : 3)) return hand_off(agent, workflow);
    if (context != nullptr && !is_own && entropy_.percent(60)) return;
    WriteContext write{.workflow = workflow,
                       .agent = {name},
                       .version = some_version(entropy_, context ? context->version : 0),
                       .history = {std::to_string(++messages_)}};
    if (entropy_.percent(60)) {
        const std::string entity = kEntities.at(entropy_.below(kEntities.size()));
        write.entities = R"({")" + entity + R"(":)" + std::to_string(messages_) + "}";
    }
    if (entropy_.percent(5)) {
        write.agent = {};
        return door_.bring_as_operator(std::move(write));
    }
    tell(name, std::move(write));
}

void Agents::hand_off(std::uint64_t agent, const std::string& workflow) {
    const auto* context = core::shared::find(door_.shared()->contexts, workflow);
    const auto from = agent_name(agent);
    const auto id = "handoff-" + std::to_string(++messages_);
    const auto body = R"({"n":)" + std::to_string(messages_) + "}";
    const auto to = agent_name(entropy_.below(plan_.agents));
    auto message = Envelope::make({.id = id,
                                   .from = from,
                                   .to = to,
                                   .type = "HANDOFF",
                                   .task = {},
                                   .correlation = workflow,
                                   .answers = {},
                                   .intent = Intent::Request},
                                  body);
    tell(from,
         HandOffContext{.workflow = workflow,
                        .version = context->version,
                        .request = {.envelope = std::move(message),
                                    .priority = Priority::High,
                                    .timeout = entropy_.ms(200, 3'000),
                                    .fingerprint = messages_},
                        .done = nullptr});
}

void Agents::write_task(std::uint64_t agent) {
    const auto id = "task-" + std::to_string(entropy_.below(kTasks));
    const auto* task = core::shared::find(door_.shared()->tasks, id);
    const auto name = agent_name(agent);
    WriteTask write{.id = id, .document = std::to_string(++messages_), .agent = name};
    if (task != nullptr) {
        write.operation = entropy_.percent(10) ? StateOperation::Delete : StateOperation::Update;
        write.version = some_version(entropy_, task->version).value_or(task->version);
    }
    if (entropy_.percent(50)) return door_.bring_as_operator(std::move(write));
    tell(name, std::move(write));
}

void Agents::keep_session(std::uint64_t agent) {
    tell(agent_name(agent),
         WriteSession{.id = kKeptSessions.at(entropy_.below(kKeptSessions.size())),
                      .user = "user-" + std::to_string(entropy_.below(2))});
}

}  // namespace parlance::sim
