// A request's claims about its delegation, in any dialect.
#pragma once

#include <string_view>

#include "dialects/dialects.h"
#include "model/claim.h"
#include "model/envelope.h"

namespace parlance::dialects {

ClaimPtr claim_of(const Envelope& request);

/// False if the request surely names no user. Saves most requests from being parsed again.
bool may_name_user(const Envelope& request);
/// False if the request surely states no token budget.
bool may_say_budget(const Envelope& request);

/// Adds a delegation's own claims to its refusal, as far as `text` is readable.
void note_claim(Rejection& rejection, std::string_view text);

}  // namespace parlance::dialects
