// A 64-bit number with the alignment of 32 bits, so that a row of a large table has no padding.
#pragma once

#include <cstdint>

namespace parlance {

class PackedUint64 {
  public:
    constexpr PackedUint64() = default;
    constexpr explicit PackedUint64(std::uint64_t number)
        : low_{static_cast<std::uint32_t>(number)},
          high_{static_cast<std::uint32_t>(number >> 32U)} {}
    constexpr std::uint64_t value() const { return std::uint64_t{high_} << 32U | low_; }

  private:
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0;
};

}  // namespace parlance
