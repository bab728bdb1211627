// Kessel: the dialect of the Kessel Digital Agent Platform's communication contract.
//
// tables.h is the document as data; block.h reads and writes the contract's text form.
#pragma once

#include "dialects/dialect_row.h"

namespace parlance::dialects::kessel {

extern const DialectRow kRow;

}  // namespace parlance::dialects::kessel
