// The WebSocket half of the client (RFC 6455): the handshake, masked frames out, frames in.
#include <array>
#include <bit>
#include <cstring>
#include <random>

#include "sdk/cpp/client.h"
#include "sdk/cpp/stream.h"

namespace parlance::sdk {

namespace {

enum Opcode : std::uint8_t {
    Continuation = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10
};

constexpr std::size_t kFrameBytesMax = std::size_t{64} << 20;

std::string base64(std::string_view bytes) {
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8U |
                    (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            const bool is_padding = at + i > bytes.size();
            out.push_back(is_padding ? '=' : kLetters[group >> (18U - 6U * i) & 63U]);
        }
    }
    return out;
}

using Sha1State = std::array<std::uint32_t, 5>;

void sha1_block(Sha1State& state, const unsigned char* block) {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t i = 0; i < 80; ++i) {
        if (i < 16) {
            words[i] = std::uint32_t{block[4 * i]} << 24U | std::uint32_t{block[4 * i + 1]} << 16U |
                       std::uint32_t{block[4 * i + 2]} << 8U | std::uint32_t{block[4 * i + 3]};
        } else {
            words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
        }
    }
    auto [a, b, c, d, e] = state;
    for (std::size_t i = 0; i < 80; ++i) {
        std::uint32_t mix = 0;
        if (i < 20) {
            mix = ((b & c) | (~b & d)) + 0x5A827999U;
        } else if (i < 40) {
            mix = (b ^ c ^ d) + 0x6ED9EBA1U;
        } else if (i < 60) {
            mix = ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
        } else {
            mix = (b ^ c ^ d) + 0xCA62C1D6U;
        }
        const std::uint32_t next = std::rotl(a, 5) + mix + e + words[i];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    }
    const Sha1State change{a, b, c, d, e};
    for (std::size_t i = 0; i < 5; ++i) state[i] += change[i];
}

/// Only for the handshake, which asks for it by name; nothing here rests on its strength.
std::string sha1(std::string_view text) {
    std::string padded(text);
    padded.push_back('\x80');
    while (padded.size() % 64 != 56) padded.push_back('\0');
    for (int shift = 56; shift >= 0; shift -= 8) {
        padded.push_back(static_cast<char>(std::uint64_t{text.size()} * 8 >> shift & 0xFF));
    }
    Sha1State state{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
    for (std::size_t at = 0; at < padded.size(); at += 64) {
        sha1_block(state, reinterpret_cast<const unsigned char*>(padded.data()) + at);
    }
    std::string digest;
    for (const std::uint32_t word : state) {
        for (unsigned shift = 32; shift > 0; shift -= 8) {
            digest.push_back(static_cast<char>(word >> (shift - 8) & 0xFFU));
        }
    }
    return digest;
}

/// Writes `from` to `to`, masked. Eight bytes at a time: this is most of what sending costs.
void copy_masked(char* to, std::string_view from, std::uint32_t key) {
    const std::uint64_t wide = std::uint64_t{key} << 32U | key;
    std::size_t at = 0;
    for (; at + 8 <= from.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, from.data() + at, 8);
        word ^= wide;
        std::memcpy(to + at, &word, 8);
    }
    std::array<char, 4> bytes{};
    std::memcpy(bytes.data(), &key, 4);
    for (; at < from.size(); ++at) to[at] = static_cast<char>(from[at] ^ bytes[at % 4]);
}

struct FrameHead {
    Opcode opcode = Text;
    bool is_final = true;
    std::size_t head_bytes = 0;
    std::size_t payload_bytes = 0;
};

std::uint64_t big_endian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
    return number;
}

