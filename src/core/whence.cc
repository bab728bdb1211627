#include "core/whence.h"

#include <algorithm>

namespace parlance::core {

namespace {

using governor::Delegation;

/// The first of the requests that the agent holds and that fits, or null.
template <class Fits>
const broker::OpenRequest* find_leased(const State& state, AgentHandle agent, Fits fits) {
    const auto& broker = state.broker;
    for (const Slot consumer : broker::mailbox_of(broker, agent).consumers) {
        Slot slot = broker.consumers[consumer].leased.head;
        for (; slot != kNoSlot; slot = broker.messages[slot].link_next) {
            const auto& message = broker.messages[slot];
            if (message.envelope->intent() != Intent::Request || !fits(message)) continue;
            if (const auto* request = broker::find_request(state.requests, message.ticket)) {
                return request;
            }
        }
    }
    return nullptr;
}

}  // namespace

const broker::OpenRequest* find_held(const State& state,
                                     AgentHandle agent,
                                     std::string_view correlation) {
    return find_leased(state, agent, [&](const broker::Message& message) {
        return message.envelope->correlation() == correlation;
    });
}

bool is_in_hand(const State& state, Ticket request) {
    const auto* message = broker::find_message(state.broker, request);
    return message == nullptr || message->stage == broker::Stage::Leased;
}

Ticket find_work(const State& state, const Beginning& beginning) {
    const auto agent = registry::find_agent(state.registry, beginning.by);
    if (agent == kNoAgent) return {};
    const auto& lineage = state.governor.lineage;
    if (const auto at = governor::find_session(lineage, beginning.session)) {
        if (at->target == agent && at->is_open) return at->request;
    }
    if (const auto* held = find_held(state, agent, beginning.correlation)) return held->ticket;
    const auto user_of = [&](const Delegation& each) { return lineage.roots.at(each.root)->user; };
    const auto deepest = governor::find_deepest(lineage, agent, [&](const Delegation& each) {
        const bool is_anothers =
            !beginning.user.empty() && !user_of(each).empty() && user_of(each) != beginning.user;
        return !is_anothers && is_in_hand(state, each.request);
    });
    if (deepest != nullptr) return deepest->request;
    // One that is in no tree yet; those that are in one are of another user.
    const auto* held = find_leased(state, agent, [&](const broker::Message& message) {
        return governor::find_delegation(lineage, message.ticket) == nullptr;
    });
    return held == nullptr ? Ticket{} : held->ticket;
}

}  // namespace parlance::core
