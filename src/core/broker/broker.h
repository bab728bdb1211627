// Where messages wait: mailboxes, lanes, leases, dead letters.
//
// A mailbox has four lists of what may be handed over now, one per priority. Messages of one task
// form a lane, of which only the head is ever in a list or under lease: that keeps them in order
// over redelivery and restart, while priorities reorder lanes. Knows agents only by their handle.
//
//              enqueue            grant              acknowledge
//   (accepted) ───────▶ Ready ───────────▶ Leased ───────────────▶ (gone)
//                 │      ▲  ▲ retry began    │ setback
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

/// One copy in one mailbox. There may be millions: every byte here is counted (bench/memory).
struct Message {
    Ticket ticket;
    EnvelopePtr envelope;
    Time expires_at{};  ///< Zero: never.
    AgendaPlace place = kNotOnAgenda;
    AgentHandle mailbox = kNoAgent;
    Slot lane_next = kNoSlot;
    Slot link_prev = kNoSlot;  ///< In the ready or leased list; Behind: the one before in the lane.
    Slot link_next = kNoSlot;
    Slot consumer = kNoSlot;
    std::uint16_t attempt = 0;
    std::uint16_t attempts_uncounted = 0;  ///< Another's, before the dead letters, or broken off.
    std::uint8_t retry_count_max = 0;
    Priority priority = Priority::Normal;
    Priority listed_as = Priority::Normal;  ///< Ready only: its own, or its lane's if that is more.
    Stage stage : 7 = Stage::Ready;
    bool is_answer : 1 = false;  ///< To a request of its reader: a reply, or the hub's own words.
};
static_assert(sizeof(Message) == 56);

/// Whether the copy is handed over until it is settled.
constexpr bool is_at_least_once(const Message& message) {
    return parlance::is_at_least_once(message.priority, message.is_answer);
}

/// One less than none: it was passed on since the last try, and who has it now was never handed it.
inline constexpr std::uint16_t kTriesByAnother = 0xFFFF;
constexpr std::uint16_t tries_since(const Message& message) {
    return static_cast<std::uint16_t>(message.attempt - message.attempts_uncounted);
}
/// How many tries count toward the limit. Tokens count on over all of them, so that one from before
/// the dead letters or before a restart is stale after it.
constexpr std::uint32_t tries(const Message& message) {
    return tries_since(message) == kTriesByAnother ? 0U : tries_since(message);
}
/// Whether who has it was handed it once, by now or before it came back.
constexpr bool was_handed(const Message& message) {
    return message.attempt > 0 && tries_since(message) != kTriesByAnother;
}

/// A first-in-first-out list threaded through the messages themselves.
struct List {
    Slot head = kNoSlot;
    Slot tail = kNoSlot;
};

/// The number of what is in a slot, for those who look for it by its ticket.
template <class Thing>
auto ticket_of(const Slab<Thing>& things) {
    return [&things](Slot slot) { return things[slot].ticket.value; };
}

/// The messages of one task in one mailbox. A chance collision of keys merges two lanes, which
/// orders more than was asked for and harms nothing.
struct Lane {
    Slot head = kNoSlot;
    Slot tail = kNoSlot;
    std::array<std::uint32_t, 2> urgent{};  ///< How many critical and high ones are in it.
};

/// An instance that holds so many bytes is given no more, whatever its credit: what it gets has to
/// go through its connection before anything is settled.
inline constexpr std::uint64_t kInFlightBytesMax = std::uint64_t{16} << 20;

struct Consumer {
    InstanceNumber instance;
    AgentHandle mailbox = kNoAgent;
    InstanceKind kind = InstanceKind::Socket;
    std::uint32_t credit = 0;
    std::uint32_t in_flight = 0;
    std::uint64_t bytes = 0;  ///< Of what is in flight.
    bool was_lower = false;   ///< Its last hand-over was of something less than critical.
    List leased;
};

/// How much one has in hand, and how much it would have.
struct Load {
    std::uint32_t count = 0;
    std::uint64_t bytes = 0;

    /// For one more, however large: who has nothing can always have something.
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
    std::uint64_t requests = 0;  ///< Of those that wait or are in flight, which ask for something.
    std::uint64_t bytes = 0;
    std::vector<Slot> consumers;
    std::uint32_t poll_count = 0;
    std::uint32_t restless_place = kNoSlot;
};

struct DeadLetter {
    Slot slot = kNoSlot;
    Setback setback = Setback::RetriesExhausted;
    std::string reason;
    Time died_at{};
};

