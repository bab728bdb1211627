#include "sim/checkers/checkers.h"

#include "journal/event_codec.h"

namespace parlance::sim {

Findings check_all(const History& history) {
    const auto book = read_book(history);
    Findings findings;
    for (const auto& checker : kCheckers) checker.check(book, findings);
    return findings;
}

std::string name_of(const Copy& copy) {
    return "message '" + std::string{copy.envelope->id()} + "' of " +
           std::string{copy.envelope->from()} + " for " + copy.recipient + " (ticket " +
           std::to_string(copy.ticket.value) + ")";
}

std::string tell_story(const History& history, Ticket ticket) {
    if (ticket == Ticket{}) return {};
    const auto book = read_book(history);
    const auto copy = book.copies.find(ticket);
    if (copy == book.copies.end()) return {};
    std::string story;
    for (const auto index : copy->second.records) {
        const auto& entry = history.journal[index];
        story += "\n    ";
        journal::append_json(story, entry.sequence, entry.at, entry.event);
    }
    return story;
}

}  // namespace parlance::sim
