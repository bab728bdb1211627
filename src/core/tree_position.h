// Finds the parent request of a new request or workflow, by the work that the hub gave the agent.
#pragma once

#include <string_view>

#include "core/core.h"

namespace parlance::core {

/// Position of a request in the tree of delegations.
struct TreePosition {
    Reading<governor::Delegation> parent{};
    const broker::OpenRequest* unfounded = nullptr;  ///< A parent that is in no tree yet.
    Reading<governor::Root> root{};                  ///< The tree of the request, if there is one.
    /// The request hands over the requester's own task, and goes no deeper.
    bool is_sideways = false;
    bool is_invited = false;  ///< The request invites a proposal, and goes no deeper either.
};

/// A request as its requester states it.
struct StatedRequest {
    AgentHandle by = kNoAgent;
    const Envelope& envelope;
    const Claim& claim;
    bool hands_over = false;
};
/// The position by the session that the request names, else by the requester's present work: an
/// agent cannot rise in the tree by claiming to stand elsewhere.
TreePosition find_position(const State& state, const StatedRequest& stated_request);
/// The position below a known parent; without a parent, the session that the requester names.
TreePosition position_below(const State& state, Ticket parent, const StatedRequest& stated_request);

/// Facts about a workflow or message, from the caller who begins it.
struct Beginning {
    std::string_view by;
    std::string_view session;
    std::string_view correlation;
    std::string_view user;
};
/// The request to which the new work belongs: by session, conversation or user, else the deepest
/// request that the agent has in hand for no other user. None: the work stands for itself.
Ticket find_work(const State& state, const Beginning& beginning);

/// True if the target of an open request was given it. A request given back for a retry still
/// counts.
bool is_in_hand(const State& state, Ticket request);

}  // namespace parlance::core
