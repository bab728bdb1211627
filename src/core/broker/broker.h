// The message store: mailboxes, lanes, leases and dead letters.
//
// A mailbox keeps its ready messages in four lists, one per priority. Messages of a task form a
// lane, and only the head of a lane is ready or leased: a task keeps its order over redelivery and
// restart, while priorities reorder lanes. The broker knows agents only by handle.
//
//              enqueue            grant              acknowledge
//   (accepted) ───────▶ Ready ───────────▶ Leased ───────────────▶ (gone)
//                 │      ▲  ▲ retry began    │ failure
//        lane busy│      │  └──── Delayed ◀──┤ tries left
//                 ▼      │ head left         │
//               Behind ──┘                   └──▶ Dead ──redeliver──▶ Ready or Behind
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/agenda.h"
#include "base/flat_table.h"
#include "base/slab.h"
#include "base/slot_map.h"
#include "base/time.h"
#include "core/broker/turns.h"
#include "core/handles.h"
#include "model/effect.h"
#include "model/envelope.h"
#include "model/event.h"

namespace parlance::core::broker {

enum class Stage : std::uint8_t { Ready, Behind, Delayed, Leased, Dead };

/// A copy of a message in a mailbox. A hub may hold millions of copies: bench/memory counts every
/// byte here.
struct Message {
    Ticket ticket;
    EnvelopePtr envelope;
    Time expires_at{};  ///< Zero: never.
    AgendaPlace place = kNotOnAgenda;
    AgentHandle mailbox = kNoAgent;
    Slot lane_next = kNoSlot;
    /// In the ready or leased list; Behind: the previous copy in the lane.
    Slot link_prev = kNoSlot;
    Slot link_next = kNoSlot;
    Slot consumer = kNoSlot;
    std::uint16_t attempt = 0;
    /// By earlier holders, before the dead letters, or broken off.
    std::uint16_t attempts_uncounted = 0;
    std::uint8_t retry_count_max = 0;
    Priority priority = Priority::Normal;
    /// Ready only: its own priority, or its lane's if higher.
    Priority listed_as = Priority::Normal;
    Stage stage : 7 = Stage::Ready;
    bool is_answer : 1 = false;  ///< To a request of the recipient: a reply, or the hub's notice.
};
static_assert(sizeof(Message) == 56);

/// At-least-once copies are delivered again until the recipient settles them.
constexpr bool is_at_least_once(const Message& message) {
    return parlance::is_at_least_once(message.priority, message.is_answer);
}

/// tries_since() is one below zero: the message moved to a new holder since the last try, and the
/// new holder was never handed the message.
inline constexpr std::uint16_t kTriesByAnother = 0xFFFF;
constexpr std::uint16_t tries_since(const Message& message) {
    return static_cast<std::uint16_t>(message.attempt - message.attempts_uncounted);
}
/// Tries that count toward retry_count_max. Attempt numbers go on over all tries, so that a
/// delivery token from before the dead letters or a restart is stale afterwards.
constexpr std::uint32_t tries(const Message& message) {
    return tries_since(message) == kTriesByAnother ? 0U : tries_since(message);
}
/// Whether the present holder has had the copy: leased now or before, or taken over with the task.
constexpr bool was_handed(const Message& message) {
    return message.attempt > 0 && tries_since(message) != kTriesByAnother;
}

/// A first-in-first-out list threaded through the messages themselves.
struct List {
    Slot head = kNoSlot;
    Slot tail = kNoSlot;
};

/// Maps a slot to its ticket number, for a SlotMap lookup by ticket.
template <class Thing>
auto ticket_of(const Slab<Thing>& things) {
    return [&things](Slot slot) { return things[slot].ticket.value; };
}

/// The messages of a task in a mailbox. A chance collision of keys merges two lanes: more order
/// than asked for, and harmless.
struct Lane {
    Slot head = kNoSlot;
    Slot tail = kNoSlot;
    std::array<std::uint32_t, 2> urgent{};  ///< Counts of critical and high messages in the lane.
};

/// An instance with so many bytes in flight gets no further message, whatever its credit: bytes in
/// flight must pass through the connection before the agent can settle anything.
inline constexpr std::uint64_t kInFlightBytesMax = std::uint64_t{16} << 20;

struct Consumer {
    InstanceNumber instance;
    AgentHandle mailbox = kNoAgent;
    InstanceKind kind = InstanceKind::Socket;
    std::uint32_t credit = 0;
    std::uint32_t in_flight = 0;
    std::uint64_t bytes = 0;  ///< Of messages in flight.
    bool was_lower = false;   ///< The last hand-over to it was less than critical.
    List leased;
};

/// Messages and bytes that a consumer has in flight, to be held against its credit.
struct Load {
    std::uint32_t count = 0;
    std::uint64_t bytes = 0;

