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

}  // namespace

void read_number(std::string_view text, std::size_t begin, Number& number) {
    number.count = 0;
    number.digit_count = 0;
    std::size_t i = begin;
    while (number.count < Number::kGroupsMax) {
        std::size_t end = i;
        while (end < text.size() && is_digit(text[end])) ++end;
        number.groups[number.count++] = {static_cast<std::uint32_t>(i),
                                         static_cast<std::uint32_t>(end)};
        number.digit_count += end - i;
        i = end;
        while (i - end < kGapMax && is_gap(at(text, i)) && i < text.size()) ++i;
        if (i == end || !is_digit(at(text, i))) return;
    }
}

char Digits::sign(std::size_t i) const {
    const std::string_view written = gap(i);
    if (written.size() == 1) {
        const char c = written[0];
        return c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    }
    const std::size_t begin = written.find_first_not_of(kWhite);
    if (begin == std::string_view::npos) return ' ';
    const bool is_dash = written[begin] == '-' && written.find_last_not_of(kWhite) == begin;
    return is_dash ? '-' : '\0';
}

bool Digits::is_break(std::size_t i) const {
    return gap(i).find_first_of("\t\n\r") != std::string_view::npos;
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
