// D2: a normal or low message is handed to a consumer at most once, over all crashes.
#include <map>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

void check_d2(const Book& book, Findings& findings) {
    std::map<Ticket, int> hand_overs;
    for (const auto& shown : book.history->shown) {
        const auto* deliver = std::get_if<Deliver>(&shown.effect);
        if (deliver == nullptr) continue;
        const auto copy = book.copies.find(deliver->delivery.ticket);
        if (copy == book.copies.end() || is_at_least_once(copy->second.priority)) continue;
        if (++hand_overs[copy->first] == 2) {
            findings.push_back(
                {"D2", name_of(copy->second) + " was handed over twice", copy->first});
        }
    }
}

}  // namespace parlance::sim
