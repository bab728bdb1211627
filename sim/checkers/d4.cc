// D4: a message id is accepted once, and a repeat gets the first outcome. The same id with other
// content is refused. A hub that forgets old ids knows at least the latest half of the dedup
// window, and the ids of all messages and requests that it still holds: waiting, in flight,
// dead-lettered or open.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.h"
#include "sim/checkers/id_window.h"
#include "sim/checkers/sent.h"

namespace parlance::sim {

namespace {

using Name = std::pair<std::string, std::string>;

Name name_of(const Envelope& envelope) {
    return {std::string{envelope.from()}, std::string{envelope.id()}};
}

std::string told_of(const Envelope& envelope) {
    return "message '" + std::string{envelope.id()} + "' of " + std::string{envelope.from()};
}

/// An acceptance of a message under its id.
struct Acceptance {
    Sequence sequence;
    EnvelopePtr envelope;
    Ticket ticket;            ///< Ticket of the first copy.
    std::uint64_t taken = 0;  ///< Number of ids taken by then, the own id included.
};
using Acceptances = std::map<Name, std::vector<Acceptance>>;

class Ids {
  public:
    Ids(const Book& book, Findings& findings)
        : book_(book), findings_(findings), walker_(book), window_(book.history->limits) {}

    Acceptances run() {
        walker_.walk([&](const Entry& entry) { before(entry); });
        return std::move(acceptances_);
    }

  private:
    void before(const Entry& entry) {
        if (const auto* answered = std::get_if<RequestAnswered>(&entry.event)) {
            accept(entry, answered->envelope, answered->ticket);
            open_.erase(answered->request);
        }
        if (const auto* failed = std::get_if<RequestFailed>(&entry.event)) {
            open_.erase(failed->request);
        }
        if (const auto* accepted = std::get_if<MessageAccepted>(&entry.event)) {
            accept(entry, accepted->envelope, accepted->ticket);
            const bool is_request = accepted->envelope->intent() == Intent::Request;
            if (is_request) open_.insert(accepted->ticket);
        }
        if (std::holds_alternative<WorkflowStarted>(entry.event)) window_.follow(entry.event);
    }

    void accept(const Entry& entry, const EnvelopePtr& envelope, Ticket ticket) {
        auto& known = acceptances_[name_of(*envelope)];
        for (const auto& before : known) {
            const bool is_here = is_kept(before.ticket);
            if (!is_here && !window_.covers(before.taken)) continue;
            findings_.push_back({"D4",
                                 told_of(*envelope) + " was accepted twice, again at " +
                                     std::to_string(entry.sequence.value) +
                                     (is_here ? ", while the hub has it" : ""),
                                 ticket});
            break;
        }
        window_.follow(entry.event);
        known.push_back({entry.sequence, envelope, ticket, window_.taken()});
    }

    /// True if the hub still holds a copy of the message, or an answer is still due.
    bool is_kept(Ticket ticket) const {
        if (ticket == Ticket{}) return false;
        if (open_.contains(ticket)) return true;
        const auto first = book_.copies.find(ticket);
        if (first == book_.copies.end()) return false;
        const auto record = first->second.records.front();
        for (auto copy = first;
             copy != book_.copies.end() && copy->second.records.front() == record;
             ++copy) {
            if (walker_.find(copy->first) != nullptr) return true;
        }
        return false;
    }

    const Book& book_;
    Findings& findings_;
    Walker walker_;
    IdWindow window_;
    Acceptances acceptances_;
    std::set<Ticket> open_;  ///< Open requests.
};

/// The hub sets the recipient if the sender named none, or if the task was handed over.
bool is_same(const Book& book, const Envelope& sent, const Envelope& accepted) {
    return accepted == sent || (book.is_rerouted(sent) && is_same_but_recipient(sent, accepted));
}

void expect_outcome(const Book& book,
                    const Acceptances& all,
                    const TellAccepted& told,
                    const Envelope& sent,
                    Findings& findings) {
    const auto found = all.find(name_of(sent));
    if (found == all.end()) return;
    const auto meant = std::ranges::find(found->second, told.sequence, &Acceptance::sequence);
    if (meant == found->second.end()) {
        findings.push_back(
            {"D4", told_of(sent) + " was answered with another outcome than before", {}});
    } else if (!is_same(book, sent, *meant->envelope)) {
        findings.push_back(
            {"D4", told_of(sent) + " was accepted with other content than before", {}});
    }
}

void expect_no_conflict(const Book& book,
                        const Acceptances& all,
                        const Envelope& sent,
                        Findings& findings) {
    const auto found = all.find(name_of(sent));
    if (found == all.end()) return;
    const auto is_as_sent = [&](const Acceptance& each) {
        return is_same(book, sent, *each.envelope);
    };
    if (!std::ranges::all_of(found->second, is_as_sent)) return;
    findings.push_back(
        {"D4", told_of(sent) + " came again unchanged and was called a conflict", {}});
}

}  // namespace

void check_d4(const Book& book, Findings& findings) {
    const auto& history = *book.history;
    const auto all = Ids{book, findings}.run();
    for (const auto& shown : history.shown) {
        const auto* accepted = std::get_if<TellAccepted>(&shown.effect);
        const auto* refused = std::get_if<TellRefused>(&shown.effect);
        const auto reply_target = accepted != nullptr  ? accepted->reply_target
                                  : refused != nullptr ? refused->reply_target
                                                       : ReplyTarget{};
        if (reply_target == ReplyTarget{}) continue;
        const auto* send = message_of(history.asked[reply_target.value - 1].command);
        if (send == nullptr) continue;
        if (accepted != nullptr) expect_outcome(book, all, *accepted, *send->envelope, findings);
        if (refused != nullptr && refused->refusal == Refusal::MessageIdConflict) {
            expect_no_conflict(book, all, *send->envelope, findings);
        }
    }
}

}  // namespace parlance::sim
