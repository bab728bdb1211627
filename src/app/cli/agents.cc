// `parlance agents`: registered agents, their presence, and their waiting messages.
#include <memory>

#include <fmt/format.h>

#include "app/cli/age.h"
#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/histogram.h"
#include "app/cli/json_view.h"
#include "app/cli/profile.h"
#include "app/cli/registration.h"
#include "app/cli/table.h"

namespace parlance::cli {

namespace {

struct AgentsOptions {
    std::string id{};
    std::string profile{};
    Registration registration{};
};

Tone tone_of_status(std::string_view status) {
    if (status == "IDLE") return Tone::Green;
    if (status == "BUSY") return Tone::Yellow;
    return Tone::Dim;
}

std::string number_text(json::Value object, std::string_view key) {
    const auto number = number_member(object, key);
    return number ? count_text(static_cast<std::uint64_t>(std::max<std::int64_t>(*number, 0)))
                  : "–";
}

Cell count_cell(json::Value object, std::string_view key, Tone tone) {
    const std::string text = number_text(object, key);
    return {text, text == "0" || text == "–" ? Tone::Dim : tone};
}

struct Presence {
    std::size_t instances = 0;
    std::string last_seen{};  ///< The latest; ISO 8601 in UTC sorts as text.
};

Presence presence_of(json::Value agent) {
    Presence presence;
    const json::Value instances = member(agent, "instances");
    if (!instances.is_array()) return presence;
    for (json::Elements elements{instances}; elements.next();) {
        ++presence.instances;
        presence.last_seen = std::max(presence.last_seen, text_member(elements.value, "last_seen"));
    }
    return presence;
}

Table agents_table(json::Value agents) {
    Table table{.columns = {{"AGENT", Align::Left, 10},
                            {"STATUS", Align::Left, 7},
                            {"DIALECT", Align::Left, 8},
                            {"ROLE", Align::Left, 4},
                            {"LIVE", Align::Right, 4},
                            {"WAITING", Align::Right, 7},
                            {"IN FLIGHT", Align::Right, 9},
                            {"DEAD", Align::Right, 4},
                            {"SEEN", Align::Left, 7}}};
    for (json::Elements elements{agents}; elements.next();) {
        const json::Value agent = elements.value;
        const Presence presence = presence_of(agent);
        const std::string status = text_member(agent, "status");
        table.rows.push_back({{text_member(agent, "agent"), Tone::Bold},
                              {status, tone_of_status(status)},
                              {text_member(agent, "dialect")},
                              {text_member(agent, "role")},
                              {std::to_string(presence.instances)},
                              count_cell(agent, "waiting", Tone::Yellow),
                              count_cell(agent, "in_flight", Tone::Plain),
                              count_cell(agent, "dead_letters", Tone::Red),
                              {age_text(presence.last_seen, now()), Tone::Dim}});
    }
    return table;
}

Table instances_table(json::Value instances) {
    Table table{.columns = {{"INSTANCE"},
                            {"NAME"},
                            {"KIND"},
                            {"CREDIT", Align::Right},
                            {"IN FLIGHT", Align::Right},
                            {"LAST SEEN"}}};
    for (json::Elements elements{instances}; elements.next();) {
        const json::Value instance = elements.value;
        std::string number{member(instance, "instance").raw};
        std::erase(number, '"');
        table.rows.push_back({{number},
                              {text_member(instance, "name")},
                              {text_member(instance, "kind")},
                              {number_text(instance, "credit")},
                              {number_text(instance, "in_flight")},
                              {age_text(text_member(instance, "last_seen"), now()), Tone::Dim}});
    }
    return table;
}

void show_agent(const Context& context, json::Value agent) {
    const Screen screen = context.out();
    const std::string status = text_member(agent, "status");
    fmt::print("{}  {}\n",
               paint(screen, Tone::Bold, harmless(text_member(agent, "agent"))),
               paint(screen, tone_of_status(status), harmless(status)));
    for (json::Members members{agent}; members.next();) {
        const bool is_shown_apart =
            members.key == "agent" || members.key == "status" || members.key == "instances";
        const bool is_empty =
            members.value.is_null() || members.value.raw == "[]" || members.value.raw == "\"\"";
        if (is_shown_apart || is_empty) continue;
        fmt::print("  {}  {}\n",
                   paint(screen, Tone::Dim, fmt::format("{:<14}", harmless(members.key))),
                   members.value.is_string() ? harmless(text_member(agent, members.key))
                                             : pretty(screen, members.value, 18));
    }
    const json::Value instances = member(agent, "instances");
    if (instances.is_array() && instances.raw.size() > 2) {
        fmt::print("\n{}", render(instances_table(instances), screen));
    }
}

/// Calls the hub; on success `show` gets the checked body.
template <class Show>
int call(const Context& context,
         std::string_view method,
         const std::string& target,
         std::string_view body,
         Show show) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call(method, target, body);
    if (!response) return complain(context, response.error());
    const bool is_readable =
        response->body.empty() || json::check(response->body, json::kDepthMadeMax).has_value();
    if (response->status / 100 != 2 || !is_readable) return complain(context, *response);
    show(response->body);
    return Done;
}

int list(const Context& context) {
    return call(context, "GET", "/v1/agents", {}, [&](std::string_view body) {
        const json::Value agents = member(json::root(body), "agents");
        if (context.is_json) {
            for (json::Elements elements{agents}; elements.next();) {
                fmt::print("{}\n", one_line(elements.value.raw));
            }
            return;
        }
        const Table table = agents_table(agents);
        if (table.rows.empty()) {
            fmt::print(
                "No agent is registered yet. `parlance agents register ID` makes the first.\n");
            return;
        }
        fmt::print("{}", render(table, context.out()));
    });
}

int show(const Context& context, const std::string& id) {
    return call(
        context, "GET", "/v1/agents/" + percent_encoded(id), {}, [&](std::string_view body) {
            if (context.is_json) {
                fmt::print("{}\n", one_line(body));
            } else {
                show_agent(context, json::root(body));
            }
        });
}

int put_agent(const Context& context, const std::string& id, const std::string& object) {
    return call(
        context, "PUT", "/v1/agents/" + percent_encoded(id), object, [&](std::string_view body) {
            if (context.is_json) {
                fmt::print("{}\n", one_line(body));
            } else {
                const auto registered = paint(context.out(), Tone::Green, "registered");
                fmt::print("{}  {}\n", registered, harmless(id));
            }
        });
}

/// Registers all agents of the profile, or only the named agent.
int register_profile(const Context& context, const AgentsOptions& options) {
    const auto agents = read_profile(options.profile);
    if (!agents) return complain(context, Misused, agents.error().message);
    bool is_known = false;
    for (const ProfiledAgent& agent : *agents) {
        if (!options.id.empty() && agent.id != options.id) continue;
        is_known = true;
        const int exit = put_agent(context, agent.id, agent.registration);
        if (exit != Done) return exit;
    }
    if (is_known) return Done;
    return complain(context,
                    Misused,
                    fmt::format("profile '{}' has no agent '{}'", options.profile, options.id));
}

int register_agent(const Context& context, const AgentsOptions& options) {
    if (!options.profile.empty()) return register_profile(context, options);
    if (options.id.empty()) {
        return complain(context,
                        Misused,
                        "nobody to register",
                        "Name the agent, or say --profile kessel for the nine of that platform.");
    }
    const auto object = write_registration(options.registration);
    if (!object) return complain(context, Misused, object.error().message);
    return put_agent(context, options.id, *object);
}

int remove(const Context& context, const std::string& id) {
    return call(context, "DELETE", "/v1/agents/" + percent_encoded(id), {}, [&](std::string_view) {
        if (context.is_json) return;
        fmt::print("{}  {}\n", paint(context.out(), Tone::Green, "removed"), harmless(id));
    });
}

}  // namespace

