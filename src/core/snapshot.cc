#include "core/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "core/broker/lanes.h"
#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

/// Forms, by what they added. 2: the governor, behind all the rest. 3: running workflows, behind
/// that. 4: human tasks. 5: the shared state. 6: handoffs and calls, streamed answers, held
/// requests. 7: cold things as packed, tokens used by steps, notifications of people, tools allowed
/// by operators. 8: delegations alone say that a person granted them. 9: cold things in fewer
/// bytes, behind their tickets. 10: for calls, on whose word and below which request they were
/// opened; for open requests, whether their agents had time; for runs, whether agents began them.
/// 11: silent instances. 12: approvals of a stopped fleet. 13: which copies are answers, the epoch,
/// and leases of earlier epochs. 14: the same, in pieces.
constexpr std::uint64_t kForm = 14;

/// Flags at the end of a message.
constexpr std::uint64_t kIsNotice = 1;
constexpr std::uint64_t kIsAnswer = 2;

/// Written once for consecutive copies with the same content. Equal content counts, not a shared
/// allocation: sharing depends on how the state came about, and its bytes must not.
void put_envelope(std::string& out, const EnvelopePtr& envelope, const Envelope*& previous) {
    const bool is_same =
        envelope.get() == previous || (previous != nullptr && *envelope == *previous);
    put(out, std::uint64_t{is_same});
    if (!is_same) envelope->pack(out);
    previous = envelope.get();
}

EnvelopePtr take_envelope(ByteReader& in, EnvelopePtr& previous) {
    if (in.varint() == 0) previous = Envelope::unpack(in);
    return previous;
}

// --- agents and instances ------------------------------------------------------------------

void put_agents(PieceWriter& pieces, const registry::Registry& registry) {
    auto& out = pieces.bytes();
    put(out, registry.agents.size());
    for (const auto& agent : registry.agents) {
        if (!pieces.spill()) return;
        put(out, agent.id.value);
        put(out, std::uint64_t{agent.is_registered});
        const auto& profile = agent.profile;
        put(out, static_cast<std::uint64_t>(profile.dialect));
        put(out, profile.role);
        put(out, profile.domain);
        put(out, profile.instance_count_max);
        put(out, profile.tools_allowed.size());
        for (const auto& tool : profile.tools_allowed) put(out, tool);
        put(out, profile.capabilities);
        put(out, profile.endpoint);
        put(out, agent.topics.size());
        for (const auto& topic : agent.topics) put(out, topic.value);
    }
}

void take_agents(PieceReader& in, registry::Registry& registry) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        const AgentId id{take_text(in)};
        expect(in, registry::intern(registry, id.value) == i);  // Names are unique.
        const bool is_registered = in.varint() != 0;
        Profile profile;
        profile.dialect = take_enum(in, Dialect::Taskwire, Dialect::Correlation);
        profile.role = take_text(in);
        profile.domain = take_text(in);
        profile.instance_count_max = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
        const auto tools = take_count(in);
        for (std::uint64_t k = 0; k < tools; ++k) profile.tools_allowed.push_back(take_text(in));
        profile.capabilities = take_text(in);
        profile.endpoint = take_text(in);
        if (is_registered) registry::apply(registry, AgentRegistered{id, std::move(profile)});
        const auto topics = take_count(in);
        for (std::uint64_t k = 0; k < topics; ++k) {
            registry::apply(registry, Subscribed{id, TopicName{take_text(in)}});
        }
    }
}

/// The tools that operators allowed, for agents with such a bound.
void put_bounds(PieceWriter& pieces, const registry::Registry& registry) {
    auto& out = pieces.bytes();
    const auto is_bound = [](const registry::Agent& agent) { return agent.tools_most.has_value(); };
    put(out, static_cast<std::uint64_t>(std::ranges::count_if(registry.agents, is_bound)));
    for (AgentHandle handle = 0; handle < registry.agents.size(); ++handle) {
        const auto& most = registry.agents[handle].tools_most;
        if (!most) continue;
        if (!pieces.spill()) return;
        put(out, handle);
        put(out, most->size());
        for (const auto& tool : *most) put(out, tool);
    }
}

