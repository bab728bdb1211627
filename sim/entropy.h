// The only entropy of a simulated world: the same seed draws the same numbers.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace parlance::sim {

class Entropy {
  public:
    explicit Entropy(std::uint64_t seed) : state_(seed * 0x9E37'79B9'7F4A'7C15ULL + 1) {}

    std::uint64_t bits() {
        auto mixed = (state_ += 0x9E37'79B9'7F4A'7C15ULL);
        mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9ULL;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBULL;
        return mixed ^ (mixed >> 31U);
    }
    /// Below `bound`, which is not 0.
    std::uint64_t below(std::uint64_t bound) { return bits() % bound; }
    std::uint64_t between(std::uint64_t low, std::uint64_t high) {
        return low + below(high - low + 1);
    }
    bool percent(std::uint64_t percentage) { return below(100) < percentage; }
    Duration ms(std::uint64_t low, std::uint64_t high) {
        return Duration{static_cast<std::int64_t>(between(low, high))};
    }

  private:
    std::uint64_t state_;
};

}  // namespace parlance::sim
