// One accepted connection as bytes: reads when there are some, sends once a turn, closes gently.
// What the bytes mean is the business of its Speaker: HTTP first, perhaps a WebSocket later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/loop_impl.h"

namespace parlance::transport {

class Wire;

/// What a connection speaks at the moment. May outlive its wire in the hands of the gateway.
class Speaker {
  public:
    Speaker() = default;
    Speaker(const Speaker&) = delete;
    Speaker& operator=(const Speaker&) = delete;
    virtual ~Speaker() = default;

    /// Takes bytes from the front, says how many are done with. May overwrite what it takes.
    virtual std::size_t take(char* bytes, std::size_t count) = 0;
    /// Whether to read on while `waiting` bytes are not taken yet.
    virtual bool wants_more(std::size_t waiting) const = 0;
    virtual std::size_t read_bytes_max() const = 0;  ///< Of one read.
    virtual std::size_t held_bytes() const = 0;      ///< Taken, and part of no whole request yet.
    /// Whether nothing is under way, so that the connection can be closed without harm.
    virtual bool is_idle() const = 0;
    virtual bool has_served() const = 0;  ///< Whether a whole request came on this connection.
    virtual void fail_allocation() = 0;   ///< Memory ran out while bytes were taken.
    virtual void peer_finished() = 0;     ///< The peer sends no more; it may still read.
    virtual void wire_lost() = 0;         ///< The wire is gone and must not be touched again.
    virtual void sweep() = 0;             ///< Now and then: time limits.
    virtual void shut_down(std::uint16_t code, const std::string& reason) = 0;  ///< Ours to end.
    /// The server is going away: forget the wire without telling anyone.
    virtual void abandon() = 0;
};

/// What all connections of one server share.
struct Hall {
    Loop::Impl& loop;
    DoorLimits limits;
    Doors doors;
    std::shared_ptr<const TlsContext> tls{};  ///< Nothing: bytes are said in the clear.
    DoorCounts counts{};
    std::vector<char> scratch{};  ///< Where every read lands; a connection keeps only leftovers.
    std::string opened{};         ///< The same as it was said, where it came over TLS.
    std::vector<std::shared_ptr<Wire>> wires{};
    std::map<net::ip::address, std::size_t> wires_per_peer{};
    std::size_t probes_open = 0;  ///< Connections above the limit that may ask for probe_paths.
    std::uint64_t reads = 0;      ///< Of all connections: who was heard before whom.

    Response refusal(int status, std::string_view what) const;
    void admit(const std::shared_ptr<Wire>& wire);
    void forget(Wire& wire);
    /// Closes the slowest readers until all connections together hold an eighth less than they may.
    void close_slowest();
    /// Closes idle connections at once: those that never made a request, then those that have been
    /// silent for longest. Returns how many.
    /// Those that never made a request must be as old as `age_min`.
    std::size_t close_idle(std::size_t count_max, Duration age_min);
};

class Wire final : public Flusher, public std::enable_shared_from_this<Wire> {
  public:
    Wire(std::shared_ptr<Hall> hall, TcpSocket socket, net::ip::tcp::endpoint peer);

    void start(std::shared_ptr<Speaker> speaker);
    /// From here on another speaker; the rest of the bytes go to it.
    void become(std::shared_ptr<Speaker> speaker);

    Hall& hall() { return *hall_; }
    net::ip::address peer_address() const { return peer_.address(); }
    std::string peer_text() const;
    Instant heard_at() const { return heard_at_; }  ///< When bytes last came.
    std::size_t backlog_bytes() const { return said_.size() + out_.size() - out_sent_; }
    bool is_doomed() const { return doomed_; }  ///< About to be dropped: nothing more is sent.
    /// Whether the peer must read before more is taken from it.
    bool is_paused() const { return backlog_bytes() > hall_->limits.unsent_bytes_pause; }
    /// When the peer last showed life: while it is not read, by reading.
    Instant alive_at() const { return waits_ ? std::max(heard_at_, progress_at_) : heard_at_; }
    /// The client's, if it showed one.
    const std::shared_ptr<const TlsCertificate>& certificate() const { return certificate_; }

    std::string& out();  ///< Append here; it leaves after this turn.
    /// The speaker leaves bytes untaken: it goes on in the next turn, once the peer keeps up.
    void yield();
    /// Brings Hall::counts.buffered_bytes up to date with this wire.
    void count_buffered();
    /// Whether it can be closed for another; if it never made a request, it must be `age_min` old.
    bool is_idle(Duration age_min) const;
    void mark_as_probe();
    /// The descriptor, if no request is under way, no byte waits, and bytes are said in the clear.
    std::optional<int> idle_socket();
    /// Sends what is queued, as far as that goes at once; flush() does the rest. Not over TLS.
    void send_early();
    void resume();            ///< The speaker takes bytes again.
    void finish();            ///< Send what is queued, then close.
    void shed();              ///< Close after this turn: the peer does not keep up.
    void shed_slow_reader();  ///< The same for a peer that does not read; its bytes go at once.
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
    std::string said_;          ///< Over TLS: queued, and not sealed yet.
    std::string out_;           ///< Queued, as it goes out.
    std::size_t out_sent_ = 0;  ///< How much of it has left.
    std::size_t index_ = 0;     ///< In Hall::wires.
    std::size_t buffered_ = 0;  ///< As it stands in Hall::counts.
    Instant buffered_since_;    ///< Since when there are bytes in the buffers.
    Instant opened_at_;
    Instant heard_at_;
    std::uint64_t heard_order_ = 0;  ///< In Hall::reads; the clock stands still during a turn.
    Instant progress_at_;            ///< When queued bytes last left.
    std::optional<Instant>
        drain_until_;           ///< Closed by us; reading only so that the answer arrives.
    bool has_waiting_ = false;  ///< There are bytes in the buffers.
    bool is_probe_ = false;     ///< Counts in Hall::probes_open.
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