void take_bounds(PieceReader& in, registry::Registry& registry) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        const auto handle = in.varint();
        expect(in, handle < registry.agents.size());
        if (!in.ok()) return;
        auto& most = registry.agents[handle].tools_most;
        expect(in, !most);  // Each agent once.
        most.emplace();
        const auto tools = take_count(in);
        for (std::uint64_t k = 0; k < tools; ++k) most->push_back(take_text(in));
    }
}

void put_instances(PieceWriter& pieces, const State& state) {
    auto& out = pieces.bytes();
    const auto& registry = state.registry;
    put(out, registry.instance_last);
    put(out, registry.instance_slots.size());
    for (const auto& [number, slot] : registry.instance_slots) {
        if (!pieces.spill()) return;
        const auto& instance = registry.instances[slot];
        const auto* consumer = broker::find_consumer(state.broker, number);
        put(out, number.value);
        put(out, instance.agent);
        put(out, instance.name);
        put(out, static_cast<std::uint64_t>(instance.kind));
        put(out, instance.last_seen);
        put(out, consumer->credit);
        put(out, std::uint64_t{consumer->was_lower});
    }
}

void take_instances(PieceReader& in, State& state) {
    const auto last = in.varint();
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count; ++i) {
        in.refill();
        InstanceJoined joined;
        joined.instance.value = take_number(in, last);
        expect(in, joined.instance.value > state.registry.instance_last);  // In ascending order.
        const auto agent = in.varint();
        if (!in.ok() || agent >= state.registry.agents.size()) return spoil(in);
        joined.agent = state.registry.agents[agent].id;
        joined.name = take_text(in);
        joined.kind = take_enum(in, InstanceKind::Socket, InstanceKind::Push);
        const auto seen = take_time(in);
        joined.credit = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
        const bool was_lower = take_number(in, 1) != 0;
        if (!in.ok()) return;
        registry::apply(state.registry, joined, seen);
        broker::join(state.broker, joined, static_cast<AgentHandle>(agent));
        auto& broker = state.broker;
        broker.consumers[broker.consumer_slots.at(joined.instance.value)].was_lower = was_lower;
    }
    state.registry.instance_last = last;
}

/// Instances that were silent when a sign of life was due.
void put_silent(PieceWriter& pieces, const registry::Registry& registry) {
    auto& out = pieces.bytes();
    const auto is_silent = [&](const auto& entry) {
        const auto& instance = registry.instances[entry.second];
        return instance.missed_since != Time{} || instance.excused_at != Time{};
    };
    const auto& slots = registry.instance_slots;
    put(out, static_cast<std::uint64_t>(std::ranges::count_if(slots, is_silent)));
    for (const auto& entry : slots) {
        if (!is_silent(entry)) continue;
        if (!pieces.spill()) return;
        const auto& instance = registry.instances[entry.second];
        put(out, entry.first.value);
        put(out, instance.missed_since);
        put(out, instance.excused_at);
        put(out, std::uint64_t{instance.is_away});
    }
}

void take_silent(PieceReader& in, State& state) {
    auto& registry = state.registry;
    const auto count = take_count(in);
    registry::Instance known;
    for (std::uint64_t i = 0; i < count; ++i) {
        in.refill();
        const InstanceNumber number{in.varint()};
        expect(in, number > known.number);  // In ascending order.
        known.number = number;
        known.missed_since = take_time(in);
        known.excused_at = take_time(in);
        known.is_away = take_number(in, 1) != 0;
        expect(in, registry.instance_slots.contains(number));
        expect(in, known.missed_since != Time{} || known.excused_at != Time{});
        if (!in.ok()) return;
        registry::recall(registry, known);
    }
}

