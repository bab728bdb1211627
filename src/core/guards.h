// The guards of the governor: each checks one request and says whether the request may be made.
// Guards read the state and change nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/admission.h"
#include "core/tree_position.h"

namespace parlance::core {

/// How an accepted offer's own reservation is settled.
struct Settlement {
    Ticket root{};                   ///< The tree of the offer.
    std::uint64_t tokens = 0;        ///< Reserved for the offer,
    std::uint64_t tokens_spent = 0;  ///< and spent of that.
    std::uint64_t cost = 0;
    std::uint64_t cost_spent = 0;
    /// As the answer reports: an allocation is charged with all of them.
    std::uint64_t tokens_used = 0;
};

/// A request and its recorded origin.
struct GuardInput {
    const State& state;
    const Caller* caller;
    const Envelope& envelope;
    const Claim& claim;
    Time now;
    AgentHandle origin;
    AgentHandle target;
    Subject subject;  ///< Who is limited by limits on asking.

    TreePosition at{};
    ClaimPtr founder{};  ///< The claim of a parent that is in no tree yet.
    std::string user{};
    std::uint32_t depth = 1;
    std::uint32_t depth_max = 0;
    std::uint64_t tokens = 0;  ///< As claimed, else the usual number.
    std::uint64_t cost = 0;
    std::uint64_t cost_before = 0;  ///< Of a moving request: already reserved for it.
    Ticket out_of{};                ///< The parent that the hub itself names.
    bool has_claim = false;         ///< False: `claim` was left empty by the sender.
    /// Simultaneous requests on the same budgets.
    Beside beside{};
    bool is_taken = false;            ///< Of a moving request: the target has accepted it,
    Settlement settled{};             ///< and the offer's reservation is settled like this.
    Subject subject_before{};         ///< Of a moving request: the present holder,
    std::uint64_t tokens_before = 0;  ///< and the tokens that the holder may spend.
    /// Set when the caller wants to know the rules looked up.
    std::vector<LookedUp>* rules = nullptr;

    std::int64_t limit(Rule rule, const Subject& whose) const {
        if (rules == nullptr) return limit_of(state.governor.policy, rule, whose);
        rules->push_back({rule, ruling(state.governor.policy, rule, whose)});
        return rules->back().ruling.value;
    }
    std::int64_t limit(Rule rule) const { return limit(rule, subject); }
    /// True if the requests in `beside` join the same tree as this request.
    bool is_in_one_tree() const {
        return at.parent != nullptr || at.root != nullptr || at.unfounded != nullptr ||
               claim.has_session;
    }
    std::string_view name(AgentHandle agent) const { return state.registry.agents[agent].id.value; }
    /// The agent that the requester itself works for.
    std::string_view principal() const {
        if (at.parent != nullptr) return name(at.parent->origin);
        return at.unfounded != nullptr ? at.unfounded->asked->from() : std::string_view{};
    }
};

struct GuardVerdict {
    Refusal refusal = Refusal::None;
    std::string detail{};
    /// So many people may let the request pass; 0: people may not.
    std::uint32_t approvals_needed = 0;
    std::uint64_t retry_after_ms = 0;  ///< When the request would pass; 0: time does not help.
};

struct Guard {
    std::string_view name;
    GuardVerdict (*check)(const GuardInput& input);
    bool is_for_all = false;     ///< Asked also of a request in no tree.
    bool is_of_budgets = false;  ///< People who approve grant tokens beyond the budgets.
};

/// The guards of a new request, in order: user, then position in the tree, then means.
std::span<const Guard> guards();

/// The guards of a request moving to another agent than admitted for.
std::span<const Guard> guards_of_moves();

/// Finds the user, the depth and the stakes of the request from its position.
void measure(GuardInput& input);

/// Cost of the request's tokens at the target's price.
std::uint64_t cost_for(const GuardInput& input);

/// A waiting time for a retry; never 0, since 0 says that time alone does not help.
std::uint64_t milliseconds(Duration duration);

std::string chain_words(std::string_view from, std::string_view to);

/// Words for a burst of `count` beyond this minute's room: when the burst would be accepted.
std::string when_taken(std::uint64_t count, std::uint64_t retry_after_ms);

}  // namespace parlance::core
