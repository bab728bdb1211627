// One TCP connection with a reading buffer: what HTTP and WebSocket stand on. For the sdk's own
// files.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "sdk/cpp/client.h"

namespace parlance::sdk {

using Clock = std::chrono::steady_clock;

class Stream {
  public:
    static Result<Stream> connect(const HubAddress& hub, Clock::time_point deadline);
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    ~Stream();

    Result<void> write(std::string_view bytes, Clock::time_point deadline);
    /// Reads once; false when nothing came in time. The end of the stream is an Error.
    Result<bool> fill(Clock::time_point deadline);
    /// What was read and not yet consumed. The view is valid until the next fill().
    std::string_view pending() const { return {buffer_.get() + begin_, end_ - begin_}; }
    void consume(std::size_t count) { begin_ += count; }
    int descriptor() const { return descriptor_; }

  private:
    explicit Stream(int descriptor) : descriptor_(descriptor) {}
    void make_room();

    int descriptor_ = -1;
    std::unique_ptr<char[]> buffer_;
    std::size_t size_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace parlance::sdk
