#include "core/broker/broker.h"

#include <algorithm>

#include "base/check.h"
#include "base/mutant.h"
#include "core/broker/lanes.h"

namespace parlance::core::broker {

namespace {

auto mark_of(Broker& broker) {
    return [&broker](Slot slot) {
        auto& message = broker.messages[slot];
        return AgendaMark{message.place, message.ticket.value};
    };
}

void push_back(Broker& broker, List& list, Slot slot) {
    auto& message = broker.messages[slot];
    message.link_prev = list.tail;
    message.link_next = kNoSlot;
    (list.tail == kNoSlot ? list.head : broker.messages[list.tail].link_next) = slot;
    list.tail = slot;
}

void push_front(Broker& broker, List& list, Slot slot) {
    auto& message = broker.messages[slot];
    message.link_prev = kNoSlot;
    message.link_next = list.head;
    (list.head == kNoSlot ? list.tail : broker.messages[list.head].link_prev) = slot;
    list.head = slot;
}

void unlink(Broker& broker, List& list, Slot slot) {
    auto& message = broker.messages[slot];
    (message.link_prev == kNoSlot ? list.head : broker.messages[message.link_prev].link_next) =
        message.link_next;
    (message.link_next == kNoSlot ? list.tail : broker.messages[message.link_next].link_prev) =
        message.link_prev;
    message.link_prev = kNoSlot;
    message.link_next = kNoSlot;
}

/// The next ready answer of a level after `ticket`, for the mode that hands over answers only.
Slot answer_behind(const Broker& broker, AgentHandle agent, Priority level, Ticket ticket) {
    const auto next = broker.answers.upper_bound({agent, level, ticket});
    if (next == broker.answers.end()) return kNoSlot;
    const auto& [mailbox, listed_as, answer] = *next;
    if (mailbox != agent || listed_as != level) return kNoSlot;
    return broker.slots.find(answer.value, ticket_of(broker.messages));
}

/// The first copy of a level that may be handed over.
Slot first_of(const Broker& broker, AgentHandle agent, std::size_t level) {
    if (!broker.hands_answers_only) return mailbox_of(broker, agent).ready[level].head;
    return answer_behind(broker, agent, static_cast<Priority>(level), {});
}
Slot behind(const Broker& broker, const Message& message) {
    if (!broker.hands_answers_only) return message.link_next;
    return answer_behind(broker, message.mailbox, message.listed_as, message.ticket);
}

Waiting waiting_of(const Broker& broker, AgentHandle agent) {
    Waiting waiting{};
    for (std::size_t level = 0; level < kPriorities; ++level) {
        waiting[level] = first_of(broker, agent, level) != kNoSlot;
    }
    return waiting;
}

void note_answer(Broker& broker, const Message& message) {
    if (!message.is_answer) return;
    broker.answers.emplace(message.mailbox, message.listed_as, message.ticket);
}

Mailbox& mailbox_for(Broker& broker, AgentHandle agent) {
    if (agent >= broker.mailboxes.size()) broker.mailboxes.resize(agent + 1);
    return broker.mailboxes[agent];
}

/// A lane is as urgent as its most urgent message, so that an urgent message does not wait behind
/// older messages of its task.
Priority urgency(const Lane& lane, const Message& head) {
    if (lane.urgent[0] > 0) return Priority::Critical;
    if (lane.urgent[1] > 0) return std::min(Priority::High, head.priority);
    return head.priority;
}

Slot slot_of(const Broker& broker, Ticket ticket) {
    const auto slot = broker.slots.find(ticket.value, ticket_of(broker.messages));
    CHECK(slot != kNoSlot);  // decide() names only copies that exist.
    return slot;
}

enum class End { Front, Back };

void list_ready(Broker& broker, Slot slot, Priority as, End end) {
    auto& message = broker.messages[slot];
    auto& mailbox = broker.mailboxes[message.mailbox];
    message.stage = Stage::Ready;
    message.listed_as = as;
    auto& list = mailbox.ready[static_cast<std::size_t>(as)];
    end == End::Front ? push_front(broker, list, slot) : push_back(broker, list, slot);
    note_ready_request(broker, message);
    if (broker.hands_answers_only) note_answer(broker, message);
    set_due(broker, slot, message.expires_at);
    update_restless(broker, message.mailbox);
    broker.stirred = message.mailbox;
}

void unlist_ready(Broker& broker, Slot slot) {
    auto& message = broker.messages[slot];
    auto& mailbox = broker.mailboxes[message.mailbox];
    const auto as = static_cast<std::size_t>(message.listed_as);
    unlink(broker, mailbox.ready[as], slot);
    if (message.envelope->intent() == Intent::Request) {
        broker.ready_requests.erase({message.mailbox, message.ticket});
    }
    if (broker.hands_answers_only) {
        broker.answers.erase({message.mailbox, message.listed_as, message.ticket});
    }
    if (mailbox.ready[as].head == kNoSlot) mailbox.turns.passed_over[as] = 0;
    update_restless(broker, message.mailbox);
}

/// The urgency of the copy's lane, else its own. Only for the head of a lane or a copy without a
/// lane.
Priority urgency_of(const Broker& broker, const HashKey& key, const Message& message) {
    const auto found = broker.lanes.find(lane_key_of(key, message));
    return found == broker.lanes.end() ? message.priority : urgency(found->second, message);
}

/// Makes a copy ready at once, or puts it behind the others of its task.
void enter_lane(Broker& broker, const HashKey& key, Slot slot) {
    auto& message = broker.messages[slot];
    const auto lane_key = lane_key_of(key, message);
    if (lane_key == 0) return list_ready(broker, slot, message.priority, End::Back);
    const auto lane = join_lane(broker, key, lane_key, slot);
    if (lane.head == slot) return list_ready(broker, slot, message.priority, End::Back);
    message.stage = Stage::Behind;
    set_due(broker, slot, message.expires_at);

    auto& head = broker.messages[lane.head];
    if (head.stage != Stage::Ready || urgency(lane, head) == head.listed_as) return;
    unlist_ready(broker, lane.head);
    list_ready(broker, lane.head, urgency(lane, head), End::Back);
}

/// Takes a copy out of its lane; a new head becomes ready.
void leave_lane(Broker& broker, const HashKey& key, Slot slot) {
    const auto lane = quit_lane(broker, key, slot);
    if (!lane) return;
    list_ready(broker, lane->head, urgency(*lane, broker.messages[lane->head]), End::Back);
}

void return_credit(Broker& broker, Slot slot) {
    auto& message = broker.messages[slot];
    auto& consumer = broker.consumers[message.consumer];
    auto& mailbox = broker.mailboxes[message.mailbox];
    unlink(broker, consumer.leased, slot);
    message.consumer = kNoSlot;
    if (!broker.earlier_leases.empty()) broker.earlier_leases.erase(message.ticket);
    --consumer.in_flight;
    consumer.bytes -= message.envelope->body().size();
    --mailbox.in_flight;
    --broker.in_flight;
    ++mailbox.waiting;
    ++broker.waiting;
    update_restless(broker, message.mailbox);
}

void count_bytes(Broker& broker, const Message& message, bool is_added) {
    const auto bytes = message.envelope->body().size();
    auto& mailbox = broker.mailboxes[message.mailbox];
    mailbox.bytes += is_added ? bytes : -bytes;
    broker.bytes += is_added ? bytes : -bytes;
}

void count_request(Broker& broker, const Message& message, bool is_added) {
    if (!asks(broker, message)) return;
    auto& count = broker.mailboxes[message.mailbox].requests;
    is_added ? ++count : --count;
}

void drop_returned(Broker& broker, const Message& message) {
    if (message.attempt > 0) broker.returned.erase({message.mailbox, message.ticket});
}

/// From any stage but Dead to no list at all, counted as waiting.
void take_out(Broker& broker, Slot slot) {
    const auto stage = broker.messages[slot].stage;
    if (stage == Stage::Ready) unlist_ready(broker, slot);
    if (stage == Stage::Leased) return_credit(broker, slot);
}

Slot add(Broker& broker, Arrival arrival) {
    auto& mailbox = mailbox_for(broker, arrival.mailbox);
    ++mailbox.waiting;
    ++broker.waiting;
    const auto ticket = arrival.ticket;
    CHECK(arrival.retry_count_max < 255);
    const Slot slot = broker.messages.add(
        Message{.ticket = ticket,
                .envelope = std::move(arrival.envelope),
                .expires_at = arrival.expires_at,
                .mailbox = arrival.mailbox,
                .retry_count_max = static_cast<std::uint8_t>(arrival.retry_count_max),
                .priority = arrival.priority,
                .is_answer = arrival.is_answer});
    broker.slots.add(ticket.value, slot);
    count_bytes(broker, broker.messages[slot], true);
    count_request(broker, broker.messages[slot], true);
    // The attempts count on, so that the previous holder's token is stale.
    const auto attempt = std::max(arrival.attempt, static_cast<std::uint16_t>(arrival.is_known));
    if (attempt > 0) {
        auto& message = broker.messages[slot];
        message.attempt = attempt;
        message.attempts_uncounted = attempt;
        if (!arrival.is_known) ++message.attempts_uncounted;
        note_returned(broker, message);
    }
    return slot;
}

}  // namespace

bool asks(const Broker& broker, const Message& message) {
    return message.envelope->intent() == Intent::Request &&
           !broker.notices.contains(message.ticket.value);
}

void note_ready_request(Broker& broker, const Message& message) {
    if (message.envelope->intent() != Intent::Request) return;
    broker.ready_requests.emplace(message.mailbox, message.ticket);
}

void note_returned(Broker& broker, const Message& message) {
    if (!was_handed(message) || message.envelope->intent() != Intent::Request) return;
    broker.returned.emplace(message.mailbox, message.ticket);
}

const Message* find_message(const Broker& broker, Ticket ticket) {
    const auto slot = broker.slots.find(ticket.value, ticket_of(broker.messages));
    return slot == kNoSlot ? nullptr : &broker.messages[slot];
}

const Consumer* find_consumer(const Broker& broker, InstanceNumber instance) {
    const auto found = broker.consumer_slots.find(instance.value);
    return found == broker.consumer_slots.end() ? nullptr : &broker.consumers[found->second];
}

const Mailbox& mailbox_of(const Broker& broker, AgentHandle agent) {
    static const Mailbox empty;
    return agent < broker.mailboxes.size() ? broker.mailboxes[agent] : empty;
}

void set_due(Broker& broker, Slot slot, Time at) {
    if (at == Time{}) return broker.due.remove(slot, mark_of(broker));
    broker.due.set({.at = at, .owner = slot}, mark_of(broker));
}

void update_restless(Broker& broker, AgentHandle agent) {
    auto& mailbox = broker.mailboxes[agent];
    bool has_ready = false;
    for (std::size_t level = 0; level < kPriorities && !has_ready; ++level) {
        has_ready = first_of(broker, agent, level) != kNoSlot;
    }
    const bool has_credit = std::ranges::any_of(mailbox.consumers, [&](Slot slot) {
        return load_of(broker.consumers[slot]).has_room(broker.consumers[slot].credit);
    });
    const bool is_restless = has_ready && has_credit;
    if (is_restless == (mailbox.restless_place != kNoSlot)) return;

    if (is_restless) {
        mailbox.restless_place = static_cast<std::uint32_t>(broker.restless.size());
        broker.restless.push_back(agent);
        return;
    }
    const auto last = broker.restless.back();
    broker.restless[mailbox.restless_place] = last;
    broker.mailboxes[last].restless_place = mailbox.restless_place;
    broker.restless.pop_back();
    mailbox.restless_place = kNoSlot;
}

void hand_answers_only(Broker& broker) {
    broker.answers.clear();
    broker.hands_answers_only = true;
    for (AgentHandle agent = 0; agent < broker.mailboxes.size(); ++agent) {
        for (const auto& list : broker.mailboxes[agent].ready) {
            for (Slot slot = list.head; slot != kNoSlot; slot = broker.messages[slot].link_next) {
                note_answer(broker, broker.messages[slot]);
            }
        }
        update_restless(broker, agent);
    }
}

void hand_everything(Broker& broker) {
    broker.answers.clear();
    broker.hands_answers_only = false;
    for (AgentHandle agent = 0; agent < broker.mailboxes.size(); ++agent) {
        update_restless(broker, agent);
    }
}

void enqueue(Broker& broker, const HashKey& key, Arrival arrival) {
    enter_lane(broker, key, add(broker, std::move(arrival)));
}

void enqueue_notice(Broker& broker, const HashKey& key, Arrival arrival, Failure failure) {
    broker.notices.emplace(arrival.ticket.value, std::move(failure));
    enter_lane(broker, key, add(broker, std::move(arrival)));
}

void move(Broker& broker, const HashKey& key, const MessageMoved& event, NewHome to) {
    const auto old = broker.messages[slot_of(broker, event.ticket)];
    remove(broker, key, event.ticket);
    const Slot slot = add(broker,
                          {.ticket = event.ticket,
                           .envelope = event.envelope,
                           .mailbox = to.mailbox,
                           .priority = event.priority,
                           .expires_at = old.expires_at,
                           .retry_count_max = old.retry_count_max,
                           .is_answer = old.is_answer});
    // Attempt numbers go on, so that a delivery token of the previous holder is stale.
    auto& message = broker.messages[slot];
    message.attempt = old.attempt;
    message.attempts_uncounted = old.attempt;
    if (!to.is_known && old.attempt > 0) ++message.attempts_uncounted;
    note_returned(broker, message);
    enter_lane(broker, key, slot);
}

void enclose(Broker& broker, Ticket answer, std::string state) {
    broker.bytes += state.size();
    broker.enclosed.emplace(answer, std::move(state));
}

void grant(Broker& broker, const LeaseGranted& event) {
    const Slot slot = slot_of(broker, event.ticket);
    auto& message = broker.messages[slot];
    auto& mailbox = broker.mailboxes[message.mailbox];
    CHECK(message.stage == Stage::Ready);
    count_hand_over(mailbox.turns, message.listed_as, waiting_of(broker, message.mailbox));
    unlist_ready(broker, slot);
    drop_returned(broker, message);

    const auto found = broker.consumer_slots.find(event.instance.value);
    CHECK(found != broker.consumer_slots.end());
    auto& consumer = broker.consumers[found->second];
    message.stage = Stage::Leased;
    message.consumer = found->second;
    // From here on tries are those of the new holder.
    if (tries_since(message) == kTriesByAnother) message.attempts_uncounted = message.attempt;
    // In journals of earlier programs a message that came back to a mailbox begins anew.
    const auto attempt = static_cast<std::uint16_t>(event.attempt);
    if (attempt <= message.attempt) {
        message.attempts_uncounted = static_cast<std::uint16_t>(attempt - 1U);
    }
    message.attempt = attempt;
    push_back(broker, consumer.leased, slot);
    consumer.was_lower = mailbox.turns.was_lower;
    ++consumer.in_flight;
    consumer.bytes += message.envelope->body().size();
    ++mailbox.in_flight;
    ++broker.in_flight;
    --mailbox.waiting;
    --broker.waiting;
    set_due(broker, slot, event.until);
    update_restless(broker, message.mailbox);
}

void begin_epoch(Broker& broker, Epoch epoch) {
    if (epoch == broker.epoch) return;  // The journal is from before there were epochs.
    for (const auto& [instance, consumer] : broker.consumer_slots) {
        for (Slot slot = broker.consumers[consumer].leased.head; slot != kNoSlot;
             slot = broker.messages[slot].link_next) {
            broker.earlier_leases.emplace(broker.messages[slot].ticket, broker.epoch);
        }
    }
    broker.epoch = epoch;
}

Epoch epoch_of_lease(const Broker& broker, Ticket ticket) {
    if (broker.earlier_leases.empty()) return broker.epoch;
    const auto found = broker.earlier_leases.find(ticket);
    return found == broker.earlier_leases.end() ? broker.epoch : found->second;
}

void extend(Broker& broker, Ticket ticket, Time until) {
    set_due(broker, slot_of(broker, ticket), until);
}

void remove(Broker& broker, const HashKey& key, Ticket ticket) {
    const Slot slot = slot_of(broker, ticket);
    auto& message = broker.messages[slot];
    auto& mailbox = broker.mailboxes[message.mailbox];
    if (message.stage == Stage::Dead) {
        broker.dead.erase(ticket);
        --mailbox.dead;
    } else {
        take_out(broker, slot);
        leave_lane(broker, key, slot);
        count_request(broker, message, false);
        --mailbox.waiting;
        --broker.waiting;
    }
    drop_returned(broker, message);
    set_due(broker, slot, Time{});
    count_bytes(broker, message, false);
    broker.notices.erase(ticket.value);
    if (const auto found = broker.enclosed.find(ticket); found != broker.enclosed.end()) {
        broker.bytes -= found->second.size();
        broker.enclosed.erase(found);
    }
    broker.slots.remove(ticket.value, ticket_of(broker.messages));
    broker.messages.remove(slot);
}

void give_back(Broker& broker, const HashKey& key, const DeliveryReturned& event, Time now) {
    const Slot slot = slot_of(broker, event.ticket);
    take_out(broker, slot);
    auto& message = broker.messages[slot];
    message.stage = Stage::Delayed;
    note_returned(broker, message);
    if (!is_counted(event.failure) && !is_planted(Mutant::CountRestarts)) {
        ++message.attempts_uncounted;
    }
    if (is_planted(Mutant::RetryJumpsTheLane) && message.lane_next != kNoSlot) {
        leave_lane(broker, key, slot);
        return enter_lane(broker, key, slot);
    }
    if (event.retry_at <= now) return begin_retry(broker, key, event.ticket);
    const bool expires_first = message.expires_at != Time{} && message.expires_at < event.retry_at;
    set_due(broker, slot, expires_first ? message.expires_at : event.retry_at);
}

void begin_retry(Broker& broker, const HashKey& key, Ticket ticket) {
    const Slot slot = slot_of(broker, ticket);
    auto& message = broker.messages[slot];
    CHECK(message.stage == Stage::Delayed);
    // Retries return to the head: at the tail newer work would overtake a message.
    list_ready(broker, slot, urgency_of(broker, key, message), End::Front);
}

void bury(Broker& broker, const HashKey& key, const MessageDeadLettered& event, Time now) {
    const Slot slot = slot_of(broker, event.ticket);
    auto& message = broker.messages[slot];
    auto& mailbox = broker.mailboxes[message.mailbox];
    take_out(broker, slot);
    leave_lane(broker, key, slot);
    drop_returned(broker, message);
    set_due(broker, slot, Time{});
    message.stage = Stage::Dead;
    count_request(broker, message, false);
    --mailbox.waiting;
    --broker.waiting;
    ++mailbox.dead;
    broker.dead.emplace(
        event.ticket,
        DeadLetter{.slot = slot, .failure = event.failure, .reason = event.reason, .died_at = now});
}

void revive(Broker& broker, const HashKey& key, Ticket ticket) {
    const Slot slot = slot_of(broker, ticket);
    auto& message = broker.messages[slot];
    auto& mailbox = broker.mailboxes[message.mailbox];
    broker.dead.erase(ticket);
    --mailbox.dead;
    count_request(broker, message, true);
    ++mailbox.waiting;
    ++broker.waiting;
    if (was_handed(message)) message.attempts_uncounted = message.attempt;
    message.expires_at = Time{};  // The ttl was for the first delivery.
    note_returned(broker, message);
    enter_lane(broker, key, slot);
}

void join(Broker& broker, const InstanceJoined& event, AgentHandle agent) {
    auto& mailbox = mailbox_for(broker, agent);
    const bool polls = event.kind == InstanceKind::Poll;
    const Slot slot = broker.consumers.add({.instance = event.instance,
                                            .mailbox = agent,
                                            .kind = event.kind,
                                            .credit = polls ? 0 : event.credit});
    broker.consumer_slots.emplace(event.instance.value, slot);
    mailbox.consumers.push_back(slot);
    if (polls) ++mailbox.poll_count;
    update_restless(broker, agent);
}

void leave(Broker& broker, InstanceNumber instance) {
    const auto found = broker.consumer_slots.find(instance.value);
    CHECK(found != broker.consumer_slots.end());
    const Slot slot = found->second;
    const auto& consumer = broker.consumers[slot];
    CHECK(consumer.in_flight == 0);  // decide() takes every lease back first.
    const auto agent = consumer.mailbox;
    auto& mailbox = broker.mailboxes[agent];
    if (consumer.kind == InstanceKind::Poll) --mailbox.poll_count;
    std::erase(mailbox.consumers, slot);
    broker.consumer_slots.erase(found);
    broker.consumers.remove(slot);
    update_restless(broker, agent);
}

void set_credit(Broker& broker, InstanceNumber instance, std::uint32_t credit) {
    const auto found = broker.consumer_slots.find(instance.value);
    CHECK(found != broker.consumer_slots.end());
    broker.consumers[found->second].credit = credit;
    update_restless(broker, broker.consumers[found->second].mailbox);
}

Picker::Picker(const Broker& broker, AgentHandle agent, const Terms& terms)
    : broker_(broker), now_(terms.now) {
    const auto& mailbox = mailbox_of(broker, agent);
    turns_ = mailbox.turns;
    patience_ = patience(terms.low_every, mailbox.consumers.size());
    for (std::size_t i = 0; i < kPriorities; ++i) {
        at_[i] = first_of(broker, agent, i);
        skip_expired(at_[i]);
    }
}

void Picker::skip_expired(Slot& slot) const {
    const auto is_expired = [&](const Message& message) {
        return message.expires_at != Time{} && message.expires_at <= now_ &&
               !is_planted(Mutant::DeliverExpired);
    };
    while (slot != kNoSlot && is_expired(broker_.messages[slot])) {
        slot = behind(broker_, broker_.messages[slot]);
    }
}

const Message* Picker::take(std::size_t level) {
    const auto& message = broker_.messages[at_[level]];
    at_[level] = behind(broker_, message);
    skip_expired(at_[level]);
    if (at_[level] == kNoSlot) turns_.passed_over[level] = 0;
    return &message;
}

const Message* Picker::next(bool& was_lower) {
    Waiting waiting{};
    std::ranges::transform(at_, waiting.begin(), [](Slot slot) { return slot != kNoSlot; });
    if (std::ranges::find(waiting, true) == waiting.end()) return nullptr;

    if (is_planted(Mutant::ServeOldestFirst)) {
        const auto oldest = std::ranges::min_element(at_, {}, [&](Slot slot) {
            return slot == kNoSlot ? ~std::uint64_t{0} : broker_.messages[slot].ticket.value;
        });
        return take(static_cast<std::size_t>(oldest - at_.begin()));
    }
    const auto given = next_turn(turns_, waiting, was_lower, patience_);
    count_hand_over(turns_, given, waiting);
    was_lower = turns_.was_lower;
    return take(static_cast<std::size_t>(given));
}

}  // namespace parlance::core::broker
