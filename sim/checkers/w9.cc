// W9: a human task waits until it is answered, lapses or is withdrawn, whatever happens to the hub.
// An answer counts once, from a person other than the requester, and only for the task's state
// version; after the end nothing follows. Only people answer a message to people.
#include <map>
#include <set>
#include <string>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

/// How long a task may stay on record as waiting after its time: turns take time.
constexpr Duration kPatience{1'000};

struct Asked {
    HumanAsked question;
    Time term_ends{};
    bool is_escalated = false;
    bool has_ended = false;
    std::set<std::string> approved_by{};
};

class HumanTaskChecker {
  public:
    HumanTaskChecker(const Book& book, Findings& findings) : book_(book), findings_(findings) {}

    void run() {
        for (const auto& entry : book_.history->journal) take(entry);
        if (book_.history->journal.empty()) return;
        const auto last = book_.history->journal.back().at;
        for (const auto& [id, asked] : all_) {
            if (!asked.has_ended && asked.term_ends + kPatience < last) find(id, "was forgotten");
        }
    }

  private:
    void take(const Entry& entry) {
        match(
            entry.event,
            [&](const HumanAsked& e) { begin(entry, e); },
            [&](const HumanReminded& e) {
                auto* const asked = waiting(e.id, "was reminded of");
                if (asked != nullptr && e.is_overdue) begin_term(entry, *asked);
            },
            [&](const HumanEscalated& e) {
                auto* const asked = waiting(e.id, "was escalated");
                if (asked == nullptr) return;
                if (asked->is_escalated) find(e.id, "was escalated twice");
                asked->is_escalated = true;
                begin_term(entry, *asked);
            },
            [&](const HumanAnswered& e) { answered(entry, e); },
            [&](const HumanLapsed& e) {
                auto* const asked = waiting(e.id, "lapsed");
                if (asked == nullptr) return;
                if (entry.at < asked->term_ends) find(e.id, "lapsed before its time");
                end(*asked);
            },
            [&](const HumanWithdrawn& e) {
                if (auto* const asked = waiting(e.id, "was withdrawn")) end(*asked);
            },
            [&](const RequestAnswered& e) {
                if (!is_for_people(book_.requests.at(e.request).asked->to())) return;
                if (e.request != answered_now_) find({}, "a message was answered by nobody");
            },
            [&](const MessageRefused& e) {
                if (e.refusal == Refusal::HumanTaskNotFound) not_found(e.id);
            },
            [](const auto&) {});
        if (!std::holds_alternative<HumanAnswered>(entry.event)) answered_now_ = {};
    }

    void begin(const Entry& entry, const HumanAsked& event) {
        auto& asked = all_[event.id];
        asked.question = event;
        begin_term(entry, asked);
    }

    static void begin_term(const Entry& entry, Asked& asked) {
        asked.term_ends =
            entry.at + Duration{static_cast<std::int64_t>(asked.question.deadline_ms)};
    }

    static void end(Asked& asked) { asked.has_ended = true; }

    /// The task if still waiting; else reports an event after the end.
    Asked* waiting(Ticket id, const std::string& what) {
        const auto found = all_.find(id);
        if (found == all_.end() || found->second.has_ended) {
            find(id, what + " though it does not wait");
            return nullptr;
        }
        return &found->second;
    }

    void answered(const Entry& entry, const HumanAnswered& event) {
        auto* const asked = waiting(event.id, "was answered");
        if (asked == nullptr) return;
        const auto& question = asked->question;
        if (event.state_version != question.state_version) {
            find(event.id, "was answered for something else");
        }
        if (event.by == question.asked_by || event.by.empty()) {
            find(event.id, "was decided by who asked, or by nobody");
        }
        const bool is_last = question.if_nobody != IfNobody::Wait &&
                             (question.escalation.empty() || asked->is_escalated);
        if (is_last && entry.at >= asked->term_ends) find(event.id, "was answered after its time");
        if (event.decision == HumanDecision::Approve &&
            !asked->approved_by.insert(event.by).second) {
            find(event.id, "was approved twice by the same person");
        }
        const bool is_approved = event.decision == HumanDecision::Approve && !event.awaits_another;
        if (is_approved && asked->approved_by.size() < question.approvals_needed) {
            find(event.id, "was approved by too few");
        }
        if (event.awaits_another) return;
        end(*asked);
        answered_now_ = question.request;
    }

    void not_found(const std::string& id) {
        for (const auto& [ticket, asked] : all_) {
            if (!asked.has_ended && std::to_string(ticket.value) == id) {
                find(ticket, "waits, and nobody can find it");
            }
        }
    }

    void find(Ticket id, const std::string& what) {
        findings_.push_back(
            {"W9", "what people were asked (" + std::to_string(id.value) + ") " + what, {}});
    }

    const Book& book_;
    Findings& findings_;
    std::map<Ticket, Asked> all_;
    Ticket answered_now_{};  ///< The request whose human task has just been answered.
};

}  // namespace

void check_w9(const Book& book, Findings& findings) { HumanTaskChecker{book, findings}.run(); }

}  // namespace parlance::sim
