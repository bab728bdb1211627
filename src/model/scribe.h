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
#include "model/envelope.h"

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
    Time now{};
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
};

class Scribe {
  public:
    virtual ~Scribe() = default;
    /// Why its inputs are not what the capability takes; empty if they are.
    virtual std::string flaw(const Assignment& /*assignment*/) const { return {}; }
    /// Null, if what would be written is too large or too deep.
    virtual EnvelopePtr write(const Assignment& assignment) const = 0;
    virtual Outcome read(const Envelope& answer) const = 0;
};

}  // namespace parlance
