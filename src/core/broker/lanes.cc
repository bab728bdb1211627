#include "core/broker/lanes.h"

#include "core/keys.h"

namespace parlance::core::broker {

namespace {

void count_urgent(Lane& lane, Priority priority, std::uint32_t change) {
    if (is_urgent(priority)) lane.urgent[static_cast<std::size_t>(priority)] += change;
}

const HashedSlot* find_single(const Broker& broker, const HashKey& key, std::uint64_t lane_key) {
    return broker.singles.find(HashedSlot::place_of(lane_key), [&](const HashedSlot& row) {
        return lane_key_of(key, broker.messages[row.slot]) == lane_key;
    });
}

void add_single(Broker& broker, std::uint64_t lane_key, Slot slot) {
    broker.singles.add({.hash = HashedSlot::half(lane_key), .slot = slot});
}

Lane lane_of_one(const Broker& broker, Slot slot) {
    Lane lane{.head = slot, .tail = slot};
    count_urgent(lane, broker.messages[slot].priority, 1);
    return lane;
}

Lane append(Broker& broker, Lane& lane, Slot slot) {
    auto& message = broker.messages[slot];
    count_urgent(lane, message.priority, 1);
    message.link_prev = lane.tail;
    broker.messages[lane.tail].lane_next = slot;
    lane.tail = slot;
    return lane;
}

}  // namespace

std::uint64_t lane_key_of(const HashKey& key, const Message& message) {
    return lane_key(key, message.mailbox, message.envelope->task());
}

std::optional<Lane> find_lane(const Broker& broker, const HashKey& key, std::uint64_t lane_key) {
    const auto found = broker.lanes.find(lane_key);
    if (found != broker.lanes.end()) return found->second;
    const auto* single = find_single(broker, key, lane_key);
    return single == nullptr ? std::nullopt : std::optional{lane_of_one(broker, single->slot)};
}

Lane join_lane(Broker& broker, const HashKey& key, std::uint64_t lane_key, Slot slot) {
    const auto found = broker.lanes.find(lane_key);
    if (found != broker.lanes.end()) return append(broker, found->second, slot);
    const auto* single = find_single(broker, key, lane_key);
    if (single == nullptr) {
        add_single(broker, lane_key, slot);
        return lane_of_one(broker, slot);
    }
    auto& lane = broker.lanes.emplace(lane_key, lane_of_one(broker, single->slot)).first->second;
    broker.singles.remove(single);
    return append(broker, lane, slot);
}

std::optional<Lane> quit_lane(Broker& broker, const HashKey& key, Slot slot) {
    auto& message = broker.messages[slot];
    const auto lane_key = lane_key_of(key, message);
    const auto found = broker.lanes.find(lane_key);
    if (found == broker.lanes.end()) {
        const auto* single =
            broker.singles.find(HashedSlot::place_of(lane_key),
                                [&](const HashedSlot& row) { return row.slot == slot; });
        if (single != nullptr) broker.singles.remove(single);
        return std::nullopt;
    }
    auto& lane = found->second;
    const Slot next = message.lane_next;
    const bool was_head = lane.head == slot;
    count_urgent(lane, message.priority, std::uint32_t(-1));
    message.lane_next = kNoSlot;
    if (was_head) {
        lane.head = next;
    } else {
        broker.messages[message.link_prev].lane_next = next;
        (next == kNoSlot ? lane.tail : broker.messages[next].link_prev) = message.link_prev;
        message.link_prev = kNoSlot;
    }
    const auto left = lane;
    if (left.head == left.tail) {
        broker.lanes.erase(found);
        add_single(broker, lane_key, left.head);
    }
    return was_head ? std::optional{left} : std::nullopt;
}

}  // namespace parlance::core::broker
