// Answers GET /healthz and /readyz while the loop's thread waits for the disk.
//
// The hub syncs on the loop's thread, so a disk that hangs stops the loop: nobody is answered. A
// thread of its own watches how long the current turn has lasted. While that is too long, it takes
// new connections from the hub's listening socket and answers them itself: 200 to /healthz, 503
// with the reason to /readyz, and 503 with Retry-After to anything else. On connections that the
// loop has accepted it answers requests for /healthz and /readyz that the loop has not read, and
// takes no other byte: the loop reads the rest when the disk answers. Answers that the loop queued
// before the wait are sent; nothing that waits for the disk is among them. That is for connections
// in the clear; over TLS the session is the loop's.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/tls.h"

namespace parlance::app {

class HealthWatch {
  public:
    struct Options {
        int listener = -1;  ///< Of the hub; copied, so that it can be closed at any time.
        std::string version;
        std::optional<TlsFiles> tls{};
        /// Sends answers that wait for the end of the turn, and says which sockets the loop has
        /// accepted and has nothing to do for. Called only while the loop's thread is between
        /// begin_wait() and end_wait().
        std::function<std::vector<int>()> idle_sockets{};
        Duration patience{1'000};  ///< A turn that lasts longer waits for the disk.
    };

    static Result<std::unique_ptr<HealthWatch>> start(const Options& options);
    ~HealthWatch();
    HealthWatch(const HealthWatch&) = delete;
    HealthWatch& operator=(const HealthWatch&) = delete;

    /// The loop's thread says when a turn begins and ends; that is all it does for this.
    void begin_turn() { turn_began_ms_.store(now_ms(), std::memory_order_relaxed); }
    void end_turn() { turn_began_ms_.store(0, std::memory_order_relaxed); }
    /// The loop's thread is about to wait for the disk, and touches no connection until end_wait().
    void begin_wait() { wait_.store(Wait::Waits, std::memory_order_release); }
    void end_wait();
    /// From here on this certificate is shown.
    Result<void> renew(const TlsFiles& files);
    /// Accepts nothing more, and lets go of the listening socket.
    void stop();

  private:
    struct Visit;

    //  Runs ──begin_wait──▶ Waits ──lend──▶ Lent
    //   ▲                   │  ▲             │
    //   └─────end_wait──────┘  └──give_back──┘
    enum class Wait { Runs, Waits, Lent };

    explicit HealthWatch(const Options& options);
    static std::int64_t now_ms();
    /// How long the current turn has lasted, if that is too long; else zero.
    Duration stuck_for() const;
    void run();
    void accept_visits(std::vector<std::unique_ptr<Visit>>& visits);
    static bool has_room(const std::vector<std::unique_ptr<Visit>>& visits);
    void drop_silent(std::vector<std::unique_ptr<Visit>>& visits);
    void serve(Visit& visit);
    static void read(Visit& visit);
    void serve_idle();
    void serve_probe(int socket) const;
    bool lend();
    void give_back();
    std::string answer_to(std::string_view request) const;

    int listener_ = -1;
    std::string version_;
    Duration patience_;
    std::function<std::vector<int>()> idle_sockets_;
    std::mutex tls_mutex_;
    std::shared_ptr<const TlsContext> tls_;
    std::atomic<std::int64_t> turn_began_ms_{0};  ///< By the steady clock; zero between turns.
    std::atomic<Wait> wait_{Wait::Runs};
    std::atomic<bool> stops_{false};
    std::thread thread_;
};

}  // namespace parlance::app
