// D7: past its ttl a message is never delivered, and that it expired is on record.
#include "sim/checkers/checkers.h"

namespace parlance::sim {

void check_d7(const Book& book, Findings& findings) {
    Walker walker{book};
    walker.walk([&](const Entry& entry) {
        const auto* standing = walker.find(ticket_of(entry.event));
        if (standing == nullptr) return;
        const auto& copy = *standing->copy;
        const bool is_expired =
            standing->has_ttl && copy.expires_at != Time{} && copy.expires_at <= entry.at;
        if (std::holds_alternative<LeaseGranted>(entry.event) && is_expired) {
            findings.push_back(
                {"D7", name_of(copy) + " was handed over after its ttl", copy.ticket});
        }
        if (std::holds_alternative<DeliveryAcknowledged>(entry.event) &&
            standing->stage != Stage::Leased) {
            findings.push_back(
                {"D7", name_of(copy) + " is gone without a record of its expiry", copy.ticket});
        }
    });
}

}  // namespace parlance::sim
