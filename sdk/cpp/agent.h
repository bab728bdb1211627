// An agent on its connection: sends hello, batches the agent's verbs, reads the hub's frames.
//
// The usual layer for programs, above client.h. Verbs queued with say() leave with flush(), many in
// one frame; receive() flushes first, so a loop around receive() never forgets a flush.
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

/// The contents of the hub's welcome.
struct Terms {
    std::string hub{};
    std::string version{};
    std::string instance{};
    std::uint32_t send_credit = 1;
    std::chrono::milliseconds heartbeat{10'000};
    std::size_t frame_bytes_max = kFrameBytesMax;  ///< The hub's frame limit.
};

class Agent {
  public:
    /// Connects, sends hello and waits for the welcome. A refused hello is an Error of
    /// Fault::Malformed with "CODE: why"; an absent hub is Fault::Unavailable.
    static Result<Agent> connect(const AgentOptions& options);

    const Terms& terms() const { return terms_; }
    FrameWriter& say() { return writer_; }
    /// Sends the queued verbs. Timely flushes keep a frame well below the hub's limit; a frame
    /// above the limit is dropped, unsent, with an Error of Fault::Malformed.
    Result<void> flush();
    /// True if the queued frame is large enough to flush.
    bool is_full() const { return writer_.bytes() >= kFrameBytesTarget; }
    /// The longest message of a reply, in a separate frame.
    std::size_t reply_bytes_max() const;
    /// True if a reply with a message of `bytes` fits into the queued frame.
    bool has_room_for_reply(std::size_t bytes) const {
        return writer_.bytes() + bytes <= reply_bytes_max();
    }
    /// Flushes, then waits for a frame; false when no frame came in time. Sends due heartbeats. The
    /// frame's views are valid until the next call.
    Result<bool> receive(HubFrame& frame, std::chrono::milliseconds wait);
    /// Like receive(), without waiting, for a socket reported ready by poll(2). Call until false:
    /// several frames may have come at once.
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
    std::string stashed_{};      ///< The frame of the welcome, which may already carry deliveries.
    std::string read_{};         ///< The stashed frame while in use by the caller.
    Clock::time_point heard_{};  ///< When the hub last heard from this agent.
};

}  // namespace parlance::sdk
