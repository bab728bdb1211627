// The doors: HTTP/1.1 and WebSocket on one port, over TLS or not. Moves frames, knows no meaning.
//
// Everything happens on the thread that runs the Loop; callbacks come there, one at a time, and
// every function here must be called there. Boost.Beast is behind this header, never in it.
#pragma once

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
    /// Runs `work` on SIGINT, SIGTERM and SIGHUP instead of the default.
    void on_signal(std::function<void(int)> work);

    struct Impl;
    Impl& impl() { return *impl_; }

  private:
    std::unique_ptr<Impl> impl_;
};

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
    std::size_t connections_max = 10'000;
    std::size_t connections_per_peer_max = 10'000;
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
    virtual void on_frame(std::function<void(std::string_view)> frame) = 0;
    virtual void on_gone(std::function<void()> gone) = 0;
};

struct Doors {
    std::function<void(std::shared_ptr<Exchange>)> on_request;
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
