// Held requests, which people decide on before the recipient gets them: released, or turned away.
#include <algorithm>

#include <fmt/format.h>

#include "base/mutant.h"
#include "core/admission.h"
#include "core/draft.h"
#include "core/mailbox_room.h"

namespace parlance::core {

namespace {

/// Tokens granted by people: the number they name, else the number that the request asks for.
std::uint64_t given(const RequestHeld& held, std::uint64_t tokens) {
    return tokens > 0 ? tokens : held.tokens_max;
}

/// The token estimate of a request with a stated budget; 0 for a request without, whose estimate is
/// not compared with the usual budget before approval either.
std::uint64_t estimate_of(const RequestHeld& held,
                          const ClaimPtr& stated_claim,
                          std::uint64_t tokens) {
    const bool is_said =
        tokens > 0 || held.has_session || (stated_claim && stated_claim->tokens_max > 0);
    return is_said ? held.tokens_estimated : 0;
}

ClaimPtr claim_of(const State& state, const RequestHeld& held, std::uint64_t tokens) {
    const auto& asked = *broker::find_request(state.requests, held.request)->asked;
    // A workflow step keeps the depth of the plan, whatever its message says.
    const bool is_step = workflow::find_asker(state.workflows, held.request) != Ticket{};
    // A limit to no tools at all, and the hash of the request's words, are not on record.
    const auto stated_claim =
        state.message_writer != nullptr && !is_step ? state.message_writer->claim(asked) : nullptr;
    return std::make_shared<const Claim>(
        Claim{.user = held.user,
              .session = held.session,
              .child_session = held.child_session,
              .capability = held.capability,
              .objective = held.objective,
              .objective_hash = held.objective_hash,
              .words_hash = stated_claim ? stated_claim->words_hash : "",
              .depth = held.depth,
              .depth_max = held.depth_max,
              .tokens_max = given(held, tokens),
              .tokens_estimated = estimate_of(held, stated_claim, tokens),
              .tools = held.tools,
              .limits_tools = stated_claim && stated_claim->limits_tools,
              .has_session = held.has_session,
              .may_repeat = is_step});
}

/// The request as sent, with the claim approved by people.
SendMessage as_sent(const State& state, const RequestHeld& held, std::uint64_t tokens) {
    const auto& request = *broker::find_request(state.requests, held.request);
    SendMessage send{.envelope = request.asked,
                     .priority = request.priority,
                     .claim = claim_of(state, held, tokens)};
    if (const auto* pass = handing::find_pass(state.handing, held.request)) {
        const auto& began = pass->began;
        send.passing = std::make_shared<const Passing>(Passing{.hands_over = began.task != Ticket{},
                                                               .skills = began.skills,
                                                               .wanted = began.wanted,
                                                               .fallback = began.fallback});
    }
    return send;
}

/// Why an approved request cannot go on: the state has changed while it waited.
Failure hindrance(const State& state, const RequestHeld& held, const Envelope& asked) {
    const auto agent = registry::find_agent(state.registry, asked.to());
    if (agent == kNoAgent || !state.registry.agents[agent].is_registered) {
        return {Refusal::AgentNotRegistered,
                fmt::format("recipient '{}' is not registered", asked.to())};
    }
    const bool is_orphan =
        held.parent != Ticket{} && broker::find_request(state.requests, held.parent) == nullptr;
    if (is_orphan) return {Refusal::RequestCancelled, "what it was asked for has its answer"};
    return {};
}

/// Why the handed-over task can no longer go to the recipient of the request.
Failure cannot_hand_over(const Draft& draft, Ticket request, const SendMessage& send) {
    const auto* pass = handing::find_pass(draft.state.handing, request);
    const auto task = pass != nullptr ? pass->began.task : Ticket{};
    if (task != Ticket{} && broker::find_request(draft.state.requests, task) == nullptr) {
        return {
            Refusal::DelegationNotFound,
            fmt::format("task '{}' is over: there is nothing to take over", send.envelope->task())};
    }
    auto no = cannot_pass(draft.state, send);
    return no.refusal == Refusal::None ? cannot_take_over(draft.state, send, draft.now()) : no;
}

/// The guards' verdict on the request with the tokens that people grant.
Admission admission_of(const Draft& draft, const RequestHeld& held, std::uint64_t tokens) {
    const auto send = as_sent(draft.state, held, tokens);
    const Approval approval{.request = held.request, .parent = held.parent, .tokens = tokens};
    return admission(draft.state, draft.cause, send, draft.next_sequence(), nullptr, &approval);
}

void release(Draft& draft, const RequestHeld& held, const governor::Leave& leave) {
    const auto tokens = leave.tokens;
    const auto& state = draft.state;
    const auto request = held.request;
    const auto& asked = *broker::find_request(state.requests, request)->asked;
    const auto send = as_sent(state, held, tokens);
    auto no = cannot_hand_over(draft, request, send);
    if (no.refusal == Refusal::None) no = hindrance(state, held, asked);
    if (no.refusal != Refusal::None) {
        return fail_request(draft, request, no.refusal, std::move(no.detail));
    }
    // A held request counts towards no mailbox, and the recipient's may have filled up meanwhile.
    const auto recipient = registry::find_agent(state.registry, asked.to());
    if (auto lack = lack_in_mailbox(state, recipient, send); !lack.empty()) {
        return fail_request(draft, request, Refusal::MailboxFull, std::move(lack));
    }
    // A limit that people cannot lift holds after the wait as before.
    auto admitted = admission_of(draft, held, is_planted(Mutant::AdmitAnotherBudget) ? 0 : tokens);
    if (admitted.refusal != Refusal::None) {
        return fail_request(draft, request, admitted.refusal, std::move(admitted.detail));
    }
    if (admitted.founded) draft.add(*std::move(admitted.founded));
    const auto deadline = std::min(draft.now() + Duration{held.timeout_ms}, admitted.deadline_max);
    const bool is_shorter = held.expires_at != Time{} && held.expires_at < deadline;
    RequestReleased released{.request = request,
                             .by = leave.by,
                             .deadline = deadline,
                             .expires_at = is_shorter ? held.expires_at : deadline,
                             .tokens = tokens};
    // The recipient goes by the text of the request, so the approved tokens are written there.
    if (given(held, tokens) != held.tokens_max && state.message_writer != nullptr) {
        released.envelope = state.message_writer->allot(asked, tokens);
    }
    draft.add(std::move(released));
    if (admitted.admitted) draft.add(*std::move(admitted.admitted));
    // The recipient has half of the time that begins now; then the next agent is asked.
    if (send.passing) begin_passing(draft, send, {.accepted = request, .deadline = deadline});
}

}  // namespace

Failure cannot_approve(const Draft& draft,
                       const people::HumanTask& human_task,
                       const AnswerHumanTask& answer) {
    const auto found = draft.state.governor.held.find(human_task.asked.request);
    const bool is_meant =
        found != draft.state.governor.held.end() && answer.decision == HumanDecision::Approve;
    if (!is_meant) return {};
    const auto& held = found->second;
    const auto tokens = given(held, answer.tokens);
    for (const auto& other : human_task.answers) {
        if (given(held, other.tokens) == tokens || is_planted(Mutant::ApproveTwoBudgets)) continue;
        return {Refusal::StateVersionStale,
                fmt::format("'{}' has approved {} tokens and not {}: two people approve the same",
                            other.by,
                            given(held, other.tokens),
                            tokens)};
    }
    const auto& asked = *broker::find_request(draft.state.requests, held.request)->asked;
    if (hindrance(draft.state, held, asked).refusal != Refusal::None)
        return {};  // The request fails, whatever people answer.
    const auto needed = admission_of(draft, held, answer.tokens).approvals_needed;
    if (needed <= human_task.asked.approvals_needed || is_planted(Mutant::LetOneDecideForTwo)) {
        return {};
    }
    return {Refusal::HumanAnswerForbidden,
            fmt::format("{} people decide on {} tokens, and it was put to {}: approve fewer, or "
                        "reject it and let it be asked again",
                        needed,
                        tokens,
                        human_task.asked.approvals_needed)};
}

void settle_held(Draft& draft, Ticket request, const AnswerHumanTask& answer) {
    const auto& held = draft.state.governor.held.at(request);
    if (answer.decision == HumanDecision::Approve) {
        if (draft.state.governor.is_stopped) return;  // The request's time begins on release.
        return release(draft, held, {.by = std::string{draft.asker()}, .tokens = answer.tokens});
    }
    fail_request(draft,
                 request,
                 held.refusal,
                 fmt::format("{} '{}' said no: {}",
                             held.detail,
                             draft.asker(),
                             as_kept(answer.reason.empty() ? answer.content : answer.reason)));
}

bool release_approved(Draft& draft) {
    const auto& governor = draft.state.governor;
    if (governor.approved.empty()) return false;
    const auto& [request, leave] = *governor.approved.begin();
    release(draft, governor.held.at(request), leave);
    return true;
}

}  // namespace parlance::core
