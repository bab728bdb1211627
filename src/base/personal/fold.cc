#include "base/personal/fold.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/personal/characters.h"

namespace parlance::personal {

namespace {

struct Range {
    std::uint32_t low;
    std::uint32_t high;
    std::uint32_t becomes;  ///< What `low` becomes; the others follow it, if it is no sign.
};

constexpr std::uint32_t kNothing = 0;

/// In order. A dash is any dash, a space any space; digits of any script count.
constexpr std::array kRanges{
    Range{0x00A0, 0x00A0, ' '},      Range{0x00AD, 0x00AD, kNothing},
    Range{0x0660, 0x0669, '0'},      Range{0x06F0, 0x06F9, '0'},
    Range{0x0966, 0x096F, '0'},      Range{0x180E, 0x180E, kNothing},
    Range{0x2000, 0x200A, ' '},      Range{0x200B, 0x200F, kNothing},
    Range{0x2010, 0x2015, '-'},      Range{0x2024, 0x2024, '.'},
    Range{0x202A, 0x202E, kNothing}, Range{0x202F, 0x202F, ' '},
    Range{0x205F, 0x205F, ' '},      Range{0x2060, 0x2064, kNothing},
    Range{0x2066, 0x2069, kNothing}, Range{0x2212, 0x2212, '-'},
    Range{0x3000, 0x3000, ' '},      Range{0x3002, 0x3002, '.'},
    Range{0xFE0E, 0xFE0F, kNothing}, Range{0xFE52, 0xFE52, '.'},
    Range{0xFE6B, 0xFE6B, '@'},      Range{0xFEFF, 0xFEFF, kNothing},
    Range{0xFF01, 0xFF5E, '!'},      Range{0x1D7CE, 0x1D7FF, '0'},
};
static_assert(std::ranges::is_sorted(kRanges, {}, &Range::low));

/// The first bytes, in UTF-8, of the characters above.
bool may_lead_a_look_alike(char c) {
    constexpr std::string_view kLeads = "\xC2\xD9\xDB\xE0\xE1\xE2\xE3\xEF\xF0";
    return is_beyond_ascii(c) && kLeads.find(c) != std::string_view::npos;
}

/// What a character is read as; nothing if it is read as itself.
std::optional<char> look_alike(std::uint32_t code) {
    if (code < kRanges.front().low) return {};
    const auto above = std::ranges::upper_bound(kRanges, code, {}, &Range::low);
    const Range& range = *(above - 1);
    if (code > range.high) return {};
    const bool follows = range.becomes == '0' || range.becomes == '!';
    const std::uint32_t step = follows ? code - range.low : 0;
    // The mathematical digits come in five sorts, one behind the other.
    return static_cast<char>(range.becomes + (range.becomes == '0' ? step % 10 : step));
}

struct Character {
    std::uint32_t code;
    std::size_t size;  ///< As written.
};

/// Checked text has whole characters; what is cut off anyway is taken byte by byte.
Character read_utf8(std::string_view text) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const std::uint32_t first = byte(0);
    if (first < 0x80U) return {first, 1};
    const std::size_t size = first >= 0xF0U ? 4 : (first >= 0xE0U ? 3 : 2);
    if (first < 0xC0U || size > text.size()) return {first, 1};
    std::uint32_t code = first & (0xFFU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) code = code << 6U | (byte(i) & 0x3FU);
    return {code, size};
}

std::optional<std::uint32_t> hex4(std::string_view text) {
    if (text.size() < 4) return {};
    std::uint32_t code = 0;
    for (const char c : text.substr(0, 4)) {
        if (!is_hex(c)) return {};
        const auto value = is_digit(c) ? digit_of(c) : static_cast<unsigned>(lower(c) - 'a') + 10U;
        code = code << 4U | value;
    }
    return code;
}

/// The character that so many backslashes lead to. JSON in a string of JSON: an escape that is
/// escaped itself means the same character.
std::optional<Character> read_nested_escape(std::string_view text, std::size_t backslashes) {
    if (backslashes < 2 || at(text, backslashes) != 'u') return {};
    const auto code = hex4(text.substr(backslashes + 1));
    if (!code) return {};
    return Character{*code, backslashes + 5};
}

/// What stands behind a backslash.
Character read_escape(std::string_view text) {
    const char sign = at(text, 1);
    if (sign != 'u') {
        constexpr std::string_view kSigns = "bfnrt";
        constexpr std::string_view kMeant = "\b\f\n\r\t";
        const auto i = kSigns.find(sign);
        const char meant = i == std::string_view::npos ? sign : kMeant[i];
        return {static_cast<unsigned char>(meant), std::min<std::size_t>(2, text.size())};
    }
    const auto first = hex4(text.substr(2));
    if (!first) return {'u', 2};
    if (*first < 0xD800U || *first > 0xDBFFU) return {*first, 6};
    const auto second = text.substr(6).starts_with("\\u") ? hex4(text.substr(8)) : std::nullopt;
    if (!second) return {*first, 6};
    return {0x10000U + ((*first - 0xD800U) << 10U) + (*second - 0xDC00U), 12};
}

/// Reads escapes from the front of a text to its end.
class Escapes {
  public:
    explicit Escapes(std::string_view text) : text_{text} {}

