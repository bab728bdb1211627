// The hub's answers to status queries: plain copies, safe to keep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/envelope.h"
#include "model/ids.h"
#include "model/message.h"
#include "model/profile.h"

namespace parlance {

struct InstanceListing {
    InstanceNumber number;
    std::string name;
    InstanceKind kind = InstanceKind::Socket;
    std::uint32_t credit = 0;
    std::uint32_t in_flight = 0;
    Time last_seen{};
};

struct AgentListing {
    AgentId agent;
    Profile profile;
    bool is_registered = false;
    bool is_there = false;  ///< An instance is live.
    std::vector<InstanceListing> instances;
    std::uint64_t waiting = 0;    ///< In the mailbox, not handed over.
    std::uint64_t in_flight = 0;  ///< Handed over, not settled.
    std::uint64_t dead = 0;
    std::vector<TopicName> topics;
};

struct DeadLetterListing {
    Ticket ticket;
    AgentId recipient;
    EnvelopePtr envelope;
    Priority priority = Priority::Normal;
    DeliveryFailure failure = DeliveryFailure::RetriesExhausted;
    std::string reason;
    std::uint32_t attempts = 0;
    Time died_at{};
};

struct HubListing {
    std::string hub_id;
    Epoch epoch;  ///< Of this run; delivery tokens of other epochs are stale.
    Sequence sequence;
    std::uint64_t agents = 0;
    std::uint64_t instances = 0;
    std::uint64_t waiting = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t dead = 0;
    std::uint64_t open_requests = 0;
    std::uint64_t bytes = 0;
    std::uint64_t remembered_ids = 0;
};

}  // namespace parlance
