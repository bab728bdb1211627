// An open file descriptor of the operating system, and errors of calls on descriptors.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace parlance {

/// Closes the descriptor when destroyed. Negative: none.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor();
    int number() const { return number_; }
    /// Gives up ownership: the caller closes the descriptor.
    void release() { number_ = -1; }

  private:
    int number_;
};

/// The Fault that an errno stands for.
Fault fault_of(int code);

/// The system's text for an error number.
std::string system_message(int code);

/// "cannot sync PATH: No space left on device". Reads errno, so call directly after the failed
/// call.
tl::unexpected<Error> system_failure(std::string_view action, const std::string& path);

}  // namespace parlance
