// Commands about agents, their instances and their subscriptions.
#include <algorithm>

#include "base/json.h"
#include "base/mutant.h"
#include "core/draft.h"

namespace parlance::core {

namespace {

bool is_registered(const State& state, std::string_view agent) {
    const auto handle = registry::find_agent(state.registry, agent);
    return handle != kNoAgent && state.registry.agents[handle].is_registered;
}

/// True, with the refusal drafted, if the caller may not speak for the agent or the agent is not
/// registered.
bool is_refused(Draft& draft, const AgentId& agent) {
    if (!draft.may_act_for(agent.value)) {
        draft.refuse(agent.value,
                     Refusal::IdentityMismatch,
                     "the connection proved to be '" + std::string{draft.asker()} +
                         "' and cannot act for '" + agent.value + "'");
        return true;
    }
    if (!is_registered(draft.state, agent.value)) {
        draft.refuse(agent.value,
                     Refusal::AgentNotRegistered,
                     "agent '" + agent.value + "' is not registered");
        return true;
    }
    return false;
}

std::uint32_t instances_max(const State& state, const Profile& profile) {
    const auto own = profile.instance_count_max;
    const auto all = state.limits.instances_per_agent_max;
    return own == 0 ? all : std::min(own, all);
}

/// A tool that the agent gives itself without an operator's allowance (I4); empty if none, or if no
/// operator has set the agent's tools.
std::string tool_added(const State& state, const RegisterAgent& registration) {
    const auto handle = registry::find_agent(state.registry, registration.agent.value);
    if (handle == kNoAgent || !state.registry.agents[handle].tools_most) return {};
    const auto& most = *state.registry.agents[handle].tools_most;
    for (const auto& tool : registration.profile.tools_allowed) {
        if (std::ranges::find(most, tool) == most.end()) return tool;
    }
    return {};
}

/// The end of a renewed lease: one whole lease from now. The lease of a request ends while asking
/// again is still possible: the delivery may have been lost with the previous process.
Time renewed(const Draft& draft, const broker::Message& message) {
    const auto until = draft.now() + draft.state.limits.lease;
    const auto& requests = draft.state.requests;
    const auto* request = broker::find_request(requests, message.ticket);
    if (request == nullptr) return until;
    const auto deadline = broker::deadline_of(requests, *request);
    if (deadline <= draft.now()) return until;
    return std::min(until, draft.now() + (deadline - draft.now()) / 2);
}

/// While the hub was away nobody could settle anything: the agent keeps that time.
void renew_leases(Draft& draft, InstanceNumber instance) {
    const auto& broker = draft.state.broker;
    const auto* consumer = broker::find_consumer(broker, instance);
    for (Slot slot = consumer->leased.head; slot != kNoSlot;
         slot = broker.messages[slot].link_next) {
        const auto& message = broker.messages[slot];
        const auto until = renewed(draft, message);
        const auto& requests = draft.state.requests;
        const auto* request = broker::find_request(requests, message.ticket);
        const auto end = broker.due.at(message.place).at;
        const bool ends_too_late =
            request != nullptr && until < end && end >= broker::deadline_of(requests, *request);
        if (end < until || ends_too_late) draft.add(LeaseExtended{message.ticket, until});
    }
}

/// The new epoch differs from the previous run's: tokens of the two runs stay apart.
Epoch drawn_epoch(const Draft& draft) {
    const auto bits = draft.cause.entropy;
    Epoch epoch{static_cast<std::uint32_t>(bits ^ bits >> 32U)};
    while (epoch == Epoch{} || epoch == draft.state.broker.epoch) ++epoch.value;
    return epoch;
}

}  // namespace

void decide_start(Draft& draft, const StartHub& start) {
    if (draft.state.hub_id.empty()) {
        draft.add(HubFounded{start.hub_id, start.hash_key_0, start.hash_key_1});
    }
    // Connections and the hub's internal requests ended with the last process. A polling instance
    // may come back with the same delivery ids, so its leases stay.
    for (const auto& [number, slot] : draft.state.registry.instance_slots) {
        if (draft.state.registry.instances[slot].kind == InstanceKind::Poll) {
            renew_leases(draft, number);
        } else {
            lose_instance(draft, number, "the hub restarted", DeliveryFailure::HubRestarted);
        }
    }
    draft.add(HubStarted{.version = start.version, .epoch = drawn_epoch(draft)});
}

void decide_register(Draft& draft, const RegisterAgent& registration) {
    const auto& state = draft.state;
    if (!draft.may_act_for(registration.agent.value)) {
        return draft.refuse(registration.agent.value,
                            Refusal::IdentityMismatch,
                            "the connection proved to be '" + std::string{draft.asker()} +
                                "' and cannot register '" + registration.agent.value + "'");
    }
    if (is_for_people(registration.agent.value)) {
        return draft.refuse(registration.agent.value,
                            Refusal::InputValidationFailed,
                            "'human' and 'human:ROLE' stand for people and are no agent's name");
    }
    if (registration.agent.value == kHubName) {
        return draft.refuse(registration.agent.value,
                            Refusal::InputValidationFailed,
                            "'parlance' is the hub itself and no agent's name");
    }
    if (is_no_agent(registration.agent.value)) {
        return draft.refuse(registration.agent.value,
                            Refusal::InputValidationFailed,
                            "'" + registration.agent.value +
                                "' stands for whom the hub chooses and is no agent's name");
    }
    const bool is_full =
        (!is_registered(state, registration.agent.value) &&
         state.registry.registered_count >= state.limits.agents_max) ||
        !registry::has_room_for(state.registry, registration.agent.value, state.limits.agents_max);
    if (is_full) {
        return draft.refuse(registration.agent.value,
                            Refusal::HubOverloaded,
                            "the hub has " + std::to_string(state.limits.agents_max) +
                                " registered agents, which is its limit (agents_max)");
    }
    const auto& caller = draft.cause.caller;
    const bool is_operator = caller && caller->is_operator;
    const bool is_itself = caller && !is_operator && !caller->agent.value.empty() &&
                           !is_planted(Mutant::GiveItselfTools);
    if (const auto tool = is_itself ? tool_added(state, registration) : std::string{};
        !tool.empty()) {
        return draft.refuse(registration.agent.value,
                            Refusal::ToolNotAllowed,
                            "'" + registration.agent.value + "' was not allowed the tool '" +
                                json::shortened(tool) +
                                "': an operator says which tools it may have, and it can keep or "
                                "narrow them");
    }
    draft.add(AgentRegistered{.agent = registration.agent,
                              .profile = registration.profile,
                              .binds_tools = is_operator && registration.says_tools});
}

void decide_remove(Draft& draft, const RemoveAgent& removal) {
    if (is_refused(draft, removal.agent)) return;
    const auto handle = registry::find_agent(draft.state.registry, removal.agent.value);
    const auto& mailbox = broker::mailbox_of(draft.state.broker, handle);
    if (mailbox.waiting + mailbox.in_flight + mailbox.dead > 0) {
        return draft.refuse(removal.agent.value,
                            Refusal::AgentHasWork,
                            "agent '" + removal.agent.value + "' has " +
                                std::to_string(mailbox.waiting) + " waiting, " +
                                std::to_string(mailbox.in_flight) + " in flight and " +
                                std::to_string(mailbox.dead) + " dead letters");
    }
    for (const Slot slot : draft.state.registry.agents[handle].instances) {
        lose_instance(draft, draft.state.registry.instances[slot].number, "the agent was removed");
    }
    draft.add(AgentRemoved{removal.agent});
}

void decide_join(Draft& draft, const JoinInstance& join) {
    if (is_refused(draft, join.agent)) return;
    const auto& state = draft.state;
    const auto handle = registry::find_agent(state.registry, join.agent.value);
    const auto& agent = state.registry.agents[handle];

    const auto* namesake = registry::find_named(state.registry, handle, join.name);
    if (namesake != nullptr && namesake->kind == InstanceKind::Poll &&
        join.kind == InstanceKind::Poll) {
        if (join.is_heartbeat) return decide_heartbeat(draft, namesake->number);
        return draft.add(InstanceSeen{namesake->number});
    }
    // A connection that comes back before the loss of the old one was noticed takes over the name.
    if (namesake != nullptr) lose_instance(draft, namesake->number, "replaced by a new connection");

    const auto others = agent.instances.size() - (namesake != nullptr ? 1 : 0);
    if (others >= instances_max(state, agent.profile)) {
        return draft.refuse(join.agent.value,
                            Refusal::ConnectionLimitExceeded,
                            "agent '" + join.agent.value + "' has " + std::to_string(others) +
                                " live instances, which is its limit");
    }
    draft.add(InstanceJoined{.instance = {state.registry.instance_last + 1},
                             .agent = join.agent,
                             .name = join.name,
                             .kind = join.kind,
                             .credit = std::min(join.credit, state.limits.instance_credit_max)});
}

void decide_leave(Draft& draft, const LeaveInstance& leave) {
    if (registry::find_instance(draft.state.registry, leave.instance) == nullptr) return;
    lose_instance(draft, leave.instance, leave.reason);
}

void decide_credit(Draft& draft, const GrantCredit& grant) {
    const auto* consumer = broker::find_consumer(draft.state.broker, grant.instance);
    if (consumer == nullptr) {
        return draft.refuse(
            {},
            Refusal::InstanceUnknown,
            "instance " + std::to_string(grant.instance.value) + " is not connected");
    }
    const auto credit = std::min(grant.credit, draft.state.limits.instance_credit_max);
    if (consumer->kind == InstanceKind::Poll) {
        return draft.refuse({},
                            Refusal::RouteNotPermitted,
                            "an instance that polls is given what it asks for and needs no credit");
    }
    if (credit != consumer->credit) draft.add(CreditGranted{grant.instance, credit});
}

void decide_heartbeat(Draft& draft, InstanceNumber number) {
    const auto* instance = registry::find_instance(draft.state.registry, number);
    if (instance == nullptr) return;
    if (draft.heard != nullptr) draft.heard->push_back(number);
    // A sign of life is recorded only if it changes something: a missed instance is back.
    const bool is_news =
        instance->missed_since != Time{} || instance->excused_at != Time{} || instance->is_away;
    if (is_news) draft.add(InstanceSeen{number});
}

void decide_subscribe(Draft& draft, const Subscribe& subscribe) {
    if (is_refused(draft, subscribe.agent)) return;
    const auto& state = draft.state;
    const auto handle = registry::find_agent(state.registry, subscribe.agent.value);
    if (std::ranges::binary_search(state.registry.agents[handle].topics, subscribe.topic)) return;
    const auto topic = state.registry.topics.find(subscribe.topic);
    const auto subscribers_max = std::min(state.limits.subscribers_per_topic_max, kCopiesMax);
    if (topic == state.registry.topics.end()) {
        if (state.registry.topics.size() >= state.limits.topics_max) {
            return draft.refuse(subscribe.agent.value,
                                Refusal::HubOverloaded,
                                "the hub has " + std::to_string(state.limits.topics_max) +
                                    " topics, which is its limit (topics_max)");
        }
    } else if (topic->second.size() >= subscribers_max) {
        return draft.refuse(subscribe.agent.value,
                            Refusal::HubOverloaded,
                            "topic '" + subscribe.topic.value + "' has " +
                                std::to_string(topic->second.size()) + " subscribers, its limit");
    }
    draft.add(Subscribed{subscribe.agent, subscribe.topic});
}

void decide_unsubscribe(Draft& draft, const Unsubscribe& unsubscribe) {
    if (is_refused(draft, unsubscribe.agent)) return;
    const auto& state = draft.state;
    const auto handle = registry::find_agent(state.registry, unsubscribe.agent.value);
    if (!std::ranges::binary_search(state.registry.agents[handle].topics, unsubscribe.topic))
        return;
    draft.add(Unsubscribed{unsubscribe.agent, unsubscribe.topic});
}

}  // namespace parlance::core
