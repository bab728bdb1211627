// Handing over: recipients that the hub chooses, and what is passed on when somebody says no.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/person.h"

namespace parlance {

/// What is done with several who are asked at once. The first three choose one by its proposal.
enum class CallKind : std::uint8_t { Earliest, Cheapest, Ablest, All };

/// A request that goes on to somebody else if whoever has it says no.
struct Passing {
    bool hands_over = false;            ///< A task changes hands with it; else it asks for help.
    std::vector<std::string> skills{};  ///< Capabilities that its recipient must have.
    std::string wanted{};               ///< The recipient as it was written, if the hub chose one.
    std::string fallback{};             ///< Who is asked when nobody else is left.
};
using PassingPtr = std::shared_ptr<const Passing>;

/// Recipients that are no agent: whoever can, has a capability or is of a domain; several, of whom
/// one is chosen or each is asked.
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
/// Under which the hub itself speaks: what it says in nobody's place comes from this name.
constexpr std::string_view kHubName = "parlance";
/// Whether no agent can have this name.
constexpr bool is_no_agent(std::string_view name) {
    return is_for_people(name) || is_for_one_of_many(name) || is_for_several(name);
}

}  // namespace parlance
