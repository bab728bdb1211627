#include "app/cli/colour.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace parlance::cli {

namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kReplacement = "\uFFFD";

constexpr std::array<std::string_view, 9> kCodes{"", "1", "2", "31", "32", "33", "34", "35", "36"};

/// A character of UTF-8: its code and length. An invalid byte counts as U+FFFD.
struct Character {
    char32_t code;
    std::size_t bytes;
};

Character first_of(std::string_view text) {
    constexpr Character kBad{0xFFFD, 1};
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return kBad;
    char32_t code = lead & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0U) != 0x80U) return kBad;
        code = code << 6U | (next & 0x3FU);
    }
    return {code, bytes};
}

struct Range {
    char32_t first;
    char32_t last;
};

// Blocks common in names and messages, not all of Unicode's tables: a column off by one is a
// blemish, not a bug.
constexpr std::array kWide{Range{0x1100, 0x115F},
                           Range{0x2E80, 0x303E},
                           Range{0x3041, 0xA4CF},
                           Range{0xAC00, 0xD7A3},
                           Range{0xF900, 0xFAFF},
                           Range{0xFE30, 0xFE6F},
                           Range{0xFF00, 0xFF60},
                           Range{0xFFE0, 0xFFE6},
                           Range{0x1F300, 0x1F64F},
                           Range{0x1F680, 0x1F6FF},
                           Range{0x1F900, 0x1F9FF},
                           Range{0x20000, 0x3FFFD}};
constexpr std::array kZero{
    Range{0x0300, 0x036F}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t code) {
    return std::ranges::any_of(
        ranges, [&](Range range) { return code >= range.first && code <= range.last; });
}

int columns_of(char32_t code) {
    if (code < 0x20 || is_in(kZero, code)) return 0;
    return is_in(kWide, code) ? 2 : 1;
}

bool is_control(char32_t code) {
    const bool is_c1 = code >= 0x7F && code < 0xA0;
    const bool turns_text =
        (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || is_c1 || turns_text;
}

bool is_set(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

int terminal_width(int descriptor) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

}  // namespace

Screen screen_of(std::FILE* stream, bool no_colour) {
    const int descriptor = ::fileno(stream);
    if (::isatty(descriptor) == 0) return {};
    const char* const term = std::getenv("TERM");
    const bool is_dumb = term == nullptr || std::string_view{term} == "dumb";
    return {.is_terminal = true,
            .has_colour = !no_colour && !is_set("NO_COLOR") && !is_dumb,
            .width = terminal_width(descriptor)};
}

std::string paint(const Screen& screen, Tone tone, std::string_view text) {
    if (!screen.has_colour || tone == Tone::Plain || text.empty()) return std::string(text);
    std::string out = "\033[";
    out.append(kCodes[static_cast<std::size_t>(tone)]).append("m").append(text).append("\033[0m");
    return out;
}

int width_of(std::string_view text) {
    int width = 0;
    while (!text.empty()) {
        const Character character = first_of(text);
        width += columns_of(character.code);
        text.remove_prefix(character.bytes);
    }
    return width;
}

std::string cut(std::string_view text, int width) {
    if (width_of(text) <= width) return std::string(text);
    if (width <= 0) return {};
    std::string out;
    int used = 1;  // The ellipsis.
    while (!text.empty()) {
        const Character character = first_of(text);
        used += columns_of(character.code);
        if (used > width) break;
        out.append(text.substr(0, character.bytes));
        text.remove_prefix(character.bytes);
    }
    while (out.ends_with(' ')) out.pop_back();
    return out.append(kEllipsis);
}

std::string harmless(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_of(text);
        if (character.code == '\n' || character.code == '\t') {
            out.push_back(' ');
        } else if (is_control(character.code) || character.code == 0xFFFD) {
            out.append(kReplacement);
        } else {
            out.append(text.substr(0, character.bytes));
        }
        text.remove_prefix(character.bytes);
    }
    return out;
}

}  // namespace parlance::cli
