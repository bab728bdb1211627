// The front desk's refusals: problem+json, with the same text on every route.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialects/dialects.h"
#include "model/refusal.h"
#include "transport/transport.h"

namespace parlance::gateway {

/// The id under which the sender knows the refused thing: the message, or the request that the
/// message answers.
std::string_view subject_of(const dialects::Rejection& rejection);

transport::Response problem(Refusal refusal, std::string_view detail);
/// The refusal of a message that could not be read, with all its flaws and with the refusal in the
/// sender's own dialect.
transport::Response problem(const dialects::Rejection& rejection, Dialect dialect, Time now);
transport::Response problem(Refusal refusal,
                            std::string_view detail,
                            const std::vector<dialects::Problem>& problems,
                            std::string_view dialect_error,
                            std::uint64_t retry_after_ms = 0);
/// The refusal of a request that the transport turned away.
transport::Response door_problem(int status, std::string_view what);

/// An item of a connection's "refused".
struct Refused {
    std::string_view message_id{};
    std::string_view delivery_id{};
    Refusal refusal = Refusal::None;
    std::string_view detail{};
    std::uint64_t retry_after_ms = 0;  ///< 0: not known; soon, if retryable.
    // For the refusal in the agent's own dialect:
    std::string_view about{};  ///< The request of a refused answer; else the message.
    std::string_view correlation{};
};
void append_refused(std::string& out, const Refused& refused, std::string_view dialect_error);

}  // namespace parlance::gateway