// --- messages ------------------------------------------------------------------------------

std::vector<Ticket> tickets_of(const broker::Broker& broker, const broker::List& list) {
    std::vector<Ticket> tickets;
    for (Slot slot = list.head; slot != kNoSlot; slot = broker.messages[slot].link_next) {
        tickets.push_back(broker.messages[slot].ticket);
    }
    return tickets;
}

void put_tickets(PieceWriter& pieces, const std::vector<Ticket>& tickets) {
    put(pieces.bytes(), tickets.size());
    for (const auto& ticket : tickets) {
        if (!pieces.spill()) return;
        put(pieces.bytes(), ticket.value);
    }
}

std::vector<Slot> take_slots(PieceReader& in, const broker::Broker& broker) {
    std::vector<Slot> slots;
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count; ++i) {
        in.refill();
        const auto slot = broker.slots.find(in.varint(), broker::ticket_of(broker.messages));
        if (slot == kNoSlot) {
            spoil(in);
            return {};
        }
        slots.push_back(slot);
    }
    return slots;
}

void put_message(std::string& out,
                 const broker::Broker& broker,
                 const broker::Message& message,
                 const Envelope*& previous) {
    put(out, message.ticket.value);
    put_envelope(out, message.envelope, previous);
    put(out, message.mailbox);
    put(out, static_cast<std::uint64_t>(message.priority));
    put(out, static_cast<std::uint64_t>(message.listed_as));
    put(out, static_cast<std::uint64_t>(message.stage));
    put(out, message.attempt);
    put(out, message.attempts_uncounted);
    put(out, message.retry_count_max);
    put(out, message.expires_at);
    const bool is_due = message.place != kNotOnAgenda;
    put(out, is_due ? broker.due.at(message.place).at : Time{});
    const auto notice = broker.notices.find(message.ticket.value);
    const bool is_notice = notice != broker.notices.end();
    put(out, (is_notice ? kIsNotice : 0U) | (message.is_answer ? kIsAnswer : 0U));
    if (!is_notice) return;
    put(out, static_cast<std::uint64_t>(notice->second.refusal));
    put(out, notice->second.detail);
}

/// True if the time fits the stage: a ttl, a wait or a lease, or none.
bool is_fitting(const broker::Message& message, Time due) {
    switch (message.stage) {
        case broker::Stage::Ready:
        case broker::Stage::Behind:
            return due == message.expires_at;
        case broker::Stage::Delayed:
        case broker::Stage::Leased:
            return due != Time{};
        case broker::Stage::Dead:
            return due == Time{};
    }
    return false;
}

bool take_message(ByteReader& in,
                  broker::Broker& broker,
                  TicketOrder& tickets,
                  EnvelopePtr& previous) {
    broker::Message message;
    message.ticket = tickets.take(in);
    message.envelope = take_envelope(in, previous);
    message.mailbox = static_cast<AgentHandle>(take_number(in, UINT32_MAX));
    message.priority = take_priority(in);
    message.listed_as = take_priority(in);
    message.stage = take_enum(in, broker::Stage::Ready, broker::Stage::Dead);
    message.attempt = static_cast<std::uint16_t>(take_number(in, UINT16_MAX));
    message.attempts_uncounted = static_cast<std::uint16_t>(take_number(in, UINT16_MAX));
    message.retry_count_max = static_cast<std::uint8_t>(take_number(in, 254));
    message.expires_at = take_time(in);
    const auto due = take_time(in);
    const auto flags = take_number(in, kIsNotice | kIsAnswer);
    message.is_answer = flags != 0;  // A notice is an answer, also without the flag.
    if ((flags & kIsNotice) != 0) {
        Failure failure;
        failure.refusal = take_enum(in, Refusal::None, kRefusals.back().refusal);
        failure.detail = take_text(in);
        broker.notices.emplace(message.ticket.value, std::move(failure));
    }
    const bool is_sound = in.ok() && message.envelope &&
                          message.mailbox < broker.mailboxes.size() && is_fitting(message, due);
    if (!is_sound) return false;

    auto& mailbox = broker.mailboxes[message.mailbox];
    const auto bytes = message.envelope->body().size();
    mailbox.bytes += bytes;
    broker.bytes += bytes;
    if (message.stage == broker::Stage::Leased) {
        ++mailbox.in_flight;
        ++broker.in_flight;
    } else if (message.stage == broker::Stage::Dead) {
        ++mailbox.dead;
    } else {
        ++mailbox.waiting;
        ++broker.waiting;
    }
    if (message.stage != broker::Stage::Dead && asks(broker, message)) ++mailbox.requests;
    const bool waits =
        message.stage != broker::Stage::Leased && message.stage != broker::Stage::Dead;
    const auto ticket = message.ticket.value;
    const Slot slot = broker.messages.add(std::move(message));
    broker.slots.add(ticket, slot);
    broker::set_due(broker, slot, due);
    if (waits) broker::note_returned(broker, broker.messages[slot]);
    return true;
}

