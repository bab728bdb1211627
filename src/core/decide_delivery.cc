// The hub's own initiative: due items, and messages to be handed over.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/mutant.h"
#include "core/draft.h"

namespace parlance::core {

namespace {

/// Most copies handed over in one step; the engine asks again.
constexpr std::size_t kHandOversMax = 4096;

LeaseGranted lease(const Draft& draft, const broker::Message& message, InstanceNumber instance) {
    return {.ticket = message.ticket,
            .instance = instance,
            .attempt = static_cast<std::uint16_t>(message.attempt + 1U),
            .until = draft.now() + draft.state.limits.lease};
}

broker::Picker picker_for(const Draft& draft, AgentHandle agent) {
    const auto low_every =
        is_planted(Mutant::StarveLow) ? 0xFFFF'FFFFU : draft.state.limits.low_every;
    return {draft.state.broker, agent, {.now = draft.now(), .low_every = low_every}};
}

/// A consumer with room, and its load with the copies given by this step.
struct Taker {
    const broker::Consumer* consumer;
    broker::Load load;
    bool was_lower;
    bool is_missed;  ///< An endpoint whose last post was not answered.
};

/// The least busy instance takes the next message; among equals, the instance that joined first. A
/// missed endpoint takes a message only if nobody else can.
Taker* least_busy(std::vector<Taker>& takers) {
    Taker* best = nullptr;
    for (auto& taker : takers) {
        if (!taker.load.has_room(taker.consumer->credit)) continue;
        const auto rank = [](const Taker& each) {
            return std::pair{each.is_missed, each.load.count};
        };
        if (best == nullptr || rank(taker) < rank(*best)) best = &taker;
    }
    return best;
}

/// How many copies may go to the agent now; one at a time while its breaker is probing.
std::uint32_t hand_over_max(const State& state, AgentHandle agent) {
    if (is_left_alone(state, agent)) return 0;
    const bool is_probing =
        governor::stage_of(state.governor.breakers, agent) == governor::BreakerStage::Probing;
    return is_probing ? 1 : 0xFFFF'FFFFU;
}

bool is_missed(const State& state, const broker::Consumer& consumer) {
    return registry::find_instance(state.registry, consumer.instance)->missed_since != Time{};
}

void hand_over(Draft& draft, AgentHandle agent) {
    const auto& broker = draft.state.broker;
    const auto& consumers = broker.mailboxes[agent].consumers;
    const bool has_choice = consumers.size() > 1;  // A single instance leaves no choice.
    std::vector<Taker> takers;
    for (const Slot slot : consumers) {
        const auto& consumer = broker.consumers[slot];
        takers.push_back({&consumer,
                          broker::load_of(consumer),
                          consumer.was_lower,
                          has_choice && is_missed(draft.state, consumer)});
    }
    auto picker = picker_for(draft, agent);
    const auto count_max = std::min<std::size_t>(kHandOversMax, hand_over_max(draft.state, agent));
    while (draft.events.size() < count_max) {
        auto* taker = least_busy(takers);
        if (taker == nullptr) return;
        const auto* message = picker.next(taker->was_lower);
        if (message == nullptr) return;
        draft.add(lease(draft, *message, taker->consumer->instance));
        taker->load.add(*message);
    }
}

/// The lease, the retry wait or the ttl of this copy is over.
void end_term(Draft& draft, const broker::Message& message) {
    const bool is_expired = message.expires_at != Time{} && message.expires_at <= draft.now();
    if (message.stage == broker::Stage::Leased) {
        return fail_delivery(draft,
                             message,
                             {.failure = DeliveryFailure::LeaseExpired,
                              .reason = "not settled before its lease ended"});
    }
    if (is_expired) return expire(draft, message);
    draft.add(RetryBegan{message.ticket});
}

/// Nothing was heard of an instance for too long. A polling instance with a lease is at work and
/// was promised the time: it counts as away until its leases have ended, and is judged then.
void end_silence(Draft& draft, InstanceNumber instance) {
    const auto* consumer = broker::find_consumer(draft.state.broker, instance);
    if (consumer == nullptr) return;
    if (consumer->kind == InstanceKind::Poll && consumer->in_flight > 0) {
        const bool is_away = registry::find_instance(draft.state.registry, instance)->is_away;
        if (!is_away) draft.add(InstanceSeen{.instance = instance, .is_excused = true});
        return;
    }
    lose_instance(draft, instance, "nothing was heard of it");
}

}  // namespace

void decide_take(Draft& draft, const TakeMessages& take) {
    const auto& state = draft.state;
    const auto* consumer = broker::find_consumer(state.broker, take.instance);
    if (consumer == nullptr) {
        return draft.add(
            SettlementRefused{{}, std::string{draft.asker()}, Refusal::InstanceUnknown});
    }
    if (!draft.may_act_for(state.registry.agents[consumer->mailbox].id.value)) {
        return draft.add(
            SettlementRefused{{}, std::string{draft.asker()}, Refusal::IdentityMismatch});
    }
    auto load = broker::load_of(*consumer);
    auto picker = picker_for(draft, consumer->mailbox);
    bool was_lower = consumer->was_lower;
    const auto count_max = std::min(take.count_max, hand_over_max(state, consumer->mailbox));
    // All messages taken form a single answer, in memory until read.
    std::uint64_t bytes = 0;
    while (draft.events.size() < count_max && load.has_room(state.limits.instance_credit_max)) {
        const auto* message = picker.next(was_lower);
        if (message == nullptr) break;
        bytes += message->envelope->body().size();
        if (!draft.events.empty() && bytes > state.limits.take_bytes_max) break;
        draft.add(lease(draft, *message, take.instance));
        load.add(*message);
    }
    decide_heartbeat(draft, take.instance);
}

void decide_tick(Draft& draft, InstanceNumber silent) {
    const auto& state = draft.state;
    const auto is_due = [&](const Agenda& agenda) {
        return !agenda.empty() && agenda.first().at <= draft.now();
    };
    if (is_due(state.broker.due)) {
        const auto& message = state.broker.messages[state.broker.due.first().owner];
        const bool ignores =
            is_planted(Mutant::DeliverExpired) && message.stage == broker::Stage::Ready;
        if (!ignores) return end_term(draft, message);
    }
    if (is_due(state.requests.deadlines) && !is_planted(Mutant::NeverTimeOut)) {
        const auto& request = state.requests.open[state.requests.deadlines.first().owner];
        return fail_request(
            draft, request.ticket, Refusal::RequestTimedOut, timeout_of(state, request.ticket));
    }
    if (tend_people(draft) || tend_passings(draft)) return;
    const auto& idle = state.governor.lineage.idle;
    if (!idle.empty() && idle.begin()->first <= draft.now()) {
        return draft.add(DelegationTreeEnded{idle.begin()->second});
    }
    const auto& expiring = state.shared.expiring;
    if (!expiring.empty() && expiring.begin()->first <= draft.now()) {
        const auto& id = expiring.begin()->second;
        const auto version = state.shared.allocations.at(id).version;
        return draft.add(AllocationEnded{.id = id, .version = version, .is_expired = true});
    }
    if (silent != InstanceNumber{}) return end_silence(draft, silent);
    if (tend_breakers(draft)) return;
    // No new work begins while the fleet is stopped; answers still reach their requesters.
    const bool has_begun =
        state.governor.is_stopped
            ? end_joined_calls(draft)
            : release_approved(draft) || advance_workflows(draft) || advance_calls(draft);
    if (has_begun) return;
    const auto& restless = state.broker.restless;
    const auto mailbox = std::ranges::find_if(
        restless, [&](AgentHandle agent) { return !is_left_alone(state, agent); });
    if (mailbox != restless.end()) hand_over(draft, *mailbox);
}

}  // namespace parlance::core
