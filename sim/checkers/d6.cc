// D6: no more tries than allowed, each wait inside the configured backoff with its jitter, and
// then the message is a dead letter. An instance that is lost lets another one try at once.
#include <algorithm>
#include <map>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

Duration full_wait(const Limits& limits, std::uint32_t attempt) {
    auto wait = limits.backoff_base;
    for (std::uint32_t i = 1; i < attempt && wait < limits.backoff_max; ++i) {
        wait *= limits.backoff_multiplier;
    }
    return std::min(wait, limits.backoff_max);
}

}  // namespace

void check_d6(const Book& book, Findings& findings) {
    const auto& limits = book.history->limits;
    std::map<Ticket, Time> not_before;
    Walker walker{book};
    walker.walk([&](const Entry& entry) {
        const auto* standing = walker.find(ticket_of(entry.event));
        if (standing == nullptr || !is_at_least_once(standing->copy->priority)) return;
        const auto& copy = *standing->copy;
        if (const auto* returned = std::get_if<DeliveryReturned>(&entry.event)) {
            not_before[copy.ticket] = returned->retry_at;
            if (returned->setback == Setback::InstanceLost) return;
            const auto longest = full_wait(limits, standing->attempts);
            const auto shortest = longest - longest * limits.backoff_jitter_percent / 100;
            const auto wait = returned->retry_at - entry.at;
            if (wait >= shortest && wait <= longest) return;
            findings.push_back({"D6",
                                name_of(copy) + " waits " + std::to_string(wait.count()) +
                                    " ms after try " + std::to_string(returned->attempt) +
                                    " instead of " + std::to_string(shortest.count()) + " to " +
                                    std::to_string(longest.count()),
                                copy.ticket});
        }
        if (!std::holds_alternative<LeaseGranted>(entry.event)) return;
        if (standing->attempts > copy.retry_count_max) {
            findings.push_back({"D6",
                                name_of(copy) + " was tried more often than its " +
                                    std::to_string(copy.retry_count_max) + " retries",
                                copy.ticket});
        }
        if (entry.at < not_before[copy.ticket]) {
            findings.push_back(
                {"D6", name_of(copy) + " was tried before its wait was over", copy.ticket});
        }
    });
}

}  // namespace parlance::sim
