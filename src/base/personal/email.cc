// Findings around an '@': e-mail addresses, and a URL's user and password.
#include <algorithm>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

constexpr std::size_t kLocalMax = 64;
constexpr std::size_t kDomainMax = 253;
constexpr std::size_t kLoginMax = 128;

bool is_label_byte(char c) { return is_alnum(c) || c == '-' || is_beyond_ascii(c); }

/// Further characters that the standard allows usually separate addresses.
bool is_local_byte(char c) {
    return is_alnum(c) || is_beyond_ascii(c) ||
           (c != '\0' && std::string_view{"._%+-'"}.find(c) != std::string_view::npos);
}

/// A name with spaces is quoted: "Ana Oduya"@example.org.
std::size_t quoted_begin(const Sign& at_sign) {
    const std::size_t close = at_sign.place - 1;
    const std::size_t floor = std::max(at_sign.floor, close - std::min(close, kLocalMax));
    std::size_t begin = close;
    while (begin > floor &&
           (at_sign.text[begin - 1] == ' ' || is_local_byte(at_sign.text[begin - 1]))) {
        --begin;
    }
    const bool is_quoted = begin < close && begin > at_sign.floor && at_sign.text[begin - 1] == '"';
    return is_quoted ? begin - 1 : at_sign.place;
}

/// The bytes with which names of people and programs begin.
bool is_local_begin(char c) { return is_alnum(c) || is_beyond_ascii(c) || c == '_' || c == '+'; }

/// The end of the domain that begins here; nothing if none.
std::optional<std::size_t> domain_end(std::string_view text, std::size_t begin) {
    std::size_t label = begin;
    std::size_t labels = 0;
    std::size_t numbers = 0;
    std::size_t end = begin;
    bool is_last_a_word = false;
    while (end - begin < kDomainMax) {
        std::size_t i = label;
        while (i - begin < kDomainMax && is_label_byte(at(text, i))) ++i;
        while (i > label && text[i - 1] == '-') --i;
        if (i == label || text[label] == '-') break;
        const std::string_view written = text.substr(label, i - label);
        ++labels;
        numbers += std::ranges::all_of(written, is_digit) ? 1U : 0U;
        is_last_a_word = written.size() >= 2 && !is_digit(written[0]) && !is_digit(written[1]);
        end = i;
        if (at(text, i) != '.' || !is_label_byte(at(text, i + 1))) break;
        label = i + 1;
    }
    // name@1.2.3-beta is a version of a package.
    if (labels < 2 || !is_last_a_word || numbers > 1) return {};
    return end;
}

/// picture@2x.png.
bool is_scale(std::string_view text, std::size_t begin) {
    return is_digit(at(text, begin)) && at(text, begin + 1) == 'x' && at(text, begin + 2) == '.';
}

}  // namespace

Found find_email(const Sign& at_sign) {
    const std::string_view text = at_sign.text;
    std::size_t begin = at_sign.place;
    while (begin > at_sign.floor && at_sign.place - begin < kLocalMax &&
           is_local_byte(text[begin - 1])) {
        --begin;
    }
    while (begin < at_sign.place && !is_local_begin(text[begin])) ++begin;
    if (before(text, at_sign.place) == '"') begin = quoted_begin(at_sign);
    if (begin == at_sign.place || text[at_sign.place - 1] == '.') return {};
    const auto end = domain_end(text, at_sign.place + 1);
    if (!end || is_scale(text, at_sign.place + 1)) return {};
    // _ana@example.org_ is emphasis.
    if (at(text, *end) == '_' && text[begin] == '_' && begin + 1 < at_sign.place) ++begin;
    // A name shared by all users of a service identifies nobody.
    if (text.substr(begin, at_sign.place - begin) == "git") return {};
    return TextRange{begin, *end};
}

Found find_login(const Sign& at_sign) {
    const std::string_view text = at_sign.text;
    std::size_t begin = at_sign.place;
    bool has_colon = false;
    while (begin > at_sign.floor && at_sign.place - begin < kLoginMax) {
        const char c = text[begin - 1];
        if (std::string_view{"/ @\"\n]"}.find(c) != std::string_view::npos) break;
        has_colon = has_colon || c == ':';
        --begin;
    }
    const bool is_in_url = begin >= 3 && text.substr(begin - 3, 3) == "://";
    const bool has_host =
        is_label_byte(at(text, at_sign.place + 1)) || at(text, at_sign.place + 1) == '[';
    if (!is_in_url || !has_colon || !has_host || begin == at_sign.place) return {};
    if (placeholder_ends(text, at_sign.place)) return {};
    return TextRange{begin, at_sign.place};
}

}  // namespace parlance::personal
