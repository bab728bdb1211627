// `parlance listen`: acts as an agent and prints its messages.
#include <algorithm>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/interrupt.h"
#include "app/cli/json_view.h"
#include "app/cli/registration.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

using namespace std::chrono_literals;

struct ListenOptions {
    Registration registration{};
    bool is_registering = false;
    bool is_acking = true;
    std::uint32_t credit = 16;
    std::uint64_t count = 0;  ///< 0: until interrupted.
    std::vector<std::string> topics{};
};

struct Listening {
    const Context& context;
    const ListenOptions& options;
    std::uint64_t shown = 0;
    std::uint64_t unsettled = 0;  ///< Acknowledged here, not yet confirmed by the hub.

    bool is_enough() const { return options.count != 0 && shown >= options.count; }
};

Tone tone_of_priority(std::string_view priority) {
    if (priority == "critical") return Tone::Red;
    if (priority == "high") return Tone::Yellow;
    return Tone::Dim;
}

void show_pretty(const Screen& screen, const sdk::Delivery& delivery) {
    const json::Value message = json::root(delivery.message);
    const std::string priority = text_member(member(message, "metadata"), "priority");
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now());
    std::string line =
        paint(screen, Tone::Dim, fmt::format("{:%H:%M:%S}", fmt::localtime(seconds)));
    line += "  " + paint(screen, Tone::Bold, harmless(text_member(message, "type")));
    line += "  " + paint(screen, Tone::Cyan, harmless(text_member(message, "from")));
    line += " → " + paint(screen, Tone::Cyan, harmless(text_member(message, "to")));
    if (!priority.empty())
        line += "  " + paint(screen, tone_of_priority(priority), harmless(priority));
    if (delivery.attempt > 1) {
        line += "  " + paint(screen, Tone::Red, fmt::format("attempt {}", delivery.attempt));
    }
    line += "  " + paint(screen, Tone::Dim, harmless(text_member(message, "id")));
    const json::Value payload = member(message, "payload");
    const bool has_payload = !payload.is_null();
    fmt::print("{}\n  {}\n", line, pretty(screen, has_payload ? payload : message, 2));
}

/// A further member of a line, or nothing.
std::string member_if(std::string_view name, std::string_view json) {
    return json.empty() ? std::string{} : fmt::format(",\"{}\":{}", name, one_line(json));
}

void show(const Context& context, const sdk::Delivery& delivery) {
    const Screen screen = context.out();
    if (screen.is_terminal && !context.is_json) {
        show_pretty(screen, delivery);
    } else {
        std::string line = R"({"delivery_id":)";
        json::append_quoted(line, delivery.delivery_id);
        fmt::print("{},\"attempt\":{},\"message\":{}{}{}}}\n",
                   line,
                   delivery.attempt,
                   one_line(delivery.message),
                   member_if("state", delivery.state),
                   member_if("grant", delivery.grant));
    }
    std::fflush(stdout);  // A reader of a pipe gets each message at once.
}

/// Shown only for a delivery printed and not acknowledged: work on the delivery should stop.
void show(const Context& context, const sdk::Cancelled& cancelled) {
    const Screen screen = context.out();
    if (screen.is_terminal && !context.is_json) {
        fmt::print("{}  {}\n",
                   paint(screen, Tone::Yellow, "cancelled " + harmless(cancelled.delivery_id)),
                   harmless(cancelled.reason));
    } else {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .text("delivery_id", cancelled.delivery_id)
                       .text("cancelled", cancelled.reason)
                       .done());
    }
    std::fflush(stdout);
}

void take(Listening& listening, sdk::Agent& agent, const sdk::HubFrame& frame) {
    for (const sdk::Delivery& delivery : frame.deliveries) {
        if (listening.is_enough()) return;  // The rest is redelivered after the disconnect.
        show(listening.context, delivery);
        ++listening.shown;
        if (!listening.options.is_acking) continue;
        agent.say().ack(delivery.delivery_id);
        ++listening.unsettled;
    }
    for (const sdk::Cancelled& cancelled : frame.cancelled) show(listening.context, cancelled);
}

void take_settled(Listening& listening, const sdk::HubFrame& frame) {
    listening.unsettled -= std::min(listening.unsettled, frame.settled);
    // A stale ack is refused, and no further answer follows.
    listening.unsettled -= std::min<std::uint64_t>(listening.unsettled, frame.refused.size());
    for (const sdk::Refused& refused : frame.refused) {
        complain(listening.context, refused.code, refused.message);
    }
}

