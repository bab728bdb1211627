// The WebSocket protocol (RFC 6455) from the server's side, as bytes: no socket, no clock.
//
// Written by hand rather than taken from Beast because we decide when bytes leave: everything of
// one turn in one write, with pongs and closes in their place, and no buffer while a peer is idle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parlance::transport {

inline constexpr std::uint16_t kCloseNormal = 1000;
inline constexpr std::uint16_t kCloseProtocolError = 1002;
inline constexpr std::uint16_t kCloseUnsupportedData = 1003;
inline constexpr std::uint16_t kCloseNoCode = 1005;
inline constexpr std::uint16_t kCloseBadText = 1007;
inline constexpr std::uint16_t kCloseTooBig = 1009;
inline constexpr std::uint16_t kCloseTryAgainLater = 1013;

enum class Opcode : std::uint8_t {
    Continuation = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
};

/// What the next bytes of a client turned out to be.
struct Piece {
    enum class Kind { NeedMore, Text, Ping, Pong, Close, Broken };
    Kind kind = Kind::NeedMore;
    std::size_t used = 0;      ///< Bytes that are done with, also when more are needed.
    std::string_view payload;  ///< Of Text, Ping, Pong; the reason of Close; why of Broken.
    std::uint16_t code = 0;    ///< Of Close, and the code to close with when Broken.
};

/// Puts messages together from masked frames. Unmasks where the bytes stand.
class FrameReader {
  public:
    explicit FrameReader(std::size_t message_bytes_max) : message_bytes_max_{message_bytes_max} {}
    /// A payload is valid until the bytes are, and until the next call.
    Piece next(char* bytes, std::size_t count);
    /// Whether some fragments of a message have come, and not the last.
    bool is_in_message() const { return in_message_; }
    std::size_t message_bytes() const { return message_.size(); }  ///< Of those fragments.

  private:
    struct Head {
        bool final;
        Opcode opcode;
        std::uint64_t length;
        std::size_t bytes;
        std::uint32_t mask;
    };
    enum class HeadState { NeedMore, Whole, Broken };

    HeadState read_head(const char* bytes, std::size_t count, Head& head);
    bool is_acceptable(const Head& head);
    bool is_acceptable_control(const Head& head);
    bool is_acceptable_data(const Head& head);
    bool refuse(std::uint16_t code, std::string_view why);
    static Piece control(const Head& head, std::string_view payload);
    static Piece text(std::string_view payload);

    std::size_t message_bytes_max_;
    std::string message_;  ///< The fragments so far.
    bool in_message_ = false;
    bool message_given_ = false;
    Piece broken_;
};

/// XORs `bytes` with the mask, which starts at its first byte.
void unmask(char* bytes, std::size_t count, std::uint32_t mask);
void append_frame(std::string& out, Opcode opcode, std::string_view payload);
void append_close(std::string& out, std::uint16_t code, std::string_view reason);
bool is_sendable_close_code(std::uint16_t code);

/// Whether a Sec-WebSocket-Key is sixteen bytes in base64.
bool is_websocket_key(std::string_view key);
/// The Sec-WebSocket-Accept that answers it.
std::string websocket_accept(std::string_view key);

}  // namespace parlance::transport
