#include "base/plain_text.h"

#include <cstdint>
#include <cstring>

#include <simdjson.h>

namespace parlance {

namespace {

using Word = std::uint64_t;
constexpr Word kEach = 0x0101'0101'0101'0101U;

bool is_printable(char c) { return c >= ' ' && c < '\x7F'; }

/// Whether all bytes of the word are printable ASCII. Any other byte sets its high bit: the
/// difference is negative for bytes below a space, and the sum leaves ASCII for DEL.
bool are_printable(const char* bytes) {
    Word word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return (((word - kEach * ' ') | (word + kEach) | word) & (kEach * 0x80)) == 0;
}

/// The fast path of almost every text; called for each header of each request.
bool is_printable_ascii(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    if (text.size() < sizeof(Word)) {
        while (at != end && is_printable(*at)) ++at;
        return at == end;
    }
    for (; end - at > static_cast<std::ptrdiff_t>(sizeof(Word)); at += sizeof(Word)) {
        if (!are_printable(at)) return false;
    }
    return are_printable(end - sizeof(Word));
}

bool has_controls(std::string_view utf8) {
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto byte = static_cast<unsigned char>(utf8[i]);
        if (byte < 0x20 || byte == 0x7F) return true;
        if (byte == 0xC2 && static_cast<unsigned char>(utf8[i + 1]) < 0xA0) return true;
    }
    return false;
}

}  // namespace

bool is_plain_text(std::string_view text) {
    return is_printable_ascii(text) ||
           (simdjson::validate_utf8(text.data(), text.size()) && !has_controls(text));
}

std::string_view cut(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end);
}

std::string_view trimmed(std::string_view text, std::string_view around) {
    const auto first = text.find_first_not_of(around);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(around) - first + 1);
}

}  // namespace parlance
