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

/// ASCII's own, and what stands beside the text and not in it.
bool is_space(char c) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr unsigned char kDelete = 0x7f;
    return byte <= ' ' || byte == kDelete;
}

/// Every space (White_Space) and every control character is one kind of space. Not all of them are
/// by their compatibility forms.
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

/// Whether so many marks stand on one letter that no script has them. To put those in order takes
/// the square of their number.
bool piles_up(std::string_view text) {
    constexpr int kMarksMax = 30;
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const auto* const end = at + text.size();
    int marks = 0;
    while (at != end) {
        utf8proc_int32_t letter = 0;
        const auto size = utf8proc_iterate(at, end - at, &letter);
        if (size <= 0) return false;  // It is no UTF-8, and stays as it is.
        at += size;
        // By what it is taken apart into: some are marks only then, and some are nothing.
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
