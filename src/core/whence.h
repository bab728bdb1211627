// Out of which request an agent asks or begins something: by what the hub gave it to do.
#pragma once

#include <string_view>

#include "core/core.h"

namespace parlance::core {

/// The request of this conversation that the agent holds, or null.
const broker::OpenRequest* find_held(const State& state,
                                     AgentHandle agent,
                                     std::string_view correlation);

/// Whether its target has been given the request.
bool is_in_hand(const State& state, Ticket request);

/// What somebody says about something that it begins.
struct Beginning {
    std::string_view by;
    std::string_view session;
    std::string_view correlation;
    std::string_view user;
};
/// The request that it belongs to: the one whose session, conversation or user it names, else the
/// deepest that its beginner has in hand for no other user. None: it stands for itself.
Ticket find_work(const State& state, const Beginning& beginning);

}  // namespace parlance::core
