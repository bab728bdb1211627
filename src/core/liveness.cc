#include "core/liveness.h"

namespace parlance::core {

void Liveness::begin(const State& state, Time now) {
    signs_.clear();
    by_silence_.clear();
    for (const auto& [number, slot] : state.registry.instance_slots) {
        const auto& instance = state.registry.instances[slot];
        add(number,
            {.heard = instance.last_seen,
             .since = now,
             .is_watched = instance.kind != InstanceKind::Push});
    }
}

void Liveness::note(const Stamped& request, const Events& events, const Heard& heard) {
    for (const auto instance : heard) hear(instance, request.now);
    const auto* tick = std::get_if<Tick>(&request.command);
    // A Tick without events came as far as the silent instance, and let it stay.
    if (tick != nullptr && events.empty()) count_from(tick->silent, request.now);
    for (const auto& event : events) {
        if (const auto* joined = std::get_if<InstanceJoined>(&event)) {
            add(joined->instance,
                {.heard = request.now,
                 .since = request.now,
                 .is_watched = joined->kind != InstanceKind::Push});
        } else if (const auto* left = std::get_if<InstanceLeft>(&event)) {
            forget(left->instance);
        } else if (const auto* seen = std::get_if<InstanceSeen>(&event)) {
            if (seen->is_excused) count_from(seen->instance, request.now);
            if (!seen->is_excused) hear(seen->instance, request.now);
        }
    }
}

std::optional<InstanceNumber> Liveness::silent(Time now, Duration heartbeat_timeout) const {
    if (next_due(heartbeat_timeout) > now) return std::nullopt;
    return by_silence_.begin()->second;
}

Time Liveness::next_due(Duration heartbeat_timeout) const {
    return by_silence_.empty() ? Time::max() : by_silence_.begin()->first + heartbeat_timeout;
}

Time Liveness::last_seen(InstanceNumber instance) const {
    const auto found = signs_.find(instance);
    return found == signs_.end() ? Time{} : found->second.heard;
}

void Liveness::add(InstanceNumber instance, const Sign& sign) {
    signs_.insert_or_assign(instance, sign);
    if (sign.is_watched) by_silence_.emplace(sign.since, instance);
}

void Liveness::hear(InstanceNumber instance, Time now) {
    const auto found = signs_.find(instance);
    if (found == signs_.end()) return;
    found->second.heard = now;
    count_from(instance, now);
}

void Liveness::count_from(InstanceNumber instance, Time now) {
    const auto found = signs_.find(instance);
    if (found == signs_.end() || !found->second.is_watched) return;
    if (found->second.since == now) return;  // Most signs of one turn are of the same instances.
    by_silence_.erase({found->second.since, instance});
    found->second.since = now;
    by_silence_.emplace(now, instance);
}

void Liveness::forget(InstanceNumber instance) {
    const auto found = signs_.find(instance);
    if (found == signs_.end()) return;
    by_silence_.erase({found->second.since, instance});
    signs_.erase(found);
}

}  // namespace parlance::core
