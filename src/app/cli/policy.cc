// `parlance policy`: the rules; `parlance fleet`: stop and resume; `parlance cancel`.
#include "gateway/policy.h"

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "app/cli/written.h"
#include "app/serve.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

struct PolicyOptions {
    std::string file{};
    std::string reason{};
    std::string id{};
    std::uint64_t version = 0;
    bool cancels = false;
    bool is_agreed = false;
};

/// A policy file as the hub's JSON, checked by the hub's rules.
Result<std::string> read_policy(const std::string& file) {
    const auto text = TRY(app::read_toml(file));
    TRY(json::check(text));
    const auto settings = TRY(gateway::read_settings(json::root(text)));
    return gateway::write_settings(settings);
}

/// An unreadable file is a usage error; a file with mistakes is refused.
int complain_about(const Context& context, const Error& error) {
    return complain(context, error.fault == Fault::NotFound ? Misused : Refused, error.message);
}

int check(const Context& context, const PolicyOptions& options) {
    const auto policy = read_policy(options.file);
    if (!policy) return complain_about(context, policy.error());
    if (context.is_json) {
        fmt::print("{}\n", *policy);
    } else {
        fmt::print("{} {}\n", paint(context.out(), Tone::Green, "ok"), options.file);
    }
    return Done;
}

/// One call; prints the answer, or `words` for an empty answer.
int call(const Context& context,
         std::string_view method,
         const std::string& target,
         const std::string& body,
         const sdk::Headers& headers,
         std::string_view words) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call(method, target, body, headers);
    if (!response) return complain(context, response.error());
    if (response->status / 100 != 2) return complain(context, *response);
    if (!context.is_json && !words.empty()) {
        fmt::print("{}\n", paint(context.out(), Tone::Green, words));
    } else if (context.is_json || !response->body.empty()) {
        fmt::print("{}\n", response->body.empty() ? R"({"ok":true})" : one_line(response->body));
    }
    return Done;
}

/// Orders are recorded with a reason, given by option.
void add_reason(CLI::App& verb, PolicyOptions& options) {
    verb.add_option("--reason", options.reason, "Why; it is kept on record");
}
int apply(const Context& context, const PolicyOptions& options) {
    const auto policy = read_policy(options.file);
    if (!policy) return complain_about(context, policy.error());
    sdk::Headers headers{{"Parlance-Reason", options.reason}};
    if (options.version > 0) headers.emplace_back("If-Match", std::to_string(options.version - 1));
    return call(context, "PUT", "/v1/policy", *policy, headers, "in force");
}

void print_rules(const Context& context, json::Value answer) {
    Table table{.columns = {{"RULE", Align::Left, 10},
                            {"FOR", Align::Left, 6},
                            {"VALUE", Align::Right, 6},
                            {"MEANING", Align::Left, 10}}};
    const auto settings = gateway::read_settings(member(answer, "policy"));
    for (const RuleRow& row : kRules) {
        bool is_set = false;
        if (settings) {
            for (const auto& [key, value] : *settings) {
                if (key.first != row.rule) continue;
                table.rows.push_back({{std::string{row.name}, Tone::Bold},
                                      {name_of(key.second)},
                                      {std::to_string(value), Tone::Yellow},
                                      {std::string{row.meaning}, Tone::Dim}});
                is_set |= key.second.kind == ScopeKind::Hub;
            }
        }
        if (is_set) continue;
        table.rows.push_back({{std::string{row.name}, Tone::Bold},
                              {"default"},
                              {std::to_string(row.preset)},
                              {std::string{row.meaning}, Tone::Dim}});
    }
    fmt::print("version {}\n{}",
               number_member(answer, "version").value_or(0),
               render(table, context.out()));
}

int show(const Context& context) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call("GET", "/v1/policy");
    if (!response) return complain(context, response.error());
    if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
        return complain(context, *response);
    }
    if (context.is_json) {
        fmt::print("{}\n", one_line(response->body));
    } else {
        print_rules(context, json::root(response->body));
    }
    return Done;
}

/// A guard on a line, with the rules applied.
void print_guard(const Context& context, json::Value guard) {
    struct Word {
        std::string_view text;
        Tone tone;
    };
    const bool has_passed = member(guard, "passed").raw == "true";
    const bool is_asked = member(guard, "applies").raw != "false";
    const bool asks_people = !has_passed && number_member(guard, "approvals_needed").has_value();
    const Word word = !is_asked     ? Word{"not asked", Tone::Dim}
                      : has_passed  ? Word{"passed   ", Tone::Green}
                      : asks_people ? Word{"people   ", Tone::Yellow}
                                    : Word{"refused  ", Tone::Red};
    std::string rules;
    const auto looked_up = member(guard, "rules");
    if (looked_up.is_array()) {
        for (json::Elements each{looked_up}; each.next();) {
            rules += fmt::format("{}{} {} ({})",
                                 rules.empty() ? "  " : ", ",
                                 text_member(each.value, "rule"),
                                 number_member(each.value, "value").value_or(0),
                                 harmless(text_member(each.value, "scope")));
        }
    }
    fmt::print("  {} {}  {}{}\n",
               paint(context.out(), word.tone, word.text),
               text_member(guard, "guard"),
               harmless(text_member(guard, "detail")),
               paint(context.out(), Tone::Dim, rules));
}

