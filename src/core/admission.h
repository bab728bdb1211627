// Decides whether a request may be made: runs the governor's guards in turn, and prepares the
// events to record if all of them let the request pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/core.h"

namespace parlance::core {

/// A rule that a guard looked up.
struct LookedUp {
    Rule rule;
    Ruling ruling{};
};

/// The question put to a guard and its verdict.
struct Finding {
    std::string_view guard;
    Refusal refusal = Refusal::None;
    std::string detail{};  ///< Why not; if the guard let the request pass, by how much.
    /// When the guard would let the request pass; 0: time alone does not help.
    std::uint64_t retry_after_ms = 0;
    std::uint32_t approvals_needed = 0;  ///< So many people may let the request pass all the same.
    bool is_asked = true;                ///< Else the detail says why the guard was not asked.
    std::vector<LookedUp> rules{};       ///< Filled only if the caller wants an explanation.
};

/// The guard asked of every message, and of every other command by which an agent sets others to
/// work: has the sender sent too many in this minute? `count` is how many would be added.
Finding check_messages(const State& state,
                       const Subject& sender,
                       Time now,
                       std::uint64_t count = 1,
                       bool explains = false);

/// The first source owner known as a user other than `user`; empty if none. An owner not marked as
/// a user counts as one if the hub keeps anything of a user of the same name: "company" does not.
std::string_view foreign_owner(const State& state,
                               const std::vector<std::string>& owners,
                               std::string_view user);

/// Refusal text: `what` belongs to a user other than `user`, or no user is named.
std::string not_of_user(std::string_view what, std::string_view user);

/// True if the session is kept for another user, also if nobody works in that session now (K23).
bool is_kept_for_another(const State& state, std::string_view session, std::string_view user);

/// Which allocation of the agent is used up, in words; empty if the agent may be asked (T15).
std::string allocation_spent(const State& state, std::string_view agent);

struct Admission {
    Refusal refusal = Refusal::None;
    std::string detail{};
    std::uint32_t approvals_needed = 0;  ///< So many people can let the request through, or did.
    std::uint64_t retry_after_ms = 0;    ///< When the request would be let through; 0: unknown.
    /// The parent request, if any.
    Ticket parent{};
    /// Of a held request: its user, by the tree if the request names none.
    std::string user{};
    /// Of a held request: the tokens that people are asked for.
    std::uint64_t tokens = 0;
    Time deadline_max = Time::max();
    std::optional<DelegationFounded> founded{};
    std::optional<DelegationAdmitted> admitted{};
};

/// People's approval of a held request: the guards that ask people let the request pass.
struct Approval {
    Ticket request;
    Ticket parent{};  ///< As found when the request came.
    /// Granted by people, and also in the claim; 0: people named no number.
    std::uint64_t tokens = 0;
};

/// Requests made at the same moment from the same position, and not on record yet.
struct Beside {
    std::uint32_t count = 0;
    std::uint64_t tokens = 0;
    std::uint64_t cost = 0;
    std::uint64_t rated = 0;  ///< Requests counted in the user's minute, including this request.
};

/// The outcome of a message, if it were sent now.
struct Explanation {
    Refusal refusal = Refusal::None;
    std::string detail{};
    std::uint64_t retry_after_ms = 0;
    /// The message would be accepted, and wait for so many people.
    std::uint32_t approvals_needed = 0;
    /// The message came before, and would get the outcome of the first.
    bool is_repeat = false;
    std::vector<Finding> findings{};  ///< Each guard asked, up to the refusing guard.
};
/// Runs the send decision, with each guard's verdict noted; no event of the decision is kept.
Explanation explain(const State& state, const Stamped& cause, const SendMessage& send);

/// The governor's verdict on a request to be accepted under the ticket of `sequence`. `findings`,
/// if given, gets a line for each guard up to the refusing guard.
Admission admission(const State& state,
                    const Stamped& cause,
                    const SendMessage& send,
                    Sequence sequence,
                    std::vector<Finding>* findings = nullptr,
                    const Approval* approval = nullptr,
                    const Beside& beside = {});

/// The verdict of guards_of_moves() on giving an open request to another agent. The request keeps
/// its position in the tree and the reservations there.
struct Move {
    Refusal refusal = Refusal::None;
    std::string detail{};
    bool is_priced = false;  ///< The request is in a tree: `cost` is by the new target's price.
    std::uint64_t cost = 0;
};
/// The target accepts the offer of the task now, which settles the reservation of the offer itself.
struct Taken {
    Ticket offer{};  ///< None: nothing is accepted.
    std::uint64_t tokens_used = 0;
};
Move check_move(
    const State& state, Ticket request, std::string_view to, Time now, const Taken& taken = {});

}  // namespace parlance::core
