// An agent on its connection: says hello, gathers what it has to say, reads what the hub says.
//
// The layer above client.h that programs usually want. What is said with say() leaves with
// flush(), many verbs in one frame; receive() flushes first, so a loop around it never forgets.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sdk/cpp/backoff.h"
#include "sdk/cpp/client.h"
#include "sdk/cpp/frame_reader.h"
#include "sdk/cpp/frame_writer.h"

namespace parlance::sdk {

struct AgentOptions {
    HubAddress hub{};
    Identity identity{};
    Hello hello{};
    std::chrono::milliseconds timeout{std::chrono::seconds{10}};
};

/// What the hub said when it welcomed us.
struct Terms {
    std::string hub{};
    std::string version{};
    std::string instance{};
    std::uint32_t send_credit = 1;
    std::chrono::milliseconds heartbeat{10'000};
    std::size_t frame_bytes_max = kFrameBytesMax;  ///< What the hub takes at once.
};

class Agent {
  public:
    /// Connects, says hello and waits for the welcome. A hub that refuses the hello is an Error
    /// of Fault::Malformed with "CODE: why"; one that is not there is Fault::Unavailable.
    static Result<Agent> connect(const AgentOptions& options);

    const Terms& terms() const { return terms_; }
    FrameWriter& say() { return writer_; }
    /// Sends what was said. A frame is kept well below the hub's limit by flushing in time; one
    /// that is above it is dropped, unsent, with an Error of Fault::Malformed.
    Result<void> flush();
    /// Whether a flush() is due because the frame has grown.
    bool is_full() const { return writer_.bytes() >= kFrameBytesTarget; }
    /// The longest message that a reply can bring, in a frame of its own.
    std::size_t reply_bytes_max() const;
    /// Whether a reply with a message of so many bytes fits beside what was said already.
    bool has_room_for_reply(std::size_t bytes) const {
        return writer_.bytes() + bytes <= reply_bytes_max();
    }
    /// Flushes, then waits for one frame; false when none came in time. Sends a heartbeat when
    /// one is due. The frame's views are valid until the next call.
    Result<bool> receive(HubFrame& frame, std::chrono::milliseconds wait);
    /// As receive(), when poll(2) has said that the socket is ready: returns without waiting.
    /// Call it until it says false, for several frames may have come at once.
    Result<bool> receive_ready(HubFrame& frame) { return receive(frame, {}); }
    void close() { connection_.close(); }
    int socket() const { return connection_.socket(); }

  private:
    static constexpr std::size_t kFrameBytesTarget = std::size_t{256} << 10;
    using Clock = std::chrono::steady_clock;

    explicit Agent(Connection connection) : connection_(std::move(connection)) {}
    Result<void> welcome(std::chrono::milliseconds timeout);

    Connection connection_;
    FrameWriter writer_{};
    Terms terms_{};
    std::string stashed_{};      ///< The frame of the welcome: it may already carry deliveries.
    std::string read_{};         ///< The same while the caller looks at it.
    Clock::time_point heard_{};  ///< When the hub last heard of us.
};

}  // namespace parlance::sdk
