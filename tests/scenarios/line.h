// A blocking TCP connection to 127.0.0.1 with a bound on every wait, and HTTP and WebSocket over
// it. Can also send what no decent client would.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::scenarios {

using Patience = std::chrono::milliseconds;
inline constexpr Patience kPatience{10'000};

class Line {
  public:
    explicit Line(std::uint16_t port);
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    void send(std::string_view bytes) const;
    /// Exactly `count` bytes; fewer if the peer ends or `patience` does.
    std::string read(std::size_t count, Patience patience);
    std::string read_until(std::string_view mark, Patience patience);
    bool has_bytes(Patience patience);
    bool has_ended() const { return has_ended_; }

  private:
    bool fill(Patience patience);
    int fd_ = -1;
    bool has_ended_ = false;
    std::string waiting_;
};

struct HttpRequest {
    std::string method;
    std::string target;
    std::vector<std::string> headers;  ///< Whole lines; a Host here replaces the default.
    std::string body;
};

struct HttpAnswer {
    int status = 0;  ///< 0: no answer.
    std::string head;
    std::string body;
};

void send_request(const Line& line, const HttpRequest& request);
HttpAnswer read_answer(Line& line, Patience patience);

struct Frame {
    int opcode = -1;  ///< -1: no frame.
    std::string payload;
};

HttpAnswer upgrade(Line& line, const std::vector<std::string>& headers);
void send_frame(const Line& line, int opcode, std::string_view payload);
std::optional<Frame> read_frame(Line& line, Patience patience);

}  // namespace parlance::scenarios
