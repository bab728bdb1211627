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
    std::uint32_t becomes;  ///< The reading of `low`; digits count on from there.
};

constexpr std::uint32_t kNothing = 0;

/// Sorted. Reads any dash as '-', any space as ' ', any quote as '"', and digits of any script as
/// digits.
constexpr std::array kRanges{
    Range{0x0085, 0x0085, ' '},      Range{0x00A0, 0x00A0, ' '},   Range{0x00AB, 0x00AB, '"'},
    Range{0x00AD, 0x00AD, kNothing}, Range{0x00B2, 0x00B3, '2'},   Range{0x00B7, 0x00B7, '.'},
    Range{0x00B9, 0x00B9, '1'},      Range{0x00BB, 0x00BB, '"'},   Range{0x034F, 0x034F, kNothing},
    Range{0x058A, 0x058A, '-'},      Range{0x05BE, 0x05BE, '-'},   Range{0x061C, 0x061C, kNothing},
    Range{0x0660, 0x0669, '0'},      Range{0x06F0, 0x06F9, '0'},   Range{0x07C0, 0x07C9, '0'},
    Range{0x0966, 0x096F, '0'},      Range{0x09E6, 0x09EF, '0'},   Range{0x0A66, 0x0A6F, '0'},
    Range{0x0AE6, 0x0AEF, '0'},      Range{0x0B66, 0x0B6F, '0'},   Range{0x0BE6, 0x0BEF, '0'},
    Range{0x0C66, 0x0C6F, '0'},      Range{0x0CE6, 0x0CEF, '0'},   Range{0x0D66, 0x0D6F, '0'},
    Range{0x0DE6, 0x0DEF, '0'},      Range{0x0E50, 0x0E59, '0'},   Range{0x0ED0, 0x0ED9, '0'},
    Range{0x0F20, 0x0F29, '0'},      Range{0x1040, 0x1049, '0'},   Range{0x1090, 0x1099, '0'},
    Range{0x1680, 0x1680, ' '},      Range{0x17E0, 0x17E9, '0'},   Range{0x1806, 0x1806, '-'},
    Range{0x180B, 0x180E, kNothing}, Range{0x1810, 0x1819, '0'},   Range{0x1946, 0x194F, '0'},
    Range{0x19D0, 0x19D9, '0'},      Range{0x1A80, 0x1A89, '0'},   Range{0x1A90, 0x1A99, '0'},
    Range{0x1B50, 0x1B59, '0'},      Range{0x1BB0, 0x1BB9, '0'},   Range{0x1C40, 0x1C49, '0'},
    Range{0x1C50, 0x1C59, '0'},      Range{0x2000, 0x200A, ' '},   Range{0x200B, 0x200F, kNothing},
    Range{0x2010, 0x2015, '-'},      Range{0x2018, 0x201B, '\''},  Range{0x201C, 0x201F, '"'},
    Range{0x2024, 0x2024, '.'},      Range{0x2027, 0x2027, '.'},   Range{0x2028, 0x2029, ' '},
    Range{0x202A, 0x202E, kNothing}, Range{0x202F, 0x202F, ' '},   Range{0x2039, 0x203A, '\''},
    Range{0x2043, 0x2043, '-'},      Range{0x2044, 0x2044, '/'},   Range{0x205F, 0x205F, ' '},
    Range{0x2060, 0x206F, kNothing}, Range{0x2070, 0x2070, '0'},   Range{0x2074, 0x2079, '4'},
    Range{0x2080, 0x2089, '0'},      Range{0x2212, 0x2212, '-'},   Range{0x2215, 0x2215, '/'},
    Range{0x2236, 0x2236, ':'},      Range{0x2460, 0x2468, '1'},   Range{0x24EA, 0x24EA, '0'},
    Range{0x2E3A, 0x2E3B, '-'},      Range{0x3000, 0x3000, ' '},   Range{0x3002, 0x3002, '.'},
    Range{0x30FB, 0x30FB, '.'},      Range{0xA620, 0xA629, '0'},   Range{0xA8D0, 0xA8D9, '0'},
    Range{0xA900, 0xA909, '0'},      Range{0xA9D0, 0xA9D9, '0'},   Range{0xA9F0, 0xA9F9, '0'},
    Range{0xAA50, 0xAA59, '0'},      Range{0xABF0, 0xABF9, '0'},   Range{0xFE00, 0xFE0F, kNothing},
    Range{0xFE52, 0xFE52, '.'},      Range{0xFE55, 0xFE55, ':'},   Range{0xFE58, 0xFE58, '-'},
    Range{0xFE62, 0xFE62, '+'},      Range{0xFE63, 0xFE63, '-'},   Range{0xFE6B, 0xFE6B, '@'},
    Range{0xFEFF, 0xFEFF, kNothing}, Range{0xFF01, 0xFF5E, '!'},   Range{0xFF61, 0xFF61, '.'},
    Range{0x104A0, 0x104A9, '0'},    Range{0x11066, 0x1106F, '0'}, Range{0x1D7CE, 0x1D7FF, '0'},
    Range{0x1E950, 0x1E959, '0'},    Range{0x1FBF0, 0x1FBF9, '0'},
};
static_assert(std::ranges::is_sorted(kRanges, {}, &Range::low));

