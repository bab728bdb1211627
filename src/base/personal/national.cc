// Numbers by which states identify people. A number counts only in its printed form or after a cue.
#include <algorithm>

#include "base/personal/characters.h"
#include "base/personal/check_digits.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

/// Nine digits, in one group or in groups of given sizes.
struct NineDigits {
    std::string digits;
    std::size_t end;
};

/// `words` are the cues of this kind; a cue may be attached to the number.
std::optional<NineDigits> nine_digits(const Sight& sight, std::string_view sizes, Cues words) {
    const bool is_whole = sight.size(0) == 9;
    if (!is_whole && !sight.has_sizes(sizes, "- ./_")) return {};
    // The printed form needs no cue.
    const char sign = is_whole ? '\0' : sight.sign(1);
    const std::size_t last = is_whole ? 0 : sizes.size() - 1;
    if (sign != '-' && !sight.is_said(words, sight.group(last).end)) return {};
    const std::size_t begin = sight.group(0).begin;
    const std::size_t end = sight.group(last).end;
    const char next = at(sight.text, end);
    const bool is_before_word = (is_letter(next) || next == '_') && ends_word(sight.text, end);
    if (is_tied_right(sight.text, end) && !is_before_word) return {};
    if (!sight.is_apart_left(begin, words)) return {};
    return NineDigits{sight.joined(last), end};
}

unsigned part(const NineDigits& nine, std::size_t begin, std::size_t size) {
    unsigned value = 0;
    for (const char c : nine.digits.substr(begin, size)) value = value * 10 + digit_of(c);
    return value;
}

}  // namespace

Found find_ssn(const Sight& sight) {
    const auto nine = nine_digits(sight, "324", kSsn);
    if (!nine) return {};
    const unsigned area = part(*nine, 0, 3);
    const bool is_issued =
        area != 0 && area != 666 && area < 900 && part(*nine, 3, 2) != 0 && part(*nine, 5, 4) != 0;
    if (!is_issued) return {};
    return TextRange{sight.group(0).begin, nine->end};
}

Found find_itin(const Sight& sight) {
    const auto nine = nine_digits(sight, "324", kItin | kSsn);
    if (!nine || nine->digits[0] != '9') return {};
    const unsigned middle = part(*nine, 3, 2);
    const bool is_issued = middle >= 50 && middle != 66 && middle != 67 && middle != 68 &&
                           middle != 69 && middle != 89 && middle != 93;
    if (!is_issued) return {};
    return TextRange{sight.group(0).begin, nine->end};
}

Found find_sin(const Sight& sight) {
    const auto nine = nine_digits(sight, "333", kSin);
    if (!nine || !passes_luhn(nine->digits)) return {};
    const bool is_named = sight.is_said(kSin, nine->end);
    // Issued numbers do not begin with 0 or 8; made-up examples do.
    const bool is_issued = nine->digits[0] != '0' && nine->digits[0] != '8';
    const bool is_telephone = sight.has_cue(kPhone | kCall);
    if (!is_named && (!is_issued || is_telephone)) return {};
    return TextRange{sight.group(0).begin, nine->end};
}

namespace {

/// The size of a gap that ends here.
std::size_t gap_before(std::string_view text, std::size_t place) {
    for (std::size_t size = std::min(place, kGapMax); size > 0; --size) {
        if (gap_size(text, place - size) == size) return size;
    }
    return 0;
}

char sign_in(std::string_view gap) {
    const std::size_t sign = gap.find_first_not_of(" \t\n\r");
    return sign == std::string_view::npos ? ' ' : gap[sign];
}

bool is_nino_issued(std::string_view letters, char last) {
    return std::ranges::none_of(
               letters, [](char c) { return std::string_view{"dfiquv"}.find(lower(c)) < 6; }) &&
           lower(letters[1]) != 'o' && lower(last) <= 'd';
}

}  // namespace

Found find_nino(const Sight& sight) {
    const bool is_whole = sight.size(0) == 6;
    if (!is_whole && !sight.has_sizes("222", " -._")) return {};
    const std::string_view text = sight.text;
    const std::size_t digits = sight.group(0).begin;
    const std::size_t digits_end = sight.group(is_whole ? 0 : 2).end;
    const std::size_t gap = gap_before(text, digits);
    if (digits < sight.floor() + 2 + gap) return {};
    const std::size_t begin = digits - gap - 2;
    const std::size_t last = digits_end + gap_size(text, digits_end);
    const std::string_view letters = text.substr(begin, 2);
    if (!std::ranges::all_of(letters, is_letter) || !is_letter(at(text, last))) return {};
    if (!is_nino_issued(letters, text[last]) || is_tied_right(text, last + 1)) return {};

    const bool is_said = sight.is_labelled(kNino) || (cues_before(text, begin) & kNino) != 0;
    if (is_tied_left(text, begin) && (continues_left(text, begin) || !is_said)) return {};
    // The same sign in all gaps, or no sign: AM 10-12-24 A is a time.
    const char sign = is_whole ? '\0' : sight.sign(1);
    const bool is_even =
        is_whole ? last - begin == 8 : gap > 0 && sign_in(text.substr(begin + 2, gap)) == sign;
    // In small letters the match could be a piece of a hash.
    const bool is_printed = std::ranges::all_of(letters, is_upper) && is_upper(text[last]);
    return is_said || (is_printed && is_even) ? Found{TextRange{begin, last + 1}} : Found{};
}

}  // namespace parlance::personal
