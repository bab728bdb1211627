// The listener: HTTP/1.1 and WebSocket on one port, with or without TLS. Moves frames and does not
// know what the frames mean.
//
// Everything happens on the thread that runs the Loop: callbacks run there, one at a time, and
// callers must call every function there. Boost.Beast is used behind this header, never in it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/tls.h"

namespace parlance::transport {

/// The reactor. `between` runs after each group of handlers and before the loop sleeps: there the
/// engine takes its turn over the commands that arrived.
class Loop {
  public:
    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    void run(const std::function<void()>& between);
    void stop();                            ///< May be called from any thread.
    void post(std::function<void()> work);  ///< May be called from any thread.
    void after(Duration delay, std::function<void()> work);
    /// Runs `work` after `delay`, unless the returned handle is destroyed before.
    [[nodiscard]] std::shared_ptr<void> alarm(Duration delay, std::function<void()> work);
    /// Sends queued bytes now, instead of after the turn. Not from inside a callback of Doors.
    void flush();
    /// At most this many calls of post() are open at a time; further calls fail at once.
    void limit_outgoing(std::size_t calls_max);
    /// Runs `work` on SIGINT, SIGTERM and SIGHUP instead of the default action.
    void on_signal(std::function<void(int)> work);

    struct Impl;
    Impl& impl() { return *impl_; }

  private:
    std::unique_ptr<Impl> impl_;
};

/// Default of DoorLimits::unsent_bytes_pause; producers of streams pause at the same backlog.
inline constexpr std::size_t kUnsentBytesPause = std::size_t{256} * 1024;

struct DoorLimits {
    std::size_t header_bytes_max = std::size_t{32} * 1024;
    std::size_t header_fields_max = 100;
    Duration header_time_max{std::chrono::seconds{10}};
    std::size_t body_bytes_max = std::size_t{1} << 20;
    Duration body_time_max{std::chrono::seconds{30}};
    std::size_t frame_bytes_max = std::size_t{1} << 20;
    Duration idle_time_max{std::chrono::seconds{120}};  ///< Keep-alive without a request.
    Duration ping_interval{std::chrono::seconds{15}};  ///< A socket that answers no ping is closed.
    std::size_t write_backlog_bytes_max = std::size_t{64} << 20;  ///< A slower reader is closed.
    /// A connection with more unsent bytes than this is neither read nor parsed until the peer has
    /// read some bytes.
    std::size_t unsent_bytes_pause = kUnsentBytesPause;
    /// Bytes that all connections together may hold: unsent responses, received bytes of incomplete
    /// requests, and requests that have waited for an answer for a while. Above this limit, the
    /// connections that have held bytes for longest are closed.
    std::size_t buffered_bytes_max = std::size_t{80} << 20;
    /// A client that pipelines gets this many requests processed per turn of the loop.
    std::size_t requests_per_turn_max = 4;
    /// The same for WebSocket frames. Larger, because frames of one turn share one disk sync.
    std::size_t frames_per_turn_max = 256;
    /// A connection that has served a request may be closed to make room after this much silence:
    /// clients pause between two requests.
    Duration silence_before_idle{std::chrono::seconds{1}};
    /// One whose header has come in part for so long may be closed to make room, too, and one whose
    /// body has.
    Duration header_before_idle{100};
    Duration body_before_idle{std::chrono::seconds{2}};
    std::size_t connections_max = 10'000;
    std::size_t connections_per_peer_max = 10'000;
    /// Requests for these paths are answered also on a few connections above the connection limits.
    std::array<std::string_view, 2> probe_paths{};
    Duration handshake_time_max{std::chrono::seconds{5}};  ///< For the TLS handshake.
};

struct Request {
    std::string method{};
    std::string path{};                          ///< Percent-decoded, without the query.
    std::vector<std::size_t> slashes_encoded{};  ///< Offsets in `path` of slashes sent as %2F.
    std::vector<std::pair<std::string, std::string>> query{};  ///< Decoded.
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    std::string peer{};  ///< "127.0.0.1:50312"
    /// The client's certificate, if presented over TLS, with valid chain and dates.
    std::shared_ptr<const TlsCertificate> certificate{};

