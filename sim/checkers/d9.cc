// D9: what is delivered is what was sent: to the recipient that was named, byte for byte, and from
// whoever sent it.
#include <map>
#include <utility>

#include "model/plan.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/sent.h"

namespace parlance::sim {

namespace {

using Name = std::pair<std::string, std::string>;

std::multimap<Name, EnvelopePtr> everything_sent(const History& history) {
    std::multimap<Name, EnvelopePtr> sent;
    for (const auto& asked : history.asked) {
        // What a person says goes out in the name of whom the question was for.
        if (const auto* answer = std::get_if<AnswerPerson>(&asked.command)) {
            if (!answer->reply) continue;
            const auto& said = answer->reply;
            sent.emplace(Name{said->from(), said->id()}, said);
            continue;
        }
        const auto* send = message_of(asked.command);
        const auto* reply = std::get_if<ReplyToDelivery>(&asked.command);
        const auto& envelope = send != nullptr    ? send->envelope
                               : reply != nullptr ? reply->envelope
                                                  : EnvelopePtr{};
        if (envelope == nullptr || envelope->from() != asked.caller) continue;
        sent.emplace(Name{envelope->from(), envelope->id()}, envelope);
    }
    // Whom people gave another budget reads that one: W9 says whether it is right.
    for (const auto& entry : history.journal) {
        const auto* released = std::get_if<RequestReleased>(&entry.event);
        if (released == nullptr || !released->envelope) continue;
        const auto& said = released->envelope;
        sent.emplace(Name{said->from(), said->id()}, said);
    }
    return sent;
}

/// The same, but that an answer may stand apart from its task.
bool says_the_same(const Envelope& shown, const Envelope& sent) {
    if (shown == sent) return true;
    if (!shown.task().empty()) return false;
    auto header = sent.header();
    header.task = {};
    return shown == *Envelope::make(header, sent.body());
}

bool was_sent(const std::multimap<Name, EnvelopePtr>& sent, const Envelope& envelope) {
    const auto [first, last] =
        sent.equal_range({std::string{envelope.from()}, std::string{envelope.id()}});
    for (auto one = first; one != last; ++one) {
        if (says_the_same(envelope, *one->second)) return true;
    }
    return false;
}

}  // namespace

void check_d9(const Book& book, Findings& findings) {
    const auto& history = *book.history;
    const auto sent = everything_sent(history);
    for (const auto& shown : history.shown) {
        if (const auto* answer = std::get_if<TellAnswer>(&shown.effect)) {
            if (answer->reply != nullptr && !was_sent(sent, *answer->reply)) {
                findings.push_back({"D9", "an answer is not what was sent", answer->request});
            }
        }
        const auto* deliver = std::get_if<Deliver>(&shown.effect);
        if (deliver == nullptr) continue;
        const auto ticket = deliver->delivery.ticket;
        const auto copy = book.copies.find(ticket);
        if (copy == book.copies.end()) continue;  // A1 has a word on that.
        const auto to = book.instances.find(deliver->instance);
        if (to == book.instances.end() || to->second != copy->second.recipient) {
            findings.push_back({"D9", name_of(copy->second) + " was given to another", ticket});
        }
        // What a workflow asks for is nobody's letter but the hub's.
        const bool is_someones =
            deliver->envelope->from() == kOrchestrator || was_sent(sent, *deliver->envelope);
        if (!is_someones || !says_the_same(*deliver->envelope, *copy->second.envelope)) {
            findings.push_back({"D9", name_of(copy->second) + " is not what was sent", ticket});
        }
    }
}

}  // namespace parlance::sim
