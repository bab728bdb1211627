// `parlance classify`: the intent of a sentence; `parlance capabilities`: the registered
// capabilities.
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

/// The hub's checked answer; after a refusal, a complaint and its exit code.
tl::expected<std::string, int> ask(const Context& context,
                                   std::string_view method,
                                   const std::string& target,
                                   const std::string& body) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return tl::unexpected(complain(context, Misused, client.error().message));
    auto response = client->call(method, target, body);
    if (!response) return tl::unexpected(complain(context, response.error()));
    if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
        return tl::unexpected(complain(context, *response));
    }
    return std::move(response->body);
}

void print_line(const Context& context, std::string_view name, const std::string& value) {
    if (value.empty()) return;
    fmt::print("  {}  {}\n",
               paint(context.out(), Tone::Dim, fmt::format("{:<12}", name)),
               harmless(value));
}

void print_classification(const Context& context, json::Value answer) {
    const auto outcome = text_member(answer, "outcome");
    fmt::print("{}  {} {}\n",
               paint(context.out(), outcome == "route" ? Tone::Green : Tone::Yellow, outcome),
               paint(context.out(), Tone::Bold, harmless(text_member(answer, "primary_intent"))),
               member(answer, "intent_confidence").raw);
    print_line(context, "agent", text_member(answer, "target_agent"));
    print_line(context, "capability", text_member(answer, "target_capability"));
    const auto others = member(answer, "secondary_intents");
    if (others.raw.size() > 2) print_line(context, "and also", std::string{others.raw});
    print_line(context, "ask", text_member(answer, "question"));
    const auto options = member(answer, "options");
    if (options.is_array()) {
        std::string spare;
        for (json::Elements each{options}; each.next();) {
            print_line(context, "option", std::string{each.value.text(spare)});
        }
    }
    print_line(context, "say", text_member(answer, "message"));
    print_line(context, "by", text_member(answer, "classified_by"));
    print_line(context, "because", text_member(answer, "fallback_reason"));
}

int classify(const Context& context, const std::string& text) {
    const auto answer =
        ask(context, "POST", "/v1/classify", json::ObjectWriter{}.text("text", text).done());
    if (!answer) return answer.error();
    if (context.is_json) {
        fmt::print("{}\n", one_line(*answer));
    } else {
        print_classification(context, json::root(*answer));
    }
    return Done;
}

/// Calls `use` for each capability with its agent.
template <class Use>
void for_each_capability(json::Value agents, Use use) {
    for (json::Elements each{agents}; each.next();) {
        const auto capabilities = member(each.value, "capabilities");
        if (!capabilities.is_array()) continue;
        const auto agent = text_member(each.value, "agent");
        for (json::Elements one{capabilities}; one.next();) use(agent, one.value);
    }
}

void print_capabilities(const Context& context, json::Value agents) {
    Table table{.columns = {{"CAPABILITY", Align::Left, 10},
                            {"AGENT", Align::Left, 6},
                            {"VERSION", Align::Left, 7},
                            {"DESCRIPTION", Align::Left, 10}}};
    for_each_capability(agents, [&](const std::string& agent, json::Value capability) {
        table.rows.push_back({{text_member(capability, "code"), Tone::Bold},
                              {agent},
                              {text_member(capability, "version")},
                              {text_member(capability, "description"), Tone::Dim}});
    });
    if (table.rows.empty()) {
        fmt::print("No agent has registered a capability yet.\n");
    } else {
        fmt::print("{}", render(table, context.out()));
    }
}

int list_capabilities(const Context& context) {
    const auto answer = ask(context, "GET", "/v1/agents", {});
    if (!answer) return answer.error();
    const auto agents = member(json::root(*answer), "agents");
    if (!context.is_json) {
        print_capabilities(context, agents);
        return Done;
    }
    for_each_capability(agents, [](const std::string& agent, json::Value capability) {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .text("code", text_member(capability, "code"))
                       .text("agent", agent)
                       .text("version", text_member(capability, "version"))
                       .text("description", text_member(capability, "description"))
                       .done());
    });
    return Done;
}

}  // namespace

void add_classify(CLI::App& app, Context& context) {
    auto text = std::make_shared<std::string>();
    CLI::App* const verb = add_verb(app,
                                    {"classify",
                                     "What a user's words ask for, and what to do about it",
                                     "  parlance classify 'project our revenue and write it up'"});
    verb->add_option("text", *text, "What the user said")->required();
    verb->callback(leave(context, [&context, text] { return classify(context, *text); }));
}

void add_capabilities(CLI::App& app, Context& context) {
    CLI::App* const verb = add_verb(app,
                                    {"capabilities",
                                     "All that the agents have registered",
                                     "  parlance capabilities\n"
                                     "  parlance capabilities --json"});
    verb->callback(leave(context, [&context] { return list_capabilities(context); }));
}

}  // namespace parlance::cli
