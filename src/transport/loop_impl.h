// The inside of Loop: the reactor, its cached clock, and the connections with bytes to send after a
// turn.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>

#include "transport/transport.h"

namespace parlance::transport {

namespace net = boost::asio;

/// A turn of costly requests ends earlier, because answers leave only after the turn.
inline constexpr std::chrono::milliseconds kTurnTimeMax{20};

using Instant = std::chrono::steady_clock::time_point;
using Executor = net::io_context::executor_type;
/// The executor type is named, not erased: a type-erased executor costs a virtual call and a copy
/// per operation.
using TcpSocket = net::basic_stream_socket<net::ip::tcp, Executor>;

/// A connection with bytes to send. Flushed once, after the turn in which the bytes were queued.
class Flusher {
  public:
    Flusher() = default;
    Flusher(const Flusher&) = delete;
    Flusher& operator=(const Flusher&) = delete;
    virtual ~Flusher() = default;
    virtual void flush() = 0;
    virtual void proceed() {}  ///< Continues work that Loop::Impl::deferred postponed.
};

struct Loop::Impl {
    net::io_context io{1};
    std::atomic<bool> stopping{false};
    Instant now = std::chrono::steady_clock::now();  ///< Read once per turn.
    std::vector<std::shared_ptr<Flusher>> dirty;
    std::vector<std::shared_ptr<Flusher>> flushing;  ///< Reused, so that a turn allocates nothing.
    /// Connections with pipelined requests: processed after the requests of all other connections.
    std::deque<std::shared_ptr<Flusher>> deferred;
    /// The last turn took too long and some peers were not heard since: requests are deferred.
    bool is_behind = false;
    bool is_in_turn = false;  ///< `now` is the begin of the present turn.
    std::optional<net::signal_set> signals;
    std::function<void(int)> signal_work;
    std::size_t outgoing_open = 0;
    std::size_t outgoing_max = std::numeric_limits<std::size_t>::max();
    std::size_t spoken_to = 0;  ///< Flushed peers since the last wait.
    /// With a single processor no peer could run while the loop polls.
    const bool can_stay_awake = std::thread::hardware_concurrency() > 1;

    void flush_dirty();
    /// Whether a request that comes now waits behind earlier requests: costly requests are handled
    /// one after another, and cheap ones are heard meanwhile.
    bool defers_requests() const {
        return is_behind || (is_in_turn && std::chrono::steady_clock::now() - now >= kTurnTimeMax);
    }
    void run_handlers();
    void run_deferred();
    void await_handler();
    void await_signal();
};

}  // namespace parlance::transport
