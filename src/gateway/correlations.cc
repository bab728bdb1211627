// GET /v1/correlations/{id} with /messages and /timeline, and GET /v1/analytics: the state of a
// conversation now or earlier, its messages, and the use of time (C5–C7, C12, P3).
//
// An operator sees all of a conversation, an agent only the messages it sent or received: anybody
// can write an id into a message, and must not see the messages of others under the id.
#include <algorithm>

#include "base/iso_time.h"
#include "base/json_write.h"
#include "dialects/id_forms.h"
#include "gateway/admission.h"
#include "gateway/answer_from_views.h"
#include "gateway/handlers.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/unreadable.h"
#include "views/conversation.h"
#include "views/event_reader.h"
#include "views/timeline.h"

namespace parlance::gateway {

namespace {

/// Messages at most in a timeline, and in the figures.
constexpr std::int64_t kTimelineMax = 10'000;
constexpr std::int64_t kAnalyticsMax = 100'000;
/// Open requests that are listed; further requests are only counted.
constexpr std::size_t kOpenMax = 100;

using Responded = Result<transport::Response>;

struct Asked {
    std::string id;
    views::SpanQuery query;
};

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

transport::Response with_body(std::string body) { return {.headers = {}, .body = std::move(body)}; }

transport::Response not_found(std::string_view id, const views::ViewSources& sources) {
    auto detail = "there is no conversation '" + json::shortened(id) + "' of yours";
    // The conversation may be among the missing records.
    if (const auto missing = sources.ledger.missing().list({1}, sources.folded); !missing.empty()) {
        detail += " in what can be read of the journal (missing records: " + missing + ")";
    }
    return problem(Refusal::CorrelationNotFound, detail);
}

/// The agent whose messages the caller may see; empty: all agents.
std::string agent_to_show(const Caller& caller) {
    return caller.role == OperatorRole::None ? caller.agent.value : std::string{};
}

/// The users for whom the caller may see its own requests, as a JSON list.
std::string users_to_show(const Desk& desk, const Caller& caller) {
    if (caller.role != OperatorRole::None || caller.agent.value.empty()) return views::kEverybody;
    auto users = core::users_served(desk.engine->state(), caller.agent.value);
    for (const auto& granted : caller.users) {
        if (granted == "*") return views::kEverybody;
        users.push_back(granted);
    }
    std::string list;
    for (const auto& user : users) {
        if (!list.empty()) list += ',';
        json::append_quoted(list, user);
    }
    return "[" + list + "]";
}

/// The query, or an Error with the flaw of the parameters.
Result<Asked> read_asked(const Call& call, Sequence durable) {
    const auto at = number_in(call.request(), "at");
    const auto after = number_in(call.request(), "after");
    const auto most = number_in(call.request(), "max");
    if (!at || !after || !most) {
        return fail(Fault::Malformed, "at, after and max must be whole numbers");
    }
    if (*at > durable.value) {
        return fail(Fault::Malformed,
                    "at is " + std::to_string(*at) + ", and the last record is " +
                        std::to_string(durable.value));
    }
    if (core::sequence_of(Ticket{*after}) > durable) {
        return fail(Fault::Malformed,
                    "after is " + std::to_string(*after) + ", which is behind the last record (" +
                        std::to_string(durable.value) + ")");
    }
    Asked asked{
        .id = std::string{call.captures.at(0)},
        .query = {
            .agent = agent_to_show(*call.caller), .after = {*after}, .count_max = page_of(*most)}};
    asked.query.correlation = asked.id;
    if (!call.request().parameter("at").empty()) asked.query.at = Sequence{*at};
    return asked;
}

/// The conversation, if there is one. Agents of the correlation dialect know the conversation by an
/// id derived from its own.
Result<std::optional<views::Conversation>> find(const views::ViewSources& sources, Asked& asked) {
    auto& traces = sources.ledger.traces();
    auto found = TRY(traces.conversation(asked.query));
    if (found) return found;
    asked.query.correlation = dialects::workflow_of(asked.id);
    if (asked.query.correlation == asked.id) return std::nullopt;
    return traces.conversation(asked.query);
}

/// Whether the conversation exists, but without a message of the caller.
Result<bool> is_anothers(const views::ViewSources& sources, Asked asked) {
    if (asked.query.agent.empty()) return false;
    asked.query.agent.clear();
    asked.query.correlation = asked.id;
    return TRY(find(sources, asked)).has_value();
}

/// Answers the call with the page that `show` makes of the conversation, or with a refusal.
template <class Show>
void answer_about(Desk& desk, Call& call, Show show) {
    auto asked = read_asked(call, desk.engine->durable());
    if (!asked) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed, asked.error().message));
    }
    asked->query.users = users_to_show(desk, *call.caller);
    answer_from_views(
        desk,
        call,
        desk.engine->durable(),
        [&desk, &loop = desk.loop, asked = *std::move(asked), caller = call.caller, show](
            const views::ViewSources& sources) mutable -> Responded {
            const auto found = TRY(find(sources, asked));
            if (found) return show(sources, asked, *found);
            if (TRY(is_anothers(sources, asked))) {
                loop.post([&desk, caller, id = json::shortened(asked.id)] {
                    record_unseen(
                        desk, Refusal::IdentityMismatch, "conversation '" + id + "'", caller);
                });
            }
            return not_found(asked.id, sources);
        });
}

Sequence shown_as_of(const Asked& asked, const views::ViewSources& sources) {
    return asked.query.at.value_or(sources.folded);
}

/// The message of a span, without personal data: JSON members with the comma in front.
struct Teller {
    const Options& options;
    std::string_view workflow;