constexpr unsigned utf8_lead(std::uint32_t code) {
    if (code < 0x800U) return 0xC0U | code >> 6U;
    return code < 0x10000U ? 0xE0U | code >> 12U : 0xF0U | code >> 18U;
}

/// The first UTF-8 bytes of the characters above.
constexpr auto kLeads = [] {
    std::array<bool, 256> leads{};
    for (const Range& range : kRanges) {
        for (unsigned lead = utf8_lead(range.low); lead <= utf8_lead(range.high); ++lead) {
            leads[lead] = true;
        }
    }
    return leads;
}();
bool may_lead_a_look_alike(char c) { return kLeads[static_cast<unsigned char>(c)]; }

/// The reading of a character; nothing if read as itself.
std::optional<char> look_alike(std::uint32_t code) {
    if (code < kRanges.front().low) return {};
    const auto above = std::ranges::upper_bound(kRanges, code, {}, &Range::low);
    const Range& range = *(above - 1);
    if (code > range.high) return {};
    const bool is_digit_row = range.becomes >= '0' && range.becomes <= '9';
    const std::uint32_t step = is_digit_row || range.becomes == '!' ? code - range.low : 0;
    // The mathematical digits come in five styles in a row.
    return static_cast<char>(range.becomes + (range.becomes == '0' ? step % 10 : step));
}

struct Character {
    std::uint32_t code;
    std::size_t size;  ///< Bytes in the written text.
};

/// Checked text has whole characters; a truncated character is read byte by byte.
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

unsigned hex_value(char c) {
    return is_digit(c) ? digit_of(c) : static_cast<unsigned>(lower(c) - 'a') + 10U;
}

std::optional<std::uint32_t> hex4(std::string_view text) {
    if (text.size() < 4) return {};
    std::uint32_t code = 0;
    for (const char c : text.substr(0, 4)) {
        if (!is_hex(c)) return {};
        code = code << 4U | hex_value(c);
    }
    return code;
}

constexpr std::string_view kSigns = "bfnrt";
constexpr std::string_view kMeant = "\b\f\n\r\t";

/// The character after several backslashes. JSON within a JSON string: an escaped escape means the
/// same character.
std::optional<Character> read_nested_escape(std::string_view text, std::size_t backslashes) {
    if (backslashes < 2) return {};
    if (at(text, backslashes) == 'u') {
        const auto code = hex4(text.substr(backslashes + 1));
        if (!code) return {};
        return Character{*code, backslashes + 5};
    }
    const auto i = kSigns.find(at(text, backslashes));
    if (i == std::string_view::npos) return {};
    return Character{static_cast<unsigned char>(kMeant[i]), backslashes + 1};
}

