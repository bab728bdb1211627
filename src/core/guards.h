// The guards of the governor: each looks at one request, and says whether it may be made. They read
// the record and change nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/admission.h"
#include "core/whence.h"

namespace parlance::core {

/// What becomes of an offer's own share of the purses when it is accepted.
struct Settlement {
    Ticket root{};                   ///< The tree that it is in.
    std::uint64_t tokens = 0;        ///< Set aside for it,
    std::uint64_t tokens_spent = 0;  ///< and gone of that.
    std::uint64_t cost = 0;
    std::uint64_t cost_spent = 0;
    std::uint64_t tokens_used = 0;  ///< As it says: an allocation is charged with all of it.
};

/// A request and what the record says about where it comes from.
struct Case {
    const State& state;
    const Caller* caller;
    const Envelope& envelope;
    const Claim& claim;
    Time now;
    AgentHandle origin;
    AgentHandle target;
    Subject subject;  ///< Whom a limit on asking is about.

    Place at{};
    ClaimPtr founder{};  ///< What a parent that is on no record yet says of itself.
    std::string user{};
    std::uint32_t depth = 1;
    std::uint32_t depth_max = 0;
    std::uint64_t tokens = 0;  ///< What it says that it may spend, else what is usual.
    std::uint64_t cost = 0;
    std::uint64_t cost_before = 0;           ///< Of one that moves: what is set aside already.
    Ticket out_of{};                         ///< The hub's own word on where it stands.
    bool has_claim = false;                  ///< Else what it claims is nobody's word.
    Beside beside{};                         ///< What draws on the same purses at this moment.
    bool is_taken = false;                   ///< Of one that moves: its target has said so,
    Settlement settled{};                    ///< and this is what its offer leaves by that.
    std::vector<LookedUp>* rules = nullptr;  ///< For who wants to know by which it is judged.

    std::int64_t limit(Rule rule, const Subject& whose) const {
        if (rules == nullptr) return limit_of(state.governor.policy, rule, whose);
        rules->push_back({rule, ruling(state.governor.policy, rule, whose)});
        return rules->back().ruling.value;
    }
    std::int64_t limit(Rule rule) const { return limit(rule, subject); }
    /// Whether what is asked beside it comes to stand in the same tree.
    bool is_in_one_tree() const {
        return at.parent != nullptr || at.root != nullptr || at.unfounded != nullptr ||
               claim.has_session;
    }
    std::string_view name(AgentHandle agent) const { return state.registry.agents[agent].id.value; }
    /// Whom the asker itself works for.
    std::string_view principal() const {
        if (at.parent != nullptr) return name(at.parent->origin);
        return at.unfounded != nullptr ? at.unfounded->asked->from() : std::string_view{};
    }
};

/// What a guard says.
struct Word {
    Refusal refusal = Refusal::None;
    std::string detail{};
    std::uint32_t approvals_needed = 0;  ///< People may let it pass; 0: nobody may.
    std::uint64_t retry_after_ms = 0;    ///< Time will let it pass; 0: it will not.
};

struct Guard {
    std::string_view name;
    Word (*check)(const Case& the);
    bool is_for_all = false;    ///< Also for a request that is in no tree.
    bool is_of_purses = false;  ///< People who let it pass give what the purses have not.
};

/// Of a request that comes, in this order: who, then where in the tree, then with what.
std::span<const Guard> guards();

/// Of one that goes to another agent than it was admitted for.
std::span<const Guard> guards_of_moves();

/// Finds whose it is, how deep, and what it puts at stake, by where it stands.
void measure(Case& the);

/// What it may cost by its target's price.
std::uint64_t cost_for(const Case& the);

/// How long somebody is to wait: never 0, which says that time alone does not help.
std::uint64_t milliseconds(Duration duration);

/// Why one may not ask the other.
std::string chain_words(std::string_view from, std::string_view to);

/// When so many are taken that are too many for this minute, in words.
std::string when_taken(std::uint64_t count, std::uint64_t retry_after_ms);

}  // namespace parlance::core
