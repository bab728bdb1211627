// HTTP/1.1 on a connection: one exchange at a time, answers in order, periodic checks of time
// limits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "transport/parser.h"
#include "transport/wire.h"

namespace parlance::transport {

class HttpExchange;

class HttpSpeaker final : public Speaker, public std::enable_shared_from_this<HttpSpeaker> {
  public:
    explicit HttpSpeaker(Wire& wire);

    std::size_t take(char* bytes, std::size_t count) override;
    bool wants_more(std::size_t waiting) const override;
    std::size_t read_bytes_max() const override;
    std::size_t held_bytes() const override { return parser_.body_bytes() + awaiting_bytes_; }
    bool is_idle() const override;
    bool is_overdue() const override;
    bool has_served() const override { return has_served_; }
    void fail_allocation() override;
    void peer_finished() override;
    void wire_lost() override;
    void sweep() override;
    void shut_down(std::uint16_t code, const std::string& reason) override;
    void abandon() override;

    /// Sends a refusal in the listener's name, then closes.
    void refuse(int status, std::string_view what);
    /// Refuses because the listener has its maximum number of connections.
    void refuse_for_room();
    /// Refuses in the same way every request except for DoorLimits::probe_paths.
    void answer_probes_only() { probes_only_ = true; }

  private:
    friend class HttpExchange;

    bool on_progress(Progress progress);
    bool on_header();
    bool is_refused_by_header();
    void on_request();
    void upgrade();
    void answer(const Response& response);
    void begin_stream(const Response& head);
    void write_chunk(std::string_view chunk);
    void end_stream();
    void answer_done();
    void finish();
    bool is_open() const { return wire_ != nullptr && !closed_ && !wire_->is_doomed(); }
    void too_slow(std::string_view what);
    void tell_too_large();

    Wire* wire_;
    RequestParser parser_;
    std::string peer_;
    HttpExchange* exchange_ = nullptr;  ///< Awaits its answer; clears this pointer at its end.
    /// The memory of the request that exchange_ answers. Measured by the sweep, because most
    /// requests are answered earlier.
    std::size_t awaiting_bytes_ = 0;
    Instant since_;  ///< When the present wait began.
    bool keep_alive_ = true;
    bool http_11_ = true;
    bool head_only_ = false;
    bool streaming_ = false;
    bool probes_only_ = false;
    bool first_ = true;  ///< No byte of a request has arrived yet.
    bool has_served_ = false;
    bool is_header_decided_ = false;  ///< Doors::on_header has seen this request.
    bool closed_ = false;             ///< The last byte is queued.
};

}  // namespace parlance::transport
