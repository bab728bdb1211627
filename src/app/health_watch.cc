#include "app/health_watch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json_write.h"

namespace parlance::app {

namespace {

constexpr std::size_t kVisitsMax = 32;
constexpr std::size_t kRequestBytesMax = 8'192;
constexpr Duration kVisitTimeMax{2'000};
/// How often the thread checks for a stuck loop, and for stop().
constexpr Duration kLook{100};
/// The same while every visitor is too new to make room.
constexpr Duration kLookWhenFull{5};
/// So many are accepted before the others have their turn.
constexpr std::size_t kAcceptsAtOnce = 8;
/// A visitor that has spoken has so long before it makes room for another: a request comes in one
/// piece, and an answer is taken at once. To shake hands for TLS takes a few journeys.
constexpr Duration kStayMin{20};
constexpr Duration kStayMinTls{100};

bool asks_for(std::string_view request, std::string_view path) {
    const auto line = request.substr(0, request.find("\r\n"));
    const auto wanted = fmt::format("GET {}", path);
    return line.starts_with(wanted) && line.substr(wanted.size()).find_first_of(" ?") == 0;
}

/// True for a GET of /healthz or /readyz without a body.
bool is_probe(std::string_view header) {
    if (!asks_for(header, "/healthz") && !asks_for(header, "/readyz")) return false;
    std::string lower{header};
    std::ranges::transform(
        lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower.find("\r\ncontent-length:") == std::string::npos &&
           lower.find("\r\ntransfer-encoding:") == std::string::npos;
}

}  // namespace

/// A connection accepted by the watch.
struct HealthWatch::Visit {
    Visit(int socket, std::int64_t now) : fd(socket), since_ms(now) {}
    ~Visit() { ::close(fd); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

    /// Whether it makes room for another.
    bool is_dispensable(std::int64_t now) const {
        const auto stay = context != nullptr && !is_answered ? kStayMinTls : kStayMin;
        return is_over || !has_spoken || now - since_ms >= stay.count();
    }

    int fd;
    std::int64_t since_ms;
    std::shared_ptr<const TlsContext> context{};  ///< Lives as long as its session.
    std::optional<TlsSession> tls{};
    std::string request{};
    std::string wire{};  ///< Bytes to send.
    bool has_spoken = false;
    bool is_answered = false;
    bool is_over = false;
};

bool HealthWatch::has_room(const std::vector<std::unique_ptr<Visit>>& visits) {
    return visits.size() < kVisitsMax ||
           std::ranges::any_of(
               visits, [now = now_ms()](const auto& visit) { return visit->is_dispensable(now); });
}

Result<std::unique_ptr<HealthWatch>> HealthWatch::start(const Options& options) {
    std::unique_ptr<HealthWatch> watch{new HealthWatch{options}};
    if (options.tls) TRY(watch->renew(*options.tls));
    watch->listener_ = ::fcntl(options.listener, F_DUPFD_CLOEXEC, 0);
    if (watch->listener_ < 0) {
        return fail(Fault::Unavailable,
                    fmt::format("cannot copy the listening socket: {}", std::strerror(errno)));
    }
    watch->thread_ = std::thread{[raw = watch.get()] { raw->run(); }};
    return watch;
}

HealthWatch::HealthWatch(const Options& options)
    : version_(options.version), patience_(options.patience), idle_sockets_(options.idle_sockets) {}

HealthWatch::~HealthWatch() { stop(); }

void HealthWatch::stop() {
    stops_ = true;
    if (thread_.joinable()) thread_.join();
    if (listener_ >= 0) ::close(listener_);
    listener_ = -1;
}

Result<void> HealthWatch::renew(const TlsFiles& files) {
    auto context = TRY(TlsContext::for_server(files));
    const std::lock_guard lock{tls_mutex_};
    tls_ = std::move(context);
    return {};
}

std::int64_t HealthWatch::now_ms() {
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Duration HealthWatch::stuck_for() const {
    const auto began = turn_began_ms_.load(std::memory_order_relaxed);
    const Duration lasted{began == 0 ? 0 : now_ms() - began};
    return lasted > patience_ ? lasted : Duration{};
}

void HealthWatch::run() {
    std::vector<std::unique_ptr<Visit>> visits;
    while (!stops_) {
        if (visits.empty() && stuck_for() == Duration{}) {
            std::this_thread::sleep_for(kLook);
            continue;
        }
        std::vector<pollfd> waits{{.fd = listener_, .events = POLLIN, .revents = 0}};
        const bool is_stuck = stuck_for() != Duration{};
        if (is_stuck) serve_idle();
        const bool accepts = is_stuck && has_room(visits);
        if (!accepts) waits.front().fd = -1;  // poll() ignores negative descriptors.
        for (const auto& visit : visits) {
            const int wanted = visit->wire.empty() ? POLLIN : POLLIN | POLLOUT;
            waits.push_back({.fd = visit->fd, .events = static_cast<short>(wanted), .revents = 0});
        }
        const bool is_full = is_stuck && !accepts;
        const auto look = is_full ? kLookWhenFull : kLook;
        ::poll(waits.data(), waits.size(), static_cast<int>(look.count()));
        for (const auto& visit : visits) serve(*visit);
        if (accepts) accept_visits(visits);
        std::erase_if(visits, [](const auto& visit) {
            return visit->is_over || now_ms() - visit->since_ms >= kVisitTimeMax.count();
        });
    }
}

void HealthWatch::accept_visits(std::vector<std::unique_ptr<Visit>>& visits) {
    for (std::size_t count = 0; count < kAcceptsAtOnce && stuck_for() != Duration{}; ++count) {
        if (!has_room(visits)) return;
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        if (visits.size() >= kVisitsMax) make_room(visits);
        auto& visit = *visits.emplace_back(std::make_unique<Visit>(fd, now_ms()));
        {
            const std::lock_guard lock{tls_mutex_};
            visit.context = tls_;
        }
        if (visit.context) visit.tls = TlsSession::of_server(*visit.context);
        serve(visit);  // Reads early, so that a visitor with a request does not count as silent.
    }
}

/// Closes one visit: first a visit that has its answer, then a silent visit, then a visit with an
/// unfinished request; of equals the oldest. Closes none if all are too new.
void HealthWatch::make_room(std::vector<std::unique_ptr<Visit>>& visits) {
    const auto now = now_ms();
    const auto rank = [](const Visit& visit) {
        const bool has_answer = visit.is_answered && visit.wire.empty();
        if (visit.is_over || has_answer) return 0;
        return visit.has_spoken ? 2 : 1;
    };
    auto leaver = visits.end();
    for (auto at = visits.begin(); at != visits.end(); ++at) {
        if (!(*at)->has_spoken) serve(**at);
        if (!(*at)->is_dispensable(now)) continue;
        if (leaver == visits.end() || rank(**at) < rank(**leaver)) leaver = at;
    }
    if (leaver != visits.end()) visits.erase(leaver);
}

void HealthWatch::end_wait() {
    auto state = Wait::Waits;
    while (!wait_.compare_exchange_strong(state, Wait::Runs, std::memory_order_acq_rel)) {
        // The watch's thread uses the connections, for some milliseconds at most.
        wait_.wait(Wait::Lent, std::memory_order_acquire);
        state = Wait::Waits;
    }
}

/// True: the loop's thread waits for the disk, and goes on only after give_back().
bool HealthWatch::lend() {
    auto state = Wait::Waits;
    return wait_.compare_exchange_strong(state, Wait::Lent, std::memory_order_acq_rel);
}

void HealthWatch::give_back() {
    wait_.store(Wait::Waits, std::memory_order_release);
    wait_.notify_one();
}

/// Answers on connections accepted by the loop. Never blocks.
void HealthWatch::serve_idle() {
    if (!idle_sockets_ || !lend()) return;
    std::vector<pollfd> sockets;
    for (const int socket : idle_sockets_()) {
        sockets.push_back({.fd = socket, .events = POLLIN, .revents = 0});
    }
    ::poll(sockets.data(), sockets.size(), 0);
    for (const auto& socket : sockets) {
        if ((socket.revents & POLLIN) != 0) serve_probe(socket.fd);
    }
    give_back();
}

/// Reads a request only if the request is complete and the watch can answer.
void HealthWatch::serve_probe(int socket) const {
    std::array<char, kRequestBytesMax> bytes{};
    const auto count = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
    if (count <= 0) return;
    const std::string_view fresh{bytes.data(), static_cast<std::size_t>(count)};
    const auto end = fresh.find("\r\n\r\n");
    if (end == std::string_view::npos || !is_probe(fresh.substr(0, end + 2))) return;
    const auto answer = answer_to(fresh);
    (void)::recv(socket, bytes.data(), end + 4, MSG_DONTWAIT);
    // An idle connection has room for so short an answer.
    (void)::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    // The answer says "Connection: close". The loop sees the end when the peer closes its side.
    ::shutdown(socket, SHUT_WR);
}

/// Reads available bytes, answers a complete request, and sends as much as possible.
void HealthWatch::serve(Visit& visit) {
    read(visit);
    const bool is_whole = visit.request.find("\r\n\r\n") != std::string::npos ||
                          visit.request.size() > kRequestBytesMax;
    if (is_whole && !visit.is_answered && !visit.is_over) {
        visit.is_answered = true;
        const auto answer = answer_to(visit.request);
        if (visit.tls) {
            visit.is_over = visit.tls->seal(answer, visit.wire) != TlsSession::Outcome::Fine;
            visit.tls->say_goodbye(visit.wire);
        } else {
            visit.wire += answer;
        }
    }
    if (visit.wire.empty() || visit.is_over) return;
    const auto sent = ::send(visit.fd, visit.wire.data(), visit.wire.size(), MSG_NOSIGNAL);
    if (sent > 0) visit.wire.erase(0, static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) visit.is_over = true;
    // The peer reads the answer and closes: closing first, with a body unread, would discard the
    // answer.
    if (visit.is_answered && visit.wire.empty()) ::shutdown(visit.fd, SHUT_WR);
}

void HealthWatch::read(Visit& visit) {
    std::array<char, 4'096> bytes{};
    const auto count = ::recv(visit.fd, bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        visit.is_over = true;
        return;
    }
    visit.has_spoken = true;
    if (visit.is_answered) return;
    const std::string_view fresh{bytes.data(), static_cast<std::size_t>(count)};
    if (!visit.tls) {
        visit.request += fresh;
        return;
    }
    const auto outcome = visit.tls->take(fresh, visit.request, visit.wire);
    visit.is_over = outcome != TlsSession::Outcome::Fine;
}

std::string HealthWatch::answer_to(std::string_view request) const {
    const auto is_for = [&](std::string_view path) { return asks_for(request, path); };
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(stuck_for()).count();
    const auto reason = fmt::format("sync pending for {} s", seconds);
    std::string_view status = "503 Service Unavailable";
    std::string_view type = "application/json";
    std::string body;
    if (is_for("/healthz")) {
        status = "200 OK";
        body = json::ObjectWriter{}.text("status", "alive").text("version", version_).done();
    } else if (is_for("/readyz")) {
        body = json::ObjectWriter{}
                   .text("status", "not ready")
                   .text("condition", "sync_pending")
                   .text("reason", reason)
                   .done();
    } else {
        type = "application/problem+json";
        body = json::ObjectWriter{}
                   .text("type", "about:blank")
                   .text("title", "HUB_OVERLOADED")
                   .integer("status", 503)
                   .text("code", "HUB_OVERLOADED")
                   .text("detail", "the disk does not answer (" + reason + "); try again later")
                   .boolean("retryable", true)
                   .done();
    }
    return fmt::format(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nRetry-After: 1\r\n"
        "Connection: close\r\n\r\n{}",
        status,
        type,
        body.size(),
        body);
}

}  // namespace parlance::app