/// Nothing until the whole head is there.
Result<std::optional<FrameHead>> read_head(std::string_view bytes) {
    if (bytes.size() < 2) return std::nullopt;
    const auto first = static_cast<unsigned char>(bytes[0]);
    const auto second = static_cast<unsigned char>(bytes[1]);
    if ((first & 0x70U) != 0 || (second & 0x80U) != 0) {
        return fail(Fault::Malformed, "the hub sent a frame that WebSocket does not allow");
    }
    FrameHead head{.opcode = static_cast<Opcode>(first & 0xFU),
                   .is_final = (first & 0x80U) != 0,
                   .head_bytes = 2,
                   .payload_bytes = second & 0x7FU};
    if (head.payload_bytes >= 126) {
        const std::size_t width = head.payload_bytes == 126 ? 2 : 8;
        if (bytes.size() < 2 + width) return std::nullopt;
        const std::uint64_t size = big_endian(bytes.substr(2, width));
        if (size > kFrameBytesMax) return fail(Fault::Malformed, "the hub sent too large a frame");
        head.head_bytes += width;
        head.payload_bytes = static_cast<std::size_t>(size);
    }
    return head;
}

std::string describe_close(std::string_view payload) {
    if (payload.size() < 2) return "the hub closed the connection";
    std::string text =
        "the hub closed the connection: " + std::to_string(big_endian(payload.substr(0, 2)));
    if (payload.size() > 2) text.append(" ").append(payload.substr(2));
    return text;
}

std::string fresh_key() {
    std::random_device random;
    std::string key;
    for (int i = 0; i < 16; ++i) key.push_back(static_cast<char>(random() & 0xFFU));
    return base64(key);
}

}  // namespace

struct Connection::Impl {
    Stream stream;
    std::chrono::milliseconds timeout;
    std::minstd_rand masks{std::random_device{}()};
    std::unique_ptr<char[]> outgoing{};
    std::size_t outgoing_size = 0;
    std::size_t spent = 0;  ///< The frame handed out last: consumed by the next call.
    std::string fragments{};
    bool is_in_fragments = false;

    Result<void> send(Opcode opcode, std::string_view payload) {
        constexpr std::size_t kHeadMax = 14;
        if (outgoing_size < payload.size() + kHeadMax) {
            outgoing_size = (payload.size() + kHeadMax) * 2;
            outgoing = std::make_unique_for_overwrite<char[]>(outgoing_size);
        }
        char* at = outgoing.get();
        *at++ = static_cast<char>(0x80U | opcode);
        const std::size_t width = payload.size() < 126 ? 0 : payload.size() < 65536 ? 2 : 8;
        const std::size_t mark = width == 0 ? payload.size() : width == 2 ? 126 : 127;
        *at++ = static_cast<char>(0x80U | mark);
        for (std::size_t i = width; i > 0; --i) {
            *at++ = static_cast<char>(payload.size() >> (8 * (i - 1)) & 0xFFU);
        }
        const auto key = static_cast<std::uint32_t>(masks());
        std::memcpy(at, &key, 4);
        at += 4;
        copy_masked(at, payload, key);
        at += payload.size();
        const auto size = static_cast<std::size_t>(at - outgoing.get());
        return stream.write({outgoing.get(), size}, Clock::now() + timeout);
    }

    /// What a complete frame means: text for the caller, or nothing if it was dealt with here.
    Result<std::optional<std::string_view>> take(const FrameHead& head, std::string_view payload) {
        switch (head.opcode) {
            case Ping:
                TRY(send(Pong, payload));
                return std::nullopt;
            case Pong:
                return std::nullopt;
            case Close: {
                std::string why = describe_close(payload);
                (void)send(Close, payload.substr(0, 2));  // The connection is over either way.
                return fail(Fault::Unavailable, std::move(why));
            }
            case Text:
            case Continuation:
                return take_text(head, payload);
            default:
                return fail(Fault::Malformed, "the hub sent a frame that is not text");
        }
    }

