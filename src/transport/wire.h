// One accepted connection as bytes: reads when bytes are ready, sends once per turn, closes gently.
// The meaning of the bytes belongs to the connection's Speaker: first HTTP, later perhaps
// WebSocket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/loop_impl.h"

namespace parlance::transport {

class Wire;

/// The protocol on a connection at the moment. May outlive the wire if the gateway holds a
/// reference.
class Speaker {
  public:
    Speaker() = default;
    Speaker(const Speaker&) = delete;
    Speaker& operator=(const Speaker&) = delete;
    virtual ~Speaker() = default;

    /// Takes bytes from the front and returns how many are processed. May overwrite the bytes.
    virtual std::size_t take(char* bytes, std::size_t count) = 0;
    /// Whether to read more while `waiting` bytes are not taken yet.
    virtual bool wants_more(std::size_t waiting) const = 0;
    virtual std::size_t read_bytes_max() const = 0;  ///< Limit for one read.
    virtual std::size_t held_bytes() const = 0;      ///< Taken bytes of incomplete requests.
    /// Whether nothing is in progress, so that closing the connection does no harm.
    virtual bool is_idle() const = 0;
    /// Whether an unfinished request has taken so long that its connection makes room for others.
    virtual bool is_overdue() const { return false; }
    virtual bool has_served() const = 0;  ///< Whether a complete request has arrived.
    virtual void fail_allocation() = 0;   ///< Memory ran out while bytes were taken.
    virtual void peer_finished() = 0;     ///< The peer sends no more; it may still read.
    virtual void wire_lost() = 0;         ///< The wire is gone and must not be touched again.
    virtual void sweep() = 0;             ///< Periodic check of time limits.
    virtual void shut_down(std::uint16_t code, const std::string& reason) = 0;  ///< The hub closes.
    /// The server is destroyed: forget the wire without notifying anyone.
    virtual void abandon() = 0;
};

/// Shared by all connections of one server.
struct Hall {
    Loop::Impl& loop;
    DoorLimits limits;
    Doors doors;
    std::shared_ptr<const TlsContext> tls{};  ///< Null: no encryption.
    DoorCounts counts{};
    std::vector<char> scratch{};  ///< Receives every read; a connection keeps only leftovers.
    std::string opened{};         ///< The decrypted bytes of a TLS connection's read.
    std::vector<std::shared_ptr<Wire>> wires{};
    std::map<net::ip::address, std::size_t> wires_per_peer{};
    std::size_t probes_open = 0;  ///< Connections above the limit that may ask for probe_paths.
    std::uint64_t reads = 0;  ///< Reads on all connections: orders connections by their last read.

    Response refusal(int status, std::string_view what) const;
    void admit(const std::shared_ptr<Wire>& wire);
    void forget(Wire& wire);
    /// Closes the slowest readers until all connections together hold seven eighths of the limit.
    void close_slowest();
    /// Closes idle connections at once: first connections without any request so far, then the
    /// connections that have been silent for longest. Returns the number closed. Connections
    /// without any request so far must be at least `age_min` old.
    std::size_t close_idle(std::size_t count_max, Duration age_min);
    /// Closes those that have their last answer and are only given time to read it.
    void close_lingering(std::size_t count_max);
};

class Wire final : public Flusher, public std::enable_shared_from_this<Wire> {
  public:
    Wire(std::shared_ptr<Hall> hall, TcpSocket socket, net::ip::tcp::endpoint peer);

    void start(std::shared_ptr<Speaker> speaker);
    /// Switches to a different speaker, which gets the remaining bytes.
    void become(std::shared_ptr<Speaker> speaker);

    Hall& hall() { return *hall_; }
    net::ip::address peer_address() const { return peer_.address(); }
    std::string peer_text() const;
    Instant heard_at() const { return heard_at_; }  ///< When bytes last arrived.
    std::size_t backlog_bytes() const { return said_.size() + out_.size() - out_sent_; }
    bool is_doomed() const { return doomed_; }  ///< To be dropped: sends nothing more.
    /// Whether the peer must read before the hub takes more bytes from the peer.
    bool is_paused() const { return backlog_bytes() > hall_->limits.unsent_bytes_pause; }
    /// When the peer last showed life: by sending, or by reading while the hub does not read the
    /// peer.
    Instant alive_at() const { return waits_ ? std::max(heard_at_, progress_at_) : heard_at_; }
    /// The client's certificate, if presented.
    const std::shared_ptr<const TlsCertificate>& certificate() const { return certificate_; }

