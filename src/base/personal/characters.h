// What the finders of personal data ask about single bytes, and about the edges of a find.
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

/// The byte at a place, or a zero where there is none.
constexpr char at(std::string_view text, std::size_t place) {
    return place < text.size() ? text[place] : '\0';
}
constexpr char before(std::string_view text, std::size_t place) {
    return place > 0 ? text[place - 1] : '\0';
}

/// Whether a placeholder such as [EMAIL_1f9c03ab] ends, or begins, at this place.
bool placeholder_ends(std::string_view text, std::size_t place);
bool placeholder_begins(std::string_view text, std::size_t place);
/// Behind the placeholder one of whose hexadecimal digits stands here; 0 if there is none.
std::size_t placeholder_end_around(std::string_view text, std::size_t place);

/// Whether the bytes before, or behind, this place belong to the same word. A placeholder is as
/// good as the word that it stands for, so that what was redacted reads as it did before.
/// Underscores join words, and around one they are its emphasis.
bool is_glued_left(std::string_view text, std::size_t place);
bool is_glued_right(std::string_view text, std::size_t place);
std::size_t over_underscores_left(std::string_view text, std::size_t place);

/// The same across one hyphen, dot or the like: 446655440000 in a UUID stands alone nowhere.
bool is_tied_left(std::string_view text, std::size_t place);
bool is_tied_right(std::string_view text, std::size_t place);

// For what has a check digit or the like, and is itself whatever it stands beside.
/// Whether digits, or what has been taken, go on here over at most one sign.
bool continues_left(std::string_view text, std::size_t place);
/// Whether a number can end here: before anything that is no digit, and before a whole word.
bool ends_word(std::string_view text, std::size_t place);

/// The longest gap between the groups of one number.
inline constexpr std::size_t kGapMax = 3;
/// How many bytes stand here between two groups: white space, a sign, or a dash between spaces.
std::size_t gap_size(std::string_view text, std::size_t place);

}  // namespace parlance::personal
