// G7: everything is bounded. No message is accepted into a mailbox that is full; the hub's own
// answers to requests may come on top, and those are bounded by the open requests. A topic's copy
// for which there is no room is given up at once, on record: as a dead letter, for which there is a
// tenth more, or dropped if that is allowed.
#include <optional>

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

}  // namespace

void check_g7(const Book& book, Findings& findings) {
    const auto& limits = book.history->limits;
    std::size_t open = 0;
    Walker walker{book};
    walker.walk([&](const Entry& entry) {
        if (std::holds_alternative<RequestAnswered>(entry.event) ||
            std::holds_alternative<RequestFailed>(entry.event)) {
            --open;
        }
        const auto* accepted = std::get_if<MessageAccepted>(&entry.event);
        if (accepted == nullptr) return;
        if (accepted->envelope->intent() == Intent::Request && ++open > limits.open_requests_max) {
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
