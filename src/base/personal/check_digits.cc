#include "base/personal/check_digits.h"

#include "base/personal/characters.h"

namespace parlance::personal {

bool passes_luhn(std::string_view digits) {
    unsigned sum = 0;
    bool is_doubled = false;
    std::string_view left = digits;
    while (!left.empty()) {
        const unsigned value = digit_of(left.back()) * (is_doubled ? 2U : 1U);
        left.remove_suffix(1);
        sum += value > 9 ? value - 9 : value;
        is_doubled = !is_doubled;
    }
    return !digits.empty() && sum % 10 == 0;
}

bool passes_mod97(std::string_view account) {
    if (account.size() < 5) return false;
    unsigned rest = 0;
    const auto take = [&rest](std::string_view part) {
        for (const char c : part) {
            const bool is_number = is_digit(c);
            const unsigned value =
                is_number ? digit_of(c) : static_cast<unsigned>(lower(c) - 'a') + 10U;
            rest = (rest * (is_number ? 10U : 100U) + value) % 97U;
        }
    };
    take(account.substr(4));
    take(account.substr(0, 4));
    return rest == 1;
}

}  // namespace parlance::personal
