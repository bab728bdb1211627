// Payment cards: the issuer's range, a length used by the issuer, and the check digit.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

/// A set of card lengths: bit n stands for n digits.
using Sizes = std::uint32_t;

constexpr Sizes from_to(unsigned least, unsigned most) {
    Sizes sizes = 0;
    for (unsigned size = least; size <= most; ++size) sizes |= 1U << size;
    return sizes;
}
constexpr Sizes just(unsigned size) { return 1U << size; }

struct Issuer {
    unsigned low;  ///< Range of the first six digits.
    unsigned high;
    Sizes usual;  ///< The lengths of most cards.
    Sizes sizes;  ///< All lengths.
};

constexpr std::array kIssuers{
    Issuer{400000, 499999, just(16), just(13) | just(16) | just(19)},  // Visa
    Issuer{510000, 559999, just(16), just(16)},                        // Mastercard
    Issuer{222100, 272099, just(16), just(16)},
    Issuer{340000, 349999, just(15), just(15)},  // American Express
    Issuer{370000, 379999, just(15), just(15)},
    Issuer{300000, 305999, just(14) | just(16), from_to(14, 19)},  // Diners Club
    Issuer{309000, 309999, just(14) | just(16), from_to(14, 19)},
    Issuer{360000, 369999, just(14) | just(16), from_to(14, 19)},
    Issuer{380000, 399999, just(14) | just(16), from_to(14, 19)},
    Issuer{601100, 601199, just(16), from_to(16, 19)},  // Discover
    Issuer{644000, 659999, just(16), from_to(16, 19)},  // Discover, RuPay, Troy, Verve
    Issuer{350000, 359999, just(16), from_to(16, 19)},  // JCB
    Issuer{180000, 180099, just(15), just(15)},
    Issuer{213100, 213199, just(15), just(15)},
    Issuer{620000, 629999, just(16) | just(19), from_to(16, 19)},  // UnionPay
    Issuer{810000, 829999, just(16), just(16)},                    // UnionPay, RuPay
    Issuer{220000, 220499, just(16), from_to(16, 19)},             // Mir
    Issuer{600000, 609999, just(16), just(16)},                    // RuPay
    Issuer{979200, 979299, just(16), just(16)},                    // Troy
    Issuer{500000, 509999, just(16), from_to(13, 19)},             // Maestro, Dankort, Verve, RuPay
    Issuer{560000, 589999, just(16), from_to(13, 19)},
    Issuer{630400, 630499, just(16), from_to(13, 19)},
    Issuer{639000, 639099, just(16), from_to(13, 19)},
    Issuer{675900, 676999, just(16), from_to(13, 19)},
};

constexpr std::size_t kSizeMin = kCardDigitsMin;
constexpr std::size_t kSizeMax = 19;
/// Leading digits that identify the issuer.
constexpr std::size_t kIssuerDigits = 6;
constexpr unsigned kAllOfTwo = 10'000;  ///< Six-digit heads per two-digit head.

/// The lengths of all cards that begin with the two digits.
constexpr auto kSizesByTwo = [] {
    std::array<Sizes, 100> sizes{};
    for (const Issuer& issuer : kIssuers) {
        for (unsigned two = issuer.low / kAllOfTwo; two <= issuer.high / kAllOfTwo; ++two) {
            sizes[two] |= issuer.sizes;
        }
    }
    return sizes;
}();

/// Whether cards with these first six digits have this length, among all or only usual lengths.
bool is_issued(unsigned digits, std::size_t size, Sizes Issuer::*sizes) {
    return std::ranges::any_of(kIssuers, [&](const Issuer& issuer) {
        return digits >= issuer.low && digits <= issuer.high && (issuer.*sizes >> size & 1U) != 0;
    });
}

/// The first digits as a number, across gaps.
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

/// The last group of a card with so many digits: in one group; in printed groups, of fours or of 4,
/// 6 and the rest; or in groups of any other equal size, the last group excepted.
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

/// Whether groups of this size need no cue to be a card.
bool is_grouped_like_a_card(const Sight& sight, std::size_t last) {
    return last == 0 || sight.size(0) <= 4 || sight.has_cue(kCard);
}

