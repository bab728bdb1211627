// Health and figures of the hub: for load balancers, Prometheus and browsers.
#include <algorithm>
#include <array>
#include <string>

#include "base/iso_time.h"
#include "base/json_write.h"
#include "gateway/handlers.h"
#include "gateway/notifier.h"
#include "gateway/problem.h"
#include "gateway/unreadable.h"
#include "views/event_names.h"

namespace parlance::gateway {

namespace {

std::string_view condition_name(engine::Condition condition) {
    constexpr std::array<std::string_view, 3> kNames{"serving", "disk_full", "disk_failed"};
    return kNames[static_cast<std::size_t>(condition)];
}

struct Reading {
    HubListing hub;
    engine::Counts engine;
    transport::DoorCounts doors;
    engine::Health health;
    std::size_t inbox = 0;
    views::LedgerStatus views;
    views::ScrubStatus scrub;
    Sequence durable{};
    std::uint64_t bytes_max = 0;
    std::uint64_t people_waiting = 0;
    std::uint64_t workflows = 0;
    NotifierCounts notices{};
    Duration ahead_of_wall_clock{};
};

std::uint64_t lag_of(const views::LedgerStatus& views, Sequence durable) {
    return durable.value - std::min(durable.value, views.folded.value);
}

std::uint64_t positive_ms(Duration duration) {
    return static_cast<std::uint64_t>(std::max(duration, Duration{}).count());
}

views::LedgerStatus views_of(const Desk& desk) {
    return desk.bookkeeper != nullptr ? desk.bookkeeper->status() : views::LedgerStatus{};
}

views::ScrubStatus scrub_of(const Desk& desk) {
    return desk.scrubber != nullptr ? desk.scrubber->status() : views::ScrubStatus{};
}

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Damage to old records stops no message, so the hub stays ready and reports the damage.
constexpr std::size_t kDamagesShown = 10;

std::string damage_json(const views::ScrubStatus& scrub) {
    std::string list;
    for (std::size_t i = 0; i < std::min(scrub.damages.size(), kDamagesShown); ++i) {
        const auto& damage = scrub.damages[i];
        if (i > 0) list += ',';
        list += json::ObjectWriter{}
                    .text("segment", damage.segment)
                    .integer("offset", number(damage.offset))
                    .integer("first", number(damage.first.value))
                    .integer("last", number(damage.last.value))
                    .text("problem", damage.problem)
                    .done();
    }
    return json::ObjectWriter{}
        .text("code", damage_code())
        .text("detail",
              std::to_string(scrub.damages.size()) + " damaged place" +
                  (scrub.damages.size() == 1 ? "" : "s") + " in the journal, " +
                  std::to_string(scrub.damaged_records()) +
                  " records that cannot be read. Stop the hub and restore the segments with "
                  "`parlance journal repair --from COPY`.")
        .integer("places", std::ssize(scrub.damages))
        .integer("records", number(scrub.damaged_records()))
        .raw("first_places", "[" + list + "]")
        .done();
}

struct Metric {
    std::string_view name;
    std::string_view kind;
    std::string_view help;
    std::uint64_t (*value)(const Reading&);
};

constexpr std::array kMetrics{
    Metric{"parlance_ready",
           "gauge",
           "1 while the hub acknowledges.",
           [](const Reading& r) -> std::uint64_t {
               return r.health.condition == engine::Condition::Serving ? 1 : 0;
           }},
    Metric{"parlance_agents",
           "gauge",
           "Registered agents.",
           [](const Reading& r) { return r.hub.agents; }},
    Metric{"parlance_instances",
           "gauge",
           "Live instances of agents.",
           [](const Reading& r) { return r.hub.instances; }},
    Metric{"parlance_messages_waiting",
           "gauge",
           "Messages in mailboxes, not handed over.",
           [](const Reading& r) { return r.hub.waiting; }},
    Metric{"parlance_messages_in_flight",
           "gauge",
           "Messages handed over, not settled.",
           [](const Reading& r) { return r.hub.in_flight; }},
    Metric{"parlance_dead_letters",
           "gauge",
           "Dead letters.",
           [](const Reading& r) { return r.hub.dead; }},
    Metric{"parlance_requests_open",
           "gauge",
           "Requests that await their answer.",
           [](const Reading& r) { return r.hub.open_requests; }},
    Metric{"parlance_message_bytes",
           "gauge",
           "Bytes of all messages in the hub.",
           [](const Reading& r) { return r.hub.bytes; }},
    Metric{"parlance_message_bytes_max",
           "gauge",
           "The most of them (limits.hub_bytes_max).",
           [](const Reading& r) { return r.bytes_max; }},
    Metric{"parlance_remembered_ids",
           "gauge",
           "Message ids by which a repeat is recognised.",
           [](const Reading& r) { return r.hub.remembered_ids; }},
    Metric{"parlance_sequence",
           "counter",
           "The last record of the journal.",
           [](const Reading& r) { return r.hub.sequence.value; }},
    Metric{"parlance_hub_time_ahead_ms",
           "gauge",
           "Milliseconds by which hub time is ahead of the wall clock; 0 if it is not.",
           [](const Reading& r) { return positive_ms(r.ahead_of_wall_clock); }},
    Metric{"parlance_hub_time_behind_ms",
           "gauge",
           "Milliseconds by which hub time is behind the wall clock; 0 if it is not.",
           [](const Reading& r) { return positive_ms(-r.ahead_of_wall_clock); }},
    Metric{"parlance_turns_total",
           "counter",
           "Turns made durable, each with one sync.",
           [](const Reading& r) { return r.engine.turns; }},
    Metric{"parlance_commands_total",
           "counter",
           "Commands decided.",
           [](const Reading& r) { return r.engine.commands; }},
    Metric{"parlance_commands_refused_total",
           "counter",
           "Commands turned away at the inbox: too many at once, or the disk.",
           [](const Reading& r) { return r.engine.commands_refused; }},
    Metric{"parlance_journal_records_total",
           "counter",
           "Records written by this process.",
           [](const Reading& r) { return r.engine.records; }},
    Metric{"parlance_journal_bytes_total",
           "counter",
           "Bytes written by this process.",
           [](const Reading& r) { return r.engine.bytes; }},
    Metric{"parlance_snapshots_total",
           "counter",
           "Snapshots taken by this process.",
           [](const Reading& r) { return r.engine.snapshots; }},
    Metric{"parlance_views_lag_records",
           "gauge",
           "Records of the journal that the views do not have yet.",
           [](const Reading& r) { return lag_of(r.views, r.durable); }},
    Metric{"parlance_views_ready",
           "gauge",
           "1 while the views follow the journal; else GET /v1/hub says why not.",
           [](const Reading& r) -> std::uint64_t { return r.views.problem.empty() ? 1 : 0; }},
    Metric{"parlance_views_failures_total",
           "counter",
           "Times that the views could not be read or written; each is tried again.",
           [](const Reading& r) { return r.views.failures; }},
    Metric{"parlance_views_rebuilds_total",
           "counter",
           "Times that the views were thrown away and written anew.",
           [](const Reading& r) { return r.views.rebuilds; }},
    Metric{"parlance_views_missing_records",
           "gauge",
           "Records that the views left out because they cannot be read.",
           [](const Reading& r) { return r.views.missing_records(); }},
    Metric{"parlance_scrub_bytes_total",
           "counter",
           "Bytes of the journal that the scrub of this process has read again.",
           [](const Reading& r) { return r.scrub.counts.bytes; }},
    Metric{"parlance_scrub_records_total",
           "counter",
           "Records that the scrub of this process has checked.",
           [](const Reading& r) { return r.scrub.counts.records; }},
    Metric{"parlance_scrub_rounds_total",
           "counter",
           "Times that the scrub of this process has read the whole journal.",
           [](const Reading& r) { return r.scrub.counts.rounds; }},
    Metric{"parlance_scrub_round_timestamp_seconds",
           "gauge",
           "When the scrub last came to the end of the journal, since 1970; 0 if not yet.",
           [](const Reading& r) {
               const auto ended = r.scrub.round_ended.time_since_epoch();
               return static_cast<std::uint64_t>(ended / std::chrono::seconds{1});
           }},
    Metric{"parlance_journal_damaged_places",
           "gauge",
           "Places where the scrub found the journal damaged; GET /v1/hub names them.",
           [](const Reading& r) { return std::uint64_t{r.scrub.damages.size()}; }},
    Metric{"parlance_journal_damaged_records",
           "gauge",
           "Records there that cannot be read.",
           [](const Reading& r) { return r.scrub.damaged_records(); }},
    Metric{"parlance_inbox_commands",
           "gauge",
           "Commands waiting for the next turn.",
           [](const Reading& r) { return std::uint64_t{r.inbox}; }},
    Metric{"parlance_connections",
           "gauge",
           "Open connections.",
           [](const Reading& r) { return r.doors.connections_open; }},
    Metric{"parlance_connections_total",
           "counter",
           "Connections accepted.",
           [](const Reading& r) { return r.doors.connections_total; }},
    Metric{"parlance_connections_shed_total",
           "counter",
           "Connections closed for being slow.",
           [](const Reading& r) { return r.doors.connections_shed; }},
    Metric{"parlance_connections_max",
           "gauge",
           "The most connections (doors.connections_max, or fewer where descriptors are few).",
           [](const Reading& r) { return r.doors.connections_max; }},
    Metric{"parlance_slow_readers_closed_total",
           "counter",
           "Connections closed because they did not read what the hub had for them.",
           [](const Reading& r) { return r.doors.slow_readers_closed; }},
    Metric{"parlance_idle_connections_closed_total",
           "counter",
           "Idle connections closed to make room for new ones.",
           [](const Reading& r) { return r.doors.idle_closed; }},
    Metric{"parlance_buffered_bytes",
           "gauge",
           "Bytes that connections hold: unsent, or of requests that are not whole.",
           [](const Reading& r) { return r.doors.buffered_bytes; }},
    Metric{"parlance_out_of_memory_total",
           "counter",
           "Requests and connections that failed because memory could not be allocated.",
           [](const Reading& r) { return r.doors.out_of_memory; }},
    Metric{"parlance_http_requests_total",
           "counter",
           "HTTP requests.",
           [](const Reading& r) { return r.doors.requests_total; }},
    Metric{"parlance_frames_in_total",
           "counter",
           "WebSocket frames received.",
           [](const Reading& r) { return r.doors.frames_in_total; }},
    Metric{"parlance_frames_out_total",
           "counter",
           "WebSocket frames sent.",
           [](const Reading& r) { return r.doors.frames_out_total; }},
    Metric{"parlance_bytes_in_total",
           "counter",
           "Bytes received.",
           [](const Reading& r) { return r.doors.bytes_in_total; }},
    Metric{"parlance_bytes_out_total",
           "counter",
           "Bytes sent.",
           [](const Reading& r) { return r.doors.bytes_out_total; }},
    Metric{"parlance_workflows_running",
           "gauge",
           "Workflows that have begun and not ended.",
           [](const Reading& r) { return r.workflows; }},
    Metric{"parlance_human_tasks_waiting",
           "gauge",
           "Questions that wait for a person.",
           [](const Reading& r) { return r.people_waiting; }},
    Metric{"parlance_notices_sent_total",
           "counter",
           "Mails and words in Slack that told people so.",
           [](const Reading& r) { return r.notices.mail.sent + r.notices.slack.sent; }},
    Metric{"parlance_notices_failed_total",
           "counter",
           "Those that were given up, or for which the queue of their channel was full.",
           [](const Reading& r) { return r.notices.mail.failed + r.notices.slack.failed; }},
    Metric{"parlance_notices_mail_sent_total",
           "counter",
           "Notices that the mail server took.",
           [](const Reading& r) { return r.notices.mail.sent; }},
    Metric{"parlance_notices_mail_failed_total",
           "counter",
           "Notices for the mail server that were given up or refused.",
           [](const Reading& r) { return r.notices.mail.failed; }},
    Metric{"parlance_notices_mail_queued",
           "gauge",
           "Notices that wait for the mail server.",
           [](const Reading& r) { return r.notices.mail.queued; }},
    Metric{"parlance_notices_slack_sent_total",
           "counter",
           "Notices that Slack took.",
           [](const Reading& r) { return r.notices.slack.sent; }},
    Metric{"parlance_notices_slack_failed_total",
           "counter",
           "Notices for Slack that were given up or refused.",
           [](const Reading& r) { return r.notices.slack.failed; }},
    Metric{"parlance_notices_slack_queued",
           "gauge",
           "Notices that wait for Slack.",
           [](const Reading& r) { return r.notices.slack.queued; }},
};

Reading take_reading(const Desk& desk) {
    return {.hub = desk.engine->hub(),
            .engine = desk.engine->counts(),
            .doors = desk.server != nullptr ? desk.server->counts() : transport::DoorCounts{},
            .health = desk.engine->health(),
            .inbox = desk.engine->inbox_size(),
            .views = views_of(desk),
            .scrub = scrub_of(desk),
            .durable = desk.engine->durable(),
            .bytes_max = desk.engine->state().limits.hub_bytes_max,
            .people_waiting = core::people::waiting_count(desk.engine->state().people),
            .workflows = desk.engine->state().workflows.runs.size(),
            .notices = desk.options.notifier ? desk.options.notifier->counts() : NotifierCounts{},
            .ahead_of_wall_clock = desk.engine->ahead_of_wall_clock()};
}

void append_head(std::string& out,
                 std::string_view name,
                 std::string_view kind,
                 std::string_view help) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(kind).append("\n");
}

constexpr std::string_view kPage = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Parlance</title>
<style>
 body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:4rem auto;padding:0 1rem;color:#1b1f24;background:#fbfbf9}
 h1{font-size:2rem;margin:0} .dim{color:#68707a} code{background:#eeeee8;padding:.1em .35em;border-radius:4px}
 table{border-collapse:collapse;width:100%;margin:1.5rem 0} td{border-top:1px solid #e2e2da;padding:.45rem .2rem}
 td:last-child{text-align:right;font-variant-numeric:tabular-nums} a{color:#0b62c4}
</style></head><body>
<h1>Parlance</h1><p class="dim">The hub through which agents talk. Version %VERSION%, hub %HUB%.</p>
<table>%ROWS%</table>
<p><a href="/v1/agents">agents</a> · <a href="/v1/dead-letters">dead letters</a> ·
<a href="/v1/topics">topics</a> · <a href="/v1/events?from=1">events</a> · <a href="/metrics">metrics</a> ·
<a href="/readyz">readiness</a></p>
<p class="dim">Send something: <code>parlance send --as ME --to AGENT '{"hello":"world"}'</code></p>
</body></html>
)";

void put_in(std::string& page, std::string_view mark, std::string_view text) {
    page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

void get_health(Desk& desk, Call& call) {
    call.exchange->respond({.headers = {},
                            .body = json::ObjectWriter{}
                                        .text("status", "alive")
                                        .text("version", desk.options.version)
                                        .done()});
}

void get_ready(Desk& desk, Call& call) {
    const auto health = desk.engine->health();
    const bool is_ready = health.condition == engine::Condition::Serving;
    json::ObjectWriter body;
    body.text("status", is_ready ? "ready" : "not ready")
        .text("condition", condition_name(health.condition))
        .text("reason", health.reason);
    if (const auto scrub = scrub_of(desk); !scrub.damages.empty()) {
        body.raw("damage", damage_json(scrub));
    }
    call.exchange->respond({.status = is_ready ? 200 : 503, .headers = {}, .body = body.done()});
}

void get_hub(Desk& desk, Call& call) {
    const auto hub = desk.engine->hub();
    const auto health = desk.engine->health();
    const auto& limits = desk.engine->state().limits;
    const auto ahead = desk.engine->ahead_of_wall_clock();
    const auto views = views_of(desk);
    const auto scrub = scrub_of(desk);
    const auto views_json =
        json::ObjectWriter{}
            .integer("sequence", number(views.folded.value))
            .integer("lag_records", number(lag_of(views, desk.engine->durable())))
            .text("problem", views.problem)
            .integer("missing_records", number(views.missing_records()))
            .done();
    json::ObjectWriter scrub_json;
    scrub_json.boolean("enabled", desk.scrubber != nullptr)
        .integer("rounds", number(scrub.counts.rounds))
        .integer("bytes", number(scrub.counts.bytes))
        .integer("records", number(scrub.counts.records));
    if (scrub.round_ended != Time{}) {
        scrub_json.text("last_round_at", print_iso_time(scrub.round_ended));
    }
    if (!scrub.damages.empty()) scrub_json.raw("damage", damage_json(scrub));
    call.exchange->respond({.headers = {},
                            .body = json::ObjectWriter{}
                                        .text("hub", hub.hub_id)
                                        .text("version", desk.options.version)
                                        .integer("epoch", number(hub.epoch.value))
                                        .integer("sequence", number(hub.sequence.value))
                                        .integer("agents", number(hub.agents))
                                        .integer("instances", number(hub.instances))
                                        .integer("waiting", number(hub.waiting))
                                        .integer("in_flight", number(hub.in_flight))
                                        .integer("dead_letters", number(hub.dead))
                                        .integer("open_requests", number(hub.open_requests))
                                        .integer("bytes", number(hub.bytes))
                                        .integer("bytes_max", number(limits.hub_bytes_max))
                                        .text("hub_time", print_iso_time(desk.engine->now()))
                                        .integer("hub_time_ahead_ms", ahead.count())
                                        .text("condition", condition_name(health.condition))
                                        .text("reason", health.reason)
                                        .raw("views", views_json)
                                        .raw("scrub", scrub_json.done())
                                        .done()});
}

void get_metrics(Desk& desk, Call& call) {
    const auto reading = take_reading(desk);
    std::string out;
    for (const auto& metric : kMetrics) {
        append_head(out, metric.name, metric.kind, metric.help);
        out.append(metric.name)
            .append(" ")
            .append(std::to_string(metric.value(reading)))
            .append("\n");
    }
    append_head(out, "parlance_events_total", "counter", "Events recorded by this process.");
    const auto names = views::event_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        out.append("parlance_events_total{event=\"").append(names[i]).append("\"} ");
        out.append(std::to_string(reading.engine.events[i])).append("\n");
    }
    call.exchange->respond(
        {.content_type = "text/plain; version=0.0.4", .headers = {}, .body = out});
}

void get_page(Desk& desk, Call& call) {
    const auto hub = desk.engine->hub();
    const std::array<std::pair<std::string_view, std::uint64_t>, 6> rows{
        {{"agents", hub.agents},
         {"live instances", hub.instances},
         {"messages waiting", hub.waiting},
         {"messages in flight", hub.in_flight},
         {"dead letters", hub.dead},
         {"records in the journal", hub.sequence.value}}};
    std::string table;
    for (const auto& [name, value] : rows) {
        table.append("<tr><td>").append(name).append("</td><td>");
        table.append(std::to_string(value)).append("</td></tr>");
    }
    std::string page{kPage};
    put_in(page, "%VERSION%", desk.options.version);
    put_in(page, "%HUB%", hub.hub_id);
    put_in(page, "%ROWS%", table);
    call.exchange->respond(
        {.content_type = "text/html; charset=utf-8",
         .headers = {{"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"}},
         .body = std::move(page)});
}

}  // namespace parlance::gateway
