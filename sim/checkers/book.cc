#include "sim/checkers/book.h"

#include <algorithm>

#include "base/match.h"

namespace parlance::sim {

namespace {

constexpr std::string_view kTopicPrefix = "topic:";

class Reader {
  public:
    explicit Reader(const History& history) {
        book_.history = &history;
        book_.clock = WorldClock{history};
    }

    Book read() {
        const auto& journal = book_.history->journal;
        for (std::size_t i = 0; i < journal.size(); ++i) {
            const auto ticket = ticket_of(journal[i].event);
            if (const auto found = book_.copies.find(ticket); found != book_.copies.end()) {
                found->second.records.push_back(i);
            }
            match(
                journal[i].event,
                [&](const Subscribed& event) {
                    topics_[event.topic.value].insert(event.agent.value);
                },
                [&](const Unsubscribed& event) {
                    topics_[event.topic.value].erase(event.agent.value);
                },
                [&](const AgentRemoved& event) {
                    for (auto& [topic, agents] : topics_) agents.erase(event.agent.value);
                },
                [&](const InstanceJoined& event) {
                    book_.instances[event.instance] = event.agent.value;
                },
                [&](const MessageAccepted& event) { accepted(i, event); },
                [&](const RequestReleased& event) { released(i, event); },
                [&](const MessageMoved& event) { moved(i, event); },
                [&](const LeaseGranted& event) {
                    book_.leases[{event.ticket, event.attempt, event.instance}].push_back(i);
                },
                [&](const PassingBegan& event) { book_.passes.insert(event.request); },
                [&](const CallOpened& event) { book_.calls[event.request] = event.kind; },
                [&](const CallAsked& event) {
                    if (event.request != Ticket{}) book_.shares[event.request] = event.call;
                },
                [&](const RequestAnswered& event) {
                    answered(i, event.request, event.ticket, event.envelope);
                },
                [&](const RequestFailed& event) {
                    answered(i, event.request, event.ticket, nullptr);
                },
                [](const auto&) {});
        }
        return std::move(book_);
    }

  private:
    void add(std::size_t index, Copy copy) {
        copy.records = {index};
        book_.copies[copy.ticket] = std::move(copy);
    }

    void accepted(std::size_t index, const MessageAccepted& event) {
        const auto& envelope = *event.envelope;
        Copy copy{.ticket = event.ticket,
                  .recipient = std::string{envelope.to()},
                  .envelope = event.envelope,
                  .priority = event.priority,
                  .expires_at = event.expires_at,
                  .retry_count_max = event.retry_count_max};
        if (envelope.to().starts_with(kTopicPrefix)) {
            for (const auto& agent :
                 topics_[std::string{envelope.to().substr(kTopicPrefix.size())}]) {
                copy.recipient = agent;
                add(index, copy);
                ++copy.ticket.value;
            }
            return;
        }
        // A request that waits for approval is in no mailbox before its release.
        if (event.is_held) {
            held_[event.ticket] = copy;
        } else {
            add(index, copy);
        }
        if (envelope.intent() != Intent::Request) return;
        book_.requests[event.ticket] = {.asked = event.envelope,
                                        .priority = event.priority,
                                        .deadline = event.deadline,
                                        .record = index,
                                        .deadline_record = index,
                                        .answers = {}};
    }

    /// Adds the request as approved; the copy starts with the release.
    void released(std::size_t index, const RequestReleased& event) {
        auto copy = held_[event.request];
        copy.expires_at = event.expires_at;
        auto& request = book_.requests[event.request];
        request.deadline = event.deadline;
        request.deadline_record = index;
        if (event.envelope) copy.envelope = request.asked = event.envelope;
        add(index, std::move(copy));
    }

    void moved(std::size_t index, const MessageMoved& event) {
        if (const auto copy = book_.copies.find(event.ticket); copy != book_.copies.end()) {
            copy->second.moves.push_back(
                {index, std::string{event.envelope->to()}, event.envelope, event.priority});
        }
        const auto request = book_.requests.find(event.ticket);
        if (request == book_.requests.end()) return;
        const auto& before = *request->second.asked;
        book_.handed_on.emplace(before.from(), before.to(), before.task());
        request->second.asked = event.envelope;
        request->second.priority = event.priority;
    }

    void answered(std::size_t index, Ticket request, Ticket ticket, EnvelopePtr reply) {
        const auto found = book_.requests.find(request);
        if (found == book_.requests.end()) return;
        found->second.answers.push_back(index);
        if (ticket == Ticket{}) return;
        const bool is_notice = reply == nullptr;
        add(index,
            {.ticket = ticket,
             .recipient = std::string{found->second.asked->from()},
             .envelope = is_notice ? found->second.asked : std::move(reply),
             .priority = found->second.priority,
             .retry_count_max = book_.history->limits.retry_count_max,
             .is_notice = is_notice,
             .is_answer = true});
    }

