// Gives the core's workflows the dialects: it asks each agent in that agent's own words.
#pragma once

#include <string>

#include "gateway/capabilities.h"
#include "gateway/desk.h"
#include "model/scribe.h"

namespace parlance::gateway {

class DialectScribe : public Scribe {
  public:
    /// Before it writes to anybody: what is kept back from whom.
    void keep_back(PersonalPolicy personal, std::string key);

    std::string flaw(const Assignment& assignment) const override;
    Unfit unfit(const Envelope& request, const Taker& taker, Time now) const override;
    EnvelopePtr write(const Assignment& assignment) const override;
    Outcome read(const Envelope& answer) const override;
    EnvelopePtr tell(const Assignment& news) const override;
    EnvelopePtr readdress(const Envelope& message, const Redirection& redirection) const override;
    EnvelopePtr allot(const Envelope& request, std::uint64_t tokens) const override;
    Proposal propose(const Envelope& answer) const override;
    EnvelopePtr join(const Joint& joint) const override;
    ClaimPtr claim(const Envelope& request) const override;
    std::string quote(const Envelope& request, const Taker& reader) const override;

  private:
    Options options_;                ///< Only what is personal.
    mutable CapabilityShelf shelf_;  ///< What was compiled before.
};

}  // namespace parlance::gateway
