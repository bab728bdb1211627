#include "base/personal/number.h"

#include "base/personal/characters.h"

namespace parlance::personal {

namespace {

constexpr std::size_t kGapMax = 3;

bool is_gap(char c) { return c == ' ' || c == '-' || c == '.' || c == '/' || c == '(' || c == ')'; }

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
        const bool is_fit = gap(i).size() == 1 && signs.find(gap(i)[0]) != std::string_view::npos &&
                            gap(i) == gap(1);
        if (!is_fit) return false;
    }
    return true;
}

std::string Digits::joined(std::size_t last) const {
    std::string out;
    for (std::size_t i = 0; i <= last; ++i) out += digits(i);
    return out;
}

}  // namespace parlance::personal
