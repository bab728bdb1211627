// How far views.db is, read without the ledger: evidence of how far the journal was.
#pragma once

#include <string>

#include "model/ids.h"

namespace parlance::views {

/// The last record that is in the file; 0 if there is no such file, or it cannot be read.
Sequence folded_into(const std::string& path);

}  // namespace parlance::views
