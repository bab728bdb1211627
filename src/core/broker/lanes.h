// The messages of one task in one mailbox, one behind the other. Which of them may be handed over,
// and as how urgent, the broker says.
//
// Most lanes have one message, and there may be a million of these: such a lane is a row of eight
// bytes, and its message says which lane it is.
#pragma once

#include <cstdint>
#include <optional>

#include "core/broker/broker.h"
#include "core/handles.h"

namespace parlance::core::broker {

/// Of the lane in which a message belongs; 0: it has no task, and stands in none.
std::uint64_t lane_key_of(const HashKey& key, const Message& message);

std::optional<Lane> find_lane(const Broker& broker, const HashKey& key, std::uint64_t lane_key);

/// Puts a message at the end of its lane, which is that of this key. The lane as it is now.
Lane join_lane(Broker& broker, const HashKey& key, std::uint64_t lane_key, Slot slot);

/// Takes a message out of its lane, if it is in one. The lane, if it has another head now.
std::optional<Lane> quit_lane(Broker& broker, const HashKey& key, Slot slot);

}  // namespace parlance::core::broker