    std::string operator()(const MessageAccepted& event) const { return body(*event.envelope); }
    std::string operator()(const RequestAnswered& event) const { return body(*event.envelope); }
    std::string operator()(const RequestFailed& event) const {
        std::string words;
        json::append_quoted(words, redacted_words(options, event.detail, workflow));
        return R"(,"message":null,"detail":)" + words;
    }
    std::string operator()(const auto&) const { return R"(,"message":null)"; }

    std::string body(const Envelope& envelope) const {
        return R"(,"message":)" + redacted_body(options, envelope, workflow);
    }
};

Responded show_messages(const Options& options,
                        const views::ViewSources& sources,
                        const Asked& asked,
                        const views::Conversation& conversation) {
    const auto spans = TRY(sources.ledger.traces().spans(asked.query));
    views::EventReader events{sources};
    std::string list;
    std::int64_t shown = 0;
    Ticket last{};
    for (const auto& span : spans) {
        if (list.size() > kPageBytesMax) break;
        last = span.ticket;
        ++shown;
        if (!views::is_message(span.part)) continue;
        const auto event = events.at(span.sequence);
        if (!event) return unreadable(event.error());
        if (!list.empty()) list += ',';
        // The delegate got placeholders of the tree's scope.
        const auto& scope = span.root.empty() ? span.correlation : span.root;
        list += print(span, std::visit(Teller{options, scope}, *event));
    }
    const bool is_end = shown == std::ssize(spans) && shown < asked.query.count_max;
    json::ObjectWriter page;
    page.text("correlation_id", asked.id)
        .raw("messages", "[" + list + "]")
        .raw("next_after", is_end ? "null" : std::to_string(last.value))
        .integer("as_of", number(shown_as_of(asked, sources).value));
    return with_body(
        with_missing(page.done(), sources, conversation.first, shown_as_of(asked, sources)));
}

std::string list_of(const std::vector<views::Share>& shares) {
    std::string list;
    for (const auto& share : shares) {
        if (!list.empty()) list += ',';
        list += print(share);
    }
    return "[" + list + "]";
}

std::string messages_of(const views::Timeline& timeline) {
    std::string list;
    for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
        if (!list.empty()) list += ',';
        list += print(timeline.spans[i], ",\"own_ms\":" + std::to_string(timeline.own[i].count()));
    }
    return "[" + list + "]";
}

Responded show_timeline(Time now,
                        const views::ViewSources& sources,
                        Asked asked,
                        const views::Conversation& conversation) {
    asked.query.count_max = kTimelineMax;
    const auto spans = TRY(sources.ledger.traces().spans(asked.query));
    const auto timeline = views::timeline_of(spans, asked.query.at ? conversation.changed : now);
    const auto as_of = shown_as_of(asked, sources);
    const auto page = json::ObjectWriter{}
                          .text("correlation_id", asked.id)
                          .text("status", views::status_of(conversation))
                          .text("started", print_iso_time(conversation.started))
                          .integer("duration_ms", timeline.whole.count())
                          .text("bottleneck", views::bottleneck_of(timeline))
                          .raw("agents", list_of(timeline.agents))
                          .raw("steps", list_of(timeline.steps))
                          .raw("messages", messages_of(timeline))
                          .boolean("truncated", std::ssize(spans) == kTimelineMax)
                          .integer("as_of", number(as_of.value))
                          .done();
    return with_body(with_missing(page, sources, conversation.first, as_of));
}

Responded show_analytics(Time since, const views::ViewSources& sources) {
    const auto spans = TRY(sources.ledger.traces().ended_since(since, kAnalyticsMax));
    const auto timeline = views::timeline_of(spans, Time{});
    const auto page = json::ObjectWriter{}
                          .integer("messages", std::ssize(spans))
                          .text("bottleneck", views::bottleneck_of(timeline))
                          .raw("agents", list_of(timeline.agents))
                          .raw("steps", list_of(timeline.steps))
                          .boolean("truncated", std::ssize(spans) == kAnalyticsMax)
                          .integer("as_of", number(sources.folded.value))
                          .done();
    return with_body(with_missing(page, sources, {1}, sources.folded));
}

}  // namespace

void get_correlation(Desk& desk, Call& call) {
    answer_about(
        desk,
        call,
        [](const views::ViewSources& sources,
           const Asked& asked,
           const views::Conversation& conversation) -> Responded {
            const auto open =
                TRY(sources.ledger.traces().open_requests(conversation, asked.query.at, kOpenMax));
            const auto as_of = shown_as_of(asked, sources);
            return with_body(with_missing(
                print(conversation, asked.id, open, as_of), sources, conversation.first, as_of));
        });
}

void get_correlation_messages(Desk& desk, Call& call) {
    answer_about(desk,
                 call,
                 [options = desk.options](const views::ViewSources& sources,
                                          const Asked& asked,
                                          const views::Conversation& conversation) {
                     return show_messages(options, sources, asked, conversation);
                 });
}

void get_correlation_timeline(Desk& desk, Call& call) {
    answer_about(desk,
                 call,
                 [now = desk.clock()](const views::ViewSources& sources,
                                      const Asked& asked,
                                      const views::Conversation& conversation) {
                     return show_timeline(now, sources, asked, conversation);
                 });
}

void get_analytics(Desk& desk, Call& call) {
    Time since{};
    if (const auto text = call.request().parameter("since"); !text.empty()) {
        const auto time = parse_iso_time(text);
        if (!time) {
            return call.exchange->respond(
                problem(Refusal::InputValidationFailed, "since: " + time.error().message));
        }
        since = *time;
    }
    answer_from_views(
        desk, call, desk.engine->durable(), [since](const views::ViewSources& sources) {
            return show_analytics(since, sources);
        });
}

}  // namespace parlance::gateway
