// The delegation document's compliance checklist, tried against a running hub (X22).
#pragma once

#include "app/cli/cli.h"

namespace parlance::cli {

/// Harmless probes under agents of their own, which are removed afterwards. Done if every item
/// holds, else Refused: also if one could not be tried, or an agent could not be removed.
int try_checklist(const Context& context);

}  // namespace parlance::cli
