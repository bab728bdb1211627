// G7: everything is bounded. No message is accepted into a full mailbox; the hub's own answers to
// requests may exceed the limit, and are bounded by the open requests. A topic's copy without room
// is given up at once, on record: as a dead letter, with a tenth more room, or dropped if allowed.
// All mailboxes together, and the open requests outside of mailboxes, stay within the hub's bytes.
// The other limits are a table in bounds.cc; sim/hub.cc compares the state with the table after
// every turn.
#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/checkers/bounds.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

/// How much the mailbox may exceed its limits with the copy, in tenths; none if the copy is gone.
std::optional<std::uint64_t> tenths_more(const Book& book, const Copy& copy) {
    if (copy.records.size() < 2) return 0;
    const auto& next = book.history->journal[copy.records[1]].event;
    const auto* dropped = std::get_if<MessageDropped>(&next);
    if (dropped != nullptr && dropped->failure == DeliveryFailure::MailboxFull) return std::nullopt;
    const auto* dead = std::get_if<MessageDeadLettered>(&next);
    return dead != nullptr && dead->failure == DeliveryFailure::MailboxFull ? 1 : 0;
}

class Rooms {
  public:
    Rooms(const Book& book, Findings& findings)
        : book_(book), limits_(book.history->limits), findings_(findings), walker_(book) {
        for (const auto& [ticket, copy] : book.copies) agents_.insert(copy.recipient);
    }

    void run() {
        walker_.walk([&](const Entry& entry) {
            check_bounds(entry, limits_, findings_);
            if (const auto* answered = std::get_if<RequestAnswered>(&entry.event)) {
                open_.erase(answered->request);
            }
            if (const auto* failed = std::get_if<RequestFailed>(&entry.event)) {
                open_.erase(failed->request);
            }
            if (const auto* accepted = std::get_if<MessageAccepted>(&entry.event))
                accept(*accepted);
        });
    }

  private:
    void accept(const MessageAccepted& accepted) {
        const auto size = accepted.envelope->body().size();
        auto hub_bytes = bytes_kept() + (accepted.is_held ? size : 0);
        if (!accepted.is_held) {  // A held request enters no mailbox before its release.
            for (auto ticket = accepted.ticket; book_.copies.contains(ticket); ++ticket.value) {
                if (enter(book_.copies.at(ticket))) hub_bytes += size;
            }
        }
        if (hub_bytes > limits_.hub_bytes_max) {
            findings_.push_back({"G7",
                                 "the hub has " + std::to_string(hub_bytes) + " bytes of at most " +
                                     std::to_string(limits_.hub_bytes_max) + " (hub_bytes_max)",
                                 accepted.ticket});
        }
        if (accepted.envelope->intent() != Intent::Request) return;
        open_.insert(accepted.ticket);
        if (open_.size() > limits_.open_requests_max) {
            findings_.push_back(
                {"G7", "there are more open requests than allowed", accepted.ticket});
        }
    }

    /// True if the copy stays in the mailbox; then the mailbox must have room.
    bool enter(const Copy& copy) {
        const auto tenths = tenths_more(book_, copy);
        if (!tenths) return false;
        const auto& mailbox = walker_.mailbox(copy.recipient);
        const auto bytes = bytes_in(mailbox) + copy.envelope->body().size();
        const auto more = [&](std::uint64_t limit) { return limit + *tenths * (limit / 10); };
        if (mailbox.size() >= more(limits_.mailbox_messages_max) ||
            bytes > more(limits_.mailbox_bytes_max)) {
            findings_.push_back(
                {"G7", name_of(copy) + " was accepted into a full mailbox", copy.ticket});
        }
        return true;
    }

    static std::uint64_t bytes_in(const std::map<Ticket, Standing>& mailbox) {
        std::uint64_t bytes = 0;
        for (const auto& [ticket, standing] : mailbox) {
            bytes += standing.copy->envelope->body().size();
        }
        return bytes;
    }

    /// Bytes in mailboxes, and of open requests that have left theirs.
    std::uint64_t bytes_kept() const {
        std::uint64_t bytes = 0;
        for (const auto& agent : agents_) bytes += bytes_in(walker_.mailbox(agent));
        for (const auto ticket : open_) {
            if (walker_.find(ticket) != nullptr) continue;
            bytes += book_.requests.at(ticket).asked->body().size();
        }
        return bytes;
    }

    const Book& book_;
    const Limits& limits_;
    Findings& findings_;
    Walker walker_;
    std::set<std::string> agents_;
    std::set<Ticket> open_;  ///< Open requests.
};

}  // namespace

void check_g7(const Book& book, Findings& findings) { Rooms{book, findings}.run(); }

}  // namespace parlance::sim
