// A request that was asked of people before its recipient: let through, or turned away.
#include <algorithm>

#include <fmt/format.h>

#include "core/admission.h"
#include "core/draft.h"

namespace parlance::core {

namespace {

ClaimPtr claim_of(const RequestHeld& held) {
    return std::make_shared<const Claim>(Claim{.user = held.user,
                                               .session = held.session,
                                               .child_session = held.child_session,
                                               .capability = held.capability,
                                               .objective = held.objective,
                                               .objective_hash = held.objective_hash,
                                               .depth = held.depth,
                                               .depth_max = held.depth_max,
                                               .tokens_max = held.tokens_max,
                                               .tokens_estimated = held.tokens_estimated,
                                               .tools = held.tools,
                                               .has_session = held.has_session});
}

/// Why it cannot go on although people would have it so: the world went on while it waited.
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

void release(Draft& draft, const RequestHeld& held, std::uint64_t tokens) {
    const auto& state = draft.state;
    const auto request = held.request;
    const auto& asked = *broker::find_request(state.requests, request)->asked;
    if (auto no = hindrance(state, held, asked); no.refusal != Refusal::None) {
        return fail_request(draft, request, no.refusal, std::move(no.detail));
    }
    const SendMessage send{.envelope = broker::find_request(state.requests, request)->asked,
                           .claim = claim_of(held)};
    const Approval approval{.request = request, .parent = held.parent, .tokens = tokens};
    // What nobody can allow holds after the wait as it did before.
    auto admitted = admission(state, draft.cause, send, draft.next_sequence(), nullptr, &approval);
    if (admitted.refusal != Refusal::None) {
        return fail_request(draft, request, admitted.refusal, std::move(admitted.detail));
    }
    if (admitted.founded) draft.add(*std::move(admitted.founded));
    const auto deadline = std::min(draft.now() + Duration{held.timeout_ms}, admitted.deadline_max);
    const bool is_shorter = held.expires_at != Time{} && held.expires_at < deadline;
    draft.add(RequestReleased{.request = request,
                              .by = std::string{draft.asker()},
                              .deadline = deadline,
                              .expires_at = is_shorter ? held.expires_at : deadline,
                              .tokens = tokens});
    if (admitted.admitted) draft.add(*std::move(admitted.admitted));
}

}  // namespace

void settle_held(Draft& draft, Ticket request, const AnswerPerson& answer) {
    const auto& held = draft.state.governor.held.at(request);
    if (answer.decision == HumanDecision::Approve) return release(draft, held, answer.tokens);
    fail_request(draft,
                 request,
                 held.refusal,
                 fmt::format("{} '{}' said no: {}",
                             held.detail,
                             draft.asker(),
                             answer.reason.empty() ? answer.content : answer.reason));
}

}  // namespace parlance::core
