// W1: every accepted request gets exactly one terminal answer, no later than the first moment at or
// after its deadline at which the hub did anything at all.
#include <algorithm>
#include <map>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

void check_w1(const Book& book, Findings& findings) {
    const auto& journal = book.history->journal;
    for (const auto& [ticket, request] : book.requests) {
        const auto name = "request '" + std::string{request.asked->id()} + "'";
        if (request.answers.size() != 1) {
            findings.push_back(
                {"W1",
                 name + " was answered " + std::to_string(request.answers.size()) + " times",
                 ticket});
            continue;
        }
        // Records are in the order of time.
        const auto due = std::ranges::partition_point(
            journal,
            [&deadline = request.deadline](const Entry& entry) { return entry.at < deadline; });
        if (due != journal.end() && journal[request.answers.front()].at > due->at) {
            findings.push_back({"W1", name + " was answered after its deadline", ticket});
        }
    }
    std::map<Ticket, int> told;
    for (const auto& shown : book.history->shown) {
        const auto* answer = std::get_if<TellAnswer>(&shown.effect);
        if (answer != nullptr && ++told[answer->request] == 2) {
            findings.push_back({"W1", "an asker was given two answers", answer->request});
        }
    }
}

}  // namespace parlance::sim
