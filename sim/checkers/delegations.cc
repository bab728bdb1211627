// G1 depth, G2 fan-out, G3 cycles, G4 budgets, I2 grants that only shrink, I3 one user: each
// checked by a simple model of the records alone.
#include "core/testing/delegation_model.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

void check_delegations(const Book& book, Findings& findings) {
    core::DelegationModel model;
    for (const auto& entry : book.history->journal) model.follow(entry.event, entry.at);
    model.finish();
    for (auto& breach : model.breaches) {
        findings.push_back({std::string{breach.promise}, std::move(breach.what), breach.request});
    }
}

}  // namespace parlance::sim
