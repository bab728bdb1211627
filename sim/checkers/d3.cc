// D3: within a task of a recipient, messages are handed over in the order of acceptance. A
// redelivered dead letter counts as newly accepted.
#include "sim/checkers/checkers.h"

namespace parlance::sim {

void check_d3(const Book& book, Findings& findings) {
    Walker walker{book};
    walker.walk([&](const Entry& entry) {
        const auto* granted = std::get_if<LeaseGranted>(&entry.event);
        if (granted == nullptr) return;
        const auto* standing = walker.find(granted->ticket);
        if (standing == nullptr) return;
        const auto& lane = walker.lane(*standing->copy);
        if (lane.empty() || lane.begin()->second == granted->ticket) return;
        findings.push_back({"D3",
                            name_of(*standing->copy) + " was handed over at record " +
                                std::to_string(entry.sequence.value) + ", before " +
                                name_of(book.copies.at(lane.begin()->second)) + " of its task",
                            granted->ticket});
    });
}

}  // namespace parlance::sim
