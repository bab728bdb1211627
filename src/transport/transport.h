// The doors: HTTP/1.1 and WebSocket on one port, over TLS or not. Moves frames, knows no meaning.
//
// Everything happens on the thread that runs the Loop; callbacks come there, one at a time, and
// every function here must be called there. Boost.Beast is behind this header, never in it.
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

/// The reactor. `between` runs after each group of handlers and before the loop sleeps: it is
/// where the engine takes its turn over whatever arrived.
class Loop {
  public:
    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    void run(const std::function<void()>& between);
    void stop();                            ///< From any thread.
    void post(std::function<void()> work);  ///< From any thread.
    void after(Duration delay, std::function<void()> work);
    /// Sends what is queued now, instead of after the turn. Not from inside a handler of the doors.
    void flush();
    /// At most so many calls of post() are open at a time; further ones fail at once.
    void limit_outgoing(std::size_t calls_max);
    /// Runs `work` on SIGINT, SIGTERM and SIGHUP instead of the default.
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
    Duration idle_time_max{std::chrono::seconds{120}};  ///< Keep-alive connections with no request.
    Duration ping_interval{std::chrono::seconds{15}};   ///< A socket that answers no ping is shed.
    std::size_t write_backlog_bytes_max = std::size_t{64} << 20;  ///< A reader this slow is shed.
    /// A connection with more unsent bytes than this is neither read nor parsed until its peer has
    /// read some of them.
    std::size_t unsent_bytes_pause = kUnsentBytesPause;
    /// Bytes that all connections together may hold: unsent responses, received bytes that are no
    /// whole request yet, and requests that have waited for an answer for a while. Above it, the
    /// connections that hold theirs for longest are closed.
    std::size_t buffered_bytes_max = std::size_t{80} << 20;
    /// A client that pipelines gets this many requests processed per turn of the loop.
    std::size_t requests_per_turn_max = 4;
    /// The same for WebSocket frames. Larger, because frames of one turn share one disk sync.
    std::size_t frames_per_turn_max = 256;
    /// A connection that has served may be closed to make room once it is silent for so long:
    /// clients pause between two requests.
    Duration silence_before_idle{std::chrono::seconds{1}};
    std::size_t connections_max = 10'000;
    std::size_t connections_per_peer_max = 10'000;
    /// These paths are also answered on a few connections above those limits.
    std::array<std::string_view, 2> probe_paths{};
    Duration handshake_time_max{std::chrono::seconds{5}};  ///< Of TLS.
};

struct Request {
    std::string method{};
    std::string path{};                          ///< Percent-decoded, without the query.
    std::vector<std::size_t> slashes_encoded{};  ///< Where in the path: these part no names.
    std::vector<std::pair<std::string, std::string>> query{};  ///< Decoded.
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    std::string peer{};  ///< "127.0.0.1:50312"
    /// The client's own, if it showed one over TLS and its chain and dates are right.
    std::shared_ptr<const TlsCertificate> certificate{};

    /// The value of a header, whatever its case; empty if it is not there.
    std::string_view header(std::string_view name) const;
    std::string_view parameter(std::string_view name) const;
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
};

/// One HTTP request that awaits its answer. Answered once; dropping it unanswered says 500.
class Exchange {
  public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;
    virtual const Request& request() const = 0;
    /// Gives back the memory of the request's body, for an answer that may take long: request() has
    /// an empty one from then on.
    virtual void release_body() {}
    virtual void respond(Response response) = 0;
    /// Begins an answer without an end (server-sent events): head first, then chunks.
    virtual void begin_stream(Response head) = 0;
    virtual void write(std::string chunk) = 0;
    virtual std::size_t backlog_bytes() const = 0;
    virtual void end_stream() = 0;
    /// Runs once if the peer goes away before the answer is complete.
    virtual void on_gone(std::function<void()> gone) = 0;
};

/// One WebSocket connection. Frames queued in one turn of the loop leave in one write.
class Socket {
  public:
    Socket() = default;
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    virtual ~Socket() = default;
    virtual const Request& request() const = 0;  ///< The upgrade.
    virtual void send(std::string frame) = 0;
    virtual void close(std::uint16_t code, std::string reason) = 0;
    virtual std::size_t backlog_bytes() const = 0;
    /// Whether the hub stopped reading this peer because of its backlog, while the peer still
    /// reads: the peer's heartbeats wait unread then, and its reading is the sign of life.
    virtual bool is_paused_and_draining() const { return false; }
    virtual void on_frame(std::function<void(std::string_view)> frame) = 0;
    virtual void on_gone(std::function<void()> gone) = 0;
};

struct Doors {
    std::function<void(std::shared_ptr<Exchange>)> on_request;
    /// Decides a request by its header while its body has not arrived: nothing to read the body, or
    /// the answer that refuses the request. The body is then not read and the connection closes.
    std::function<std::optional<Response>(const Request&)> on_header;
    /// Decides an upgrade: nothing to accept it, or the answer that refuses it.
    std::function<std::optional<Response>(const Request&)> on_upgrade;
    std::function<void(std::shared_ptr<Socket>)> on_socket;
    /// Makes the body of the answer to what the door itself refuses: status, what is wrong.
    std::function<Response(int, std::string_view)> on_refused;
    /// A body or a frame is larger than the door takes: its request, or the upgrade that the
    /// connection began with, without any of it; and what is wrong.
    std::function<void(const Request&, std::string_view)> on_too_large;
};

struct DoorCounts {
    std::uint64_t connections_open = 0;
    std::uint64_t connections_total = 0;
    std::uint64_t connections_shed = 0;
    std::uint64_t slow_readers_closed = 0;  ///< For bytes that they did not read; also in shed.
    std::uint64_t idle_closed = 0;          ///< To make room for a new connection.
    std::uint64_t accepts_failed = 0;       ///< For want of descriptors or of the system's memory.
    std::uint64_t out_of_memory = 0;        ///< Requests and connections that an allocation failed.
    std::uint64_t buffered_bytes = 0;       ///< See DoorLimits::buffered_bytes_max.
    std::uint64_t connections_max = 0;      ///< As of DoorLimits.
    std::uint64_t requests_total = 0;
    std::uint64_t frames_in_total = 0;
    std::uint64_t frames_out_total = 0;
    std::uint64_t bytes_in_total = 0;
    std::uint64_t bytes_out_total = 0;
};

class Server {
  public:
    /// With `tls` nothing else is spoken at this door.
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
    virtual std::uint16_t port() const = 0;  ///< The real one, when 0 was asked for.
    virtual DoorCounts counts() const = 0;
    virtual void stop_accepting() = 0;
    virtual void close_all(std::uint16_t code, const std::string& reason) = 0;
    /// Shows the certificate that these files hold by now to whoever comes from here on; who is
    /// there already stays. If they cannot be used, all is as it was. Only for a door with TLS.
    virtual Result<void> renew(const TlsFiles& tls) = 0;
};

/// Posts to an http:// address and gives the answer, or what went wrong, exactly once.
/// Whether it is an http:// address that post() can call, and the host in it, without brackets.
Result<std::string> check_url(const std::string& url);

struct Outgoing {
    std::string url{};
    bool only_public = false;  ///< An address that is somebody's own is not called.
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    Duration timeout{std::chrono::seconds{30}};
    std::size_t body_bytes_max = std::size_t{1} << 20;
};
/// Fault::NotFound says that nobody took the connection, and so nobody has heard of it.
void post(Loop& loop, Outgoing outgoing, std::function<void(Result<Response>)> done);

}  // namespace parlance::transport
