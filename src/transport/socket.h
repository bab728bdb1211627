// A WebSocket on a connection: messages in, frames out, pings to silent peers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "transport/frames.h"
#include "transport/wire.h"

namespace parlance::transport {

class SocketSpeaker final : public Speaker,
                            public Socket,
                            public std::enable_shared_from_this<SocketSpeaker> {
  public:
    SocketSpeaker(Wire& wire, Request request);

    const Request& request() const override { return request_; }
    void send(std::string frame) override;
    void close(std::uint16_t code, std::string reason) override;
    std::size_t backlog_bytes() const override;
    bool is_paused_and_draining() const override;
    void on_frame(std::function<void(std::string_view)> frame) override;
    void on_gone(std::function<void()> gone) override;

    std::size_t take(char* bytes, std::size_t count) override;
    bool wants_more(std::size_t waiting) const override;
    std::size_t read_bytes_max() const override;
    std::size_t held_bytes() const override { return reader_.message_bytes(); }
    bool is_idle() const override { return false; }
    bool has_served() const override { return true; }
    void fail_allocation() override;
    void peer_finished() override;
    void wire_lost() override;
    void sweep() override;
    void shut_down(std::uint16_t code, const std::string& reason) override;
    void abandon() override;

  private:
    bool on_piece(const Piece& piece);
    void say_close(std::uint16_t code, std::string_view reason);
    void end();
    void tell_gone();

    Wire* wire_;
    Request request_;
    FrameReader reader_;
    std::function<void(std::string_view)> frame_;
    std::function<void()> gone_;
    std::optional<Instant> partway_since_;  ///< Since when a message is incomplete.
    Instant asked_at_;                      ///< When the last ping or close was sent.
    bool asked_ = false;                    ///< A ping is unanswered.
    bool closing_ = false;                  ///< A close was sent; later frames are not delivered.
    bool gone_told_ = false;
};

}  // namespace parlance::transport
