// Payment cards: the issuer's range, a length that it issues, and the check digit.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/personal/characters.h"
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

constexpr std::size_t kSizeMin = kCardDigitsMin;
constexpr std::size_t kSizeMax = 19;
/// So long a number without a word about cards is rather a counter or an id.
constexpr std::size_t kSizeMaxUnnamed = 16;

/// So many digits say who has issued it.
constexpr std::size_t kIssuerDigits = 6;
constexpr unsigned kAllOfTwo = 10'000;  ///< As many numbers of that size have the same first two.

constexpr std::uint32_t sizes_of(const Issuer& issuer) {
    std::uint32_t sizes = 0;
    for (unsigned size = issuer.size_min; size <= issuer.size_max; ++size) sizes |= 1U << size;
    return sizes;
}

/// The sizes that numbers beginning with two digits are issued in at most: bit n stands for n
/// digits.
constexpr auto kSizesByTwo = [] {
    std::array<std::uint32_t, 100> sizes{};
    for (const Issuer& issuer : kIssuers) {
        for (unsigned two = issuer.low / kAllOfTwo; two <= issuer.high / kAllOfTwo; ++two) {
            sizes[two] |= sizes_of(issuer);
        }
    }
    return sizes;
}();

/// The same of numbers that begin with these six.
std::uint32_t sizes_issued(unsigned digits) {
    std::uint32_t sizes = 0;
    for (const Issuer& issuer : kIssuers) {
        if (digits >= issuer.low && digits <= issuer.high) sizes |= sizes_of(issuer);
    }
    return sizes;
}

/// The first digits as a number, over all gaps.
unsigned head_of(const Sight& sight, std::size_t count) {
    unsigned value = 0;
    for (std::size_t i = 0; count > 0; ++i) {
        for (const char c : sight.digits(i).substr(0, count)) {
            value = value * 10 + digit_of(c);
            --count;
        }
    }
    return value;
}

/// The last group of a card of so many digits: in one piece; as cards are printed, in fours, or as
/// 4, 6 and the rest; or evenly in any other size, all but the last.
std::optional<std::size_t> last_group(const Sight& sight, std::size_t size) {
    const std::size_t even = sight.size(0);
    if (even >= size) return even == size ? std::optional<std::size_t>{0} : std::nullopt;
    const bool is_long_middle = even == 4 && sight.groups_left() > 2 && sight.size(1) == 6 &&
                                is_card_gap(sight.sign(1)) && is_card_gap(sight.sign(2));
    if (is_long_middle)
        return sight.size(2) + 10 == size ? std::optional<std::size_t>{2} : std::nullopt;
    const std::size_t last = (size - 1) / even;
    const bool is_there = last < sight.groups_left() &&
                          sight.sums.last_even[sight.first] + 1 >= sight.first + last &&
                          sight.size(last) == size - last * even && is_card_gap(sight.sign(last));
    return is_there ? std::optional{last} : std::nullopt;
}

/// Whether groups of this size are a card's without a word that says so.
bool is_grouped_like_a_card(const Sight& sight, std::size_t last) {
    return last == 0 || sight.size(0) <= 4 || sight.has_cue(kCard);
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
        const Digits row{sight.text, sight.number, sight.sums, first - 1};
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
    std::uint32_t sizes = kSizesByTwo[head_of(sight, 2)];
    if (sizes == 0) return {};
    const std::size_t begin = sight.group(0).begin;
    // In a row of groups the ones around must not be tied to these: that is soon seen.
    if (sight.size(0) < kSizeMin && continues_left(sight.text, begin)) return {};
    for (std::size_t size = kSizeMin; size <= std::min(kSizeMax, sight.digits_left()); ++size) {
        if ((sizes >> size & 1U) == 0) continue;
        const auto last = last_group(sight, size);
        if (!last || !sight.passes_luhn(*last)) continue;
        sizes = sizes_issued(head_of(sight, kIssuerDigits));
        if ((sizes >> size & 1U) == 0 || !can_begin(sight, begin)) continue;
        if (!is_grouped_like_a_card(sight, *last)) continue;
        if (size > kSizeMaxUnnamed && !sight.has_cue(kCard)) continue;
        const std::size_t end = sight.group(*last).end;
        const bool is_apart =
            *last == 0 || (!continues_left(sight.text, begin) && !is_in_account(sight, *last));
        if (is_apart && ends_word(sight.text, end)) return Span{begin, end};
    }
    return {};
}

}  // namespace parlance::personal
