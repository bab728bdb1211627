// D9: a delivered message is the message sent: to the named recipient, byte for byte, and from its
// sender.
#include <map>
#include <utility>

#include "base/json.h"
#include "core/testing/plain_message_writer.h"
#include "model/handing.h"
#include "model/plan.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/sent.h"

namespace parlance::sim {

namespace {

using Name = std::pair<std::string, std::string>;

std::multimap<Name, EnvelopePtr> everything_sent(const History& history) {
    std::multimap<Name, EnvelopePtr> sent;
    for (const auto& asked : history.asked) {
        // A person's answer is sent in the name of the request's recipient.
        if (const auto* answer = std::get_if<AnswerHumanTask>(&asked.command)) {
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
    // A request released with another budget has a new body; W9 checks the budget.
    for (const auto& entry : history.journal) {
        const auto* released = std::get_if<RequestReleased>(&entry.event);
        if (released == nullptr || !released->envelope) continue;
        const auto& said = released->envelope;
        sent.emplace(Name{said->from(), said->id()}, said);
    }
    return sent;
}

/// Equal, except that an answer may lack its task.
bool says_the_same(const Envelope& shown, const Envelope& sent) {
    if (shown == sent) return true;
    if (!shown.task().empty()) return false;
    auto header = sent.header();
    header.task = {};
    return shown == *Envelope::make(header, sent.body());
}

/// Equal, except that the hub may have chosen the recipient.
bool says_the_same(const Book& book, const Envelope& shown, const Envelope& sent) {
    if (says_the_same(shown, sent)) return true;
    if (!book.is_rerouted(sent)) return false;
    auto header = sent.header();
    header.to = shown.to();
    return says_the_same(shown, *Envelope::make(header, sent.body()));
}

class Post {
  public:
    explicit Post(const Book& book) : book_(book), sent_(everything_sent(*book.history)) {}

    /// True for messages of the hub's own, for messages sent, and for shares of a request to
    /// several agents. The hub writes the requests of workflows and the combined answers of calls.
    bool is_genuine(const Envelope& envelope, Ticket ticket) const {
        if (envelope.from() == kOrchestrator || envelope.from() == kCallPrefix) return true;
        return was_sent(envelope) || is_share(envelope, ticket);
    }

  private:
    bool was_sent(const Envelope& envelope) const {
        const auto [first, last] =
            sent_.equal_range({std::string{envelope.from()}, std::string{envelope.id()}});
        for (auto one = first; one != last; ++one) {
            if (says_the_same(book_, envelope, *one->second)) return true;
        }
        return false;
    }

    /// A share has the whole request, under an id and with a child session of its own.
    bool is_share(const Envelope& envelope, Ticket ticket) const {
        const auto share = book_.shares.find(ticket);
        if (share == book_.shares.end()) return false;
        const auto& asked = *book_.requests.at(share->second).asked;
        std::string spare;
        const auto session =
            json::find_at(json::root(envelope.body()), "/delegation/child_session");
        const core::PlainMessageWriter message_writer;
        const auto expected =
            message_writer.readdress(asked,
                                     {.to = envelope.to(),
                                      .id = envelope.id(),
                                      .child_session = session ? session->text(spare) : ""});
        return envelope == *expected && was_sent(asked);
    }

    const Book& book_;
    std::multimap<Name, EnvelopePtr> sent_;
};

}  // namespace

void check_d9(const Book& book, Findings& findings) {
    const auto& history = *book.history;
    const Post post{book};
    for (const auto& shown : history.shown) {
        if (const auto* answer = std::get_if<TellAnswer>(&shown.effect)) {
            if (answer->reply != nullptr && !post.is_genuine(*answer->reply, answer->request)) {
                findings.push_back({"D9", "an answer is not what was sent", answer->request});
            }
        }
        const auto* deliver = std::get_if<Deliver>(&shown.effect);
        if (deliver == nullptr) continue;
        const auto ticket = deliver->delivery.ticket;
        const auto copy = book.copy_of(shown, *deliver);
        if (!copy) continue;  // A1 reports the missing copy.
        const auto to = book.instances.find(deliver->instance);
        if (to == book.instances.end() || to->second != copy->recipient) {
            findings.push_back({"D9", name_of(*copy) + " was given to another", ticket});
        }
        // A notice returns the request as its latest holder got the request.
        const bool is_genuine = post.is_genuine(*deliver->envelope, ticket);
        if (!is_genuine || !says_the_same(*deliver->envelope, *copy->envelope)) {
            findings.push_back({"D9", name_of(*copy) + " is not what was sent", ticket});
        }
    }
}

}  // namespace parlance::sim