    Book book_;
    std::map<std::string, std::set<std::string>> topics_;
    std::map<Ticket, Copy> held_;
};

}  // namespace

Copy as_of(const Copy& copy, std::size_t record) {
    auto now = copy;
    for (const auto& move : copy.moves) {
        if (move.record >= record) break;
        now.recipient = move.recipient;
        now.envelope = move.envelope;
        now.priority = move.priority;
    }
    return now;
}

std::optional<Copy> Book::copy_of(const Shown& shown, const Deliver& deliver) const {
    const auto copy = copies.find(deliver.delivery.ticket);
    if (copy == copies.end()) return std::nullopt;
    const auto granted =
        leases.find({deliver.delivery.ticket, deliver.delivery.attempt, deliver.instance});
    if (copy->second.moves.empty() || granted == leases.end()) return copy->second;
    auto record = granted->second.front();
    for (const auto each : granted->second) {
        if (history->journal[each].sequence <= shown.durable) record = each;
    }
    return as_of(copy->second, record);
}

bool Book::is_rerouted(const Envelope& sent) const {
    return is_no_agent(sent.to()) ||
           handed_on.contains(
               {std::string{sent.from()}, std::string{sent.to()}, std::string{sent.task()}});
}

bool is_same_but_recipient(const Envelope& one, const Envelope& other) {
    auto header = one.header();
    header.to = other.to();
    return *Envelope::make(header, one.body()) == other;
}

Book read_book(const History& history) { return Reader{history}.read(); }

Ticket ticket_of(const Event& event) {
    return match(
        event,
        [](const LeaseGranted& e) { return e.ticket; },
        [](const LeaseExtended& e) { return e.ticket; },
        [](const ProgressReported& e) { return e.ticket; },
        [](const DeliveryAcknowledged& e) { return e.ticket; },
        [](const DeliveryReturned& e) { return e.ticket; },
        [](const RetryBegan& e) { return e.ticket; },
        [](const MessageDropped& e) { return e.ticket; },
        [](const MessageExpired& e) { return e.ticket; },
        [](const MessageDeadLettered& e) { return e.ticket; },
        [](const DeadLetterRedelivered& e) { return e.ticket; },
        [](const DeadLetterDiscarded& e) { return e.ticket; },
        [](const DuplicateReceived& e) { return e.ticket; },
        [](const RequestAnswered& e) { return e.request; },
        [](const RequestFailed& e) { return e.request; },
        [](const ReplyDropped& e) { return e.request; },
        [](const WaitEnded& e) { return e.request; },
        [](const MessageMoved& e) { return e.ticket; },
        [](const auto&) { return Ticket{}; });
}

const std::map<Ticket, Standing>& Walker::mailbox(const std::string& agent) const {
    static const std::map<Ticket, Standing> empty;
    const auto found = mailboxes_.find(agent);
    return found == mailboxes_.end() ? empty : found->second;
}

const std::map<std::uint64_t, Ticket>& Walker::lane(const Copy& copy) const {
    static const std::map<std::uint64_t, Ticket> empty;
    const auto found = lanes_.find({copy.recipient, task_of(copy)});
    return found == lanes_.end() ? empty : found->second;
}

bool Walker::is_withheld(const Copy& copy) const { return is_stopped_ && !copy.is_answer; }

std::string Walker::task_of(const Copy& copy) const {
    return apart_.contains(copy.ticket) ? std::string{} : std::string{copy.envelope->task()};
}

/// True if the recipient's lane of the task holds nothing but a leased message other than
/// `question`.
bool Walker::is_in_hand(const Copy& copy, Ticket question) const {
    const auto& others = lane(copy);
    return others.size() == 1 && others.begin()->second != question &&
           find(others.begin()->second)->stage == Stage::Leased;
}

const Copy* Walker::copy(Ticket ticket) const {
    if (const auto moved = moved_.find(ticket); moved != moved_.end()) return &moved->second;
    const auto copy = book_.copies.find(ticket);
    return copy == book_.copies.end() ? nullptr : &copy->second;
}

Standing* Walker::standing(Ticket ticket) {
    const auto* const its = copy(ticket);
    if (its == nullptr) return nullptr;
    auto& mailbox = mailboxes_[its->recipient];
    const auto found = mailbox.find(ticket);
    return found == mailbox.end() ? nullptr : &found->second;
}

const Standing* Walker::find(Ticket ticket) const {
    return const_cast<Walker*>(this)->standing(ticket);
}

void Walker::enter(const Copy& copy, std::uint64_t position) {
    mailboxes_[copy.recipient][copy.ticket] = {.copy = &copy, .position = position};
    const auto task = task_of(copy);
    if (!task.empty()) lanes_[{copy.recipient, task}][position] = copy.ticket;
}

void Walker::leave(Standing& standing) {
    const auto task = task_of(*standing.copy);
    if (!task.empty()) lanes_[{standing.copy->recipient, task}].erase(standing.position);
}

void Walker::remove(Ticket ticket) {
    auto* found = standing(ticket);
    if (found == nullptr) return;
    if (found->stage != Stage::Dead) leave(*found);
    mailboxes_[found->copy->recipient].erase(ticket);
}

/// Moves the copy behind everything that the new recipient has of the task. A copy settled before,
/// by an agent that acknowledged the delivery and had yet to answer, is back in a mailbox.
void Walker::move(Ticket ticket, std::size_t index) {
    const auto* const before = copy(ticket);
    if (before == nullptr) return;
    const auto* const stood = standing(ticket);
    const auto& records = book_.copies.at(ticket).records;
    // An acknowledged message was delivered in time; from then on the request's deadline holds.
    const bool was_delivered = std::ranges::any_of(records, [&](std::size_t record) {
        return record < index &&
               std::holds_alternative<DeliveryAcknowledged>(book_.history->journal[record].event);
    });
    const bool has_ttl = stood != nullptr ? stood->has_ttl : !was_delivered;
    remove(ticket);
    apart_.erase(ticket);
    moved_[ticket] = as_of(book_.copies.at(ticket), index + 1);
    enter(moved_[ticket], book_.history->journal[index].sequence.value * 1024);
    standing(ticket)->has_ttl = has_ttl;
}

void Walker::take(std::size_t index) {
    const auto& entry = book_.history->journal[index];
    const auto ticket = ticket_of(entry.event);
    const auto [first, last] = arrivals_.equal_range(index);
    const bool is_answer = std::holds_alternative<RequestAnswered>(entry.event) ||
                           std::holds_alternative<RequestFailed>(entry.event);
    for (auto arrival = first; is_answer && arrival != last; ++arrival) {
        // An agent in the middle of a task may need the answer to go on with the task, and so may
        // an agent that offered a task or asked for help.
        const bool is_apart =
            is_stopped_ || book_.passes.contains(ticket) || is_in_hand(*arrival->second, ticket);
        if (is_apart) apart_.insert(arrival->second->ticket);
    }
    if (std::holds_alternative<FleetStopped>(entry.event)) is_stopped_ = true;
    if (std::holds_alternative<FleetResumed>(entry.event)) is_stopped_ = false;
    if (std::holds_alternative<MessageMoved>(entry.event)) move(ticket, index);
    auto* found = ticket == Ticket{} ? nullptr : standing(ticket);
    if (found != nullptr) {
        match(
            entry.event,
            [&](const LeaseGranted&) {
                found->stage = Stage::Leased;
                ++found->attempts;
            },
            [&](const DeliveryReturned& event) {
                found->stage = event.retry_at > entry.at ? Stage::Delayed : Stage::Ready;
                if (!is_counted(event.failure)) --found->attempts;
            },
            [&](const RetryBegan&) { found->stage = Stage::Ready; },
            [&](const MessageDeadLettered&) {
                leave(*found);
                found->stage = Stage::Dead;
            },
            [&](const DeadLetterRedelivered&) {
                enter(*found->copy, entry.sequence.value * 1024);
                standing(ticket)->has_ttl = false;
            },
            [&](const DeliveryAcknowledged&) { remove(ticket); },
            [&](const MessageDropped&) { remove(ticket); },
            [&](const MessageExpired&) { remove(ticket); },
            [&](const DeadLetterDiscarded&) { remove(ticket); },
            [&](const RequestAnswered&) { remove(ticket); },
            [](const auto&) {});
    }
    for (auto arrival = first; arrival != last; ++arrival) {
        // A ticket derives from the record that accepted the message; a released copy enters later.
        enter(*arrival->second,
              std::max(arrival->second->ticket.value, entry.sequence.value * 1024));
    }
}

void Walker::walk(const Look& before, const Look& after) {
    for (const auto& [ticket, copy] : book_.copies) arrivals_.emplace(copy.records.front(), &copy);
    const auto& journal = book_.history->journal;
    for (std::size_t i = 0; i < journal.size(); ++i) {
        if (before) before(journal[i]);
        take(i);
        if (after) after(journal[i]);
    }
}

}  // namespace parlance::sim