std::string acceptance(json::Value answer) {
    if (member(answer, "duplicate").raw == "true")
        return "it came before; it would get that outcome";
    const auto people = number_member(answer, "approvals_needed");
    if (!people) return "it would be accepted";
    return fmt::format("it would be accepted, and wait until {} approved",
                       *people == 1 ? "a person has" : fmt::format("{} people have", *people));
}

/// The hub's verdict, guard by guard; the exit code is Refused if any guard would refuse.
int explain(const Context& context, const PolicyOptions& options) {
    const auto messages = read_written(options.file);
    if (!messages) return complain(context, Misused, messages.error().message);
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    int exit = Done;
    for (const Written& written : *messages) {
        const auto response = client->call("POST", "/v1/policy/explain", written.text);
        if (!response) return complain(context, response.error());
        if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
            return complain(context, *response);
        }
        const json::Value answer = json::root(response->body);
        const bool is_allowed = member(answer, "allowed").raw == "true";
        if (!is_allowed) exit = Refused;
        if (context.is_json) {
            fmt::print("{}\n", one_line(response->body));
            continue;
        }
        for (json::Elements guards{member(answer, "guards")}; guards.next();) {
            print_guard(context, guards.value);
        }
        fmt::print("{}\n",
                   is_allowed
                       ? paint(context.out(), Tone::Green, acceptance(answer))
                       : fmt::format("{} {}",
                                     paint(context.out(), Tone::Red, text_member(answer, "code")),
                                     text_member(answer, "instead")));
    }
    return exit;
}

std::string reason_body(const PolicyOptions& options) {
    return json::ObjectWriter{}.text("reason", options.reason).done();
}

/// The state of the fleet, as the hub reports.
struct Fleet {
    std::string answer;
    std::string by{};
    std::string reason{};
    std::string at{};
    std::uint64_t in_flight = 0;
    std::uint64_t waiting = 0;
    std::uint64_t open_requests = 0;
    std::uint64_t workflows = 0;
    bool is_stopped = false;
};

/// Empty after a complaint, with the exit code in `exit`.
std::optional<Fleet> read_fleet(const Context& context, int& exit) {
    auto client = client_of(context, operator_identity(context));
    if (!client) {
        exit = complain(context, Misused, client.error().message);
        return std::nullopt;
    }
    const auto response = client->call("GET", "/v1/fleet");
    if (!response) {
        exit = complain(context, response.error());
        return std::nullopt;
    }
    if (response->status != 200 || !json::check(response->body)) {
        exit = complain(context, *response);
        return std::nullopt;
    }
    const auto answer = json::root(response->body);
    const auto number = [&](std::string_view key) {
        return static_cast<std::uint64_t>(number_member(answer, key).value_or(0));
    };
    return Fleet{.answer = one_line(response->body),
                 .by = harmless(text_member(answer, "by")),
                 .reason = harmless(text_member(answer, "reason")),
                 .at = harmless(text_member(answer, "at")),
                 .in_flight = number("in_flight"),
                 .waiting = number("waiting"),
                 .open_requests = number("open_requests"),
                 .workflows = number("workflows"),
                 .is_stopped = member(answer, "stopped").raw == "true"};
}

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

int show_fleet(const Context& context) {
    int exit = Done;
    const auto fleet = read_fleet(context, exit);
    if (!fleet) return exit;
    if (context.is_json) {
        fmt::print("{}\n", fleet->answer);
        return Done;
    }
    if (fleet->is_stopped) {
        fmt::print("{} since {} by {}: {}\n",
                   paint(context.out(), Tone::Red, "stopped"),
                   fleet->at,
                   fleet->by,
                   fleet->reason);
    } else {
        fmt::print("{}\n", paint(context.out(), Tone::Green, "at work"));
    }
    fmt::print("{} in hand, {} waiting, {} and {} open\n",
               counted(fleet->in_flight, "message"),
               counted(fleet->waiting, "message"),
               counted(fleet->open_requests, "request"),
               counted(fleet->workflows, "workflow"));
    return Done;
}

/// The effect of the stop: the state before compared with the state now.
void tell_stopped(const Context& context, const Fleet& before, const Fleet& after, bool cancels) {
    const auto less = [](std::uint64_t was, std::uint64_t is) { return was > is ? was - is : 0; };
    fmt::print("{}\n", paint(context.out(), Tone::Green, "stopped"));
    if (cancels) {
        fmt::print("ended: {}, {}\n",
                   counted(less(before.open_requests, after.open_requests), "request"),
                   counted(less(before.workflows, after.workflows), "workflow"));
    }
    fmt::print("still in hand: {}; they may finish\n", counted(after.in_flight, "message"));
    fmt::print("parked until `parlance fleet resume`: {}, {}\n",
               counted(after.waiting, "message"),
               counted(after.workflows, "workflow"));
}

