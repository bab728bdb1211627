// Human tasks: how they are opened, who may answer, and what follows with or without an answer.
#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/mutant.h"
#include "core/admission.h"
#include "core/draft.h"
#include "core/inspect.h"
#include "model/names.h"

namespace parlance::core {

namespace {

/// As good as endless; the bound keeps sums of times from overflowing.
constexpr Duration kTimeMax{std::chrono::hours{24 * 365}};

const RoleRules& rules_of(const State& state, std::string_view role) {
    static const RoleRules preset;
    const auto found = state.limits.people.find(role);
    return found == state.limits.people.end() ? preset : found->second;
}

std::uint64_t in_ms(Duration time) {
    return static_cast<std::uint64_t>(std::clamp(time, Duration{}, kTimeMax).count());
}

std::string known_roles(const State& state) {
    std::string names;
    for (const auto& [role, rules] : state.limits.people) {
        names.append(names.empty() ? "" : ", ").append(role);
    }
    return names;
}

bool is_known(const State& state, std::string_view role) {
    const auto& roles = state.limits.people;
    return role.empty() || roles.empty() || roles.contains(role);
}

// --- asking ----------------------------------------------------------------------------------

std::uint64_t bytes_of(const HumanQuestion& question) {
    auto bytes = question.text.size() + question.context.size() + question.step.size() +
                 question.workflow.size() + question.role.size() + question.user.size() +
                 question.escalation.size();
    for (const auto& option : question.options) bytes += sizeof(std::string) + option.size();
    return bytes;
}

/// Why the question cannot be put to anybody.
Failure flaw_of(const Draft& draft, const HumanQuestion& question, std::uint64_t beside = 0) {
    const auto& state = draft.state;
    for (const auto& role : {question.role, question.escalation}) {
        if (is_known(state, role)) continue;
        return {Refusal::HumanRoleUnknown,
                fmt::format("nobody has the role '{}'; there are: {}",
                            json::shortened(role),
                            known_roles(state))};
    }
    if (people::waiting_count(state.people) >= state.limits.human_tasks_max) {
        return {Refusal::HubOverloaded,
                fmt::format("{} questions wait for people, which is the limit (appeals_max)",
                            people::waiting_count(state.people))};
    }
    auto no = lack_of_bytes(state, bytes_of(question) + beside);
    if (no.refusal != Refusal::None) return no;
    if (question.text.empty()) return {Refusal::InputValidationFailed, "it asks nothing"};
    if (question.kind == HumanKind::Choose && question.options.empty()) {
        return {Refusal::InputValidationFailed, "there is nothing to choose from"};
    }
    if (question.approvals_needed > kApprovalsMax) {
        return {Refusal::InputValidationFailed,
                fmt::format("{} people are asked to approve at the most", kApprovalsMax)};
    }
    return {};
}

// --- answering -------------------------------------------------------------------------------

/// Approve, a plain yes, fits every kind but Choose.
constexpr bool fits(HumanKind kind, HumanDecision decision) {
    switch (decision) {
        case HumanDecision::Reject:
            return true;
        case HumanDecision::Approve:
            return kind != HumanKind::Choose;
        case HumanDecision::Edit:
            return kind == HumanKind::Approve || kind == HumanKind::Edit;
        case HumanDecision::Answer:
            return kind == HumanKind::Answer || kind == HumanKind::Choose;
    }
    return false;
}

bool is_option(const HumanAsked& asked, std::string_view content) {
    if (!json::check(content)) return false;
    const auto value = json::root(content);
    std::string spare;
    return value.is_string() &&
           std::ranges::find(asked.options, value.text(spare)) != asked.options.end();
}

/// What is wrong with the answer itself; empty if nothing is.
std::string flaw_of(const people::HumanTask& human_task, const AnswerHumanTask& answer) {
    const auto& asked = human_task.asked;
    if (!fits(asked.kind, answer.decision)) {
        return fmt::format("'{}' is no answer where one is to {}",
                           enum_name(answer.decision),
                           enum_name(asked.kind));
    }
    const bool brings =
        answer.decision == HumanDecision::Edit || answer.decision == HumanDecision::Answer;
    if (answer.decision == HumanDecision::Reject && answer.reason.empty()) {
        return "a rejection needs its reason";
    }
    if (brings && answer.content.empty()) {
        return fmt::format("'{}' needs its content", enum_name(answer.decision));
    }
    if (answer.decision == HumanDecision::Edit && asked.approvals_needed > 1) {
        return "two people approve the same thing; reject it with what should be other";
    }
    if (brings && asked.kind == HumanKind::Choose && !is_option(asked, answer.content)) {
        return "the content must be one of the options";
    }
    return {};
}

/// A full hub still takes answers of so many bytes: people's decisions end waiting tasks.
constexpr std::uint64_t kShortAnswerBytes = 1'024;

/// Why the hub cannot keep the answer.
Failure lack_for(const State& state, const AnswerHumanTask& answer) {
    const auto words = answer.content.size() + answer.reason.size();
    if (words <= kShortAnswerBytes) return {};
    return lack_of_bytes(state, words + (answer.reply ? answer.reply->body().size() : 0));
}

/// True if the person has the role. If nothing names the role's members, every operator has it.
bool has_role(const State& state, const Caller& caller, std::string_view role) {
    if (caller.role == OperatorRole::Admin || role.empty()) return true;
    const auto& operators = rules_of(state, role).operators;
    const auto is_among = [](const auto& names, std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    };
    if (is_among(caller.groups, role) || is_among(operators, caller.agent.value)) return true;
    return caller.groups.empty() && operators.empty();
}

/// Why this caller may not answer the human task at all.
Failure unfit_person(const Draft& draft, const people::HumanTask& human_task) {
    const auto& caller = draft.cause.caller;
    const auto& asked = human_task.asked;
    if (!caller || caller->agent.value.empty()) {
        return {Refusal::IdentityRequired, "an answer is some person's: say whose"};
    }
    const auto& name = caller->agent.value;
    if (!caller->is_operator || caller->role == OperatorRole::Viewer || !caller->user.empty()) {
        return {Refusal::IdentityRoleForbidden,
                fmt::format("'{}' is no operator; questions are answered by people", name)};
    }
    if (name == asked.asked_by || name == asked.user) {
        return {Refusal::HumanAnswerForbidden,
                fmt::format("'{}' asked this; nobody decides on what is their own", name)};
    }
    if (!has_role(draft.state, *caller, people::role_of(human_task))) {
        return {Refusal::HumanAnswerForbidden,
                fmt::format("'{}' does not have the role '{}'", name, people::role_of(human_task))};
    }
    return {};
}

/// Why the human task can no longer be answered.
Failure closed(const Draft& draft, const people::HumanTask& human_task) {
    switch (human_task.stage) {
        case people::Stage::Answered:
            if (is_planted(Mutant::AnswerThePersonTwice)) return {};
            return {Refusal::HumanAlreadyAnswered,
                    fmt::format("'{}' has answered it", human_task.answers.back().by)};
        case people::Stage::Lapsed:
            if (is_planted(Mutant::AnswerTheWithdrawn)) return {};
            return {Refusal::HumanTaskClosed, "its time is over"};
        case people::Stage::Withdrawn:
            if (is_planted(Mutant::AnswerTheWithdrawn)) return {};
            return {Refusal::HumanTaskClosed, "it was withdrawn: " + human_task.end_reason};
        case people::Stage::Waiting:
            break;
    }
    // The time may be over before the hub has recorded the lapse.
    if (people::is_last_term(human_task) && people::deadline_of(human_task) <= draft.now()) {
        return {Refusal::HumanTaskClosed, "its time is over"};
    }
    return {};
}

Failure objection(const Draft& draft,
                  const people::HumanTask& human_task,
                  const AnswerHumanTask& answer) {
    if (auto no = unfit_person(draft, human_task); no.refusal != Refusal::None) return no;
    if (auto no = closed(draft, human_task); no.refusal != Refusal::None) return no;
    const auto version = human_task.asked.state_version;
    if (answer.expected_version && *answer.expected_version != version &&
        !is_planted(Mutant::ApproveSomethingElse)) {
        return {Refusal::StateVersionStale,
                fmt::format("it was asked of version {}, and the answer is to {}",
                            version,
                            *answer.expected_version)};
    }
    if (answer.decision == HumanDecision::Edit &&
        draft.state.governor.held.contains(human_task.asked.request)) {
        return {
            Refusal::InputValidationFailed,
            "a request that waits for leave is not changed: approve it, if need be with another "
            "number of \"tokens\", or reject it with a reason"};
    }
    if (auto flaw = flaw_of(human_task, answer); !flaw.empty()) {
        return {Refusal::InputValidationFailed, std::move(flaw)};
    }
    if (people::has_approved(human_task, draft.asker()) &&
        !is_planted(Mutant::AnswerThePersonTwice)) {
        return {Refusal::HumanAlreadyAnswered,
                fmt::format("'{}' has approved it; another person has to as well", draft.asker())};
    }
    if (auto no = lack_for(draft.state, answer); no.refusal != Refusal::None) return no;
    return cannot_approve(draft, human_task, answer);
}

/// Answers the request of a human task, if a message opened the task.
void pass_on(Draft& draft, const people::HumanTask& human_task, const AnswerHumanTask& answer) {
    const auto* request = broker::find_request(draft.state.requests, human_task.asked.request);
    if (request == nullptr) return;
    draft.add(
        RequestAnswered{.request = request->ticket,
                        .envelope = answer.reply,
                        .ticket = request->waits ? Ticket{} : ticket_at(draft.next_sequence()),
                        .falls_short = answer.decision == HumanDecision::Reject});
    end_handoff(draft, request->ticket, false);
}

// --- when nobody answers ---------------------------------------------------------------------

void lapse(Draft& draft, const people::HumanTask& human_task) {
    const auto& asked = human_task.asked;
    // The people that the task was escalated to have not decided either.
    const auto follows = asked.if_nobody == IfNobody::Escalate ? IfNobody::Fail : asked.if_nobody;
    draft.add(HumanLapsed{asked.id, follows});
    if (broker::find_request(draft.state.requests, asked.request) != nullptr) {
        const std::string reason = "nobody answered in time";
        if (draft.find_copy(asked.request) != nullptr) {
            draft.add(MessageDropped{asked.request, DeliveryFailure::Cancelled, reason});
        }
        // Rejection by silence was agreed when the task was opened; any other lapse may be retried.
        const auto refusal =
            follows == IfNobody::Reject ? Refusal::RequestRejected : Refusal::HumanNotAnswered;
        fail_request(draft, asked.request, refusal, reason);
    }
    after_human_task(draft,
                     human_task,
                     {.stage = people::Stage::Lapsed,
                      .decision = follows == IfNobody::Approve ? HumanDecision::Approve
                                                               : HumanDecision::Reject});
}

void withdraw(Draft& draft, const people::HumanTask& human_task, const std::string& reason) {
    if (draft.has_ended(Thing::HumanTask, human_task.asked.id)) return;
    draft.add(HumanWithdrawn{
        .id = human_task.asked.id, .by = std::string{draft.asker()}, .reason = reason});
    after_human_task(draft, human_task, {.stage = people::Stage::Withdrawn, .reason = reason});
}

}  // namespace

Failure cannot_ask(const Draft& draft, const HumanQuestion& question, std::uint64_t beside) {
    return flaw_of(draft, question, beside);
}

Ticket open_human_task(Draft& draft, const HumanQuestion& question, const HumanAsker& asker) {
    const auto& rules = rules_of(draft.state, question.role);
    const auto id = ticket_at(draft.next_sequence());
    HumanAsked asked{
        .id = id,
        .request = asker.request,
        .workflow = question.workflow,
        .step = question.step,
        .role = question.role,
        .kind = question.kind,
        .question = question.text,
        .context = question.context,
        .options = question.options,
        .asked_by = std::string{asker.by},
        .user = question.user,
        .deadline_ms =
            std::max<std::uint64_t>(in_ms(question.deadline.value_or(rules.deadline)), 1),
        .reminder_ms = in_ms(question.reminder.value_or(rules.reminder)),
        .escalation = question.escalation.empty() ? rules.escalation : question.escalation,
        .if_nobody = question.if_nobody.value_or(rules.if_nobody),
        .approvals_needed = std::max(
            question.approvals_needed == 0 ? rules.approvals_needed : question.approvals_needed,
            1U),
        .state_version = question.state_version,
        .is_by_agent = asker.is_by_agent};
    // A message is answered in its sender's words, and in place of people nobody would find them.
    if (asker.request != Ticket{} && asked.if_nobody == IfNobody::Approve) {
        asked.if_nobody = IfNobody::Fail;
    }
    draft.add(std::move(asked));
    return id;
}

void decide_open_human_task(Draft& draft, const OpenHumanTask& command) {
    const auto& caller = draft.cause.caller;
    const auto& question = command.question;
    if (caller && (!caller->user.empty() || caller->role == OperatorRole::Viewer)) {
        return draft.refuse(
            "human", Refusal::IdentityRoleForbidden, "people are asked by agents and by operators");
    }
    if (caller && !caller->is_operator && !question.user.empty() &&
        !may_act_for_user(*caller, question.user)) {
        return draft.refuse("human",
                            Refusal::UserIsolationViolated,
                            fmt::format("'{}' has no grant for user '{}', and who asks people for "
                                        "a user needs one, also out of that user's work",
                                        draft.asker(),
                                        question.user));
    }
    if (draft.state.governor.is_stopped) {
        return draft.refuse("human", Refusal::FleetStopped, "the fleet is stopped");
    }
    if (auto no = flaw_of(draft, question); no.refusal != Refusal::None) {
        return draft.refuse("human", no.refusal, std::move(no.detail));
    }
    const auto agent = draft.requesting_agent();
    if (!agent.empty()) {
        auto no = check_messages(draft.state, as_sender(draft.state, agent), draft.now());
        if (no.refusal != Refusal::None) {
            return draft.refuse("human", no.refusal, std::move(no.detail), no.retry_after_ms);
        }
    }
    open_human_task(draft, question, {.by = draft.asker(), .is_by_agent = !agent.empty()});
}

void decide_answer_human_task(Draft& draft, const AnswerHumanTask& answer) {
    const auto name = std::to_string(answer.id.value);
    const auto human_task = people::find_human_task(draft.state.people, answer.id);
    if (human_task == nullptr) {
        return draft.refuse(
            name, Refusal::HumanTaskNotFound, fmt::format("nothing that was asked is '{}'", name));
    }
    if (auto no = objection(draft, *human_task, answer); no.refusal != Refusal::None) {
        return draft.refuse(name, no.refusal, std::move(no.detail));
    }
    const bool awaits_another = answer.decision == HumanDecision::Approve &&
                                human_task->answers.size() + 1 < human_task->asked.approvals_needed;
    draft.add(HumanAnswered{
        .id = answer.id,
        .by = std::string{draft.asker()},
        .decision = answer.decision,
        .reason = answer.reason,
        .content = answer.content,
        .state_version = answer.expected_version.value_or(human_task->asked.state_version),
        .awaits_another = awaits_another,
        .tokens = answer.tokens});
    if (awaits_another) return;
    if (draft.state.governor.held.contains(human_task->asked.request)) {
        settle_held(draft, human_task->asked.request, answer);
    } else if (answer.reply) {
        pass_on(draft, *human_task, answer);
    }
    after_human_task(draft,
                     *human_task,
                     {.stage = people::Stage::Answered,
                      .decision = answer.decision,
                      .by = draft.asker(),
                      .reason = answer.reason,
                      .content = answer.content});
}

void decide_told(Draft& draft, const NotePeopleTold& told) {
    const auto human_task = people::find_human_task(draft.state.people, told.id);
    // Newer news may exist by now, of which people were not notified.
    const bool is_meant = human_task != nullptr && human_task->stage == people::Stage::Waiting &&
                          told.news != Sequence{} &&
                          (human_task->news == told.news || is_planted(Mutant::TakeOldNewsForNew));
    if (is_meant) draft.add(HumanNotified{told.id});
}

void withdraw_with(Draft& draft, Ticket request, const std::string& reason) {
    const auto human_task = people::find_by_request(draft.state.people, request);
    if (human_task != nullptr) withdraw(draft, *human_task, reason);
}

bool withdraw_meant(Draft& draft, std::string_view workflow, const std::string& reason) {
    bool any = false;
    // A task opened by a message ends with the message.
    for (const auto ticket : people::find_of_workflow(draft.state.people, workflow)) {
        const auto human_task = people::find_human_task(draft.state.people, ticket);
        if (!draft.may_act_for(human_task->asked.asked_by)) continue;
        const auto& caller = draft.cause.caller;
        if (caller && !may_know_of(draft.state, *caller, human_task->asked.user)) continue;
        withdraw(draft, *human_task, reason);
        any = true;
    }
    return any;
}

bool tend_people(Draft& draft) {
    const auto& people = draft.state.people;
    if (people.due.empty() || people.due.begin()->first > draft.now()) return false;
    const auto found = people::find_human_task(people, people.due.begin()->second);
    const auto& human_task = *found;
    const auto id = human_task.asked.id;
    if (people::deadline_of(human_task) > draft.now()) {
        draft.add(HumanReminded{.id = id});
    } else if (people::is_last_term(human_task)) {
        lapse(draft, human_task);
    } else if (!human_task.asked.escalation.empty() && !human_task.is_escalated) {
        draft.add(HumanEscalated{id, human_task.asked.escalation});
    } else {
        draft.add(HumanReminded{.id = id, .is_overdue = true});
    }
    return true;
}

void after_human_task(Draft& draft,
                      const people::HumanTask& human_task,
                      const HumanOutcome& outcome) {
    end_human_task_of_step(draft, human_task, outcome);
}

}  // namespace parlance::core
