// A human task as bytes, and back: packed in the cold store, and in a snapshot.
#include "core/people/people.h"
#include "core/words.h"

namespace parlance::core::people {

namespace {

/// Larger tasks stay loaded, so that no look copies a long text; beside such a text the rest is
/// small.
constexpr std::size_t kSmallBytes = 4096;

/// The fields that repeat for all tasks of a plan's step: kept once as a common head.
void put_question(std::string& out, const HumanAsked& asked) {
    append_short(out, asked.step);
    append_short(out, asked.role);
    put(out, static_cast<std::uint64_t>(asked.kind));
    append_short(out, asked.question);
    put(out, asked.options.size());
    for (const auto& option : asked.options) append_short(out, option);
    append_short(out, asked.asked_by);
    put(out, asked.deadline_ms);
    put(out, asked.reminder_ms);
    append_short(out, asked.escalation);
    put(out, static_cast<std::uint64_t>(asked.if_nobody));
    put(out, asked.approvals_needed);
}

void take_question(ByteReader& in, HumanAsked& asked) {
    asked.step = take_short(in);
    asked.role = take_short(in);
    asked.kind = take_enum(in, HumanKind::Approve, HumanKind::Choose);
    asked.question = take_short(in);
    const auto options = take_count(in);
    for (std::uint64_t i = 0; i < options; ++i) asked.options.push_back(take_short(in));
    asked.asked_by = take_short(in);
    asked.deadline_ms = in.varint();
    asked.reminder_ms = in.varint();
    asked.escalation = take_short(in);
    asked.if_nobody = take_enum(in, IfNobody::Fail, IfNobody::Wait);
    asked.approvals_needed = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
}

void put_case(std::string& out, const HumanAsked& asked) {
    put(out, asked.request.value);
    append_short(out, asked.workflow);
    append_short(out, asked.context);
    append_short(out, asked.user);
    put(out, asked.state_version);
}

void take_case(ByteReader& in, HumanAsked& asked) {
    asked.request.value = in.varint();
    asked.workflow = take_short(in);
    asked.context = take_short(in);
    asked.user = take_short(in);
    asked.state_version = in.varint();
}

/// As written before form 9.
HumanAsked take_asked(ByteReader& in, Packing packing) {
    HumanAsked asked;
    asked.id.value = in.varint();
    asked.request.value = in.varint();
    asked.workflow = take_text(in, packing);
    asked.step = take_text(in, packing);
    asked.role = take_text(in, packing);
    asked.kind = take_enum(in, HumanKind::Approve, HumanKind::Choose);
    asked.question = take_text(in, packing);
    asked.context = take_text(in, packing);
    const auto options = take_count(in);
    for (std::uint64_t i = 0; i < options; ++i) asked.options.push_back(take_text(in, packing));
    asked.asked_by = take_text(in, packing);
    asked.user = take_text(in, packing);
    asked.deadline_ms = in.varint();
    asked.reminder_ms = in.varint();
    asked.escalation = take_text(in, packing);
    asked.if_nobody = take_enum(in, IfNobody::Fail, IfNobody::Wait);
    asked.approvals_needed = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    asked.state_version = in.varint();
    return asked;
}

void put_answer(std::string& out, const HumanAnswered& answer) {
    append_short(out, answer.by);
    put(out, static_cast<std::uint64_t>(answer.decision));
    append_short(out, answer.reason);
    append_short(out, answer.content);
    put(out, answer.state_version);
    put(out, std::uint64_t{answer.awaits_another});
    put(out, answer.tokens);
}

HumanAnswered take_answer(ByteReader& in, Ticket id, Packing packing) {
    HumanAnswered answer{.id = id, .by = take_text(in, packing)};
    answer.decision = take_enum(in, HumanDecision::Approve, HumanDecision::Answer);
    answer.reason = take_text(in, packing);
    answer.content = take_text(in, packing);
    answer.state_version = in.varint();
    answer.awaits_another = take_number(in, 1) != 0;
    if (packing != Packing::Plain) answer.tokens = in.varint();
    return answer;
}

/// The fields that change after the task was asked.
void take_standing(ByteReader& in, Appeal& appeal, Packing packing) {
    appeal.asked_at = take_any_time(in);
    appeal.term_began = take_any_time(in);
    appeal.is_reminded = take_number(in, 1) != 0;
    appeal.is_escalated = take_number(in, 1) != 0;
    appeal.stage = take_enum(in, Stage::Waiting, Stage::Withdrawn);
    appeal.ended.value = in.varint();
    appeal.ended_at = take_any_time(in);
    const auto answers = take_count(in);
    for (std::uint64_t i = 0; i < answers; ++i) {
        appeal.answers.push_back(take_answer(in, appeal.asked.id, packing));
    }
    appeal.end_reason = take_text(in, packing);
    if (packing != Packing::Plain) appeal.news.value = in.varint();
}

}  // namespace

// Codecs are called as objects, even without state of their own.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
std::size_t AppealCodec::pack(std::string& out, const Appeal& appeal) const {
    const auto begin = out.size();
    put_question(out, appeal.asked);
    const auto head_bytes = out.size() - begin;
    put_case(out, appeal.asked);
    put(out, appeal.asked_at);
    put(out, appeal.term_began);
    put(out, std::uint64_t{appeal.is_reminded});
    put(out, std::uint64_t{appeal.is_escalated});
    put(out, static_cast<std::uint64_t>(appeal.stage));
    put(out, appeal.ended.value);
    put(out, appeal.ended_at);
    put(out, appeal.answers.size());
    for (const auto& answer : appeal.answers) put_answer(out, answer);
    append_short(out, appeal.end_reason);
    put(out, appeal.news.value);
    return head_bytes;
}

Appeal AppealCodec::unpack(Ticket id, ByteReader& in) const {
    Appeal appeal;
    appeal.asked.id = id;
    take_question(in, appeal.asked);
    take_case(in, appeal.asked);
    take_standing(in, appeal, Packing::Sparse);
    return appeal;
}

Appeal AppealCodec::unpack(ByteReader& in, Packing packing) const {
    if (packing == Packing::Sparse) return unpack(Ticket{in.varint()}, in);
    Appeal appeal{.asked = take_asked(in, packing)};
    take_standing(in, appeal, packing);
    return appeal;
}

bool AppealCodec::is_small(const Appeal& appeal) const {
    auto bytes = appeal.asked.context.size() + appeal.asked.question.size();
    for (const auto& option : appeal.asked.options) bytes += option.size();
    for (const auto& answer : appeal.answers) bytes += answer.content.size() + answer.reason.size();
    return bytes <= kSmallBytes;
}
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace parlance::core::people
