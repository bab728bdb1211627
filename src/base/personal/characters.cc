#include "base/personal/characters.h"

#include <algorithm>

namespace parlance::personal {

namespace {

constexpr std::size_t kHexDigits = 8;
constexpr std::size_t kWordMax = 12;

bool is_word_byte(char c) { return is_alnum(c) || c == '_'; }

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

bool is_glued_left(std::string_view text, std::size_t place) {
    return is_word_byte(before(text, place)) || placeholder_ends(text, place);
}

bool is_glued_right(std::string_view text, std::size_t place) {
    return is_word_byte(at(text, place)) || placeholder_begins(text, place);
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

}  // namespace parlance::personal