/// The character after a backslash.
Character read_escape(std::string_view text) {
    const char sign = at(text, 1);
    if (sign != 'u') {
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
        // A row of backslashes is scanned once, not from each backslash: every backslash leads to
        // the same end, and a row may have a megabyte.
        if (place >= seen_) {
            const auto backslashes = std::min(rest.find_first_not_of('\\'), rest.size());
            if (const auto nested = read_nested_escape(rest, backslashes)) return *nested;
            seen_ = place + backslashes;
        }
        return read_escape(rest);
    }

  private:
    std::string_view text_;
    std::size_t seen_ = 0;  ///< End of the last scanned row that led to no character.
};

/// Appends one byte of the reading, with its position in the written text.
void append(Folded& folded, char c, std::size_t begin, std::size_t end) {
    folded.text[folded.size] = c;
    folded.begins[folded.size] = static_cast<std::uint32_t>(begin);
    folded.ends[folded.size] = static_cast<std::uint32_t>(end);
    ++folded.size;
}

/// An escape and the character itself become equal bytes.
void append_beyond_ascii(Folded& folded, std::uint32_t code, std::size_t begin, std::size_t end) {
    const auto lead = code < 0x800U ? 0xC0U : (code < 0x10000U ? 0xE0U : 0xF0U);
    const unsigned more = code < 0x800U ? 1 : (code < 0x10000U ? 2 : 3);
    append(folded, static_cast<char>(lead | code >> (6 * more)), begin, end);
    for (unsigned i = more; i-- > 0;) {
        append(folded, static_cast<char>(0x80U | (code >> (6 * i) & 0x3FU)), begin, end);
    }
}

void append_character(Folded& folded, std::uint32_t code, std::size_t begin, std::size_t end) {
    const auto alike = look_alike(code);
    if (alike && *alike != '\0') {
        append(folded, *alike, begin, end);
    } else if (!alike && code < 0x80U) {
        append(folded, static_cast<char>(code), begin, end);
    } else if (!alike) {
        append_beyond_ascii(folded, code, begin, end);
    }
}

/// Folding lengthens only invalid bytes, each to two bytes.
void make_room(Folded& folded, std::size_t written) {
    const std::size_t room = 2 * written;
    if (folded.text.size() < room) {
        folded.text.resize(room);
        folded.begins.resize(room);
        folded.ends.resize(room);
    }
    folded.size = 0;
}

std::optional<unsigned> percent_byte(std::string_view text) {
    if (text.size() < 3 || text[0] != '%' || !is_hex(text[1]) || !is_hex(text[2])) return {};
    return hex_value(text[1]) << 4U | hex_value(text[2]);
}

/// %40, or a character beyond ASCII as several bytes.
std::optional<Character> read_percent(std::string_view text) {
    const auto first = percent_byte(text);
    if (!first || *first < 0x09U) return {};
    if (*first < 0x80U) return Character{*first, 3};
    std::string bytes{static_cast<char>(*first)};
    while (bytes.size() < 4) {
        const auto more = percent_byte(text.substr(std::min(3 * bytes.size(), text.size())));
        if (!more || (*more & 0xC0U) != 0x80U) break;
        bytes.push_back(static_cast<char>(*more));
    }
    const Character character = read_utf8(bytes);
    if (character.size < 2) return {};
    return Character{character.code, 3 * character.size};
}

