// How the front desk says no: problem+json, with the same words everywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialects/dialects.h"
#include "model/refusal.h"
#include "transport/transport.h"

namespace parlance::gateway {

/// The id by which the sender knows what is refused: its message, or the request that it answers.
std::string_view subject_of(const dialects::Rejection& rejection);

transport::Response problem(Refusal refusal, std::string_view detail);
/// Of a message that could not be read: everything that is wrong with it, and the refusal once
/// more in the sender's own dialect.
transport::Response problem(const dialects::Rejection& rejection, Dialect dialect, Time now);
transport::Response problem(Refusal refusal,
                            std::string_view detail,
                            const std::vector<dialects::Problem>& problems,
                            std::string_view dialect_error,
                            std::uint64_t retry_after_ms = 0);
/// The refusal that fits what the door itself turned away.
transport::Response door_problem(int status, std::string_view what);

/// One item of a connection's "refused": what it is about, and why.
struct Refused {
    std::string_view message_id{};
    std::string_view delivery_id{};
    Refusal refusal = Refusal::None;
    std::string_view detail{};
    std::uint64_t retry_after_ms = 0;  ///< 0: not known; soon, if it is retryable.
    // For the same in the agent's own dialect:
    std::string_view about{};  ///< The request, if an answer is refused; else the message.
    std::string_view correlation{};
};
void append_refused(std::string& out, const Refused& refused, std::string_view dialect_error);

}  // namespace parlance::gateway
