// What one frame of the hub says, as views into the frame. See docs/protocols/connect.md.
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
    std::uint32_t missed_count = 0;  ///< Subscribers of the topic that had no room for it.
};

struct Refused {
    std::string_view message_id{};
    std::string_view delivery_id{};  ///< Set when it is about a delivery.
    std::string_view code{};
    std::string_view message{};
    bool is_retryable = false;
    std::uint32_t retry_after_ms = 0;
};

struct Delivery {
    std::string_view delivery_id{};
    std::uint32_t attempt = 1;
    std::string_view message{};  ///< The message's JSON, as it came.
    /// JSON: what the hub's record gives with it, whatever its asker wrote. Empty: it is in no
    /// tree.
    std::string_view grant{};
    /// JSON: of an answer, what this agent laid down when it asked. Empty: nothing.
    std::string_view state{};
};

/// A delivery of ours whose answer nobody wants any more. It is settled: an answer would only be
/// refused, and the work may stop.
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

/// One frame. Reuse it: the vectors keep their memory from frame to frame.
struct HubFrame {
    std::optional<Welcome> welcome{};
    std::vector<Accepted> accepted{};
    std::vector<Refused> refused{};
    std::vector<Delivery> deliveries{};
    std::vector<Cancelled> cancelled{};  ///< Look here last: one may have come in this very frame.
    std::vector<Progress> progress{};
    std::uint64_t settled = 0;
    std::optional<HubError> error{};

    /// Holds the texts that had escapes; the views above point here or into the frame.
    std::deque<std::string> unescaped{};
    /// Of the frame that was read last, as far in as the members of its items.
    json::Outline outline{.depth_max = 3};

    void clear();
};

/// Reads `text` into `frame`, whose views live as long as `text` and `frame` do. Verbs that are
/// not known are passed over: a newer hub may have more to say.
Result<void> read_frame(std::string_view text, HubFrame& frame);

/// Whether the frame says that the answer to this delivery is not wanted any more.
bool is_cancelled(const HubFrame& frame, std::string_view delivery_id);

}  // namespace parlance::sdk
