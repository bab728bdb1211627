#include "base/fold.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace parlance {

namespace {

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

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
    if (is_plain(text)) return tidied(text);
    struct Free {
        void operator()(utf8proc_uint8_t* bytes) const { std::free(bytes); }
    };
    utf8proc_uint8_t* made = nullptr;
    const auto options = static_cast<utf8proc_option_t>(
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE |
        UTF8PROC_STRIPCC | UTF8PROC_STRIPNA);
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()),
                                   &made,
                                   options);
    const std::unique_ptr<utf8proc_uint8_t, Free> owner{made};
    if (size < 0) return tidied(text);
    return tidied({reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)});
}

}  // namespace parlance