void add_agents(CLI::App& app, Context& context) {
    auto options = std::make_shared<AgentsOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"agents",
                                     "See, register and remove agents",
                                     "  parlance agents\n"
                                     "  parlance agents register coder --role developer\n"
                                     "  parlance agents show coder"});
    verb->require_subcommand(0, 1);
    verb->callback([verb, &context] {
        if (verb->get_subcommands().empty()) context.run = [&context] { return list(context); };
    });
    add_verb(*verb, {"list", "All agents, and what waits for them", ""})
        ->callback(leave(context, [&context] { return list(context); }));

    CLI::App* const show_verb = add_verb(*verb, {"show", "One agent, with its live instances", ""});
    show_verb->add_option("id", options->id, "The agent")->required();
    show_verb->callback(leave(context, [&context, options] { return show(context, options->id); }));

    CLI::App* const register_verb = add_verb(*verb,
                                             {"register",
                                              "Register an agent, or change one",
                                              "  parlance agents register coder --role developer\n"
                                              "  parlance agents register --profile kessel"});
    register_verb->add_option("id", options->id, "The agent");
    register_verb
        ->add_option("--profile",
                     options->profile,
                     "The agents of a ready profile (kessel), or of a file of the same form")
        ->type_name("NAME|FILE");
    add_registration_options(*register_verb, options->registration);
    register_verb->callback(
        leave(context, [&context, options] { return register_agent(context, *options); }));

    CLI::App* const remove_verb = add_verb(*verb, {"remove", "Remove an agent without work", ""});
    remove_verb->add_option("id", options->id, "The agent")->required();
    remove_verb->callback(
        leave(context, [&context, options] { return remove(context, options->id); }));
}

}  // namespace parlance::cli
