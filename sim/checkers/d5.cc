// D5: an ack, nack, extension, progress or reply carries its delivery's token; a stale one changes
// nothing. An ack that was told to have worked is on record under that very token; of a nack, an
// extension and progress only that the token was once given out. Replies are not looked at here.
#include <set>
#include <tuple>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

const DeliveryToken* token_of(const Command& command) {
    return match(
        command,
        [](const AckDelivery& c) -> const DeliveryToken* { return &c.delivery; },
        [](const NackDelivery& c) -> const DeliveryToken* { return &c.delivery; },
        [](const ExtendLease& c) -> const DeliveryToken* { return &c.delivery; },
        [](const ReportProgress& c) -> const DeliveryToken* { return &c.delivery; },
        [](const auto&) -> const DeliveryToken* { return nullptr; });
}

using Settled = std::pair<Ticket, std::uint32_t>;

}  // namespace

void check_d5(const Book& book, Findings& findings) {
    const auto& history = *book.history;
    std::set<Settled> granted;
    std::set<Settled> acknowledged;
    for (const auto& entry : history.journal) {
        if (const auto* event = std::get_if<LeaseGranted>(&entry.event)) {
            granted.emplace(event->ticket, event->attempt);
        }
        if (const auto* event = std::get_if<DeliveryAcknowledged>(&entry.event)) {
            acknowledged.emplace(event->ticket, event->attempt);
        }
    }
    for (const auto& shown : history.shown) {
        const auto* done = std::get_if<TellDone>(&shown.effect);
        if (done == nullptr || done->ask == Ask{}) continue;
        const auto& command = history.asked[done->ask.value - 1].command;
        const auto* token = token_of(command);
        if (token == nullptr) continue;
        const Settled settled{token->ticket, token->attempt};
        const bool is_ack = std::holds_alternative<AckDelivery>(command);
        if (granted.contains(settled) && (!is_ack || acknowledged.contains(settled))) continue;
        findings.push_back({"D5",
                            "a settlement with the token " + std::to_string(token->ticket.value) +
                                "." + std::to_string(token->attempt) +
                                " was taken, though it was not the one in force",
                            token->ticket});
    }
}

}  // namespace parlance::sim
