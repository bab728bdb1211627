#include "sdk/cpp/stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace parlance::sdk {

namespace {

constexpr std::size_t kRoom = std::size_t{64} << 10;

std::string words_of(int error) { return std::strerror(error); }

std::string name_of(const HubAddress& hub) { return hub.host + ":" + std::to_string(hub.port); }

/// True once the descriptor is ready for `events`; false when the time is over.
bool await(int descriptor, short events, Clock::time_point deadline) {
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd item{.fd = descriptor, .events = events, .revents = 0};
        const int ready = ::poll(&item, 1, static_cast<int>(std::clamp<long>(left, 0, 1 << 30)));
        if (ready > 0) return true;
        // A signal ends the wait: the caller may have been asked to leave.
        if (ready == 0 || errno == EINTR) return false;
    }
}

int pending_error(int descriptor) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

/// 0 once connected; else the errno that says why not. The descriptor is the caller's to close.
int try_connect(int descriptor, const addrinfo& address, Clock::time_point deadline) {
    if (::connect(descriptor, address.ai_addr, address.ai_addrlen) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (!await(descriptor, POLLOUT, deadline)) return ETIMEDOUT;
    return pending_error(descriptor);
}

struct Addresses {
    addrinfo* first = nullptr;
    Addresses() = default;
    Addresses(const Addresses&) = delete;
    Addresses& operator=(const Addresses&) = delete;
    ~Addresses() {
        if (first != nullptr) ::freeaddrinfo(first);
    }
};

}  // namespace

Result<Stream> Stream::connect(const HubAddress& hub, Clock::time_point deadline) {
    Addresses addresses;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    const std::string port = std::to_string(hub.port);
    const int looked = ::getaddrinfo(hub.host.c_str(), port.c_str(), &hints, &addresses.first);
    if (looked != 0) {
        return fail(Fault::Unavailable,
                    "cannot find '" + hub.host + "': " + ::gai_strerror(looked));
    }
    int error = ENOENT;
    for (const addrinfo* at = addresses.first; at != nullptr; at = at->ai_next) {
        Stream stream{::socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        if (stream.descriptor_ < 0) return fail(Fault::Unavailable, words_of(errno));
        error = try_connect(stream.descriptor_, *at, deadline);
        if (error != 0) continue;
        const int on = 1;
        ::setsockopt(stream.descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return stream;
    }
    return fail(Fault::Unavailable, "cannot reach " + name_of(hub) + ": " + words_of(error));
}

Stream::Stream(Stream&& other) noexcept { *this = std::move(other); }

Stream& Stream::operator=(Stream&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(buffer_, other.buffer_);
    std::swap(size_, other.size_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    return *this;
}

Stream::~Stream() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> Stream::write(std::string_view bytes, Clock::time_point deadline) {
    while (!bytes.empty()) {
        const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) {
            return fail(Fault::Unavailable, "the connection broke: " + words_of(errno));
        }
        // Half a frame would garble all that follows, so a signal does not end this wait.
        if (!await(descriptor_, POLLOUT, deadline) && Clock::now() >= deadline) {
            return fail(Fault::Unavailable, "the hub took nothing for too long");
        }
    }
    return {};
}

void Stream::make_room() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (size_ - end_ >= kRoom) return;
    const std::size_t used = end_ - begin_;
    if (size_ - used >= kRoom && begin_ >= used) {
        std::memcpy(buffer_.get(), buffer_.get() + begin_, used);
    } else {
        const std::size_t size = std::max(size_ * 2, used + 2 * kRoom);
        auto larger = std::make_unique_for_overwrite<char[]>(size);
        if (used != 0) std::memcpy(larger.get(), buffer_.get() + begin_, used);
        buffer_ = std::move(larger);
        size_ = size;
    }
    begin_ = 0;
    end_ = used;
}

Result<bool> Stream::fill(Clock::time_point deadline) {
    make_room();
    while (true) {
        const auto got = ::recv(descriptor_, buffer_.get() + end_, size_ - end_, 0);
        if (got > 0) {
            end_ += static_cast<std::size_t>(got);
            return true;
        }
        if (got == 0) return fail(Fault::Unavailable, "the hub closed the connection");
        if (errno == EINTR) return false;
        if (errno != EAGAIN) {
            return fail(Fault::Unavailable, "the connection broke: " + words_of(errno));
        }
        if (!await(descriptor_, POLLIN, deadline)) return false;
    }
}

}  // namespace parlance::sdk
