// People who decide on budgets that pass a limit: they give what was asked for, more or less, and
// do not always agree. Only in some lives, and drawn apart from all other chance, so that every
// other life stays what it was.
#pragma once

#include <cstdint>
#include <string>

#include "model/policy.h"
#include "sim/door.h"

namespace parlance::sim {

class Stewards {
  public:
    Stewards(std::uint64_t seed, Timeline& timeline, Hub& hub, Door& door);

    /// Whether anybody decides on budgets in this life.
    bool are_there() const { return are_there_; }
    /// What passes these is put to them.
    void limit(Settings& settings);
    /// One of them says something to a request that waits.
    void decide();

  private:
    std::uint64_t some_budget(std::uint64_t asked);

    Chance chance_;
    Timeline& timeline_;
    Hub& hub_;
    Door& door_;
    bool are_there_ = false;
    std::uint64_t risk_high_ = 0;
};

}  // namespace parlance::sim
