// `parlance workflow`: starts a workflow from a file, shows its progress, ends a workflow, and
// replays a workflow from the record.
#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "app/cli/written.h"
#include "app/serve.h"
#include "base/json_write.h"
#include "engine/replay.h"
#include "gateway/message_writer.h"
#include "journal/posix_disk.h"

namespace parlance::cli {

using namespace std::string_view_literals;

namespace {

/// Bound on the wait at a terminal; the workflow itself may take longer.
constexpr std::uint64_t kWaitMsMax = 600'000;

struct WorkflowOptions {
    std::string file{};
    std::string id{};
    std::string input{};
    std::string user{};
    std::string session{};
    std::string reason{};
    std::uint64_t wait_ms = 30'000;
    bool is_detached = false;
    std::string data = "./.parlance";
    std::string config{};
    std::string policy = "then";
};

/// The definition, with the run's members from the command line.
Result<std::string> definition(const WorkflowOptions& options) {
    const auto written = TRY(read_written(options.file));
    if (written.size() != 1 || !json::check(written.front().text) ||
        !json::root(written.front().text).is_object()) {
        return fail(Fault::Malformed, options.file + " must have one JSON object in it");
    }
    if (!options.input.empty()) TRY(json::check(options.input));
    json::ObjectWriter out;
    for (json::Members members{json::root(written.front().text)}; members.next();) {
        const bool is_replaced = (members.key == "input" && !options.input.empty()) ||
                                 (members.key == "user_id" && !options.user.empty()) ||
                                 (members.key == "session_id" && !options.session.empty());
        if (!is_replaced) out.raw(members.key, members.value.raw);
    }
    if (!options.input.empty()) out.raw("input", options.input);
    if (!options.user.empty()) out.text("user_id", options.user);
    if (!options.session.empty()) out.text("session_id", options.session);
    return out.done();
}

Tone tone_of(std::string_view status) {
    if (status == "COMPLETED") return Tone::Green;
    constexpr std::array kBad{"FAILED"sv, "BLOCKED"sv, "TIMED_OUT"sv, "COMPENSATION_FAILED"sv};
    if (std::ranges::find(kBad, status) != kBad.end()) return Tone::Red;
    return status == "SKIPPED" || status == "PENDING" ? Tone::Dim : Tone::Yellow;
}

void print_report(const Context& context, json::Value report) {
    const auto status = text_member(report, "status");
    fmt::print("{}  {}\n",
               text_member(report, "workflow_id"),
               paint(context.out(), tone_of(status), status));
    Table table{.columns = {{"STEP", Align::Left, 6},
                            {"STATUS", Align::Left, 9},
                            {"AGENT", Align::Left, 6},
                            {"TRIES", Align::Right, 5},
                            {"SURE", Align::Right, 5},
                            {"BROUGHT", Align::Left, 12}}};
    for (json::Elements steps{member(report, "steps")}; steps.next();) {
        const auto& step = steps.value;
        const auto stage = text_member(step, "status");
        const auto error = member(step, "error");
        const auto output = member(step, "output");
        std::string brought;
        if (!output.is_null()) brought = one_line(output.raw);
        if (error.is_object() && output.is_null()) {
            brought = text_member(error, "code") + ": " + text_member(error, "message");
        }
        const auto sure = member(step, "confidence");
        table.rows.push_back(
            {{harmless(text_member(step, "label")), Tone::Bold},
             {stage, tone_of(stage)},
             {harmless(text_member(step, "agent"))},
             {std::to_string(number_member(step, "attempts").value_or(0))},
             {sure.is_number() ? fmt::format("{:.0f}%", *sure.number() * 100) : "-"},
             {harmless(brought), output.is_null() ? Tone::Dim : Tone::Plain}});
    }
    fmt::print("{}", render(table, context.out()));
}

/// Prints the answer. The exit code says if the workflow succeeded.
int tell(const Context& context, const sdk::HttpResponse& response) {
    if (response.status / 100 != 2 || !json::check(response.body, json::kDepthMadeMax)) {
        return complain(context, response);
    }
    const json::Value report = json::root(response.body);
    if (context.is_json) {
        fmt::print("{}\n", one_line(response.body));
    } else if (response.status == 202) {
        fmt::print("{}  {}\n",
                   text_member(report, "workflow_id"),
                   paint(context.out(), Tone::Yellow, "RUNNING"));
    } else {
        print_report(context, report);
    }
    const auto status = text_member(report, "status");
    return status == "FAILED" || status == "TIMED_OUT" ? Refused : Done;
}

int run_workflow(const Context& context, const WorkflowOptions& options) {
    const auto body = definition(options);
    if (!body) return complain(context, Misused, body.error().message);
    const auto wait = options.is_detached ? 0 : std::min(options.wait_ms, kWaitMsMax);
    auto client = client_of(context,
                            operator_identity(context),
                            std::chrono::milliseconds{wait} + std::chrono::seconds{30});
    if (!client) return complain(context, Misused, client.error().message);
    sdk::Headers headers;
    if (wait > 0) headers.emplace_back("Prefer", fmt::format("wait={}", wait));
    const auto response = client->call("POST", "/v1/workflows", *body, headers);
    if (!response) return complain(context, response.error());
    return tell(context, *response);
}

int show(const Context& context, const WorkflowOptions& options) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call("GET", "/v1/workflows/" + percent_encoded(options.id));
    if (!response) return complain(context, response.error());
    return tell(context, *response);
}

int cancel(const Context& context, const WorkflowOptions& options) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call("POST",
                                       "/v1/workflows/" + percent_encoded(options.id) + "/cancel",
                                       json::ObjectWriter{}.text("reason", options.reason).done());
    if (!response) return complain(context, response.error());
    if (response->status / 100 != 2) return complain(context, *response);
    if (!context.is_json) fmt::print("{}\n", paint(context.out(), Tone::Green, "cancelled"));
    return Done;
}

