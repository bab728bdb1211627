// What a request's meaning claims. For this room alone; claim.h is for others.
#pragma once

#include "dialects/dialect_row.h"
#include "model/claim.h"

namespace parlance::dialects {

/// Whose the sources are that it speaks of, each named once.
std::vector<std::string> owners_of(const Meaning& meaning);

/// `message` is what the meaning was read from.
ClaimPtr read_claim(const DialectRow& row,
                    const Form& form,
                    const Meaning& meaning,
                    json::Value message);

}  // namespace parlance::dialects