void put_messages(PieceWriter& pieces, const broker::Broker& broker) {
    auto& out = pieces.bytes();
    const auto rows = broker.slots.sorted(broker::ticket_of(broker.messages));
    put(out, broker.mailboxes.size());
    put(out, rows.size());
    const Envelope* previous = nullptr;
    for (const auto& [ticket, slot] : rows) {
        if (!pieces.spill()) return;
        put_message(out, broker, broker.messages[slot], previous);
    }
    for (const auto& [ticket, letter] : broker.dead) {
        if (!pieces.spill()) return;
        put(out, ticket.value);
        put(out, static_cast<std::uint64_t>(letter.failure));
        put(out, letter.reason);
        put(out, letter.died_at);
    }
}

bool take_messages(PieceReader& in, State& state) {
    auto& broker = state.broker;
    // All agents were read before, so garbage cannot make this huge.
    const auto mailboxes = take_number(in, state.registry.agents.size());
    broker.mailboxes.resize(std::max<std::size_t>(broker.mailboxes.size(), mailboxes));
    const auto count = take_count(in);
    broker.slots.reserve(count);
    EnvelopePtr previous;
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count; ++i) {
        in.refill();
        if (!take_message(in, broker, tickets, previous)) return false;
    }
    for (const auto& [ticket, slot] : broker.slots.sorted(broker::ticket_of(broker.messages))) {
        if (broker.messages[slot].stage != broker::Stage::Dead) continue;
        in.refill();
        if (in.varint() != ticket) return false;
        broker::DeadLetter letter{.slot = slot};
        letter.failure = take_enum(in, DeliveryFailure::Nacked, DeliveryFailure::CircuitOpen);
        letter.reason = take_text(in);
        letter.died_at = take_time(in);
        broker.dead.emplace(Ticket{ticket}, std::move(letter));
    }
    return in.ok();
}

// Flags of a mailbox before its lists.
constexpr std::uint64_t kIsBusy = 1;
constexpr std::uint64_t kWasLower = 2;

