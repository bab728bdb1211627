#include "core/registry/registry.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"
#include "base/mutant.h"

namespace parlance::core::registry {

namespace {

/// Capability codes of a profile, checked on registration but not in a snapshot.
std::vector<std::string> capabilities_of(const Profile& profile) {
    std::vector<std::string> codes;
    if (!json::check(profile.capabilities)) return codes;
    if (!json::root(profile.capabilities).is_array()) return codes;
    std::string spare;
    for (json::Elements each{json::root(profile.capabilities)}; each.next();) {
        const auto code = json::find(each.value, "code");
        if (code && code->is_string()) codes.emplace_back(code->text(spare));
    }
    return codes;
}

void forget_capabilities(Registry& registry, AgentHandle handle) {
    for (const auto& code : registry.agents[handle].capabilities) {
        const auto found = registry.by_capability.find(code);
        if (found == registry.by_capability.end()) continue;
        found->second.erase(handle);
        if (found->second.empty()) registry.by_capability.erase(found);
    }
    registry.agents[handle].capabilities.clear();
}

}  // namespace

AgentHandle find_agent(const Registry& registry, std::string_view name) {
    const auto found = registry.handles.find(name);
    return found == registry.handles.end() ? kNoAgent : found->second;
}

const Instance* find_instance(const Registry& registry, InstanceNumber number) {
    const auto found = registry.instance_slots.find(number);
    return found == registry.instance_slots.end() ? nullptr : &registry.instances[found->second];
}

const Instance* find_named(const Registry& registry, AgentHandle agent, std::string_view name) {
    for (const Slot slot : registry.agents[agent].instances) {
        if (registry.instances[slot].name == name) return &registry.instances[slot];
    }
    return nullptr;
}

bool has_capability(const Registry& registry, AgentHandle agent, std::string_view code) {
    const auto found = registry.by_capability.find(code);
    return found != registry.by_capability.end() && found->second.contains(agent);
}

bool has_room_for(const Registry& registry, std::string_view name, std::uint64_t agents_max) {
    return registry.agents.size() < 2 * agents_max || find_agent(registry, name) != kNoAgent;
}

AgentHandle intern(Registry& registry, std::string_view name) {
    if (const auto known = find_agent(registry, name); known != kNoAgent) return known;
    const auto handle = static_cast<AgentHandle>(registry.agents.size());
    auto& agent = registry.agents.emplace_back();
    agent.id.value = name;
    registry.handles.emplace(std::string{name}, handle);
    return handle;
}

void apply(Registry& registry, const AgentRegistered& event) {
    auto& agent = registry.agents[intern(registry, event.agent.value)];
    if (!agent.is_registered) ++registry.registered_count;
    const auto handle = find_agent(registry, event.agent.value);
    if (agent.is_registered) forget_capabilities(registry, handle);
    agent.is_registered = true;
    agent.profile = event.profile;
    if (event.binds_tools) agent.tools_most = event.profile.tools_allowed;
    agent.capabilities = capabilities_of(agent.profile);
    for (const auto& code : agent.capabilities) registry.by_capability[code].insert(handle);
}

void apply(Registry& registry, const AgentRemoved& event) {
    const auto handle = find_agent(registry, event.agent.value);
    CHECK(handle != kNoAgent);
    auto& agent = registry.agents[handle];
    while (!agent.topics.empty()) {
        apply(registry, Unsubscribed{event.agent, TopicName{agent.topics.back()}});
    }
    forget_capabilities(registry, handle);
    agent.is_registered = false;
    agent.profile = {};
    if (is_planted(Mutant::ForgetTheBound)) agent.tools_most.reset();
    --registry.registered_count;
}

void apply(Registry& registry, const InstanceJoined& event, Time at) {
    const auto handle = intern(registry, event.agent.value);
    const Slot slot = registry.instances.add({.number = event.instance,
                                              .agent = handle,
                                              .name = event.name,
                                              .kind = event.kind,
                                              .last_seen = at});
    registry.instance_slots.emplace(event.instance, slot);
    registry.instance_last = event.instance.value;
    registry.agents[handle].instances.push_back(slot);
}

void apply(Registry& registry, const InstanceLeft& event) {
    const auto found = registry.instance_slots.find(event.instance);
    CHECK(found != registry.instance_slots.end());
    const Slot slot = found->second;
    std::erase(registry.agents[registry.instances[slot].agent].instances, slot);
    registry.instance_slots.erase(found);
    registry.instances.remove(slot);
}

void apply(Registry& registry, const InstanceSeen& event, Time at) {
    const auto found = registry.instance_slots.find(event.instance);
    CHECK(found != registry.instance_slots.end());
    auto& instance = registry.instances[found->second];
    if (event.is_excused) {
        // Only the second excuse in a row counts: the first may be the hub's doing, if the hub was
        // away or recorded an older sign of life than the latest.
        instance.is_away = instance.excused_at != Time{};
        instance.excused_at = at;
    } else {
        instance.last_seen = at;
        instance.missed_since = {};
        instance.excused_at = {};
        instance.is_away = false;
    }
}

void recall(Registry& registry, const Instance& known) {
    const auto slot = registry.instance_slots.at(known.number);
    auto& instance = registry.instances[slot];
    instance.missed_since = known.missed_since;
    instance.excused_at = known.excused_at;
    instance.is_away = known.is_away;
}

void miss(Registry& registry, InstanceNumber instance, Time at, Duration heartbeat_timeout) {
    const auto found = registry.instance_slots.find(instance);
    CHECK(found != registry.instance_slots.end());
    auto& missed = registry.instances[found->second];
    if (missed.missed_since == Time{}) missed.missed_since = at;
    if (at - missed.missed_since >= heartbeat_timeout) missed.is_away = true;
}

void apply(Registry& registry, const Subscribed& event) {
    const auto handle = intern(registry, event.agent.value);
    auto& topics = registry.agents[handle].topics;
    const auto topic = std::ranges::lower_bound(topics, event.topic);
    if (topic != topics.end() && *topic == event.topic) return;
    topics.insert(topic, event.topic);

    const auto name = [&](AgentHandle agent) -> const AgentId& {
        return registry.agents[agent].id;
    };
    auto& subscribers = registry.topics[event.topic];
    subscribers.insert(std::ranges::lower_bound(subscribers, event.agent, {}, name), handle);
}

void apply(Registry& registry, const Unsubscribed& event) {
    const auto handle = find_agent(registry, event.agent.value);
    CHECK(handle != kNoAgent);
    // By value: the event may refer to the very element erased here.
    const TopicName name = event.topic;
    std::erase(registry.agents[handle].topics, name);
    const auto topic = registry.topics.find(name);
    if (topic == registry.topics.end()) return;
    std::erase(topic->second, handle);
    if (topic->second.empty()) registry.topics.erase(topic);
}

}  // namespace parlance::core::registry
