// The cost of one command while very many workflows wait.
#pragma once

#include <cstdint>

#include "bench/workflow/house.h"

namespace parlance::bench {

/// `count` workflows wait for a person, and as many for an agent.
void measure_rest(House& house, std::uint64_t count);

}  // namespace parlance::bench
