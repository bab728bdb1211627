// Inside the Loop: the reactor, its cached clock, and who has bytes to send after this turn.
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

using Instant = std::chrono::steady_clock::time_point;
using Executor = net::io_context::executor_type;
/// The executor is named, not erased: an erased one costs a virtual call and a copy per operation.
using TcpSocket = net::basic_stream_socket<net::ip::tcp, Executor>;

/// Something with bytes to send. Flushed once, after the turn in which they were queued.
class Flusher {
  public:
    Flusher() = default;
    Flusher(const Flusher&) = delete;
    Flusher& operator=(const Flusher&) = delete;
    virtual ~Flusher() = default;
    virtual void flush() = 0;
    virtual void proceed() {}  ///< Goes on with work that Loop::Impl::deferred put off.
};

struct Loop::Impl {
    net::io_context io{1};
    std::atomic<bool> stopping{false};
    Instant now = std::chrono::steady_clock::now();  ///< Read once per turn.
    std::vector<std::shared_ptr<Flusher>> dirty;
    std::vector<std::shared_ptr<Flusher>> flushing;  ///< Spare, so that a turn allocates nothing.
    /// Requests that were sent ahead of the answers to others: they wait behind everybody else's.
    std::deque<std::shared_ptr<Flusher>> deferred;
    std::optional<net::signal_set> signals;
    std::function<void(int)> signal_work;
    std::size_t outgoing_open = 0;
    std::size_t outgoing_max = std::numeric_limits<std::size_t>::max();
    std::size_t spoken_to = 0;  ///< How many peers, since it last waited.
    /// On a single processor whoever is to answer could not run meanwhile.
    const bool can_stay_awake = std::thread::hardware_concurrency() > 1;

    void flush_dirty();
    void run_handlers();
    void run_deferred();
    void await_handler();
    void await_signal();
};

}  // namespace parlance::transport
