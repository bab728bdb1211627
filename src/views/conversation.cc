#include "views/conversation.h"

#include <algorithm>

#include "base/iso_time.h"
#include "base/json_write.h"

namespace parlance::views {

namespace {

std::int64_t number(std::uint64_t count) { return static_cast<std::int64_t>(count); }

void set_open(Conversation& conversation, const OpenMessage& message) {
    auto& open = conversation.open;
    const auto place = std::ranges::lower_bound(open, message.ticket, {}, &OpenMessage::ticket);
    if (place != open.end() && place->ticket == message.ticket) {
        *place = message;
    } else {
        open.insert(place, message);
    }
}

void involve(Conversation& conversation, const std::string& agent) {
    if (agent.empty() || agent.starts_with("topic:")) return;
    auto& agents = conversation.agents;
    const auto place = std::ranges::lower_bound(agents, agent);
    if (place == agents.end() || *place != agent) agents.insert(place, agent);
}

/// Whether the message, as far as known, decides the conversation's outcome.
bool decides(const Conversation& conversation, const Span& span) {
    const bool is_later = span.sequence >= conversation.decisive;
    const bool is_workflow = conversation.decides == Part::Workflow;
    if (span.part == Part::Workflow) return is_later || !is_workflow;
    return span.part == Part::Request && span.from == conversation.starter && is_later &&
           !is_workflow;
}

bool is_undecided(const OpenMessage& open) {
    return open.part != Part::Workflow && open.standing != Standing::WaitingForHuman;
}

std::string print(const Span& open) {
    return json::ObjectWriter{}
        .text("message_id", open.id)
        .text("from", open.from)
        .text("to", open.to)
        .text("state", row_of(open.course.standing).name)
        .text("since", print_iso_time(open.course.since))
        .done();
}

std::string print(const std::vector<std::string>& agents) {
    std::string list;
    for (const auto& agent : agents) {
        if (!list.empty()) list += ',';
        json::append_quoted(list, agent);
    }
    return "[" + list + "]";
}

}  // namespace

void begin(Conversation& conversation, const Span& span) {
    if (conversation.first == Sequence{} || span.sequence < conversation.first) {
        conversation.first = span.sequence;
        conversation.started = span.accepted_at;
        conversation.starter = span.from;
    }
    conversation.last = std::max(conversation.last, span.sequence);
    conversation.changed = std::max(conversation.changed, span.accepted_at);
    involve(conversation, span.from);
    involve(conversation, span.to);
    if (is_message(span.part)) ++conversation.messages;
    set_open(conversation, {.ticket = span.ticket, .since = span.accepted_at, .part = span.part});
    if (span.part == Part::Request) ++conversation.requests;
    if (!decides(conversation, span)) return;
    conversation.decisive = span.sequence;
    conversation.decides = span.part;
    conversation.outcome = Standing::Waiting;
}

void go_on(Conversation& conversation, const Span& span, Standing before, const Step& step) {
    conversation.last = std::max(conversation.last, step.sequence);
    conversation.changed = std::max(conversation.changed, step.at);
    if (is_message(span.part)) {
        if (is_failure(before)) --conversation.failures;
        if (is_failure(step.to)) ++conversation.failures;
    }
    if (span.sequence == conversation.decisive) conversation.outcome = step.to;
    if (is_open(step.to)) {
        return set_open(
            conversation,
            {.ticket = span.ticket, .since = step.at, .part = span.part, .standing = step.to});
    }
    std::erase_if(conversation.open,
                  [&](const OpenMessage& open) { return open.ticket == span.ticket; });
}

void add(Conversation& conversation, const Span& span, Sequence at) {
    if (span.sequence > at) return;
    begin(conversation, span);
    auto course = course_at_start(span);
    for (const auto& step : steps_of(span).value_or(std::vector<Step>{})) {
        if (step.sequence > at) return;
        const auto before = course.standing;
        take(course, step);
        go_on(conversation, span, before, step);
    }
}

Conversation fold(std::span<const Span> spans, Sequence at) {
    Conversation conversation;
    for (const auto& span : spans) add(conversation, span, at);
    return conversation;
}

std::string_view status_of(const Conversation& conversation) {
    const auto& open = conversation.open;
    const bool waits_for_people =
        std::ranges::find(open, Standing::WaitingForHuman, &OpenMessage::standing) != open.end();
    if (waits_for_people && std::ranges::none_of(open, is_undecided)) return "waiting_for_human";
    if (!open.empty()) return "active";
    const bool has_failed = conversation.decisive != Sequence{} ? is_failure(conversation.outcome)
                                                                : conversation.failures > 0;
    return has_failed ? "failed" : "completed";
}

std::string print(const Conversation& conversation,
                  std::string_view id,
                  std::span<const Span> asked,
                  Sequence as_of) {
    std::string requests;
    for (const auto& request : asked) {
        if (!requests.empty()) requests += ',';
        requests += print(request);
    }
    const auto& open = conversation.open;
    const auto count = [&](Standing standing) {
        return std::ranges::count_if(open, [&](const OpenMessage& each) {
            return each.part != Part::Workflow && each.standing == standing;
        });
    };
    return json::ObjectWriter{}
        .text("correlation_id", id)
        .text("status", status_of(conversation))
        .text("started", print_iso_time(conversation.started))
        .text("changed", print_iso_time(conversation.changed))
        .text("started_by", conversation.starter)
        .raw("agents_involved", print(conversation.agents))
        .integer("messages", number(conversation.messages))
        .integer("requests", number(conversation.requests))
        .integer("failures", number(conversation.failures))
        .integer("open", std::ranges::count_if(open, is_message, &OpenMessage::part))
        .integer("at_work", count(Standing::AtWork))
        .integer("waiting_for_human", count(Standing::WaitingForHuman))
        .integer("open_request_count", std::ranges::count(open, Part::Request, &OpenMessage::part))
        .raw("open_requests", "[" + requests + "]")
        .integer("first_sequence", number(conversation.first.value))
        .integer("last_sequence", number(conversation.last.value))
        .integer("as_of", number(as_of.value))
        .done();
}

}  // namespace parlance::views
