#include "tests/scenarios/line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace parlance::scenarios {

namespace {

constexpr std::string_view kMask = "\x11\x22\x33\x44";

std::string lower(std::string_view text) {
    std::string out{text};
    std::ranges::transform(
        out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::string read_chunks(Line& line, Patience patience) {
    std::string body;
    for (;;) {
        const auto size = line.read_until("\r\n", patience);
        const auto count = std::strtoull(size.c_str(), nullptr, 16);
        if (count == 0) {
            line.read_until("\r\n", patience);
            return body;
        }
        body += line.read(count, patience);
        line.read(2, patience);
    }
}

}  // namespace

Line::Line(std::uint16_t port) : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    const int yes = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

Line::~Line() {
    if (fd_ >= 0) ::close(fd_);
}

void Line::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;  // The hub has closed; its last bytes can still be read.
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

bool Line::fill(Patience patience) {
    pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(patience.count())) != 1) return false;
    std::array<char, 65536> fresh;
    const auto count = ::recv(fd_, fresh.data(), fresh.size(), 0);
    has_ended_ = count <= 0;
    if (has_ended_) return false;
    waiting_.append(fresh.data(), static_cast<std::size_t>(count));
    return true;
}

bool Line::has_bytes(Patience patience) { return !waiting_.empty() || fill(patience); }

std::string Line::read(std::size_t count, Patience patience) {
    while (waiting_.size() < count && fill(patience)) {
    }
    auto bytes = waiting_.substr(0, count);
    waiting_.erase(0, bytes.size());
    return bytes;
}

std::string Line::read_until(std::string_view mark, Patience patience) {
    while (waiting_.find(mark) == std::string::npos) {
        if (!fill(patience)) return {};
    }
    return read(waiting_.find(mark) + mark.size(), patience);
}

void send_request(const Line& line, const HttpRequest& request) {
    std::string text = request.method + " " + request.target + " HTTP/1.1\r\n";
    bool names_host = false;
    for (const auto& header : request.headers) {
        names_host = names_host || lower(header).starts_with("host:");
        text += header + "\r\n";
    }
    if (!names_host) text += "Host: localhost\r\n";
    text += "Connection: close\r\nContent-Length: " + std::to_string(request.body.size());
    line.send(text + "\r\n\r\n" + request.body);
}

HttpAnswer read_answer(Line& line, Patience patience) {
    HttpAnswer answer{.head = line.read_until("\r\n\r\n", patience)};
    if (answer.head.size() < 12) return answer;
    answer.status = std::atoi(answer.head.c_str() + 9);
    const auto head = lower(answer.head);
    const auto length = head.find("content-length: ");
    if (length != std::string::npos) {
        const auto count = std::strtoull(head.c_str() + length + 16, nullptr, 10);
        answer.body = line.read(count, patience);
    } else if (head.find("transfer-encoding: chunked") != std::string::npos) {
        answer.body = read_chunks(line, patience);
    }
    return answer;
}

HttpAnswer upgrade(Line& line, const std::vector<std::string>& headers) {
    std::string text =
        "GET /v1/connect HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for (const auto& header : headers) text += header + "\r\n";
    line.send(text + "\r\n");
    HttpAnswer answer{.head = line.read_until("\r\n\r\n", kPatience)};
    if (answer.head.size() >= 12) answer.status = std::atoi(answer.head.c_str() + 9);
    return answer;
}

void send_frame(const Line& line, int opcode, std::string_view payload) {
    std::string frame{static_cast<char>(0x80 | opcode)};
    if (payload.size() < 126) {
        frame += static_cast<char>(0x80 | static_cast<int>(payload.size()));
    } else {
        frame += static_cast<char>(0x80 | 127);
        for (int at = 7; at >= 0; --at) frame += static_cast<char>(payload.size() >> (8 * at));
    }
    frame += kMask;
    for (std::size_t at = 0; at < payload.size(); ++at) {
        frame += static_cast<char>(payload[at] ^ kMask[at % 4]);
    }
    line.send(frame);
}

std::optional<Frame> read_frame(Line& line, Patience patience) {
    if (!line.has_bytes(patience)) return std::nullopt;
    const auto head = line.read(2, kPatience);
    if (head.size() < 2) return std::nullopt;
    std::size_t length = static_cast<unsigned char>(head[1]);
    if (length >= 126) {
        const auto wide = line.read(length == 126 ? 2 : 8, kPatience);
        length = 0;
        for (const char byte : wide) length = length << 8 | static_cast<unsigned char>(byte);
    }
    return Frame{.opcode = head[0] & 0x0f, .payload = line.read(length, kPatience)};
}

}  // namespace parlance::scenarios
