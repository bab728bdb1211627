// The delegation document's compliance checklist, tried against a running hub (X22).
#pragma once

#include "app/cli/cli.h"

namespace parlance::cli {

/// Harmless probes under agents of their own, which are gone afterwards. Refused if an item fails.
int try_checklist(const Context& context);

}  // namespace parlance::cli
