// W4: everything that reaches a requester keeps the rules of a response: an invalid answer is not
// passed on, a failure has a code and a reason, and the report of an incomplete workflow lists the
// missing steps.
#include <set>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

using Name = std::pair<std::string, std::string>;

std::string text_at(json::Value value, std::string_view pointer) {
    const auto found = json::find_at(value, pointer);
    std::string spare;
    return found && found->is_string() ? std::string{found->text(spare)} : std::string{};
}

class AnswerChecker {
  public:
    AnswerChecker(const Book& book, Findings& findings)
        : history_(*book.history), findings_(findings) {
        for (const auto& asked : history_.asked) {
            const auto* refused = std::get_if<RefuseReply>(&asked.command);
            if (refused == nullptr || refused->reply == nullptr) continue;
            broken_.emplace(refused->reply->from(), refused->reply->id());
        }
    }

    void run() {
        for (const auto& entry : history_.journal) {
            const auto* answered = std::get_if<RequestAnswered>(&entry.event);
            if (answered == nullptr) continue;
            const auto& reply = *answered->envelope;
            if (broken_.contains({std::string{reply.from()}, std::string{reply.id()}})) {
                find("an answer that breaks the rules was passed on", answered->request);
            }
        }
        for (const auto& shown : history_.shown) {
            match(
                shown.effect,
                [&](const TellAnswer& e) {
                    if (e.reply == nullptr) failed(e.failure, e.request);
                },
                [&](const Deliver& e) {
                    if (e.failure.refusal != Refusal::None) failed(e.failure, e.delivery.ticket);
                },
                [&](const TellEnded& e) { ended(e); },
                [](const auto&) {});
        }
    }

  private:
    void failed(const Failure& failure, Ticket ticket) {
        if (failure.refusal == Refusal::None) find("a failure has no code", ticket);
        if (failure.detail.empty()) find("a failure does not say why", ticket);
    }

    void ended(const TellEnded& told) {
        const auto report = json::root(told.report);
        const auto status = text_at(report, "/status");
        const auto missing = json::find(report, "missing");
        const bool is_whole = status == "COMPLETED";
        const auto say = [&](const std::string& what) {
            find("the report of workflow '" + told.id + "' " + what, {});
        };
        if (text_at(report, "/workflow_id") != told.id) say("is another's");
        if (is_whole && missing) say("is whole, and something is missing");
        if (!is_whole && !missing) return say("is not whole, and does not say what is missing");
        bool has_any = false;
        if (missing) {
            for (json::Elements each{*missing}; each.next(); has_any = true) {
                if (text_at(each.value, "/reason").empty()) say("does not say why it is missing");
            }
        }
        if (!is_whole && !has_any && status != "CANCELLED")
            say("is not whole, and nothing is missing");
        const auto steps = json::find(report, "steps");
        if (!steps) return say("has no steps");
        for (json::Elements each{*steps}; each.next();) step_ended(each.value, say);
    }

    template <class Say>
    static void step_ended(json::Value step, const Say& say) {
        if (text_at(step, "/status") == "FAILED") {
            if (json::find(step, "output")) say("has the output of what failed");
            if (text_at(step, "/error/code").empty()) say("has a failure without a code");
            if (text_at(step, "/error/message").empty()) say("has a failure without words");
        }
        const auto confidence = json::find(step, "confidence");
        const auto sure = confidence ? confidence->number().value_or(-1) : 0;
        if (sure < 0 || sure > 1) say("is surer than can be");
    }

    void find(std::string what, Ticket ticket) {
        findings_.push_back({"W4", std::move(what), ticket});
    }

    const History& history_;
    Findings& findings_;
    std::set<Name> broken_;  ///< Replies that the front desk refused.
};

}  // namespace

void check_w4(const Book& book, Findings& findings) { AnswerChecker{book, findings}.run(); }

}  // namespace parlance::sim
