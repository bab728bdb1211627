// Correlation: the dialect of ADR-0016, in which a correlation id identifies a workflow.
//
// dialects/id_forms.h makes and reads the ids.
#pragma once

#include "dialects/dialect_row.h"

namespace parlance::dialects::correlation {

extern const DialectRow kRow;

}  // namespace parlance::dialects::correlation
