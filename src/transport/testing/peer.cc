#include "transport/testing/peer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace parlance::transport::testing {
namespace {

constexpr int kPatienceMs = 10'000;

}  // namespace

Doors echo_doors() {
    Doors doors;
    doors.on_request = [](const std::shared_ptr<Exchange>& exchange) {
        const auto& request = exchange->request();
        exchange->respond({.status = 200,
                           .content_type = "text/plain",
                           .headers = {},
                           .body = request.method + " " + request.path + " " + request.body});
    };
    doors.on_socket = [](const std::shared_ptr<Socket>& socket) {
        socket->on_frame([socket](std::string_view frame) { socket->send(std::string{frame}); });
    };
    doors.on_refused = [](int status, std::string_view what) {
        return Response{.status = status,
                        .content_type = "text/plain",
                        .headers = {},
                        .body = "refused: " + std::string{what}};
    };
    return doors;
}

House::House(DoorLimits limits, Doors doors, const std::optional<TlsFiles>& tls) {
    auto server = Server::listen(loop_, "127.0.0.1", 0, limits, std::move(doors), tls);
    CHECK(server.has_value());
    server_ = *std::move(server);
    thread_ = std::thread{[this] { loop_.run([this] { ++turns_; }); }};
}

House::~House() {
    loop_.stop();
    thread_.join();
}

void House::on_loop(const std::function<void()>& work) {
    std::promise<void> done;
    loop_.post([&] {
        work();
        done.set_value();
    });
    done.get_future().wait();
}

DoorCounts House::counts() {
    DoorCounts counts;
    on_loop([&] { counts = server_->counts(); });
    return counts;
}

bool House::await(const std::function<bool(const DoorCounts&)>& is_reached) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{kPatienceMs};
    while (std::chrono::steady_clock::now() < end) {
        if (is_reached(counts())) return true;
    }
    return false;
}

int Frame::close_code() const {
    if (opcode != 8 || payload.size() < 2) return -1;
    return static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
}

Peer::Peer(std::uint16_t port) : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    connect_to(port, fd_);
}

void Peer::connect_to(std::uint16_t port, int fd) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    const int yes = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

Peer::~Peer() {
    if (fd_ >= 0) ::close(fd_);
}

void Peer::send(std::string_view bytes) const {
    // If the server refuses more bytes, its last answer can still be read.
    (void)can_send(bytes);
}

bool Peer::can_send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void Peer::finish_sending() const { ::shutdown(fd_, SHUT_WR); }

void Peer::reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::close(fd_);
    fd_ = -1;
}

bool Peer::fill() {
    pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
    CHECK(::poll(&ready, 1, kPatienceMs) == 1);
    std::array<char, 65536> fresh;
    const auto count = ::recv(fd_, fresh.data(), fresh.size(), 0);
    if (count <= 0) return false;
    waiting_.append(fresh.data(), static_cast<std::size_t>(count));
    return true;
}

bool Peer::sees_end() const {
    char byte = 0;
    return ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

bool Peer::has_ended() { return waiting_.empty() && !fill(); }

std::string Peer::read_bytes(std::size_t count) {
    while (waiting_.size() < count && fill()) {
    }
    auto bytes = waiting_.substr(0, count);
    waiting_.erase(0, count);
    return bytes;
}

void Peer::discard_bytes(std::size_t count) const {
    std::array<char, 65536> piece;
    while (count > 0) {
        pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
        CHECK(::poll(&ready, 1, kPatienceMs) == 1);
        const auto got = ::recv(fd_, piece.data(), std::min(count, piece.size()), 0);
        CHECK(got > 0);
        count -= static_cast<std::size_t>(got);
    }
}

std::string Peer::read_line() {
    while (waiting_.find("\r\n") == std::string::npos) {
        if (!fill()) return {};
    }
    const auto end = waiting_.find("\r\n");
    auto line = waiting_.substr(0, end);
    waiting_.erase(0, end + 2);
    return line;
}

Answer Peer::read_answer(bool has_body) {
    while (waiting_.find("\r\n\r\n") == std::string::npos) {
        if (!fill()) return {};
    }
    Answer answer;
    answer.head = read_bytes(waiting_.find("\r\n\r\n") + 4);
    answer.status = std::atoi(answer.head.c_str() + 9);
    const auto length = answer.head.find("Content-Length: ");
    if (has_body && length != std::string::npos) {
        answer.body =
            read_bytes(static_cast<std::size_t>(std::atoll(answer.head.c_str() + length + 16)));
    }
    return answer;
}

Answer Peer::upgrade(std::string_view path) {
    send(
        fmt::format("GET {} HTTP/1.1\r\nHost: hub\r\nUpgrade: websocket\r\n"
                    "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                    path));
    return read_answer();
}

void Peer::send_frame(int opcode, std::string_view payload, bool final, bool masked) {
    std::string frame;
    frame += static_cast<char>((final ? 0x80 : 0) | opcode);
    const int mask_bit = masked ? 0x80 : 0;
    if (payload.size() < 126) {
        frame += static_cast<char>(mask_bit | static_cast<int>(payload.size()));
    } else {
        frame += static_cast<char>(mask_bit | 127);
        for (int at = 7; at >= 0; --at) frame += static_cast<char>(payload.size() >> (8 * at));
    }
    constexpr std::string_view kMask = "\x11\x22\x33\x44";
    if (masked) frame += kMask;
    for (std::size_t at = 0; at < payload.size(); ++at) {
        frame += masked ? static_cast<char>(payload[at] ^ kMask[at % 4]) : payload[at];
    }
    send(frame);
}

Frame Peer::read_frame() {
    const auto head = read_bytes(2);
    if (head.size() < 2) return {};
    std::size_t length = static_cast<unsigned char>(head[1]);
    if (length >= 126) {
        const auto wide = read_bytes(length == 126 ? 2 : 8);
        length = 0;
        for (const char byte : wide) length = length << 8 | static_cast<unsigned char>(byte);
    }
    return {.opcode = head[0] & 0x0f, .payload = read_bytes(length)};
}

std::string request_text(std::string_view method,
                         std::string_view path,
                         std::string_view body,
                         std::string_view more_headers) {
    return fmt::format("{} {} HTTP/1.1\r\nHost: hub\r\nContent-Length: {}\r\n{}\r\n{}",
                       method,
                       path,
                       body.size(),
                       more_headers,
                       body);
}

}  // namespace parlance::transport::testing
