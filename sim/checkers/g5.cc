// G5: a breaker opens at its threshold and not before, and counts only deliveries with enough time
// for the agent; the breaker stays open for its time, and then lets one delivery through at a time.
// While a breaker is open, nothing reaches the agent, no request is accepted for the agent, and
// waiting requests are answered at once.
//
// G6: only agents that failed have an open breaker, and only senders over their rate are told so.
//
//   failures reach the limit ──▶ open until its time ──▶ one at a time ──▶ success: closed
#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/match.h"
#include "model/handing.h"
#include "model/plan.h"
#include "model/policy.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/sent.h"

namespace parlance::sim {

namespace {

enum class Circuit { Closed, Open, Probing };

struct Agent {
    Circuit circuit = Circuit::Closed;
    Time until{};
    std::deque<Time> failures{};  ///< In a row.
    std::set<Ticket> in_flight{};
    std::deque<Time> sent{};
    bool is_due = false;  ///< The breaker must open before time passes.
};

/// True if the refusal of a request is the agent's failure. A timeout is, if the agent had time.
bool is_failure(Refusal refusal, bool had_time) {
    if (refusal == Refusal::RequestTimedOut) return had_time;
    return refusal == Refusal::RequestUndeliverable || refusal == Refusal::OutputValidationFailed;
}

class Circuits {
  public:
    Circuits(const Book& book, Findings& findings)
        : book_(book), findings_(findings), walker_(book) {
        for (const auto& asked : book.history->asked) {
            const auto* send = message_of(asked.command);
            if (send == nullptr) continue;
            auto& targets = targets_[{asked.caller, std::string{send->envelope->id()}}];
            targets.insert(std::string{send->envelope->to()});
            // A message about a task handed over goes to the task's present holder.
            if (book.is_rerouted(*send->envelope)) targets.insert(std::string{kAnyone});
        }
    }

    void run() {
        walker_.walk([&](const Entry& entry) { before(entry); },
                     [&](const Entry& entry) { after(entry); });
    }

  private:
    std::int64_t limit(Rule rule, const std::string& agent) const {
        return limit_of(policy_, rule, {.agent = agent});
    }

    void before(const Entry& entry) {
        if (entry.at > last_) expect_answers(entry);
        last_ = entry.at;
        match(
            entry.event,
            [&](const LeaseGranted& e) { handed_over(entry, e.ticket); },
            [&](const MessageAccepted& e) { accepted(entry, e); },
            [&](const MessageRefused& e) { refused(entry, e); },
            [&](const WorkflowStarted& e) { note_sent(entry, e.by, e.is_by_agent); },
            [&](const HumanAsked& e) { note_sent(entry, e.asked_by, e.is_by_agent); },
            [&](const RequestHeld& e) { held_.insert(e.request); },
            [&](const RequestReleased& e) { held_.erase(e.request); },
            [&](const MessageMoved& e) {
                had_time_.erase(e.ticket);
                const auto* const copy = walker_.copy(e.ticket);
                if (copy != nullptr) agents_[copy->recipient].in_flight.erase(e.ticket);
            },
            [&](const RequestFailed& e) { failed(entry, e); },
            [&](const RequestAnswered& e) { answered(entry, e); },
            [&](const PassingRefused& e) { passed_on(entry, e); },
            [&](const BreakerOpened& e) { opened(entry, e); },
            [&](const BreakerProbed& e) { probed(entry, e.agent.value); },
            [&](const BreakerClosed& e) { agents_[e.agent.value] = reset(e.agent.value); },
            [&](const HubStarted&) { started(); },
            [&](const PolicyChanged& e) { change_policy(e); },
            [](const auto&) {});
    }

    /// Keeps the set of copies that are leased, so in flight.
    void after(const Entry& entry) {
        const auto* const copy = walker_.copy(ticket_of(entry.event));
        if (copy == nullptr) return;
        const auto* standing = walker_.find(copy->ticket);
        const bool is_leased = standing != nullptr && standing->stage == Stage::Leased;
        auto& in_flight = agents_[copy->recipient].in_flight;
        if (is_leased) in_flight.insert(copy->ticket);
        if (!is_leased) in_flight.erase(copy->ticket);
    }

