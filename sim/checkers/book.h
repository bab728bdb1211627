// The journal of a life, arranged for checking: each copy of a message with its own records, each
// request with its answer, and a small model of where every copy stands after each record.
//
// The model is deliberately another one than the hub's: it follows the records and decides nothing.
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

/// From the record with this index on a copy is for another agent: a task or a plea was handed on,
/// or the hub chose among those whom it had asked.
struct Move {
    std::size_t record = 0;
    std::string recipient;
    EnvelopePtr envelope;
    Priority priority = Priority::Normal;
};

/// One copy of one message for one agent, as it was accepted.
struct Copy {
    Ticket ticket;
    std::string recipient;
    EnvelopePtr envelope;  ///< Of a notice: the request that failed.
    Priority priority = Priority::Normal;
    Time expires_at{};
    std::uint32_t retry_count_max = 0;
    bool is_notice = false;
    bool is_answer = false;            ///< To a request of its recipient: a reply or a notice.
    std::vector<std::size_t> records;  ///< Indices into the journal; the first one accepted it.
    std::vector<Move> moves{};         ///< In the order in which they happened.
};

/// The copy as it is when the record with this index comes.
Copy as_of(const Copy& copy, std::size_t record);

struct Request {
    EnvelopePtr asked;  ///< As whoever has it last was asked.
    Priority priority = Priority::Normal;
    Time deadline{};
    std::size_t record = 0;
    std::size_t deadline_record = 0;   ///< Which gave it its deadline.
    std::vector<std::size_t> answers;  ///< Records that answer it.
};

struct Book {
    const History* history = nullptr;
    std::map<Ticket, Copy> copies;
    std::map<Ticket, Request> requests;
    std::map<InstanceNumber, std::string> instances;  ///< To their agents.
    WorldClock clock;
    std::map<Ticket, CallKind> calls;  ///< Requests that several are asked for.
    std::set<Ticket> passes;          ///< Requests that go on to somebody else if they are refused.
    std::map<Ticket, Ticket> shares;  ///< What each of those several is asked, to its call.
    /// Tasks that changed hands: who gave the task, to whom, and its name.
    std::set<std::tuple<std::string, std::string, std::string>> handed_on;

    /// The records that granted a delivery: a dead letter that is sent again counts from 1 again.
    std::map<std::tuple<Ticket, std::uint32_t, InstanceNumber>, std::vector<std::size_t>> leases;

    /// The copy of a delivery as it was when the delivery was granted. None: it has no copy.
    std::optional<Copy> copy_of(const Shown& shown, const Deliver& deliver) const;
    /// Whether the hub may have put another recipient into a message than its sender wrote.
    bool is_rerouted(const Envelope& sent) const;
};

/// The same, but that the recipient may be another one.
bool is_same_but_recipient(const Envelope& one, const Envelope& other);

Book read_book(const History& history);

/// The copy that a record is about, if it is about one that exists already.
Ticket ticket_of(const Event& event);

enum class Stage { Ready, Delayed, Leased, Dead, Gone };

/// Where one copy stands.
struct Standing {
    const Copy* copy = nullptr;
    Stage stage = Stage::Ready;
    std::uint64_t position = 0;  ///< In its lane: where it was accepted, or accepted anew.
    std::uint32_t attempts = 0;  ///< Since then, but for those that a restart broke off.
    bool has_ttl = true;         ///< A dead letter sent again has none.
};

/// Lives through the journal record by record.
class Walker {
  public:
    explicit Walker(const Book& book) : book_(book) {}
    /// `before` sees the world as it is when the record comes; `after` when it is true.
    using Look = std::function<void(const Entry& entry)>;
    void walk(const Look& before, const Look& after = {});

    const Standing* find(Ticket ticket) const;
    /// The copy as it is now: for whom, how urgent. Null if there is none of this ticket.
    const Copy* copy(Ticket ticket) const;
    /// Everything in an agent's mailbox that is not gone.
    const std::map<Ticket, Standing>& mailbox(const std::string& agent) const;
    /// The copies of one task in one mailbox, in order; dead and gone ones are not in it.
    const std::map<std::uint64_t, Ticket>& lane(const Copy& copy) const;
    /// Whether the fleet is stopped, and this is no answer.
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
    std::map<Ticket, Copy> moved_;  ///< Copies that are for another agent than at first.
    std::map<std::string, std::map<Ticket, Standing>> mailboxes_;
    std::map<LaneName, std::map<std::uint64_t, Ticket>> lanes_;
    std::set<Ticket> apart_;  ///< Answers that wait behind nothing of their task.
    bool is_stopped_ = false;
    std::multimap<std::size_t, const Copy*> arrivals_;  ///< By the record that brings them.
};

}  // namespace parlance::sim
