// Reads a request's claims from its meaning. For this room alone; other rooms use claim.h.
#pragma once

#include "dialects/dialect_row.h"
#include "model/claim.h"

namespace parlance::dialects {

/// The owners of the sources that the message cites, each once.
std::vector<std::string> owners_of(const Meaning& meaning);

/// The meaning was read from `message`.
ClaimPtr read_claim(const DialectRow& row,
                    const Form& form,
                    const Meaning& meaning,
                    json::Value message);

}  // namespace parlance::dialects
