#include "transport/frames.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <openssl/evp.h>
#include <simdjson.h>

#include "base/check.h"

namespace parlance::transport {
namespace {

constexpr std::uint8_t kFinalBit = 0x80;
constexpr std::uint8_t kReservedBits = 0x70;
constexpr std::uint8_t kMaskBit = 0x80;
constexpr std::uint8_t kLength16 = 126;
constexpr std::uint8_t kLength64 = 127;
constexpr std::size_t kControlBytesMax = 125;

std::uint8_t byte_at(const char* bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
}

std::uint64_t big_endian(const char* bytes, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t at = 0; at < count; ++at) value = value << 8U | byte_at(bytes, at);
    return value;
}

void append_big_endian(std::string& out, std::uint64_t value, std::size_t count) {
    for (std::size_t at = count; at-- > 0;) out += static_cast<char>(value >> (8 * at) & 0xffU);
}

bool is_control(Opcode opcode) { return static_cast<std::uint8_t>(opcode) >= 8; }

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace

Piece FrameReader::next(char* bytes, std::size_t count) {
    if (message_given_) {
        message_given_ = false;
        std::string{}.swap(message_);  // Fragments are rare: an idle connection keeps no buffer.
    }
    std::size_t used = 0;
    for (;;) {
        Head head{};
        const auto state = read_head(bytes + used, count - used, head);
        if (state == HeadState::Broken) return broken_;
        if (state == HeadState::NeedMore || count - used - head.bytes < head.length) {
            return {.kind = Piece::Kind::NeedMore, .used = used, .payload = {}, .code = 0};
        }

        char* const start = bytes + used + head.bytes;
        const auto length = static_cast<std::size_t>(head.length);
        unmask(start, length, head.mask);
        used += head.bytes + length;
        std::string_view payload{start, length};

        if (!is_control(head.opcode)) {
            if (!head.final || in_message_) message_ += payload;
            const bool was_fragmented = in_message_;
            in_message_ = !head.final;
            if (!head.final) continue;
            message_given_ = was_fragmented;
            if (was_fragmented) payload = message_;
        }
        auto piece = is_control(head.opcode) ? control(head, payload) : text(payload);
        piece.used = used;
        return piece;
    }
}

FrameReader::HeadState FrameReader::read_head(const char* bytes, std::size_t count, Head& head) {
    if (count < 2) return HeadState::NeedMore;
    const auto first = byte_at(bytes, 0);
    const auto second = byte_at(bytes, 1);
    head.final = (first & kFinalBit) != 0;
    head.opcode = static_cast<Opcode>(first & 0x0fU);
    head.length = second & 0x7fU;
    const std::size_t length_bytes =
        head.length == kLength16 ? 2 : (head.length == kLength64 ? 8 : 0);
    head.bytes = 2 + length_bytes + 4;

    // Errors are reported before waiting for bytes that may never arrive.
    if ((first & kReservedBits) != 0) {
        refuse(kCloseProtocolError, "reserved bits are set and no extension was agreed");
        return HeadState::Broken;
    }
    if ((second & kMaskBit) == 0) {
        refuse(kCloseProtocolError, "frames from a client must be masked");
        return HeadState::Broken;
    }
    if (count < 2 + length_bytes) return HeadState::NeedMore;
    if (length_bytes > 0) head.length = big_endian(bytes + 2, length_bytes);
    if (!is_acceptable(head)) return HeadState::Broken;
    if (count < head.bytes) return HeadState::NeedMore;
    std::memcpy(&head.mask, bytes + 2 + length_bytes, sizeof head.mask);
    return HeadState::Whole;
}

bool FrameReader::is_acceptable(const Head& head) {
    return is_control(head.opcode) ? is_acceptable_control(head) : is_acceptable_data(head);
}

bool FrameReader::is_acceptable_control(const Head& head) {
    if (head.opcode > Opcode::Pong) return refuse(kCloseProtocolError, "unknown opcode");
    if (!head.final) return refuse(kCloseProtocolError, "a control frame cannot be fragmented");
    if (head.length > kControlBytesMax) {
        return refuse(kCloseProtocolError, "a control frame has at most 125 bytes");
    }
    return true;
}

bool FrameReader::is_acceptable_data(const Head& head) {
    if (head.opcode > Opcode::Binary) return refuse(kCloseProtocolError, "unknown opcode");
    if (head.opcode == Opcode::Binary) {
        return refuse(kCloseUnsupportedData, "only text frames are understood here");
    }
    if (in_message_ != (head.opcode == Opcode::Continuation)) {
        return refuse(
            kCloseProtocolError,
            in_message_ ? "a message began inside another" : "a continuation without a beginning");
    }
    if (head.length > message_bytes_max_ - message_.size()) {
        return refuse(kCloseTooBig, "the message is larger than this hub takes");
    }
    return true;
}

bool FrameReader::refuse(std::uint16_t code, std::string_view why) {
    broken_ = {.kind = Piece::Kind::Broken, .used = 0, .payload = why, .code = code};
    return false;
}

Piece FrameReader::text(std::string_view payload) {
    if (is_utf8(payload)) {
        return {.kind = Piece::Kind::Text, .used = 0, .payload = payload, .code = 0};
    }
    return {.kind = Piece::Kind::Broken,
            .used = 0,
            .payload = "the text is not UTF-8",
            .code = kCloseBadText};
}

Piece FrameReader::control(const Head& head, std::string_view payload) {
    if (head.opcode != Opcode::Close) {
        const auto kind = head.opcode == Opcode::Ping ? Piece::Kind::Ping : Piece::Kind::Pong;
        return {.kind = kind, .used = 0, .payload = payload, .code = 0};
    }
    if (payload.empty()) {
        return {.kind = Piece::Kind::Close, .used = 0, .payload = {}, .code = kCloseNoCode};
    }
    const auto code = payload.size() == 1
                          ? std::uint16_t{0}
                          : static_cast<std::uint16_t>(big_endian(payload.data(), 2));
    if (!is_sendable_close_code(code)) {
        return {.kind = Piece::Kind::Broken,
                .used = 0,
                .payload = "the close code is not one a client may send",
                .code = kCloseProtocolError};
    }
    payload.remove_prefix(2);
    if (!is_utf8(payload)) {
        return {.kind = Piece::Kind::Broken,
                .used = 0,
                .payload = "the close reason is not UTF-8",
                .code = kCloseBadText};
    }
    return {.kind = Piece::Kind::Close, .used = 0, .payload = payload, .code = code};
}

void unmask(char* bytes, std::size_t count, std::uint32_t mask) {
    if (mask == 0) return;
    const auto wide = static_cast<std::uint64_t>(mask) << 32U | mask;
    std::size_t at = 0;
    for (; at + sizeof wide <= count; at += sizeof wide) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + at, sizeof word);
        word ^= wide;
        std::memcpy(bytes + at, &word, sizeof word);
    }
    std::array<char, sizeof mask> key{};
    std::memcpy(key.data(), &mask, sizeof mask);
    for (; at < count; ++at) bytes[at] = static_cast<char>(bytes[at] ^ key[at % key.size()]);
}

