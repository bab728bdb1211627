// Decides what agents report on their deliveries, and what operators do with dead letters.
#include <algorithm>

#include "base/mutant.h"
#include "core/draft.h"

namespace parlance::core {

namespace {

/// With the longest wait between tries, more than ten days.
constexpr std::uint16_t kUnheardTriesMax = 32'768;

/// The message under this token, or null with the refusal drafted. `excuse`: the mutant under which
/// a stale token passes.
const broker::Message* held(Draft& draft, const DeliveryToken& delivery, Mutant excuse) {
    const auto refuse = [&](Refusal refusal) {
        draft.add(SettlementRefused{delivery, std::string{draft.asker()}, refusal});
        return nullptr;
    };
    const auto& broker = draft.state.broker;
    const bool is_of_this_run = delivery.epoch == broker.epoch;
    const bool was_never_granted =
        delivery.ticket == Ticket{} ||
        (is_of_this_run && sequence_of(delivery.ticket) > draft.state.sequence);
    if (was_never_granted) return refuse(Refusal::DeliveryNotFound);
    const auto* message = broker::find_message(broker, delivery.ticket);
    const bool is_current = message != nullptr && message->stage == broker::Stage::Leased &&
                            (broker::token_of(broker, *message) == delivery || is_planted(excuse));
    if (!is_current) return refuse(Refusal::DeliveryStale);
    if (!draft.may_act_for(draft.state.registry.agents[message->mailbox].id.value)) {
        return refuse(Refusal::IdentityMismatch);
    }
    return message;
}

Time lease_end(const Draft& draft, std::optional<Duration> by) {
    const auto& limits = draft.state.limits;
    return draft.now() + std::clamp(by.value_or(limits.lease), Duration{1}, limits.lease_max);
}

/// A settlement is a sign of life of the instance that holds the delivery.
void note_life(Draft& draft, const broker::Message& message) {
    decide_heartbeat(draft, draft.state.broker.consumers[message.consumer].instance);
}

void acknowledge(Draft& draft, const broker::Message& message) {
    note_life(draft, message);
    draft.add(DeliveryAcknowledged{message.ticket, message.attempt});
    take_handoff(draft, message.ticket);
}

const broker::Message* dead_letter(Draft& draft, Ticket ticket) {
    const auto& state = draft.state;
    const auto found = state.broker.dead.find(ticket);
    if (found != state.broker.dead.end()) {
        const auto& message = state.broker.messages[found->second.slot];
        // To a caller that may not act for the agent, its dead letter does not exist.
        if (draft.may_act_for(state.registry.agents[message.mailbox].id.value)) return &message;
    }
    draft.add(
        SettlementRefused{{ticket, 0}, std::string{draft.asker()}, Refusal::DeadLetterNotFound});
    return nullptr;
}

}  // namespace

void note_progress(Draft& draft, const broker::Message& message, std::string note) {
    const auto& state = draft.state;
    const auto request = message.ticket;
    const bool is_asked = message.envelope->intent() == Intent::Request;
    // A part behind the whole answer is as late as a second answer.
    if (is_asked && broker::find_request(state.requests, request) == nullptr) {
        return draft.add(ReplyDropped{.from = state.registry.agents[message.mailbox].id.value,
                                      .request = request,
                                      .refusal = Refusal::RequestAlreadyAnswered});
    }
    const auto* stream = broker::find_stream(state.streams, request);
    const auto parts = stream == nullptr ? 0 : stream->parts.size();
    const auto bytes = note.size() + (stream == nullptr ? 0 : stream->bytes);
    if (parts >= state.limits.stream_parts_max || bytes > state.limits.stream_bytes_max) {
        return draft.add(SettlementRefused{broker::token_of(state.broker, message),
                                           std::string{draft.asker()},
                                           Refusal::StreamLimitExceeded});
    }
    note_life(draft, message);
    draft.add(ProgressReported{.ticket = request,
                               .until = lease_end(draft, std::nullopt),
                               .note = std::move(note),
                               .number = is_asked ? parts + 1 : 0,
                               .attempt = message.attempt});
}

void decide_ack(Draft& draft, const AckDelivery& ack) {
    const auto* message = held(draft, ack.delivery, Mutant::AcceptStaleAck);
    if (message != nullptr) acknowledge(draft, *message);
}

void decide_nack(Draft& draft, const NackDelivery& nack) {
    const auto* message = held(draft, nack.delivery, Mutant::AcceptStaleNack);
    if (message == nullptr) return;
    const bool is_unanswered = nack.is_unanswered || nack.is_unheard;
    if (!is_unanswered) note_life(draft, *message);
    auto failure = nack.is_final ? DeliveryFailure::Rejected : DeliveryFailure::Nacked;
    // Attempt numbers are bounded: after so many attempts, an unheard one counts like any other.
    if (nack.is_unheard && message->attempt < kUnheardTriesMax)
        failure = DeliveryFailure::NotReached;
    fail_delivery(draft,
                  *message,
                  {.failure = failure,
                   .reason = as_kept(nack.reason),
                   .is_final = nack.is_final,
                   .is_unanswered = is_unanswered});
}

void decide_extend(Draft& draft, const ExtendLease& extend) {
    const auto* message = held(draft, extend.delivery, Mutant::AcceptStaleExtension);
    if (message == nullptr) return;
    note_life(draft, *message);
    draft.add(LeaseExtended{extend.delivery.ticket, lease_end(draft, extend.by)});
}

void decide_progress(Draft& draft, const ReportProgress& progress) {
    const auto* message = held(draft, progress.delivery, Mutant::AcceptStaleExtension);
    if (message == nullptr) return;
    note_progress(draft, *message, progress.note);
}

void decide_reply(Draft& draft, const ReplyToDelivery& reply) {
    const auto* message = held(draft, reply.delivery, Mutant::AcceptStaleReply);
    if (message == nullptr) return;
    const auto& envelope = *reply.envelope;
    const auto refuse = [&](Refusal refusal) {
        draft.add(SettlementRefused{reply.delivery, std::string{draft.asker()}, refusal});
    };
    if (!envelope.from().empty() && !draft.may_act_for(envelope.from())) {
        return refuse(Refusal::IdentityMismatch);
    }
    if (message->envelope->intent() != Intent::Request) {
        return reply.acknowledges ? acknowledge(draft, *message)
                                  : refuse(Refusal::RouteNotPermitted);
    }
    const bool is_same_workflow = envelope.correlation() == message->envelope->correlation() ||
                                  is_planted(Mutant::AnswerAcrossWorkflows);
    if (!is_same_workflow) return refuse(Refusal::InputValidationFailed);
    // A reply naming a different question or requester is not for this delivery (W3).
    const auto& question = *message->envelope;
    const bool is_to_another =
        (!envelope.answers().empty() && envelope.answers() != question.id()) ||
        (!envelope.to().empty() && envelope.to() != question.from());
    if (is_to_another) return refuse(Refusal::InputValidationFailed);
    // A note of progress is not the answer.
    if (envelope.intent() == Intent::Progress) {
        return note_progress(draft, *message, std::string{envelope.body()});
    }

    note_life(draft, *message);
    const auto* request = broker::find_request(draft.state.requests, reply.delivery.ticket);
    if (request == nullptr) {
        // Too late: the requester was answered already. The delivery is settled all the same.
        draft.add(DeliveryAcknowledged{reply.delivery.ticket, message->attempt});
        return draft.add(ReplyDropped{.from = std::string{envelope.from()},
                                      .id = std::string{envelope.id()},
                                      .request = reply.delivery.ticket,
                                      .refusal = Refusal::RequestAlreadyAnswered});
    }
    if (reply.falls_short && is_passed_on(draft, *request, reply.envelope, reply.kind)) return;
    const bool takes_it = !reply.falls_short;
    if (takes_it &&
        turn_down(draft, *request, envelope, reply.tokens_used).refusal != Refusal::None) {
        return;
    }
    note_sources(draft, *request, reply.owners);
    draft.add(
        RequestAnswered{.request = request->ticket,
                        .envelope = reply.envelope,
                        .ticket = request->waits ? Ticket{} : ticket_at(draft.next_sequence()),
                        .tokens_used = reply.tokens_used,
                        .falls_short = reply.falls_short,
                        .kind = reply.kind});
    note_answer(draft, request->asked->to(), reply.kind);
    end_handoff(draft, request->ticket, !reply.falls_short);
    end_passing(draft, *request, !reply.falls_short);
    if (reply.kind == AnswerKind::Done)
        learn_from(draft, request->ticket, {reply.facts, reply.owners});
}

void put_away(Draft& draft, const broker::Message* question, const std::string& why) {
    if (question == nullptr || question->stage == broker::Stage::Dead) return;
    if (draft.has_ended(Thing::Copy, question->ticket)) return;
    if (question->stage == broker::Stage::Leased) {
        // A reply to a delivery was noted as a sign of life already.
        const bool is_noted = std::holds_alternative<ReplyToDelivery>(draft.cause.command);
        if (!is_noted) note_life(draft, *question);
        draft.add(DeliveryAcknowledged{question->ticket, question->attempt});
    } else if (is_at_least_once(*question)) {
        // The lease has ended, so nothing is acknowledged. A message that must not be lost is kept
        // (D1).
        draft.add(MessageDeadLettered{question->ticket, DeliveryFailure::Rejected, why});
    } else {
        draft.add(MessageDropped{question->ticket, DeliveryFailure::Rejected, why});
    }
}

/// Ends the request of an invalid reply: the agent has had its turn, and the requester need not
/// wait for a better answer.
void decide_refuse_reply(Draft& draft, const RefuseReply& refused) {
    const auto& state = draft.state;
    const broker::Message* question = nullptr;
    const broker::OpenRequest* request = nullptr;
    if (refused.reply == nullptr) {
        question = held(draft, refused.delivery, Mutant::AcceptStaleReply);
        if (question == nullptr) return;
        request = broker::find_request(state.requests, question->ticket);
    } else if (draft.may_act_for(refused.reply->from())) {
        request = broker::find_answered(state.requests, state.broker, state.key, *refused.reply);
        // A held request is not its target's to answer, well or badly.
        if (request != nullptr && request->is_held) request = nullptr;
        if (request != nullptr) question = broker::find_message(state.broker, request->ticket);
    }
    const auto from = refused.reply ? refused.reply->from() : std::string_view{};
    draft.add(MessageRefused{.from = std::string{draft.asker().empty() ? from : draft.asker()},
                             .id = refused.id,
                             .refusal = refused.refusal,
                             .detail = refused.detail});
    if (request == nullptr) return;
    put_away(draft, question, refused.detail);
    if (is_planted(Mutant::PassOnTheBroken) && refused.reply != nullptr) {
        return draft.add(RequestAnswered{.request = request->ticket, .envelope = refused.reply});
    }
    fail_request(draft,
                 request->ticket,
                 Refusal::OutputValidationFailed,
                 "the answer was not passed on: " + refused.detail);
}

void decide_stop_waiting(Draft& draft, const StopWaiting& stop) {
    const auto* request = broker::find_request(draft.state.requests, stop.request);
    if (request != nullptr && request->waits) draft.add(WaitEnded{stop.request});
}

void decide_redeliver(Draft& draft, const RedeliverDeadLetter& redeliver) {
    if (dead_letter(draft, redeliver.ticket) == nullptr) return;
    draft.add(DeadLetterRedelivered{redeliver.ticket, std::string{draft.asker()}});
}

void decide_discard(Draft& draft, const DiscardDeadLetter& discard) {
    if (dead_letter(draft, discard.ticket) == nullptr) return;
    draft.add(DeadLetterDiscarded{discard.ticket, std::string{draft.asker()}, discard.reason});
}

}  // namespace parlance::core
