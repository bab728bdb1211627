// What waits for people as bytes, and back.
#include <utility>

#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

using people::Appeal;

void put_asked(std::string& out, const HumanAsked& asked) {
    put(out, asked.id.value);
    put(out, asked.request.value);
    put(out, asked.workflow);
    put(out, asked.step);
    put(out, asked.role);
    put(out, static_cast<std::uint64_t>(asked.kind));
    put(out, asked.question);
    put(out, asked.context);
    put(out, asked.options.size());
    for (const auto& option : asked.options) put(out, option);
    put(out, asked.asked_by);
    put(out, asked.user);
    put(out, asked.deadline_ms);
    put(out, asked.reminder_ms);
    put(out, asked.escalation);
    put(out, static_cast<std::uint64_t>(asked.if_nobody));
    put(out, asked.approvals_needed);
    put(out, asked.state_version);
}

/// So many milliseconds that they can be added to any time.
std::uint64_t take_ms(ByteReader& in) { return take_number(in, std::uint64_t{1} << 50U); }

HumanAsked take_asked(ByteReader& in, TicketOrder& tickets) {
    HumanAsked asked;
    asked.id = tickets.take(in);
    asked.request.value = in.varint();
    asked.workflow = take_text(in);
    asked.step = take_text(in);
    asked.role = take_text(in);
    asked.kind = take_enum(in, HumanKind::Approve, HumanKind::Choose);
    asked.question = take_text(in);
    asked.context = take_text(in);
    const auto options = take_count(in);
    for (std::uint64_t i = 0; i < options; ++i) asked.options.push_back(take_text(in));
    asked.asked_by = take_text(in);
    asked.user = take_text(in);
    asked.deadline_ms = take_ms(in);
    expect(in, asked.deadline_ms > 0);  // Without any time, what waits would be due for ever.
    asked.reminder_ms = take_ms(in);
    asked.escalation = take_text(in);
    asked.if_nobody = take_enum(in, IfNobody::Fail, IfNobody::Wait);
    asked.approvals_needed = static_cast<std::uint32_t>(take_number(in, kApprovalsMax));
    asked.state_version = in.varint();
    return asked;
}

void put_answer(std::string& out, const HumanAnswered& answer) {
    put(out, answer.by);
    put(out, static_cast<std::uint64_t>(answer.decision));
    put(out, answer.reason);
    put(out, answer.content);
    put(out, answer.state_version);
    put(out, std::uint64_t{answer.awaits_another});
    put(out, answer.tokens);
}

HumanAnswered take_answer(ByteReader& in, Ticket id, std::uint64_t form) {
    HumanAnswered answer{.id = id, .by = take_text(in)};
    answer.decision = take_enum(in, HumanDecision::Approve, HumanDecision::Answer);
    answer.reason = take_text(in);
    answer.content = take_text(in);
    answer.state_version = in.varint();
    answer.awaits_another = take_number(in, 1) != 0;
    if (form >= 7) answer.tokens = in.varint();
    return answer;
}

void put_appeal(std::string& out, const Appeal& appeal) {
    put_asked(out, appeal.asked);
    put(out, appeal.asked_at);
    put(out, appeal.term_began);
    put(out, std::uint64_t{appeal.is_reminded});
    put(out, std::uint64_t{appeal.is_escalated});
    put(out, static_cast<std::uint64_t>(appeal.stage));
    put(out, appeal.ended.value);
    put(out, appeal.ended_at);
    put(out, appeal.answers.size());
    for (const auto& answer : appeal.answers) put_answer(out, answer);
    put(out, appeal.end_reason);
    put(out, appeal.news.value);
}

Appeal take_appeal(ByteReader& in, TicketOrder& tickets, std::uint64_t form) {
    Appeal appeal{.asked = take_asked(in, tickets)};
    appeal.asked_at = take_time(in);
    appeal.term_began = take_time(in);
    appeal.is_reminded = take_number(in, 1) != 0;
    appeal.is_escalated = take_number(in, 1) != 0;
    appeal.stage = take_enum(in, people::Stage::Waiting, people::Stage::Withdrawn);
    appeal.ended.value = in.varint();
    appeal.ended_at = take_time(in);
    const auto answers = take_count(in);
    for (std::uint64_t i = 0; i < answers; ++i) {
        appeal.answers.push_back(take_answer(in, appeal.asked.id, form));
    }
    appeal.end_reason = take_text(in);
    if (form >= 7) appeal.news.value = in.varint();
    return appeal;
}

/// One that waits for a message waits for one that is open; and no two have one end or one message.
bool is_sound(const State& state) {
    const auto& people = state.people;
    std::size_t waiting = 0;
    for (const auto& [request, id] : people.by_request) {
        if (broker::find_request(state.requests, request) == nullptr) return false;
    }
    std::size_t asked_by_message = 0;
    for (const auto& [id, appeal] : people.appeals) {
        if (appeal.stage != people::Stage::Waiting) continue;
        ++waiting;
        asked_by_message += appeal.asked.request != Ticket{} ? 1U : 0U;
    }
    return waiting == people.due.size() && asked_by_message == people.by_request.size() &&
           waiting + people.ended.size() == people.appeals.size();
}

}  // namespace

void put_people(std::string& out, const people::People& people) {
    put(out, people.appeals.size());
    for (const auto& [id, appeal] : people.appeals) put_appeal(out, appeal);
}

void take_people(ByteReader& in, State& state, std::uint64_t form) {
    const auto count = take_count(in);
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        auto appeal = take_appeal(in, tickets, form);
        if (!in.ok()) return;
        people::index(state.people, appeal);
        state.people.appeals.emplace(appeal.asked.id, std::move(appeal));
    }
    expect(in, is_sound(state));
}

}  // namespace parlance::core
