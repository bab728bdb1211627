// The C++ client of a Parlance hub: HTTP for single calls, a WebSocket for everything at once.
//
// Blocking and single-threaded by design: one Client or Connection per thread. Depends on POSIX
// sockets, OpenSSL, simdjson and fmt, so a program can include this folder and a few files of base/
// directly.
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
    TlsFiles tls{};       ///< The trusted authority, and optionally the client certificate.
    std::string token{};  ///< Sent as a bearer token.
    /// How long the first connection is retried while no hub listens: for a hub that is just
    /// starting. A signal ends the wait.
    std::chrono::milliseconds patience{0};

    /// True with a token or client certificate. Without, as with --dev, the Identity names the
    /// caller.
    bool has_proof() const { return !token.empty() || (is_tls && !tls.certificate.empty()); }
    /// "127.0.0.1:7420", "http://localhost:7420", "[::1]:7420", "https://hub.example:7420".
    static Result<HubAddress> parse(std::string_view text);
};

/// The claimed caller; a hub believes the claim with --dev only.
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

/// Calls over one kept-alive connection; reconnects once when the hub has closed the connection.
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
    /// Begins a call with an endless answer, read line by line (server-sent events).
    Result<HttpResponse> open_stream(std::string_view target, const Headers& headers = {});
    /// The next line without its newline; nothing at the end of the stream or after `wait`.
    Result<std::optional<std::string>> next_line(std::chrono::milliseconds wait);
    bool is_streaming() const;  ///< False once the stream has ended: tells the end from silence.

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The hub's default frame limit.
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

    /// A frame above the limit is an Error of Fault::Malformed: the hub would close the connection,
    /// and redeliver this agent's messages.
    Result<void> send(std::string_view frame);
    /// Sets the hub's frame limit; kFrameBytesMax before the first call.
    void limit_frames(std::size_t bytes_max);
    /// The next frame; nothing when no frame came within `wait`. Pings are answered internally. The
    /// view is valid until the next call.
    Result<std::optional<std::string_view>> receive(std::chrono::milliseconds wait);
    void close();
    int socket() const;  ///< For poll(2) beside other descriptors.

  private:
    struct Impl;
    explicit Connection(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace parlance::sdk
