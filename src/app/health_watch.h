// Answers GET /healthz and /readyz while the loop's thread waits for the disk.
//
// The hub syncs on the loop's thread, so a hanging disk stops the loop and all its answers. A
// separate thread watches the duration of the current turn. While the turn lasts too long, the
// watch accepts new connections from the hub's listening socket and answers them: 200 to /healthz,
// 503 with the reason to /readyz, and 503 with Retry-After to everything else. On connections
// accepted by the loop, the watch answers unread requests for /healthz and /readyz and takes no
// other byte: the loop reads the rest when the disk answers. The watch also sends answers that the
// loop queued before the wait; no queued answer depends on the disk. Connections accepted by
// the loop are served only without TLS: a TLS session belongs to the loop. Of the visits that the
// watch accepted, visits that have their answer, are silent or send slowly make room for new ones.
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
        /// The hub's; duplicated, so that the original can be closed at any time.
        int listener = -1;
        std::string version;
        std::optional<TlsFiles> tls{};
        /// Sends answers queued for the end of the turn, and returns the accepted sockets without
        /// pending work. Called only while the loop's thread is between begin_wait() and
        /// end_wait().
        std::function<std::vector<int>()> idle_sockets{};
        Duration patience{1'000};  ///< A longer turn counts as waiting for the disk.
    };

    static Result<std::unique_ptr<HealthWatch>> start(const Options& options);
    ~HealthWatch();
    HealthWatch(const HealthWatch&) = delete;
    HealthWatch& operator=(const HealthWatch&) = delete;

    /// Called by the loop's thread at the begin and end of a turn.
    void begin_turn() { turn_began_ms_.store(now_ms(), std::memory_order_relaxed); }
    void end_turn() { turn_began_ms_.store(0, std::memory_order_relaxed); }
    /// The loop's thread is about to wait for the disk, and touches no connection until end_wait().
    void begin_wait() { wait_.store(Wait::Waits, std::memory_order_release); }
    void end_wait();
    /// Replaces the certificate for new connections.
    Result<void> renew(const TlsFiles& files);
    /// Accepts no more connections, and closes the copy of the listening socket.
    void stop();

  private:
    struct Visit;

    //  Runs ──begin_wait──▶ Waits ──lend──▶ Lent
    //   ▲                   │  ▲             │
    //   └─────end_wait──────┘  └──give_back──┘
    enum class Wait { Runs, Waits, Lent };

    explicit HealthWatch(const Options& options);
    static std::int64_t now_ms();
    /// Duration of the current turn if too long; else zero.
    Duration stuck_for() const;
    void run();
    void accept_visits(std::vector<std::unique_ptr<Visit>>& visits);
    static bool has_room(const std::vector<std::unique_ptr<Visit>>& visits);
    void make_room(std::vector<std::unique_ptr<Visit>>& visits);
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
