// Lineage: the tree of delegations (who asked whom, for what, for which user) as the hub saw it
// grow.
//
// Nothing here is taken on a sender's word. A delegation stays on record while open, or while a
// delegation below is open; a delegation with a session stays until its root ends, so that later
// requests out of the session still stand below. A root remembers all delegation keys used in the
// tree.
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
#include "core/cold/cold_store.h"
#include "core/governor/budget.h"
#include "core/handles.h"
#include "core/words.h"
#include "model/event.h"

namespace parlance::core::governor {

struct Delegation {
    Ticket request;
    Ticket parent;  ///< None: asked out of the root's own session.
    Ticket root;
    AgentHandle origin = kNoAgent;
    AgentHandle target = kNoAgent;
    std::uint32_t depth = 1;
    std::uint32_t depth_max = 0;
    Time admitted_at{};
    Time deadline{};
    std::string user{};
    std::string session{};  ///< The target's.
    std::string objective_hash{};
    /// SHA-256 of the words alone, if the objective has more than words.
    std::string words_hash{};
    std::vector<std::string> tools{};
    bool limits_tools = false;  ///< Else the target may use all of its own tools.
    bool is_open = true;
    std::uint32_t open_children = 0;
    std::uint32_t children = 0;  ///< Children on record, open or not; counted, not kept.
    std::uint64_t tokens = 0;    ///< Reserved with all below; 0: founded the tree.
    std::uint64_t cost = 0;      ///< Reserved for the delegation alone.
    Budget below{};              ///< The children's share of `tokens`.
    bool is_granted = false;     ///< By a person: drawn from no other budget.
    bool is_planned = false;     ///< Asked by a plan: no further delegation once ended.
    bool is_kept = false;        ///< Ended, and on record until its root ends.
    bool is_tainted = false;     ///< Another user's sources were used, here or below.
};

/// A delegation key in use: requester, target and objective.
struct DelegationKey {
    AgentHandle origin = kNoAgent;
    AgentHandle target = kNoAgent;
    std::string objective_hash{};
    auto operator<=>(const DelegationKey&) const = default;
};

struct Root {
    Ticket number;  ///< Of the first delegation in the tree.
    std::string session{};
    AgentHandle origin = kNoAgent;
    std::string user{};          ///< The first user named; the whole tree is that user's.
    bool is_by_session = false;  ///< Known only by a session id: it ends when idle.
    std::uint32_t count = 0;     ///< Delegations on record in the tree,
    std::uint32_t open = 0;      ///< of which so many are open.
    std::uint32_t open_children = 0;
    Time ends_at{};            ///< While no delegation in the tree is open.
    std::uint64_t tokens = 0;  ///< Allowed to the whole tree; 0: no limit.
    std::uint64_t cost = 0;
    Budget budget{};
    Budget cost_budget{};
    std::set<DelegationKey>
        delegation_keys{};  ///< All keys ever used in the tree, except by a plan.
};

/// Whether requests of an agent at work in this tree stay in the tree, whatever their claim: so if
/// the tree began out of a session or for a user.
inline bool binds(const Root& root) { return root.is_by_session || !root.user.empty(); }

/// Delegations and roots as bytes: encoding.cc.
struct DelegationCodec {
    std::size_t pack(std::string& out, const Delegation& each) const;
    Delegation unpack(Ticket request, ByteReader& in) const;
    Delegation unpack(ByteReader& in, RecordEncoding encoding) const;  ///< As a snapshot has it.
    bool is_small(const Delegation& each) const;
};
struct RootCodec {
    std::size_t pack(std::string& out, const Root& root) const;
    Root unpack(Ticket number, ByteReader& in) const;
    Root unpack(ByteReader& in, RecordEncoding encoding) const;  ///< As a snapshot has it.
    bool is_small(const Root& root) const;
};

/// A root known by its session; the root holds the session's name.
struct RootName {
    std::uint64_t session_hash = 0;
    AgentHandle origin = kNoAgent;
    Ticket number{};
    auto operator<=>(const RootName&) const = default;
};

/// An open delegation by target; in this order an agent's deepest delegation comes first.
struct Work {
    AgentHandle agent = kNoAgent;
    std::uint32_t height = 0;  ///< The smaller, the deeper.
    Ticket request{};
    auto operator<=>(const Work&) const = default;
};

struct Lineage {
    ColdStore<Delegation, DelegationCodec> delegations;
    ColdStore<Root, RootCodec> roots;
    Accounts accounts;