/// The order of ready messages, of each consumer's leases, and of each lane.
void put_order(PieceWriter& pieces, const State& state) {
    auto& out = pieces.bytes();
    const auto& broker = state.broker;
    for (const auto& mailbox : broker.mailboxes) {
        if (!pieces.spill()) return;
        const auto& turns = mailbox.turns;
        const bool is_idle =
            mailbox.waiting == 0 && turns.passed_over == decltype(turns.passed_over){};
        put(out, (is_idle ? 0 : kIsBusy) | (turns.was_lower ? kWasLower : 0));
        if (is_idle) continue;
        for (std::size_t i = 0; i < kPriorities; ++i) {
            put(out, turns.passed_over[i]);
            put_tickets(pieces, tickets_of(broker, mailbox.ready[i]));
        }
    }
    for (const auto& [number, slot] : state.registry.instance_slots) {
        if (!pieces.spill()) return;
        put_tickets(pieces, tickets_of(broker, broker::find_consumer(broker, number)->leased));
    }
    std::vector<std::vector<Ticket>> lanes;
    for (const auto& [key, lane] : broker.lanes) {  // A lane of one message is found by its task.
        auto& tickets = lanes.emplace_back();
        for (Slot slot = lane.head; slot != kNoSlot; slot = broker.messages[slot].lane_next) {
            tickets.push_back(broker.messages[slot].ticket);
        }
    }
    std::ranges::sort(lanes);
    put(out, lanes.size());
    for (const auto& tickets : lanes) {
        if (!pieces.spill()) return;
        put_tickets(pieces, tickets);
    }
}

/// Copies already placed in a list, or behind the previous copy of a lane; each has one position.
struct ListedCopies {
    broker::Broker& broker;
    std::vector<bool> taken = std::vector<bool>(broker.messages.size());

    bool take(Slot slot) {
        if (taken[slot]) return false;
        taken[slot] = true;
        return true;
    }
};

void link(broker::Broker& broker, broker::List& list, Slot slot) {
    auto& message = broker.messages[slot];
    message.link_prev = list.tail;
    (list.tail == kNoSlot ? list.head : broker.messages[list.tail].link_next) = slot;
    list.tail = slot;
}

void take_ready(PieceReader& in, ListedCopies& listed, AgentHandle agent) {
    auto& mailbox = listed.broker.mailboxes[agent];
    for (std::size_t i = 0; i < kPriorities; ++i) {
        mailbox.turns.passed_over[i] = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
        for (const Slot slot : take_slots(in, listed.broker)) {
            const auto& message = listed.broker.messages[slot];
            const bool is_sound =
                message.stage == broker::Stage::Ready && message.mailbox == agent &&
                static_cast<std::size_t>(message.listed_as) == i && listed.take(slot);
            if (!is_sound) return spoil(in);
            link(listed.broker, mailbox.ready[i], slot);
            broker::note_ready_request(listed.broker, listed.broker.messages[slot]);
        }
    }
}

void take_leased(PieceReader& in, ListedCopies& listed, Slot consumer_slot) {
    in.refill();
    auto& consumer = listed.broker.consumers[consumer_slot];
    for (const Slot slot : take_slots(in, listed.broker)) {
        auto& message = listed.broker.messages[slot];
        const bool is_sound = message.stage == broker::Stage::Leased &&
                              message.mailbox == consumer.mailbox && listed.take(slot);
        if (!is_sound) return spoil(in);
        link(listed.broker, consumer.leased, slot);
        message.consumer = consumer_slot;
        ++consumer.in_flight;
        consumer.bytes += message.envelope->body().size();
    }
}

std::uint64_t lane_of(const State& state, Slot slot) {
    return broker::lane_key_of(state.key, state.broker.messages[slot]);
}

/// Every lane has one head, which is not behind any message.
void find_heads(ByteReader& in, State& state) {
    state.broker.slots.for_each([&](Slot slot) {
        const auto& message = state.broker.messages[slot];
        if (message.stage == broker::Stage::Behind || message.stage == broker::Stage::Dead) return;
        const auto key = lane_of(state, slot);
        if (key == 0) return;
        const bool is_first = !broker::find_lane(state.broker, state.key, key);
        expect(in, is_first);
        if (is_first) broker::join_lane(state.broker, state.key, key, slot);
    });
}

