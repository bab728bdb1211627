#include "sdk/cpp/link.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace parlance::sdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kReceiveBytes =
    std::size_t{256} * 1024;  ///< A read has room for a quarter, at least.

}  // namespace

std::string text_of(const HubAddress& hub) {
    const bool is_v6 = hub.host.find(':') != std::string::npos;
    return (is_v6 ? "[" + hub.host + "]" : hub.host) + ":" + std::to_string(hub.port);
}

Result<void> Link::connect(const HubAddress& hub, Deadline deadline) {
    constexpr int kPauseMs = 20;
    const auto until =
        std::min(deadline, deadline_in(has_connected_ ? milliseconds{} : hub.patience));
    for (;;) {
        auto connected = connect_once(hub, deadline);
        has_connected_ = has_connected_ || connected.has_value();
        if (connected || !was_refused_ || steady_clock::now() >= until) return connected;
        if (::poll(nullptr, 0, kPauseMs) < 0) return connected;
    }
}

Result<void> Link::connect_once(const HubAddress& hub, Deadline deadline) {
    close();
    was_refused_ = false;
    name_ = text_of(hub);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int error =
        ::getaddrinfo(hub.host.c_str(), std::to_string(hub.port).c_str(), &hints, &found);
    if (error != 0) {
        return fail(Fault::Unavailable,
                    "cannot find the host '" + hub.host + "' (" + ::gai_strerror(error) +
                        "); check the address of the hub");
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses{found, &::freeaddrinfo};
    Result<void> connected;
    for (const auto* at = found; at != nullptr; at = at->ai_next) {
        connected = connect_to(*at, deadline);
        if (connected) return hub.is_tls ? shake_hands(hub, deadline) : connected;
    }
    return connected;
}

Result<void> Link::shake_hands(const HubAddress& hub, Deadline deadline) {
    if (!context_ || files_ != hub.tls) context_ = TRY(TlsContext::for_client(hub.tls));
    files_ = hub.tls;
    tls_ = TlsSession::of_client(*context_, hub.host);
    sealed_.clear();
    tls_->begin(sealed_);
    TRY(send_raw(sealed_, deadline));
    while (!tls_->is_open()) TRY(fill_or_fail(deadline));
    return {};
}

/// The error of TLS, reported without any of the plain text.
tl::unexpected<Error> Link::distrust() const {
    return fail(Fault::Malformed,
                "no safe connection to the hub at " + name_ + ": " + tls_->failure_reason() +
                    "; --ca names the file of the authority to trust, --cert and --key our own");
}

Result<void> Link::connect_to(const addrinfo& address, Deadline deadline) {
    fd_ = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd_ < 0) return explain_refusal(errno);
    int error = ::connect(fd_, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        if (!wait_for(POLLOUT, deadline)) return explain_refusal(ETIMEDOUT);
        socklen_t size = sizeof error;
        ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    was_refused_ = error == ECONNREFUSED;
    if (error != 0) return explain_refusal(error);
    const int yes = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return {};
}

Result<void> Link::explain_refusal(int code) const {
    std::string why = std::strerror(code);
    if (!why.empty()) why.front() = static_cast<char>(std::tolower(why.front()));
    return fail(
        Fault::Unavailable,
        "no hub answers at " + name_ + " (" + why + "); start one with `parlance serve --dev`");
}

bool Link::wait_for(short events, Deadline deadline) const {
    for (;;) {
        // Rounded up: a wait that ends early would spin through its last millisecond.
        const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
        pollfd ready{.fd = fd_, .events = events, .revents = 0};
        const int count = ::poll(&ready, 1, static_cast<int>(std::clamp<long>(left, 0, 1L << 30)));
        if (count > 0) return true;
        if (count == 0 || errno != EINTR) return false;
    }
}

Result<void> Link::send(std::string_view bytes, Deadline deadline) {
    if (!tls_) return send_raw(bytes, deadline);
    sealed_.clear();
    if (tls_->seal(bytes, sealed_) == TlsSession::Outcome::Broken) return distrust();
    return send_raw(sealed_, deadline);
}

Result<void> Link::send_raw(std::string_view bytes, Deadline deadline) {
    while (!bytes.empty()) {
        const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN) {
            if (!wait_for(POLLOUT, deadline)) {
                return fail(Fault::Unavailable, "the hub at " + name_ + " takes no more bytes");
            }
        } else if (errno != EINTR) {
            return fail(
                Fault::Unavailable,
                "the connection to the hub at " + name_ + " broke: " + std::strerror(errno));
        }
    }
    return {};
}

void Link::make_room() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (buffer_.size() - end_ >= kReceiveBytes / 4) return;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (buffer_.size() - end_ < kReceiveBytes / 4) {
        buffer_.resize(std::max(kReceiveBytes, buffer_.size() * 2));
    }
}

Result<Link::Filled> Link::receive_raw(Deadline deadline) {
    if (!is_open()) return Filled::Ended;
    for (;;) {
        // Reading first and waiting second: under load the wait is never needed.
        const auto count = ::recv(fd_, buffer_.data() + end_, buffer_.size() - end_, 0);
        if (count > 0) {
            end_ += static_cast<std::size_t>(count);
            return Filled::Some;
        }
        if (count == 0) return Filled::Ended;
        if (errno == EAGAIN) {
            if (!wait_for(POLLIN, deadline)) return Filled::Nothing;
        } else if (errno != EINTR) {
            return fail(
                Fault::Unavailable,
                "the connection to the hub at " + name_ + " broke: " + std::strerror(errno));
        }
    }
}

/// Decrypts the last `count` bytes in place. False if no more can come.
Result<bool> Link::unseal(std::size_t count, Deadline deadline) {
    end_ -= count;
    plain_.clear();
    sealed_.clear();
    const auto outcome = tls_->take({buffer_.data() + end_, count}, plain_, sealed_);
    const auto answered = send_raw(sealed_, deadline);
    if (outcome == TlsSession::Outcome::Broken) return distrust();
    if (!answered) return tl::unexpected(answered.error());
    if (buffer_.size() - end_ < plain_.size()) buffer_.resize(end_ + plain_.size());
    std::ranges::copy(plain_, buffer_.begin() + static_cast<std::ptrdiff_t>(end_));
    end_ += plain_.size();
    return outcome == TlsSession::Outcome::Fine;
}

Result<Link::Filled> Link::fill(Deadline deadline) {
    for (;;) {
        make_room();
        const auto before = end_;
        const auto filled = TRY(receive_raw(deadline));
        if (filled != Filled::Some || !tls_) return filled;
        const bool was_open = tls_->is_open();
        const bool goes_on = TRY(unseal(end_ - before, deadline));
        if (!plain_.empty()) return Filled::Some;
        if (!goes_on) return Filled::Ended;
        if (!was_open) return Filled::Some;  // A step of the handshake.
    }
}

Result<void> Link::fill_or_fail(Deadline deadline) {
    const auto filled = TRY(fill(deadline));
    if (filled == Filled::Some) return {};
    return fail(Fault::Unavailable,
                filled == Filled::Ended
                    ? "the hub at " + name_ + " closed the connection before its answer was whole"
                    : "the hub at " + name_ + " did not answer in time");
}

void Link::finish_sending() {
    if (tls_) {
        sealed_.clear();
        tls_->say_goodbye(sealed_);
        [[maybe_unused]] const auto said = send_raw(sealed_, deadline_in({}));
    }
    ::shutdown(fd_, SHUT_WR);
}

void Link::close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    begin_ = end_ = 0;
    tls_.reset();
}

}  // namespace parlance::sdk