Result<engine::Replay> replay_from(const WorkflowOptions& options) {
    app::ServeOptions hub;
    if (!options.config.empty()) TRY(app::read_config(options.config, hub));
    const gateway::DialectMessageWriter message_writer;
    auto disk = TRY(journal::open_posix_disk(options.data, false));
    const auto opened = TRY(journal::Journal::open(*disk, {.is_read_only = true}));
    return engine::replay_workflow(*disk,
                                   opened->last_sequence(),
                                   options.id,
                                   {.limits = hub.limits,
                                    .message_writer = &message_writer,
                                    .has_policy_of_now = options.policy == "now"});
}

std::string as_json(const std::string& id, const engine::Replay& replay) {
    json::ObjectWriter out;
    out.text("workflow_id", id)
        .integer("first", static_cast<std::int64_t>(replay.first.value))
        .integer("last", static_cast<std::int64_t>(replay.last.value))
        .boolean("ended", replay.has_ended)
        .integer("compared", static_cast<std::int64_t>(replay.compared));
    if (!replay.difference) return out.raw("difference", "null").done();
    const auto& found = *replay.difference;
    out.raw("difference",
            json::ObjectWriter{}
                .integer("sequence", static_cast<std::int64_t>(found.sequence.value))
                .raw("recorded", found.recorded)
                .raw("decided", found.decided.empty() ? "null" : found.decided)
                .done());
    return out.done();
}

void print_replay(const Context& context, const std::string& id, const engine::Replay& replay) {
    fmt::print("{}  records {} to {}, {}\n",
               id,
               replay.first.value,
               replay.last.value,
               replay.has_ended ? "ended" : "still running");
    if (!replay.difference) {
        fmt::print("{}: {} records follow from the rules of this program\n",
                   paint(context.out(), Tone::Green, "no difference"),
                   replay.compared);
        return;
    }
    const auto& found = *replay.difference;
    fmt::print("{} at record {}, after {} that are the same\n",
               paint(context.out(), Tone::Red, "differs"),
               found.sequence.value,
               replay.compared);
    fmt::print("  on record: {}\n", harmless(found.recorded));
    fmt::print("  the rules: {}\n",
               found.decided.empty() ? "nothing happens" : harmless(found.decided));
}

/// The exit code says if this program's rules reach the same result.
int replay(const Context& context, const WorkflowOptions& options) {
    const auto replayed = replay_from(options);
    if (!replayed) {
        const bool is_damaged = replayed.error().fault == Fault::Corrupt;
        return complain(context, is_damaged ? BadData : Misused, replayed.error().message);
    }
    if (context.is_json) {
        fmt::print("{}\n", as_json(options.id, *replayed));
    } else {
        print_replay(context, options.id, *replayed);
    }
    return replayed->difference ? Refused : Done;
}

}  // namespace

void add_workflow(CLI::App& app, Context& context) {
    auto options = std::make_shared<WorkflowOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"workflow",
                  "Start a workflow of several agents, see how far it is, end it, replay it",
                  "  parlance workflow run case.json --input '{\"amount\":5}'\n"
                  "  parlance workflow show wf-42\n"
                  "  parlance workflow cancel wf-42 --reason 'not needed'\n"
                  "  parlance workflow replay wf-42 --policy now"});
    verb->require_subcommand(1);
    CLI::App* const run_verb =
        add_verb(*verb, {"run", "Start one from its definition, and wait for its end", ""});
    run_verb->add_option("file", options->file, "JSON; - for stdin")->required();
    run_verb->add_option("--input", options->input, "JSON that its steps point into");
    run_verb->add_option("--user", options->user, "For whom");
    run_verb->add_option("--session", options->session, "In which session");
    run_verb->add_option("--wait", options->wait_ms, "Milliseconds to wait for its end")
        ->capture_default_str();
    run_verb->add_flag("--detach", options->is_detached, "Do not wait");
    run_verb->callback(leave(context, options, run_workflow));
    CLI::App* const show_verb = add_verb(*verb, {"show", "How far it is, or what came of it", ""});
    show_verb->add_option("id", options->id, "Of the workflow")->required();
    show_verb->callback(leave(context, options, show));
    CLI::App* const cancel_verb =
        add_verb(*verb, {"cancel", "End it, and take back what was done", ""});
    cancel_verb->add_option("id", options->id, "Of the workflow")->required();
    cancel_verb->add_option("--reason", options->reason, "Why; it is kept on record");
    cancel_verb->callback(leave(context, options, cancel));
    CLI::App* const replay_verb = add_verb(
        *verb,
        {"replay", "Feed what was answered to the rules of this program; show what differs", ""});
    replay_verb->add_option("id", options->id, "Of the workflow")->required();
    replay_verb->add_option("--data", options->data, "Where the hub keeps everything")
        ->capture_default_str();
    replay_verb->add_option("--config", options->config, "The hub's own, for its limits");
    replay_verb->add_option("--policy", options->policy, "The one of then, or the one of now")
        ->check(CLI::IsMember({"then", "now"}))
        ->capture_default_str();
    replay_verb->callback(leave(context, options, replay));
}

}  // namespace parlance::cli