void take_lane(PieceReader& in, State& state, ListedCopies& listed) {
    in.refill();
    const auto slots = take_slots(in, state.broker);
    if (slots.size() < 2) return spoil(in);
    const auto key = lane_of(state, slots.front());
    const auto lane = broker::find_lane(state.broker, state.key, key);
    const bool is_alone = lane && lane->head == slots.front() && lane->tail == slots.front();
    if (!is_alone) return spoil(in);
    for (std::size_t i = 1; i < slots.size(); ++i) {
        const auto& message = state.broker.messages[slots[i]];
        const bool is_sound = message.stage == broker::Stage::Behind &&
                              lane_of(state, slots[i]) == key && listed.take(slots[i]);
        if (!is_sound) return spoil(in);
        broker::join_lane(state.broker, state.key, key, slots[i]);
    }
}

/// True if the message stands in a list or lane: waiting for its turn only, or leased.
bool is_listed(const broker::Message& message) {
    return message.stage != broker::Stage::Delayed && message.stage != broker::Stage::Dead;
}

void take_order(PieceReader& in, State& state) {
    auto& broker = state.broker;
    ListedCopies listed{broker};
    for (AgentHandle agent = 0; agent < broker.mailboxes.size(); ++agent) {
        in.refill();
        const auto marks = take_number(in, kIsBusy | kWasLower);
        broker.mailboxes[agent].turns.was_lower = (marks & kWasLower) != 0;
        if ((marks & kIsBusy) != 0) take_ready(in, listed, agent);
    }
    for (const auto& [number, slot] : state.registry.instance_slots) {
        take_leased(in, listed, broker.consumer_slots.at(number.value));
    }
    find_heads(in, state);
    const auto lanes = take_count(in);
    for (std::uint64_t i = 0; i < lanes && in.ok(); ++i) take_lane(in, state, listed);
    for (Slot slot = 0; slot < listed.taken.size(); ++slot) {
        expect(in, listed.taken[slot] == is_listed(broker.messages[slot]));
    }
    if (!in.ok()) return;
    for (AgentHandle agent = 0; agent < broker.mailboxes.size(); ++agent) {
        broker::update_restless(broker, agent);
    }
}

// --- requests and dedup window -------------------------------------------------------------

/// Above a request's flags stand the attempt and the retries of a message in no mailbox.
constexpr unsigned kAttemptShift = 2;
constexpr unsigned kRetriesShift = 18;

void put_requests(PieceWriter& pieces, const State& state) {
    auto& out = pieces.bytes();
    const auto& requests = state.requests;
    const auto rows = requests.slots.sorted(broker::ticket_of(requests.open));
    put(out, rows.size());
    for (const auto& [ticket, slot] : rows) {
        if (!pieces.spill()) return;
        const auto& request = requests.open[slot];
        const auto* message = broker::find_message(state.broker, request.ticket);
        const bool is_in_mailbox = message != nullptr;
        put(out, ticket);
        put(out, std::uint64_t{is_in_mailbox});
        if (!is_in_mailbox) request.asked->pack(out);
        put(out, broker::deadline_of(requests, request));
        put(out, request.requester);
        put(out, static_cast<std::uint64_t>(request.priority));
        put(out,
            std::uint64_t{request.waits} | std::uint64_t{request.had_time} << 1U |
                std::uint64_t{request.attempt} << kAttemptShift |
                std::uint64_t{request.retry_count_max} << kRetriesShift);
    }
}

bool take_requests(PieceReader& in, State& state) {
    const auto count = take_count(in);
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count; ++i) {
        in.refill();
        broker::OpenRequest request;
        request.ticket = tickets.take(in);
        if (in.varint() != 0) {
            const auto* message = broker::find_message(state.broker, request.ticket);
            if (message == nullptr) return false;
            request.asked = message->envelope;
        } else {
            request.asked = Envelope::unpack(in);
        }
        const auto ticket = request.ticket;
        const auto deadline = take_time(in);
        request.requester = static_cast<AgentHandle>(take_number(in, UINT32_MAX));
        request.priority = take_priority(in);
        const auto flags = in.varint();
        request.waits = (flags & 1U) != 0;
        request.had_time = (flags & 2U) != 0;
        if ((flags >> kRetriesShift) > UINT8_MAX) return false;
        const broker::Retries retries{static_cast<std::uint16_t>(flags >> kAttemptShift),
                                      static_cast<std::uint8_t>(flags >> kRetriesShift)};
        if (!in.ok() || !request.asked) return false;
        if (request.requester >= state.registry.agents.size()) return false;
        broker::open_request(state.requests, state.key, std::move(request), deadline);
        const bool is_adrift = broker::find_message(state.broker, ticket) == nullptr;
        broker::set_adrift(state.requests, ticket, is_adrift, retries);
    }
    return in.ok();
}

