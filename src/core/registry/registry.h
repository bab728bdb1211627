// The registry: agents, their live instances, and topic subscriptions.
//
// Knows nothing of messages; mailboxes are the broker's.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/slab.h"
#include "base/time.h"
#include "core/handles.h"
#include "model/event.h"

namespace parlance::core::registry {

struct Instance {
    InstanceNumber number;
    AgentHandle agent = kNoAgent;
    std::string name;
    InstanceKind kind = InstanceKind::Socket;
    Time last_seen{};  ///< As recorded; later signs of life are in no record.
    /// Of an endpoint: since when no post was answered. Zero: the last post was answered, or none
    /// was sent.
    Time missed_since{};
    Time excused_at{};     ///< Of a polling instance: when last found silent with a lease. Or 0.
    bool is_away = false;  ///< Silent or missed beyond the timeout, and yet joined.
};

struct Agent {
    AgentId id;
    Profile profile;
    bool is_registered = false;  ///< Else only known as a sender.
    /// An operator's limit, registered or not: the agent can have these tools and no others.
    std::optional<std::vector<std::string>> tools_most{};
    std::vector<Slot> instances;              ///< In the order of joining.
    std::vector<TopicName> topics;            ///< Sorted.
    std::vector<std::string> capabilities{};  ///< Codes, derived from the profile.
};

struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
        return std::hash<std::string_view>{}(name);
    }
};

struct Registry {
    boost::unordered_flat_map<std::string, AgentHandle, NameHash, std::equal_to<>> handles;
    std::deque<Agent> agents;  ///< By handle; a deque keeps addresses while growing.
    std::uint64_t registered_count = 0;
    Slab<Instance> instances;
    std::map<InstanceNumber, Slot> instance_slots;
    std::uint64_t instance_last = 0;
    std::map<TopicName, std::vector<AgentHandle>> topics;  ///< Subscribers sorted by name.
    /// Agents by registered capability code, derived from the profiles.
    std::map<std::string, std::set<AgentHandle>, std::less<>> by_capability;
};

AgentHandle find_agent(const Registry& registry, std::string_view name);
const Instance* find_instance(const Registry& registry, InstanceNumber number);
/// The instance of an agent with this name, or null.
const Instance* find_named(const Registry& registry, AgentHandle agent, std::string_view name);

bool has_capability(const Registry& registry, AgentHandle agent, std::string_view code);

/// Whether another name can be interned. Names outlive their agents: the limit on names is twice
/// that on agents.
bool has_room_for(const Registry& registry, std::string_view name, std::uint64_t agents_max);

/// The agent's handle; an unknown name gets a new handle.
AgentHandle intern(Registry& registry, std::string_view name);

void apply(Registry& registry, const AgentRegistered& event);
void apply(Registry& registry, const AgentRemoved& event);
void apply(Registry& registry, const InstanceJoined& event, Time at);
void apply(Registry& registry, const InstanceLeft& event);
void apply(Registry& registry, const InstanceSeen& event, Time at);
/// Restores an instance's state beyond its last sign of life, from a snapshot.
void recall(Registry& registry, const Instance& known);
/// Notes that a post to an endpoint got no answer.
void miss(Registry& registry, InstanceNumber instance, Time at, Duration heartbeat_timeout);
void apply(Registry& registry, const Subscribed& event);
void apply(Registry& registry, const Unsubscribed& event);

}  // namespace parlance::core::registry
