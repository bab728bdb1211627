// Checks whether a mailbox has room for one more message: on sending or, for a held request, on
// approval.
#pragma once

#include <string>

#include "core/core.h"

namespace parlance::core {

/// Why the agent's mailbox cannot hold the message; empty if it can.
std::string lack_in_mailbox(const State& state, AgentHandle agent, const SendMessage& send);

}  // namespace parlance::core
