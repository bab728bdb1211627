// Decides which texts from outside may be stored, listed and quoted: later readers expect UTF-8,
// and a terminal or a log line obeys control characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace parlance {

/// Whether the text is UTF-8 without control characters, of ASCII or of U+0080 to U+009F.
bool is_plain_text(std::string_view text);

/// The longest prefix of whole characters that fits into so many bytes.
std::string_view cut(std::string_view text, std::size_t bytes_max);

/// The text without the characters of `around` at its ends.
std::string_view trimmed(std::string_view text, std::string_view around = " \t");

}  // namespace parlance
