// Numbers as JSON writes them, exactly: no digit is lost to a binary fraction.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace parlance {

/// A number as its significant digits and the power of ten that they are to be multiplied with.
/// Equal numbers are equal members, however they were written: 1, 1.0 and 10e-1.
struct Decimal {
    bool is_negative = false;  ///< Never of zero.
    std::string digits;        ///< Without zeros at either end: empty for zero.
    std::int64_t exponent = 0;
    bool operator==(const Decimal&) const = default;
    bool is_whole() const { return exponent >= 0; }
};

/// Of a JSON number. An exponent beyond 32 bits is as good as the largest of 32 bits.
Decimal decimal_of(std::string_view raw);

std::strong_ordering compare(const Decimal& left, const Decimal& right);

/// Of at most this many digits is what is_multiple() divides by.
inline constexpr std::size_t kDivisorDigitsMax = 18;

/// Whether `number` is a whole multiple of `of`, which is above zero.
bool is_multiple(const Decimal& number, const Decimal& of);

}  // namespace parlance
