// `parlance human`: open human tasks, and their answers.
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/cli/age.h"
#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

struct HumanOptions {
    std::string role{};
    std::string state = "waiting";
    std::string id{};
    std::string decision{};
    std::string reason{};
    std::string content{};
    std::string version{};
    std::optional<std::uint64_t> tokens{};
};

std::vector<Cell> row_of(json::Value task) {
    return {{text_member(task, "id"), Tone::Bold},
            {text_member(task, "state")},
            {text_member(task, "role"), Tone::Yellow},
            {text_member(task, "kind")},
            {text_member(task, "asked_by")},
            {age_text(text_member(task, "asked_at"), now()), Tone::Dim},
            {text_member(task, "deadline"), Tone::Dim},
            {text_member(task, "question")}};
}

int list(const Context& context, const HumanOptions& options) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    auto target = "/v1/human?max=1000&state=" + percent_encoded(options.state);
    if (!options.role.empty()) target += "&role=" + percent_encoded(options.role);
    const auto response = client->call("GET", target);
    if (!response) return complain(context, response.error());
    if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
        return complain(context, *response);
    }
    Table table{.columns = {{"ID", Align::Left, 4},
                            {"STATE", Align::Left, 8},
                            {"ROLE", Align::Left, 6},
                            {"WANTED", Align::Left, 7},
                            {"ASKED BY", Align::Left, 8},
                            {"SINCE", Align::Left, 6},
                            {"UNTIL", Align::Left, 10},
                            {"QUESTION", Align::Left, 10}}};
    const json::Value tasks = member(json::root(response->body), "human_tasks");
    for (json::Elements each{tasks}; each.next();) {
        if (context.is_json) {
            fmt::print("{}\n", one_line(each.value.raw));
        } else {
            table.rows.push_back(row_of(each.value));
        }
    }
    if (context.is_json) return Done;
    fmt::print("{}",
               table.rows.empty() ? "Nothing waits for people.\n" : render(table, context.out()));
    return Done;
}

int show(const Context& context, const HumanOptions& options) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call("GET", "/v1/human/" + percent_encoded(options.id));
    if (!response) return complain(context, response.error());
    if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
        return complain(context, *response);
    }
    fmt::print("{}\n",
               context.is_json ? one_line(response->body)
                               : pretty(context.out(), json::root(response->body)));
    return Done;
}

/// Valid JSON is passed as is; any different text is quoted.
std::string as_json(const std::string& content) {
    if (json::check(content)) return content;
    std::string quoted;
    json::append_quoted(quoted, content);
    return quoted;
}

int answer(const Context& context, const HumanOptions& options) {
    json::ObjectWriter body;
    body.text("decision", options.decision).text("reason", options.reason);
    if (!options.content.empty()) body.raw("content", as_json(options.content));
    if (options.tokens) body.integer("tokens", static_cast<std::int64_t>(*options.tokens));
    if (!options.version.empty()) body.raw("expected_version", as_json(options.version));
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response =
        client->call("POST", "/v1/human/" + percent_encoded(options.id) + "/answer", body.done());
    if (!response) return complain(context, response.error());
    if (response->status / 100 != 2) return complain(context, *response);
    if (context.is_json) {
        fmt::print(
            "{}\n",
            json::ObjectWriter{}.text("id", options.id).text("decision", options.decision).done());
    } else {
        fmt::print("{}  {} {}\n",
                   paint(context.out(), Tone::Green, "answered"),
                   options.id,
                   options.decision);
    }
    return Done;
}

}  // namespace

void add_human(CLI::App& app, Context& context) {
    auto options = std::make_shared<HumanOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"human",
                  "See what waits for people, and answer it",
                  "  parlance human list --role finance\n"
                  "  parlance human answer 4711264 approve\n"
                  "  parlance human answer 4711264 approve --tokens 1500\n"
                  "  parlance human answer 4711264 reject --reason 'not our vendor'"});
    verb->require_subcommand(1);
    const auto add = [&](const VerbText& text, int (*work)(const Context&, const HumanOptions&)) {
        CLI::App* const part = add_verb(*verb, text);
        part->callback(leave(context, options, work));
        return part;
    };
    CLI::App* const list_verb = add({"list", "What waits, or what became of it", ""}, list);
    list_verb->add_option("--role", options->role, "Only what this role is asked");
    list_verb->add_option("--state", options->state, "Only what is so")
        ->check(CLI::IsMember({"waiting", "answered", "lapsed", "withdrawn", "all"}))
        ->capture_default_str();
    CLI::App* const show_verb = add({"show", "All that is needed to decide", ""}, show);
    show_verb->add_option("id", options->id, "As `list` shows it")->required();
    CLI::App* const answer_verb = add({"answer", "Decide; it counts once", ""}, answer);
    answer_verb->add_option("id", options->id, "As `list` shows it")->required();
    answer_verb->add_option("decision", options->decision, "What you say")
        ->required()
        ->check(CLI::IsMember({"approve", "reject", "edit", "answer"}));
    answer_verb->add_option("--reason", options->reason, "Why; a rejection needs it");
    answer_verb->add_option(
        "--content", options->content, "The answer, or what it should be: JSON or words");
    answer_verb
        ->add_option("--tokens",
                     options->tokens,
                     "Of a budget: what it may spend; without it, as much as it asked for")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 53U));
    answer_verb->add_option(
        "--expected-version", options->version, "What you saw; refused if it is about another");
}

}  // namespace parlance::cli
