// `parlance request`: sends a request to an agent, waits, and prints the answer.
#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/json_view.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

struct RequestOptions {
    Draft draft{.type = "TASK_ASSIGNMENT"};
    std::uint64_t wait_ms = 30'000;
};

constexpr std::array<std::string_view, 3> kAnswered{
    "TASK_ASSIGNMENT", "TASK_HANDOFF", "HELP_REQUEST"};

/// A failure is an answer too: printed on stderr, with an exit code.
int report_failure(const Context& context, json::Value answer) {
    const json::Value payload = member(answer, "payload");
    const json::Value error = member(payload, "error");
    const std::string code = text_member(error, "code");
    const bool is_late = text_member(payload, "error_type") == "TIMEOUT";
    if (code == "REQUEST_TIMED_OUT") {  // From the hub, in place of the agent.
        return complain(context,
                        TimedOut,
                        fmt::format("{} has not answered in time: {}",
                                    text_member(answer, "from"),
                                    text_member(error, "message")),
                        "Give it longer with --timeout, or ask another.");
    }
    return complain(context,
                    is_late ? TimedOut : Refused,
                    fmt::format("{} answered TASK_FAILED{}{}",
                                text_member(answer, "from"),
                                code.empty() ? "" : ": ",
                                code),
                    error.is_null() ? std::string(payload.raw) : text_member(error, "message"));
}

/// The agent's answer, without the request_id added by the hub.
std::string said_in(json::Value answer) {
    const json::Value payload = member(answer, "payload");
    if (!payload.is_object() || member(payload, "request_id").is_null()) {
        return std::string{payload.raw};
    }
    json::ObjectWriter out;
    for (json::Members members{payload}; members.next();) {
        if (members.key != "request_id") out.raw(members.key, members.value.raw);
    }
    return out.done();
}

int report_answer(const Context& context, std::string_view body) {
    const json::Value answer = json::root(body);
    if (context.is_json) fmt::print("{}\n", one_line(body));
    if (text_member(answer, "type") == "TASK_FAILED") return report_failure(context, answer);
    if (context.is_json) return Done;
    const Screen screen = context.out();
    const auto said = said_in(answer);
    fmt::print("{}\n", screen.is_terminal ? pretty(screen, json::root(said)) : one_line(said));
    return Done;
}

bool is_registered(sdk::Client& client, std::string_view agent) {
    const auto shown = client.call("GET", "/v1/agents/" + percent_encoded(agent));
    return !shown || shown->status != 404;
}

/// An agent just started may not have connected yet. If the agent does not come, the hub refuses
/// and records the request.
void await_agent(sdk::Client& client, std::string_view agent, std::chrono::milliseconds patience) {
    constexpr std::chrono::milliseconds kPause{20};
    const bool is_whom_the_hub_chooses =
        agent == "human" || agent == "anyone" || agent.find(':') != std::string_view::npos;
    if (is_whom_the_hub_chooses) return;
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!is_registered(client, agent) && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(kPause);
    }
}

int ask(const Context& context, const RequestOptions& options, std::string_view message) {
    const std::chrono::milliseconds wait{options.wait_ms};
    auto client =
        client_of(context,
                  {.agent = context.operator_name.empty() ? options.draft.from : std::string{},
                   .operator_name = context.operator_name},
                  wait + std::chrono::seconds{10},
                  kWhileItStarts);
    if (!client) return complain(context, Misused, client.error().message);
    await_agent(*client, options.draft.to, std::min(wait, kWhileItStarts));
    const auto response = client->call(
        "POST", "/v1/messages", message, {{"Prefer", fmt::format("wait={}", wait.count())}});
    if (!response) return complain(context, response.error());
    if (response->status / 100 != 2 || !json::check(response->body, json::kDepthMadeMax)) {
        return complain(context, *response);
    }
    if (response->status == 200) return report_answer(context, response->body);
    return complain(
        context,
        TimedOut,
        fmt::format("{} has not answered within {} ms", options.draft.to, wait.count()),
        fmt::format("Its answer will come to {}'s mailbox: `parlance listen --as {}{}`.",
                    options.draft.from,
                    options.draft.from,
                    is_registered(*client, options.draft.from) ? "" : " --register"));
}

int request(const Context& context, RequestOptions options) {
    Draft& draft = options.draft;
    if (draft.from.empty()) draft.from = context.agent;
    if (draft.to.empty()) return complain(context, Misused, "nobody to ask", "Say --to AGENT.");
    if (draft.from.empty()) {
        return complain(context, Misused, "nobody asks", "Say --as AGENT, or set PARLANCE_AGENT.");
    }
    const auto message = write_out(draft, now());
    if (!message) return complain(context, Misused, message.error().message);
    return ask(context, options, *message);
}

}  // namespace

void add_request(CLI::App& app, Context& context) {
    auto options = std::make_shared<RequestOptions>();
    CLI::App* const verb = add_verb(
        app,
        {"request",
         "Ask an agent and print its answer",
         "  parlance request --as planner --to tag-ai '{\"text\":\"Hotel Adlon, 2 nights\"}'\n"
         "  parlance request --as planner --to coder --type HELP_REQUEST --wait 5000 @q.json"});
    add_draft_options(*verb, options->draft);
    verb->get_option("--to")->description("Whom to ask: an agent, or whom the hub chooses");
    verb->get_option("--type")->check(
        CLI::IsMember(std::vector<std::string>{kAnswered.begin(), kAnswered.end()}));
    verb->add_option("--timeout",
                     options->draft.timeout_ms,
                     "Milliseconds the agent has before the hub answers for it")
        ->type_name("MS")
        ->check(whole_number());
    verb->add_option("--wait", options->wait_ms, "Milliseconds to wait here for the answer")
        ->type_name("MS")
        ->check(whole_number(1, 600'000))
        ->capture_default_str();
    verb->add_option("payload", options->draft.payload, "JSON, plain words, @FILE, or - for stdin");
    verb->callback(leave(context, options, request));
}

}  // namespace parlance::cli