/// Letters before a card must be a known word, its label: an id has other letters.
bool can_begin(const Sight& sight, std::size_t begin) {
    return !is_glued_left(sight.text, begin) || cues_of_last_word(sight.text, begin) != 0 ||
           (before(sight.text, begin) == '_' && sight.has_cue(kCard));
}

/// Whether the groups belong to a bank account, valid or not: DE89 3704 0044….
bool is_in_account(const Sight& sight, std::size_t last) {
    const char sign = last > 0 ? sight.sign(1) : '\0';
    const bool goes_on = last + 1 < sight.groups_left() && sight.sign(last + 1) == sign;
    for (std::size_t first = sight.first; first > 0 && sign != '\0'; --first) {
        const Digits row{sight.text, sight.number, sight.sums, first - 1};
        if (row.sign(1) != sign) return false;
        const std::size_t begin = row.group(0).begin;
        const bool is_head = row.size(0) == 2 && begin >= 2 && is_letter(sight.text[begin - 1]) &&
                             is_letter(sight.text[begin - 2]);
        if (is_head) return goes_on || first < sight.first || sight.size(last) < 4;
        if (row.size(0) != 4) return false;
    }
    return false;
}

/// Whether the groups belong to a longer row of equal groups: 9440 6512 7545 3754 7531 36.
bool is_part_of_row(const Sight& sight, std::size_t last) {
    if (!sight.is_in_row() || last == 0) return false;
    const Number::Group& group_before = sight.number.groups[sight.first - 1];
    const bool is_free = group_before.begin >= sight.floor();
    const bool goes_on = last + 1 < sight.groups_left() && sight.gap(last + 1) == sight.gap(1);
    return is_free && group_before.size() == sight.size(0) && sight.gap(0) == sight.gap(1) &&
           (goes_on || sight.size(last) < sight.size(0));
}

/// 657216145000000000 is a time.
bool ends_with_zeros(const Sight& sight) { return sight.digits(0).ends_with("000000"); }

/// With a cue, any issuer will do. Without a cue the issuer must be known, and a rare length counts
/// only if no cue says something else.
bool is_card(const Sight& sight, std::size_t size, std::size_t last, Sizes sizes_of_two) {
    if ((sizes_of_two >> size & 1U) != 0) {
        const unsigned head = head_of(sight, kIssuerDigits);
        if (is_issued(head, size, &Issuer::usual)) return true;
        const bool is_rare = is_issued(head, size, &Issuer::sizes);
        if (is_rare && !sight.has_cue(kThing) && !ends_with_zeros(sight)) return true;
    }
    return sight.is_said(kCard, sight.group(last).end);
}

}  // namespace

Found find_card(const Sight& sight) {
    const Sizes sizes = kSizesByTwo[head_of(sight, 2)];
    const std::size_t begin = sight.group(0).begin;
    // Cheap test first: a card within a row of groups must not be tied to the preceding group.
    if (sight.size(0) < kSizeMin && continues_left(sight.text, begin)) return {};
    // A later group of a number has no words before it that could be a cue.
    const bool may_be_said = !sight.is_in_row() || sight.is_labelled(kCard);
    // Longest first: the remainder of a shorter match would still reveal the card.
    for (std::size_t size = std::min(kSizeMax, sight.digits_left()); size >= kSizeMin; --size) {
        if ((sizes >> size & 1U) == 0 && !may_be_said) continue;
        const auto last = last_group(sight, size);
        if (!last || !sight.passes_luhn(*last)) continue;
        if (!is_card(sight, size, *last, sizes)) continue;
        if (!can_begin(sight, begin) || !is_grouped_like_a_card(sight, *last)) continue;
        const std::size_t end = sight.group(*last).end;
        const bool is_apart =
            *last == 0 || (!continues_left(sight.text, begin) && !is_in_account(sight, *last) &&
                           !is_part_of_row(sight, *last));
        if (is_apart && ends_word(sight.text, end)) return TextRange{begin, end};
    }
    return {};
}

}  // namespace parlance::personal
