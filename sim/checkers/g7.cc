// G7: everything is bounded. No message is accepted into a mailbox that is full, nor into a hub
// that holds all it may, in mailboxes and of what was asked and is in none; the hub's own
// answers to requests may come on top, and those are bounded by the open requests. A topic's copy
// for which there is no room is given up at once, on record: as a dead letter, for which there is a
// tenth more, or dropped if that is allowed.
#include <optional>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

/// How much more than its limits the mailbox may hold with this copy, in tenths; none if it is
/// gone.
std::optional<std::uint64_t> tenths_more(const Book& book, const Copy& copy) {
    if (copy.records.size() < 2) return 0;
    const auto& next = book.history->journal[copy.records[1]].event;
    const auto* dropped = std::get_if<MessageDropped>(&next);
    if (dropped != nullptr && dropped->setback == Setback::MailboxFull) return std::nullopt;
    const auto* dead = std::get_if<MessageDeadLettered>(&next);
    return dead != nullptr && dead->setback == Setback::MailboxFull ? 1 : 0;
}

/// What was asked and has no answer yet, as it reads now.
class OpenQuestions {
  public:
    void take(const Event& event) {
        match(
            event,
            [&](const MessageAccepted& fact) {
                if (fact.envelope->intent() == Intent::Request) asked_[fact.ticket] = fact.envelope;
            },
            [&](const MessageMoved& fact) { reword(fact.ticket, fact.envelope); },
            [&](const RequestReleased& fact) { reword(fact.request, fact.envelope); },
            [&](const RequestAnswered& fact) { asked_.erase(fact.request); },
            [&](const RequestFailed& fact) { asked_.erase(fact.request); },
            [](const auto&) {});
    }

    std::size_t size() const { return asked_.size(); }
    /// The book has a message in a mailbox as it was sent, and some are worded anew since: with
    /// another number of tokens, or to another agent.
    std::uint64_t bytes_unsure() const { return 32 * reworded_; }
    /// Of those that stand in no mailbox.
    std::uint64_t bytes_adrift(const Walker& walker) const {
        std::uint64_t bytes = 0;
        for (const auto& [ticket, envelope] : asked_) {
            if (walker.find(ticket) == nullptr) bytes += envelope->body().size();
        }
        return bytes;
    }

  private:
    void reword(Ticket ticket, const EnvelopePtr& envelope) {
        const auto found = asked_.find(ticket);
        if (found == asked_.end() || !envelope) return;
        found->second = envelope;
        ++reworded_;
    }

    std::map<Ticket, EnvelopePtr> asked_;
    std::uint64_t reworded_ = 0;
};

}  // namespace

void check_g7(const Book& book, Findings& findings) {
    const auto& limits = book.history->limits;
    OpenQuestions open;
    Walker walker{book};
    walker.walk([&](const Entry& entry) {
        const auto* accepted = std::get_if<MessageAccepted>(&entry.event);
        if (accepted == nullptr) return open.take(entry.event);
        const auto held = walker.bytes() + open.bytes_adrift(walker);
        if (held + accepted->envelope->body().size() > limits.hub_bytes_max + open.bytes_unsure()) {
            findings.push_back({"G7", "the hub holds more bytes than allowed", accepted->ticket});
        }
        open.take(entry.event);
        if (open.size() > limits.open_requests_max) {
            findings.push_back(
                {"G7", "there are more open requests than allowed", accepted->ticket});
        }
        if (accepted->is_held) return;  // It goes into no mailbox until people let it.
        for (auto ticket = accepted->ticket; book.copies.contains(ticket); ++ticket.value) {
            const auto& copy = book.copies.at(ticket);
            const auto tenths = tenths_more(book, copy);
            if (!tenths) continue;
            const auto& mailbox = walker.mailbox(copy.recipient);
            std::uint64_t bytes = copy.envelope->body().size();
            for (const auto& [other, standing] : mailbox) {
                bytes += standing.copy->envelope->body().size();
            }
            const auto more = [&](std::uint64_t limit) { return limit + *tenths * (limit / 10); };
            if (mailbox.size() < more(limits.mailbox_messages_max) &&
                bytes <= more(limits.mailbox_bytes_max)) {
                continue;
            }
            findings.push_back({"G7", name_of(copy) + " was accepted into a full mailbox", ticket});
        }
    });
}

}  // namespace parlance::sim