struct Entity {
    std::string_view name;
    std::uint32_t code;
};
/// The HTML names of characters that occur in or around personal data.
constexpr std::array kEntities{
    Entity{"Tab", '\t'},   Entity{"NewLine", '\n'}, Entity{"amp", '&'},    Entity{"apos", '\''},
    Entity{"colon", ':'},  Entity{"comma", ','},    Entity{"commat", '@'}, Entity{"dash", '-'},
    Entity{"emsp", ' '},   Entity{"ensp", ' '},     Entity{"equals", '='}, Entity{"gt", '>'},
    Entity{"hyphen", '-'}, Entity{"lowbar", '_'},   Entity{"lpar", '('},   Entity{"lt", '<'},
    Entity{"mdash", '-'},  Entity{"minus", '-'},    Entity{"nbsp", ' '},   Entity{"ndash", '-'},
    Entity{"num", '#'},    Entity{"period", '.'},   Entity{"plus", '+'},   Entity{"quot", '"'},
    Entity{"rpar", ')'},   Entity{"shy", 0x00AD},   Entity{"sol", '/'},    Entity{"thinsp", ' '},
    Entity{"zwj", 0x200D}, Entity{"zwnj", 0x200C},
};
constexpr std::size_t kEntityBytesMax = 10;

/// &#64; &#x40; &commat;
std::optional<Character> read_entity(std::string_view text) {
    const std::size_t close = text.substr(0, kEntityBytesMax).find(';');
    if (close == std::string_view::npos || close < 2) return {};
    const std::string_view name = text.substr(1, close - 1);
    if (name[0] != '#') {
        const auto entity = std::ranges::find(kEntities, name, &Entity::name);
        if (entity == kEntities.end()) return {};
        return Character{entity->code, close + 1};
    }
    const bool is_in_hex = lower(at(name, 1)) == 'x';
    const std::string_view digits = name.substr(is_in_hex ? 2 : 1);
    std::uint32_t code = 0;
    for (const char c : digits) {
        if (!(is_in_hex ? is_hex(c) : is_digit(c))) return {};
        code = code * (is_in_hex ? 16U : 10U) + hex_value(c);
    }
    if (digits.empty() || code < 0x09U || code > 0x10FFFFU) return {};
    return Character{code, close + 1};
}

/// ~1 in a JSON pointer is a slash.
std::optional<Character> read_tilde(std::string_view text) {
    if (at(text, 1) == '1') return Character{'/', 2};
    if (at(text, 1) == '0') return Character{'~', 2};
    return {};
}

/// The formats of character codes, by first character.
struct Code {
    char sign;
    std::optional<Character> (*read)(std::string_view text);
};
constexpr std::array kCodes{Code{'%', read_percent}, Code{'&', read_entity}, Code{'~', read_tilde}};

std::optional<Character> read_code(std::string_view text) {
    const auto code = std::ranges::find(kCodes, text[0], &Code::sign);
    return code == kCodes.end() ? std::nullopt : code->read(text);
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

bool has_codes(std::string_view text) {
    return std::ranges::any_of(kCodes, [text](const Code& code) {
        for (auto i = text.find(code.sign); i != std::string_view::npos;
             i = text.find(code.sign, i + 1)) {
            if (code.read(text.substr(i))) return true;
        }
        return false;
    });
}

void fold(std::string_view text, bool is_escaped, Folded& folded) {
    make_room(folded, text.size());
    Escapes escapes{text};
    for (std::size_t i = 0; i < text.size();) {
        const bool is_escape = is_escaped && text[i] == '\\';
        if (!is_escape && !is_beyond_ascii(text[i])) {
            append(folded, text[i], i, i + 1);
            ++i;
            continue;
        }
        const Character character = is_escape ? escapes.read(i) : read_utf8(text.substr(i));
        append_character(folded, character.code, i, i + character.size);
        i += character.size;
    }
}

void decode(const Folded& folded, Folded& decoded) {
    const std::string_view text = folded.view();
    make_room(decoded, text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto character = read_code(text.substr(i));
        const std::size_t end = i + (character ? character->size : 1);
        if (character) {
            append_character(decoded, character->code, folded.begins[i], folded.ends[end - 1]);
        } else {
            append(decoded, text[i], folded.begins[i], folded.ends[i]);
        }
        i = end;
    }
}

}  // namespace parlance::personal
