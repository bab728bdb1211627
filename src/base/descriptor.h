// An open file of the operating system, and how to say that a call on one failed.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace parlance {

/// Closes it in the end. Negative: none.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor();
    int number() const { return number_; }
    /// From here on somebody else closes it.
    void release() { number_ = -1; }

  private:
    int number_;
};

/// What kind of failure an errno is.
Fault fault_of(int code);

/// What the system says of an error number.
std::string system_message(int code);

/// "cannot sync PATH: No space left on device". From errno, which is why it is asked for right
/// after the call that failed.
tl::unexpected<Error> system_failure(std::string_view action, const std::string& path);

}  // namespace parlance
