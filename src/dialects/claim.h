// What a request claims about the delegation that it is, whatever its dialect calls it.
#pragma once

#include <string_view>

#include "dialects/dialects.h"
#include "model/claim.h"
#include "model/envelope.h"

namespace parlance::dialects {

ClaimPtr claim_of(const Envelope& request);

/// False if the request surely names no user. Most name none, and are not read for it once more.
bool may_name_user(const Envelope& request);
/// The same of a budget: whether it is worth a look what the request says it may use.
bool may_say_budget(const Envelope& request);

/// Adds to the refusal of a delegation what it says of itself, as far as `text` can be read.
void note_claim(Rejection& rejection, std::string_view text);

}  // namespace parlance::dialects
