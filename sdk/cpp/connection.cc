// The WebSocket side of the client: masks sent frames, and reads many frames at once.
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "sdk/cpp/client.h"
#include "sdk/cpp/http.h"
#include "sdk/cpp/link.h"

namespace parlance::sdk {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReceivedBytesMax = std::size_t{256} << 20;
constexpr milliseconds kFarewell{500};

std::string base64(const unsigned char* bytes, std::size_t count) {
    std::array<unsigned char, 128> encoded{};
    const int size = EVP_EncodeBlock(encoded.data(), bytes, static_cast<int>(count));
    return {encoded.begin(), encoded.begin() + size};
}

std::string websocket_accept(const std::string& key) {
    const auto salted = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    EVP_Digest(salted.data(), salted.size(), digest.data(), &length, EVP_sha1(), nullptr);
    return base64(digest.data(), length);
}

enum Opcode : std::uint8_t { Continuation = 0, Text = 1, Close = 8, Ping = 9, Pong = 10 };

/// A cheap mask: keeps proxies from mistaking frames for requests, and hides nothing.
std::uint32_t next_mask(std::uint32_t& seed) {
    seed ^= seed << 13U;
    seed ^= seed >> 17U;
    seed ^= seed << 5U;
    return seed;
}

/// Copies and masks in one pass over a long payload.
void copy_masked(char* out, std::string_view payload, std::uint32_t mask) {
    const auto wide = static_cast<std::uint64_t>(mask) << 32U | mask;
    std::size_t at = 0;
    for (; at + sizeof wide <= payload.size(); at += sizeof wide) {
        std::uint64_t word = 0;
        std::memcpy(&word, payload.data() + at, sizeof word);
        word ^= wide;
        std::memcpy(out + at, &word, sizeof word);
    }
    std::array<char, sizeof mask> key{};
    std::memcpy(key.data(), &mask, sizeof mask);
    for (; at < payload.size(); ++at) out[at] = static_cast<char>(payload[at] ^ key[at % 4]);
}

/// An uninitialised buffer for one frame.
class FrameBuffer {
  public:
    char* room(std::size_t bytes) {
        if (bytes > bytes_) {
            bytes_ = std::bit_ceil(bytes);
            room_ = std::make_unique_for_overwrite<char[]>(bytes_);
        }
        return room_.get();
    }

  private:
    std::unique_ptr<char[]> room_;
    std::size_t bytes_ = 0;
};

constexpr std::size_t kHeadBytesMax = 14;

std::string_view write_frame(FrameBuffer& buffer,
                             Opcode opcode,
                             std::string_view payload,
                             std::uint32_t mask) {
    constexpr std::uint8_t kMaskBit = 0x80;
    char* const frame = buffer.room(kHeadBytesMax + payload.size());
    char* at = frame;
    const auto write_length = [&](std::uint8_t mark, int bytes) {
        *at++ = static_cast<char>(kMaskBit | mark);
        for (int i = bytes - 1; i >= 0; --i) *at++ = static_cast<char>(payload.size() >> 8 * i);
    };
    *at++ = static_cast<char>(0x80U | opcode);
    if (payload.size() < 126) {
        write_length(static_cast<std::uint8_t>(payload.size()), 0);
    } else if (payload.size() <= 0xffff) {
        write_length(126, 2);
    } else {
        write_length(127, 8);
    }
    std::memcpy(at, &mask, sizeof mask);
    at += sizeof mask;
    copy_masked(at, payload, mask);
    return {frame, static_cast<std::size_t>(at - frame) + payload.size()};
}

struct FrameHead {
    bool final = false;
    std::uint8_t opcode = 0;
    std::size_t bytes = 0;
    std::uint64_t length = 0;
};

/// Reads the frame head at the start of the bytes; nothing if the bytes are too few.
std::optional<FrameHead> read_frame_head(std::string_view bytes) {
    if (bytes.size() < 2) return std::nullopt;
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
    FrameHead head{.final = (byte(0) & 0x80U) != 0,
                   .opcode = static_cast<std::uint8_t>(byte(0) & 0x0fU),
                   .bytes = 2,
                   .length = byte(1)};  // With the mask bit, which a hub never sets.
    const std::size_t wide = head.length == 126 ? 2 : (head.length == 127 ? 8 : 0);
    if (bytes.size() < 2 + wide) return std::nullopt;
    if (wide > 0) head.length = 0;
    for (std::size_t at = 0; at < wide; ++at) head.length = head.length << 8U | byte(2 + at);
    head.bytes += wide;
    return head;
}

}  // namespace

struct Connection::Impl {
    Link link;
    milliseconds timeout;
    std::uint32_t seed = 1;
    std::size_t sent_bytes_max = kFrameBytesMax;
    FrameBuffer out{};
    std::string message;    ///< The fragments so far.
    std::size_t given = 0;  ///< Bytes of the frame whose payload the caller still uses.
    bool in_message = false;

    Result<void> shake_hands(const HubAddress& hub, const Identity& identity);
    Result<void> send(Opcode opcode, std::string_view payload);
    Result<std::optional<std::string_view>> receive(milliseconds wait);
    Result<bool> on_frame(const FrameHead& head, std::string_view payload);
    tl::unexpected<Error> end(Fault fault, const std::string& why);
};

