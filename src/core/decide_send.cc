// Decides on an incoming message: may the caller send the message, is it new, does it answer a
// request, is the recipient known, and is there room?
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutant.h"
#include "core/admission.h"
#include "core/capability.h"
#include "core/draft.h"
#include "core/mailbox_room.h"
#include "core/tree_position.h"
#include "model/names.h"

namespace parlance::core {

namespace {

constexpr std::string_view kTopicPrefix = "topic:";
/// A longer ttl is as good as endless; the bound keeps sums of times from overflowing.
constexpr Duration kTtlMax{std::chrono::hours{24 * 365 * 100}};

SendOutcome refuse(Draft& draft,
                   const SendMessage& send,
                   Refusal refusal,
                   std::string detail,
                   std::uint64_t retry_after_ms = 0) {
    return refuse_send(draft, send, refusal, std::move(detail), retry_after_ms);
}

/// Notes a guard that passed, if the caller wants an explanation.
void note(Draft& draft, std::string_view guard, std::string_view detail = {}) {
    if (draft.findings != nullptr) {
        draft.findings->push_back({.guard = guard, .detail = std::string{detail}});
    }
}

/// Notes a guard that refused, and refuses.
SendOutcome refuse(Draft& draft, const SendMessage& send, Finding finding) {
    if (draft.findings != nullptr) draft.findings->push_back(finding);
    return refuse(draft, send, finding.refusal, std::move(finding.detail), finding.retry_after_ms);
}

/// A refusal without a guard's name is noted under "recipient".
void note_refusal(Draft& draft,
                  Refusal refusal,
                  std::string_view detail,
                  std::uint64_t retry_after_ms) {
    if (draft.findings == nullptr) return;
    auto& findings = *draft.findings;
    const bool is_noted = !findings.empty() && findings.back().refusal == refusal &&
                          findings.back().approvals_needed == 0;
    if (!is_noted) findings.push_back({"recipient", refusal, std::string{detail}, retry_after_ms});
}

}  // namespace

SendOutcome refuse_send(Draft& draft,
                        const SendMessage& send,
                        Refusal refusal,
                        std::string detail,
                        std::uint64_t retry_after_ms) {
    const auto& envelope = *send.envelope;
    note_refusal(draft, refusal, detail, retry_after_ms);
    SendOutcome outcome{.refusal = refusal, .detail = detail, .retry_after_ms = retry_after_ms};
    if (is_planted(Mutant::RefuseOffTheRecord)) return outcome;
    // Recorded under the identity that the connection proved, not under the claimed sender.
    const bool is_claimed = draft.asker().empty() || is_planted(Mutant::RefuseTheClaimedSender);
    const auto from = is_claimed ? envelope.from() : draft.asker();
    MessageRefused refused{.from = std::string{from},
                           .id = std::string{envelope.id()},
                           .refusal = refusal,
                           .detail = std::move(detail),
                           .retry_after_ms = retry_after_ms};
    if (send.claim) {
        refused.to = envelope.to();
        refused.user = send.claim->user;
        refused.objective = send.claim->objective;
    }
    draft.add(std::move(refused));
    return outcome;
}

namespace {

/// True if the caller may hear the outcome of an earlier request: with a grant for its user, or if
/// the request was, or would now be, made out of work for that user.
bool may_hear_of(const Draft& draft, const SendMessage& send, Ticket first) {
    const auto& state = draft.state;
    const auto& caller = draft.cause.caller;
    if (!caller || caller->is_operator || !send.claim || send.claim->user.empty()) return true;
    if (send.envelope->intent() != Intent::Request) return true;  // Only requests have an outcome.
    const auto& user = send.claim->user;
    if (may_act_for_user(*caller, user)) return true;
    const auto made = governor::find_delegation(state.governor.lineage, first);
    if (made != nullptr && made->parent != Ticket{}) return true;
    const auto at =
        find_position(state,
                      {.by = registry::find_agent(state.registry, send.envelope->from()),
                       .envelope = *send.envelope,
                       .claim = *send.claim});
    return at.parent != nullptr && at.root->user == user;
}

SendOutcome answer_duplicate(Draft& draft,
                             const SendMessage& send,
                             const broker::Remembered& first,
                             std::uint64_t key) {
    const auto& envelope = *send.envelope;
    // A reply used as an answer is remembered by the hash of its body, since it may have come with
    // a delivery.
    const bool is_same = first.fingerprint == static_cast<std::uint32_t>(send.fingerprint) ||
                         (envelope.intent() == Intent::Reply &&
                          first.fingerprint == static_cast<std::uint32_t>(
                                                   body_key(draft.state.key, envelope.body())));
    if (!is_same && !is_planted(Mutant::AcceptConflictingId)) {
        return refuse(draft,
                      send,
                      {"id",
                       Refusal::MessageIdConflict,
                       "id '" + std::string{envelope.id()} + "' was used by '" +
                           std::string{envelope.from()} + "' with other content"});
    }
    if (!may_hear_of(draft, send, first.ticket)) {
        return refuse(draft,
                      send,
                      {"id",
                       Refusal::UserIsolationViolated,
                       "'" + std::string{envelope.from()} + "' has no grant for user '" +
                           send.claim->user + "' and works on nothing of that user"});
    }
    note(draft, "id", "the same message came before, and its outcome is this one's");
    const bool is_open = broker::find_request(draft.state.requests, first.ticket) != nullptr;
    draft.add(DuplicateReceived{.from = std::string{envelope.from()},
                                .id = std::string{envelope.id()},
                                .first = sequence_of(first.ticket),
                                .ticket = first.ticket,
                                .answer = broker::find_answer(draft.state.dedup, key),
                                .waits = send.waits && is_open});
    return {.repeated = first.ticket};
}

/// Refuses a reply to a request of another agent's: the requester would take the reply for the
/// answer. A former holder of a moved request is recognized earlier.
std::optional<SendOutcome> refuse_forged(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& reply = *send.envelope;
    const auto* request =
        broker::find_asked(state.requests, state.key, reply.to(), reply.answers());
    if (request == nullptr) return std::nullopt;
    const auto responder = request->asked->to();
    // Candidates of a call are asked under ids of their own; only the hub answers the call.
    if (responder == reply.from()) return std::nullopt;
    return refuse(
        draft,
        send,
        Refusal::RouteNotPermitted,
        "request '" + std::string{reply.answers()} + "' of '" + std::string{reply.to()} +
            "' was not asked of '" + std::string{reply.from()} +
            "', which cannot answer it; what is no answer goes without the id of a request");
}

/// Refuses a message about a held request: its target was not given the request, and nothing begins
/// before people approve (W9).
std::optional<SendOutcome> refuse_early(Draft& draft,
                                        const SendMessage& send,
                                        const broker::OpenRequest& request) {
    if (!request.is_held) return std::nullopt;
    return refuse(draft,
                  send,
                  Refusal::RouteNotPermitted,
                  "request '" + std::string{request.asked->id()} + "' of '" +
                      std::string{request.asked->from()} +
                      "' waits for a person's approval and was not given to '" +
                      std::string{send.envelope->from()} + "': answer it once it is delivered");
}

/// The ended request named by the reply's id of a request, though another agent had to answer it:
/// the requester would take the reply for a second answer (W2). None if no such request is known.
Ticket find_answered_by_another(const State& state, const Envelope& reply) {
    if (reply.answers().empty()) return {};
    const auto key = message_key(state.key, reply.to(), reply.answers());
    if (broker::find_answer(state.dedup, key) == Sequence{}) return {};
    const auto request = broker::find_id(state.dedup, key);
    return request ? request->ticket : Ticket{};
}

/// The outcome of a reply to a request, open or ended; none if the reply names no request.
std::optional<SendOutcome> answer_request(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& reply = *send.envelope;
    const auto* request = broker::find_answered(state.requests, state.broker, state.key, reply);
    if (request != nullptr) {
        if (auto early = refuse_early(draft, send, *request)) return early;
        const auto correlation = request->asked->correlation();
        if (!reply.correlation().empty() && reply.correlation() != correlation) {
            return refuse(draft,
                          send,
                          Refusal::InputValidationFailed,
                          "the request belongs to workflow '" + std::string{correlation} +
                              "' and its reply to '" + std::string{reply.correlation()} + "'");
        }
        if (send.falls_short && is_passed_on(draft, *request, send.envelope, send.kind)) {
            return SendOutcome{};
        }
        if (!send.falls_short) {
            auto no = turn_down(draft, *request, reply, send.tokens_used);
            if (no.refusal != Refusal::None) {
                return SendOutcome{.refusal = no.refusal, .detail = std::move(no.detail)};
            }
        }
        note_sources(draft, *request, send.owners);
        draft.add(
            RequestAnswered{.request = request->ticket,
                            .envelope = send.envelope,
                            .ticket = request->waits ? Ticket{} : ticket_at(draft.next_sequence()),
                            .tokens_used = send.tokens_used,
                            .falls_short = send.falls_short,
                            .kind = send.kind});
        note_answer(draft, request->asked->to(), send.kind);
        end_handoff(draft, request->ticket, !send.falls_short);
        end_passing(draft, *request, !send.falls_short);
        if (send.kind == AnswerKind::Done)
            learn_from(draft, request->ticket, {send.facts, send.owners});
        return SendOutcome{};
    }
    auto ended = broker::find_ended(state.dedup, state.key, reply);
    if (ended == Ticket{}) ended = find_answered_by_another(state, reply);
    if (ended == Ticket{}) return refuse_forged(draft, send);
    if (is_planted(Mutant::ShowLateReply)) return std::nullopt;
    draft.add(ReplyDropped{.from = std::string{reply.from()},
                           .id = std::string{reply.id()},
                           .request = ended,
                           .refusal = Refusal::RequestAlreadyAnswered});
    return SendOutcome{};
}

/// The outcome of a progress note for a delivered request; none if the sender has no such request
/// in hand.
std::optional<SendOutcome> report_progress(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& envelope = *send.envelope;
    const auto* request = broker::find_answered(state.requests, state.broker, state.key, envelope);
    if (request == nullptr) {
        // A part behind the whole answer is dropped; a note that names only a task or a workflow is
        // an ordinary message.
        const auto ended = broker::find_ended_by_id(state.dedup, state.key, envelope);
        if (ended == Ticket{}) return std::nullopt;
        draft.add(ReplyDropped{.from = std::string{envelope.from()},
                               .id = std::string{envelope.id()},
                               .request = ended,
                               .refusal = Refusal::RequestAlreadyAnswered});
        return SendOutcome{};
    }
    // A note naming only a task or a workflow may be about some other message.
    if (!envelope.answers().empty()) {
        if (auto early = refuse_early(draft, send, *request)) return early;
    }
    const auto* message = broker::find_message(state.broker, request->ticket);
    if (message == nullptr || message->stage != broker::Stage::Leased) return std::nullopt;
    note_progress(draft, *message, std::string{envelope.body()});
    return SendOutcome{};
}

/// Normal and low messages leave the last tenth of a mailbox to urgent ones.
std::uint64_t share(std::uint64_t limit, Priority priority) {
    return is_urgent(priority) ? limit : limit - limit / 10;
}

/// Why the mailbox cannot hold one more copy within these limits; empty if there is room.
std::string lack_in_mailbox(const State& state,
                            AgentHandle agent,
                            const SendMessage& send,
                            std::uint64_t messages_max,
                            std::uint64_t bytes_max) {
    if (is_planted(Mutant::IgnoreMailboxLimit)) return {};
    const auto& limits = state.limits;
    const auto& mailbox = broker::mailbox_of(state.broker, agent);
    const auto count = mailbox.waiting + mailbox.in_flight + mailbox.dead;
    const auto name = [&] { return "mailbox of '" + state.registry.agents[agent].id.value + "'"; };
    if (count + 1 > messages_max) {
        return name() + " holds " + std::to_string(count) + " messages (" +
               std::to_string(mailbox.dead) + " of them dead letters) of at most " +
               std::to_string(limits.mailbox_messages_max) + " (mailbox_messages_max)";
    }
    if (mailbox.bytes + send.envelope->body().size() > bytes_max) {
        return name() + " holds " + std::to_string(mailbox.bytes) + " bytes of at most " +
               std::to_string(limits.mailbox_bytes_max) + " (mailbox_bytes_max)";
    }
    return {};
}

}  // namespace

std::string lack_in_mailbox(const State& state, AgentHandle agent, const SendMessage& send) {
    const auto& limits = state.limits;
    return lack_in_mailbox(state,
                           agent,
                           send,
                           share(limits.mailbox_messages_max, send.priority),
                           share(limits.mailbox_bytes_max, send.priority));
}

namespace {

/// The same for a copy that becomes a dead letter because the mailbox is full: dead letters may
/// take a tenth more, so they are bounded and leave room for new messages once the mailbox is
/// emptied.
std::string lack_among_dead(const State& state, AgentHandle agent, const SendMessage& send) {
    const auto more = [](std::uint64_t limit) { return limit + limit / 10; };
    const auto& limits = state.limits;
    return lack_in_mailbox(
        state, agent, send, more(limits.mailbox_messages_max), more(limits.mailbox_bytes_max));
}

std::string lack_in_hub(const State& state, const SendMessage& send, std::size_t copies) {
    if (is_planted(Mutant::IgnoreMailboxLimit)) return {};
    const auto& limits = state.limits;
    const auto bytes = copies * send.envelope->body().size() + send.state.size();
    const auto held = bytes_kept(state);
    if (held + bytes <= share(limits.hub_bytes_max, send.priority)) return {};
    return "the hub holds " + std::to_string(held) + " bytes of at most " +
           std::to_string(limits.hub_bytes_max) + " (hub_bytes_max)";
}

SendOutcome accept(Draft& draft,
                   const SendMessage& send,
                   std::size_t missed_count = 0,
                   Time deadline_max = Time::max(),
                   bool is_held = false) {
    const auto& limits = draft.state.limits;
    const bool is_request = send.envelope->intent() == Intent::Request;
    MessageAccepted accepted{
        .ticket = ticket_at(draft.next_sequence()),
        .envelope = send.envelope,
        .priority = send.priority,
        .retry_count_max = std::min(send.retry_count_max.value_or(limits.retry_count_max),
                                    limits.retry_count_ceiling),
        // As many bits as are remembered.
        .fingerprint = static_cast<std::uint32_t>(send.fingerprint),
        .waits = is_request && send.waits,
        .missed_count = static_cast<std::uint32_t>(missed_count),
        .is_held = is_held};
    if (send.ttl) accepted.expires_at = draft.now() + std::clamp(*send.ttl, Duration{}, kTtlMax);
    if (is_request) {
        accepted.deadline = draft.now() + std::clamp(send.timeout.value_or(limits.request_timeout),
                                                     Duration{},
                                                     limits.request_timeout_max);
        accepted.deadline = std::min(accepted.deadline, deadline_max);
        // Nobody waits for the answer after the deadline, so the question is not delivered either.
        if (!send.ttl || accepted.deadline < accepted.expires_at) {
            accepted.expires_at = accepted.deadline;
        }
    }
    SendOutcome outcome{
        .accepted = accepted.ticket, .deadline = accepted.deadline, .is_held = is_held};
    draft.add(std::move(accepted));
    return outcome;
}

/// A copy without room in its subscriber's mailbox.
struct Missed {
    AgentHandle subscriber;
    std::uint64_t number;
    std::string lack;
};

std::vector<Missed> missed_copies(const State& state,
                                  const SendMessage& send,
                                  const std::vector<AgentHandle>& subscribers) {
    std::vector<Missed> missed;
    for (std::size_t i = 0; i < subscribers.size(); ++i) {
        auto lack = lack_in_mailbox(state, subscribers[i], send);
        if (!lack.empty()) missed.push_back({subscribers[i], i, std::move(lack)});
    }
    return missed;
}

void give_up(Draft& draft, Priority priority, Ticket copy, std::string lack) {
    if (is_at_least_once(priority, false)) {
        return draft.add(MessageDeadLettered{copy, DeliveryFailure::MailboxFull, std::move(lack)});
    }
    draft.add(MessageDropped{copy, DeliveryFailure::MailboxFull, std::move(lack)});
}

SendOutcome send_to_topic(Draft& draft, const SendMessage& send, std::string_view topic) {
    const auto& state = draft.state;
    if (send.envelope->intent() == Intent::Request) {
        return refuse(draft,
                      send,
                      Refusal::RouteNotPermitted,
                      "a request needs one recipient, and '" + std::string{send.envelope->to()} +
                          "' is a topic");
    }
    static const std::vector<AgentHandle> nobody;
    const auto found = state.registry.topics.find(TopicName{std::string{topic}});
    const auto& subscribers = found == state.registry.topics.end() ? nobody : found->second;
    const auto refuse_for = [&](std::string lack) {
        return refuse(draft, send, Refusal::MailboxFull, std::move(lack));
    };
    if (auto lack = lack_in_hub(state, send, subscribers.size()); !lack.empty()) {
        return refuse_for(std::move(lack));
    }
    // A full mailbox does not keep the message from the other subscribers (G6), unless the copy
    // must not be lost and has no room among the dead letters either (D1).
    auto missed = missed_copies(state, send, subscribers);
    for (auto& copy : missed) {
        const bool is_lost = is_at_least_once(send.priority, false) &&
                             !lack_among_dead(state, copy.subscriber, send).empty();
        if (is_lost || missed.size() == subscribers.size()) return refuse_for(std::move(copy.lack));
    }
    auto outcome = accept(draft, send, missed.size());
    for (auto& copy : missed) {
        give_up(draft, send.priority, {outcome.accepted.value + copy.number}, std::move(copy.lack));
    }
    return outcome;
}

/// Why the hub cannot keep track of one more request; empty if it can.
std::string lack_of_room(const State& state, const Envelope& envelope) {
    const auto has_room = [&](std::string_view name) {
        return registry::has_room_for(state.registry, name, state.limits.agents_max);
    };
    for (const auto name : {envelope.from(), envelope.to()}) {
        if (has_room(name)) continue;
        return "the hub knows " + std::to_string(state.registry.agents.size()) +
               " names and has no room for '" + std::string{name} + "' (agents_max)";
    }
    if (state.requests.open.size() < state.limits.open_requests_max) return {};
    return "the hub has " + std::to_string(state.requests.open.size()) +
           " open requests, which is its limit (open_requests_max)";
}

/// The bytes that the hub keeps of a request that is in at most one mailbox.
std::uint64_t bytes_of(const SendMessage& send) {
    return send.envelope->body().size() + send.state.size();
}

/// A request to people waits like any other request, and a person's answer is the reply. Without a
/// timeout from the sender, people have the longest time allowed.
SendOutcome send_to_people(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& envelope = *send.envelope;
    if (envelope.intent() != Intent::Request) {
        return refuse(
            draft,
            send,
            Refusal::RouteNotPermitted,
            "people are asked with a request, and '" + std::string{envelope.id()} + "' is none");
    }
    auto question = send.question ? *send.question : HumanQuestion{};
    if (question.text.empty()) question.text = envelope.type();
    question.role = role_of_recipient(envelope.to());
    question.workflow = envelope.correlation();
    if (send.claim) question.user = send.claim->user;
    if (auto no = cannot_ask(draft, question, bytes_of(send)); no.refusal != Refusal::None) {
        return refuse(draft, send, no.refusal, std::move(no.detail));
    }
    auto patient = send;
    if (!patient.timeout) patient.timeout = state.limits.request_timeout_max;
    auto outcome = accept_for_hub(draft, patient);
    if (outcome.refusal != Refusal::None) return outcome;
    // With --dev the caller may be whoever the message names as its sender.
    const auto by = draft.asker().empty() ? envelope.from() : draft.asker();
    open_human_task(draft, question, {.by = by, .request = outcome.accepted});
    return outcome;
}

/// The role that decides on requests beyond a limit, if such a role exists.
constexpr std::string_view kBudgetRole = "budget";

/// Holds a request that people may let through: in no mailbox, with nothing reserved, and with its
/// own time beginning on approval.
SendOutcome hold(Draft& draft, const SendMessage& send, Admission refused) {
    const auto& state = draft.state;
    const auto& envelope = *send.envelope;
    const auto claim = send.claim ? *send.claim : Claim{};
    const bool has_role = state.limits.people.contains(kBudgetRole);
    const HumanQuestion question{.role = has_role ? std::string{kBudgetRole} : std::string{},
                                 .kind = HumanKind::Approve,
                                 .text = refused.detail,
                                 .workflow = std::string{envelope.correlation()},
                                 .user = refused.user,
                                 .approvals_needed = refused.approvals_needed};
    const auto bytes = bytes_of(send) + governor::bytes_of(RequestHeld{.objective = claim.objective,
                                                                       .tools = claim.tools});
    if (auto no = cannot_ask(draft, question, bytes); no.refusal != Refusal::None) {
        return refuse(draft, send, no.refusal, std::move(no.detail));
    }
    auto patient = send;
    patient.timeout = state.limits.request_timeout_max;
    auto outcome = accept(draft, patient, 0, refused.deadline_max, true);
    const auto request = outcome.accepted;
    draft.add(RequestHeld{
        .request = request,
        .refusal = refused.refusal,
        .detail = std::move(refused.detail),
        .timeout_ms = static_cast<std::uint64_t>(
            std::clamp(send.timeout.value_or(state.limits.request_timeout),
                       Duration{},
                       state.limits.request_timeout_max)
                .count()),
        .expires_at = send.ttl ? draft.now() + std::clamp(*send.ttl, Duration{}, kTtlMax) : Time{},
        .retry_count_max = std::min(send.retry_count_max.value_or(state.limits.retry_count_max),
                                    state.limits.retry_count_ceiling),
        .user = claim.user,
        .session = claim.session,
        .child_session = claim.child_session,
        .capability = std::string{capability_asked(
            state, registry::find_agent(state.registry, envelope.to()), claim)},
        .objective = claim.objective,
        .objective_hash = claim.objective_hash,
        .depth = claim.depth,
        .depth_max = claim.depth_max,
        .tokens_max = refused.tokens,
        .tokens_estimated = claim.tokens_estimated,
        .tools = claim.tools,
        .has_session = claim.has_session,
        .parent = refused.parent});
    if (send.passing) begin_passing(draft, send, outcome);
    if (!send.state.empty()) draft.add(StatePushed{request, send.state});
    auto by = draft.asker().empty() ? std::string_view{send.by} : draft.asker();
    if (by.empty()) by = envelope.from();
    open_human_task(draft, question, {.by = by, .request = request});
    return outcome;
}

/// Messages other than requests may concern a user, too (X13): only in no other user's session, and
/// only if the sender has a grant for the user or works for them.
Finding mixes_users(const Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& claim = *send.claim;
    const auto& envelope = *send.envelope;
    const auto violated = [](std::string detail) {
        return Finding{"user", Refusal::UserIsolationViolated, std::move(detail)};
    };
    if (claim.user.empty() || is_planted(Mutant::MixUsers)) return {"user"};
    const bool is_anothers =
        !claim.session.empty() &&
        (is_kept_for_another(state, claim.session, claim.user) ||
         governor::is_of_another(state.governor.lineage, claim.session, claim.user));
    if (is_anothers) {
        return violated("User ID mismatch - security violation: session '" + claim.session +
                        "' is not of user '" + claim.user + "'");
    }
    const auto& caller = draft.cause.caller;
    if (!caller || caller->is_operator || may_act_for_user(*caller, claim.user)) return {"user"};
    const auto work = find_work(state,
                                {.by = envelope.from(),
                                 .session = claim.session,
                                 .correlation = envelope.correlation(),
                                 .user = claim.user});
    if (work != Ticket{}) return {"user"};
    return violated("'" + std::string{envelope.from()} + "' has no grant for user '" + claim.user +
                    "' and works on nothing of that user");
}

/// The checks of every new message, whatever its content.
Finding unwelcome(Draft& draft, const Envelope& envelope) {
    if (draft.state.governor.is_stopped) {
        return {"fleet", Refusal::FleetStopped, "the fleet is stopped"};
    }
    note(draft, "fleet");
    if (!counts_as_sent(envelope.from())) {
        note(draft, "messages", "it is the hub's own, and who set it to work has sent it");
        return {};
    }
    const Subject sender{.platform = enum_name(envelope.dialect()), .agent = envelope.from()};
    auto finding = check_messages(draft.state, sender, draft.now(), 1, draft.findings != nullptr);
    const bool passes = finding.refusal == Refusal::None;
    if (passes && draft.findings != nullptr) draft.findings->push_back(finding);
    return finding;
}

}  // namespace

Failure lack_of_bytes(const State& state, std::uint64_t bytes) {
    const auto kept = bytes_kept(state);
    if (kept + bytes <= state.limits.hub_bytes_max || is_planted(Mutant::IgnoreMailboxLimit)) {
        return {};
    }
    return {Refusal::HubOverloaded,
            "the hub holds " + std::to_string(kept) + " bytes of at most " +
                std::to_string(state.limits.hub_bytes_max) + " (hub_bytes_max), and this is " +
                std::to_string(bytes) + " more"};
}

SendOutcome accept_for_hub(Draft& draft, const SendMessage& send, Time deadline_max) {
    const auto& state = draft.state;
    const auto mailbox = registry::find_agent(state.registry, send.envelope->to());
    auto full = mailbox == kNoAgent ? std::string{} : lack_in_mailbox(state, mailbox, send);
    if (full.empty()) full = lack_in_hub(state, send, 1);
    if (!full.empty()) {
        return refuse(draft, send, Refusal::MailboxFull, std::move(full));
    }
    if (auto lack = lack_of_room(state, *send.envelope); !lack.empty()) {
        return refuse(draft, send, Refusal::HubOverloaded, std::move(lack));
    }
    if (auto no = cannot_pass(state, send); no.refusal != Refusal::None) {
        return refuse(draft, send, no.refusal, std::move(no.detail));
    }
    auto outcome = accept(draft, send, 0, deadline_max);
    if (send.passing) begin_passing(draft, send, outcome);
    if (!send.state.empty()) draft.add(StatePushed{outcome.accepted, send.state});
    return outcome;
}

SendOutcome decide_send(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& envelope = *send.envelope;
    if (!draft.may_act_for(envelope.from())) {
        return refuse(draft,
                      send,
                      {"identity",
                       Refusal::IdentityMismatch,
                       "the connection proved to be '" + std::string{draft.asker()} +
                           "' and cannot send as '" + std::string{envelope.from()} + "'"});
    }
    if (is_for_people(envelope.from())) {
        return refuse(draft,
                      send,
                      {"identity",
                       Refusal::IdentityMismatch,
                       "nobody sends as '" + std::string{envelope.from()} +
                           "'; a person answers with POST /v1/human/{id}/answer"});
    }
    if (envelope.from() == kHubName) {
        return refuse(draft,
                      send,
                      {"identity",
                       Refusal::IdentityMismatch,
                       "nobody sends as 'parlance', which is the hub itself"});
    }
    note(draft, "identity");
    const auto key = message_key(state.key, envelope.from(), envelope.id());
    const auto first = broker::find_id(state.dedup, key);
    if (first && !is_planted(Mutant::ForgetMessageIds)) {
        return answer_duplicate(draft, send, *first, key);
    }
    note(draft, "id");
    if (envelope.intent() == Intent::Reply) {
        if (auto outcome = answer_request(draft, send)) return *std::move(outcome);
    }
    if (envelope.intent() == Intent::Progress) {
        if (auto outcome = report_progress(draft, send)) return *std::move(outcome);
    }
    if (auto no = unwelcome(draft, envelope); no.refusal != Refusal::None) {
        return refuse(draft, send, std::move(no));
    }
    if (send.claim && envelope.intent() != Intent::Request) {
        auto finding = mixes_users(draft, send);
        if (finding.refusal != Refusal::None) return refuse(draft, send, std::move(finding));
        note(draft, finding.guard);
    }
    return send_on(draft, send);
}

namespace {

SendOutcome send_to_agent(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& envelope = *send.envelope;
    const auto agent = registry::find_agent(state.registry, envelope.to());
    if (agent == kNoAgent || !state.registry.agents[agent].is_registered) {
        return refuse(draft,
                      send,
                      Refusal::AgentNotRegistered,
                      envelope.to().empty()
                          ? "it names no recipient, and no open request of '" +
                                std::string{envelope.from()} + "'"
                          : "recipient '" + std::string{envelope.to()} + "' is not registered");
    }
    note(draft, "recipient");
    auto lack = lack_in_mailbox(state, agent, send);
    if (lack.empty()) lack = lack_in_hub(state, send, 1);
    if (!lack.empty()) {
        return refuse(draft, send, {"mailbox", Refusal::MailboxFull, std::move(lack)});
    }
    note(draft, "mailbox");
    if (envelope.intent() != Intent::Request) return accept(draft, send);
    if (auto full = lack_of_room(state, envelope); !full.empty()) {
        return refuse(draft, send, {"room", Refusal::HubOverloaded, std::move(full)});
    }
    note(draft, "room");
    if (auto spent = allocation_spent(state, envelope.to()); !spent.empty()) {
        return refuse(
            draft, send, {"allocation", Refusal::ResourceLimitExceeded, std::move(spent)});
    }
    note(draft, "allocation");
    if (auto no = cannot_pass(state, send); no.refusal != Refusal::None) {
        return refuse(draft, send, {"handing", no.refusal, std::move(no.detail)});
    }
    if (send.passing) note(draft, "handing");
    auto admitted = admission(state, draft.cause, send, draft.next_sequence(), draft.findings);
    if (admitted.refusal == Refusal::None || admitted.approvals_needed > 0) {
        auto no = cannot_take_over(state, send, draft.now());
        if (no.refusal != Refusal::None) {
            return refuse(draft, send, {"handing", no.refusal, std::move(no.detail)});
        }
    }
    // A caller does not wait until people have approved an invitation.
    const bool is_invitation =
        send.below && handing::find_call(state.handing, *send.below) != nullptr;
    if (admitted.approvals_needed > 0 && !is_invitation) {
        return hold(draft, send, std::move(admitted));
    }
    if (admitted.refusal != Refusal::None) {
        return refuse(
            draft, send, admitted.refusal, std::move(admitted.detail), admitted.retry_after_ms);
    }
    if (admitted.founded) draft.add(*std::move(admitted.founded));
    auto outcome = accept(draft, send, 0, admitted.deadline_max);
    if (admitted.admitted) draft.add(*std::move(admitted.admitted));
    if (send.passing) begin_passing(draft, send, outcome);
    if (!send.state.empty()) draft.add(StatePushed{outcome.accepted, send.state});
    return outcome;
}

}  // namespace

SendOutcome send_on(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& envelope = *send.envelope;
    if (envelope.to().starts_with(kTopicPrefix)) {
        return send_to_topic(draft, send, envelope.to().substr(kTopicPrefix.size()));
    }
    if (is_for_people(envelope.to())) return send_to_people(draft, send);
    if (is_for_one_of_many(envelope.to())) return send_to_one_of_many(draft, send);
    if (is_for_several(envelope.to())) return send_to_several(draft, send);
    if (const auto owner = owner_now(state, envelope); !owner.empty()) {
        auto forwarded = send;
        forwarded.envelope = readdressed(state, envelope, owner);
        // Forwarded once only: two tasks of one name can have gone in opposite directions.
        return is_for_people(owner) ? send_to_people(draft, forwarded)
                                    : send_to_agent(draft, forwarded);
    }
    return send_to_agent(draft, send);
}

void decide_refusal(Draft& draft, const RecordRefusal& refusal) {
    draft.add(MessageRefused{.from = std::string{draft.asker()},
                             .id = refusal.id,
                             .refusal = static_cast<Refusal>(refusal.refusal),
                             .detail = refusal.detail,
                             .to = refusal.to,
                             .user = refusal.user,
                             .objective = refusal.objective});
}

}  // namespace parlance::core
