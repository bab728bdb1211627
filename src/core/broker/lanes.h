// Lanes: the messages of a task in a mailbox, in order. The broker decides which message may be
// handed over, and how urgently.
//
// Most lanes have a single message, and a hub may hold a million of them: such a lane is a row of
// eight bytes, and its message holds the lane's key.
#pragma once

#include <cstdint>
#include <optional>

#include "core/broker/broker.h"
#include "core/handles.h"

namespace parlance::core::broker {

/// The key of a message's lane; 0: the message has no task and no lane.
std::uint64_t lane_key_of(const HashKey& key, const Message& message);

std::optional<Lane> find_lane(const Broker& broker, const HashKey& key, std::uint64_t lane_key);

/// Puts a message at the end of the lane with this key; returns the lane.
Lane join_lane(Broker& broker, const HashKey& key, std::uint64_t lane_key, Slot slot);

/// Takes a message out of its lane, if any; returns the lane if it has a new head.
std::optional<Lane> quit_lane(Broker& broker, const HashKey& key, Slot slot);

}  // namespace parlance::core::broker