void append_frame(std::string& out, Opcode opcode, std::string_view payload) {
    out += static_cast<char>(kFinalBit | static_cast<std::uint8_t>(opcode));
    if (payload.size() < kLength16) {
        out += static_cast<char>(payload.size());
    } else if (payload.size() <= 0xffff) {
        out += static_cast<char>(kLength16);
        append_big_endian(out, payload.size(), 2);
    } else {
        out += static_cast<char>(kLength64);
        append_big_endian(out, payload.size(), 8);
    }
    out += payload;
}

void append_close(std::string& out, std::uint16_t code, std::string_view reason) {
    std::string payload;
    if (is_sendable_close_code(code)) {
        append_big_endian(payload, code, 2);
        auto length = std::min(reason.size(), kControlBytesMax - payload.size());
        // Cut between characters: a reason must stay UTF-8.
        while (length < reason.size() && length > 0 &&
               (byte_at(reason.data(), length) & 0xc0U) == 0x80U)
            --length;
        payload += reason.substr(0, length);
    }
    append_frame(out, Opcode::Close, payload);
}

bool is_sendable_close_code(std::uint16_t code) {
    if (code >= 3000) return code < 5000;
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}

bool is_websocket_key(std::string_view key) {
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return key.size() == 24 && key.ends_with("==") &&
           key.find_first_not_of(kAlphabet) == key.size() - 2;
}

std::string websocket_accept(std::string_view key) {
    std::string salted{key};
    salted += "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    CHECK(EVP_Digest(salted.data(), salted.size(), digest.data(), &length, EVP_sha1(), nullptr) ==
          1);
    std::array<unsigned char, std::size_t{2} * EVP_MAX_MD_SIZE> encoded{};
    const int size = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(length));
    return {encoded.begin(), encoded.begin() + size};
}

}  // namespace parlance::transport
