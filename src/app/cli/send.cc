// `parlance send`: sends a message, or a file of messages; durable on return.
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/json_view.h"

namespace parlance::cli {

namespace {

constexpr std::chrono::seconds kTimeout{30};

struct SendOptions {
    Draft draft{.type = "TASK_UPDATE"};
    bool is_raw = false;
};

void report_accepted(const Context& context, std::string_view body) {
    if (context.is_json) {
        fmt::print("{}\n", one_line(body));
        return;
    }
    const Screen screen = context.out();
    const json::Value accepted = json::root(body);
    const bool is_duplicate = member(accepted, "duplicate").raw == "true";
    fmt::print("{}  {}  {}\n",
               paint(screen, Tone::Green, is_duplicate ? "already accepted" : "accepted"),
               harmless(text_member(accepted, "message_id")),
               paint(screen,
                     Tone::Dim,
                     fmt::format("sequence {}", number_member(accepted, "sequence").value_or(0))));
}

int post(const Context& context, sdk::Client& client, std::string_view message) {
    const auto response = client.call("POST", "/v1/messages", message);
    if (!response) return complain(context, response.error());
    if (response->status / 100 != 2 || !json::check(response->body, json::kDepthMadeMax)) {
        return complain(context, *response);
    }
    report_accepted(context, response->body);
    return Done;
}

/// Every line is a message. A refusal does not stop the rest.
int send_lines(const Context& context, sdk::Client& client, const std::string& text) {
    int worst = Done;
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = json::root(std::string_view{text}.substr(at, end - at)).raw;
        at = end + 1;
        ++number;
        if (line.empty()) continue;
        const int exit = post(context, client, line);
        if (exit == NoHub) return exit;
        if (exit != Done) {
            fmt::print(stderr, "  that was line {}\n", number);
            worst = exit;
        }
    }
    return worst;
}

int send_raw(const Context& context, const SendOptions& options) {
    const auto text = read_payload(options.draft.payload.empty() ? "-" : options.draft.payload);
    if (!text) return complain(context, Misused, text.error().message);
    auto client = client_of(context,
                            {.agent = context.agent, .operator_name = context.operator_name},
                            kTimeout,
                            kWhileItStarts);
    if (!client) return complain(context, Misused, client.error().message);
    return send_lines(context, *client, *text);
}

int send(const Context& context, SendOptions options) {
    if (options.is_raw) return send_raw(context, options);
    Draft& draft = options.draft;
    if (draft.from.empty()) draft.from = context.agent;
    if (draft.to.empty()) {
        return complain(
            context, Misused, "nobody to send to", "Say --to AGENT or --to topic:NAME.");
    }
    if (draft.from.empty()) {
        return complain(context, Misused, "no sender", "Say --as AGENT, or set PARLANCE_AGENT.");
    }
    const auto message = write_out(draft, now());
    if (!message) return complain(context, Misused, message.error().message);
    auto client = client_of(context,
                            {.agent = context.operator_name.empty() ? draft.from : std::string{},
                             .operator_name = context.operator_name},
                            kTimeout,
                            kWhileItStarts);
    if (!client) return complain(context, Misused, client.error().message);
    return post(context, *client, *message);
}

}  // namespace

void add_send(CLI::App& app, Context& context) {
    auto options = std::make_shared<SendOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"send",
                  "Send a message; it is on disk when this returns",
                  "  parlance send --as planner --to coder '{\"status\":\"in_progress\"}'\n"
                  "  parlance send --as planner --to coder --priority high @report.json\n"
                  "  generate-messages | parlance send --raw -"});
    add_draft_options(*verb, options->draft);
    verb->add_flag("--raw", options->is_raw, "Take whole messages, one JSON object a line");
    verb->add_option("payload", options->draft.payload, "JSON, plain words, @FILE, or - for stdin");
    verb->callback(leave(context, options, send));
}

}  // namespace parlance::cli
