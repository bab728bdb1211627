// The caller, as proved by the connection; never taken from a message's sender field.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace parlance {

/// Each role includes the rights of the previous role.
enum class OperatorRole : std::uint8_t { None, Viewer, Operator, Admin };

/// An agent, an operator or a user. Shared by all commands of one connection.
struct Caller {
    /// For an operator, the operator's name. Empty in --dev without credentials: the message's
    /// sender field counts.
    AgentId agent{};
    bool is_operator = false;  ///< May act for any agent.
    OperatorRole role = OperatorRole::None;
    std::string user{};                 ///< A user's own identity; excludes agent and operator.
    std::vector<std::string> users{};   ///< Users an agent may act for; "*" for all.
    std::vector<std::string> groups{};  ///< A person's roles; empty: none stated.
    std::string credential{};           ///< Proofs of identity, one per line; empty in --dev.
    Time until = Time::max();           ///< When the first proof expires.
};

/// True if the caller may act as this agent. In --dev an unnamed caller may.
inline bool may_act_for(const Caller& caller, std::string_view agent) {
    if (!caller.user.empty() || caller.role == OperatorRole::Viewer) return false;
    return caller.is_operator || caller.agent.value.empty() || caller.agent.value == agent;
}

/// True if the caller may read the agent's private data. Every operator may.
inline bool may_read_of(const Caller& caller, std::string_view agent) {
    return caller.role != OperatorRole::None || may_act_for(caller, agent);
}

/// True if the caller may act in the name of this user.
inline bool may_act_for_user(const Caller& caller, std::string_view user) {
    if (!caller.user.empty()) return caller.user == user;
    return std::ranges::any_of(caller.users, [&](const std::string& granted) {
        return granted == "*" || granted == user;
    });
}

}  // namespace parlance
