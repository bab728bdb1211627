// Gives the core's workflows the dialects: writes each agent's requests in the agent's own dialect.
#pragma once

#include <string>

#include "gateway/capabilities.h"
#include "gateway/desk.h"
#include "model/message_writer.h"

namespace parlance::gateway {

class DialectMessageWriter : public MessageWriter {
  public:
    /// To be called before the first message is written: sets the personal data kept from readers.
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
    Options options_;                ///< Only the members about personal data are used.
    mutable CapabilityShelf shelf_;  ///< Compiled capabilities.
};

}  // namespace parlance::gateway
