// A turn of the loop: some handlers, then the engine, then all queued bytes leave at once.
#include <csignal>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "transport/loop_impl.h"

namespace parlance::transport {
namespace {

/// More would batch better; fewer would answer sooner.
constexpr std::size_t kHandlersPerTurnMax = 256;

/// The clock is read once per this many handlers.
constexpr std::size_t kHandlersPerLook = 8;
/// Time for deferred work per turn: the work progresses and delays other work by at most this time.
constexpr std::chrono::milliseconds kDeferredTimeMax{2};

/// A peer that just got an answer often sends its next request at once, and sleeping and waking
/// take longer than the wait. If nothing arrives, at most this time is wasted, once.
constexpr std::chrono::microseconds kStaysAwake{50};
/// With more peers some peer always sends: handling each request as it comes would share no turn.
constexpr std::size_t kFewPeers = 4;

}  // namespace

void Loop::Impl::flush_dirty() {
    spoken_to += dirty.size();
    flushing.swap(dirty);
    for (const auto& flusher : flushing) flusher->flush();
    flushing.clear();
}

void Loop::Impl::run_handlers() {
    is_in_turn = true;
    std::size_t handlers = 1;
    bool is_late = false;
    while (!is_late && handlers < kHandlersPerTurnMax && io.poll_one() == 1) {
        if (++handlers % kHandlersPerLook != 0) continue;
        is_late = std::chrono::steady_clock::now() - now >= kTurnTimeMax;
    }
    is_late = is_late || std::chrono::steady_clock::now() - now >= kTurnTimeMax;
    is_behind = is_late || (is_behind && handlers == kHandlersPerTurnMax);
    is_in_turn = false;
}

void Loop::Impl::run_deferred() {
    if (deferred.empty()) return;
    const auto until = std::chrono::steady_clock::now() + kDeferredTimeMax;
    do {
        const auto first = std::move(deferred.front());
        deferred.pop_front();
        first->proceed();
    } while (!deferred.empty() && std::chrono::steady_clock::now() < until);
}

/// Runs one handler, as soon as a handler is ready.
void Loop::Impl::await_handler() {
    const auto peers = std::exchange(spoken_to, 0);
    if (can_stay_awake && peers > 0 && peers <= kFewPeers) {
        const auto until = std::chrono::steady_clock::now() + kStaysAwake;
        do {
            if (io.poll_one() == 1) return;
        } while (std::chrono::steady_clock::now() < until);
    }
    io.run_one();
}

void Loop::Impl::await_signal() {
    signals->async_wait([this](const boost::system::error_code& error, int number) {
        if (error) return;
        signal_work(number);
        await_signal();
    });
}

Loop::Loop() : impl_{std::make_unique<Impl>()} {}

Loop::~Loop() = default;

void Loop::run(const std::function<void()>& between) {
    auto& io = impl_->io;
    const auto guard = net::make_work_guard(io);
    for (;;) {
        between();
        impl_->flush_dirty();
        if (impl_->stopping.exchange(false)) break;

        if (impl_->deferred.empty()) impl_->await_handler();
        impl_->now = std::chrono::steady_clock::now();
        impl_->run_handlers();
        impl_->run_deferred();
    }
    io.restart();
}

void Loop::stop() {
    impl_->stopping = true;
    impl_->io.stop();
}

void Loop::post(std::function<void()> work) { net::post(impl_->io, std::move(work)); }

void Loop::after(Duration delay, std::function<void()> work) {
    auto timer = std::make_shared<net::steady_timer>(impl_->io, delay);
    timer->async_wait([timer, work = std::move(work)](const boost::system::error_code& error) {
        if (!error) work();
    });
}

std::shared_ptr<void> Loop::alarm(Duration delay, std::function<void()> work) {
    const auto timer = std::make_shared<net::steady_timer>(impl_->io, delay);
    timer->async_wait([work = std::move(work)](const boost::system::error_code& error) {
        if (!error) work();
    });
    return timer;
}

void Loop::limit_outgoing(std::size_t calls_max) { impl_->outgoing_max = calls_max; }

void Loop::flush() { impl_->flush_dirty(); }

void Loop::on_signal(std::function<void(int)> work) {
    impl_->signal_work = std::move(work);
    if (impl_->signals) return;
    impl_->signals.emplace(impl_->io, SIGINT, SIGTERM, SIGHUP);
    impl_->await_signal();
}

}  // namespace parlance::transport
