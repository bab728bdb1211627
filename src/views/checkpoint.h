// Reads the checkpoint of views.db without the ledger: evidence of the journal's length.
#pragma once

#include <string>

#include "model/ids.h"

namespace parlance::views {

/// The last record folded into the file; 0 if the file is missing or unreadable.
Sequence folded_into(const std::string& path);

}  // namespace parlance::views
