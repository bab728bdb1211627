// The numbers that bound the hub. Defaults here; the configuration file may change each.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"
#include "model/person.h"

namespace parlance {

struct Limits {
    // Delivery.
    Duration lease{std::chrono::seconds{30}};
    Duration lease_max{std::chrono::hours{1}};  ///< One extension reaches at most this far.
    Duration backoff_base{std::chrono::milliseconds{200}};
    Duration backoff_max{std::chrono::seconds{30}};
    std::uint32_t backoff_multiplier = 2;
    std::uint32_t backoff_jitter_percent = 20;  ///< A wait is shortened by up to this much.
    std::uint32_t retry_count_max = 5;          ///< Where the message gives none.
    std::uint32_t retry_count_ceiling = 100;    ///< Whatever the message gives.
    std::uint32_t low_every = 100;              ///< A waiting lower message gets 1 in so many.

    // Requests.
    Duration request_timeout{std::chrono::minutes{5}};
    Duration request_timeout_max{std::chrono::hours{24 * 7}};

    // Instances.
    Duration heartbeat_timeout{std::chrono::seconds{30}};
    std::uint32_t instance_credit_max = 4096;
    std::uint32_t instances_per_agent_max = 64;
    /// What one take hands out, in bytes of messages; a larger one goes alone.
    std::uint64_t take_bytes_max = std::uint64_t{2} << 20;
    std::uint64_t frame_items_max = 4'096;  ///< In one list of a frame of a connection.

    // Bounds of memory. At each, the sender is told.
    std::uint64_t agents_max = 100'000;
    std::uint64_t topics_max = 100'000;
    std::uint64_t subscribers_per_topic_max = 1'000;
    std::uint64_t mailbox_messages_max = 2'000'000;
    std::uint64_t mailbox_bytes_max = std::uint64_t{4} << 30;
    std::uint64_t hub_bytes_max = std::uint64_t{8} << 30;
    std::uint64_t open_requests_max = 1'000'000;
    std::uint64_t workflows_max = 1'000'000;
    std::uint64_t awake_max = 2'048;               ///< Of each kind of what waits; more lie packed.
    std::uint64_t remembered_ids_max = 1'000'000;  ///< How far back a duplicate is recognised.

    // Streams: what of an answer comes ahead of the whole.
    std::uint64_t stream_parts_max = 4'096;  ///< Of one request.
    std::uint64_t stream_bytes_max = std::uint64_t{4} << 20;
    std::uint64_t streams_ended_max = 1'000;  ///< How many of those that ended can be read.

    // People.
    PeopleRules people{};
    std::uint64_t appeals_max = 1'000'000;
    std::uint64_t appeals_ended_max = 1'000;  ///< How many of those that ended can be looked at.

    // What is shared: contexts, state and sessions.
    std::uint64_t shared_items_max = 1'000'000;  ///< Of all kinds together, facts included.
    std::uint64_t shared_item_bytes_max = std::uint64_t{1} << 20;
    std::uint64_t shared_bytes_max = std::uint64_t{1} << 30;
};

}  // namespace parlance
