// Who asked whom to do what for whom: the tree of delegations as the hub itself saw it grow.
//
// Nothing here is believed from a sender. A delegation stays on record while it is open, or
// anything below it is; one that has a session also after that, until its root ends, so that what
// is asked out of the session later still stands below it. So long the root keeps which errands
// were given, too.
//
//   root ─┬─ delegation (depth 1) ─┬─ delegation (depth 2)
//         │                        └─ …
//         └─ delegation (depth 1)
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sorted_chunks.h"
#include "base/time.h"
#include "core/chest.h"
#include "core/governor/purse.h"
#include "core/handles.h"
#include "core/words.h"
#include "model/event.h"

namespace parlance::core::governor {

struct Delegation {
    Ticket request;
    Ticket parent;  ///< None: it comes out of the root's own session.
    Ticket root;
    AgentHandle origin = kNoAgent;
    AgentHandle target = kNoAgent;
    std::uint32_t depth = 1;
    std::uint32_t depth_max = 0;
    Time admitted_at{};
    Time deadline{};
    std::string user{};
    std::string session{};  ///< Where the target works on it.
    std::string objective_hash{};
    std::string words_hash{};  ///< Of its words alone, where the objective has more in it.
    std::vector<std::string> tools{};
    bool limits_tools = false;  ///< Else all that the target may use.
    bool is_open = true;
    std::uint32_t open_children = 0;
    std::uint32_t children = 0;  ///< Those on record, open or not; counted, not kept.
    std::uint64_t tokens = 0;    ///< Set aside for it and all below; 0: it founded the tree.
    std::uint64_t cost = 0;      ///< Set aside for it alone.
    Purse below{};               ///< What its children have of that.
    bool is_granted = false;     ///< By a person: nothing of it comes out of another purse.
    bool is_planned = false;     ///< Asked by a plan: nobody asks out of it once it is over.
    bool is_kept = false;        ///< It is over, and stays on record until its root ends.
    bool is_tainted = false;     ///< What is another user's was used for it, by whoever did it.
};

/// An errand that was given: who asked whom for what.
struct GivenErrand {
    AgentHandle origin = kNoAgent;
    AgentHandle target = kNoAgent;
    std::string objective_hash{};
    auto operator<=>(const GivenErrand&) const = default;
};

struct Root {
    Ticket number;  ///< Of the first delegation in it.
    std::string session{};
    AgentHandle origin = kNoAgent;
    std::string user{};          ///< The first that was named; all of it is that one's.
    bool is_by_session = false;  ///< Known only by the id of a session: it ends when it is idle.
    std::uint32_t count = 0;     ///< Delegations on record in it,
    std::uint32_t open = 0;      ///< and those of them that are open.
    std::uint32_t open_children = 0;
    Time ends_at{};            ///< While nothing of it is open.
    std::uint64_t tokens = 0;  ///< What all of it may spend; 0: no limit.
    std::uint64_t cost = 0;
    Purse purse{};
    Purse cost_purse{};
    std::set<GivenErrand> errands{};  ///< All that was ever asked in it and not by a plan.
};

/// Whether who works in it stays in it, whatever else it says: it was begun out of a session or for
/// a user.
inline bool binds(const Root& root) { return root.is_by_session || !root.user.empty(); }

/// Both as bytes: packing.cc.
struct DelegationCodec {
    std::size_t pack(std::string& out, const Delegation& each) const;
    Delegation unpack(Ticket request, ByteReader& in) const;
    Delegation unpack(ByteReader& in, Packing packing) const;  ///< As a snapshot has it.
    bool is_small(const Delegation& each) const;
};
struct RootCodec {
    std::size_t pack(std::string& out, const Root& root) const;
    Root unpack(Ticket number, ByteReader& in) const;
    Root unpack(ByteReader& in, Packing packing) const;  ///< As a snapshot has it.
    bool is_small(const Root& root) const;
};

/// A root that is known by its session; which session, its root says.
struct RootName {
    std::uint64_t session_hash = 0;
    AgentHandle origin = kNoAgent;
    Ticket number{};
    auto operator<=>(const RootName&) const = default;
};

/// An open delegation among those its target works on, the deepest first.
struct Work {
    AgentHandle agent = kNoAgent;
    std::uint32_t height = 0;  ///< The less, the deeper.
    Ticket request{};
    auto operator<=>(const Work&) const = default;
};

struct Lineage {
    Chest<Delegation, DelegationCodec> delegations;
    Chest<Root, RootCodec> roots;
    Accounts accounts;

