// A hub scripted by a test, on a real loopback socket: for cases a real hub never produces, such as
// half a frame.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "sdk/cpp/client.h"

namespace parlance::sdk::testing {

/// An accepted connection, for the script.
class Peer {
  public:
    explicit Peer(int descriptor) : descriptor_(descriptor) {}
    void write(std::string_view bytes) const;
    /// Reads up to and with the empty line, and the body of Content-Length bytes.
    std::string read_request();
    /// Reads the upgrade and answers as in RFC 6455.
    std::string accept_socket();
    std::string read_frame();  ///< The unmasked payload; empty when the client has gone.
    void write_frame(std::string_view text, unsigned char first = 0x81) const;

  private:
    std::string read_exactly(std::size_t count);
    bool more();
    int descriptor_;
    std::string pending_{};
};

class ScriptedHub {
  public:
    using Script = std::function<void(Peer&)>;
    /// Runs `script` once per connection, `connections` times in sequence.
    explicit ScriptedHub(Script script, int connections = 1);
    ~ScriptedHub();
    ScriptedHub(const ScriptedHub&) = delete;
    ScriptedHub& operator=(const ScriptedHub&) = delete;
    HubAddress address() const { return {.host = "127.0.0.1", .port = port_}; }

  private:
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::jthread thread_{};
};

}  // namespace parlance::sdk::testing