/// The tables' own order does not depend on the order of insertion.
void put_numbers(PieceWriter& pieces, const FlatTable<broker::NumberRow>& table) {
    auto& out = pieces.bytes();
    put(out, table.size());
    table.for_each([&](const broker::NumberRow& row) {
        if (!pieces.spill()) return;
        append_word(out, row.key);
        put(out, row.number);
    });
}

void take_numbers(PieceReader& in, FlatTable<broker::NumberRow>& table) {
    const auto count = take_count(in);
    table.reserve(count);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        const auto key = in.word<std::uint64_t>();
        const broker::NumberRow row{.key = key, .number = in.varint()};
        expect(in, !row.empty());
        if (in.ok()) broker::remember(table, row);
    }
}

void put_generation(PieceWriter& pieces, const broker::Generation& generation) {
    auto& out = pieces.bytes();
    put(out, generation.ids.size());
    generation.ids.for_each([&](const broker::IdRow& row) {
        if (!pieces.spill()) return;
        append_word(out, row.key.value());
        put(out, row.ticket.value());
        append_word(out, row.fingerprint);
    });
    put_numbers(pieces, generation.answers);
    put_numbers(pieces, generation.closed);
}

void take_generation(PieceReader& in, broker::Generation& generation) {
    const auto ids = take_count(in);
    generation.ids.reserve(ids);
    for (std::uint64_t i = 0; i < ids && in.ok(); ++i) {
        in.refill();
        broker::IdRow row{.key = PackedUint64{in.word<std::uint64_t>()}};
        row.ticket = PackedUint64{in.varint()};
        row.fingerprint = in.word<std::uint32_t>();
        expect(in, !row.empty());
        if (in.ok()) broker::remember(generation.ids, row);
    }
    take_numbers(in, generation.answers);
    take_numbers(in, generation.closed);
}

void put_epochs(PieceWriter& pieces, const broker::Broker& broker) {
    auto& out = pieces.bytes();
    put(out, broker.epoch.value);
    put(out, broker.earlier_leases.size());
    for (const auto& [ticket, epoch] : broker.earlier_leases) {
        if (!pieces.spill()) return;
        put(out, ticket.value);
        put(out, epoch.value);
    }
}

Epoch take_epoch(ByteReader& in) {
    return {static_cast<std::uint32_t>(take_number(in, UINT32_MAX))};
}

void take_epochs(PieceReader& in, broker::Broker& broker) {
    broker.epoch = take_epoch(in);
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        const Ticket ticket{in.varint()};
        const auto epoch = take_epoch(in);
        const auto* message = broker::find_message(broker, ticket);
        expect(in, message != nullptr && message->stage == broker::Stage::Leased);
        expect(in, epoch != broker.epoch && broker.earlier_leases.emplace(ticket, epoch).second);
    }
}

/// Before form 13 copies had no answer mark. A reply in a mailbox is mostly an answer.
void take_replies_as_answers(broker::Broker& broker) {
    broker.slots.for_each([&](Slot slot) {
        auto& message = broker.messages[slot];
        if (message.envelope->intent() == Intent::Reply) message.is_answer = true;
    });
}