    /// A policy change moves the end of open breakers: the newest open time applies.
    void change_policy(const PolicyChanged& event) {
        auto settings = parse_policy(event.settings);
        if (!settings) return;
        const auto before = std::exchange(policy_.settings, *std::move(settings));
        for (auto& [name, agent] : agents_) {
            const Subject subject{.agent = name};
            const auto open_ms = [&subject](const Settings& each) {
                return limit_of({.settings = each}, Rule::BreakerOpenMs, subject);
            };
            agent.until += Duration{open_ms(policy_.settings) - open_ms(before)};
        }
    }

    Agent reset(const std::string& name) {
        return {.in_flight = agents_[name].in_flight, .sent = agents_[name].sent};
    }

    void handed_over(const Entry& entry, Ticket ticket) {
        const auto* const copy = walker_.copy(ticket);
        if (copy == nullptr) return;  // W9 reports the grant.
        const auto request = book_.requests.find(ticket);
        const Duration fair{limit(Rule::BreakerFairMs, copy->recipient)};
        if (request != book_.requests.end() && request->second.deadline - entry.at >= fair) {
            had_time_.insert(ticket);
        }
        const auto& agent = agents_[copy->recipient];
        if (walker_.is_withheld(*copy)) {
            find("G5", entry, "was handed over while the fleet was stopped", ticket);
        }
        if (agent.circuit == Circuit::Open) {
            find("G5", entry, "reached an agent that is left alone", ticket);
        }
        if (agent.circuit == Circuit::Probing && !agent.in_flight.empty()) {
            find("G5", entry, "was let through beside another one", ticket);
        }
    }

    /// A workflow or human task counts like a message of the agent that started it; the hub's own
    /// requests for the workflow do not count again.
    void note_sent(const Entry& entry, std::string_view by, bool is_by_agent = true) {
        if (is_by_agent) agents_[std::string{by}].sent.push_back(entry.at);
    }

    void accepted(const Entry& entry, const MessageAccepted& event) {
        note_sent(entry, event.envelope->from(), event.envelope->from() != kOrchestrator);
        const auto agent = agents_.find(std::string{event.envelope->to()});
        const bool is_open = agent != agents_.end() && agent->second.circuit == Circuit::Open;
        if (is_open && event.envelope->intent() == Intent::Request) {
            find("G5", entry, "was accepted for an agent that is left alone", event.ticket);
        }
    }

    void failed(const Entry& entry, const RequestFailed& event) {
        const auto request = book_.requests.find(event.request);
        if (request == book_.requests.end()) return;
        const std::string name{request->second.asked->to()};
        // People may take their time, and a request held for approval has not reached its agent.
        if (is_for_people(name) || held_.contains(event.request)) return;
        auto& agent = agents_[name];
        if (event.refusal == Refusal::AgentCircuitOpen && agent.circuit == Circuit::Closed) {
            find("G6", entry, "failed for an agent that nobody leaves alone", event.request);
        }
        if (is_failure(event.refusal, had_time_.contains(event.request))) count(entry, name);
    }

    /// Counts a failure of the agent.
    void count(const Entry& entry, const std::string& name) {
        auto& agent = agents_[name];
        const auto most = static_cast<std::size_t>(limit(Rule::BreakerFailures, name));
        if (most == 0 || agent.circuit == Circuit::Open) return;
        const Duration window{limit(Rule::BreakerWindowMs, name)};
        agent.failures.push_back(entry.at);
        while (agent.failures.size() > most) agent.failures.pop_front();
        const auto recent = static_cast<std::size_t>(
            std::ranges::count_if(agent.failures, [&](Time at) { return entry.at - at < window; }));
        agent.is_due = agent.circuit == Circuit::Probing || recent >= most;
    }

    /// Deliveries cut short by a restart are no failures; a start clears all counts.
    void started() {
        for (auto& [name, agent] : agents_) {
            agent.failures.clear();
            agent.is_due = false;
        }
    }

    /// Done clears the failures, Failed counts as a failure, Declined does neither.
    void answered(const Entry& entry, const RequestAnswered& event) {
        const auto request = book_.requests.find(event.request);
        if (request == book_.requests.end()) return;
        const std::string name{request->second.asked->to()};
        if (event.kind == AnswerKind::Done) agents_[name].failures.clear();
        if (event.kind == AnswerKind::Failed && !is_for_people(name)) count(entry, name);
    }

    /// The agent that failed counts, though another agent holds the request next.
    void passed_on(const Entry& entry, const PassingRefused& event) {
        if (event.kind == AnswerKind::Failed && !is_for_people(event.by)) count(entry, event.by);
    }

