// Who asks, as the connection proved it; not what a message says about its sender.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace parlance {

/// What an operator may do; each may do what those before it may.
enum class OperatorRole : std::uint8_t { None, Viewer, Operator, Admin };

/// Shared by all commands of one connection. It is an agent, an operator or a user.
struct Caller {
    /// An operator's own name, if it is one. Empty in --dev when nothing was said: the message's
    /// own sender.
    AgentId agent{};
    bool is_operator = false;  ///< May act for any agent.
    OperatorRole role = OperatorRole::None;
    std::string user{};                 ///< A user's own identity; then it is nobody else.
    std::vector<std::string> users{};   ///< Whom an agent may act for; "*" for all.
    std::vector<std::string> groups{};  ///< The roles of a person; none: not said.
    std::string credential{};           ///< By what it was proved, each in a line; empty in --dev.
    Time until = Time::max();           ///< When the first of that ends.
};

/// Whether the caller may speak and act as this agent. In --dev an unnamed caller may.
inline bool may_act_for(const Caller& caller, std::string_view agent) {
    if (!caller.user.empty() || caller.role == OperatorRole::Viewer) return false;
    return caller.is_operator || caller.agent.value.empty() || caller.agent.value == agent;
}

/// Whether it may see what is the agent's alone. Every operator may.
inline bool may_read_of(const Caller& caller, std::string_view agent) {
    return caller.role != OperatorRole::None || may_act_for(caller, agent);
}

/// Whether it may act in the name of this user.
inline bool may_act_for_user(const Caller& caller, std::string_view user) {
    if (!caller.user.empty()) return caller.user == user;
    return std::ranges::any_of(caller.users, [&](const std::string& granted) {
        return granted == "*" || granted == user;
    });
}

}  // namespace parlance
