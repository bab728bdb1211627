// Tools of the transport's tests: a server on a loop in its own thread, and a raw client that can
// also send bytes that no correct client would send.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "transport/transport.h"

namespace parlance::transport::testing {

/// Answers with the method, path and body, and echoes frames.
Doors echo_doors();

/// A listening server on port 0 of 127.0.0.1, with its loop in a thread until destruction.
class House {
  public:
    explicit House(DoorLimits limits = {},
                   Doors doors = echo_doors(),
                   const std::optional<TlsFiles>& tls = {});
    ~House();
    House(const House&) = delete;
    House& operator=(const House&) = delete;

    std::uint16_t port() const { return server_->port(); }
    Loop& loop() { return loop_; }
    Server& server() { return *server_; }
    /// Runs `work` on the loop's thread and waits for the end of `work`.
    void on_loop(const std::function<void()>& work);
    DoorCounts counts();
    /// Polls for up to ten seconds until `is_reached` accepts the counts.
    bool await(const std::function<bool(const DoorCounts&)>& is_reached);
    /// The number of turns of the loop. Handlers of one turn see the same number.
    int turns() const { return turns_; }

  private:
    std::atomic<int> turns_{0};
    Loop loop_;
    std::unique_ptr<Server> server_;
    std::thread thread_;
};

struct Answer {
    int status = 0;
    std::string head;
    std::string body;
    bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
};

struct Frame {
    int opcode = -1;  ///< -1 when the connection ended.
    std::string payload;
    int close_code() const;
};

/// A blocking client. Every wait fails after ten seconds.
class Peer {
  public:
    explicit Peer(std::uint16_t port);
    struct Connected {
        int fd;
    };
    explicit Peer(Connected socket) : fd_{socket.fd} {}
    static void connect_to(std::uint16_t port, int fd);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    void send(std::string_view bytes) const;
    bool can_send(std::string_view bytes) const;  ///< As send(); false if the server has closed.
    void finish_sending() const;
    void reset();           ///< Closes with a reset.
    bool has_ended();       ///< Waits for the end; false if bytes came instead.
    bool sees_end() const;  ///< As has_ended(), without waiting.

    Answer read_answer(bool has_body = true);
    std::string read_line();
    std::string read_bytes(std::size_t count);
    void discard_bytes(std::size_t count) const;  ///< Reads bytes and drops them.

    Answer upgrade(std::string_view path = "/");
    void send_frame(int opcode, std::string_view payload, bool final = true, bool masked = true);
    Frame read_frame();

  private:
    bool fill();
    int fd_ = -1;
    std::string waiting_;
};

std::string request_text(std::string_view method,
                         std::string_view path,
                         std::string_view body = {},
                         std::string_view more_headers = {});

}  // namespace parlance::transport::testing
