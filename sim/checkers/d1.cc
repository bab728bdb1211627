// D1: an acknowledged critical or high message, or the answer to any request, is delivered, or
// dead-lettered with a recorded reason, and never silently lost. A cancelled request may be
// dropped: its sender is notified.
#include <set>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

bool is_cancelled(const Event& event) {
    const auto* dropped = std::get_if<MessageDropped>(&event);
    return dropped != nullptr && dropped->failure == DeliveryFailure::Cancelled;
}

bool has_come_to_an_end(const Book& book, const Copy& copy) {
    const auto& journal = book.history->journal;
    bool has_ended = false;
    for (const auto index : copy.records) {
        const auto& event = journal[index].event;
        if (std::holds_alternative<DeadLetterRedelivered>(event) ||
            std::holds_alternative<MessageMoved>(event)) {
            has_ended = false;
        }
        has_ended =
            has_ended || std::holds_alternative<DeliveryAcknowledged>(event) ||
            std::holds_alternative<MessageExpired>(event) ||
            std::holds_alternative<MessageDeadLettered>(event) || is_cancelled(event) ||
            (index != copy.records.front() && std::holds_alternative<RequestAnswered>(event));
    }
    return has_ended;
}

bool is_dead(const Book& book, const Copy& copy) {
    bool is_dead = false;
    for (const auto index : copy.records) {
        const auto& event = book.history->journal[index].event;
        if (std::holds_alternative<MessageDeadLettered>(event)) is_dead = true;
        if (std::holds_alternative<DeadLetterRedelivered>(event) ||
            std::holds_alternative<DeadLetterDiscarded>(event) ||
            std::holds_alternative<MessageMoved>(event) ||
            std::holds_alternative<RequestAnswered>(event)) {
            is_dead = false;
        }
    }
    return is_dead;
}

}  // namespace

void check_d1(const Book& book, Findings& findings) {
    for (const auto& [ticket, copy] : book.copies) {
        if (!is_at_least_once(copy.priority, copy.is_answer)) continue;
        // A call without a chosen agent has the hub itself as recipient, and the hub answered (W1).
        if (book.calls.contains(ticket) && copy.moves.empty()) continue;
        if (!has_come_to_an_end(book, copy)) {
            findings.push_back(
                {"D1", name_of(copy) + " was neither delivered nor dead-lettered", ticket});
        }
        if (is_dead(book, copy) && !book.history->dead.contains(ticket)) {
            findings.push_back(
                {"D1", name_of(copy) + " is missing among the dead letters", ticket});
        }
        for (const auto index : copy.records) {
            const auto& event = book.history->journal[index].event;
            if (is_cancelled(event) && !book.requests.contains(ticket)) {
                findings.push_back({"D1", name_of(copy) + " was dropped as if asked", ticket});
            }
            if (std::holds_alternative<MessageDropped>(event) && !is_cancelled(event)) {
                findings.push_back({"D1", name_of(copy) + " was dropped", ticket});
            }
        }
    }
}

}  // namespace parlance::sim
