// `parlance dead-letters`: undelivered messages, the cause, and the actions on them.
#include <memory>

#include <fmt/format.h>

#include "app/cli/age.h"
#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

struct DeadLetterOptions {
    std::string agent{};
    std::vector<std::string> ids{};
    std::string reason{};
    bool is_all = false;
    bool is_agreed = false;
};

constexpr std::size_t kPage = 500;

/// The hub writes an id as a number or a text; both look the same in a path.
std::string id_of(json::Value letter) {
    const json::Value id = member(letter, "dead_letter_id");
    return id.is_string() ? text_member(letter, "dead_letter_id") : std::string(id.raw);
}

/// Every dead letter, page by page; `each` gets checked JSON. Returns the exit code.
template <class Each>
int for_each_letter(const Context& context,
                    sdk::Client& client,
                    const std::string& agent,
                    Each each) {
    std::string after;
    while (true) {
        std::string target = fmt::format("/v1/dead-letters?max={}", kPage);
        if (!agent.empty()) target += "&agent=" + percent_encoded(agent);
        if (!after.empty()) target += "&after=" + percent_encoded(after);
        const auto response = client.call("GET", target);
        if (!response) return complain(context, response.error());
        if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
            return complain(context, *response);
        }
        const json::Value letters = member(json::root(response->body), "dead_letters");
        std::size_t count = 0;
        if (letters.is_array()) {
            for (json::Elements elements{letters}; elements.next(); ++count) {
                after = id_of(elements.value);
                each(elements.value);
            }
        }
        if (count < kPage) return Done;
    }
}

std::vector<Cell> row_of(json::Value letter) {
    const std::string priority = text_member(letter, "priority");
    return {{id_of(letter), Tone::Bold},
            {text_member(letter, "recipient")},
            {text_member(letter, "from")},
            {text_member(letter, "type")},
            {priority, priority == "critical" ? Tone::Red : Tone::Plain},
            {text_member(letter, "reason"), Tone::Yellow},
            {std::to_string(number_member(letter, "attempts").value_or(0))},
            {age_text(text_member(letter, "died_at"), now()), Tone::Dim},
            {text_member(letter, "detail"), Tone::Dim}};
}

int list(const Context& context, const DeadLetterOptions& options) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    Table table{.columns = {{"ID", Align::Left, 4},
                            {"RECIPIENT", Align::Left, 8},
                            {"FROM", Align::Left, 8},
                            {"TYPE", Align::Left, 8},
                            {"PRIORITY", Align::Left, 8},
                            {"REASON", Align::Left, 10},
                            {"TRIES", Align::Right, 5},
                            {"DIED", Align::Left, 8},
                            {"DETAIL", Align::Left, 6}}};
    const int exit = for_each_letter(context, *client, options.agent, [&](json::Value letter) {
        if (context.is_json) {
            fmt::print("{}\n", one_line(letter.raw));
        } else {
            table.rows.push_back(row_of(letter));
        }
    });
    if (exit != Done || context.is_json) return exit;
    if (table.rows.empty()) {
        fmt::print("No dead letters.\n");
    } else {
        fmt::print("{}", render(table, context.out()));
    }
    return Done;
}

int show(const Context& context, const std::string& id) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call("GET", "/v1/dead-letters/" + percent_encoded(id));
    if (!response) return complain(context, response.error());
    if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
        return complain(context, *response);
    }
    if (context.is_json) {
        fmt::print("{}\n", one_line(response->body));
    } else {
        fmt::print("{}\n", pretty(context.out(), json::root(response->body)));
    }
    return Done;
}

/// One call per letter. A refusal does not stop the rest.
int act_on(const Context& context,
           const std::vector<std::string>& ids,
           std::string_view action,
           const std::string& body) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    int worst = Done;
    std::size_t done = 0;
    for (const std::string& id : ids) {
        const auto response = client->call(
            "POST", fmt::format("/v1/dead-letters/{}/{}", percent_encoded(id), action), body);
        if (!response) return complain(context, response.error());
        if (response->status / 100 == 2) {
            ++done;
        } else {
            worst = complain(context, *response);
        }
    }
    if (context.is_json) {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .text("action", action)
                       .integer("done", static_cast<std::int64_t>(done))
                       .integer("failed", static_cast<std::int64_t>(ids.size() - done))
                       .done());
    } else if (done > 0) {
        fmt::print(
            "{}  {} dead letter{}\n",
            paint(context.out(), Tone::Green, action == "discard" ? "discarded" : "redelivered"),
            done,
            done == 1 ? "" : "s");
    }
    return worst;
}

