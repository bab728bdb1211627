// Accepts connections, turns away connections above the limits, and checks time limits
// periodically.
#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "transport/descriptors.h"
#include "transport/http.h"
#include "transport/listening_socket.h"
#include "transport/wire.h"

namespace parlance::transport {
namespace {

using Acceptor = net::basic_socket_acceptor<net::ip::tcp, Executor>;

/// Size of one read: large enough for many frames, small enough for the processor's cache.
constexpr std::size_t kReadBytesMax = std::size_t{256} * 1024;
/// Connections above the limit that still get a refusal; further connections are just closed.
constexpr std::size_t kTurnedAwayMax = kConnectionsTurnedAwayMax;
/// Connections above the limit that may ask for a path of DoorLimits::probe_paths.
constexpr std::size_t kProbesMax = 8;
/// When the hub is full, one in this many connections is closed if idle.
constexpr std::size_t kIdleBatchShare = 128;
/// Accepts at most this many connections at a time, before other handlers run.
constexpr std::size_t kAcceptBatchMax = 64;
constexpr Duration kSweepMin{5};
constexpr Duration kSweepMax{1000};
constexpr Duration kAcceptRetry{100};
/// Errors of accept() that closing an idle connection can cure.
constexpr std::array kShortages{EMFILE, ENFILE, ENOBUFS, ENOMEM};

/// A quarter of the shortest limit: one timer serves all connections, late by at most the interval.
Duration sweep_interval(const DoorLimits& limits) {
    const auto shortest = std::min({limits.header_time_max,
                                    limits.body_time_max,
                                    limits.idle_time_max,
                                    limits.ping_interval,
                                    limits.handshake_time_max});
    return std::clamp(shortest / 4, kSweepMin, kSweepMax);
}

/// Kept alive by its own handlers, which may run after the Server is gone.
class Porch : public std::enable_shared_from_this<Porch> {
  public:
    Porch(Loop::Impl& loop, DoorLimits limits, Doors doors, std::shared_ptr<const TlsContext> tls)
        : hall_{std::make_shared<Hall>(Hall{
              .loop = loop, .limits = limits, .doors = std::move(doors), .tls = std::move(tls)})},
          acceptor_{loop.io},
          sweep_timer_{loop.io},
          retry_timer_{loop.io} {
        hall_->scratch.resize(kReadBytesMax);
        hall_->counts.connections_max = limits.connections_max;
    }

    /// An existing session keeps the context with which the session began.
    Result<void> renew(const TlsFiles& tls) {
        hall_->tls = TRY(TlsContext::for_server(tls));
        return {};
    }

    Result<void> open(const std::string& host, std::uint16_t port) {
        auto bare = host;
        if (bare.starts_with('[') && bare.ends_with(']')) bare = bare.substr(1, bare.size() - 2);
        if (bare == "localhost") bare = "127.0.0.1";
        boost::system::error_code error;
        const auto address = net::ip::make_address(bare, error);
        if (error) {
            return fail(Fault::Malformed, fmt::format("'{}' is no IPv4 or IPv6 address", host));
        }
        const net::ip::tcp::endpoint endpoint{address, port};
        acceptor_.open(endpoint.protocol(), error);
        if (!error) acceptor_.set_option(Acceptor::reuse_address{true}, error);
        if (!error) acceptor_.bind(endpoint, error);
        if (!error) acceptor_.listen(Acceptor::max_listen_connections, error);
        if (!error) acceptor_.non_blocking(true, error);
        // Without this option Asio would wait for the next connection, and block the loop.
        if (!error) acceptor_.set_option(Acceptor::enable_connection_aborted{true}, error);
        if (error) {
            return fail(Fault::Unavailable,
                        fmt::format("cannot listen on {}:{}: {}", host, port, error.message()));
        }
        port_ = acceptor_.local_endpoint().port();
        return {};
    }

    void start() {
        accept_next();
        sweep_later();
    }

    /// After leave() no handler of the Porch and no callback of Doors runs.
    void leave() {
        left_ = true;
        stop_accepting();
        sweep_timer_.cancel();
        retry_timer_.cancel();
        for (const auto& wire : std::exchange(hall_->wires, {})) wire->abandon();
    }

    void stop_accepting() {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
    }

    void shut_down(std::uint16_t code, const std::string& reason) {
        for (const auto& wire : hall_->wires) wire->shut_down(code, reason);
    }

    std::uint16_t port() const { return port_; }
    const DoorCounts& counts() const { return hall_->counts; }
    int listener() { return acceptor_.native_handle(); }
    std::vector<int> serve_idle_sockets() const {
        std::vector<int> sockets;
        for (const auto& wire : hall_->wires) {
            wire->send_early();
            if (const auto socket = wire->idle_socket()) sockets.push_back(*socket);
        }
        return sockets;
    }

  private:
    void accept_next() {
        acceptor_.async_wait(Acceptor::wait_read,
                             [self = shared_from_this()](const boost::system::error_code& error) {
                                 if (self->left_ || !self->acceptor_.is_open()) return;
                                 if (error) return self->accept_later(error);
                                 self->accept_waiting();
                             });
    }

    /// Accepts several connections at a time: a handler waits behind the handlers of all busy
    /// connections, and otherwise each new connection would wait as long again.
    void accept_waiting() {
        for (std::size_t count = 0; count < kAcceptBatchMax; ++count) {
            boost::system::error_code error;
            TcpSocket socket{hall_->loop.io};
            acceptor_.accept(socket, error);
            if (error == net::error::would_block) break;
            if (error == net::error::connection_aborted) continue;  // Closed already.
            if (error) return accept_later(error);
            try {
                welcome(std::move(socket));
            } catch (const std::bad_alloc&) {
                ++hall_->counts.out_of_memory;
                return accept_later(net::error::no_memory);
            }
        }
        accept_next();
    }