/// Runs until enough messages came, the user leaves or the hub goes away (an Error).
Result<void> listen_on(Listening& listening, sdk::Agent& agent) {
    sdk::HubFrame frame;
    while (!is_interrupted() && !listening.is_enough()) {
        const bool came = TRY(agent.receive_ready(frame));
        if (!came) {
            await_input(agent.socket(),
                        std::min<std::chrono::milliseconds>(agent.terms().heartbeat / 3, 1s));
            continue;
        }
        take_settled(listening, frame);
        take(listening, agent, frame);
    }
    // Settles printed messages before closing; the hub has a moment to confirm.
    const auto patience = std::chrono::steady_clock::now() + 2s;
    TRY(agent.flush());
    while (listening.unsettled > 0 && std::chrono::steady_clock::now() < patience) {
        if (TRY(agent.receive(frame, 100ms))) take_settled(listening, frame);
    }
    agent.close();
    return {};
}

Result<sdk::AgentOptions> agent_options(const Context& context, const ListenOptions& options) {
    return sdk::AgentOptions{
        .hub = TRY(hub_of(context, kWhileItStarts)),
        .identity = {.agent = context.agent},
        .hello = {.agent = context.agent,
                  .credit = options.credit,
                  .registration = options.is_registering
                                      ? TRY(write_registration(options.registration))
                                      : std::string{}}};
}

void announce(const Context& context, const sdk::Agent& agent) {
    const Screen screen = context.err();
    if (!screen.is_terminal) return;
    fmt::print(stderr,
               "{} {} {}\n",
               paint(screen, Tone::Green, "●"),
               paint(screen, Tone::Bold, harmless(context.agent)),
               paint(screen,
                     Tone::Dim,
                     harmless(fmt::format("listens at {} (instance {}); Ctrl-C leaves",
                                          context.hub,
                                          agent.terms().instance))));
}

int listen(const Context& context, const ListenOptions& options) {
    if (context.agent.empty()) {
        return complain(
            context, Misused, "nobody listens", "Say --as AGENT, or set PARLANCE_AGENT.");
    }
    auto connecting = agent_options(context, options);
    if (!connecting) return complain(context, Misused, connecting.error().message);
    interrupt_descriptor();
    Listening listening{.context = context, .options = options};
    sdk::Backoff backoff{250ms, 5s};
    bool was_connected = false;
    while (true) {
        auto agent = sdk::Agent::connect(*connecting);
        connecting->hub.patience = {};
        Result<void> ended = agent ? Result<void>{} : tl::unexpected(agent.error());
        if (agent) {
            announce(context, *agent);
            for (const auto& topic : options.topics) agent->say().subscribe(topic);
            was_connected = true;
            backoff.reset();
            listening.unsettled = 0;
            ended = listen_on(listening, *agent);
        }
        if (ended && listening.is_enough()) return Done;
        if (is_interrupted()) return Interrupted;
        if (ended) return Done;
        // The first attempt shows mistakes in the command; later attempts only need patience.
        if (ended.error().message.starts_with("AGENT_NOT_REGISTERED")) {
            return complain(
                context,
                Refused,
                fmt::format("AGENT_NOT_REGISTERED: agent '{}' is not registered", context.agent),
                "Say --register to register it.");
        }
        if (!was_connected || ended.error().fault != Fault::Unavailable) {
            return complain(context, ended.error());
        }
        const auto wait = backoff.next();
        complain(context,
                 NoHub,
                 ended.error().message.substr(0, ended.error().message.find("; ")),
                 fmt::format("Trying again in {} ms.", wait.count()));
        if (!rest(wait)) return Interrupted;
    }
}

}  // namespace

void add_listen(CLI::App& app, Context& context) {
    auto options = std::make_shared<ListenOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"listen",
                  "Be an agent: print what is delivered, and acknowledge it",
                  "  parlance listen --as coder --register --role developer\n"
                  "  parlance listen --as coder --count 1 --json | jq .message.payload\n"
                  "  parlance listen --as auditor --register --topic deployments"});
    verb->add_flag("--register", options->is_registering, "Register the agent first");
    add_registration_options(*verb, options->registration);
    verb->add_option("--credit", options->credit, "Deliveries it takes at a time")
        ->check(whole_number(1, 4096))
        ->capture_default_str();
    verb->add_flag("--ack,!--no-ack",
                   options->is_acking,
                   "Acknowledge what is shown; else it goes back when this ends");
    verb->add_option("--count", options->count, "Leave after so many")
        ->type_name("N")
        ->check(whole_number(1));
    verb->add_option("--topic", options->topics, "Subscribe to a topic; may be repeated");
    verb->callback(leave(context, options, listen));
}

}  // namespace parlance::cli
