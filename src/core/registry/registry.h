// Who the agents are, which instances of them are alive, and who listens to which topic.
//
// Knows nothing of messages: what waits for an agent is the broker's.
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
    /// Of an endpoint: since when nothing has come back from it, of all that was posted. Zero: the
    /// last post was answered, or there was none.
    Time missed_since{};
    Time excused_at{};     ///< Of one that polls: silent, but on time that it was given. Or zero.
    bool is_away = false;  ///< Silent or missed for as long as others may be, and yet here.
};

struct Agent {
    AgentId id;
    Profile profile;
    bool is_registered = false;  ///< Else it is only known as a sender.
    /// What an operator allowed it, be it registered or not: it can have these and no others.
    std::optional<std::vector<std::string>> tools_most{};
    std::vector<Slot> instances;              ///< In the order of joining.
    std::vector<TopicName> topics;            ///< Sorted.
    std::vector<std::string> capabilities{};  ///< Their codes. Found again from the profile.
};

struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
        return std::hash<std::string_view>{}(name);
    }
};

struct Registry {
    boost::unordered_flat_map<std::string, AgentHandle, NameHash, std::equal_to<>> handles;
    std::deque<Agent> agents;  ///< By handle; a deque keeps addresses while it grows.
    std::uint64_t registered_count = 0;
    Slab<Instance> instances;
    std::map<InstanceNumber, Slot> instance_slots;
    std::uint64_t instance_last = 0;
    std::map<TopicName, std::vector<AgentHandle>> topics;  ///< Subscribers sorted by name.
    /// Who has registered each capability, by its code. Found again from the profiles.
    std::map<std::string, std::set<AgentHandle>, std::less<>> by_capability;
};

AgentHandle find_agent(const Registry& registry, std::string_view name);
const Instance* find_instance(const Registry& registry, InstanceNumber number);
/// The instance of an agent that goes by this name, or null.
const Instance* find_named(const Registry& registry, AgentHandle agent, std::string_view name);

/// Whether the agent has registered the capability of this code.
bool has_capability(const Registry& registry, AgentHandle agent, std::string_view code);

/// Whether one more name can be known. Names stay after their agent was removed, so there is room
/// for as many of those as for agents.
bool has_room_for(const Registry& registry, std::string_view name, std::uint64_t agents_max);

/// The agent's handle; a name not heard before gets one.
AgentHandle intern(Registry& registry, std::string_view name);

void apply(Registry& registry, const AgentRegistered& event);
void apply(Registry& registry, const AgentRemoved& event);
void apply(Registry& registry, const InstanceJoined& event, Time at);
void apply(Registry& registry, const InstanceLeft& event);
void apply(Registry& registry, const InstanceSeen& event, Time at);
/// What was known of an instance beside its last sign of life is known again.
void recall(Registry& registry, const Instance& known);
/// Nothing came back from an endpoint that was posted to.
void miss(Registry& registry, InstanceNumber instance, Time at, Duration heartbeat_timeout);
void apply(Registry& registry, const Subscribed& event);
void apply(Registry& registry, const Unsubscribed& event);

}  // namespace parlance::core::registry
