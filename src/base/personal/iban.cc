// International bank account numbers (ISO 13616): two letters, two check digits, and as many
// letters and digits as the country has.
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

/// The registry's countries and the sizes of their numbers, in order of their codes.
constexpr std::array kCountries{
    Country{"ad", 24}, Country{"ae", 23}, Country{"al", 28}, Country{"at", 20}, Country{"az", 28},
    Country{"ba", 20}, Country{"be", 16}, Country{"bg", 22}, Country{"bh", 22}, Country{"bi", 27},
    Country{"br", 29}, Country{"by", 28}, Country{"ch", 21}, Country{"cr", 22}, Country{"cy", 28},
    Country{"cz", 24}, Country{"de", 22}, Country{"dj", 27}, Country{"dk", 18}, Country{"do", 28},
    Country{"ee", 20}, Country{"eg", 29}, Country{"es", 24}, Country{"fi", 18}, Country{"fk", 18},
    Country{"fo", 18}, Country{"fr", 27}, Country{"gb", 22}, Country{"ge", 22}, Country{"gi", 23},
    Country{"gl", 18}, Country{"gr", 27}, Country{"gt", 28}, Country{"hr", 21}, Country{"hu", 28},
    Country{"ie", 22}, Country{"il", 23}, Country{"iq", 23}, Country{"is", 26}, Country{"it", 27},
    Country{"jo", 30}, Country{"kw", 30}, Country{"kz", 20}, Country{"lb", 28}, Country{"lc", 32},
    Country{"li", 21}, Country{"lt", 20}, Country{"lu", 20}, Country{"lv", 21}, Country{"ly", 25},
    Country{"mc", 27}, Country{"md", 24}, Country{"me", 22}, Country{"mk", 19}, Country{"mn", 20},
    Country{"mr", 27}, Country{"mt", 31}, Country{"mu", 30}, Country{"ni", 28}, Country{"nl", 18},
    Country{"no", 15}, Country{"om", 23}, Country{"pk", 24}, Country{"pl", 28}, Country{"ps", 29},
    Country{"pt", 25}, Country{"qa", 29}, Country{"ro", 24}, Country{"rs", 22}, Country{"ru", 33},
    Country{"sa", 24}, Country{"sc", 31}, Country{"sd", 18}, Country{"se", 24}, Country{"si", 19},
    Country{"sk", 24}, Country{"sm", 27}, Country{"so", 23}, Country{"st", 25}, Country{"sv", 28},
    Country{"tl", 23}, Country{"tn", 24}, Country{"tr", 26}, Country{"ua", 29}, Country{"va", 22},
    Country{"vg", 24}, Country{"xk", 20}, Country{"ye", 30},
};
static_assert(std::ranges::is_sorted(kCountries, {}, &Country::code));

/// A country's code as a number, in the order of the codes.
constexpr unsigned number_of(std::string_view code) {
    return static_cast<unsigned char>(code[0]) * 256U + static_cast<unsigned char>(code[1]);
}

constexpr std::size_t kSizeMax = std::ranges::max(kCountries, {}, &Country::size).size;

bool is_gap(char c) { return c == ' ' || c == '-' || c == '.'; }

}  // namespace

Found find_iban(const Sight& sight) {
    if (sight.size(0) < 2 || !sight.has_letters_before(2)) return {};
    const std::string_view text = sight.text;
    const std::size_t begin = sight.group(0).begin - 2;
    const std::array<char, 2> code{lower(text[begin]), lower(text[begin + 1])};
    const unsigned number = number_of({code.data(), code.size()});
    const auto country = std::ranges::lower_bound(
        kCountries, number, {}, [](const Country& each) { return number_of(each.code); });
    if (country == kCountries.end() || number_of(country->code) != number) return {};

    if (is_tied_left(text, begin)) return {};
    // It is printed in fours. Who says that it is one may write it as they like.
    const auto may_divide = [&](std::size_t count) {
        return count % 4 == 0 || sight.has_cue(kIban);
    };
    std::array<char, kSizeMax> account{};
    std::size_t size = 0;
    std::size_t end = begin;
    while (size < country->size) {
        if (is_alnum(at(text, end))) {
            account[size++] = text[end++];
        } else if (is_gap(at(text, end)) && is_alnum(at(text, end + 1)) && may_divide(size)) {
            ++end;
        } else {
            return {};
        }
    }
    if (is_tied_right(text, end) || !passes_mod97({account.data(), size})) return {};
    return Span{begin, end};
}

}  // namespace parlance::personal
