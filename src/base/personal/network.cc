// Addresses of the network: IP of both versions, and of hardware.
#include <algorithm>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

/// The longest is eight groups of four with seven colons; a longer word is none.
constexpr std::size_t kColonWordMax = 40;

bool is_colon_word_byte(char c) { return is_hex(c) || c == ':'; }

/// What the colons of a word of hexadecimal digits divide it into.
struct Parts {
    std::size_t count = 0;  ///< Those that are not empty.
    std::size_t size_min = kColonWordMax;
    std::size_t size_max = 0;
    std::size_t gaps = 0;  ///< How often two colons stand together.
    bool has_digit = false;
};

Parts parts_of(std::string_view word) {
    Parts parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= word.size(); ++i) {
        if (i < word.size() && word[i] != ':') {
            parts.has_digit = parts.has_digit || is_digit(word[i]);
            continue;
        }
        if (i > begin) {
            ++parts.count;
            parts.size_min = std::min(parts.size_min, i - begin);
            parts.size_max = std::max(parts.size_max, i - begin);
        }
        begin = i + 1;
    }
    for (auto i = word.find("::"); i != std::string_view::npos; i = word.find("::", i + 1)) {
        ++parts.gaps;
    }
    return parts;
}

/// The word around the colon, if it stands alone: without the label before it, as in "ip:fe80::1".
std::string_view lone_word(const Sign& colon, Span& span) {
    const std::string_view text = colon.text;
    span = colon_word(colon);
    const std::size_t first = text.find(':', span.begin);
    const bool has_label = is_letter(before(text, span.begin)) || first == span.begin;
    const bool is_one_colon = at(text, first + 1) != ':' || at(text, first + 2) == ':';
    if (has_label && first < span.end && is_one_colon) span.begin = first + 1;
    const bool is_lone = span.end - span.begin <= kColonWordMax &&
                         !is_tied_left(text, span.begin) && !is_glued_right(text, span.end);
    return is_lone ? text.substr(span.begin, span.end - span.begin) : std::string_view{};
}

/// Behind the address of version 4 of which the last part of this word is the first; 0 if it is
/// none.
std::size_t ip4_tail_end(std::string_view text, const Span& word) {
    std::size_t begin = word.end;
    while (begin > word.begin && is_digit(text[begin - 1])) --begin;
    std::size_t end = begin;
    for (int octet = 0; octet < 4; ++octet) {
        if (octet > 0 && at(text, end++) != '.') return 0;
        std::size_t size = 0;
        unsigned value = 0;
        while (size <= 3 && is_digit(at(text, end))) {
            value = value * 10 + digit_of(text[end++]);
            ++size;
        }
        if (size == 0 || size > 3 || value > 255) return 0;
    }
    return before(text, begin) == ':' && !is_tied_right(text, end) ? end : 0;
}

}  // namespace

Span colon_word(const Sign& colon) {
    const std::string_view text = colon.text;
    Span span{colon.place, colon.place + 1};
    while (span.begin > colon.floor && colon.place - span.begin <= kColonWordMax &&
           is_colon_word_byte(text[span.begin - 1])) {
        --span.begin;
    }
    while (span.end < text.size() && span.end - colon.place <= kColonWordMax &&
           is_colon_word_byte(text[span.end])) {
        ++span.end;
    }
    // "address: " and the colon before a value are no part of it.
    while (span.end > colon.place + 1 && text[span.end - 1] == ':' && text[span.end - 2] != ':') {
        --span.end;
    }
    return span;
}

bool is_behind_label(const Sign& colon) {
    const Span span = colon_word(colon);
    const Parts parts = parts_of(colon.text.substr(span.begin, span.end - span.begin));
    return parts.count == 2 && parts.gaps == 0;
}

Found find_ip6(const Sign& colon) {
    Span span{};
    const std::string_view word = lone_word(colon, span);
    Parts parts = parts_of(word);
    if (!parts.has_digit || parts.size_max > 4) return {};
    // ::ffff:192.0.2.1: the last two parts are written as an address of version 4.
    const std::size_t tail_end = ip4_tail_end(colon.text, span);
    if (tail_end != 0) {
        ++parts.count;
        span.end = tail_end;
    }
    if (parts.gaps == 0) {
        const bool is_whole = parts.count == 8 && word.front() != ':' && word.back() != ':';
        return is_whole ? Found{span} : Found{};
    }
    if (parts.gaps != 1 || parts.count < 2 || parts.count > 7) return {};
    if (word.find(":::") != std::string_view::npos) return {};
    // Two names with two colons between them are rather of a program.
    const bool is_short_form =
        tail_end != 0 || parts.count >= 3 || (is_hex(word.front()) && word.find(':') >= 3);
    return is_short_form ? Found{span} : Found{};
}

Found find_mac(const Sign& colon) {
    Span span{};
    const Parts parts = parts_of(lone_word(colon, span));
    const bool is_mac =
        parts.count == 6 && parts.size_min == 2 && parts.size_max == 2 && parts.gaps == 0;
    return is_mac && span.end - span.begin == 17 ? Found{span} : Found{};
}

Found find_ip4(const Sight& sight) {
    if (sight.groups_left() < 4 || sight.size(0) > 3) return {};
    for (std::size_t i = 1; i < 4; ++i) {
        if (sight.sign(i) != '.') return {};
    }
    for (std::size_t i = 0; i < 4; ++i) {
        const bool is_octet = sight.size(i) <= 3 && sight.value(i) <= 255 &&
                              (sight.size(i) == 1 || sight.digits(i)[0] != '0');
        if (!is_octet) return {};
    }
    const std::string_view text = sight.text;
    const std::size_t begin = sight.group(0).begin;
    const std::size_t end = sight.group(3).end;
    if (is_tied_left(text, begin) || is_tied_right(text, end)) return {};
    // Programs have versions of four parts: name/1.2.3.4, name==1.2.3.4, version 1.2.3.4.
    const char sign = before(text, begin);
    const bool is_in_path = sign == '/' && before(text, begin - 1) != '/';
    const bool is_pinned = sign == '=' && before(text, begin - 1) == '=';
    if (is_in_path || is_pinned || sight.has_cue(kVersion)) return {};
    // Everybody's own machine is nobody's.
    const std::string_view address = text.substr(begin, end - begin);
    if (address == "127.0.0.1" || address == "0.0.0.0") return {};
    return Span{begin, end};
}

}  // namespace parlance::personal
