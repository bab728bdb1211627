// Whether a mailbox has room for one more message: asked when it is sent, and of a request that
// people approve first when they have.
#pragma once

#include <string>

#include "core/core.h"

namespace parlance::core {

/// Why the agent's mailbox cannot hold the message; empty if it can.
std::string lack_in_mailbox(const State& state, AgentHandle agent, const SendMessage& send);

}  // namespace parlance::core
