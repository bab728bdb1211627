// A connection to a hub, plain or over TLS, and its received but unused bytes.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/tls.h"
#include "sdk/cpp/client.h"

struct addrinfo;

namespace parlance::sdk {

using Deadline = std::chrono::steady_clock::time_point;

inline Deadline deadline_in(std::chrono::milliseconds wait) {
    return std::chrono::steady_clock::now() + wait;
}

std::string text_of(const HubAddress& hub);

class Link {
  public:
    enum class Filled { Some, Nothing, Ended };

    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() { close(); }

    Result<void> connect(const HubAddress& hub, Deadline deadline);
    Result<void> send(std::string_view bytes, Deadline deadline);
    /// Waits for more bytes, until the deadline.
    Result<Filled> fill(Deadline deadline);
    /// Like fill(), but silence and the end are errors.
    Result<void> fill_or_fail(Deadline deadline);

    bool is_open() const { return fd_ >= 0; }
    int descriptor() const { return fd_; }
    const std::string& name() const { return name_; }
    std::string_view waiting() const { return {buffer_.data() + begin_, end_ - begin_}; }
    void drop(std::size_t count) { begin_ += count; }
    void close();
    void finish_sending();

  private:
    Result<void> connect_once(const HubAddress& hub, Deadline deadline);
    Result<void> connect_to(const addrinfo& address, Deadline deadline);
    Result<void> shake_hands(const HubAddress& hub, Deadline deadline);
    Result<void> send_raw(std::string_view bytes, Deadline deadline);
    /// Receives bytes without decrypting.
    Result<Filled> receive_raw(Deadline deadline);
    Result<bool> unseal(std::size_t count, Deadline deadline);
    tl::unexpected<Error> distrust() const;
    Result<void> explain_refusal(int code) const;
    bool wait_for(short events, Deadline deadline) const;
    void make_room();

    int fd_ = -1;
    bool has_connected_ = false;  ///< Ever connected: a later refusal means that the hub has gone.
    bool was_refused_ = false;
    std::string name_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;

    std::shared_ptr<const TlsContext> context_;
    TlsFiles files_;  ///< The files of the context.
    std::optional<TlsSession> tls_;
    std::string sealed_;  ///< To send.
    std::string plain_;   ///< Received.
};

}  // namespace parlance::sdk