struct Broker {
    Slab<Message> messages;
    SlotMap slots;        ///< By ticket.
    HashedSlots singles;  ///< Lanes of one message, which says which lane it is.
    boost::unordered_flat_map<std::uint64_t, Lane> lanes;  ///< Those of several.
    std::deque<Mailbox> mailboxes;                         ///< By agent handle.
    Slab<Consumer> consumers;
    boost::unordered_flat_map<std::uint64_t, Slot> consumer_slots;  ///< By instance number.
    Agenda due;                         ///< When a lease, a wait or a ttl ends.
    std::vector<AgentHandle> restless;  ///< Mailboxes in which something can be handed over now.
    AgentHandle stirred = kNoAgent;     ///< Where the last event made something ready, if it did.
    std::map<Ticket, DeadLetter> dead;
    std::set<std::pair<AgentHandle, Ticket>> asking;  ///< Requests that are ready, by mailbox.
    /// Answers that are ready, by mailbox and level: known while nothing else is handed over.
    std::set<std::tuple<AgentHandle, Priority, Ticket>> answers;
    bool hands_answers_only = false;
    Epoch epoch{};  ///< Of this run: every lease that is granted now has it.
    /// Leases that an earlier run granted and that are still held, with the epoch of that run.
    std::map<Ticket, Epoch> earlier_leases;
    /// Requests that were handed over once and wait to be tried again, by mailbox.
    std::set<std::pair<AgentHandle, Ticket>> returned;
    boost::unordered_flat_map<std::uint64_t, Failure>
        notices;  ///< By ticket: copies that show a failure instead of their envelope.
    std::map<Ticket, std::string> enclosed;  ///< With which answers a state goes back. JSON.
    std::uint64_t waiting = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t bytes = 0;  ///< Of all messages, and of what is enclosed.
};

const Message* find_message(const Broker& broker, Ticket ticket);
const Consumer* find_consumer(const Broker& broker, InstanceNumber instance);
/// The mailbox of an agent; agents that never had one share an empty one.
const Mailbox& mailbox_of(const Broker& broker, AgentHandle agent);

/// A copy to be put into a mailbox.
struct Arrival {
    Ticket ticket;
    EnvelopePtr envelope;
    AgentHandle mailbox = kNoAgent;
    Priority priority = Priority::Normal;
    Time expires_at{};
    std::uint32_t retry_count_max = 0;
    bool is_known = false;  ///< Who gets it knows of it, and has it in hand before it comes.
    bool is_answer = false;
};
void enqueue(Broker& broker, const HashKey& key, Arrival arrival);
/// The hub's own answer in place of a reply: `arrival.envelope` is the request.
void enqueue_notice(Broker& broker, const HashKey& key, Arrival arrival, Failure failure);

/// Into another mailbox, wherever it stands now; there it has all its tries.
/// To another mailbox. Who took it over knows of it; who merely is the next one does not.
struct NewHome {
    AgentHandle mailbox = kNoAgent;
    bool is_known = false;
};
void move(Broker& broker, const HashKey& key, const MessageMoved& event, NewHome to);
/// What the reader of an answer laid down when it asked comes with it.
void enclose(Broker& broker, Ticket answer, std::string state);

void grant(Broker& broker, const LeaseGranted& event);
/// A run of the hub begins. Leases that are held stay those of the runs that granted them.
void begin_epoch(Broker& broker, Epoch epoch);
/// Of the run that granted the lease of this copy, which is held.
Epoch epoch_of_lease(const Broker& broker, Ticket ticket);
/// The token in force of a copy that is leased.
inline DeliveryToken token_of(const Broker& broker, const Message& message) {
    return {message.ticket, message.attempt, epoch_of_lease(broker, message.ticket)};
}
void extend(Broker& broker, Ticket ticket, Time until);
/// Out of the hub for good: acknowledged, dropped, expired or discarded.
void remove(Broker& broker, const HashKey& key, Ticket ticket);
/// Back from a consumer, to be tried again.
void give_back(Broker& broker, const HashKey& key, const DeliveryReturned& event, Time now);
void begin_retry(Broker& broker, const HashKey& key, Ticket ticket);
void bury(Broker& broker, const HashKey& key, const MessageDeadLettered& event, Time now);
void revive(Broker& broker, const HashKey& key, Ticket ticket);

void join(Broker& broker, const InstanceJoined& event, AgentHandle agent);
void leave(Broker& broker, InstanceNumber instance);
void set_credit(Broker& broker, InstanceNumber instance, std::uint32_t credit);

/// From here on nothing is handed over but answers; or all of it again.
void hand_answers_only(Broker& broker);
void hand_everything(Broker& broker);

/// Says which copies of a mailbox go next, without touching it. What has expired by now does not
/// go; the tick that follows records it.
class Picker {
  public:
    struct Terms {
        Time now{};
        std::uint32_t low_every = 100;
    };
    Picker(const Broker& broker, AgentHandle agent, const Terms& terms);
    /// For a consumer of whose last hand-over `was_lower` speaks, and now of this one.
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

/// Whether a copy asks its reader for something: the hub's own answer shows what was asked, and
/// does not ask it.
bool asks(const Broker& broker, const Message& message);
/// Notes that a copy has become ready, if it is one that somebody waits for the answer to.
void note_asking(Broker& broker, const Message& message);
/// Notes that a copy waits that was handed over before, if it is such a one.
void note_returned(Broker& broker, const Message& message);

/// Rebuilds what is derived (lists' owners, agenda, totals) after the plain data was loaded.
void set_due(Broker& broker, Slot slot, Time at);
void update_restless(Broker& broker, AgentHandle agent);

}  // namespace parlance::core::broker
