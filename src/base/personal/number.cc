#include "base/personal/number.h"

#include <array>

#include "base/personal/characters.h"

namespace parlance::personal {

namespace {

constexpr std::string_view kWhite = " \t\n\r";

constexpr auto kIsGap = [] {
    std::array<bool, 256> bytes{};
    for (const char c : std::string_view{" \t\n\r-./_()"}) {
        bytes[static_cast<unsigned char>(c)] = true;
    }
    return bytes;
}();
bool is_gap(char c) { return kIsGap[static_cast<unsigned char>(c)]; }
bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

char sign_of(std::string_view gap) {
    if (gap.size() == 1) return is_white(gap[0]) ? ' ' : gap[0];
    const std::size_t begin = gap.find_first_not_of(kWhite);
    if (begin == std::string_view::npos) return ' ';
    const bool is_sign = gap[begin] == '-' || gap[begin] == '/';
    return is_sign && gap.find_last_not_of(kWhite) == begin ? gap[begin] : '\0';
}

bool leads_away(std::string_view gap) {
    return gap.find_first_of("\t\n\r") != std::string_view::npos;
}

}  // namespace

void read_number(std::string_view text, std::size_t begin, Number& number) {
    number.count = 0;
    number.digit_count = 0;
    std::string_view gap;
    std::size_t i = begin;
    while (number.count < Number::kGroupsMax) {
        std::size_t end = i;
        while (end < text.size() && is_digit(text[end])) ++end;
        // Most gaps are a single space or dash.
        const bool is_plain = gap.size() == 1 && gap[0] >= ' ';
        number.groups[number.count++] = {
            .begin = static_cast<std::uint32_t>(i),
            .end = static_cast<std::uint32_t>(end),
            .digits_before = static_cast<std::uint32_t>(number.digit_count),
            .sign = is_plain ? gap[0] : sign_of(gap),
            .is_break = !is_plain && leads_away(gap)};
        number.digit_count += end - i;
        i = end;
        while (i - end < kGapMax && is_gap(at(text, i)) && i < text.size()) ++i;
        if (i == end || !is_digit(at(text, i))) return;
        gap = text.substr(end, i - end);
    }
}

bool is_card_gap(char sign) {
    return sign == ' ' || sign == '-' || sign == '.' || sign == '/' || sign == '_';
}

void add_up(std::string_view text, const Number& number, Sums& sums) {
    constexpr std::array<std::uint8_t, 10> kDoubled{0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
    std::array<std::uint32_t, 2> sum{};
    std::size_t place = 0;
    for (std::size_t i = 0; i < number.count; ++i) {
        sums.luhn[i] = sum;
        for (std::size_t at = number.groups[i].begin; at < number.groups[i].end; ++at, ++place) {
            const unsigned digit = digit_of(text[at]);
            sum[place % 2] += digit;
            sum[1 - place % 2] += kDoubled[digit];
        }
    }
    sums.luhn[number.count] = sum;
    for (std::size_t i = number.count; i-- > 0;) {
        const bool goes_on = i + 1 < number.count &&
                             number.groups[i].size() == number.groups[i + 1].size() &&
                             is_card_gap(number.groups[i + 1].sign);
        sums.last_even[i] = goes_on ? sums.last_even[i + 1] : static_cast<std::uint32_t>(i);
    }
}

bool Digits::passes_luhn(std::size_t last) const {
    // The Luhn sum doubles every second digit, starting before the last digit.
    const std::size_t place = group(last).digits_before + size(last) - 1;
    const std::size_t behind = first + last + 1;
    return (sums.luhn[behind][place % 2] - sums.luhn[first][place % 2]) % 10 == 0;
}

unsigned Digits::value(std::size_t i) const {
    unsigned value = 0;
    for (const char c : digits(i).substr(0, 9)) value = value * 10 + digit_of(c);
    return value;
}

bool Digits::has_sizes(std::string_view sizes, std::string_view signs) const {
    if (groups_left() < sizes.size()) return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (size(i) != digit_of(sizes[i])) return false;
        if (i == 0) continue;
        const char between = sign(i);
        if (between != sign(1) || signs.find(between) == std::string_view::npos) return false;
    }
    return true;
}

std::string Digits::joined(std::size_t last) const {
    std::string out;
    for (std::size_t i = 0; i <= last; ++i) out += digits(i);
    return out;
}

}  // namespace parlance::personal