    /// Room for a message of any size: a consumer with nothing in flight can always get a message.
    bool has_room(std::uint32_t count_max) const {
        return count < count_max && bytes < kInFlightBytesMax;
    }
    void add(const Message& message) {
        ++count;
        bytes += message.envelope->body().size();
    }
};
inline Load load_of(const Consumer& consumer) { return {consumer.in_flight, consumer.bytes}; }

struct Mailbox {
    std::array<List, kPriorities> ready;
    Turns turns;
    std::uint64_t waiting = 0;  ///< Ready, Behind and Delayed.
    std::uint64_t in_flight = 0;
    std::uint64_t dead = 0;
    std::uint64_t requests = 0;  ///< Requests among the waiting and in-flight messages.
    std::uint64_t bytes = 0;
    std::vector<Slot> consumers;
    std::uint32_t poll_count = 0;
    std::uint32_t restless_place = kNoSlot;
};

struct DeadLetter {
    Slot slot = kNoSlot;
    DeliveryFailure failure = DeliveryFailure::RetriesExhausted;
    std::string reason;
    Time died_at{};
};

struct Broker {
    Slab<Message> messages;
    SlotMap slots;        ///< By ticket.
    HashedSlots singles;  ///< Lanes of a single message; the message holds the lane's key.
    boost::unordered_flat_map<std::uint64_t, Lane> lanes;  ///< Lanes of several messages.
    std::deque<Mailbox> mailboxes;                         ///< By agent handle.
    Slab<Consumer> consumers;
    boost::unordered_flat_map<std::uint64_t, Slot> consumer_slots;  ///< By instance number.
    Agenda due;  ///< When a lease, a retry wait or a ttl ends.
    /// Mailboxes with a ready message and a consumer with room.
    std::vector<AgentHandle> restless;
    /// Mailbox in which the last event made a message ready, if any.
    AgentHandle stirred = kNoAgent;
    std::map<Ticket, DeadLetter> dead;
    std::set<std::pair<AgentHandle, Ticket>> ready_requests;  ///< Ready requests, by mailbox.
    /// Ready answers, by mailbox and level; filled only while the hub hands over answers only.
    std::set<std::tuple<AgentHandle, Priority, Ticket>> answers;
    bool hands_answers_only = false;
    Epoch epoch{};  ///< Of the present run: every lease granted now carries it.
    /// Leases that an earlier run granted and agents still hold, with the epoch of that run.
    std::map<Ticket, Epoch> earlier_leases;
    /// Requests that were handed over before and wait for a retry, by mailbox.
    std::set<std::pair<AgentHandle, Ticket>> returned;
    boost::unordered_flat_map<std::uint64_t, Failure>
        notices;  ///< By ticket: copies that show a failure instead of their envelope.
    /// Saved requester state that returns with an answer, by the answer's ticket. JSON.
    std::map<Ticket, std::string> enclosed;
    std::uint64_t waiting = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t bytes = 0;  ///< Of all messages and all enclosed state.
};

const Message* find_message(const Broker& broker, Ticket ticket);
const Consumer* find_consumer(const Broker& broker, InstanceNumber instance);
/// The mailbox of an agent; agents without a mailbox share an empty default.
const Mailbox& mailbox_of(const Broker& broker, AgentHandle agent);

/// A copy to be put into a mailbox.
struct Arrival {
    Ticket ticket;
    EnvelopePtr envelope;
    AgentHandle mailbox = kNoAgent;
    Priority priority = Priority::Normal;
    Time expires_at{};
    std::uint32_t retry_count_max = 0;
    bool is_known = false;  ///< The recipient knows the message already: it counts as handed over.
    bool is_answer = false;
    std::uint16_t attempt = 0;  ///< Of the last delivery of a message that comes back.
};
void enqueue(Broker& broker, const HashKey& key, Arrival arrival);
/// Enqueues the hub's own failure notice in place of a reply: `arrival.envelope` is the request.
void enqueue_notice(Broker& broker, const HashKey& key, Arrival arrival, Failure failure);

/// Target of move(), which takes a copy from any stage to another mailbox and grants it all its
/// tries anew. `is_known`: the new holder accepted the task and so knows the message; the next
/// candidate after a decline does not.
struct NewHome {
    AgentHandle mailbox = kNoAgent;
    bool is_known = false;
};
void move(Broker& broker, const HashKey& key, const MessageMoved& event, NewHome to);
/// Returns with an answer the state that the requester saved when sending the request.
void enclose(Broker& broker, Ticket answer, std::string state);

void grant(Broker& broker, const LeaseGranted& event);
/// A run of the hub begins. Leases still held keep the epoch of the run that granted them.
void begin_epoch(Broker& broker, Epoch epoch);
/// The epoch of the run that granted the lease of a leased copy.
Epoch epoch_of_lease(const Broker& broker, Ticket ticket);
/// The delivery token in force of a leased copy.
inline DeliveryToken token_of(const Broker& broker, const Message& message) {
    return {message.ticket, message.attempt, epoch_of_lease(broker, message.ticket)};
}
void extend(Broker& broker, Ticket ticket, Time until);
/// Removes a copy for good: acknowledged, dropped, expired or discarded.
void remove(Broker& broker, const HashKey& key, Ticket ticket);
/// Takes a copy back from its consumer, for a retry.
void give_back(Broker& broker, const HashKey& key, const DeliveryReturned& event, Time now);
void begin_retry(Broker& broker, const HashKey& key, Ticket ticket);
void bury(Broker& broker, const HashKey& key, const MessageDeadLettered& event, Time now);
void revive(Broker& broker, const HashKey& key, Ticket ticket);

void join(Broker& broker, const InstanceJoined& event, AgentHandle agent);
void leave(Broker& broker, InstanceNumber instance);
void set_credit(Broker& broker, InstanceNumber instance, std::uint32_t credit);

/// While a stop of the fleet is in force only answers are handed over; hand_everything() ends the
/// mode.
void hand_answers_only(Broker& broker);
void hand_everything(Broker& broker);

/// Says which copies of a mailbox go next, without changing the mailbox. Expired copies are
/// skipped; the following tick records their expiry.
class Picker {
  public:
    struct Terms {
        Time now{};
        std::uint32_t low_every = 100;
    };
    Picker(const Broker& broker, AgentHandle agent, const Terms& terms);
    /// The next copy for a consumer. `was_lower` in: the consumer's last hand-over was less than
    /// critical; out: the same of the returned copy.
    const Message* next(bool& was_lower);

  private:
    const Message* take(std::size_t level);
    void skip_expired(Slot& slot) const;

    const Broker& broker_;
    std::array<Slot, kPriorities> at_{};
    Turns turns_;
    Time now_;
    std::uint32_t patience_;
};

/// Whether a copy asks its recipient for an answer. A failure notice shows the request without
/// asking again.
bool asks(const Broker& broker, const Message& message);
/// Notes a ready copy in `ready_requests` if a requester waits for its answer.
void note_ready_request(Broker& broker, const Message& message);
/// Notes a waiting copy in `returned` if it is a request that was handed over before.
void note_returned(Broker& broker, const Message& message);

/// Derived data (agenda, restless mailboxes), also rebuilt after a snapshot was loaded.
void set_due(Broker& broker, Slot slot, Time at);
void update_restless(Broker& broker, AgentHandle agent);

}  // namespace parlance::core::broker