int redeliver(const Context& context, DeadLetterOptions options) {
    if (options.is_all == !options.ids.empty()) {
        return complain(context, Misused, "which ones?", "Name their ids, or say --all.");
    }
    if (!options.is_all) return act_on(context, options.ids, "redeliver", {});
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const int exit = for_each_letter(context, *client, options.agent, [&](json::Value letter) {
        options.ids.push_back(id_of(letter));
    });
    if (exit != Done || options.ids.empty()) return exit;
    const auto count = options.ids.size();
    const std::string question =
        fmt::format("Redeliver {} dead letter{}?", count, count == 1 ? "" : "s");
    if (!is_confirmed(context, question, options.is_agreed)) {
        return complain(context, Misused, "nothing was redelivered", "Say --yes to go ahead.");
    }
    return act_on(context, options.ids, "redeliver", {});
}

int discard(const Context& context, const DeadLetterOptions& options) {
    if (options.reason.empty()) {
        return complain(context,
                        Misused,
                        "the --reason is empty",
                        "Say in a few words why; it is kept on record.");
    }
    const std::string question =
        options.ids.size() == 1
            ? "Discard dead letter " + options.ids.front() + " for good?"
            : fmt::format("Discard {} dead letters for good?", options.ids.size());
    if (!is_confirmed(context, question, options.is_agreed)) {
        return complain(context, Misused, "nothing was discarded", "Say --yes to go ahead.");
    }
    return act_on(context,
                  options.ids,
                  "discard",
                  json::ObjectWriter{}.text("reason", options.reason).done());
}

}  // namespace

void add_dead_letters(CLI::App& app, Context& context) {
    auto options = std::make_shared<DeadLetterOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"dead-letters",
                  "See what could not be delivered; send it again or discard it",
                  "  parlance dead-letters --agent coder\n"
                  "  parlance dead-letters redeliver --all --agent coder\n"
                  "  parlance dead-letters discard 412 --reason 'superseded by 415' --yes"});
    verb->require_subcommand(0, 1);
    verb->add_option("--agent", options->agent, "Only those of this recipient");
    verb->callback([verb, options, &context] {
        if (!verb->get_subcommands().empty()) return;
        context.run = [&context, options] { return list(context, *options); };
    });
    add_verb(*verb, {"list", "All of them, oldest first", ""})
        ->callback(leave(context, [&context, options] { return list(context, *options); }));

    CLI::App* const show_verb = add_verb(*verb, {"show", "One of them, with its message", ""});
    show_verb->add_option("id", options->ids, "The dead letter")->required()->expected(1);
    show_verb->callback(
        leave(context, [&context, options] { return show(context, options->ids.front()); }));

    CLI::App* const redeliver_verb =
        add_verb(*verb, {"redeliver", "Back to where they came from, with all their tries", ""});
    redeliver_verb->add_option("ids", options->ids, "The dead letters");
    redeliver_verb->add_flag("--all", options->is_all, "All of them, or all of --agent");
    redeliver_verb->add_flag("--yes", options->is_agreed, "Do not ask");
    redeliver_verb->callback(
        leave(context, [&context, options] { return redeliver(context, *options); }));

    CLI::App* const discard_verb =
        add_verb(*verb, {"discard", "Give them up for good, on record", ""});
    discard_verb->add_option("ids", options->ids, "The dead letters")->required();
    discard_verb->add_option("--reason", options->reason, "Why; it is kept on record")->required();
    discard_verb->add_flag("--yes", options->is_agreed, "Do not ask");
    discard_verb->callback(
        leave(context, [&context, options] { return discard(context, *options); }));
}

}  // namespace parlance::cli
