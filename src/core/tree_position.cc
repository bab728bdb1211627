#include "core/tree_position.h"

#include <algorithm>

#include "base/mutant.h"
#include "core/draft.h"

namespace parlance::core {

namespace {

using governor::Delegation;
using governor::Root;

/// The first fitting request handed to the agent, or null: requests held by the agent, then
/// requests given back to be delivered again.
template <class Fits>
const broker::OpenRequest* find_handed(const State& state, AgentHandle agent, Fits fits) {
    const auto& broker = state.broker;
    const auto request_of = [&](const broker::Message& message) -> const broker::OpenRequest* {
        if (message.envelope->intent() != Intent::Request || !fits(message)) return nullptr;
        return broker::find_request(state.requests, message.ticket);
    };
    for (const Slot consumer : broker::mailbox_of(broker, agent).consumers) {
        Slot slot = broker.consumers[consumer].leased.head;
        for (; slot != kNoSlot; slot = broker.messages[slot].link_next) {
            if (const auto* request = request_of(broker.messages[slot])) return request;
        }
    }
    if (is_planted(Mutant::ForgetWhatCameBack)) return nullptr;
    auto at = broker.returned.lower_bound({agent, {}});
    for (; at != broker.returned.end() && at->first == agent; ++at) {
        const auto* request = request_of(*broker::find_message(broker, at->second));
        if (request != nullptr) return request;
    }
    return nullptr;
}

/// The request of this conversation handed to the agent, or null.
const broker::OpenRequest* find_held(const State& state,
                                     AgentHandle agent,
                                     std::string_view correlation) {
    return find_handed(state, agent, [&](const broker::Message& message) {
        return message.envelope->correlation() == correlation;
    });
}

/// The deepest delegation that the agent has in hand in a fitting tree.
template <class Fits>
Reading<Delegation> find_in_hand(const State& state, AgentHandle agent, Fits fits) {
    const auto& lineage = state.governor.lineage;
    return governor::find_deepest(
        lineage,
        agent,
        [&](Ticket request) { return is_in_hand(state, request); },
        [&](const Delegation& each) { return fits(*lineage.roots.at(each.root)); });
}

/// The requester's work in the named session, or in a tree known by the session's name.
Reading<Delegation> find_by_session(const State& state, const StatedRequest& stated_request) {
    const auto& lineage = state.governor.lineage;
    if (!stated_request.claim.has_session) return {};
    auto at = governor::find_session(lineage, stated_request.claim.session);
    if (at != nullptr && at->target == stated_request.by) return at;
    const auto roots = governor::roots_named(lineage, stated_request.claim.session);
    if (roots.empty()) return {};
    return governor::find_deepest(
        lineage,
        stated_request.by,
        [](Ticket) { return true; },
        [&](const Delegation& each) { return std::ranges::find(roots, each.root) != roots.end(); });
}

/// The requester's work for the named user. Without a name: the requester's work in any tree begun
/// out of a session or for a user, since an agent cannot leave such a tree by saying nothing.
Reading<Delegation> find_by_user(const State& state, const StatedRequest& stated_request) {
    const auto& user = stated_request.claim.user;
    if (user.empty() && is_planted(Mutant::LeaveTheTree)) return {};
    return find_in_hand(state, stated_request.by, [&](const Root& root) {
        return user.empty() ? governor::binds(root) : root.user == user;
    });
}

Reading<Root> own_root(const State& state, const StatedRequest& stated_request) {
    if (!stated_request.claim.has_session) return {};
    return governor::find_root(
        state.governor.lineage, stated_request.claim.session, stated_request.by);
}

/// Adds the parent and its tree.
TreePosition with_parent(const State& state, TreePosition position, Ticket parent) {
    const auto& lineage = state.governor.lineage;
    position.parent = governor::find_delegation(lineage, parent);
    if (position.parent != nullptr) {
        position.root = lineage.roots.at(position.parent->root);
    } else {
        position.unfounded = broker::find_request(state.requests, parent);
    }
    return position;
}

}  // namespace

bool is_in_hand(const State& state, Ticket request) {
    const auto* message = broker::find_message(state.broker, request);
    if (message == nullptr || message->stage == broker::Stage::Leased) return true;
    return broker::was_handed(*message) && !is_planted(Mutant::ForgetWhatCameBack);
}

TreePosition find_position(const State& state, const StatedRequest& stated_request) {
    if (stated_request.by == kNoAgent) return {};
    if (is_planted(Mutant::BelieveTheParent)) return {.root = own_root(state, stated_request)};
    if (const auto at = find_by_session(state, stated_request))
        return with_parent(state, {}, at->request);
    const auto& envelope = stated_request.envelope;
    const auto* task =
        stated_request.hands_over ? find_task(state, envelope.from(), envelope.task()) : nullptr;
    if (task != nullptr) return with_parent(state, {.is_sideways = true}, task->ticket);
    if (const auto* held = find_held(state, stated_request.by, envelope.correlation())) {
        return with_parent(state, {}, held->ticket);
    }
    if (const auto at = find_by_user(state, stated_request))
        return with_parent(state, {}, at->request);
    return {.root = own_root(state, stated_request)};
}

TreePosition position_below(const State& state,
                            Ticket parent,
                            const StatedRequest& stated_request) {
    if (parent == Ticket{}) return {.root = own_root(state, stated_request)};
    const bool is_invited = handing::find_call(state.handing, parent) != nullptr;
    return with_parent(state, {.is_sideways = is_invited, .is_invited = is_invited}, parent);
}

Ticket find_work(const State& state, const Beginning& beginning) {
    const auto agent = registry::find_agent(state.registry, beginning.by);
    if (agent == kNoAgent) return {};
    const auto& lineage = state.governor.lineage;
    if (const auto at = governor::find_session(lineage, beginning.session)) {
        if (at->target == agent && at->is_open) return at->request;
    }
    if (const auto* held = find_held(state, agent, beginning.correlation)) return held->ticket;
    const auto deepest = find_in_hand(state, agent, [&](const Root& root) {
        return beginning.user.empty() || root.user.empty() || root.user == beginning.user;
    });
    if (deepest != nullptr) return deepest->request;
    // A request in no tree yet; requests in a tree belong to another user.
    const auto* held = find_handed(state, agent, [&](const broker::Message& message) {
        return governor::find_delegation(lineage, message.ticket) == nullptr;
    });
    return held == nullptr ? Ticket{} : held->ticket;
}

}  // namespace parlance::core
