#include "base/personal/characters.h"

#include <algorithm>

namespace parlance::personal {

namespace {

constexpr std::size_t kHexDigits = 8;
constexpr std::size_t kWordMax = 12;

constexpr std::size_t kUnderscoresMax = 4;
/// Letters attached to a number form a word of their own if there are at least so many: a single
/// letter belongs to the number, which is then something else.
constexpr std::size_t kGluedLettersMin = 2;
constexpr std::size_t kGluedLettersMax = 24;

bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

bool placeholder_ends(std::string_view text, std::size_t place) {
    if (place < kHexDigits + 4 || place > text.size() || text[place - 1] != ']') return false;
    std::size_t i = place - 1;
    for (std::size_t n = 0; n < kHexDigits; ++n) {
        if (!is_hex(text[--i])) return false;
    }
    if (text[--i] != '_') return false;
    const std::size_t word_end = i;
    while (i > 0 && word_end - i < kWordMax && is_upper(text[i - 1])) --i;
    return i < word_end && i > 0 && text[i - 1] == '[';
}

bool placeholder_begins(std::string_view text, std::size_t place) {
    if (at(text, place) != '[') return false;
    std::size_t i = place + 1;
    while (i - place <= kWordMax && is_upper(at(text, i))) ++i;
    const std::size_t end = i + 1 + kHexDigits + 1;
    return end <= text.size() && placeholder_ends(text, end);
}

std::size_t placeholder_end_around(std::string_view text, std::size_t place) {
    std::size_t begin = place;
    while (begin > 0 && place - begin < kHexDigits && is_hex(text[begin - 1])) --begin;
    if (before(text, begin) != '_') return 0;
    --begin;
    const std::size_t end = begin + 1 + kHexDigits + 1;
    return placeholder_ends(text, end) ? end : 0;
}

std::size_t over_underscores_left(std::string_view text, std::size_t place) {
    const std::size_t floor = place - std::min(place, kUnderscoresMax);
    while (place > floor && text[place - 1] == '_') --place;
    return place;
}

bool is_glued_left(std::string_view text, std::size_t place) {
    const std::size_t word = over_underscores_left(text, place);
    return is_alnum(before(text, word)) || placeholder_ends(text, word);
}

bool is_glued_right(std::string_view text, std::size_t place) {
    std::size_t word = place;
    while (word - place < kUnderscoresMax && at(text, word) == '_') ++word;
    return is_alnum(at(text, word)) || placeholder_begins(text, word);
}

bool is_tied_left(std::string_view text, std::size_t place) {
    if (is_glued_left(text, place)) return true;
    const char c = before(text, place);
    return (c == '-' || c == '.') && is_glued_left(text, place - 1);
}

bool is_tied_right(std::string_view text, std::size_t place) {
    if (is_glued_right(text, place)) return true;
    if (at(text, place) == '-') return is_glued_right(text, place + 1);
    return at(text, place) == '.' && is_digit(at(text, place + 1));
}

bool continues_left(std::string_view text, std::size_t place) {
    const char sign = before(text, place);
    const bool is_tie = sign == '-' || sign == '.' || sign == '_' || sign == '/';
    const std::size_t end = is_tie ? place - 1 : place;
    return is_digit(before(text, end)) || placeholder_ends(text, end);
}

bool ends_word(std::string_view text, std::size_t place) {
    std::size_t end = place;
    while (end - place < kGluedLettersMax && is_letter(at(text, end))) ++end;
    if (end == place) return !is_digit(at(text, place)) && !placeholder_begins(text, place);
    return end - place >= kGluedLettersMin && !is_alnum(at(text, end));
}

std::size_t gap_size(std::string_view text, std::size_t place) {
    std::size_t end = place;
    const auto skip_white = [&] {
        while (end - place < kGapMax && is_white(at(text, end))) ++end;
    };
    skip_white();
    const char c = at(text, end);
    const bool is_sign = end == place && (c == '.' || c == '_' || c == '/');
    const bool is_dash = end - place < kGapMax && c == '-';
    if (is_sign || is_dash) ++end;
    if (is_dash) skip_white();
    return end - place;
}

}  // namespace parlance::personal
