// The delegation document's compliance checklist, tried against a running hub (X22).
#pragma once

#include "app/cli/cli.h"

namespace parlance::cli {

/// Harmless probes under separate agents, removed afterwards. Done if every item holds; Refused
/// also if an item could not be tried, or an agent could not be removed.
int try_checklist(const Context& context);

}  // namespace parlance::cli
