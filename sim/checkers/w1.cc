// W1: every accepted request gets exactly one terminal answer, no later than its deadline plus one
// tick of the world's clock, and the requester gets the answer: into its mailbox, from which the
// answer is handed over until settled, or at once if the requester waits on the connection.
//
// The world's clock judges the deadline, not the journal's time: a hub that sleeps past a deadline,
// or whose own time stands still, records no trace of the delay.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.h"
#include "sim/checkers/sent.h"

namespace parlance::sim {

namespace {

/// The sender name of the hub's own requests for workflows and calls; the hub reads the answers
/// itself.
constexpr std::string_view kHubAsker = "ORC";

class Answers {
  public:
    Answers(const Book& book, Findings& findings)
        : book_(book), journal_(book.history->journal), findings_(findings) {
        for (const auto& shown : book.history->shown) {
            const auto* answer = std::get_if<TellAnswer>(&shown.effect);
            if (answer == nullptr) continue;
            if (++told_[answer->request] == 2) {
                find(answer->request, "was given to its asker twice");
            }
        }
        for (const auto& asked : book.history->asked) {
            const auto* send = message_of(asked.command);
            if (send == nullptr) continue;
            const auto& envelope = *send->envelope;
            auto& most = sent_[{std::string{envelope.from()}, std::string{envelope.id()}}];
            // A repeat may have other content: the accepted version had at most the longest time.
            most.of_agents = std::max(most.of_agents, time_of(*send, false));
            most.of_people = std::max(most.of_people, time_of(*send, true));
        }
    }

    void check() {
        for (const auto& [ticket, request] : book_.requests) {
            if (request.answers.size() != 1) {
                find(ticket, "was answered " + std::to_string(request.answers.size()) + " times");
                continue;
            }
            expect_deadline(ticket, request);
            expect_in_time(ticket, request);
            expect_received(ticket, request);
        }
    }

  private:
    /// The longest time that an answer may take, by the sender's word and the limits.
    struct Given {
        Duration of_agents{};
        Duration of_people{};
    };

    void find(Ticket ticket, const std::string& what) {
        const auto request = book_.requests.find(ticket);
        const auto id = request == book_.requests.end() ? std::to_string(ticket.value)
                                                        : std::string{request->second.asked->id()};
        findings_.push_back({"W1", "request '" + id + "' " + what, ticket});
    }

    /// People have more time, also where the hub asks people as the sender's fallback.
    Duration time_of(const SendMessage& send, bool is_for_people) const {
        const auto& limits = book_.history->limits;
        const auto unsaid = is_for_people ? limits.request_timeout_max : limits.request_timeout;
        return std::min(send.timeout.value_or(unsaid), limits.request_timeout_max);
    }

    /// The deadline is no later than the sender's timeout, or the limit's for a sender without one.
    void expect_deadline(Ticket ticket, const Request& request) {
        const auto& entry = journal_[request.record];
        const auto* accepted = std::get_if<MessageAccepted>(&entry.event);
        const auto sent =
            sent_.find({std::string{request.asked->from()}, std::string{request.asked->id()}});
        if (accepted == nullptr || accepted->is_held || sent == sent_.end()) return;
        const bool is_for_people = accepted->envelope->to().starts_with("human");
        const auto most = is_for_people ? sent->second.of_people : sent->second.of_agents;
        if (accepted->deadline <= book_.clock.hub_time(entry.world) + most + kTick) return;
        find(ticket, "was given more time than its sender gave it, or than the hub gives");
    }

    void expect_in_time(Ticket ticket, const Request& request) {
        const auto since = journal_[request.deadline_record].world;
        const auto opportunity = book_.clock.first_opportunity(request.deadline, since);
        const auto answered = journal_[request.answers.front()].world;
        if (opportunity == Time::max() || answered <= opportunity + kTick) return;
        find(ticket,
             "was answered " + std::to_string((answered - opportunity).count()) +
                 " ms after its deadline, by the world's clock");
    }

    void expect_received(Ticket ticket, const Request& request) {
        const auto index = request.answers.front();
        const auto& event = journal_[index].event;
        const auto* answered = std::get_if<RequestAnswered>(&event);
        const auto copy =
            answered != nullptr ? answered->ticket : std::get<RequestFailed>(event).ticket;
        if (copy == Ticket{}) return expect_told(ticket, request, index);
        const auto found = book_.copies.find(copy);
        if (found == book_.copies.end()) return find(ticket, "has an answer that is nowhere");
        if (const auto why = lost(found->second); !why.empty()) find(ticket, why);
    }

    /// A waiting requester is told at once; a crash ends the connection, and the requester asks
    /// again.
    void expect_told(Ticket ticket, const Request& request, std::size_t index) {
        if (request.asked->from() == kHubAsker || told_.contains(ticket)) return;
        const auto written = journal_[index].world;
        const auto resumed = book_.clock.end_of_pause(written);
        for (const auto& process : book_.history->processes) {
            if (process.end >= written && process.end <= resumed) return;
        }
        find(ticket, "was answered, and whoever held the line was not told");
    }

    /// Why an answer did not reach its requester; empty if the answer did, or is a dead letter in
    /// the care of an operator.
    std::string lost(const Copy& copy) const {
        std::string why = "has an answer that its asker never settled";
        for (const auto index : copy.records) {
            const auto& event = journal_[index].event;
            if (std::holds_alternative<DeliveryAcknowledged>(event) ||
                std::holds_alternative<MessageDeadLettered>(event)) {
                why.clear();
            }
            if (std::holds_alternative<DeadLetterRedelivered>(event)) {
                why = "has an answer that was sent again and never settled";
            }
            if (std::holds_alternative<MessageDropped>(event)) {
                return "has an answer that was dropped";
            }
            if (std::holds_alternative<MessageExpired>(event)) return "has an answer that expired";
        }
        return why;
    }

    const Book& book_;
    const std::vector<Entry>& journal_;
    Findings& findings_;
    std::map<Ticket, int> told_;
    /// The time of an answer, by sender and id of the request.
    std::map<std::pair<std::string, std::string>, Given> sent_;
};

}  // namespace

void check_w1(const Book& book, Findings& findings) { Answers{book, findings}.check(); }

}  // namespace parlance::sim
