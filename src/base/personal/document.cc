// Numbers of papers. They have no check digit and a hundred forms: only the words nearby identify
// them.
#include <algorithm>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

struct Form {
    Cues words;
    std::size_t size_min;
    std::size_t size_max;
    std::size_t digits_min;
};

constexpr Form kLicenceForm{kLicence, 5, 22, 4};
constexpr Form kPassportForm{kPassport, 6, 12, 5};

/// Whether a word of letters and digits goes on here, maybe across a sign with more digits after
/// it.
bool goes_on(std::string_view text, std::size_t place) {
    const bool is_dash = at(text, place) == '-' && is_alnum(at(text, place + 1));
    const bool is_gap =
        at(text, place) == ' ' && is_digit(at(text, place + 1)) && is_digit(at(text, place + 2));
    return is_alnum(at(text, place)) || is_dash || is_gap;
}

/// The end of the letters and digits here, across single signs with more digits after them.
std::size_t word_end(std::string_view text, std::size_t begin, const Form& form) {
    std::size_t end = begin;
    while (end - begin <= form.size_max && goes_on(text, end)) ++end;
    return end;
}

/// Whether the digits are a whole word, as most are.
bool is_all_digits(const Sight& sight) {
    return !is_alnum(before(sight.text, sight.group(0).begin)) &&
           !goes_on(sight.text, sight.group(0).end);
}

/// Cheap test for words after the number: the number, or its attached letters, is followed by "is".
bool may_be_said_behind(std::string_view text, std::size_t place) {
    std::size_t end = place;
    while (end - place < 4 && is_alnum(at(text, end))) ++end;
    return at(text, end) == '-' || (at(text, end) == ' ' && lower(at(text, end + 2)) == 's');
}

/// Whether a word looks printed by an authority: seven or more capitals, digits and dashes.
bool is_printed(std::string_view word) {
    return word.size() >= 7 &&
           std::ranges::all_of(word, [](char c) { return is_digit(c) || is_upper(c) || c == '-'; });
}

Found find_document(const Sight& sight, const Form& form) {
    if (sight.size(0) < form.digits_min && is_all_digits(sight)) return {};
    const std::string_view text = sight.text;
    const bool is_said = sight.has_cue(form.words);
    if (!is_said && !may_be_said_behind(text, sight.group(0).end)) return {};
    const std::size_t begin = sight.word_begin();
    if (is_tied_left(text, begin)) return {};
    const std::size_t end = word_end(text, begin, form);
    if (!is_said && (cues_behind(text, end) & form.words) == 0) return {};
    const std::string_view word = text.substr(begin, end - begin);
    const auto digits = static_cast<std::size_t>(std::ranges::count_if(word, is_digit));
    const bool has_digits = digits >= form.digits_min || (is_printed(word) && digits >= 2);
    const bool is_fit = word.size() >= form.size_min && word.size() <= form.size_max &&
                        has_digits && !is_tied_right(text, end);
    return is_fit ? Found{TextRange{begin, end}} : Found{};
}

}  // namespace

Found find_licence(const Sight& sight) { return find_document(sight, kLicenceForm); }
Found find_passport(const Sight& sight) { return find_document(sight, kPassportForm); }

}  // namespace parlance::personal