    void opened(const Entry& entry, const BreakerOpened& event) {
        auto& agent = agents_[event.agent.value];
        if (!agent.is_due) find("G5", entry, "opened before its threshold");
        if (event.until != entry.at + Duration{limit(Rule::BreakerOpenMs, event.agent.value)}) {
            find("G5", entry, "is not open for its time");
        }
        agent = reset(event.agent.value);
        agent.circuit = Circuit::Open;
        agent.until = event.until;
    }

    void probed(const Entry& entry, const std::string& name) {
        auto& agent = agents_[name];
        if (agent.circuit != Circuit::Open || entry.at < agent.until) {
            find("G5", entry, "was tried again before its time");
        }
        agent.circuit = Circuit::Probing;
    }

    /// Checks a refusal for an open breaker, and a refusal for a rate.
    void refused(const Entry& entry, const MessageRefused& event) {
        const auto asked = targets_.find({event.from, event.id});
        if (asked == targets_.end()) return;
        const auto is_closed = [](const auto& agent) {
            return agent.second.circuit == Circuit::Closed;
        };
        // Where the hub chooses the recipient, any agent may be the agent with the open breaker.
        const auto is_left_alone = [&](const std::string& to) {
            return is_no_agent(to) ? !std::ranges::all_of(agents_, is_closed)
                                   : agents_[to].circuit != Circuit::Closed;
        };
        // Alternatively the refused agent's own breaker is open, and the agent accepts an earlier
        // offer.
        if (event.refusal == Refusal::AgentCircuitOpen && !is_left_alone(event.from) &&
            std::ranges::none_of(asked->second, is_left_alone)) {
            find("G6", entry, "was refused for an agent that nobody leaves alone");
        }
        const bool is_for_user = limit(Rule::RequestsPerUserMinute, event.from) > 0;
        if (event.refusal != Refusal::RateLimitExceeded || is_for_user) return;
        const auto sent = std::ranges::count_if(agents_[event.from].sent, [&](Time at) {
            return entry.at - at < std::chrono::minutes{1};
        });
        const auto most = limit(Rule::MessagesPerMinute, event.from);
        // Each share of a request to several agents counts as a message of its own.
        const auto is_for_each = [](const std::string& to) { return to.starts_with(kAllPrefix); };
        if (most > 0 && std::ranges::any_of(asked->second, is_for_each)) return;
        if (most == 0 || sent < most) find("G6", entry, "was refused for what others sent");
    }

    /// Time has passed since the last record: no request may wait behind an open breaker any more,
    /// and every breaker due to open must be open.
    void expect_answers(const Entry& entry) {
        for (auto& [name, agent] : agents_) {
            if (agent.is_due) find("G5", entry, "of " + name + " did not open at its threshold");
            agent.is_due = false;
            if (agent.circuit != Circuit::Open) continue;
            for (const auto& [ticket, standing] : walker_.mailbox(name)) {
                if (is_kept_waiting(standing)) {
                    find("G5", entry, "waits for an agent that is left alone", ticket);
                }
            }
        }
    }
    bool is_kept_waiting(const Standing& standing) const {
        const auto& copy = *standing.copy;
        const auto request = book_.requests.find(copy.ticket);
        if (standing.stage != Stage::Ready || request == book_.requests.end()) return false;
        const auto& lane = walker_.lane(copy);
        if (!lane.empty() && lane.begin()->second != copy.ticket) return false;
        // The request of a redelivered dead letter may have been answered long ago.
        return std::ranges::none_of(request->second.answers, [&](std::size_t record) {
            return book_.history->journal[record].at <= last_;
        });
    }

    void find(const char* promise,
              const Entry& entry,
              const std::string& what,
              Ticket ticket = {}) {
        const auto copy = book_.copies.find(ticket);
        findings_.push_back({promise,
                             (copy == book_.copies.end() ? "a breaker" : name_of(copy->second)) +
                                 " " + what + ", at record " + std::to_string(entry.sequence.value),
                             ticket});
    }

    const Book& book_;
    Findings& findings_;
    Walker walker_;
    Policy policy_;
    std::map<std::string, Agent> agents_;
    std::map<std::pair<std::string, std::string>, std::set<std::string>> targets_;
    Time last_{};
    std::set<Ticket> held_;      ///< Requests that wait for approval.
    std::set<Ticket> had_time_;  ///< Requests whose latest delivery left the agent enough time.
};

}  // namespace

void check_g5(const Book& book, Findings& findings) { Circuits{book, findings}.run(); }

}  // namespace parlance::sim
