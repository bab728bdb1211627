// A frame of the hub, as views into the frame's text. See docs/reference/websocket.md.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace parlance::sdk {

struct Welcome {
    std::string_view hub{};
    std::string_view version{};
    std::string_view agent{};
    std::string_view instance{};
    std::uint32_t send_credit = 1;
    std::uint32_t heartbeat_ms = 10'000;
    std::uint32_t frame_bytes_max = std::uint32_t{1} << 20;
};

struct Accepted {
    std::string_view message_id{};
    std::string_view correlation_id{};
    std::uint64_t sequence = 0;
    bool is_duplicate = false;
    std::uint32_t missed_count = 0;  ///< Subscribers of the topic without room for a copy.
};

struct Refused {
    std::string_view message_id{};
    std::string_view delivery_id{};  ///< Set for a refused delivery.
    std::string_view code{};
    std::string_view message{};
    bool is_retryable = false;
    std::uint32_t retry_after_ms = 0;
};

struct Delivery {
    std::string_view delivery_id{};
    std::uint32_t attempt = 1;
    std::string_view message{};  ///< The message's JSON, as received.
    /// JSON: the delegation limits on the hub's record, whatever the requester wrote. Empty: the
    /// request is in no delegation tree.
    std::string_view grant{};
    /// JSON: for an answer, the state this agent saved with its request. Empty: none.
    std::string_view state{};
};

/// A delivery of a cancelled request. The delivery is settled: a reply would be refused, and the
/// work may stop.
struct Cancelled {
    std::string_view delivery_id{};
    std::string_view reason{};
};

struct Progress {
    std::string_view message_id{};
    std::string_view note{};  ///< JSON.
};

struct HubError {
    std::string_view code{};
    std::string_view message{};
};

/// A frame. Reusable: the vectors keep their memory from frame to frame.
struct HubFrame {
    std::optional<Welcome> welcome{};
    std::vector<Accepted> accepted{};
    std::vector<Refused> refused{};
    std::vector<Delivery> deliveries{};
    /// Handle after deliveries: the frame may cancel its own deliveries.
    std::vector<Cancelled> cancelled{};
    std::vector<Progress> progress{};
    std::uint64_t settled = 0;
    std::optional<HubError> error{};

    /// Storage for unescaped texts; the views above point here or into the frame.
    std::deque<std::string> unescaped{};
    /// Outline of the last frame, down to the members of its items.
    json::Outline outline{.depth_max = 3};

    void clear();
};

/// Reads `text` into `frame`, whose views live as long as both `text` and `frame`. Unknown verbs
/// are skipped: a newer hub may have more verbs.
Result<void> read_frame(std::string_view text, HubFrame& frame);

/// True if the frame cancels this delivery.
bool is_cancelled(const HubFrame& frame, std::string_view delivery_id);

}  // namespace parlance::sdk
