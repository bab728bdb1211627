// Values for tests that follow the rules of their kinds, computed independently of the detectors,
// and repeatable random numbers.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/uuid.h"

namespace parlance::personal {

class SampleEntropy {
  public:
    std::uint64_t below(std::uint64_t n) { return bits_() % n; }
    std::uint64_t between(std::uint64_t low, std::uint64_t high) {
        return low + below(high - low + 1);
    }
    std::string of(std::string_view alphabet, std::size_t count) {
        std::string out;
        while (out.size() < count) out += alphabet[below(alphabet.size())];
        return out;
    }
    std::string digits(std::size_t count) { return of("0123456789", count); }
    std::string uuid() { return uuid_v4(bits_(), bits_()); }

  private:
    std::mt19937_64 bits_{15};
};

/// ISO/IEC 7812-1, annex B: every second digit from the right counts twice.
inline char luhn_digit(std::string_view number) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < number.size(); ++i) {
        const auto digit = static_cast<unsigned>(number[number.size() - 1 - i] - '0');
        sum += i % 2 == 0 ? digit * 2 / 10 + digit * 2 % 10 : digit;
    }
    return static_cast<char>('0' + (10 - sum % 10) % 10);
}

/// ISO 13616: the two check digits that make the account leave 1 when divided by 97.
inline std::string iban_of(std::string_view country, std::string_view account) {
    unsigned rest = 0;
    for (const char c : std::string{account} + std::string{country} + "00") {
        const bool is_letter = c >= 'A';
        const auto value = static_cast<unsigned>(is_letter ? c - 'A' + 10 : c - '0');
        rest = (rest * (is_letter ? 100 : 10) + value) % 97;
    }
    return fmt::format("{}{:02}{}", country, 98 - rest, account);
}

}  // namespace parlance::personal
