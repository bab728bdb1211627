// `parlance audit`: the record of delegations, for audits.
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"

namespace parlance::cli {

namespace {

struct AuditOptions {
    std::string user{};
    std::string agent{};
    std::string since{};
};

constexpr std::size_t kPage = 500;

std::string page_target(const AuditOptions& options, std::int64_t after) {
    std::string target = fmt::format("/v1/delegations?max={}&after={}", kPage, after);
    if (!options.user.empty()) target += "&user=" + percent_encoded(options.user);
    if (!options.agent.empty()) target += "&agent=" + percent_encoded(options.agent);
    if (!options.since.empty()) target += "&since=" + percent_encoded(options.since);
    return target;
}

/// Every row, page by page; `each` gets checked JSON. Returns the exit code.
template <class Each>
int for_each_delegation(const Context& context, const AuditOptions& options, Each each) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    std::int64_t after = 0;
    while (true) {
        const auto response = client->call("GET", page_target(options, after));
        if (!response) return complain(context, response.error());
        if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
            return complain(context, *response);
        }
        const json::Value rows = member(json::root(response->body), "delegations");
        std::size_t count = 0;
        if (rows.is_array()) {
            for (json::Elements elements{rows}; elements.next(); ++count) {
                after = number_member(elements.value, "sequence").value_or(after);
                each(elements.value);
            }
        }
        if (count < kPage) return Done;
    }
}

Cell outcome_of(json::Value row) {
    const auto success = member(row, "success");
    if (success.raw == "true") return {"success", Tone::Green};
    if (success.raw == "null") return {"open", Tone::Cyan};
    const auto refusal = text_member(row, "refusal");
    return {refusal.empty() ? "not done" : refusal, Tone::Yellow};
}

std::vector<Cell> row_of(json::Value row) {
    const auto duration = number_member(row, "duration_ms");
    return {{text_member(row, "created_at"), Tone::Dim},
            {text_member(row, "origin_employee")},
            {text_member(row, "target_employee")},
            {text_member(row, "user_id")},
            outcome_of(row),
            {duration ? std::to_string(*duration) : "–"},
            {text_member(row, "objective")},
            {text_member(row, "request_id"), Tone::Dim}};
}

int list_delegations(const Context& context, const AuditOptions& options) {
    Table table{.columns = {{"AT", Align::Left, 13},
                            {"FROM", Align::Left, 8},
                            {"TO", Align::Left, 8},
                            {"USER", Align::Left, 6},
                            {"OUTCOME", Align::Left, 8},
                            {"MS", Align::Right, 4},
                            {"OBJECTIVE", Align::Left, 10},
                            {"REQUEST", Align::Left, 8}}};
    const int exit = for_each_delegation(context, options, [&](json::Value row) {
        if (context.is_json) {
            fmt::print("{}\n", one_line(row.raw));
        } else {
            table.rows.push_back(row_of(row));
        }
    });
    if (exit != Done || context.is_json) return exit;
    if (table.rows.empty()) {
        fmt::print("No delegations.\n");
    } else {
        fmt::print("{}", render(table, context.out()));
    }
    return Done;
}

}  // namespace

void add_audit(CLI::App& app, Context& context) {
    auto options = std::make_shared<AuditOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"audit",
                                     "What is on record of the agents' doings",
                                     "  parlance audit delegations --user u-7 --since 2025-11-23\n"
                                     "  parlance audit delegations --agent byte-doc --json"});
    verb->require_subcommand(1);
    CLI::App* const delegations =
        add_verb(*verb, {"delegations", "Who delegated what to whom, and what came of it", ""});
    delegations->add_option("--user", options->user, "Only those for this user");
    delegations->add_option("--agent", options->agent, "Only those from or to this agent");
    delegations->add_option("--since", options->since, "Only those from this time on (ISO 8601)");
    delegations->callback(leave(context, options, list_delegations));
}

}  // namespace parlance::cli
