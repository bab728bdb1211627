// The journal of a life, arranged for checking: each copy of a message with its own records, each
// request with its answer, and a small model of the stage of every copy after each record.
//
// The model is deliberately not the hub's: the model follows the records and decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/checkers/world_clock.h"
#include "sim/history.h"

namespace parlance::sim {

/// From the record with this index on, a copy belongs to another agent: a task or a help request
/// was handed on, or the hub chose among the agents asked.
struct Move {
    std::size_t record = 0;
    std::string recipient;
    EnvelopePtr envelope;
    Priority priority = Priority::Normal;
};

/// The copy of an accepted message for a single agent, as of its acceptance.
struct Copy {
    Ticket ticket;
    std::string recipient;
    EnvelopePtr envelope;  ///< For a notice: the request that failed.
    Priority priority = Priority::Normal;
    Time expires_at{};
    std::uint32_t retry_count_max = 0;
    bool is_notice = false;
    bool is_answer = false;            ///< A reply or a notice, to a request of the recipient.
    std::vector<std::size_t> records;  ///< Journal indices; the first accepted the copy.
    std::vector<Move> moves{};         ///< In the order in which they happened.
};

/// The copy just before the record with this index.
Copy as_of(const Copy& copy, std::size_t record);

struct Request {
    EnvelopePtr asked;  ///< The envelope as the latest holder got it.
    Priority priority = Priority::Normal;
    Time deadline{};
    std::size_t record = 0;
    std::size_t deadline_record = 0;   ///< The record that set the deadline.
    std::vector<std::size_t> answers;  ///< Records that answer the request.
};

struct Book {
    const History* history = nullptr;
    std::map<Ticket, Copy> copies;
    std::map<Ticket, Request> requests;
    std::map<InstanceNumber, std::string> instances;  ///< The agent of each instance.
    WorldClock clock;
    std::map<Ticket, CallKind> calls;  ///< Requests that ask several agents.
    std::set<Ticket> passes;           ///< Requests that go on to another agent when refused.
    std::map<Ticket, Ticket> shares;   ///< The call of each share, the request to an agent asked.
    /// Tasks handed over: the previous sender, the previous recipient and the task.
    std::set<std::tuple<std::string, std::string, std::string>> handed_on;

    /// The records that granted a delivery: several, because a redelivered dead letter counts
    /// attempts from 1 again.
    std::map<std::tuple<Ticket, std::uint32_t, InstanceNumber>, std::vector<std::size_t>> leases;

    /// The copy of a delivery as of the grant. None: the delivery has no copy.
    std::optional<Copy> copy_of(const Shown& shown, const Deliver& deliver) const;
    /// True if the hub may have changed the recipient of the message.
    bool is_rerouted(const Envelope& sent) const;
};

/// True if the envelopes are equal apart from the recipient.
bool is_same_but_recipient(const Envelope& one, const Envelope& other);

Book read_book(const History& history);

/// The copy that a record concerns, if the copy exists already.
Ticket ticket_of(const Event& event);

enum class Stage { Ready, Delayed, Leased, Dead, Gone };

/// The current stage of a copy.
struct Standing {
    const Copy* copy = nullptr;
    Stage stage = Stage::Ready;
    std::uint64_t position = 0;  ///< In the lane, by the acceptance or a later move.
    std::uint32_t attempts = 0;  ///< Counted deliveries since then.
    bool has_ttl = true;         ///< False once redelivered or moved after an acknowledgement.
};

/// Follows the journal record by record.
class Walker {
  public:
    explicit Walker(const Book& book) : book_(book) {}
    /// `before` runs before the model takes the record, `after` runs afterwards.
    using Look = std::function<void(const Entry& entry)>;
    void walk(const Look& before, const Look& after = {});

    const Standing* find(Ticket ticket) const;
    /// The copy as of now, with its present recipient and priority; null if unknown.
    const Copy* copy(Ticket ticket) const;
    /// All copies in an agent's mailbox, dead letters included.
    const std::map<Ticket, Standing>& mailbox(const std::string& agent) const;
    /// The copies of a task in a mailbox, in order, without dead letters.
    const std::map<std::uint64_t, Ticket>& lane(const Copy& copy) const;
    /// True while the fleet is stopped, unless the copy is an answer.
    bool is_withheld(const Copy& copy) const;

  private:
    using LaneName = std::pair<std::string, std::string>;

    void take(std::size_t index);
    std::string task_of(const Copy& copy) const;
    bool is_in_hand(const Copy& copy, Ticket question) const;
    void enter(const Copy& copy, std::uint64_t position);
    void leave(Standing& standing);
    void remove(Ticket ticket);
    void move(Ticket ticket, std::size_t index);
    Standing* standing(Ticket ticket);

    const Book& book_;
    std::map<Ticket, Copy> moved_;  ///< Copies that moved to another agent.
    std::map<std::string, std::map<Ticket, Standing>> mailboxes_;
    std::map<LaneName, std::map<std::uint64_t, Ticket>> lanes_;
    std::set<Ticket> apart_;  ///< Answers outside the lane of their task.
    bool is_stopped_ = false;
    std::multimap<std::size_t, const Copy*> arrivals_;  ///< By the record that brings the copies.
};

}  // namespace parlance::sim
