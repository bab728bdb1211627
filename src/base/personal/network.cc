// Network addresses: IP of both versions, and hardware addresses.
#include <algorithm>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

/// The longest address is eight groups of four with seven colons; longer words are no addresses.
constexpr std::size_t kColonWordMax = 40;

bool is_colon_word_byte(char c) { return is_hex(c) || c == ':'; }

/// The parts between the colons of a word of hexadecimal digits.
struct Parts {
    std::size_t count = 0;  ///< Parts that are not empty.
    std::size_t size_min = kColonWordMax;
    std::size_t size_max = 0;
    std::size_t gaps = 0;  ///< Number of double colons.
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

/// The word around the colon, if separate, without a preceding label as in "ip:fe80::1".
std::string_view lone_word(const Sign& colon, TextRange& span) {
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

/// The end of the IPv4 address whose first octet is this word's last part; 0 if none.
std::size_t ip4_tail_end(std::string_view text, const TextRange& word) {
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

TextRange colon_word(const Sign& colon) {
    const std::string_view text = colon.text;
    TextRange span{colon.place, colon.place + 1};
    while (span.begin > colon.floor && colon.place - span.begin <= kColonWordMax &&
           is_colon_word_byte(text[span.begin - 1])) {
        --span.begin;
    }
    while (span.end < text.size() && span.end - colon.place <= kColonWordMax &&
           is_colon_word_byte(text[span.end])) {
        ++span.end;
    }
    // Excludes the colons of "address: " and before a value.
    while (span.end > colon.place + 1 && text[span.end - 1] == ':' && text[span.end - 2] != ':') {
        --span.end;
    }
    return span;
}

bool is_behind_label(const Sign& colon) {
    const TextRange span = colon_word(colon);
    const Parts parts = parts_of(colon.text.substr(span.begin, span.end - span.begin));
    return parts.count == 2 && parts.gaps == 0;
}

namespace {

/// The end of an address zone, fe80::1%eth0; `place` if none.
std::size_t zone_end(std::string_view text, std::size_t place) {
    constexpr std::size_t kZoneMax = 15;
    if (at(text, place) != '%' || !is_letter(at(text, place + 1))) return place;
    std::size_t end = place + 1;
    while (end - place <= kZoneMax && is_alnum(at(text, end))) ++end;
    return end - place <= kZoneMax ? end : place;
}

}  // namespace

Found find_ip6(const Sign& colon) {
    TextRange span{};
    const std::string_view word = lone_word(colon, span);
    Parts parts = parts_of(word);
    if (!parts.has_digit || parts.size_max > 4) return {};
    // ::ffff:192.0.2.1: the last two parts are written as an IPv4 address.
    const std::size_t tail_end = ip4_tail_end(colon.text, span);
    if (tail_end != 0) {
        ++parts.count;
        span.end = tail_end;
    }
    if (parts.gaps == 0) {
        const bool is_whole = parts.count == 8 && word.front() != ':' && word.back() != ':';
        return is_whole ? Found{TextRange{span.begin, zone_end(colon.text, span.end)}} : Found{};
    }
    if (parts.gaps != 1 || parts.count < 2 || parts.count > 7) return {};
    if (word.find(":::") != std::string_view::npos) return {};
    // Two names joined by two colons usually come from a program.
    const bool is_short_form =
        tail_end != 0 || parts.count >= 3 || (is_hex(word.front()) && word.find(':') >= 3);
    return is_short_form ? Found{TextRange{span.begin, zone_end(colon.text, span.end)}} : Found{};
}

Found find_mac(const Sign& colon) {
    TextRange span{};
    const Parts parts = parts_of(lone_word(colon, span));
    const bool is_mac =
        parts.count == 6 && parts.size_min == 2 && parts.size_max == 2 && parts.gaps == 0;
    return is_mac && span.end - span.begin == 17 ? Found{span} : Found{};
}

namespace {

/// Without leading zeros, or padded to three digits each: 192.168.001.001.
bool are_octets(const Sight& sight) {
    bool is_filled = true;
    for (std::size_t i = 0; i < 4; ++i) {
        if (sight.size(i) > 3 || sight.value(i) > 255) return false;
        is_filled = is_filled && sight.size(i) == 3;
    }
    const auto is_plain = [&](std::size_t i) {
        return sight.size(i) == 1 || sight.digits(i)[0] != '0';
    };
    return is_filled || (is_plain(0) && is_plain(1) && is_plain(2) && is_plain(3));
}

/// Versions of programs have four parts: name/1.2.3.4, name==1.2.3.4, >=1.2.3.4, version 1.2.3.4.
bool is_version(const Sight& sight, std::size_t begin, std::size_t end) {
    const char sign = before(sight.text, begin);
    const char sign_before = before(sight.text, begin - std::min<std::size_t>(begin, 1));
    const bool is_in_path = sign == '/' && sign_before != '/';
    const bool is_pinned = sign == '~' || sign == '^' ||
                           (sign == '=' && std::string_view{"=<>~!^"}.find(sign_before) < 6);
    return is_in_path || is_pinned || sight.has_cue(kVersion) ||
           names_version_behind(sight.text, end);
}

/// Whether all parts are small, as in versions; most addresses have a larger part.
bool is_small(const Sight& sight) {
    constexpr unsigned kSmall = 32;
    for (std::size_t i = 0; i < 4; ++i) {
        if (sight.value(i) >= kSmall) return false;
    }
    return true;
}

/// Whether the surroundings of such a number are typical of addresses.
bool is_among_hosts(const Sight& sight, std::size_t begin, std::size_t end) {
    const std::string_view text = sight.text;
    const char sign = before(text, begin);
    const char next = at(text, end);
    const bool is_alone = begin == 0 || sign == '"' || sign == '\n';
    const bool has_port = (next == ':' || next == '/') && is_digit(at(text, end + 1));
    return is_alone || has_port || std::string_view{"/@[(=:"}.find(sign) < 6 ||
           sight.has_cue(kHost | kColon) ||
           (sight.value(0) == 10 && sight.value(1) == 0 && sight.value(2) == 0) ||
           (sight.value(0) == sight.value(1) && sight.value(0) == sight.value(2));
}

}  // namespace

Found find_ip4(const Sight& sight) {
    if (sight.groups_left() < 4 || sight.size(0) > 3) return {};
    for (std::size_t i = 1; i < 4; ++i) {
        if (sight.sign(i) != '.') return {};
    }
    if (!are_octets(sight)) return {};
    const std::string_view text = sight.text;
    const std::size_t begin = sight.group(0).begin;
    const std::size_t end = sight.group(3).end;
    if (is_tied_left(text, begin) || is_tied_right(text, end)) return {};
    if (is_version(sight, begin, end)) return {};
    if (is_small(sight) && !is_among_hosts(sight, begin, end)) return {};
    // The local machine's address identifies nobody.
    const std::string_view address = text.substr(begin, end - begin);
    if (address == "127.0.0.1" || address == "0.0.0.0") return {};
    return TextRange{begin, end};
}

}  // namespace parlance::personal