    std::string& out();  ///< Append here; the bytes leave after this turn.
    /// Called by a speaker that leaves bytes untaken: continues in the next turn, once the peer
    /// keeps up.
    void yield();
    /// Updates Hall::counts.buffered_bytes for this wire.
    void count_buffered();
    /// Whether the wire can be closed to make room; without any request so far, only at an age of
    /// `age_min`.
    bool is_idle(Duration age_min) const;
    bool is_lingering() const { return drain_until_.has_value(); }  ///< All was said to it.
    void mark_as_probe();
    /// The descriptor of an unencrypted connection without a request in progress or an unprocessed
    /// byte.
    std::optional<int> idle_socket();
    /// Sends queued bytes as far as possible at once; flush() sends the rest. Not over TLS.
    void send_early();
    void resume();            ///< The speaker takes bytes again.
    void finish();            ///< Send queued bytes, then close.
    void shed();              ///< Close after this turn: the peer does not keep up.
    void shed_slow_reader();  ///< As shed(), for a peer that does not read; frees its bytes now.
    void drop();              ///< Close now.
    void sweep();
    void abandon();
    void shut_down(std::uint16_t code, const std::string& reason);
    void flush() override;
    void proceed() override;

  private:
    friend struct Hall;

    void await_readable();
    void on_readable();
    void on_sealed(std::size_t count);
    bool is_shaking_hands() const { return tls_ && !tls_->is_open(); }
    void seal_said();
    void break_off();
    bool is_put_off(std::string_view bytes) const;
    void feed_new(char* bytes, std::size_t count);
    void feed_waiting();
    std::size_t feed(char* bytes, std::size_t count);
    void on_end();
    void send_queued();
    void after_sent();
    void await_writable();
    void drop_soon();
    void go_on();
    bool has_unread() const;
    void update_buffered();
    void release_buffers();
    void release_spare();
    template <class Work>
    void with_memory(Work work);
    template <class Work>
    void send(Work work);

    std::shared_ptr<Hall> hall_;
    std::optional<TcpSocket> socket_;  ///< Empty once closed, so that no handle reaches Asio.
    net::ip::tcp::endpoint peer_;
    std::shared_ptr<Speaker> speaker_;
    std::optional<TlsSession> tls_;
    std::shared_ptr<const TlsCertificate> certificate_;
    std::string in_;            ///< Read and not yet taken.
    std::string said_;          ///< Over TLS: queued and not yet encrypted.
    std::string out_;           ///< Queued in its final form.
    std::size_t out_sent_ = 0;  ///< How many bytes of out_ have left.
    std::size_t index_ = 0;     ///< In Hall::wires.
    std::size_t buffered_ = 0;  ///< This wire's part of Hall::counts.
    Instant buffered_since_;    ///< When the buffers last became non-empty.
    Instant opened_at_;
    Instant heard_at_;
    std::uint64_t heard_order_ = 0;       ///< In Hall::reads; the clock stands still during a turn.
    Instant progress_at_;                 ///< When queued bytes last left.
    std::optional<Instant> drain_until_;  ///< Set once closed by us: until when to keep reading.
    bool has_waiting_ = false;            ///< The buffers hold bytes.
    bool is_probe_ = false;               ///< Counted in Hall::probes_open.
    bool dirty_ = false;
    bool reading_ = false;
    bool writing_ = false;
    bool feeding_ = false;
    bool feed_posted_ = false;
    bool waits_ = false;  ///< Not read and not parsed until go_on().
    bool finishing_ = false;
    bool ended_ = false;
    bool doomed_ = false;
    bool has_said_goodbye_ = false;  ///< Over TLS.
};

}  // namespace parlance::transport
