// Handing over: recipients chosen by the hub, and requests passed on after a refusal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/human_task.h"

namespace parlance {

/// How a request to several agents is answered. The first three kinds choose one agent by proposal.
enum class CallKind : std::uint8_t { Earliest, Cheapest, Ablest, All };

/// A request that moves to the next agent if its recipient declines.
struct Passing {
    /// A task changes hands with the request; else the request asks for help.
    bool hands_over = false;
    std::vector<std::string> skills{};  ///< Capabilities required of the recipient.
    std::string wanted{};               ///< The recipient as written, if the hub chose the agent.
    std::string fallback{};             ///< The last recipient to try.
};
using PassingPtr = std::shared_ptr<const Passing>;

/// Recipients other than an agent: any capable agent, any agent with a capability or of a domain;
/// or several agents, all asked or one chosen.
constexpr std::string_view kAnyone = "anyone";
constexpr std::string_view kCapabilityPrefix = "capability:";
constexpr std::string_view kDomainPrefix = "domain:";
constexpr std::string_view kCallPrefix = "call:";
constexpr std::string_view kAllPrefix = "all:";

constexpr bool is_for_one_of_many(std::string_view recipient) {
    return recipient == kAnyone || recipient.starts_with(kCapabilityPrefix) ||
           recipient.starts_with(kDomainPrefix);
}
constexpr bool is_for_several(std::string_view recipient) {
    return recipient.starts_with(kCallPrefix) || recipient.starts_with(kAllPrefix);
}
/// The sender name of the hub's own answers.
constexpr std::string_view kHubName = "parlance";
/// True if no agent can have this name.
constexpr bool is_no_agent(std::string_view name) {
    return is_for_people(name) || is_for_one_of_many(name) || is_for_several(name);
}

}  // namespace parlance
