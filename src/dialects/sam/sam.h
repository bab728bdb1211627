// Sam: the dialect of the Standard Agent Message.
#pragma once

#include "dialects/dialect_row.h"

namespace parlance::dialects::sam {

extern const DialectRow kRow;

}  // namespace parlance::dialects::sam