void put_state(PieceWriter& pieces, const State& state) {
    auto& out = pieces.bytes();
    put(out, kForm);
    put(out, state.hub_id);
    append_word(out, state.key.first);
    append_word(out, state.key.second);
    put(out, state.sequence.value);
    put(out, state.now);
    put_agents(pieces, state.registry);
    put_instances(pieces, state);
    put_messages(pieces, state.broker);
    put_order(pieces, state);
    put_requests(pieces, state);
    put(out, state.dedup.taken);
    put_generation(pieces, state.dedup.newer);
    put_generation(pieces, state.dedup.older);
    put_governor(pieces, state.governor);
    put_workflows(pieces, state.workflows);
    put_people(pieces, state.people);
    put_shared(pieces, state.shared);
    put_handing(pieces, state);
    put_streams(pieces, state.streams);
    put_held(pieces, state.governor);
    put_bounds(pieces, state.registry);
    put_silent(pieces, state.registry);
    put_approved(pieces, state.governor);
    put_stop(pieces, state.governor);
    put_epochs(pieces, state.broker);
}

Result<State> take_state(PieceReader& in, const Limits& limits) {
    in.refill();
    State state;
    state.limits = limits;
    const auto form = in.varint();
    if (form > kForm) {
        return fail(Fault::Unsupported,
                    "the snapshot has form " + std::to_string(form) +
                        ", this program reads up to " + std::to_string(kForm));
    }
    state.hub_id = take_text(in);
    state.key.first = in.word<std::uint64_t>();
    state.key.second = in.word<std::uint64_t>();
    state.sequence.value = take_number(in, UINT64_MAX / kCopiesMax / 2);
    state.now = take_time(in);
    take_agents(in, state.registry);
    take_instances(in, state);
    const auto garbled = fail(Fault::Corrupt, "the snapshot's content does not add up");
    if (!in.ok() || !take_messages(in, state)) return garbled;
    take_order(in, state);
    if (!take_requests(in, state)) return garbled;
    state.dedup.taken = in.varint();
    take_generation(in, state.dedup.newer);
    take_generation(in, state.dedup.older);
    const auto encoding = form >= 9   ? RecordEncoding::Sparse
                          : form >= 7 ? RecordEncoding::Short
                                      : RecordEncoding::Plain;
    if (form >= 2) take_governor(in, state, encoding, form);
    if (form >= 3) take_workflows(in, state, encoding);
    if (form >= 4) take_people(in, state, encoding);
    if (form >= 5) take_shared(in, state);
    if (form >= 6) take_handing(in, state, form);
    if (form >= 6) take_streams(in, state);
    if (form >= 6) take_held(in, state, form);
    if (form >= 7) take_bounds(in, state.registry);
    if (form >= 11) take_silent(in, state);
    if (form >= 12) {
        take_approved(in, state.governor);
        take_stop(in, state.governor);
    }
    if (form >= 13) {
        take_epochs(in, state.broker);
    } else {
        take_replies_as_answers(state.broker);
    }
    if (!in.is_complete()) return garbled;
    if (state.governor.is_stopped) broker::hand_answers_only(state.broker);
    return state;
}

}  // namespace

std::string encode_state(const State& state) {
    std::string bytes;
    const PieceSink sink = [&](std::string piece) {
        bytes = std::move(piece);
        return true;
    };
    (void)encode_state(state, sink, SIZE_MAX);
    return bytes;
}

bool encode_state(const State& state, const PieceSink& sink, std::size_t piece_bytes) {
    PieceWriter pieces{sink, piece_bytes};
    put_state(pieces, state);
    return pieces.finish();
}

Result<State> decode_state(std::string_view bytes, const Limits& limits) {
    PieceReader in{bytes};
    return take_state(in, limits);
}

Result<State> decode_state(const PieceSource& source,
                           std::uint64_t bytes_max,
                           const Limits& limits) {
    PieceReader in{source, bytes_max};
    auto state = take_state(in, limits);
    if (in.error()) return tl::unexpected(*in.error());
    return state;
}

}  // namespace parlance::core
