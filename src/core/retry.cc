// Decides what follows a delivery failure: a retry after a wait, a dead letter or, for messages
// delivered at most once, only the record.
#include <algorithm>

#include "base/mutant.h"
#include "core/draft.h"

namespace parlance::core {

namespace {

bool is_expired(const broker::Message& message, Time now) {
    return message.expires_at != Time{} && message.expires_at <= now;
}

/// The wait before the next try: exponential, capped, shortened at random so that messages which
/// failed together do not come back together.
Duration backoff(const Draft& draft, const broker::Message& message, DeliveryFailure failure) {
    const auto& limits = draft.state.limits;
    // Tries that do not count lengthen the wait all the same.
    const std::uint32_t tries = is_counted(failure) ? broker::tries(message) : message.attempt;
    auto wait = limits.backoff_base;
    for (std::uint32_t i = 1; i < tries && wait < limits.backoff_max; ++i) {
        wait *= limits.backoff_multiplier;
    }
    wait = std::min(wait, limits.backoff_max);
    const auto mixed = (draft.cause.entropy ^ message.ticket.value) * 0x9E37'79B9'7F4A'7C15ULL;
    const auto percent =
        static_cast<std::int64_t>((mixed >> 33U) % (limits.backoff_jitter_percent + 1ULL));
    return wait - wait * percent / 100;
}

Refusal failure_of(const FailedAttempt& failed_attempt) {
    return failed_attempt.is_final ? Refusal::RequestRejected : Refusal::RequestUndeliverable;
}

void drop(Draft& draft, const broker::Message& message, const FailedAttempt& failed_attempt) {
    draft.add(MessageDropped{message.ticket,
                             failed_attempt.failure,
                             failed_attempt.reason,
                             failed_attempt.is_unanswered});
    fail_request(draft, message.ticket, failure_of(failed_attempt), failed_attempt.reason);
}

void bury(Draft& draft, const broker::Message& message, const FailedAttempt& failed_attempt) {
    const auto failure =
        failed_attempt.is_final ? DeliveryFailure::Rejected : DeliveryFailure::RetriesExhausted;
    draft.add(MessageDeadLettered{
        message.ticket, failure, failed_attempt.reason, failed_attempt.is_unanswered});
    fail_request(draft, message.ticket, failure_of(failed_attempt), failed_attempt.reason);
}

}  // namespace

void fail_request(Draft& draft, Ticket ticket, Refusal refusal, std::string detail) {
    const auto* request = draft.find_open(ticket);
    if (request == nullptr || is_passed_on(draft, ticket, refusal, detail)) return;
    withdraw_with(draft, ticket, detail);
    if (is_planted(Mutant::FailWithoutWords)) detail.clear();
    draft.add(
        RequestFailed{.request = ticket,
                      .refusal = refusal,
                      .detail = std::move(detail),
                      .ticket = request->waits ? Ticket{} : ticket_at(draft.next_sequence())});
    // The target of a held request has never seen it (G5).
    const bool is_held = draft.state.governor.held.contains(ticket);
    if (!is_held) note_failure(draft, *request, refusal);
    end_handoff(draft, ticket, false);
    cancel_shares(draft, ticket, "what it was a part of is over");
}

std::string timeout_of(const State& state, Ticket request) {
    const auto delegation = governor::find_delegation(state.governor.lineage, request);
    if (delegation == nullptr) return "no answer before the deadline";
    const auto waited = delegation->deadline - delegation->admitted_at;
    return "Delegation timeout after " + std::to_string(waited.count()) + " ms";
}

void expire(Draft& draft, const broker::Message& message) {
    if (draft.has_ended(Thing::Copy, message.ticket)) return;
    if (is_planted(Mutant::ExpireWithoutRecord)) {
        return draft.add(DeliveryAcknowledged{message.ticket, message.attempt});
    }
    draft.add(MessageExpired{message.ticket});
    const auto* request = broker::find_request(draft.state.requests, message.ticket);
    if (request == nullptr) return;
    const bool is_late = broker::deadline_of(draft.state.requests, *request) <= draft.now();
    fail_request(
        draft,
        message.ticket,
        is_late ? Refusal::RequestTimedOut : Refusal::MessageExpired,
        is_late ? timeout_of(draft.state, message.ticket) : "its ttl passed before delivery");
}

void fail_delivery(Draft& draft,
                   const broker::Message& message,
                   const FailedAttempt& failed_attempt) {
    if (draft.has_ended(Thing::Copy, message.ticket)) return;
    if (message.is_answer && is_planted(Mutant::AnswerAtMostOnce)) {
        return drop(draft, message, failed_attempt);
    }
    if (!is_at_least_once(message) && !is_planted(Mutant::RedeliverAtMostOnce)) {
        return drop(draft, message, failed_attempt);
    }
    if (failed_attempt.is_final) return bury(draft, message, failed_attempt);
    if (is_expired(message, draft.now())) return expire(draft, message);
    const bool counts = is_counted(failed_attempt.failure) || is_planted(Mutant::CountRestarts);
    const bool is_last = counts && broker::tries(message) > message.retry_count_max;
    if (is_last && !is_planted(Mutant::RetryForever)) return bury(draft, message, failed_attempt);
    // The loss of an instance is not the message's fault: another instance may take it at once.
    const bool is_lost = failed_attempt.failure == DeliveryFailure::InstanceLost ||
                         failed_attempt.failure == DeliveryFailure::HubRestarted;
    const bool waits = !is_lost && !is_planted(Mutant::RetryAtOnce);
    const auto wait = waits ? backoff(draft, message, failed_attempt.failure) : Duration{};
    draft.add(DeliveryReturned{.ticket = message.ticket,
                               .attempt = message.attempt,
                               .failure = failed_attempt.failure,
                               .retry_at = draft.now() + wait,
                               .reason = failed_attempt.reason,
                               .is_unanswered = failed_attempt.is_unanswered});
}

void lose_instance(Draft& draft,
                   InstanceNumber instance,
                   const std::string& reason,
                   DeliveryFailure failure) {
    const auto* consumer = broker::find_consumer(draft.state.broker, instance);
    const auto& messages = draft.state.broker.messages;
    // Last message first: each goes to the front of its list, so the oldest ends up in front.
    for (Slot slot = consumer->leased.tail; slot != kNoSlot; slot = messages[slot].link_prev) {
        fail_delivery(draft, messages[slot], {.failure = failure, .reason = reason});
    }
    draft.add(InstanceLeft{instance, reason});
}

}  // namespace parlance::core
