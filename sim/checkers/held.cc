// W9 of budgets: a request held for approval does not start before its approval; the approved
// budget is the budget admitted, and the budget its recipient reads; two people must approve the
// same number, and one person cannot approve a budget that needs two.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/match.h"
#include "model/policy.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

struct HeldRequest {
    RequestHeld held;
    std::vector<std::uint64_t> approved{};  ///< In the order of the approvals.
    std::size_t needed = 1;  ///< Number of approvers, by the policy at the last approval.
    bool is_released = false;
};

class Treasury {
  public:
    Treasury(const Book& book, Findings& findings) : book_(book), findings_(findings) {}

    void run() {
        for (const auto& entry : book_.history->journal) {
            match(
                entry.event,
                [&](const PolicyChanged& e) {
                    if (auto settings = parse_policy(e.settings)) policy_.settings = *settings;
                },
                [&](const RequestHeld& e) { held_requests_[e.request] = {.held = e}; },
                [&](const HumanAsked& e) {
                    // A released request may move to people: their answers are no approvals.
                    const auto* held_request = find_held_request(e.request);
                    const bool is_approval = held_request == nullptr || !held_request->is_released;
                    if (is_approval) request_of_task_[e.id] = e.request;
                },
                [&](const HumanAnswered& e) { answered(e); },
                [&](const RequestReleased& e) { released(e); },
                [&](const DelegationAdmitted& e) { admitted(e); },
                [&](const LeaseGranted& e) {
                    const auto* held_request = find_held_request(e.ticket);
                    if (held_request != nullptr && !held_request->is_released) {
                        find(e.ticket, "was handed over before anybody allowed it");
                    }
                },
                [](const auto&) {});
        }
    }

  private:
    HeldRequest* find_held_request(Ticket request) {
        const auto found = held_requests_.find(request);
        return found == held_requests_.end() ? nullptr : &found->second;
    }

    void answered(const HumanAnswered& event) {
        auto* const held_request = find_held_request(request_of_task_[event.id]);
        if (held_request == nullptr || event.decision != HumanDecision::Approve) return;
        const auto budget = event.tokens > 0 ? event.tokens : held_request->held.tokens_max;
        if (!held_request->approved.empty() && held_request->approved.back() != budget) {
            find(held_request->held.request, "was approved with two budgets");
        }
        held_request->approved.push_back(budget);
        // An approved request waits while the fleet is stopped; a policy change meanwhile does not
        // revoke the approval.
        held_request->needed = needed_for(budget);
    }

    /// The number of approvers for the budget.
    std::size_t needed_for(std::uint64_t tokens) const {
        const auto passes = [&](Rule rule) {
            const auto limit = static_cast<std::uint64_t>(limit_of(policy_, rule));
            return limit > 0 && tokens > limit;
        };
        return passes(Rule::RiskHigh) ? 2 : 1;
    }

    void released(const RequestReleased& event) {
        auto* const held_request = find_held_request(event.request);
        if (held_request == nullptr) return find(event.request, "was let through and did not wait");
        held_request->is_released = true;
        const auto& approved = held_request->approved;
        if (approved.empty()) return find(event.request, "was let through by nobody");
        if (approved.size() < held_request->needed) {
            find(event.request, "has a budget on which two decide, by one");
        }
        if (event.envelope == nullptr && approved.back() != held_request->held.tokens_max) {
            find(event.request, "is handed on with what it asked for, and has something else");
        }
        if (event.envelope == nullptr) return;
        const auto read = json::find(json::root(event.envelope->body()), "tokens_max");
        if (!read || read->integer() != static_cast<std::int64_t>(approved.back())) {
            find(event.request, "is handed on with another budget than was approved");
        }
    }

    void admitted(const DelegationAdmitted& event) {
        const auto* held_request = find_held_request(event.request);
        if (held_request == nullptr || held_request->approved.empty()) return;
        if (event.tokens == held_request->approved.back()) return;
        find(event.request,
             "was approved with " + std::to_string(held_request->approved.back()) +
                 " tokens and admitted with " + std::to_string(event.tokens));
    }

    void find(Ticket request, const std::string& what) {
        findings_.push_back(
            {"W9",
             "what waited for leave (" + std::to_string(request.value) + ") " + what,
             request});
    }

    const Book& book_;
    Findings& findings_;
    Policy policy_;
    std::map<Ticket, HeldRequest> held_requests_;
    std::map<Ticket, Ticket> request_of_task_;  ///< The request of each human task.
};

}  // namespace

void check_held(const Book& book, Findings& findings) { Treasury{book, findings}.run(); }

}  // namespace parlance::sim
