// G7: everything is bounded. No message is accepted into a mailbox that is full; the hub's own
// answers to requests may come on top, and those are bounded by the open requests.
#include "sim/checkers/checkers.h"

namespace parlance::sim {

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
        for (auto ticket = accepted->ticket; book.copies.contains(ticket); ++ticket.value) {
            const auto& copy = book.copies.at(ticket);
            const auto& mailbox = walker.mailbox(copy.recipient);
            std::uint64_t bytes = copy.envelope->body().size();
            for (const auto& [other, standing] : mailbox) {
                bytes += standing.copy->envelope->body().size();
            }
            if (mailbox.size() < limits.mailbox_messages_max && bytes <= limits.mailbox_bytes_max) {
                continue;
            }
            findings.push_back({"G7", name_of(copy) + " was accepted into a full mailbox", ticket});
        }
    });
}

}  // namespace parlance::sim
