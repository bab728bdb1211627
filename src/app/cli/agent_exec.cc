// `parlance agent exec`: an ordinary program as an agent, one JSON line in, one line out.
#include <algorithm>
#include <array>
#include <csignal>
#include <deque>
#include <memory>

#include <fmt/format.h>
#include <poll.h>

#include "app/cli/cli.h"
#include "app/cli/exec/worker.h"
#include "app/cli/interrupt.h"
#include "app/cli/json_view.h"
#include "app/cli/registration.h"

namespace parlance::cli {

namespace {

using namespace std::chrono_literals;
using exec::Clock;
using exec::Outcome;
using exec::Verdict;
using exec::Worker;

constexpr auto kExtendEvery = 10s;
constexpr std::uint64_t kExtendByMs = 30'000;
constexpr auto kGrace = 5s;

struct ExecOptions {
    Registration registration{};
    bool is_registering = false;
    bool tells_cancelled = false;
    std::uint32_t concurrency = 1;
    std::vector<std::string> command{};
};

struct Troupe {
    const Context& context;
    std::vector<Worker> workers{};
    bool tells_cancelled = false;
    /// Delivered while every worker was starting, or at work on a cancelled delivery.
    std::deque<exec::Work> waiting{};
    Clock::time_point extended_at = Clock::now();
};

/// Flushes first if the frame would be too large: such a frame would end the connection and all its
/// leases.
Result<void> reply(sdk::Agent& agent, const std::string& delivery_id, const std::string& answer) {
    if (!agent.has_room_for_reply(answer.size())) TRY(agent.flush());
    agent.say().reply(delivery_id, answer);
    return agent.is_full() ? agent.flush() : Result<void>{};
}

std::string_view hint_of(const Verdict& verdict, bool is_ours) {
    if (!is_ours) return "Nobody waits for it any more.";
    return verdict.is_final ? "The asker is told so." : "The message goes back to the hub.";
}

Result<void> settle(const Context& context, sdk::Agent& agent, Outcome outcome) {
    const auto& delivery_id = outcome.work.delivery_id;
    const auto verdict = within(std::move(outcome.verdict), agent.reply_bytes_max());
    if (verdict.kind == Verdict::Kind::Nack) {
        complain(context, Refused, verdict.text, hint_of(verdict, !delivery_id.empty()));
    }
    if (delivery_id.empty()) return {};  // Disowned.
    switch (verdict.kind) {
        case Verdict::Kind::Ack:
            agent.say().ack(delivery_id);
            break;
        case Verdict::Kind::Reply:
            return reply(agent, delivery_id, verdict.text);
        case Verdict::Kind::Nack:
            agent.say().nack(delivery_id, {.reason = verdict.text, .is_final = verdict.is_final});
            break;
    }
    return {};
}

void extend_leases(Troupe& troupe, sdk::Agent& agent, Clock::time_point now) {
    if (now - troupe.extended_at < kExtendEvery) return;
    troupe.extended_at = now;
    for (const Worker& worker : troupe.workers) {
        if (worker.is_busy() && !worker.work().delivery_id.empty()) {
            agent.say().extend(worker.work().delivery_id, kExtendByMs);
        }
    }
    for (const exec::Work& work : troupe.waiting) agent.say().extend(work.delivery_id, kExtendByMs);
}

/// Drops waiting cancelled work. A running program is not stopped, since its effects are its own to
/// undo: the program is notified if so configured, and its answer is dropped.
void drop_cancelled(Troupe& troupe, const sdk::Cancelled& cancelled) {
    std::erase_if(troupe.waiting, [&](const exec::Work& work) {
        return work.delivery_id == cancelled.delivery_id;
    });
    for (Worker& worker : troupe.workers) {
        if (!worker.is_busy() || worker.work().delivery_id != cancelled.delivery_id) continue;
        worker.disown();
        if (troupe.tells_cancelled) worker.tell_cancelled(cancelled.reason);
    }
}

Result<void> hear_hub(Troupe& troupe, sdk::Agent& agent, sdk::HubFrame& frame) {
    while (TRY(agent.receive_ready(frame))) {
        for (const sdk::Delivery& delivery : frame.deliveries) {
            troupe.waiting.push_back(
                {std::string(delivery.delivery_id), std::string(delivery.message)});
        }
        for (const sdk::Cancelled& cancelled : frame.cancelled) drop_cancelled(troupe, cancelled);
        for (const sdk::Refused& refused : frame.refused) {
            complain(troupe.context, refused.code, refused.message);
        }
    }
    return {};
}

Result<void> hear_workers(Troupe& troupe, sdk::Agent& agent, Clock::time_point now) {
    for (Worker& worker : troupe.workers) {
        for (Outcome& outcome : worker.listen(now)) {
            TRY(settle(troupe.context, agent, std::move(outcome)));
        }
        if (const auto report = worker.take_report(); !report.empty()) {
            complain(troupe.context,
                     Refused,
                     report,
                     "They are dropped. Write one line for each message, and logs to stderr.");
        }
    }
    return {};
}

Result<void> hand_out(Troupe& troupe, Clock::time_point now) {
    for (Worker& worker : troupe.workers) {
        TRY(worker.start(now));
        if (troupe.waiting.empty() || !worker.is_idle()) continue;
        worker.give(std::move(troupe.waiting.front()));
        troupe.waiting.pop_front();
    }
    return {};
}

void await_anything(Troupe& troupe, const sdk::Agent& agent, Clock::time_point now) {
    std::vector<pollfd> items{{.fd = interrupt_descriptor(), .events = POLLIN, .revents = 0},
                              {.fd = agent.socket(), .events = POLLIN, .revents = 0}};
    auto until = now + std::min<std::chrono::milliseconds>(agent.terms().heartbeat / 3, 1s);
    for (Worker& worker : troupe.workers) {
        exec::Child* const child = worker.child();
        if (child == nullptr) {
            until = std::min(until, worker.rests_until());
            continue;
        }
        if (!worker.is_drained()) until = now;
        items.push_back({.fd = child->output(), .events = POLLIN, .revents = 0});
        if (child->wants_to_write()) {
            items.push_back({.fd = child->input(), .events = POLLOUT, .revents = 0});
        }
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    ::poll(items.data(), items.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
}

/// Runs until the user stops; an Error when the hub goes away or the program cannot be run.
Result<void> serve_on(Troupe& troupe, sdk::Agent& agent) {
    sdk::HubFrame frame;
    while (!is_interrupted()) {
        const auto now = Clock::now();
        TRY(hear_hub(troupe, agent, frame));
        TRY(hear_workers(troupe, agent, now));
        TRY(hand_out(troupe, now));
        extend_leases(troupe, agent, now);
        TRY(agent.flush());
        await_anything(troupe, agent, now);
    }
    return {};
}

/// Closes stdin, waits, then kills. Answers during the wait still count.
void stop(Troupe& troupe, sdk::Agent* agent) {
    const auto deadline = Clock::now() + kGrace;
    for (Worker& worker : troupe.workers) {
        if (auto* const child = worker.child()) {
            child->close_input();
            child->signal(SIGTERM);
        }
    }
    while (Clock::now() < deadline) {
        bool is_any_left = false;
        for (Worker& worker : troupe.workers) {
            for (Outcome& outcome : worker.listen(Clock::now())) {
                if (agent == nullptr) continue;
                if (!settle(troupe.context, *agent, std::move(outcome))) agent = nullptr;
            }
            is_any_left = is_any_left || worker.child() != nullptr;
        }
        if (!is_any_left) break;
        ::poll(nullptr, 0, 20);
    }
    if (agent == nullptr) return;
    for (const Worker& worker : troupe.workers) {
        if (worker.is_busy() && !worker.work().delivery_id.empty()) {
            agent->say().nack(worker.work().delivery_id, {.reason = "the agent was stopped"});
        }
    }
    for (const exec::Work& work : troupe.waiting) {
        agent->say().nack(work.delivery_id, {.reason = "the agent was stopped"});
    }
    if (agent->flush()) agent->close();
}

/// The agent's dialect, as registered or as the hub knows.
Result<std::string> dialect_of(const Context& context, const ExecOptions& options) {
    if (options.is_registering) return options.registration.dialect;
    auto client = TRY(client_of(context, {.agent = context.agent}, 30s, kWhileItStarts));
    const auto response = TRY(client.call("GET", "/v1/agents/" + percent_encoded(context.agent)));
    if (response.status == 404) {
        return fail(
            Fault::Malformed,
            "AGENT_NOT_REGISTERED: '" + context.agent + "' is not registered; say --register");
    }
    if (!json::check(response.body, json::kDepthMadeMax)) return std::string("taskwire");
    const std::string dialect = text_member(json::root(response.body), "dialect");
    return dialect.empty() ? "taskwire" : dialect;
}

void orphan_all(Troupe& troupe) {
    troupe.waiting.clear();
    for (Worker& worker : troupe.workers) worker.disown();
}

Result<sdk::AgentOptions> agent_options(const Context& context, const ExecOptions& options) {
    return sdk::AgentOptions{
        .hub = TRY(hub_of(context, kWhileItStarts)),
        .identity = {.agent = context.agent},
        .hello = {.agent = context.agent,
                  .credit = options.concurrency,
                  .registration = options.is_registering
                                      ? TRY(write_registration(options.registration))
                                      : std::string{}}};
}

int run_until_stopped(Troupe& troupe, sdk::AgentOptions connecting) {
    const Context& context = troupe.context;
    sdk::Backoff backoff{250ms, 5s};
    bool was_connected = false;
    while (true) {
        auto agent = sdk::Agent::connect(connecting);
        connecting.hub.patience = {};
        Result<void> ended = agent ? Result<void>{} : tl::unexpected(agent.error());
        if (agent) {
            was_connected = true;
            backoff.reset();
            ended = serve_on(troupe, *agent);
        }
        if (is_interrupted()) {
            stop(troupe, agent ? &*agent : nullptr);
            return Interrupted;
        }
        if (!was_connected || ended.error().fault != Fault::Unavailable) {
            stop(troupe, agent ? &*agent : nullptr);
            const bool cannot_run = ended.error().fault == Fault::NotFound;
            return cannot_run ? complain(context, Misused, ended.error().message)
                              : complain(context, ended.error());
        }
        orphan_all(troupe);  // The hub redelivers the held messages, to any instance.
        const auto wait = backoff.next();
        complain(context,
                 NoHub,
                 ended.error().message.substr(0, ended.error().message.find("; ")),
                 fmt::format("Trying again in {} ms.", wait.count()));
        if (!rest(wait)) {
            stop(troupe, nullptr);
            return Interrupted;
        }
    }
}

int run_exec(const Context& context, const ExecOptions& options) {
    if (context.agent.empty()) {
        return complain(context, Misused, "no agent", "Say --as AGENT, or set PARLANCE_AGENT.");
    }
    const auto connecting = agent_options(context, options);
    if (!connecting) return complain(context, Misused, connecting.error().message);
    const auto dialect = dialect_of(context, options);
    if (!dialect) return complain(context, dialect.error());
    interrupt_descriptor();
    std::signal(SIGPIPE, SIG_IGN);  // A program's death is noticed by its exit.
    Troupe troupe{.context = context, .tells_cancelled = options.tells_cancelled};
    for (std::uint32_t i = 0; i < options.concurrency; ++i) {
        troupe.workers.emplace_back(options.command, *dialect);
    }
    return run_until_stopped(troupe, *connecting);
}

}  // namespace

void add_agent(CLI::App& app, Context& context) {
    auto options = std::make_shared<ExecOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"agent",
                                     "Run an ordinary program as an agent",
                                     "  parlance agent exec --as echo --register -- cat"});
    verb->require_subcommand(1);
    CLI::App* const exec_verb = add_verb(
        *verb,
        {"exec",
         "Give a program one message a line on stdin; its line on stdout is the answer",
         "  parlance agent exec --as echo --register -- cat\n"
         "  parlance agent exec --as tagger --register --concurrency 4 -- python3 tagger.py\n\n"
         "A message that awaits an answer gets the line as its payload, or as the whole answer if\n"
         "it is one; any line, even an empty one, settles the others. The program should flush\n"
         "after each line. When it dies, the message goes back and the program is started again.\n"
         "What it says of a message that was cancelled meanwhile is dropped; --tell-cancelled "
         "gives\n"
         "it a line {\"cancelled\":{\"reason\":…}} then, which asks for none."});
    exec_verb->add_flag("--register", options->is_registering, "Register the agent first");
    add_registration_options(*exec_verb, options->registration);
    exec_verb->add_option("--concurrency", options->concurrency, "Copies of the program")
        ->check(whole_number(1, 256))
        ->capture_default_str();
    exec_verb->add_flag("--tell-cancelled",
                        options->tells_cancelled,
                        "Give it a line when the message that it works on is cancelled");
    exec_verb->add_option("command", options->command, "The program and its arguments, after --")
        ->required();
    exec_verb->positionals_at_end();
    exec_verb->callback(leave(context, options, run_exec));
}

}  // namespace parlance::cli
