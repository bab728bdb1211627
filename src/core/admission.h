// Whether a request may be made: each guard of the governor in turn, and what is on record if all
// let it pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/core.h"

namespace parlance::core {

/// A rule that a guard went by.
struct LookedUp {
    Rule rule;
    Ruling ruling{};
};

/// What a guard was asked and said.
struct Finding {
    std::string_view guard;  ///< Its name.
    Refusal refusal = Refusal::None;
    std::string detail{};              ///< Why not; of one that let it pass, by how much.
    std::uint64_t retry_after_ms = 0;  ///< When it would let it pass; 0: time alone does not help.
    std::uint32_t approvals_needed = 0;  ///< So many people may let it pass all the same.
    bool is_asked = true;                ///< Else the detail says why not.
    std::vector<LookedUp> rules{};       ///< Only where somebody wants an explanation.
};

/// What is asked of any message, whatever it says, and of all else by which an agent sets others to
/// work: that its sender has not sent too many, with so many that are counted if it is taken.
Finding check_messages(const State& state,
                       const Subject& sender,
                       Time now,
                       std::uint64_t count = 1,
                       bool explains = false);

/// The first of these owners of sources that is another user than this one; empty if none is. Who
/// is not said to be a user is one if the hub keeps anything of such a user: "company" is nobody.
std::string_view foreign_owner(const State& state,
                               const std::vector<std::string>& owners,
                               std::string_view user);

/// Why what is another user's is not for this one; without a user, that there is none.
std::string not_of_user(std::string_view what, std::string_view user);

/// Whether the session is kept for another user, also if nobody works in it now (K23).
bool is_kept_for_another(const State& state, std::string_view session, std::string_view user);

/// Of which allocation of the agent nothing is left, in words; empty if it may be asked (T15).
std::string allocation_spent(const State& state, std::string_view agent);

struct Admission {
    Refusal refusal = Refusal::None;
    std::string detail{};
    std::uint32_t approvals_needed = 0;  ///< By so many people it can be let through all the same,
                                         ///< or is.
    std::uint64_t retry_after_ms = 0;    ///< When it would be let through; 0: nobody knows.
    Ticket parent{};                     ///< Out of which it is delegated, if it is.
    std::string user{};                  ///< Of what people decide on: whose it is, by the tree if
                                         ///< not by its own word.
    std::uint64_t tokens = 0;            ///< And what they are asked for.
    Time deadline_max = Time::max();
    std::optional<DelegationFounded> founded{};
    std::optional<DelegationAdmitted> admitted{};
};

/// What people said to a request that was held: the guards that ask them let it pass.
struct Approval {
    Ticket request;
    Ticket parent{};           ///< As it was found when it came.
    std::uint64_t tokens = 0;  ///< Given to it to spend, as its claim says; 0: none by themselves.
};

/// What is asked beside a request at the same moment, out of the same place, and not on record yet.
struct Beside {
    std::uint32_t count = 0;
    std::uint64_t tokens = 0;
    std::uint64_t cost = 0;
    std::uint64_t rated = 0;  ///< How many count in the minute of its user if it is taken.
};

/// What would become of a message that is brought now.
struct Explanation {
    Refusal refusal = Refusal::None;
    std::string detail{};
    std::uint64_t retry_after_ms = 0;
    std::uint32_t approvals_needed = 0;  ///< It would be accepted, and wait for so many people.
    bool is_repeat = false;              ///< It came before, and would get that outcome.
    std::vector<Finding> findings{};     ///< Each guard that was asked, up to the one that refuses.
};
/// The decision itself, with somebody who takes down what each guard says; nothing comes of it.
Explanation explain(const State& state, const Stamped& cause, const SendMessage& send);

/// Of a request that would be accepted under the ticket of `sequence`. `findings`, if it is asked
/// for, gets a line for each guard up to the one that refuses.
Admission admission(const State& state,
                    const Stamped& cause,
                    const SendMessage& send,
                    Sequence sequence,
                    std::vector<Finding>* findings = nullptr,
                    const Approval* approval = nullptr,
                    const Beside& beside = {});

/// What the guards say to an open request that would go from who has it to another agent: those
/// that look at whose it is to do. Where it stands in its tree, and what is set aside for it there,
/// stays as it was admitted.
struct Move {
    Refusal refusal = Refusal::None;
    std::string detail{};
    bool is_priced = false;  ///< It is in a tree: what it may cost is by the other one's price.
    std::uint64_t cost = 0;
};
/// The agent says now that it takes what it was offered: that settles what was set aside for the
/// offer itself.
struct Taken {
    Ticket offer{};  ///< None: it says nothing.
    std::uint64_t tokens_used = 0;
};
Move check_move(
    const State& state, Ticket request, std::string_view to, Time now, const Taken& taken = {});

}  // namespace parlance::core
