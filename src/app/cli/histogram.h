// Durations counted in buckets whose width grows with the value, about 3 % precise.
//
// Recording is an addition into a fixed array, so that measuring costs next to nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "app/cli/colour.h"

namespace parlance::cli {

class Histogram {
  public:
    void record(std::uint64_t nanoseconds) {
        ++counts_[bucket_of(nanoseconds)];
        ++total_;
        if (nanoseconds > max_) max_ = nanoseconds;
        if (nanoseconds < min_) min_ = nanoseconds;
    }
    void add(const Histogram& other);

    std::uint64_t total() const { return total_; }
    std::uint64_t max() const { return total_ == 0 ? 0 : max_; }
    std::uint64_t min() const { return total_ == 0 ? 0 : min_; }
    /// The smallest value with at least the share `quantile` of all values at or below; 0 if empty.
    /// Never below the true value, and at most 1/32 above.
    std::uint64_t percentile(double quantile) const;
    /// Values at or above `from` and below `to`, to the precision of the buckets.
    std::uint64_t count_between(std::uint64_t from, std::uint64_t to) const;
    /// The smallest value counted together with `value`.
    static std::uint64_t floor_of(std::uint64_t value) { return first_of(bucket_of(value)); }

  private:
    static constexpr unsigned kSubBits = 5;  ///< 32 buckets for each doubling.
    static constexpr std::size_t kSub = std::size_t{1} << kSubBits;
    static constexpr std::size_t kBuckets = kSub * (64 - kSubBits + 1);

    static std::size_t bucket_of(std::uint64_t value) {
        if (value < kSub) return static_cast<std::size_t>(value);
        const auto magnitude = static_cast<unsigned>(63 - __builtin_clzll(value));
        const unsigned shift = magnitude - kSubBits;
        return kSub * (shift + 1) + static_cast<std::size_t>((value >> shift) - kSub);
    }
    static std::uint64_t first_of(std::size_t bucket);

    std::array<std::uint64_t, kBuckets> counts_{};
    std::uint64_t total_ = 0;
    std::uint64_t max_ = 0;
    std::uint64_t min_ = ~std::uint64_t{0};
};

/// "417 ns", "38.2 µs", "1.94 ms", "2.61 s".
std::string duration_text(double nanoseconds);
/// "1,204,551".
std::string count_text(std::uint64_t count);

/// A picture: bars between round values, with the percentiles marked beside.
std::string render(const Histogram& histogram, const Screen& screen);

}  // namespace parlance::cli