    // Found again from the two above.
    SortedChunks<RootName> roots_by_session;
    /// Which delegations work in each, by the hash of its name.
    SortedChunks<std::pair<std::uint64_t, Ticket>> sessions;
    SortedChunks<std::pair<Ticket, Ticket>> children;  ///< Of each delegation, on record.
    SortedChunks<Work> at_work;
    SortedChunks<std::pair<AgentHandle, Ticket>> limits;  ///< Of these, those that limit tools.
    SortedChunks<std::pair<Ticket, Ticket>> over;  ///< Of each root, those on record that ended.
    SortedChunks<std::pair<Time, Ticket>> idle;    ///< Roots of which nothing is open.
};

Reading<Delegation> find_delegation(const Lineage& lineage, Ticket request);
Reading<Root> find_root(const Lineage& lineage, std::string_view session, AgentHandle origin);
/// The last delegation that works in this session; if none does, the last that did; or null.
Reading<Delegation> find_session(const Lineage& lineage, std::string_view session);
/// All that work or worked in it, all that were delegated out of one, and all of a root that are
/// over and on record; the oldest first.
std::vector<Ticket> in_session(const Lineage& lineage, std::string_view session);
std::vector<Ticket> children_of(const Lineage& lineage, Ticket parent);
std::vector<Ticket> over_in(const Lineage& lineage, Ticket root);

bool is_at_work(const Lineage& lineage, AgentHandle agent);
bool works_on(const Lineage& lineage, AgentHandle agent, Ticket request);
/// Of the open delegations that `agent` works on those that say which tools it may use for them,
/// in the order in which they came.
std::vector<Ticket> limits_of(const Lineage& lineage, AgentHandle agent);

/// The deepest open delegation that `agent` works on, that may be meant and that fits; null if none
/// is. Of equally deep ones that with the fewest open children, so that who works on many things
/// and names none is not held to the breadth of one; then the oldest.
template <class MayMean, class Fits>
Reading<Delegation> find_deepest(const Lineage& lineage,
                                 AgentHandle agent,
                                 MayMean may_mean,
                                 Fits fits) {
    Reading<Delegation> deepest;
    // The deepest come first.
    auto at = lineage.at_work.lower_bound({.agent = agent});
    for (; at != lineage.at_work.end() && at->agent == agent; ++at) {
        if (!may_mean(at->request)) continue;
        auto each = lineage.delegations.at(at->request);
        if (deepest != nullptr && each->depth < deepest->depth) break;
        const bool is_better = deepest == nullptr || each->open_children < deepest->open_children;
        if (is_better && fits(*each)) deepest = std::move(each);
    }
    return deepest;
}

/// An errand that may be given.
struct Errand {
    AgentHandle origin = kNoAgent;
    AgentHandle target = kNoAgent;
    std::string_view objective_hash{};
    std::string_view words_hash{};  ///< As a delegation has it.
};
/// The roots that go by this session, whoever asks out of it.
std::vector<Ticket> roots_named(const Lineage& lineage, std::string_view session);
/// Whether another user's delegation works in this session or came out of it.
bool is_of_another(const Lineage& lineage, std::string_view session, std::string_view user);
bool is_taken(const Root& root, const Errand& errand);
/// Whether the target has this objective by the delegation already, as who gave it or who got it.
/// What is told in words alone is the same as what is called so and has more in it: not every
/// dialect has a place for the rest.
bool is_round(const Delegation& each, const Errand& errand);
/// The delegation, from `last` up to the root, of which that is so; null if there is none.
Reading<Delegation> find_ring(const Lineage& lineage,
                              const Reading<Delegation>& last,
                              const Errand& errand);

/// The delegation by which `parent`, or who is above it, was given tokens to give on; null: the
/// tree's own are meant. One that is over has none left.
Reading<Delegation> purse_giver(const Lineage& lineage, Reading<Delegation> parent);
/// In whose purse stands what a child of `parent` has set aside; null: in the tree's own. Who is
/// over has left that to who is above; what a person gave stays where it is.
Reading<Delegation> purse_holder(const Lineage& lineage, Reading<Delegation> parent);

/// What the record needs and the event leaves to the request.
struct Circumstances {
    AgentHandle origin = kNoAgent;
    AgentHandle target = kNoAgent;
    std::string_view target_name{};
    Time deadline{};
    Time now{};
    Duration budget_window{};
    bool may_repeat = false;  ///< A plan says how often: which errands it gave need not be known.
};
void found(Lineage& lineage, const DelegationFounded& event, const Circumstances& at);
void admit(Lineage& lineage, const DelegationAdmitted& event, const Circumstances& at);

/// The request has its answer. Nothing, if it is on no record.
struct Ending {
    std::uint64_t tokens_used = 0;
    std::string_view target_name{};
    Time now{};
    Duration budget_window{};
    Duration root_idle{};
};
void end(Lineage& lineage, Ticket request, const Ending& ending);
/// What its own work spends if it used so many tokens: what those below it have is theirs.
std::uint64_t own_tokens(const Delegation& delegation, std::uint64_t tokens_used);
/// The same of a request that may be on no record: what it says is then all that is known.
std::uint64_t charged_tokens(const Lineage& lineage, Ticket request, std::uint64_t tokens_used);
/// What its own work costs if it used so many tokens: of what was set aside for it, that part.
std::uint64_t cost_of(const Lineage& lineage, Ticket request, std::uint64_t tokens_used);
/// Another agent has the request. Nothing, if it is on no record.
struct Retarget {
    AgentHandle target = kNoAgent;
    std::string_view name_before{};
    std::string_view name{};
    Time now{};
    Duration budget_window{};
    bool may_repeat = false;
    bool is_priced = false;  ///< By the new one; else the cost stays what it was.
    std::uint64_t cost = 0;
};
void retarget(Lineage& lineage, Ticket request, const Retarget& to);
void end_root(Lineage& lineage, Ticket number);
/// Another user's sources were used for it, and so for all that it was asked for.
void taint(Lineage& lineage, Ticket request);

/// Lets what was not touched for a while rest.
void tidy(Lineage& lineage, std::size_t awake_max);

/// Puts a delegation or a root, as a snapshot has it, into what is found by.
void index(Lineage& lineage, const Delegation& delegation);
void index(Lineage& lineage, const Root& root);

}  // namespace parlance::core::governor
