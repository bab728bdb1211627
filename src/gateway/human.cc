// Human tasks: created, listed, shown for review and answered; and how a message to people becomes
// a human task.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/iso_time.h"
#include "base/json_write.h"
#include "dialects/matter.h"
#include "gateway/handlers.h"
#include "gateway/intake.h"
#include "gateway/marked_id.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "model/names.h"

namespace parlance::gateway {

namespace {

using core::people::HumanTask;

constexpr std::size_t kQuestionBytesMax = 1'000;

// --- reading a task --------------------------------------------------------------------------

bool read(json::Value value, std::string& text) {
    if (!value.is_string()) return false;
    std::string spare;
    text = value.text(spare);
    return true;
}

bool read(json::Value value, std::uint64_t& number) {
    const auto whole = value.integer();
    if (!whole || *whole < 0) return false;
    number = static_cast<std::uint64_t>(*whole);
    return true;
}

bool read(json::Value value, std::optional<Duration>& time) {
    std::uint64_t ms = 0;
    // About a century: larger times could overflow in sums.
    if (!read(value, ms) || ms > 3'000'000'000'000U) return false;
    time = Duration{static_cast<std::int64_t>(ms)};
    return true;
}

template <class Enum>
bool read_name(json::Value value, Enum& named) {
    std::string text;
    if (!read(value, text)) return false;
    const auto found = enum_named<Enum>(text);
    if (found) named = *found;
    return found.has_value();
}

bool read(json::Value value, std::vector<std::string>& texts) {
    if (!value.is_array()) return false;
    for (json::Elements elements{value}; elements.next();) {
        if (!read(elements.value, texts.emplace_back())) return false;
    }
    return true;
}

struct QuestionField {
    std::string_view name;
    std::string_view rule;
    bool (*read)(json::Value, HumanQuestion&);
};

// clang-format off
constexpr std::array kQuestionFields{
    QuestionField{"question", "must be text", [](json::Value v, HumanQuestion& q) { return read(v, q.text); }},
    QuestionField{"role", "must be text", [](json::Value v, HumanQuestion& q) { return read(v, q.role); }},
    QuestionField{"kind", "must be approve, answer, edit or choose",
                  [](json::Value v, HumanQuestion& q) { return read_name(v, q.kind); }},
    QuestionField{"context", "may be any JSON",
                  [](json::Value v, HumanQuestion& q) { q.context = v.raw; return true; }},
    QuestionField{"options", "must be a list of texts", [](json::Value v, HumanQuestion& q) { return read(v, q.options); }},
    QuestionField{"workflow_id", "must be text", [](json::Value v, HumanQuestion& q) { return read(v, q.workflow); }},
    QuestionField{"step", "must be text", [](json::Value v, HumanQuestion& q) { return read(v, q.step); }},
    QuestionField{"user_id", "must be text", [](json::Value v, HumanQuestion& q) { return read(v, q.user); }},
    QuestionField{"deadline_ms", "must be milliseconds, at least 1",
                  [](json::Value v, HumanQuestion& q) { return read(v, q.deadline) && q.deadline->count() > 0; }},
    QuestionField{"reminder_ms", "must be milliseconds", [](json::Value v, HumanQuestion& q) { return read(v, q.reminder); }},
    QuestionField{"escalate_to", "must be a role", [](json::Value v, HumanQuestion& q) { return read(v, q.escalation); }},
    QuestionField{"if_nobody", "must be fail, reject, approve, escalate or wait",
                  [](json::Value v, HumanQuestion& q) { return read_name(v, q.if_nobody.emplace()); }},
    QuestionField{"approvals_needed", "must be 1 or 2",
                  [](json::Value v, HumanQuestion& q) {
                      std::uint64_t number = 0;
                      const bool is_fit = read(v, number) && number >= 1 && number <= kApprovalsMax;
                      if (is_fit) q.approvals_needed = static_cast<std::uint32_t>(number);
                      return is_fit;
                  }},
    QuestionField{"state_version", "must be a whole number",
                  [](json::Value v, HumanQuestion& q) { return read(v, q.state_version); }},
};
// clang-format on

/// The flaw of the first invalid field; empty if all fields are valid.
std::string read_question(json::Value object, HumanQuestion& question) {
    for (const QuestionField& field : kQuestionFields) {
        const auto value = json::find(object, field.name);
        if (!value || field.read(*value, question)) continue;
        return "\"" + std::string{field.name} + "\" " + std::string{field.rule} + ", and is " +
               json::shortened(value->raw);
    }
    return {};
}

/// The human task of a request, from the fields of a human task in the request's content. Content
/// of any other shape is no error.
HumanQuestion question_in(const Envelope& request) {
    HumanQuestion question;
    const auto matter = dialects::matter_of(request);
    if (json::check(matter.content) && json::root(matter.content).is_object()) {
        HumanQuestion said;
        if (read_question(json::root(matter.content), said).empty()) question = std::move(said);
    }
    // People review the message itself, and the hub knows the user of a request better than its
    // content.
    question.context.clear();
    question.user.clear();
    // The start of the action is enough to recognise the matter; the message has the rest.
    if (question.text.empty()) question.text = json::shortened(matter.action, kQuestionBytesMax);
    return question;
}

// --- showing tasks ---------------------------------------------------------------------------

std::string answers_json(const HumanTask& human_task) {
    std::string out = "[";
    for (const auto& answer : human_task.answers) {
        if (out.size() > 1) out.push_back(',');
        json::ObjectWriter row;
        row.text("by", answer.by)
            .text("decision", enum_name(answer.decision))
            .text("reason", answer.reason);
        if (!answer.content.empty()) row.raw("content", answer.content);
        out += row.done();
    }
    return out + "]";
}

json::ObjectWriter summary_of(const HumanTask& human_task) {
    const auto& asked = human_task.asked;
    json::ObjectWriter out;
    out.text("id", human_task_id(asked.id, human_task.asked_at))
        .text("state", core::people::name_of(human_task.stage))
        .text("role", core::people::role_of(human_task))
        .text("kind", enum_name(asked.kind))
        .text("question", asked.question)
        .text("asked_by", asked.asked_by)
        .text("user_id", asked.user)
        .text("workflow_id", asked.workflow)
        .text("step", asked.step)
        .text("asked_at", print_iso_time(human_task.asked_at))
        .text("deadline", print_iso_time(core::people::deadline_of(human_task)))
        .text("if_nobody", enum_name(asked.if_nobody))
        .text("escalate_to", asked.escalation)
        .integer("approvals_needed", asked.approvals_needed)
        .integer("state_version", static_cast<std::int64_t>(asked.state_version))
        .boolean("notified", human_task.news == Sequence{})
        .raw("answers", answers_json(human_task));
    if (human_task.stage != core::people::Stage::Waiting) {
        out.text("ended_at", print_iso_time(human_task.ended_at))
            .text("reason", human_task.end_reason);
    }
    return out;
}

/// The request of a human task, while the request is open.
EnvelopePtr message_of(const Desk& desk, const HumanTask& human_task) {
    const auto* request =
        core::broker::find_request(desk.engine->state().requests, human_task.asked.request);
    return request == nullptr ? nullptr : request->asked;
}

/// Operators see no personal data here either.
std::string harmless(const Desk& desk, const HumanTask& human_task, const std::string& json) {
    return redacted_document(desk.options, json, workflow_of(desk, human_task));
}

core::Reading<HumanTask> find(const Desk& desk, Call& call) {
    const auto text = call.captures.at(0);
    const auto ticket = parse_ticket(text);
    core::Reading<HumanTask> human_task;
    if (ticket) human_task = core::people::find_human_task(desk.engine->state().people, *ticket);
    if (human_task != nullptr && !names_id(text, human_task_id(*ticket, human_task->asked_at))) {
        human_task = nullptr;
    }
    if (human_task == nullptr) {
        call.exchange->respond(
            problem(Refusal::HumanTaskNotFound,
                    "nothing that was asked is '" + json::shortened(call.captures.at(0)) + "'"));
    }
    return human_task;
}

// --- answering a task ------------------------------------------------------------------------

/// The answer in the requester's dialect, with the requester's own values.
dialects::Reading<EnvelopePtr> reply_to(Desk& desk,
                                        const Envelope& asked,
                                        const AnswerHumanTask& answer,
                                        std::string_view by) {
    json::ObjectWriter result;
    result.text("decision", enum_name(answer.decision)).text("answered_by", by);
    if (!answer.reason.empty()) result.text("reason", answer.reason);
    if (!answer.content.empty()) result.raw("content", answer.content);
    const auto fresh_id = fresh_uuid(desk);
    const auto reply = dialects::read_reply(result.done(),
                                            asked,
                                            {.dialect = asked.dialect(),
                                             .caller = asked.to(),
                                             .fresh_id = fresh_id,
                                             .now = desk.clock(),
                                             .role_of = &desk.role_of});
    if (!reply) return tl::unexpected(reply.error());
    return restored_answer(desk, asked, reply->envelope);
}

/// Nothing, with the call answered, if the body is no answer.
std::optional<AnswerHumanTask> read_human_answer(Call& call, Ticket id) {
    const auto body = read_object(call);
    if (!body) return std::nullopt;
    AnswerHumanTask answer{.id = id, .reason = text_member(*body, "reason")};
    const auto decision = json::find(*body, "decision");
    if (!decision || !read_name(*decision, answer.decision)) {
        call.exchange->respond(problem(Refusal::InputValidationFailed,
                                       "\"decision\" must be approve, reject, edit or answer"));
        return std::nullopt;
    }
    if (const auto content = json::find(*body, "content")) answer.content = content->raw;
    if (const auto tokens = json::find(*body, "tokens"); tokens && !read(*tokens, answer.tokens)) {
        call.exchange->respond(
            problem(Refusal::InputValidationFailed, "\"tokens\" must be a whole number"));
        return std::nullopt;
    }
    if (const auto version = json::find(*body, "expected_version")) {
        if (!read(*version, answer.expected_version.emplace())) {
            call.exchange->respond(problem(Refusal::InputValidationFailed,
                                           "\"expected_version\" must be a whole number"));
            return std::nullopt;
        }
    }
    return answer;
}

}  // namespace

void add_question(SendMessage& message) {
    const auto& envelope = *message.envelope;
    if (envelope.intent() != Intent::Request || !is_for_people(envelope.to())) return;
    message.question = std::make_shared<const HumanQuestion>(question_in(envelope));
}

void post_human(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    OpenHumanTask command;
    if (const auto flaw = read_question(*body, command.question); !flaw.empty()) {
        return call.exchange->respond(problem(Refusal::InputValidationFailed, flaw));
    }
    auto caller = call.caller;
    bring(desk,
          std::move(command),
          {.kind = Pending::Kind::Asked, .exchange = std::move(call.exchange)},
          std::move(caller));
}

void get_humans(Desk& desk, Call& call) {
    const auto& request = call.request();
    const auto role = request.parameter("role");
    const auto state = request.parameter("state");
    const auto count_max =
        std::min<std::uint64_t>(parse_number(request.parameter("max")).value_or(100), 1000);
    const auto after = read_after(desk, call);
    if (!after) return;
    const auto& human_tasks = desk.engine->state().people.human_tasks;
    std::string out;
    std::string last;
    std::uint64_t count = 0;
    auto id = human_tasks.next_after(*after);
    for (; id != Ticket{} && out.size() <= kPageBytesMax; id = human_tasks.next_after(id)) {
        if (count == count_max) break;
        const auto found = human_tasks.at(id);
        const auto& human_task = *found;
        if (!role.empty() && core::people::role_of(human_task) != role) continue;
        const auto wanted = state.empty() ? "waiting" : state;
        if (wanted != "all" && core::people::name_of(human_task.stage) != wanted) continue;
        if (!out.empty()) out.push_back(',');
        out += harmless(desk, human_task, summary_of(human_task).done());
        last = human_task_id(human_task.asked.id, human_task.asked_at);
        ++count;
    }
    const bool is_cut = id != Ticket{} && count < count_max;
    json::ObjectWriter page;
    page.raw("human_tasks", "[" + out + "]");
    if (is_cut) page.text("next_after", last);
    call.exchange->respond({.headers = {}, .body = page.done()});
}

void get_human(Desk& desk, Call& call) {
    const auto human_task = find(desk, call);
    if (human_task == nullptr) return;
    auto out = summary_of(*human_task);
    const auto& asked = human_task->asked;
    out.raw("context", asked.context.empty() ? "null" : asked.context);
    out.raw("options", json::quoted_list(asked.options));
    auto body = harmless(desk, *human_task, out.done());
    if (const auto message = message_of(desk, *human_task)) {
        body.pop_back();
        body += ",\"message\":" + redacted_body(desk.options, *message) + "}";
    }
    call.exchange->respond({.headers = {}, .body = std::move(body)});
}

void post_human_answer(Desk& desk, Call& call) {
    const auto human_task = find(desk, call);
    if (human_task == nullptr) return;
    auto answer = read_human_answer(call, human_task->asked.id);
    if (!answer) return;
    const bool is_held = desk.engine->state().governor.held.contains(human_task->asked.request);
    if (const auto message = is_held ? nullptr : message_of(desk, *human_task)) {
        auto reply = reply_to(desk, *message, *answer, call.caller->agent.value);
        if (!reply) {
            return call.exchange->respond(problem(reply.error(), message->dialect(), desk.clock()));
        }
        answer->reply = *std::move(reply);
    }
    bring_done(desk, call, *std::move(answer));
}

}  // namespace parlance::gateway