    /// Retrying at once would only burn the processor. Where descriptors or memory ran out, idle
    /// connections are closed.
    void accept_later(const boost::system::error_code& cause) {
        if (std::ranges::find(kShortages, cause.value()) != kShortages.end()) {
            ++hall_->counts.accepts_failed;
            // Waiting clients lose nothing meanwhile, so connections that may have been accepted
            // only just now are not closed.
            hall_->close_idle(idle_batch(), hall_->limits.silence_before_idle);
        }
        retry_timer_.expires_after(kAcceptRetry);
        retry_timer_.async_wait([self = shared_from_this()](const auto& error) {
            if (!error && !self->left_ && self->acceptor_.is_open()) self->accept_next();
        });
    }

    /// How many idle connections are closed at a time: one search through all connections makes
    /// room for several.
    std::size_t idle_batch() const { return 1 + hall_->limits.connections_max / kIdleBatchShare; }

    void welcome(TcpSocket socket) {
        boost::system::error_code error;
        const auto peer = socket.remote_endpoint(error);
        if (error) return;  // Closed already.
        const auto connections_max = hall_->limits.connections_max;
        const auto excess = [&] {
            return hall_->counts.connections_open + 1 -
                   std::min<std::size_t>(hall_->counts.connections_open + 1, connections_max);
        };
        // The freed place is for the new connection: connections that were refused before have
        // their answer and count no longer.
        if (excess() > 0 && hall_->close_idle(idle_batch() + hall_->probes_open, {}) > 0 &&
            excess() > 0) {
            hall_->close_lingering(excess());
        }
        if (hall_->counts.connections_open >= hall_->limits.connections_max + kTurnedAwayMax) {
            hall_->close_lingering(kTurnedAwayMax / 8);
        }
        const auto open = hall_->counts.connections_open;
        if (open >= hall_->limits.connections_max + kTurnedAwayMax) {
            ++hall_->counts.connections_shed;
            return;
        }
        const auto known = hall_->wires_per_peer.find(peer.address());
        const bool peer_is_full = known != hall_->wires_per_peer.end() &&
                                  known->second >= hall_->limits.connections_per_peer_max;
        const bool is_full = open >= hall_->limits.connections_max || peer_is_full;

        const auto wire = std::make_shared<Wire>(hall_, std::move(socket), peer);
        hall_->admit(wire);
        const auto speaker = std::make_shared<HttpSpeaker>(*wire);
        wire->start(speaker);
        if (!is_full) return;
        if (hall_->probes_open < kProbesMax && !hall_->limits.probe_paths.front().empty()) {
            wire->mark_as_probe();
            return speaker->answer_probes_only();
        }
        speaker->refuse_for_room();
    }

    void sweep_later() {
        sweep_timer_.expires_after(sweep_interval(hall_->limits));
        sweep_timer_.async_wait([self = shared_from_this()](const auto& error) {
            if (error || self->left_) return;
            self->sweep();
            self->sweep_later();
        });
    }

    /// Backwards, because dropping a wire moves the last wire into its place.
    void sweep() {
        for (auto at = hall_->wires.size(); at-- > 0;) {
            if (at >= hall_->wires.size()) continue;
            const auto wire = hall_->wires[at];
            wire->sweep();
        }
    }

    std::shared_ptr<Hall> hall_;
    Acceptor acceptor_;
    net::steady_timer sweep_timer_;
    net::steady_timer retry_timer_;
    std::uint16_t port_ = 0;
    bool left_ = false;
};

class PorchServer final : public Server {
  public:
    explicit PorchServer(std::shared_ptr<Porch> porch) : porch_{std::move(porch)} {}
    ~PorchServer() override { porch_->leave(); }
    std::uint16_t port() const override { return porch_->port(); }
    int listener() const { return porch_->listener(); }
    std::vector<int> serve_idle_sockets() const { return porch_->serve_idle_sockets(); }
    DoorCounts counts() const override { return porch_->counts(); }
    void stop_accepting() override { porch_->stop_accepting(); }
    void close_all(std::uint16_t code, const std::string& reason) override {
        porch_->shut_down(code, reason);
    }
    Result<void> renew(const TlsFiles& tls) override { return porch_->renew(tls); }

  private:
    std::shared_ptr<Porch> porch_;
};

}  // namespace

// Server::listen() makes every Server.
int listening_socket(const Server& server) {
    return dynamic_cast<const PorchServer&>(server).listener();
}

std::vector<int> serve_idle_sockets(const Server& server) {
    return dynamic_cast<const PorchServer&>(server).serve_idle_sockets();
}

Result<std::unique_ptr<Server>> Server::listen(Loop& loop,
                                               const std::string& host,
                                               std::uint16_t port,
                                               DoorLimits limits,
                                               Doors doors,
                                               const std::optional<TlsFiles>& tls) {
    std::shared_ptr<const TlsContext> context;
    if (tls) context = TRY(TlsContext::for_server(*tls));
    const auto porch =
        std::make_shared<Porch>(loop.impl(), limits, std::move(doors), std::move(context));
    TRY(porch->open(host, port));
    porch->start();
    return std::make_unique<PorchServer>(porch);
}

}  // namespace parlance::transport
