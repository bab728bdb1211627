// Text as a careless reader sees it: full-width digits are digits, what has no width is not there.
//
// Whoever wants to slip a number past the hub writes it so; whoever types on a Japanese keyboard
// does it without a thought.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::personal {

/// What is read, byte by byte. It keeps its memory from one text to the next.
struct Folded {
    std::string text;
    std::vector<std::uint32_t> begins;  ///< Where each byte of `text` begins in what was written,
    std::vector<std::uint32_t> ends;    ///< and where it ends there.
    std::size_t size = 0;               ///< How many bytes there are; the rest is room.
    std::string_view view() const { return {text.data(), size}; }
};

/// Whether folding could change anything.
bool needs_folding(std::string_view text);

/// Whether somebody else's way to write characters is in it: %40 in a URL, &#64; in a page, ~1 in a
/// JSON pointer.
bool has_codes(std::string_view text);

/// `is_escaped`: the text is the inside of a checked JSON string.
void fold(std::string_view text, bool is_escaped, Folded& folded);
/// The same text with those characters in place of their codes.
void decode(const Folded& folded, Folded& decoded);

}  // namespace parlance::personal
