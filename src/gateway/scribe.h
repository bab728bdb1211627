// Gives the core's workflows the dialects: it asks each agent in that agent's own words.
#pragma once

#include "gateway/capabilities.h"
#include "model/scribe.h"

namespace parlance::gateway {

class DialectScribe : public Scribe {
  public:
    std::string flaw(const Assignment& assignment) const override;
    EnvelopePtr write(const Assignment& assignment) const override;
    Outcome read(const Envelope& answer) const override;

  private:
    mutable CapabilityShelf shelf_;  ///< What was compiled before.
};

}  // namespace parlance::gateway
