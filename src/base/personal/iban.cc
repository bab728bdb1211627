// International bank account numbers (ISO 13616): two letters, two check digits, and letters and
// digits up to the country's length.
#include <algorithm>
#include <array>

#include "base/personal/characters.h"
#include "base/personal/check_digits.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

struct Country {
    std::string_view code;
    unsigned size;
};

/// The registry's countries and account lengths, sorted by country code.
constexpr std::array kCountries{
    Country{"ad", 24}, Country{"ae", 23}, Country{"al", 28}, Country{"at", 20}, Country{"az", 28},
    Country{"ba", 20}, Country{"be", 16}, Country{"bg", 22}, Country{"bh", 22}, Country{"bi", 27},
    Country{"br", 29}, Country{"by", 28}, Country{"ch", 21}, Country{"cr", 22}, Country{"cy", 28},
    Country{"cz", 24}, Country{"de", 22}, Country{"dj", 27}, Country{"dk", 18}, Country{"do", 28},
    Country{"ee", 20}, Country{"eg", 29}, Country{"es", 24}, Country{"fi", 18}, Country{"fk", 18},
    Country{"fo", 18}, Country{"fr", 27}, Country{"gb", 22}, Country{"ge", 22}, Country{"gi", 23},
    Country{"gl", 18}, Country{"gr", 27}, Country{"gt", 28}, Country{"hn", 28}, Country{"hr", 21},
    Country{"hu", 28}, Country{"ie", 22}, Country{"il", 23}, Country{"iq", 23}, Country{"is", 26},
    Country{"it", 27}, Country{"jo", 30}, Country{"kw", 30}, Country{"kz", 20}, Country{"lb", 28},
    Country{"lc", 32}, Country{"li", 21}, Country{"lt", 20}, Country{"lu", 20}, Country{"lv", 21},
    Country{"ly", 25}, Country{"mc", 27}, Country{"md", 24}, Country{"me", 22}, Country{"mk", 19},
    Country{"mn", 20}, Country{"mr", 27}, Country{"mt", 31}, Country{"mu", 30}, Country{"ni", 28},
    Country{"nl", 18}, Country{"no", 15}, Country{"om", 23}, Country{"pk", 24}, Country{"pl", 28},
    Country{"ps", 29}, Country{"pt", 25}, Country{"qa", 29}, Country{"ro", 24}, Country{"rs", 22},
    Country{"ru", 33}, Country{"sa", 24}, Country{"sc", 31}, Country{"sd", 18}, Country{"se", 24},
    Country{"si", 19}, Country{"sk", 24}, Country{"sm", 27}, Country{"so", 23}, Country{"st", 25},
    Country{"sv", 28}, Country{"tl", 23}, Country{"tn", 24}, Country{"tr", 26}, Country{"ua", 29},
    Country{"va", 22}, Country{"vg", 24}, Country{"xk", 20}, Country{"ye", 30},
};
static_assert(std::ranges::is_sorted(kCountries, {}, &Country::code));

/// The standard's limit, and the shortest accepted length, with or without a cue.
constexpr std::size_t kSizeMax = 34;
constexpr std::size_t kSizeMin = 14;
static_assert(kSizeMax >= std::ranges::max(kCountries, {}, &Country::size).size);

/// Letters before an account must be a known word, or end in small letters before the account's
/// capitals: IBANDE89…, kontoDE89….
bool can_begin(std::string_view text, std::size_t begin) {
    const char c = before(text, begin);
    if (!is_alnum(c)) return !placeholder_ends(text, begin);
    const bool is_hump = is_letter(c) && !is_upper(c) && is_upper(text[begin]);
    return is_hump || cues_of_last_word(text, begin) != 0;
}

const Country* country_at(std::string_view text, std::size_t begin) {
    const std::array<char, 2> letters{lower(text[begin]), lower(text[begin + 1])};
    const std::string_view code{letters.data(), letters.size()};
    const auto country = std::ranges::lower_bound(kCountries, code, {}, &Country::code);
    return country != kCountries.end() && country->code == code ? &*country : nullptr;
}

/// The end of the account that begins here; 0 if none. The account has the country's length; if
/// `size_of_country` is 0, the longest length with valid check digits.
std::size_t account_end(const Sight& sight, std::size_t begin, std::size_t size_of_country) {
    const std::string_view text = sight.text;
    // Accounts are printed in fours. After a cue any grouping is accepted.
    const auto may_divide = [&](std::size_t count) {
        return count % 4 == 0 || sight.has_cue(kIban);
    };
    std::array<char, kSizeMax> account{};
    const std::size_t size_max = size_of_country != 0 ? size_of_country : kSizeMax;
    const std::size_t size_min = size_of_country != 0 ? size_of_country : kSizeMin;
    std::size_t found = 0;
    std::size_t end = begin;
    for (std::size_t size = 0; size < size_max;) {
        const std::size_t gap = is_alnum(at(text, end)) ? 0 : gap_size(text, end);
        const bool goes_on = is_alnum(at(text, end + gap)) && (gap == 0 || may_divide(size));
        if (!goes_on) break;
        account[size++] = text[end + gap];
        end += gap + 1;
        const bool is_end = size >= size_min && ends_word(text, end);
        if (is_end && passes_mod97({account.data(), size})) found = end;
    }
    return found;
}

}  // namespace

Found find_iban(const Sight& sight) {
    const std::string_view text = sight.text;
    if (sight.group(0).begin < sight.floor() + 2) return {};
    const std::size_t begin = sight.group(0).begin - 2;
    if (!is_letter(text[begin]) || !is_letter(text[begin + 1])) return {};
    const Country* const country = country_at(text, begin);
    if (!can_begin(text, begin)) return {};
    std::size_t end = country != nullptr ? account_end(sight, begin, country->size) : 0;
    // Some countries are missing in the registry, and some banks deviate.
    if (end == 0 && sight.has_cue(kIban | kAccount)) end = account_end(sight, begin, 0);
    return end != 0 ? Found{TextRange{begin, end}} : Found{};
}

}  // namespace parlance::personal
