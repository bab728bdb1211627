// What a request says about the delegation that it is.
//
// Claims only: origin, depth, parent, user and budget are the hub's own record, and a claim can
// make its limits stricter but never looser.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/ids.h"

namespace parlance {

struct Claim {
    std::string user{};
    std::string session{};        ///< The asker's own, out of which it asks.
    std::string child_session{};  ///< Where the target is to work on it.
    std::string capability{};     ///< Where the dialect names one.
    /// Elsewhere: what names one if the target has registered a capability that is called so.
    std::vector<std::string> words{};
    std::string objective{};       ///< As it was written.
    std::string objective_hash{};  ///< SHA-256 of it, folded: what is compared. Hexadecimal.
    /// The same of the words alone, where more is compared: what a dialect without more calls the
    /// same. Empty: it is the other one. If there is nothing but words, the other begins with it.
    std::string words_hash{};
    std::uint32_t depth = 0;
    std::uint32_t depth_max = 0;   ///< 0: it says none.
    std::uint64_t tokens_max = 0;  ///< 0: it says none.
    std::uint64_t tokens_estimated = 0;
    std::vector<std::string> tools{};  ///< What the target is to use.
    bool limits_tools = false;         ///< It says which, and be it none; else all that it may.
    /// Whose the sources are that it refers to: a user's id, "user:ID", or a scope that is
    /// nobody's.
    std::vector<std::string> owners{};
    bool has_session = false;  ///< Its dialect threads delegations by sessions.
    // What the hub alone says, of a step of a workflow.
    Ticket parent{};          ///< The request out of which the workflow was started.
    bool may_repeat = false;  ///< The plan says how often; the same twice is no cycle.
};
using ClaimPtr = std::shared_ptr<const Claim>;

}  // namespace parlance
