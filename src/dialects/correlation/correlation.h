// Correlation: the dialect of ADR-0016, in which a correlation id holds a workflow together.
//
// The ids themselves are made and read in dialects/id_forms.h.
#pragma once

#include "dialects/dialect_row.h"

namespace parlance::dialects::correlation {

extern const DialectRow kRow;

}  // namespace parlance::dialects::correlation
