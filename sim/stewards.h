// People who decide on budgets above a limit: they grant the amount requested, less or more, and do
// not always agree. Active in some lives only, and drawn from a separate random stream, so that all
// other lives stay unchanged.
#pragma once

#include <cstdint>
#include <string>

#include "model/policy.h"
#include "sim/door.h"

namespace parlance::sim {

class Stewards {
  public:
    Stewards(std::uint64_t seed, Timeline& timeline, Hub& hub, Door& door);

    /// True if people decide on budgets in this life.
    bool are_there() const { return are_there_; }
    /// Sets the limits above which a budget needs approval.
    void limit(Settings& settings);
    /// A person answers a request that waits for budget approval.
    void decide();

  private:
    std::uint64_t some_budget(std::uint64_t asked);

    Entropy entropy_;
    Timeline& timeline_;
    Hub& hub_;
    Door& door_;
    bool are_there_ = false;
    std::uint64_t risk_high_ = 0;
};

}  // namespace parlance::sim
