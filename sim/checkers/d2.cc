// D2: a normal or low message is handed to a consumer at most once, over all crashes. Answers are
// handed over until they are settled, whatever the priority of their requests (W1).
#include <map>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

void check_d2(const Book& book, Findings& findings) {
    std::map<std::pair<Ticket, std::string>, int> hand_overs;
    for (const auto& shown : book.history->shown) {
        const auto* deliver = std::get_if<Deliver>(&shown.effect);
        if (deliver == nullptr) continue;
        const auto copy = book.copy_of(shown, *deliver);
        if (!copy || is_at_least_once(copy->priority, copy->is_answer)) continue;
        // A help request counts per recipient, because it is handed on from agent to agent.
        if (++hand_overs[{copy->ticket, copy->recipient}] == 2) {
            findings.push_back({"D2", name_of(*copy) + " was handed over twice", copy->ticket});
        }
    }
}

}  // namespace parlance::sim
