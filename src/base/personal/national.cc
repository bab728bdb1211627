// Numbers by which states know people. None of them is taken for one without either its printed
// form or words that say so.
#include <algorithm>

#include "base/personal/characters.h"
#include "base/personal/check_digits.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

/// Nine digits, in one group or in groups of these sizes.
struct NineDigits {
    std::string digits;
    std::size_t end;
    char sign;  ///< Between the groups; 0 if there is one group.
};

std::optional<NineDigits> nine_digits(const Sight& sight, std::string_view sizes) {
    const bool is_whole = sight.size(0) == 9;
    if (!is_whole && !sight.has_sizes(sizes, "- .")) return {};
    const std::size_t last = is_whole ? 0 : sizes.size() - 1;
    const std::size_t begin = sight.group(0).begin;
    const std::size_t end = sight.group(last).end;
    if (is_tied_left(sight.text, begin) || is_tied_right(sight.text, end)) return {};
    return NineDigits{sight.joined(last), end, is_whole ? '\0' : sight.gap(1)[0]};
}

unsigned part(const NineDigits& nine, std::size_t begin, std::size_t size) {
    unsigned value = 0;
    for (const char c : nine.digits.substr(begin, size)) value = value * 10 + digit_of(c);
    return value;
}

/// As printed, it needs no words.
bool is_said(const Sight& sight, const NineDigits& nine, Cues words) {
    return nine.sign == '-' || sight.has_cue(words);
}

}  // namespace

Found find_ssn(const Sight& sight) {
    const auto nine = nine_digits(sight, "324");
    if (!nine) return {};
    const unsigned area = part(*nine, 0, 3);
    const bool is_issued =
        area != 0 && area != 666 && area < 900 && part(*nine, 3, 2) != 0 && part(*nine, 5, 4) != 0;
    if (!is_issued || !is_said(sight, *nine, kSsn)) return {};
    return Span{sight.group(0).begin, nine->end};
}

Found find_itin(const Sight& sight) {
    const auto nine = nine_digits(sight, "324");
    if (!nine || nine->digits[0] != '9') return {};
    const unsigned middle = part(*nine, 3, 2);
    const bool is_issued = middle >= 50 && middle != 66 && middle != 67 && middle != 68 &&
                           middle != 69 && middle != 89 && middle != 93;
    if (!is_issued || !is_said(sight, *nine, kItin | kSsn)) return {};
    return Span{sight.group(0).begin, nine->end};
}

Found find_sin(const Sight& sight) {
    const auto nine = nine_digits(sight, "333");
    if (!nine || !passes_luhn(nine->digits)) return {};
    const bool is_named = sight.has_cue(kSin);
    // None begins with 0 or 8, but for those that are made up as examples.
    const bool is_issued = nine->digits[0] != '0' && nine->digits[0] != '8';
    const bool is_telephone = sight.has_cue(kPhone | kCall);
    if (!is_named && (nine->sign != '-' || !is_issued || is_telephone)) return {};
    return Span{sight.group(0).begin, nine->end};
}

Found find_nino(const Sight& sight) {
    const bool is_whole = sight.size(0) == 6 && sight.has_letters_before(2);
    const bool is_spaced =
        !is_whole && sight.has_sizes("222", " ") && before(sight.text, sight.group(0).begin) == ' ';
    if (!is_whole && !is_spaced) return {};
    const std::string_view text = sight.text;
    const std::size_t begin = sight.group(0).begin - (is_whole ? 2 : 3);
    std::size_t end = sight.group(is_whole ? 0 : 2).end;
    if (sight.group(0).begin < sight.floor() + 3 - (is_whole ? 1 : 0)) return {};
    if (at(text, end) == ' ' && is_spaced) ++end;
    const std::string_view letters = text.substr(begin, 2);
    const char last = at(text, end);
    const bool is_written = std::ranges::all_of(letters, is_letter) && is_letter(last);
    if (!is_written || is_tied_left(text, begin) || is_tied_right(text, end + 1)) return {};
    const bool is_issued =
        std::ranges::none_of(
            letters, [](char c) { return std::string_view{"dfiquv"}.find(lower(c)) < 6; }) &&
        lower(letters[1]) != 'o' && lower(last) <= 'd';
    // In small letters it could be a piece of any hash.
    const bool is_printed = std::ranges::all_of(letters, is_upper) && is_upper(last);
    if (!is_issued || !(is_printed || sight.has_cue(kNino))) return {};
    return Span{begin, end + 1};
}

}  // namespace parlance::personal
