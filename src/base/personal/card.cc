// Payment cards: the issuer's range, a length that it issues, and the check digit.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/personal/characters.h"
#include "base/personal/check_digits.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

struct Issuer {
    unsigned low;  ///< The first six digits, from and to.
    unsigned high;
    unsigned size_min;
    unsigned size_max;
};

constexpr std::array kIssuers{
    Issuer{400000, 499999, 16, 16},  // Visa; 13 and 19 below
    Issuer{400000, 499999, 13, 13}, Issuer{400000, 499999, 19, 19},
    Issuer{510000, 559999, 16, 16},                                  // Mastercard
    Issuer{222100, 272099, 16, 16}, Issuer{340000, 349999, 15, 15},  // American Express
    Issuer{370000, 379999, 15, 15}, Issuer{300000, 305999, 14, 19},  // Diners Club
    Issuer{309500, 309599, 14, 19}, Issuer{360000, 369999, 14, 19},
    Issuer{380000, 399999, 14, 19}, Issuer{601100, 601199, 16, 19},  // Discover
    Issuer{644000, 659999, 16, 19}, Issuer{622126, 622925, 16, 19},
    Issuer{352800, 358999, 16, 19},  // JCB
    Issuer{620000, 629999, 16, 19},  // UnionPay
    Issuer{220000, 220499, 16, 19},  // Mir
    Issuer{500000, 509999, 13, 19},  // Maestro
    Issuer{560000, 589999, 13, 19}, Issuer{630400, 630499, 13, 19},
    Issuer{675900, 676399, 13, 19},
};

constexpr std::size_t kSizeMin = 13;
constexpr std::size_t kSizeMax = 19;
/// So long a number without a word about cards is rather a counter or an id.
constexpr std::size_t kSizeMaxUnnamed = 16;

/// So many digits say who has issued it.
constexpr std::size_t kIssuerDigits = 6;

/// The sizes that numbers beginning with these digits are issued in: bit n stands for n digits.
std::uint32_t sizes_issued(std::string_view digits) {
    unsigned range = 0;
    for (const char c : digits.substr(0, kIssuerDigits)) range = range * 10 + digit_of(c);
    std::uint32_t sizes = 0;
    for (const Issuer& issuer : kIssuers) {
        if (range < issuer.low || range > issuer.high) continue;
        for (unsigned size = issuer.size_min; size <= issuer.size_max; ++size) sizes |= 1U << size;
    }
    return sizes;
}

/// How the groups so far are sized: as cards are printed, in fours, or as 4, 6 and the rest; or
/// evenly in any smaller size.
bool is_grouped_like_a_card(const Sight& sight, std::size_t last, bool is_even) {
    if (last == 0) return true;
    const bool is_long_middle = last == 2 && sight.size(0) == 4 && sight.size(1) == 6;
    if (is_long_middle) return true;
    if (!is_even || sight.size(last) > sight.size(0)) return false;
    return sight.size(0) <= 4 || sight.has_cue(kCard);
}

bool is_card_gap(char sign) {
    return sign == ' ' || sign == '-' || sign == '.' || sign == '/' || sign == '_';
}

/// Letters before it are its label if they are a word that we know: an id has others.
bool can_begin(const Sight& sight, std::size_t begin) {
    return !is_glued_left(sight.text, begin) || cues_of_last_word(sight.text, begin) != 0 ||
           (before(sight.text, begin) == '_' && sight.has_cue(kCard));
}

/// Whether the groups belong to the account of a bank, whatever is wrong with that: DE89 3704
/// 0044….
bool is_in_account(const Sight& sight, std::size_t last) {
    const char sign = last > 0 ? sight.sign(1) : '\0';
    const bool goes_on = last + 1 < sight.groups_left() && sight.sign(last + 1) == sign;
    for (std::size_t first = sight.first; first > 0 && sign != '\0'; --first) {
        const Digits row{sight.text, sight.number, first - 1};
        if (row.sign(1) != sign) return false;
        const std::size_t begin = row.group(0).begin;
        const bool is_head = row.size(0) == 2 && begin >= 2 && is_letter(sight.text[begin - 1]) &&
                             is_letter(sight.text[begin - 2]);
        if (is_head) return goes_on || first < sight.first;
        if (row.size(0) != 4) return false;
    }
    return false;
}

}  // namespace

Found find_card(const Sight& sight) {
    const std::size_t begin = sight.group(0).begin;
    if (sight.number.digit_count < kSizeMin || !can_begin(sight, begin)) return {};
    std::array<char, kSizeMax> bytes{};
    std::size_t count = 0;
    std::optional<std::uint32_t> sizes;
    bool is_even = true;  // All groups but the last are of one size.
    for (std::size_t last = 0; last < sight.groups_left(); ++last) {
        if (count + sight.size(last) > kSizeMax) return {};
        if (last > 0 && !is_card_gap(sight.sign(last))) return {};
        is_even = is_even && (last < 2 || sight.size(last - 1) == sight.size(0));
        std::ranges::copy(sight.digits(last), bytes.begin() + static_cast<std::ptrdiff_t>(count));
        count += sight.size(last);
        const std::string_view digits{bytes.data(), count};
        if (count < kIssuerDigits) continue;
        if (!sizes) sizes = sizes_issued(digits);
        if (*sizes == 0) return {};
        if (count < kSizeMin) continue;
        if ((*sizes >> count & 1U) == 0 || !passes_luhn(digits)) continue;
        if (!is_grouped_like_a_card(sight, last, is_even)) continue;
        if (count > kSizeMaxUnnamed && !sight.has_cue(kCard)) continue;
        const std::size_t end = sight.group(last).end;
        // In a row of groups the ones around must not be tied to these.
        const bool is_apart =
            last == 0 || (!continues_left(sight.text, begin) && !is_in_account(sight, last));
        if (is_apart && ends_word(sight.text, end)) return Span{begin, end};
    }
    return {};
}

}  // namespace parlance::personal
