// The WebSocket protocol (RFC 6455) from the server's side, as bytes: no socket, no clock.
//
// Not taken from Beast, because the hub decides when bytes leave: all frames of a turn in one
// write, pongs and closes in order among them, and no buffer while a peer is idle.
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

/// The next item in a client's bytes.
struct Piece {
    enum class Kind { NeedMore, Text, Ping, Pong, Close, Broken };
    Kind kind = Kind::NeedMore;
    std::size_t used = 0;      ///< Bytes fully processed, even if more are needed.
    std::string_view payload;  ///< Of Text, Ping, Pong; the reason of Close; the problem of Broken.
    std::uint16_t code = 0;    ///< The code of a Close, or the code to close with when Broken.
};

/// Assembles messages from masked frames. Unmasks in place.
class FrameReader {
  public:
    explicit FrameReader(std::size_t message_bytes_max) : message_bytes_max_{message_bytes_max} {}
    /// A payload is valid as long as `bytes`, and at most until the next call.
    Piece next(char* bytes, std::size_t count);
    /// True after the first and before the last fragment of a message.
    bool is_in_message() const { return in_message_; }
    std::size_t message_bytes() const { return message_.size(); }  ///< Of the fragments.

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

/// XORs `bytes` with the mask, beginning with the mask's first byte.
void unmask(char* bytes, std::size_t count, std::uint32_t mask);
void append_frame(std::string& out, Opcode opcode, std::string_view payload);
void append_close(std::string& out, std::uint16_t code, std::string_view reason);
bool is_sendable_close_code(std::uint16_t code);

/// Whether a Sec-WebSocket-Key is sixteen bytes in base64.
bool is_websocket_key(std::string_view key);
/// The Sec-WebSocket-Accept for the key.
std::string websocket_accept(std::string_view key);

}  // namespace parlance::transport