Result<void> Connection::Impl::shake_hands(const HubAddress& hub, const Identity& identity) {
    const auto deadline = deadline_in(timeout);
    TRY(link.connect(hub, deadline));
    std::array<unsigned char, 16> nonce{};
    if (RAND_bytes(nonce.data(), nonce.size()) != 1) {
        return fail(Fault::Unavailable, "the system gives no random bytes");
    }
    std::memcpy(&seed, nonce.data(), sizeof seed);
    seed |= 1U;  // Zero would stay zero.
    if (RAND_bytes(nonce.data(), nonce.size()) != 1) {
        return fail(Fault::Unavailable, "the system gives no random bytes");
    }
    const auto key = base64(nonce.data(), nonce.size());
    const Headers headers{{"Upgrade", "websocket"},
                          {"Connection", "Upgrade"},
                          {"Sec-WebSocket-Version", "13"},
                          {"Sec-WebSocket-Key", key}};
    const auto request = TRY(write_request(hub, identity, {"GET", "/v1/connect", {}, headers}));
    TRY(link.send(request, deadline));
    auto response = TRY(read_head(link, deadline));
    if (response.status != 101) {
        TRY(read_body(link, response, false, deadline));
        return fail(response.status / 100 == 5 ? Fault::Unavailable : Fault::Malformed,
                    "the hub at " + link.name() + " refused the connection: " +
                        std::to_string(response.status) + " " + response.body);
    }
    if (response.header("Sec-WebSocket-Accept") != websocket_accept(key)) {
        return fail(Fault::Malformed,
                    "what answers at " + link.name() + " does not speak WebSocket");
    }
    return {};
}

Result<void> Connection::Impl::send(Opcode opcode, std::string_view payload) {
    if (!link.is_open()) return fail(Fault::Unavailable, "the connection is closed");
    return link.send(write_frame(out, opcode, payload, next_mask(seed)), deadline_in(timeout));
}

tl::unexpected<Error> Connection::Impl::end(Fault fault, const std::string& why) {
    const auto name = link.name();
    link.close();
    return fail(fault, "the hub at " + name + " " + why);
}

Result<std::optional<std::string_view>> Connection::Impl::receive(milliseconds wait) {
    link.drop(std::exchange(given, 0));
    if (!in_message) message.clear();
    std::optional<Deadline> deadline;  // Set only before a wait, to save a call of the clock.
    for (;;) {
        const auto waiting = link.waiting();
        const auto head = read_frame_head(waiting);
        if (head && (head->length > kReceivedBytesMax || (waiting[1] & 0x80) != 0)) {
            return end(Fault::Malformed, "sent a frame that is no frame");
        }
        if (head && waiting.size() - head->bytes >= head->length) {
            const auto length = static_cast<std::size_t>(head->length);
            given = head->bytes + length;
            const auto payload = waiting.substr(head->bytes, length);
            const bool was_fragmented = in_message;
            const bool is_whole = TRY(on_frame(*head, payload));
            if (is_whole && !was_fragmented) return payload;
            link.drop(std::exchange(given, 0));
            if (is_whole) return std::string_view{message};
            continue;
        }
        if (!deadline) deadline = deadline_in(wait);
        const auto filled = TRY(link.fill(*deadline));
        if (filled == Link::Filled::Nothing) return std::nullopt;
        if (filled == Link::Filled::Ended) {
            return end(Fault::Unavailable, "closed the connection");
        }
    }
}

/// True if the frame completes a message.
Result<bool> Connection::Impl::on_frame(const FrameHead& head, std::string_view payload) {
    switch (head.opcode) {
        case Text:
        case Continuation:
            if (in_message != (head.opcode == Continuation)) {
                return end(Fault::Malformed, "sent fragments out of order");
            }
            if (!head.final || in_message) message += payload;
            in_message = !head.final;
            if (message.size() > kReceivedBytesMax) return end(Fault::Malformed, "sent too much");
            return head.final;
        case Ping:
            TRY(send(Pong, payload));
            return false;
        case Pong:
            return false;
        case Close: {
            const std::string said{payload};
            [[maybe_unused]] const auto answered = send(Close, said.substr(0, 2));
            if (said.size() < 2) return end(Fault::Unavailable, "closed the connection");
            const int code =
                static_cast<std::uint8_t>(said[0]) << 8 | static_cast<std::uint8_t>(said[1]);
            return end(Fault::Unavailable,
                       "closed the connection: " + std::to_string(code) + " " + said.substr(2));
        }
        default:
            return end(Fault::Malformed, "sent a frame of a kind that is not known here");
    }
}

Connection::Connection(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

Result<Connection> Connection::open(const HubAddress& hub,
                                    const Identity& identity,
                                    milliseconds timeout) {
    std::unique_ptr<Impl> impl{new Impl{.link = {}, .timeout = timeout, .message = {}}};
    TRY(impl->shake_hands(hub, identity));
    return Connection{std::move(impl)};
}

Result<void> Connection::send(std::string_view frame) {
    if (frame.size() <= impl_->sent_bytes_max) return impl_->send(Text, frame);
    return fail(Fault::Malformed,
                "the frame has " + std::to_string(frame.size()) + " bytes, and " +
                    std::to_string(impl_->sent_bytes_max) + " is the most that the hub at " +
                    impl_->link.name() +
                    " takes; send less at once, or a reference to where the large part is kept");
}

void Connection::limit_frames(std::size_t bytes_max) { impl_->sent_bytes_max = bytes_max; }

Result<std::optional<std::string_view>> Connection::receive(milliseconds wait) {
    return impl_->receive(wait);
}

/// Waits a little for the hub's close frame: closing with unread bytes would reset the connection
/// and could lose the client's own last frames.
void Connection::close() {
    auto& link = impl_->link;
    if (!link.is_open()) return;
    const auto deadline = deadline_in(kFarewell);
    if (impl_->send(Close, "\x03\xE8")) {
        link.finish_sending();
        for (;;) {
            const auto filled = link.fill(deadline);
            if (!filled || *filled != Link::Filled::Some) break;
            link.drop(link.waiting().size());
        }
    }
    link.close();
}

int Connection::socket() const { return impl_->link.descriptor(); }

}  // namespace parlance::sdk
