#include "sdk/cpp/testing/scripted_hub.h"

#include <array>

#include <netinet/in.h>
#include <openssl/evp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace parlance::sdk::testing {

namespace {

/// OpenSSL's result for the handshake's proof: independent of the client's own code, so that the
/// two must agree.
std::string proof_of(std::string_view key) {
    const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, 20> digest{};
    unsigned size = 0;
    CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
    std::array<unsigned char, 32> out{};
    const int length = EVP_EncodeBlock(out.data(), digest.data(), 20);
    return {reinterpret_cast<const char*>(out.data()), static_cast<std::size_t>(length)};
}

}  // namespace

void Peer::write(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

bool Peer::more() {
    std::array<char, 4096> bytes{};
    const auto got = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (got > 0) pending_.append(bytes.data(), static_cast<std::size_t>(got));
    return got > 0;
}

std::string Peer::read_exactly(std::size_t count) {
    while (pending_.size() < count) {
        if (!more()) return {};
    }
    std::string bytes = pending_.substr(0, count);
    pending_.erase(0, count);
    return bytes;
}

std::string Peer::read_request() {
    while (pending_.find("\r\n\r\n") == std::string::npos) {
        if (!more()) return {};
    }
    const std::size_t head = pending_.find("\r\n\r\n") + 4;
    const std::size_t length = pending_.find("Content-Length: ");
    const std::size_t body = length < head ? std::stoul(pending_.substr(length + 16)) : 0;
    return read_exactly(head + body);
}

std::string Peer::accept_socket() {
    std::string request = read_request();
    constexpr std::string_view kName = "Sec-WebSocket-Key: ";
    const std::size_t at = request.find(kName) + kName.size();
    write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: " +
        proof_of(request.substr(at, 24)) + "\r\n\r\n");
    return request;
}

std::string Peer::read_frame() {
    const std::string head = read_exactly(2);
    if (head.empty() || (static_cast<unsigned char>(head[0]) & 0xFU) == 8) return {};
    std::size_t size = static_cast<unsigned char>(head[1]) & 0x7FU;
    const std::size_t width = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (width != 0) size = 0;
    for (const char byte : width == 0 ? std::string{} : read_exactly(width)) {
        size = size << 8U | static_cast<unsigned char>(byte);
    }
    const std::string mask = read_exactly(4);
    std::string payload = size == 0 ? std::string{} : read_exactly(size);
    for (std::size_t i = 0; i < payload.size(); ++i) {
        payload[i] = static_cast<char>(payload[i] ^ mask[i % 4]);
    }
    return payload;
}

void Peer::write_frame(std::string_view text, unsigned char first) const {
    std::string frame(1, static_cast<char>(first));
    if (text.size() < 126) {
        frame.push_back(static_cast<char>(text.size()));
    } else {
        frame.push_back(127);
        for (int shift = 56; shift >= 0; shift -= 8) {
            frame.push_back(static_cast<char>(std::uint64_t{text.size()} >> shift & 0xFFU));
        }
    }
    write(frame.append(text));
}

ScriptedHub::ScriptedHub(Script script, int connections) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    CHECK(::bind(listener_, plain, size) == 0);
    CHECK(::listen(listener_, 8) == 0);
    CHECK(::getsockname(listener_, plain, &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread{[listener = listener_, script = std::move(script), connections] {
        for (int i = 0; i < connections; ++i) {
            const int descriptor = ::accept(listener, nullptr, nullptr);
            if (descriptor < 0) return;
            Peer peer{descriptor};
            script(peer);
            ::close(descriptor);
        }
    }};
}

ScriptedHub::~ScriptedHub() {
    ::shutdown(listener_, SHUT_RDWR);  // Wakes a pending accept.
    thread_.join();
    ::close(listener_);
}

}  // namespace parlance::sdk::testing
