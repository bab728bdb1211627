// One workflow at a time, for whoever holds a record against the rules of this program.
#pragma once

#include "core/core.h"

namespace parlance::core {

/// Replaces the content of `events` by what is next in this workflow, whatever else is due: none
/// if it waits, has ended, or the fleet is stopped.
void decide_run(const State& state, Ticket run, Time now, Events& events);

}  // namespace parlance::core
