// Tests of single bytes, and of the edges of a finding, for the finders of personal data.
#pragma once

#include <cstddef>
#include <string_view>

namespace parlance::personal {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c | 0x20) : c; }
constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
constexpr bool is_alnum(char c) { return is_digit(c) || is_letter(c); }
constexpr bool is_hex(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }
constexpr bool is_beyond_ascii(char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; }
constexpr unsigned digit_of(char c) { return static_cast<unsigned>(c - '0'); }

/// The byte at a position; zero outside of the text.
constexpr char at(std::string_view text, std::size_t place) {
    return place < text.size() ? text[place] : '\0';
}
constexpr char before(std::string_view text, std::size_t place) {
    return place > 0 ? text[place - 1] : '\0';
}

/// Whether a placeholder such as [EMAIL_1f9c03ab] ends, or begins, at this position.
bool placeholder_ends(std::string_view text, std::size_t place);
bool placeholder_begins(std::string_view text, std::size_t place);
/// The end of the placeholder around the hexadecimal digit at this position; 0 if none.
std::size_t placeholder_end_around(std::string_view text, std::size_t place);

/// Whether the bytes before, or after, this position belong to the same word. A placeholder counts
/// like the word that it replaced, so redacted text reads as before. Underscores join words;
/// underscores around a word are emphasis.
bool is_glued_left(std::string_view text, std::size_t place);
bool is_glued_right(std::string_view text, std::size_t place);
std::size_t over_underscores_left(std::string_view text, std::size_t place);

/// The same across one hyphen, dot or the like: so 446655440000 in a UUID never stands alone.
bool is_tied_left(std::string_view text, std::size_t place);
bool is_tied_right(std::string_view text, std::size_t place);

/// For kinds recognised by themselves, such as numbers with a check digit. Whether digits, or a
/// placeholder, precede this position, across at most one sign.
bool continues_left(std::string_view text, std::size_t place);
/// Whether a number can end here: before anything but a digit, or before a whole word.
bool ends_word(std::string_view text, std::size_t place);

/// The longest gap between the groups of one number.
inline constexpr std::size_t kGapMax = 3;
/// The size of the gap between two groups: white space, a sign, or a dash between spaces.
std::size_t gap_size(std::string_view text, std::size_t place);

}  // namespace parlance::personal
