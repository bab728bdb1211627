// The bounds of the hub. Defaults here; the configuration file may change each.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"
#include "model/human_task.h"

namespace parlance {

struct Limits {
    // Delivery.
    Duration lease{std::chrono::seconds{30}};
    Duration lease_max{std::chrono::hours{1}};  ///< Longest extension of a lease.
    Duration backoff_base{std::chrono::milliseconds{200}};
    Duration backoff_max{std::chrono::seconds{30}};
    std::uint32_t backoff_multiplier = 2;
    std::uint32_t backoff_jitter_percent = 20;  ///< A wait is shortened by up to this much.
    std::uint32_t retry_count_max = 5;          ///< Default.
    std::uint32_t retry_count_ceiling = 100;    ///< Bound on a message's own count.
    /// A waiting lower-priority message gets 1 of this many deliveries.
    std::uint32_t low_every = 100;

    // Requests.
    Duration request_timeout{std::chrono::minutes{5}};
    Duration request_timeout_max{std::chrono::hours{24 * 7}};

    // Instances.
    Duration heartbeat_timeout{std::chrono::seconds{30}};
    std::uint32_t instance_credit_max = 4096;
    std::uint32_t instances_per_agent_max = 64;
    /// Bytes of messages per take; a larger message goes alone.
    std::uint64_t take_bytes_max = std::uint64_t{2} << 20;
    std::uint64_t frame_items_max = 4'096;  ///< Per list in a frame of a connection.

    // Bounds of memory. The sender is told at each bound.
    std::uint64_t agents_max = 100'000;
    std::uint64_t topics_max = 100'000;
    std::uint64_t subscribers_per_topic_max = 1'000;
    std::uint64_t mailbox_messages_max = 2'000'000;
    std::uint64_t mailbox_bytes_max = std::uint64_t{4} << 30;
    std::uint64_t hub_bytes_max = std::uint64_t{8} << 30;
    std::uint64_t open_requests_max = 1'000'000;
    std::uint64_t workflows_max = 1'000'000;
    std::uint64_t awake_max = 2'048;               ///< Loaded objects per kind; more are packed.
    std::uint64_t remembered_ids_max = 1'000'000;  ///< Size of the dedup window.

    // Streams: parts of an answer ahead of the whole.
    std::uint64_t stream_parts_max = 4'096;  ///< Per request.
    std::uint64_t stream_bytes_max = std::uint64_t{4} << 20;
    std::uint64_t streams_ended_max = 1'000;  ///< Ended streams kept for reading.

    // People.
    PeopleRules people{};
    std::uint64_t human_tasks_max = 1'000'000;
    std::uint64_t human_tasks_ended_max = 1'000;  ///< Ended human tasks kept for reading.

    // Shared data: contexts, state and sessions.
    std::uint64_t shared_items_max = 1'000'000;  ///< Of all kinds together, facts included.
    std::uint64_t shared_item_bytes_max = std::uint64_t{1} << 20;
    std::uint64_t shared_bytes_max = std::uint64_t{1} << 30;
};

}  // namespace parlance
