// W2: a late or second reply, from any agent, is recorded and dropped, never shown. A hub that
// forgets old ids must recognise an ended request as long as it knows an id taken at the request's
// end; for a reply from a previous holder, an id taken at the hand-over; for a reply from an agent
// that never held the request, the request's own id.
#include <map>
#include <string>
#include <utility>

#include "sim/checkers/checkers.h"
#include "sim/checkers/id_window.h"

namespace parlance::sim {

namespace {

using RequesterAndId = std::pair<std::string, std::string>;  ///< Requester and id.

struct Standing {
    Ticket ticket{};
    std::string asked_of{};
    std::uint64_t taken_before = 0;  ///< Number of ids taken before the acceptance.
    bool is_open = true;
    std::uint64_t taken = 0;                                 ///< Number of ids taken by the end.
    std::map<std::string, std::uint64_t> taken_when_left{};  ///< By previous holder.
};

class Replies {
  public:
    Replies(const Book& book, Findings& findings)
        : book_(book), findings_(findings), window_(book.history->limits) {}

    void run() {
        for (const auto& entry : book_.history->journal) {
            window_.follow(entry.event);
            if (const auto* accepted = std::get_if<MessageAccepted>(&entry.event))
                accept(*accepted);
            if (const auto* moved = std::get_if<MessageMoved>(&entry.event)) move(*moved);
            if (const auto* answered = std::get_if<RequestAnswered>(&entry.event)) {
                end(answered->request);
            }
            if (const auto* failed = std::get_if<RequestFailed>(&entry.event)) end(failed->request);
        }
    }

  private:
    void accept(const MessageAccepted& accepted) {
        const auto& envelope = *accepted.envelope;
        if (envelope.intent() == Intent::Request) {
            const RequesterAndId asked{envelope.from(), envelope.id()};
            asked_[asked] = {.ticket = accepted.ticket,
                             .asked_of = std::string{envelope.to()},
                             .taken_before = window_.taken()};
            names_[accepted.ticket] = asked;
        }
        if (envelope.intent() != Intent::Reply || envelope.answers().empty()) return;
        const auto found =
            asked_.find({std::string{envelope.to()}, std::string{envelope.answers()}});
        if (found == asked_.end()) return;
        const auto& request = found->second;
        // The reply itself has taken an id since.
        const auto since = known_since(request, std::string{envelope.from()});
        if (!request.is_open && !window_.covers(since + 1)) return;
        findings_.push_back(
            {"W2",
             "reply '" + std::string{envelope.id()} + "' of " + std::string{envelope.from()} +
                 (request.is_open ? " is not the answer to what it answers" : " came too late") +
                 " and was delivered all the same",
             request.ticket});
    }

    static std::uint64_t known_since(const Standing& request, const std::string& from) {
        if (from == request.asked_of) return request.taken;
        const auto left = request.taken_when_left.find(from);
        return left == request.taken_when_left.end() ? request.taken_before : left->second;
    }

    void move(const MessageMoved& moved) {
        const auto name = names_.find(moved.ticket);
        if (name == names_.end() || asked_[name->second].ticket != moved.ticket) return;
        auto& standing = asked_[name->second];
        standing.taken_when_left[standing.asked_of] = window_.taken();
        standing.asked_of = moved.envelope->to();
    }

    void end(Ticket request) {
        const auto name = names_.find(request);
        if (name == names_.end()) return;
        auto& standing = asked_[name->second];
        if (standing.ticket != request) return;
        standing.is_open = false;
        standing.taken = window_.taken();
    }

    const Book& book_;
    Findings& findings_;
    IdWindow window_;
    std::map<RequesterAndId, Standing> asked_;
    std::map<Ticket, RequesterAndId> names_;
};

}  // namespace

void check_w2(const Book& book, Findings& findings) { Replies{book, findings}.run(); }

}  // namespace parlance::sim
