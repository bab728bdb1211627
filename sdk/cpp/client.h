// The C++ client of a Parlance hub: HTTP for single calls, one WebSocket for everything at once.
//
// Blocking and single-threaded by design: one Client or Connection per thread. It needs POSIX
// sockets, OpenSSL, simdjson and fmt, so a program can take this folder and a few files of base/
// along.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tls.h"

namespace parlance::sdk {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HubAddress {
    std::string host = "127.0.0.1";
    std::uint16_t port = 7420;
    bool is_tls = false;
    TlsFiles tls{};       ///< Whom to trust, and perhaps the certificate that we show.
    std::string token{};  ///< Sent as a bearer token.
    /// How long the first connection is tried again while nobody listens there: a hub that is just
    /// being started. A signal ends it.
    std::chrono::milliseconds patience{0};

    /// Whether we prove who we are. If not, as with --dev, an Identity says it.
    bool has_proof() const { return !token.empty() || (is_tls && !tls.certificate.empty()); }
    /// "127.0.0.1:7420", "http://localhost:7420", "[::1]:7420", "https://hub.example:7420".
    static Result<HubAddress> parse(std::string_view text);
};

/// Who we say to be; a hub believes it with --dev only.
struct Identity {
    std::string agent;          ///< Sent as Parlance-Agent.
    std::string operator_name;  ///< Sent as Parlance-Operator.
};

struct HttpResponse {
    int status = 0;
    Headers headers;
    std::string body;
    std::string_view header(std::string_view name) const;
};

/// Calls over one kept-alive connection; reconnects once when the hub has closed it.
class Client {
  public:
    Client(HubAddress hub,
           Identity identity,
           std::chrono::milliseconds timeout = std::chrono::seconds{60});
    ~Client();
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;

    Result<HttpResponse> call(std::string_view method,
                              std::string_view target,
                              std::string_view body = {},
                              const Headers& headers = {});
    /// Begins a call whose answer has no end; lines come one by one (server-sent events).
    Result<HttpResponse> open_stream(std::string_view target, const Headers& headers = {});
    /// The next line without its end; nothing when the stream has ended or the time is over.
    Result<std::optional<std::string>> next_line(std::chrono::milliseconds wait);
    bool is_streaming() const;  ///< Whether a stream is open: tells its end from mere silence.

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What a hub takes as one frame unless it says otherwise.
inline constexpr std::size_t kFrameBytesMax = std::size_t{1} << 20;

/// A WebSocket connection to /v1/connect: frames of JSON text, in and out.
class Connection {
  public:
    static Result<Connection> open(const HubAddress& hub,
                                   const Identity& identity,
                                   std::chrono::milliseconds timeout = std::chrono::seconds{10});
    ~Connection();
    Connection(Connection&&) noexcept;
    Connection& operator=(Connection&&) noexcept;

    /// A frame above the limit is an Error of Fault::Malformed: the hub would close the connection
    /// over it, and give what this agent holds to another.
    Result<void> send(std::string_view frame);
    /// What the hub takes as one frame; kFrameBytesMax until it is said.
    void limit_frames(std::size_t bytes_max);
    /// The next frame; nothing when none came within `wait`. Pings are answered inside.
    /// The view is valid until the next call.
    Result<std::optional<std::string_view>> receive(std::chrono::milliseconds wait);
    void close();
    int socket() const;  ///< For poll(2) beside other descriptors.

  private:
    struct Impl;
    explicit Connection(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace parlance::sdk
