// D4: the same message id is accepted once, and whoever sends it again gets the first outcome. The
// same id with other content is refused.
#include <map>
#include <utility>

#include "sim/checkers/checkers.h"
#include "sim/checkers/sent.h"

namespace parlance::sim {

namespace {

using Name = std::pair<std::string, std::string>;

Name name_of(const Envelope& envelope) {
    return {std::string{envelope.from()}, std::string{envelope.id()}};
}

struct First {
    Sequence sequence;
    EnvelopePtr envelope;
};

/// Where each message was first accepted, and what was accepted a second time.
std::map<Name, First> first_ones(const Book& book, Findings& findings) {
    std::map<Name, First> firsts;
    for (const auto& entry : book.history->journal) {
        const auto* accepted = std::get_if<MessageAccepted>(&entry.event);
        const auto* answered = std::get_if<RequestAnswered>(&entry.event);
        if (accepted == nullptr && answered == nullptr) continue;
        const auto& envelope = accepted != nullptr ? accepted->envelope : answered->envelope;
        const bool is_new =
            firsts.try_emplace(name_of(*envelope), First{entry.sequence, envelope}).second;
        if (is_new) continue;
        findings.push_back({"D4",
                            "message '" + std::string{envelope->id()} + "' of " +
                                std::string{envelope->from()} + " was accepted twice, again at " +
                                std::to_string(entry.sequence.value),
                            accepted != nullptr ? accepted->ticket : answered->request});
    }
    return firsts;
}

}  // namespace

void check_d4(const Book& book, Findings& findings) {
    const auto& history = *book.history;
    // Where the hub may forget, only what it still holds must be recognised: not checked here.
    if (history.limits.remembered_ids_max < history.journal.size()) return;
    const auto firsts = first_ones(book, findings);
    for (const auto& shown : history.shown) {
        const auto* accepted = std::get_if<TellAccepted>(&shown.effect);
        const auto* refused = std::get_if<TellRefused>(&shown.effect);
        const auto ask = accepted != nullptr  ? accepted->ask
                         : refused != nullptr ? refused->ask
                                              : Ask{};
        if (ask == Ask{}) continue;
        const auto* send = message_of(history.asked[ask.value - 1].command);
        if (send == nullptr) continue;
        const auto first = firsts.find(name_of(*send->envelope));
        if (first == firsts.end()) continue;
        const bool is_same = *first->second.envelope == *send->envelope;
        const auto id = "message '" + std::string{send->envelope->id()} + "' of " +
                        std::string{send->envelope->from()};
        if (accepted != nullptr && !is_same) {
            findings.push_back({"D4", id + " was accepted with other content than before", {}});
        } else if (accepted != nullptr && accepted->sequence != first->second.sequence) {
            findings.push_back({"D4", id + " was answered with another outcome than before", {}});
        } else if (refused != nullptr && is_same &&
                   refused->refusal == Refusal::MessageIdConflict) {
            findings.push_back({"D4", id + " came again unchanged and was called a conflict", {}});
        }
    }
}

}  // namespace parlance::sim
