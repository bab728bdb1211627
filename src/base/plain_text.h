// Whether a text from outside may be kept, listed and quoted: whoever reads it later expects UTF-8,
// and a terminal or a log line obeys control characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace parlance {

/// Whether it is UTF-8 without control characters: neither ASCII's nor those of U+0080 to U+009F.
bool is_plain_text(std::string_view text);

/// As much from the front as has room in so many bytes, and no character in half.
std::string_view cut(std::string_view text, std::size_t bytes_max);

/// The text without these characters at its ends.
std::string_view trimmed(std::string_view text, std::string_view around = " \t");

}  // namespace parlance
