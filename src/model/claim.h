// The delegation claims in a request.
//
// Claims only: origin, depth, parent, user and budget come from the hub's own record. A claim can
// make limits stricter but never looser.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/ids.h"

namespace parlance {

struct Claim {
    std::string user{};
    std::string session{};        ///< The requester's own.
    std::string child_session{};  ///< Session for the target's work.
    std::string capability{};     ///< Where the dialect names a capability.
    /// Elsewhere: candidate names; a name counts if the target registered a capability so called.
    std::vector<std::string> words{};
    std::string objective{};  ///< As written.
    /// SHA-256 of the normalised objective, in hexadecimal; compared for equality.
    std::string objective_hash{};
    /// SHA-256 of the words alone, where the dialect's objective has further content: comparable
    /// with dialects that only have words. Empty: objective_hash covers words only. For an
    /// objective without further content, objective_hash begins with words_hash.
    std::string words_hash{};
    std::uint32_t depth = 0;
    std::uint32_t depth_max = 0;   ///< 0: not stated.
    std::uint64_t tokens_max = 0;  ///< 0: not stated.
    std::uint64_t tokens_estimated = 0;
    std::vector<std::string> tools{};  ///< Tools for the target.
    /// The request lists tools, even if none; else all tools of the target.
    bool limits_tools = false;
    /// Owners of the sources cited: a user's id, "user:ID", or a scope that belongs to no user.
    std::vector<std::string> owners{};
    bool has_session = false;  ///< The dialect threads delegations by sessions.
    // From the hub only, for a step of a workflow:
    Ticket parent{};          ///< The request that started the workflow.
    bool may_repeat = false;  ///< The plan bounds the repeats; a repeat is no cycle.
};
using ClaimPtr = std::shared_ptr<const Claim>;

}  // namespace parlance