    Character read(std::size_t place) {
        const std::string_view rest = text_.substr(place);
        // A row of backslashes is looked over once, and not from each of them: it leads from any of
        // them to the same place, and there may be a megabyte of them.
        if (place >= seen_) {
            const auto backslashes = std::min(rest.find_first_not_of('\\'), rest.size());
            if (const auto nested = read_nested_escape(rest, backslashes)) return *nested;
            seen_ = place + backslashes;
        }
        return read_escape(rest);
    }

  private:
    std::string_view text_;
    std::size_t seen_ = 0;  ///< Behind the row that was looked over last, and led to nothing.
};

/// Writes one byte of what is read, and where it stands in what is written.
void append(Folded& folded, char c, std::size_t begin, std::size_t end) {
    folded.text[folded.size] = c;
    folded.begins[folded.size] = static_cast<std::uint32_t>(begin);
    folded.ends[folded.size] = static_cast<std::uint32_t>(end);
    ++folded.size;
}

/// An escape and the character itself become the same bytes.
void append_beyond_ascii(Folded& folded, std::uint32_t code, std::size_t begin, std::size_t end) {
    const auto lead = code < 0x800U ? 0xC0U : (code < 0x10000U ? 0xE0U : 0xF0U);
    const unsigned more = code < 0x800U ? 1 : (code < 0x10000U ? 2 : 3);
    append(folded, static_cast<char>(lead | code >> (6 * more)), begin, end);
    for (unsigned i = more; i-- > 0;) {
        append(folded, static_cast<char>(0x80U | (code >> (6 * i) & 0x3FU)), begin, end);
    }
}

}  // namespace

bool needs_folding(std::string_view text) {
    constexpr std::uint64_t kHighBits = 0x8080808080808080U;
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, sizeof word);
        if ((word & kHighBits) == 0) continue;
        if (std::ranges::any_of(text.substr(i, 8), may_lead_a_look_alike)) return true;
    }
    return std::ranges::any_of(text.substr(i), may_lead_a_look_alike);
}

void fold(std::string_view text, bool is_escaped, Folded& folded) {
    // No character becomes longer, but for a byte that is none.
    const std::size_t room = 2 * text.size();
    if (folded.text.size() < room) {
        folded.text.resize(room);
        folded.begins.resize(room);
        folded.ends.resize(room);
    }
    folded.size = 0;
    Escapes escapes{text};
    for (std::size_t i = 0; i < text.size();) {
        const bool is_escape = is_escaped && text[i] == '\\';
        if (!is_escape && !is_beyond_ascii(text[i])) {
            append(folded, text[i], i, i + 1);
            ++i;
            continue;
        }
        const Character character = is_escape ? escapes.read(i) : read_utf8(text.substr(i));
        const std::size_t end = i + character.size;
        const auto alike = look_alike(character.code);
        if (alike && *alike != '\0') {
            append(folded, *alike, i, end);
        } else if (!alike && character.code < 0x80U) {
            append(folded, static_cast<char>(character.code), i, end);
        } else if (!alike) {
            append_beyond_ascii(folded, character.code, i, end);
        }
        i = end;
    }
}

}  // namespace parlance::personal
