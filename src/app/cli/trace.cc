// `parlance trace` draws a conversation; `parlance stats` shows the time spent in all
// conversations.
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/gantt.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "base/iso_time.h"

namespace parlance::cli {

namespace {

struct TraceOptions {
    std::string id{};
    std::string at{};
    bool shows_messages = false;
};

struct StatsOptions {
    std::string since{};
    bool is_by_type = false;
};

/// The answer as checked JSON, or the exit code of a complaint.
struct Got {
    std::string body{};
    int exit = Done;
};

Got get(const Context& context, const std::string& target) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return {.exit = complain(context, Misused, client.error().message)};
    const auto response = client->call("GET", target);
    if (!response) return {.exit = complain(context, response.error())};
    if (response->status != 200 || !json::check(response->body, json::kDepthMadeMax)) {
        return {.exit = complain(context, *response)};
    }
    return {.body = response->body};
}

template <class Each>
void for_each(json::Value list, Each each) {
    if (!list.is_array()) return;
    for (json::Elements elements{list}; elements.next();) each(elements.value);
}

std::int64_t ms_between(std::string_view from, std::string_view to) {
    const auto begin = parse_iso_time(from);
    const auto end = parse_iso_time(to);
    return begin && end ? (*end - *begin).count() : 0;
}

Tone tone_of(std::string_view status) {
    if (status == "success" || status == "completed") return Tone::Green;
    if (status == "error" || status == "failed") return Tone::Red;
    return Tone::Cyan;
}

Bar bar_of(json::Value message, const std::string& started) {
    const auto from = text_member(message, "from");
    return {.ticket = number_member(message, "ticket").value_or(0),
            .parent = number_member(message, "parent").value_or(0),
            .label = fmt::format("{} → {} {}",
                                 from.empty() ? "the hub" : from,
                                 text_member(message, "to"),
                                 text_member(message, "type")),
            .start_ms = ms_between(started, text_member(message, "accepted_at")),
            .queue_ms = number_member(message, "queue_ms").value_or(0),
            .run_ms = number_member(message, "run_ms").value_or(0),
            .state = text_member(message, "state"),
            .tone = tone_of(text_member(message, "status"))};
}

std::string percentiles_in(json::Value share, std::string_view key) {
    const auto percentiles = member(share, key);
    return fmt::format("{} / {} / {}",
                       number_member(percentiles, "p50").value_or(0),
                       number_member(percentiles, "p90").value_or(0),
                       number_member(percentiles, "p99").value_or(0));
}

std::string render_shares(const Context& context, json::Value shares, bool is_by_type) {
    Table table{.columns = {{"AGENT", Align::Left, 8}}};
    if (is_by_type) table.columns.push_back({"TYPE", Align::Left, 8});
    table.columns.insert(table.columns.end(),
                         {{"MESSAGES", Align::Right, 5},
                          {"FAILED", Align::Right, 5},
                          {"QUEUE ms p50/p90/p99", Align::Right, 12},
                          {"RUN ms p50/p90/p99", Align::Right, 12},
                          {"OWN ms", Align::Right, 6}});
    for_each(shares, [&](json::Value share) {
        const auto failures = number_member(share, "failures").value_or(0);
        std::vector<Cell> row{{text_member(share, "agent"), Tone::Bold}};
        if (is_by_type) row.push_back({text_member(share, "type")});
        row.insert(row.end(),
                   {{std::to_string(number_member(share, "messages").value_or(0))},
                    {std::to_string(failures), failures > 0 ? Tone::Red : Tone::Dim},
                    {percentiles_in(share, "queue_ms")},
                    {percentiles_in(share, "run_ms")},
                    {std::to_string(number_member(share, "own_ms_total").value_or(0))}});
        table.rows.push_back(std::move(row));
    });
    return render(table, context.out());
}

std::string target_of(const TraceOptions& options, std::string_view part) {
    const auto target = fmt::format("/v1/correlations/{}{}", percent_encoded(options.id), part);
    return options.at.empty() ? target : target + "?at=" + percent_encoded(options.at);
}

int show_messages(const Context& context, const TraceOptions& options) {
    auto target = target_of(options, "/messages");
    const char join = options.at.empty() ? '?' : '&';
    std::optional<std::int64_t> after;
    do {
        const auto page =
            get(context, after ? fmt::format("{}{}after={}", target, join, *after) : target);
        if (page.exit != Done) return page.exit;
        const auto root = json::root(page.body);
        for_each(member(root, "messages"), [&](json::Value message) {
            if (context.is_json) {
                fmt::print("{}\n", one_line(message.raw));
            } else {
                fmt::print("{}\n", pretty(context.out(), message));
            }
        });
        after = number_member(root, "next_after");
    } while (after);
    return Done;
}

int show_trace(const Context& context, const TraceOptions& options) {
    if (options.shows_messages) return show_messages(context, options);
    const auto got = get(context, target_of(options, "/timeline"));
    if (got.exit != Done) return got.exit;
    const auto root = json::root(got.body);
    if (context.is_json) {
        fmt::print("{}\n", one_line(got.body));
        return Done;
    }
    const auto screen = context.out();
    const auto status = text_member(root, "status");
    const auto started = text_member(root, "started");
    fmt::print("{}  {}  from {}, {} ms, as of record {}\n\n",
               paint(screen, Tone::Bold, harmless(options.id)),
               paint(screen, tone_of(status), status),
               started,
               number_member(root, "duration_ms").value_or(0),
               number_member(root, "as_of").value_or(0));
    std::vector<Bar> bars;
    for_each(member(root, "messages"),
             [&](json::Value message) { bars.push_back(bar_of(message, started)); });
    fmt::print("{}\n{}\n{}\n",
               draw(bars, screen),
               render_shares(context, member(root, "agents"), false),
               harmless(text_member(root, "bottleneck")));
    return Done;
}

int show_stats(const Context& context, const StatsOptions& options) {
    const auto got =
        get(context,
            options.since.empty() ? "/v1/analytics"
                                  : "/v1/analytics?since=" + percent_encoded(options.since));
    if (got.exit != Done) return got.exit;
    if (context.is_json) {
        fmt::print("{}\n", one_line(got.body));
        return Done;
    }
    const auto root = json::root(got.body);
    if (number_member(root, "messages").value_or(0) == 0) {
        fmt::print("No message has ended yet.\n");
        return Done;
    }
    const auto* const key = options.is_by_type ? "steps" : "agents";
    fmt::print("{}\n{}\n",
               render_shares(context, member(root, key), options.is_by_type),
               harmless(text_member(root, "bottleneck")));
    return Done;
}

}  // namespace

void add_trace(CLI::App& app, Context& context) {
    auto options = std::make_shared<TraceOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"trace",
                  "Draw a conversation: who had what, how long it waited, how long it took",
                  "  parlance trace session_user_1692633600_a7b2c9d4_1692633612\n"
                  "  parlance trace order-7 --at 1042     (as it was at that record)\n"
                  "  parlance trace order-7 --messages    (what was said)"});
    verb->add_option("id", options->id, "The correlation id, or a message's own")->required();
    verb->add_option("--at", options->at, "As it was when this record was the last");
    verb->add_flag("--messages", options->shows_messages, "Every message with its content");
    verb->callback(leave(context, options, show_trace));
}

void add_stats(CLI::App& app, Context& context) {
    auto options = std::make_shared<StatsOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"stats",
                                     "Where the time goes, agent by agent, and the bottleneck",
                                     "  parlance stats --since 2025-11-23T10:00:00Z --by-type"});
    verb->add_option("--since", options->since, "Only of messages from this time on (ISO 8601)");
    verb->add_flag("--by-type", options->is_by_type, "A line for each type of message");
    verb->callback(leave(context, options, show_stats));
}

}  // namespace parlance::cli
