// Gives the core's workflows the dialects: it asks each agent in that agent's own words.
#pragma once

#include "model/scribe.h"

namespace parlance::gateway {

class DialectScribe : public Scribe {
  public:
    EnvelopePtr write(const Assignment& assignment) const override;
    Outcome read(const Envelope& answer) const override;
};

}  // namespace parlance::gateway
