// What a request claims about the delegation that it is, whatever its dialect calls it.
#pragma once

#include "model/claim.h"
#include "model/envelope.h"

namespace parlance::dialects {

ClaimPtr claim_of(const Envelope& request);

}  // namespace parlance::dialects
