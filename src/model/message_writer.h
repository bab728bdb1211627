// The message writer: writes the hub's own messages to agents, and reads agents' answers.
//
// The core knows no dialect and gets a MessageWriter that does. All functions are pure, and their
// results are recorded, so that replay never calls a MessageWriter.
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
    std::string_view capabilities{};  ///< JSON: all registered capabilities of the recipient.
    std::string_view objective{};
    std::string_view inputs{};   ///< JSON.
    std::string_view context{};  ///< JSON: results gathered so far.
    std::string_view correlation{};
    std::string_view user{};
    std::string_view session{};
    Duration timeout{};
    std::uint64_t tokens_max = 0;  ///< 0: the default.
    Time now{};
    Priority priority = Priority::High;
};

/// The content of an agent's answer.
struct Outcome {
    bool is_done = false;  ///< Wholly or in part.
    bool is_partial = false;
    std::string_view output{};                  ///< JSON. Points into the answer if possible.
    std::string made{};                         ///< Storage for `output` if not.
    std::optional<std::uint32_t> confidence{};  ///< In thousandths.
    std::string code{};                         ///< Of a failure.
    std::string detail{};
    std::optional<bool> is_retryable{};
    std::string strategy{};  ///< The capability suggested for a retry.
    std::uint64_t tokens_used = 0;
};

/// An agent's bid in a call for proposals.
struct Proposal {
    bool is_made = false;                       ///< Else the agent does not want the task.
    std::optional<std::uint64_t> cost{};        ///< In millionths of the currency.
    std::optional<Duration> time{};             ///< Until done.
    std::optional<std::uint32_t> confidence{};  ///< In thousandths.
};

/// One answer joined from the answers of several agents.
struct Joint {
    const Envelope& asked;
    std::string_view id{};
    std::string_view result{};  ///< JSON.
    Time now{};
    std::uint64_t tokens_used = 0;  ///< By all agents.
    std::string_view lack{};        ///< The gap, in words; empty: none.
};

/// A possible recipient of a request.
struct Taker {
    std::string_view agent{};
    Dialect dialect = Dialect::Kessel;
    std::string_view capabilities{};  ///< JSON: all registered capabilities of the agent.
    std::string_view capability{};  ///< By which the hub chose the agent; empty: chosen otherwise.
};

/// Changes to a message for a new recipient. Empty: unchanged.
struct Redirection {
    std::string_view to{};
    std::string_view id{};
    std::string_view child_session{};  ///< Only where the message names a session.
};

/// Why a request cannot go to a Taker.
struct Unfit {
    Refusal refusal = Refusal::None;
    std::string detail{};
};

class MessageWriter {
  public:
    virtual ~MessageWriter() = default;
    /// Why the inputs violate the capability's schema; empty: valid.
    virtual std::string flaw(const Assignment& /*assignment*/) const { return {}; }
    /// How a request violates the taker's capability.
    virtual Unfit unfit(const Envelope& /*request*/, const Taker& /*taker*/, Time /*now*/) const {
        return {};
    }
    /// Null if the message would be too large or too deep.
    virtual EnvelopePtr write(const Assignment& assignment) const = 0;
    virtual Outcome read(const Envelope& answer) const = 0;
    /// Writes a one-way message. Null as for write().
    virtual EnvelopePtr tell(const Assignment& news) const = 0;
    virtual EnvelopePtr readdress(const Envelope& message,
                                  const Redirection& redirection) const = 0;
    /// The same request with a new token budget, wherever the message states the budget.
    virtual EnvelopePtr allot(const Envelope& request, std::uint64_t tokens) const = 0;
    virtual Proposal propose(const Envelope& answer) const = 0;
    /// Null as for write().
    virtual EnvelopePtr join(const Joint& joint) const = 0;
    virtual ClaimPtr claim(const Envelope& request) const = 0;
    /// A request's text as shown to a possible recipient: without the data hidden from the reader.
    virtual std::string quote(const Envelope& request, const Taker& /*reader*/) const {
        return std::string{request.body()};
    }
};

}  // namespace parlance
