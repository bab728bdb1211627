// How the hub writes to agents in its own name, and reads what they answer.
//
// The core knows no dialect: whoever builds the hub gives it a scribe that does. All functions are
// pure, and what they say is recorded, so that no record is ever read with another scribe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/claim.h"
#include "model/envelope.h"
#include "model/message.h"
#include "model/refusal.h"

namespace parlance {

/// A request of a workflow, to be written in its recipient's dialect.
struct Assignment {
    std::string_view id{};
    std::string_view to{};
    Dialect dialect = Dialect::Kessel;
    std::string_view capability{};
    std::string_view capabilities{};  ///< JSON: all that the recipient has registered.
    std::string_view objective{};
    std::string_view inputs{};   ///< JSON.
    std::string_view context{};  ///< JSON: what was gathered so far.
    std::string_view correlation{};
    std::string_view user{};
    std::string_view session{};
    Duration timeout{};
    std::uint64_t tokens_max = 0;  ///< 0: what is usual.
    Time now{};
    Priority priority = Priority::High;
};

/// What an agent's answer says.
struct Outcome {
    bool is_done = false;  ///< Wholly, or as far as it goes.
    bool is_partial = false;
    std::string_view output{};                  ///< JSON. Stands in the answer itself if it can.
    std::string made{};                         ///< Where it cannot.
    std::optional<std::uint32_t> confidence{};  ///< In thousandths.
    std::string code{};                         ///< Of a failure.
    std::string detail{};
    std::optional<bool> is_retryable{};
    std::string strategy{};  ///< What the agent says should be tried instead.
    std::uint64_t tokens_used = 0;
};

/// What an agent offers when several are asked.
struct Proposal {
    bool is_made = false;                       ///< Else it does not want the task.
    std::optional<std::uint64_t> cost{};        ///< In millionths of the currency.
    std::optional<Duration> time{};             ///< How long it would take.
    std::optional<std::uint32_t> confidence{};  ///< That it can, in thousandths.
};

/// One answer, made of those of several.
struct Joint {
    const Envelope& asked;
    std::string_view id{};
    std::string_view result{};  ///< JSON.
    Time now{};
    std::uint64_t tokens_used = 0;  ///< By all of them.
    std::string_view lack{};        ///< What is missing, in words; empty: nothing is.
};

/// Who would be given a request.
struct Taker {
    std::string_view agent{};
    Dialect dialect = Dialect::Kessel;
    std::string_view capabilities{};  ///< JSON: all that it has registered.
    std::string_view capability{};    ///< By which the hub found it; empty: by something else.
};

/// What a message says otherwise when it goes to somebody else. Empty: as it says now.
struct Redirection {
    std::string_view to{};
    std::string_view id{};
    std::string_view child_session{};  ///< Only where it names one.
};

/// Why somebody cannot be given it.
struct Unfit {
    Refusal refusal = Refusal::None;
    std::string detail{};
};

class Scribe {
  public:
    virtual ~Scribe() = default;
    /// Why its inputs are not what the capability takes; empty if they are.
    virtual std::string flaw(const Assignment& /*assignment*/) const { return {}; }
    /// What the taker's capability asks of a request, and this one does not keep.
    virtual Unfit unfit(const Envelope& /*request*/, const Taker& /*taker*/, Time /*now*/) const {
        return {};
    }
    /// Null, if what would be written is too large or too deep.
    virtual EnvelopePtr write(const Assignment& assignment) const = 0;
    virtual Outcome read(const Envelope& answer) const = 0;
    /// Something that is only said, and not answered. Null as above.
    virtual EnvelopePtr tell(const Assignment& news) const = 0;
    virtual EnvelopePtr readdress(const Envelope& message,
                                  const Redirection& redirection) const = 0;
    /// The same request with so many tokens to spend, wherever it says how many.
    virtual EnvelopePtr allot(const Envelope& request, std::uint64_t tokens) const = 0;
    virtual Proposal propose(const Envelope& answer) const = 0;
    /// Null as above.
    virtual EnvelopePtr join(const Joint& joint) const = 0;
    virtual ClaimPtr claim(const Envelope& request) const = 0;
    /// A request's text for somebody who is not given it yet: without what is kept from that one.
    virtual std::string quote(const Envelope& request, const Taker& /*reader*/) const {
        return std::string{request.body()};
    }
};

}  // namespace parlance
