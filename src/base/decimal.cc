#include "base/decimal.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/check.h"

namespace parlance {

namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t multiply(std::uint64_t left, std::uint64_t right, std::uint64_t modulus) {
    return static_cast<std::uint64_t>(Wide{left} * right % modulus);
}

/// The digits, followed by `zeros` zeros, modulo `modulus`.
std::uint64_t remainder(std::string_view digits, std::uint64_t zeros, std::uint64_t modulus) {
    std::uint64_t rest = 0;
    for (const char digit : digits) {
        rest = static_cast<std::uint64_t>((Wide{rest} * 10 + static_cast<unsigned>(digit - '0')) %
                                          modulus);
    }
    std::uint64_t factor = 10 % modulus;
    for (; zeros != 0; zeros >>= 1U) {
        if ((zeros & 1U) != 0) rest = multiply(rest, factor, modulus);
        factor = multiply(factor, factor, modulus);
    }
    return rest;
}

/// Compares magnitudes, ignoring the signs.
std::strong_ordering compare_size(const Decimal& left, const Decimal& right) {
    if (left.digits.empty() || right.digits.empty()) {
        return left.digits.size() <=> right.digits.size();
    }
    const auto places = [](const Decimal& number) {
        return number.exponent + static_cast<std::int64_t>(number.digits.size());
    };
    if (places(left) != places(right)) return places(left) <=> places(right);
    return left.digits.compare(right.digits) <=> 0;
}

}  // namespace

Decimal decimal_of(std::string_view raw) {
    Decimal decimal;
    decimal.is_negative = raw.front() == '-';
    if (decimal.is_negative) raw.remove_prefix(1);

    const std::size_t e = std::min(raw.find_first_of("eE"), raw.size());
    if (e + 1 < raw.size()) {
        const std::string_view power = raw.substr(raw[e + 1] == '+' ? e + 2 : e + 1);
        constexpr std::int64_t kFar = std::numeric_limits<std::int32_t>::max();
        std::int64_t exponent = 0;
        const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent, 10);
        if (read.ec != std::errc{}) exponent = power.front() == '-' ? -kFar : kFar;
        decimal.exponent = std::clamp(exponent, -kFar, kFar);
    }

    const std::string_view mantissa = raw.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    decimal.digits.assign(mantissa.substr(0, point));
    if (point < mantissa.size()) {
        decimal.digits.append(mantissa.substr(point + 1));
        decimal.exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
    }
    const std::size_t last = decimal.digits.find_last_not_of('0');
    const std::size_t kept = last == std::string::npos ? 0 : last + 1;
    decimal.exponent += static_cast<std::int64_t>(decimal.digits.size() - kept);
    decimal.digits.resize(kept);
    decimal.digits.erase(0, std::min(decimal.digits.find_first_not_of('0'), kept));
    if (decimal.digits.empty()) return {};
    return decimal;
}

std::strong_ordering compare(const Decimal& left, const Decimal& right) {
    if (left.is_negative != right.is_negative) return right.is_negative <=> left.is_negative;
    const auto order = compare_size(left, right);
    return left.is_negative ? 0 <=> order : order;
}

bool is_multiple(const Decimal& number, const Decimal& of) {
    CHECK(!of.digits.empty() && of.digits.size() <= kDivisorDigitsMax);
    if (number.digits.empty()) return true;
    // `number` has no trailing zero digit, so a number with a lower exponent than `of` is no
    // multiple.
    if (number.exponent < of.exponent) return false;
    std::uint64_t divisor = 0;
    std::from_chars(of.digits.data(), of.digits.data() + of.digits.size(), divisor);
    const auto zeros = static_cast<std::uint64_t>(number.exponent - of.exponent);
    return remainder(number.digits, zeros, divisor) == 0;
}

}  // namespace parlance