/// Like call(), but silent on success.
int order(const Context& context, const std::string& target, const std::string& body) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call("POST", target, body);
    if (!response) return complain(context, response.error());
    return response->status / 100 == 2 ? Done : complain(context, *response);
}

int stop_fleet(const Context& context, const PolicyOptions& options) {
    const auto* const question =
        options.cancels ? "Stop all new work and end all that is open?" : "Stop all new work?";
    if (!is_confirmed(context, question, options.is_agreed)) {
        return complain(context, Misused, "nothing was stopped", "Say --yes to go ahead.");
    }
    int exit = Done;
    const auto before = read_fleet(context, exit);
    if (!before) return exit;
    const auto body = json::ObjectWriter{}
                          .text("reason", options.reason)
                          .boolean("cancel", options.cancels)
                          .done();
    if (context.is_json) return call(context, "POST", "/v1/fleet/stop", body, {}, {});
    exit = order(context, "/v1/fleet/stop", body);
    if (exit != Done) return exit;
    const auto after = read_fleet(context, exit);
    if (after) tell_stopped(context, *before, *after, options.cancels);
    return exit;
}

}  // namespace

void add_policy(CLI::App& app, Context& context) {
    auto options = std::make_shared<PolicyOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"policy",
                                     "See and change what is permitted, while the hub runs",
                                     "  parlance policy check limits.toml\n"
                                     "  parlance policy apply limits.toml --reason 'a lean month'\n"
                                     "  parlance policy explain message.json"});
    verb->require_subcommand(1);
    add_verb(*verb, {"show", "The policy in force, and every rule there is", ""})
        ->callback(leave(context, [&context] { return show(context); }));
    CLI::App* const check_verb =
        add_verb(*verb, {"check", "Whether a policy file is sound; no hub is needed", ""});
    check_verb->add_option("file", options->file, "TOML")->required();
    check_verb->callback(leave(context, [&context, options] { return check(context, *options); }));
    CLI::App* const apply_verb =
        add_verb(*verb, {"apply", "Put a policy file in force from the next command on", ""});
    apply_verb->add_option("file", options->file, "TOML")->required();
    add_reason(*apply_verb, *options);
    apply_verb->add_option("--as-version",
                           options->version,
                           "The version it is to become; refused if another came in between");
    apply_verb->callback(leave(context, [&context, options] { return apply(context, *options); }));
    CLI::App* const explain_verb = add_verb(
        *verb, {"explain", "Which rule would refuse a message, and which let it pass", ""});
    explain_verb->add_option("message", options->file, "A file with messages; - for stdin")
        ->required();
    explain_verb->callback(
        leave(context, [&context, options] { return explain(context, *options); }));
}

void add_fleet(CLI::App& app, Context& context) {
    auto options = std::make_shared<PolicyOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"fleet",
                  "Stop all new work at once, and go on again; how it stands",
                  "  parlance fleet stop --reason 'a bad answer is spreading' --yes\n"
                  "  parlance fleet resume --reason 'found it'"});
    verb->require_subcommand(0, 1);
    const auto show = leave(context, [&context] { return show_fleet(context); });
    verb->callback([verb, show] {
        if (verb->get_subcommands().empty()) show();
    });
    add_verb(*verb, {"status", "Whether the fleet is stopped, since when, by whom and why", ""})
        ->callback(show);
    CLI::App* const stop_verb =
        add_verb(*verb, {"stop", "Take no new work and hand none over; what runs may finish", ""});
    add_reason(*stop_verb, *options);
    stop_verb->add_flag("--cancel", options->cancels, "Also end everything that is open");
    stop_verb->add_flag("--yes", options->is_agreed, "Do not ask");
    stop_verb->callback(
        leave(context, [&context, options] { return stop_fleet(context, *options); }));
    CLI::App* const resume_verb = add_verb(*verb, {"resume", "Go on", ""});
    add_reason(*resume_verb, *options);
    resume_verb->callback(leave(context, [&context, options] {
        return call(context, "POST", "/v1/fleet/resume", reason_body(*options), {}, "going on");
    }));
}

void add_cancel(CLI::App& app, Context& context) {
    auto options = std::make_shared<PolicyOptions>();
    CLI::App* const verb = add_verb(
        app,
        {"cancel",
         "End an open request, session or workflow, with all that was delegated for it",
         "  parlance cancel 550e8400-e29b-41d4-a716-446655440000 --reason 'the user has left'"});
    verb->add_option("id", options->id, "Of a request, a session or a workflow")->required();
    verb->add_option("--reason", options->reason, "Why; whoever asked is told");
    verb->callback(leave(context, [&context, options] {
        return call(context,
                    "POST",
                    "/v1/workflows/" + percent_encoded(options->id) + "/cancel",
                    reason_body(*options),
                    {},
                    "cancelled");
    }));
}

}  // namespace parlance::cli
