// A human task as bytes, and back: packed in the cold store, and in a snapshot.
#include "core/people/people.h"
#include "core/words.h"

namespace parlance::core::people {

namespace {

/// Larger tasks stay loaded, so that no look copies a long text; beside such a text the rest is
/// small.
constexpr std::size_t kSmallBytes = 4096;

/// The fields that repeat for all tasks of a plan's step: kept once as a common prefix.
void put_asked_fields(std::string& out, const HumanAsked& asked) {
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

void take_asked_fields(ByteReader& in, HumanAsked& asked) {
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
HumanAsked take_asked(ByteReader& in, RecordEncoding encoding) {
    HumanAsked asked;
    asked.id.value = in.varint();
    asked.request.value = in.varint();
    asked.workflow = take_text(in, encoding);
    asked.step = take_text(in, encoding);
    asked.role = take_text(in, encoding);
    asked.kind = take_enum(in, HumanKind::Approve, HumanKind::Choose);
    asked.question = take_text(in, encoding);
    asked.context = take_text(in, encoding);
    const auto options = take_count(in);
    for (std::uint64_t i = 0; i < options; ++i) asked.options.push_back(take_text(in, encoding));
    asked.asked_by = take_text(in, encoding);
    asked.user = take_text(in, encoding);
    asked.deadline_ms = in.varint();
    asked.reminder_ms = in.varint();
    asked.escalation = take_text(in, encoding);
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

HumanAnswered take_answer(ByteReader& in, Ticket id, RecordEncoding encoding) {
    HumanAnswered answer{.id = id, .by = take_text(in, encoding)};
    answer.decision = take_enum(in, HumanDecision::Approve, HumanDecision::Answer);
    answer.reason = take_text(in, encoding);
    answer.content = take_text(in, encoding);
    answer.state_version = in.varint();
    answer.awaits_another = take_number(in, 1) != 0;
    if (encoding != RecordEncoding::Plain) answer.tokens = in.varint();
    return answer;
}

/// The fields that change after the task was asked.
void take_standing(ByteReader& in, HumanTask& human_task, RecordEncoding encoding) {
    human_task.asked_at = take_any_time(in);
    human_task.term_began = take_any_time(in);
    human_task.is_reminded = take_number(in, 1) != 0;
    human_task.is_escalated = take_number(in, 1) != 0;
    human_task.stage = take_enum(in, Stage::Waiting, Stage::Withdrawn);
    human_task.ended.value = in.varint();
    human_task.ended_at = take_any_time(in);
    const auto answers = take_count(in);
    for (std::uint64_t i = 0; i < answers; ++i) {
        human_task.answers.push_back(take_answer(in, human_task.asked.id, encoding));
    }
    human_task.end_reason = take_text(in, encoding);
    if (encoding != RecordEncoding::Plain) human_task.news.value = in.varint();
}

}  // namespace

// Codecs are called as objects, even without state of their own.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
std::size_t HumanTaskCodec::pack(std::string& out, const HumanTask& human_task) const {
    const auto begin = out.size();
    put_asked_fields(out, human_task.asked);
    const auto prefix_bytes = out.size() - begin;
    put_case(out, human_task.asked);
    put(out, human_task.asked_at);
    put(out, human_task.term_began);
    put(out, std::uint64_t{human_task.is_reminded});
    put(out, std::uint64_t{human_task.is_escalated});
    put(out, static_cast<std::uint64_t>(human_task.stage));
    put(out, human_task.ended.value);
    put(out, human_task.ended_at);
    put(out, human_task.answers.size());
    for (const auto& answer : human_task.answers) put_answer(out, answer);
    append_short(out, human_task.end_reason);
    put(out, human_task.news.value);
    return prefix_bytes;
}

HumanTask HumanTaskCodec::unpack(Ticket id, ByteReader& in) const {
    HumanTask human_task;
    human_task.asked.id = id;
    take_asked_fields(in, human_task.asked);
    take_case(in, human_task.asked);
    take_standing(in, human_task, RecordEncoding::Sparse);
    return human_task;
}

HumanTask HumanTaskCodec::unpack(ByteReader& in, RecordEncoding encoding) const {
    if (encoding == RecordEncoding::Sparse) return unpack(Ticket{in.varint()}, in);
    HumanTask human_task{.asked = take_asked(in, encoding)};
    take_standing(in, human_task, encoding);
    return human_task;
}

bool HumanTaskCodec::is_small(const HumanTask& human_task) const {
    auto bytes = human_task.asked.context.size() + human_task.asked.question.size();
    for (const auto& option : human_task.asked.options) bytes += option.size();
    for (const auto& answer : human_task.answers)
        bytes += answer.content.size() + answer.reason.size();
    return bytes <= kSmallBytes;
}
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace parlance::core::people