    Result<std::optional<std::string_view>> take_text(const FrameHead& head,
                                                      std::string_view payload) {
        if ((head.opcode == Continuation) != is_in_fragments) {
            return fail(Fault::Malformed, "the hub sent the parts of a frame out of order");
        }
        if (head.is_final && !is_in_fragments) return payload;
        if (!is_in_fragments) fragments.clear();
        if (fragments.size() + payload.size() > kFrameBytesMax) {
            return fail(Fault::Malformed, "the hub sent too large a frame");
        }
        fragments.append(payload);
        is_in_fragments = !head.is_final;
        if (is_in_fragments) return std::nullopt;
        return std::string_view{fragments};
    }
};

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

namespace {

std::string write_upgrade(const HubAddress& hub, const Identity& identity, std::string_view key) {
    const bool is_v6 = hub.host.find(':') != std::string::npos;
    std::string out = "GET /v1/connect HTTP/1.1\r\nHost: ";
    out += is_v6 ? "[" + hub.host + "]" : hub.host;
    out += ":" + std::to_string(hub.port) + "\r\n";
    out += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
    out.append("Sec-WebSocket-Key: ").append(key).append("\r\n");
    if (!identity.agent.empty()) out += "Parlance-Agent: " + identity.agent + "\r\n";
    if (!identity.operator_name.empty()) {
        out += "Parlance-Operator: " + identity.operator_name + "\r\n";
    }
    return out + "\r\n";
}

bool contains(std::string_view head, std::string_view text) {
    return head.find(text) != std::string_view::npos;
}

/// Reads up to the empty line and says why this is no open WebSocket, if it is none.
Result<void> shake_hands(Stream& stream, std::string_view key, Clock::time_point deadline) {
    std::size_t end = std::string_view::npos;
    while ((end = stream.pending().find("\r\n\r\n")) == std::string_view::npos) {
        if (!TRY(stream.fill(deadline))) {
            return fail(Fault::Unavailable, "the hub did not answer the upgrade in time");
        }
    }
    const std::string_view head = stream.pending().substr(0, end);
    if (!head.starts_with("HTTP/1.1 101")) {
        return fail(
            Fault::Malformed,
            "the hub refused the connection: " + std::string(head.substr(0, head.find("\r\n"))));
    }
    const std::string proof =
        base64(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
    if (!contains(head, proof)) {
        return fail(Fault::Malformed, "what answers there does not speak WebSocket");
    }
    stream.consume(end + 4);
    return {};
}

}  // namespace

Result<Connection> Connection::open(const HubAddress& hub,
                                    const Identity& identity,
                                    std::chrono::milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    Stream stream = TRY(Stream::connect(hub, deadline));
    const std::string key = fresh_key();
    TRY(stream.write(write_upgrade(hub, identity, key), deadline));
    TRY(shake_hands(stream, key, deadline));
    return Connection{
        std::make_unique<Impl>(Impl{.stream = std::move(stream), .timeout = timeout})};
}

Result<void> Connection::send(std::string_view frame) { return impl_->send(Text, frame); }

Result<std::optional<std::string_view>> Connection::receive(std::chrono::milliseconds wait) {
    const auto deadline = Clock::now() + wait;
    Stream& stream = impl_->stream;
    stream.consume(std::exchange(impl_->spent, 0));
    while (true) {
        const auto head = TRY(read_head(stream.pending()));
        const std::size_t whole = head ? head->head_bytes + head->payload_bytes : 0;
        if (!head || stream.pending().size() < whole) {
            if (!TRY(stream.fill(deadline))) return std::nullopt;
            continue;
        }
        const auto text =
            TRY(impl_->take(*head, stream.pending().substr(head->head_bytes, head->payload_bytes)));
        if (text) {
            impl_->spent = whole;
            return text;
        }
        stream.consume(whole);
    }
}

void Connection::close() {
    constexpr std::string_view kNormal{"\x03\xE8", 2};
    (void)impl_->send(Close, kNormal);  // A courtesy: the peer learns of the end in any case.
}

int Connection::socket() const { return impl_->stream.descriptor(); }

}  // namespace parlance::sdk
