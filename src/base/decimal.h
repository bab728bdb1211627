// JSON numbers, kept exactly: no digit is lost to a binary fraction.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace parlance {

/// A number as significant digits and a power of ten. Equal numbers have equal members, however
/// written: 1, 1.0 and 10e-1.
struct Decimal {
    bool is_negative = false;  ///< Never true for zero.
    std::string digits;        ///< No zeros at either end; empty for zero.
    std::int64_t exponent = 0;
    bool operator==(const Decimal&) const = default;
    bool is_whole() const { return exponent >= 0; }
};

/// Parses a JSON number. Exponents beyond 32 bits are clamped to the largest of 32 bits.
Decimal decimal_of(std::string_view raw);

std::strong_ordering compare(const Decimal& left, const Decimal& right);

/// Bound on the digits of is_multiple()'s divisor.
inline constexpr std::size_t kDivisorDigitsMax = 18;

/// Whether `number` is a whole multiple of `of`, which must be above zero.
bool is_multiple(const Decimal& number, const Decimal& of);

}  // namespace parlance
