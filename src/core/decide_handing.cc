// Requests whose recipient the hub chooses, requests passed on to the next agent when refused, and
// tasks handed over from agent to agent.
//
// The new holder of a task and the end of its handoff are recorded in the same turn: after any
// crash exactly one agent has the task.
#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/admission.h"
#include "core/broker/lanes.h"
#include "core/draft.h"
#include "core/guards.h"
#include "core/inspect.h"
#include "model/names.h"

namespace parlance::core {

namespace {

using handing::Pass;

/// "vendor, payment" has the domain "vendor".
bool has_domain(const Profile& profile, std::string_view domain) {
    std::string_view rest = profile.domain;
    while (!rest.empty()) {
        const auto end = std::min(rest.find_first_of(", "), rest.size());
        if (rest.substr(0, end) == domain) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

/// Why an open request cannot be passed on to the agent: by the agent's registration, or because
/// the guards refuse the move.
Unfit unfit_to_go_on(const State& state, const SeenBy& seen, Ticket request) {
    auto unfit = unfit_for(state, seen);
    if (unfit.refusal != Refusal::None) return unfit;
    auto move = check_move(state, request, seen.agent, seen.now);
    if (move.refusal != Refusal::None) return {move.refusal, std::move(move.detail)};
    // An accepted handoff moves its task, too: the agent must be fit for both.
    const auto* pass = handing::find_pass(state.handing, request);
    const auto task = pass != nullptr ? pass->began.task : Ticket{};
    if (broker::find_request(state.requests, task) == nullptr) return {};
    move = check_move(state, task, seen.agent, seen.now);
    return {move.refusal, std::move(move.detail)};
}

/// Requirements on the agent that is to get a request.
struct Wanted {
    std::string_view recipient;  ///< "anyone", "capability:CODE" or "domain:NAME".
    const std::vector<std::string>& skills;
    const Envelope& asked;
    bool is_work;  ///< False: a request for help, or a handoff of a task.
    Time now;
    /// The open request being passed on; none: the request has yet to be admitted.
    Ticket passed{};
    /// For a request yet to be admitted: the guards let the agent be asked.
    std::function<bool(std::string_view agent)> is_let{};

    bool is_met_by(const State& state, AgentHandle agent) const {
        if (recipient.starts_with(kDomainPrefix) &&
            !has_domain(state.registry.agents[agent].profile,
                        recipient.substr(kDomainPrefix.size()))) {
            return false;
        }
        if (recipient.starts_with(kCapabilityPrefix) &&
            !registry::has_capability(
                state.registry, agent, recipient.substr(kCapabilityPrefix.size()))) {
            return false;
        }
        // "anyone" is any agent with the needed skills; without skills, no agent.
        if (recipient == kAnyone && skills.empty()) return false;
        return std::ranges::all_of(skills, [&](const std::string& skill) {
            return registry::has_capability(state.registry, agent, skill);
        });
    }
    /// Why a capable agent still cannot have the request.
    Unfit unfit(const State& state, AgentHandle agent) const {
        const bool is_found_by_it = is_work && recipient.starts_with(kCapabilityPrefix);
        const SeenBy seen{.request = asked,
                          .agent = state.registry.agents[agent].id.value,
                          .capability = is_found_by_it ? recipient.substr(kCapabilityPrefix.size())
                                                       : std::string_view{},
                          .now = now};
        return passed == Ticket{} ? unfit_for(state, seen) : unfit_to_go_on(state, seen, passed);
    }
    std::string words() const {
        if (recipient == kAnyone && skills.empty()) {
            return "it is for anyone and does not say what is needed";
        }
        return fmt::format("nobody who could take it is there: {}{}{}",
                           recipient,
                           skills.empty() ? "" : " with ",
                           fmt::join(skills, ", "));
    }
};

struct Found {
    std::string agent{};   ///< Empty: no agent found.
    Unfit unfit{};         ///< Why a capable agent was passed over.
    std::string barred{};  ///< A capable agent that the guards do not allow.
};

/// Among capable agents that may be asked: present agents first, then the least busy.
Found find_taker(const State& state,
                 const Wanted& wanted,
                 const std::vector<std::string>& but_not) {
    Found found;
    AgentHandle best = kNoAgent;
    const auto rank = [&](AgentHandle agent) {
        const auto& mailbox = broker::mailbox_of(state.broker, agent);
        return std::tuple{!is_there(state, agent), mailbox.waiting + mailbox.in_flight};
    };
    for (AgentHandle agent = 0; agent < state.registry.agents.size(); ++agent) {
        const auto& it = state.registry.agents[agent];
        if (!it.is_registered || is_left_alone(state, agent)) continue;
        if (std::ranges::find(but_not, it.id.value) != but_not.end()) continue;
        if (!wanted.is_met_by(state, agent)) continue;
        if (best != kNoAgent && rank(agent) >= rank(best)) continue;
        auto unfit = wanted.unfit(state, agent);
        if (unfit.refusal != Refusal::None) {
            if (found.unfit.refusal == Refusal::None) found.unfit = std::move(unfit);
        } else if (wanted.is_let && !wanted.is_let(it.id.value)) {
            if (found.barred.empty()) found.barred = it.id.value;
        } else {
            best = agent;
        }
    }
    if (best != kNoAgent) found.agent = state.registry.agents[best].id.value;
    return found;
}

/// The agent or people that get a passed-on request next; empty if nobody is left.
std::string next_taker(const State& state, const Pass& pass, const Envelope& asked, Time now) {
    auto but_not = pass.tried;
    but_not.emplace_back(asked.to());
    but_not.emplace_back(asked.from());
    const auto& began = pass.began;
    // A task does not come back to its requester.
    const auto* task = broker::find_request(state.requests, began.task);
    if (task != nullptr) but_not.emplace_back(task->asked->from());
    const auto find = [&](std::string_view recipient) {
        const Wanted wanted{recipient, began.skills, asked, false, now, began.request};
        return find_taker(state, wanted, but_not).agent;
    };
    if (!began.wanted.empty()) {
        auto next = find(began.wanted);
        if (!next.empty()) return next;
    }
    const auto& last = began.fallback;
    if (is_for_one_of_many(last)) return find(last);
    if (last.empty() || std::ranges::find(but_not, last) != but_not.end()) return {};
    if (is_for_people(last)) return last;
    if (find_profile(state, last) == nullptr) return {};
    const SeenBy seen{.request = asked, .agent = last, .now = now};
    const auto unfit = unfit_to_go_on(state, seen, began.request);
    return unfit.refusal == Refusal::None ? last : std::string{};
}

HumanQuestion question_about(const Envelope& asked, std::string_view to, std::string_view why) {
    return {.role = std::string{role_of_recipient(to)},
            .text = fmt::format("'{}' wants somebody for '{}' ({}), and no agent took it: {}",
                                asked.from(),
                                asked.task(),
                                asked.type(),
                                why),
            .workflow = std::string{asked.correlation()}};
}

/// The refusal by the previous holder of a request.
struct No {
    EnvelopePtr reply{};  ///< None: the holder gave no reply.
    std::string why{};
    AnswerKind kind = AnswerKind::Declined;
};

/// True if the next agent could be handed the request after its ttl (D7): the ttl is over, or would
/// be lost with the copy, delivered at most once and dropped by this very decision.
bool would_outlive_ttl(const Draft& draft, const broker::OpenRequest& request) {
    const auto& state = draft.state;
    const auto* copy = broker::find_message(state.broker, request.ticket);
    if (copy == nullptr || copy->expires_at == Time{}) return false;
    if (copy->expires_at <= draft.now()) return true;
    const bool has_ttl = copy->expires_at < broker::deadline_of(state.requests, request);
    return has_ttl && !broker::is_at_least_once(*copy) &&
           draft.has_ended(Thing::Copy, request.ticket);
}

/// Passes an open request on to the next agent or to people; false if nobody can take it.
bool pass_on(Draft& draft, Ticket ticket, const No& no) {
    const auto& state = draft.state;
    const auto* pass = handing::find_pass(state.handing, ticket);
    const auto* request = draft.find_open(ticket);
    if (pass == nullptr || request == nullptr || is_for_people(request->asked->to())) return false;
    // Nobody was given a held request yet, and nobody is before people approve (W9).
    if (request->is_held) return false;
    const auto& asked = *request->asked;
    if (would_outlive_ttl(draft, *request)) return false;
    const auto next = next_taker(state, *pass, asked, draft.now());
    if (next.empty()) return false;
    const auto question =
        is_for_people(next) ? question_about(asked, next, no.why) : HumanQuestion{};
    if (is_for_people(next) && cannot_ask(draft, question).refusal != Refusal::None) return false;
    draft.add(PassingRefused{.request = ticket,
                             .by = std::string{asked.to()},
                             .reply = no.reply,
                             .detail = no.why,
                             .kind = no.kind});
    const auto move = is_for_people(next) ? Move{} : check_move(state, ticket, next, draft.now());
    draft.add(MessageMoved{.ticket = ticket,
                           .envelope = readdressed(state, asked, next),
                           .priority = request->priority,
                           .is_priced = move.is_priced,
                           .cost = move.cost});
    if (is_for_people(next))
        open_human_task(draft, question, {.by = asked.from(), .request = ticket});
    // The request goes on, but the failure still counts against the agent (K21).
    if (no.kind == AnswerKind::Failed) note_answer(draft, asked.to(), no.kind);
    return true;
}

/// The request as put to the agent found for `recipient`.
SendMessage as_asked_of(const State& state,
                        const SendMessage& send,
                        std::string_view recipient,
                        std::string_view agent) {
    auto chosen = send;
    chosen.envelope = readdressed(state, *send.envelope, agent);
    // An agent found by a capability is asked for that capability, whatever the request's words.
    const bool is_found_by_it = !send.passing && recipient.starts_with(kCapabilityPrefix);
    if (is_found_by_it && send.claim && send.claim->capability.empty()) {
        auto claim = *send.claim;
        claim.capability = recipient.substr(kCapabilityPrefix.size());
        chosen.claim = std::make_shared<const Claim>(std::move(claim));
    }
    return chosen;
}

/// The first of the messages about a task: the message behind the task's own, or, if the holder has
/// acknowledged the task and has yet to answer, the head of the task's lane.
Slot behind_task(const State& state, const broker::OpenRequest& task) {
    if (const auto* first = broker::find_message(state.broker, task.ticket)) {
        return first->lane_next;
    }
    const auto holder = registry::find_agent(state.registry, task.asked->to());
    const auto lane =
        broker::find_lane(state.broker, state.key, lane_key(state.key, holder, task.asked->task()));
    return lane ? lane->head : kNoSlot;
}

/// Moves the task and all messages about it to the new holder, in their order.
void move_task(Draft& draft,
               const broker::OpenRequest& task,
               std::string_view to,
               const Move& checked) {
    const auto& state = draft.state;
    const auto& messages = state.broker.messages;
    draft.add(MessageMoved{.ticket = task.ticket,
                           .envelope = readdressed(state, *task.asked, to),
                           // At least once: an agent had the task already, so the move must not be
                           // dropped.
                           .priority = std::min(task.priority, Priority::High),
                           .is_priced = checked.is_priced,
                           .cost = checked.cost});
    for (Slot slot = behind_task(state, task); slot != kNoSlot; slot = messages[slot].lane_next) {
        const auto& each = messages[slot];
        const auto& envelope = *each.envelope;
        // The old holder has read the messages delivered before; messages of a topic have another
        // address. An answer stays with the agent whose request is answered (W1).
        if (envelope.from() != task.asked->from() || was_handed(each) || each.is_answer) continue;
        if (envelope.to() != task.asked->to()) continue;
        const bool is_request = envelope.intent() == Intent::Request;
        draft.add(MessageMoved{
            .ticket = each.ticket,
            .envelope = readdressed(state, envelope, to),
            .priority = is_request ? std::min(each.priority, Priority::High) : each.priority});
    }
}

}  // namespace

Unfit unfit_for(const State& state, const SeenBy& seen) {
    const auto* const profile = find_profile(state, seen.agent);
    const bool is_asked = seen.request.intent() == Intent::Request;
    if (state.message_writer == nullptr || profile == nullptr || !is_asked) return {};
    return state.message_writer->unfit(seen.request,
                                       {.agent = seen.agent,
                                        .dialect = profile->dialect,
                                        .capabilities = profile->capabilities,
                                        .capability = seen.capability},
                                       seen.now);
}

EnvelopePtr readdressed(const State& state, const Envelope& message, std::string_view to) {
    auto other =
        state.message_writer ? state.message_writer->readdress(message, {.to = to}) : nullptr;
    if (other) return other;
    auto header = message.header();
    header.to = to;
    return Envelope::make(header, message.body());
}

const broker::OpenRequest* find_task(const State& state,
                                     std::string_view agent,
                                     std::string_view task) {
    const auto handle = registry::find_agent(state.registry, agent);
    if (handle == kNoAgent) return nullptr;
    const auto lane = broker::find_lane(state.broker, state.key, lane_key(state.key, handle, task));
    if (!lane) return nullptr;
    for (Slot slot = lane->head; slot != kNoSlot; slot = state.broker.messages[slot].lane_next) {
        const auto& message = state.broker.messages[slot];
        // An agent cannot give away a task before its delivery.
        if (message.envelope->intent() != Intent::Request || !was_handed(message)) continue;
        // Two tasks can share a lane, and a handoff is not the task itself.
        if (message.envelope->task() != task) continue;
        if (handing::find_pass(state.handing, message.ticket) != nullptr) continue;
        if (const auto* request = broker::find_request(state.requests, message.ticket)) {
            return request;
        }
    }
    return nullptr;
}

std::string owner_now(const State& state, const Envelope& message) {
    if (message.task().empty() || state.handing.moved.empty()) return {};
    const auto found = state.handing.moved.find(
        {std::string{message.from()}, std::string{message.to()}, std::string{message.task()}});
    if (found == state.handing.moved.end()) return {};
    const auto* request = broker::find_request(state.requests, found->second);
    return request == nullptr ? std::string{} : std::string{request->asked->to()};
}

namespace {

/// The agent that has this task, or will have it on taking the waiting message; empty if none.
std::string_view holder_of(const State& state, std::string_view task) {
    for (const auto* request : broker::find_of_task(state.requests, state.key, task)) {
        const bool is_task = handing::find_pass(state.handing, request->ticket) == nullptr &&
                             broker::find_message(state.broker, request->ticket) != nullptr;
        if (is_task) return request->asked->to();
    }
    return {};
}

/// The owner of a task in the shared state (T12): its assignee, else its creator. Empty: no such
/// task, or no owner.
std::string_view owner_of_shared(const State& state, std::string_view task) {
    const auto* shared = shared::find(state.shared.tasks, task);
    if (shared == nullptr) return {};
    return shared->agent.empty() ? shared->creator : shared->agent;
}

/// Why the sender cannot hand the task over: a task known to the hub, by its request or in the
/// shared state, is handed over only by its holder. An unknown task is the sender's own affair.
Failure not_in_hand(const State& state, const Envelope& envelope) {
    const auto task = envelope.task();
    if (task.empty()) return {};
    if (const auto holder = holder_of(state, task); !holder.empty()) {
        return {Refusal::RouteNotPermitted,
                holder == envelope.from()
                    ? fmt::format("task '{}' is not in your hand yet: take it first", task)
                    : fmt::format("task '{}' is in the hand of '{}', and only that agent hands it "
                                  "over",
                                  task,
                                  holder)};
    }
    // Without the owner's name: the task may belong to a user unrelated to the sender.
    const auto owner = owner_of_shared(state, task);
    if (owner.empty() || owner == envelope.from()) return {};
    return {Refusal::RouteNotPermitted,
            fmt::format("task '{}' is assigned to another agent in the shared state, and only that "
                        "agent hands it over",
                        task)};
}

/// The refusal text for a task that is offered or accepted.
std::string cannot_have(const Envelope& offer, std::string_view why) {
    return fmt::format("'{}' cannot have task '{}': {}", offer.to(), offer.task(), why);
}

}  // namespace

Failure cannot_pass(const State& state, const SendMessage& send) {
    if (!send.passing || !send.passing->hands_over) return {};
    const auto& envelope = *send.envelope;
    const auto* task = find_task(state, envelope.from(), envelope.task());
    if (task == nullptr) return not_in_hand(state, envelope);
    const auto open = state.handing.by_task.find(task->ticket);
    const auto* other = open == state.handing.by_task.end()
                            ? nullptr
                            : broker::find_request(state.requests, open->second);
    // A handoff approved by people is checked again, and must not count as its own obstacle.
    if (other != nullptr && other->asked != send.envelope) {
        return {Refusal::RouteNotPermitted,
                fmt::format("task '{}' is being handed to '{}'; wait for its word",
                            envelope.task(),
                            other->asked->to())};
    }
    if (envelope.to() == task->asked->from() || envelope.to() == envelope.from()) {
        return {Refusal::DelegationCycleDetected,
                fmt::format("Cycle detected: '{}' is who gave or has task '{}'. Do it yourself, or "
                            "return what you have to '{}'.",
                            envelope.to(),
                            envelope.task(),
                            task->asked->from())};
    }
    return {};
}

Failure cannot_take_over(const State& state, const SendMessage& send, Time now) {
    if (!send.passing || !send.passing->hands_over) return {};
    const auto& envelope = *send.envelope;
    const auto* task = find_task(state, envelope.from(), envelope.task());
    if (task == nullptr || find_profile(state, envelope.to()) == nullptr) return {};
    auto move = check_move(state, task->ticket, envelope.to(), now);
    if (move.refusal == Refusal::None) return {};
    return {move.refusal, cannot_have(envelope, move.detail)};
}

void begin_passing(Draft& draft, const SendMessage& send, const SendOutcome& outcome) {
    const auto& passing = *send.passing;
    PassingBegan began{.request = outcome.accepted,
                       .wanted = passing.wanted,
                       .fallback = passing.fallback,
                       .skills = passing.skills};
    const auto* task = find_task(draft.state, send.envelope->from(), send.envelope->task());
    // No record is needed for a request with no next agent, if its sender holds no task that would
    // hold up the answer.
    if (task == nullptr && began.wanted.empty() && began.fallback.empty()) return;
    if (task != nullptr && passing.hands_over) began.task = task->ticket;
    // The next agent needs time, too. The time of a held request has yet to begin.
    const bool has_begun = !outcome.is_held;
    if (has_begun && (!began.fallback.empty() || !began.wanted.empty())) {
        began.patience = draft.now() + (outcome.deadline - draft.now()) / 2;
    }
    draft.add(std::move(began));
}

SendOutcome send_to_one_of_many(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& envelope = *send.envelope;
    auto passing = send.passing ? *send.passing : Passing{};
    const bool is_work = send.passing == nullptr;
    const auto find = [&](std::string_view recipient) {
        const auto is_let = [&](std::string_view agent) {
            const auto asked = as_asked_of(state, send, recipient, agent);
            const auto result = admission(draft.state, draft.cause, asked, draft.next_sequence());
            if (result.refusal != Refusal::None && result.approvals_needed == 0) return false;
            return cannot_take_over(state, asked, draft.now()).refusal == Refusal::None;
        };
        const Wanted wanted{
            recipient, passing.skills, envelope, is_work, draft.now(), Ticket{}, is_let};
        return find_taker(state, wanted, {std::string{envelope.from()}});
    };
    const Wanted wanted{envelope.to(), passing.skills, envelope, is_work, draft.now()};
    auto [taker, unfit, barred] = find(envelope.to());
    passing.wanted = envelope.to();
    if (taker.empty() && !passing.fallback.empty()) {
        taker = std::exchange(passing.fallback, {});
        passing.wanted = {};
        if (is_for_one_of_many(taker)) taker = find(taker).agent;
        const SeenBy seen{.request = envelope, .agent = taker, .now = draft.now()};
        if (auto no = unfit_for(state, seen); no.refusal != Refusal::None) {
            taker.clear();
            unfit = std::move(no);
        }
    }
    // If the guards allow no agent, the send is refused with their reason for one of them.
    if (taker.empty()) taker = std::move(barred);
    if (taker.empty() && unfit.refusal != Refusal::None) {
        return refuse_send(draft, send, unfit.refusal, std::move(unfit.detail));
    }
    if (taker.empty()) {
        return refuse_send(draft, send, Refusal::CapabilityNotRegistered, wanted.words());
    }
    auto chosen = as_asked_of(state, send, passing.wanted, taker);
    // Only a request for help or a handoff is offered to the next agent when refused.
    if (send.passing) chosen.passing = std::make_shared<const Passing>(std::move(passing));
    if (is_for_people(taker)) {
        chosen.question = std::make_shared<const HumanQuestion>(
            question_about(*chosen.envelope, taker, wanted.words()));
    }
    return send_on(draft, chosen);
}

bool is_passed_on(Draft& draft,
                  const broker::OpenRequest& request,
                  const EnvelopePtr& reply,
                  AnswerKind kind) {
    if (draft.state.handing.passes.empty()) return false;
    return pass_on(draft,
                   request.ticket,
                   {.reply = reply,
                    .why = fmt::format("'{}' said no in '{}'", request.asked->to(), reply->id()),
                    .kind = kind});
}

bool is_passed_on(Draft& draft, Ticket request, Refusal refusal, const std::string& detail) {
    const bool may_be = refusal == Refusal::RequestRejected ||
                        refusal == Refusal::RequestUndeliverable ||
                        refusal == Refusal::AgentCircuitOpen;
    if (!may_be || draft.state.handing.passes.empty()) return false;
    // A failure caused by the hub's own restart counts against no agent.
    const bool has_failed =
        governor::is_failure(refusal) && !std::holds_alternative<StartHub>(draft.cause.command);
    return pass_on(draft,
                   request,
                   {.why = detail, .kind = has_failed ? AnswerKind::Failed : AnswerKind::Declined});
}

namespace {

/// Why the agent may no longer have the task that it accepts: the state has changed since the
/// offer.
Failure cannot_take(const State& state,
                    const broker::OpenRequest& offer,
                    std::uint64_t tokens_used,
                    Time now) {
    const auto* pass = handing::find_pass(state.handing, offer.ticket);
    const auto& asked = *offer.asked;
    const auto* profile = find_profile(state, asked.to());
    if (pass == nullptr || pass->began.task == Ticket{} || profile == nullptr) return {};
    if (state.governor.is_stopped) return {Refusal::FleetStopped, "the fleet is stopped"};
    if (broker::deadline_of(state.requests, offer) <= now) {
        return {Refusal::RequestTimedOut, timeout_of(state, offer.ticket)};
    }
    const auto* task = broker::find_request(state.requests, pass->began.task);
    if (task == nullptr || broker::deadline_of(state.requests, *task) <= now) {
        return {Refusal::DelegationNotFound,
                fmt::format("task '{}' is over: there is nothing to take over", asked.task())};
    }
    if (!is_chain_enabled(state.governor.policy,
                          {.from = asked.from(),
                           .to = asked.to(),
                           .from_platform = enum_name(asked.dialect()),
                           .to_platform = enum_name(profile->dialect)})) {
        return {Refusal::RouteNotPermitted, chain_words(asked.from(), asked.to())};
    }
    auto move = check_move(state, task->ticket, asked.to(), now, {offer.ticket, tokens_used});
    if (move.refusal == Refusal::None) return {};
    return {move.refusal, cannot_have(asked, move.detail)};
}

}  // namespace

Failure turn_down(Draft& draft,
                  const broker::OpenRequest& offer,
                  const Envelope& reply,
                  std::uint64_t tokens_used) {
    const auto& state = draft.state;
    if (state.handing.passes.empty()) return {};
    auto no = cannot_take(state, offer, tokens_used, draft.now());
    if (no.refusal == Refusal::None) return {};
    const auto by = draft.asker().empty() ? reply.from() : draft.asker();
    draft.add(MessageRefused{.from = std::string{by},
                             .id = std::string{reply.id()},
                             .refusal = no.refusal,
                             .detail = no.detail});
    // Once the fleet goes on, the agent can still accept the task.
    if (no.refusal == Refusal::FleetStopped) return no;
    const bool is_over =
        no.refusal == Refusal::RequestTimedOut || no.refusal == Refusal::DelegationNotFound;
    if (!is_over && pass_on(draft, offer.ticket, {.why = no.detail})) return no;
    put_away(draft, broker::find_message(state.broker, offer.ticket), no.detail);
    fail_request(draft, offer.ticket, no.refusal, no.detail);
    return no;
}

void end_passing(Draft& draft, const broker::OpenRequest& request, bool is_taken) {
    const auto& state = draft.state;
    const auto* pass = handing::find_pass(state.handing, request.ticket);
    if (pass == nullptr || pass->began.task == Ticket{} || !is_taken) return;
    const auto* task = draft.find_open(pass->began.task);
    if (task == nullptr) return;
    const auto to = request.asked->to();
    const bool is_agents = find_profile(state, to) != nullptr;
    const auto move =
        is_agents ? check_move(state, task->ticket, to, draft.now(), {request.ticket}) : Move{};
    move_task(draft, *task, to, move);
}

bool tend_passings(Draft& draft) {
    const auto& due = draft.state.handing.due;
    if (due.empty() || due.begin()->first > draft.now()) return false;
    const auto ticket = due.begin()->second;
    const auto* request = broker::find_request(draft.state.requests, ticket);
    if (handing::find_call(draft.state.handing, ticket) != nullptr) {
        conclude_call(draft, ticket);
        return true;
    }
    const std::string why = fmt::format("'{}' did not answer in time", request->asked->to());
    if (pass_on(draft, ticket, {.why = why})) return true;
    // No other agent is there: the holder keeps the request until the deadline.
    draft.add(PassingRefused{.request = ticket, .by = {}, .reply = {}, .detail = why});
    return true;
}

}  // namespace parlance::core