    // Derived from the delegations and roots.
    SortedChunks<RootName> roots_by_session;
    /// Delegations by the hash of the session in which their target works.
    SortedChunks<std::pair<std::uint64_t, Ticket>> sessions;
    SortedChunks<std::pair<Ticket, Ticket>> children;  ///< By parent, on record.
    SortedChunks<Work> at_work;
    SortedChunks<std::pair<AgentHandle, Ticket>> limits;  ///< Those in `at_work` that limit tools.
    /// By root, delegations on record that have ended.
    SortedChunks<std::pair<Ticket, Ticket>> over;
    SortedChunks<std::pair<Time, Ticket>> idle;  ///< Roots without an open delegation.
};

Reading<Delegation> find_delegation(const Lineage& lineage, Ticket request);
Reading<Root> find_root(const Lineage& lineage, std::string_view session, AgentHandle origin);
/// The latest open delegation that works in this session; else the latest ended; else null.
Reading<Delegation> find_session(const Lineage& lineage, std::string_view session);
/// in_session(): the delegations that work or worked in a session. children_of(): the delegations
/// on record below a parent. over_in(): the ended delegations on record of a root. The oldest
/// first.
std::vector<Ticket> in_session(const Lineage& lineage, std::string_view session);
std::vector<Ticket> children_of(const Lineage& lineage, Ticket parent);
std::vector<Ticket> over_in(const Lineage& lineage, Ticket root);

bool is_at_work(const Lineage& lineage, AgentHandle agent);
bool works_on(const Lineage& lineage, AgentHandle agent, Ticket request);
/// The open delegations that limit the tools `agent` may use, in order of admission.
std::vector<Ticket> limits_of(const Lineage& lineage, AgentHandle agent);

/// The deepest open delegation of `agent` that passes `may_mean` and `fits`; null if none does.
/// Among equally deep delegations the fewest open children win, so that an agent with much work and
/// no claim is not held to the fan-out limit of a single delegation; then the oldest wins.
template <class MayMean, class Fits>
Reading<Delegation> find_deepest(const Lineage& lineage,
                                 AgentHandle agent,
                                 MayMean may_mean,
                                 Fits fits) {
    Reading<Delegation> deepest;
    // at_work has the deepest first.
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

/// The delegation key of a request that may be admitted.
struct DelegationKeyView {
    AgentHandle origin = kNoAgent;
    AgentHandle target = kNoAgent;
    std::string_view objective_hash{};
    std::string_view words_hash{};  ///< As in Delegation.
};
/// The roots known by this session, of any origin.
std::vector<Ticket> roots_named(const Lineage& lineage, std::string_view session);
/// Whether a delegation of another user works in this session or came out of it.
bool is_of_another(const Lineage& lineage, std::string_view session, std::string_view user);
bool is_taken(const Root& root, const DelegationKeyView& key);
/// Whether `each` already gave this objective to the target, or got it from the target. An
/// objective in words alone equals the same words with more: not every dialect has fields for more
/// than words.
bool is_round(const Delegation& each, const DelegationKeyView& key);
/// The delegation, from `last` up to the root, for which is_round() holds; null if none does.
Reading<Delegation> find_ring(const Lineage& lineage,
                              const Reading<Delegation>& last,
                              const DelegationKeyView& key);

/// The nearest of `parent` and the delegations above with tokens to give on; null: the tree's
/// budget is meant. An ended giver has no tokens left.
Reading<Delegation> budget_giver(const Lineage& lineage, Reading<Delegation> parent);
/// The delegation whose budget holds the reservation of a child of `parent`; null: the tree's
/// budget. The budget of an ended delegation passes to the delegation above; a person's grant stays
/// in place.
Reading<Delegation> budget_holder(const Lineage& lineage, Reading<Delegation> parent);

/// Facts that the record needs and the event leaves to the request.
struct Circumstances {
    AgentHandle origin = kNoAgent;
    AgentHandle target = kNoAgent;
    std::string_view target_name{};
    Time deadline{};
    Time now{};
    Duration budget_window{};
    bool may_repeat = false;  ///< A plan sets how often: its delegation keys are not remembered.
};
void found(Lineage& lineage, const DelegationFounded& event, const Circumstances& at);
void admit(Lineage& lineage, const DelegationAdmitted& event, const Circumstances& at);

/// Ends a delegation when its request has an answer. Does nothing if the request is on no record.
struct Ending {
    std::uint64_t tokens_used = 0;
    std::string_view target_name{};
    Time now{};
    Duration budget_window{};
    Duration root_idle{};
};
void end(Lineage& lineage, Ticket request, const Ending& ending);
/// Tokens charged for the delegation's own work, given its reported use; its children's tokens are
/// theirs.
std::uint64_t own_tokens(const Delegation& delegation, std::uint64_t tokens_used);
/// As own_tokens(); of a request on no record, the reported use.
std::uint64_t charged_tokens(const Lineage& lineage, Ticket request, std::uint64_t tokens_used);
/// Cost of the delegation's own work: the part of its reservation that own_tokens() is of its
/// tokens.
std::uint64_t cost_of(const Lineage& lineage, Ticket request, std::uint64_t tokens_used);
/// Gives a request to another agent. Does nothing if the request is on no record.
struct Retarget {
    AgentHandle target = kNoAgent;
    std::string_view name_before{};
    std::string_view name{};
    Time now{};
    Duration budget_window{};
    bool may_repeat = false;
    bool is_priced = false;  ///< By the new agent; else the cost stays.
    std::uint64_t cost = 0;
};
void retarget(Lineage& lineage, Ticket request, const Retarget& to);
void end_root(Lineage& lineage, Ticket number);
/// Marks a delegation, and all above it, as having used another user's sources.
void taint(Lineage& lineage, Ticket request);

/// Packs the delegations and roots not touched lately, beyond `awake_max`.
void tidy(Lineage& lineage, std::size_t awake_max);

/// Enters a delegation or a root into the derived indexes; also used after a snapshot was loaded.
void index(Lineage& lineage, const Delegation& delegation);
void index(Lineage& lineage, const Root& root);

}  // namespace parlance::core::governor
