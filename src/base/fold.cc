#include "base/fold.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace parlance {

namespace {

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

/// ASCII white space and control characters.
bool is_space(char c) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr unsigned char kDelete = 0x7f;
    return byte <= ' ' || byte == kDelete;
}

/// Maps every space (White_Space) and every control character to a space. Compatibility forms do
/// not cover all of them.
utf8proc_int32_t plain_space(utf8proc_int32_t letter, void* /*data*/) {
    switch (utf8proc_category(letter)) {
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
        case UTF8PROC_CATEGORY_CC:
            return ' ';
        default:
            return letter;
    }
}

constexpr auto kOptions =
    static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                   UTF8PROC_CASEFOLD | UTF8PROC_IGNORE | UTF8PROC_STRIPNA);

/// Whether a letter carries more marks than any script has. Ordering marks takes quadratic time.
bool piles_up(std::string_view text) {
    constexpr int kMarksMax = 30;
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const auto* const end = at + text.size();
    int marks = 0;
    while (at != end) {
        utf8proc_int32_t letter = 0;
        const auto size = utf8proc_iterate(at, end - at, &letter);
        if (size <= 0) return false;  // The text is not UTF-8 and stays unchanged.
        at += size;
        // Counts the decomposed parts: some characters become marks, or vanish, only when
        // decomposed.
        std::array<utf8proc_int32_t, 32> parts{};
        int boundary = 0;
        const auto count = utf8proc_decompose_char(
            letter, parts.data(), utf8proc_ssize_t{parts.size()}, kOptions, &boundary);
        for (utf8proc_ssize_t i = 0; i < count; ++i) {
            const auto& part = parts.at(static_cast<std::size_t>(i));
            marks = utf8proc_get_property(part)->combining_class == 0 ? 0 : marks + 1;
            if (marks > kMarksMax) return true;
        }
    }
    return false;
}

/// Lower case, and single spaces.
std::string tidied(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (is_space(c)) {
            if (!out.empty() && out.back() != ' ') out += ' ';
        } else {
            out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
        }
    }
    if (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

}  // namespace

std::string folded(std::string_view text) {
    if (is_plain(text) || piles_up(text)) return tidied(text);
    struct Free {
        void operator()(utf8proc_uint8_t* bytes) const { std::free(bytes); }
    };
    utf8proc_uint8_t* made = nullptr;
    const auto size = utf8proc_map_custom(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                          static_cast<utf8proc_ssize_t>(text.size()),
                                          &made,
                                          kOptions,
                                          plain_space,
                                          nullptr);
    const std::unique_ptr<utf8proc_uint8_t, Free> owner{made};
    if (size < 0) return tidied(text);
    return tidied({reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)});
}

}  // namespace parlance