    /// The value of a header, ignoring the case of the name; empty if absent.
    std::string_view header(std::string_view name) const;
    std::string_view parameter(std::string_view name) const;
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
};

/// One HTTP request that awaits its answer. Answered once; an exchange dropped unanswered sends a
/// 500.
class Exchange {
  public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;
    virtual const Request& request() const = 0;
    /// Frees the memory of the request's body, for an answer that may take long: from then on
    /// request() has an empty body.
    virtual void release_body() {}
    virtual void respond(Response response) = 0;
    /// Begins an answer of unknown length (server-sent events): head first, then chunks.
    virtual void begin_stream(Response head) = 0;
    virtual void write(std::string chunk) = 0;
    virtual std::size_t backlog_bytes() const = 0;
    virtual void end_stream() = 0;
    /// Runs `gone` once if the peer disconnects before the answer is complete. The exchange keeps
    /// `gone`, and all that `gone` holds, until then or until the exchange is answered.
    virtual void on_gone(std::function<void()> gone) = 0;
};

/// One WebSocket connection. Frames queued in one turn of the loop leave in one write.
class Socket {
  public:
    Socket() = default;
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    virtual ~Socket() = default;
    virtual const Request& request() const = 0;  ///< The upgrade request.
    virtual void send(std::string frame) = 0;
    virtual void close(std::uint16_t code, std::string reason) = 0;
    virtual std::size_t backlog_bytes() const = 0;
    /// Whether the hub stopped reading this peer because of its backlog, while the peer still
    /// reads: the peer's heartbeats then wait unread, and the peer's reading is the sign of life.
    virtual bool is_paused_and_draining() const { return false; }
    virtual void on_frame(std::function<void(std::string_view)> frame) = 0;
    virtual void on_gone(std::function<void()> gone) = 0;
};

struct Doors {
    std::function<void(std::shared_ptr<Exchange>)> on_request;
    /// Decides a request by its header before the body arrives: empty to read the body, or the
    /// refusal. After a refusal the body is not read and the connection closes.
    std::function<std::optional<Response>(const Request&)> on_header;
    /// Decides an upgrade: empty to accept, or the refusal.
    std::function<std::optional<Response>(const Request&)> on_upgrade;
    std::function<void(std::shared_ptr<Socket>)> on_socket;
    /// Makes the answer for requests that the listener itself refuses, from the status and the
    /// problem.
    std::function<Response(int, std::string_view)> on_refused;
    /// Called when a body or a frame exceeds the limit, with the problem and the request without
    /// its body; for a frame, with the connection's upgrade request.
    std::function<void(const Request&, std::string_view)> on_too_large;
};

struct DoorCounts {
    std::uint64_t connections_open = 0;
    std::uint64_t connections_total = 0;
    std::uint64_t connections_shed = 0;
    std::uint64_t slow_readers_closed = 0;  ///< Closed for unread bytes; also in shed.
    std::uint64_t idle_closed = 0;          ///< Closed to make room for a new connection.
    std::uint64_t accepts_failed = 0;       ///< For lack of descriptors or system memory.
    std::uint64_t out_of_memory = 0;        ///< Requests and connections that an allocation failed.
    std::uint64_t buffered_bytes = 0;       ///< See DoorLimits::buffered_bytes_max.
    std::uint64_t connections_max = 0;      ///< As in DoorLimits.
    std::uint64_t requests_total = 0;
    std::uint64_t frames_in_total = 0;
    std::uint64_t frames_out_total = 0;
    std::uint64_t bytes_in_total = 0;
    std::uint64_t bytes_out_total = 0;
};

class Server {
  public:
    /// With `tls`, the listener accepts only TLS.
    static Result<std::unique_ptr<Server>> listen(Loop& loop,
                                                  const std::string& host,
                                                  std::uint16_t port,
                                                  DoorLimits limits,
                                                  Doors doors,
                                                  const std::optional<TlsFiles>& tls = {});
    Server() = default;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    virtual ~Server() = default;
    virtual std::uint16_t port() const = 0;  ///< The actual port, if 0 was requested.
    virtual DoorCounts counts() const = 0;
    virtual void stop_accepting() = 0;
    virtual void close_all(std::uint16_t code, const std::string& reason) = 0;
    /// Presents the certificate now in these files to new connections; existing connections keep
    /// the old certificate. If the files cannot be used, nothing changes. Only for a listener with
    /// TLS.
    virtual Result<void> renew(const TlsFiles& tls) = 0;
};

/// Checks that `url` is an http:// address that post() can call, and returns the host without
/// brackets.
Result<std::string> check_url(const std::string& url);

struct Outgoing {
    std::string url{};
    bool only_public = false;  ///< Private addresses are not called.
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    Duration timeout{std::chrono::seconds{30}};
    std::size_t body_bytes_max = std::size_t{1} << 20;
};
/// Posts to an http:// address and calls `done` exactly once, with the answer or the error.
/// Fault::NotFound: no connection was made, so no server has received the request.
void post(Loop& loop, Outgoing outgoing, std::function<void(Result<Response>)> done);

}  // namespace parlance::transport
