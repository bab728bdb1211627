// Reads text like a person: full-width digits are digits, zero-width characters are ignored.
//
// Attackers write numbers this way to get past the hub; users of Japanese keyboards write
// full-width digits without intent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::personal {

/// The folded text, byte by byte. A Folded reuses its memory for the next text.
struct Folded {
    std::string text;
    std::vector<std::uint32_t> begins;  ///< For each byte of `text`: begin in the written text.
    std::vector<std::uint32_t> ends;    ///< For each byte of `text`: end in the written text.
    std::size_t size = 0;               ///< Bytes in use; the rest is spare room.
    std::string_view view() const { return {text.data(), size}; }
};

/// Whether folding could change anything.
bool needs_folding(std::string_view text);

/// Whether the text has character codes of other formats: %40 in a URL, &#64; in a page, ~1 in a
/// JSON pointer.
bool has_codes(std::string_view text);

/// `is_escaped`: the text is the inside of a checked JSON string.
void fold(std::string_view text, bool is_escaped, Folded& folded);
/// Replaces character codes by their characters.
void decode(const Folded& folded, Folded& decoded);

}  // namespace parlance::personal
