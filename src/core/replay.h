// Decides one workflow at a time, for an auditor who checks a record against this program's rules.
#pragma once

#include "core/core.h"

namespace parlance::core {

/// Replaces the content of `events` by the next events of this workflow, whatever else is due; none
/// if the workflow waits or has ended, or the fleet is stopped.
void decide_run(const State& state, Ticket run, Time now, Events& events);

}  // namespace parlance::core
