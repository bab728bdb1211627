// Delay before a retry: doubling, with a cap, and jitter so that programs do not retry in step.
#pragma once

#include <chrono>
#include <random>

namespace parlance::sdk {

class Backoff {
  public:
    Backoff(std::chrono::milliseconds first, std::chrono::milliseconds most)
        : first_(first), most_(most), current_(first) {}
    /// Between half of the current step and all of it.
    std::chrono::milliseconds next();
    void reset() { current_ = first_; }

  private:
    std::chrono::milliseconds first_;
    std::chrono::milliseconds most_;
    std::chrono::milliseconds current_;
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace parlance::sdk
