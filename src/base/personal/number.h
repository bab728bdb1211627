// A number as people write it: groups of digits with something between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parlance::personal {

/// Groups that stand in one line with at most a few signs between them.
struct Number {
    static constexpr std::size_t kGroupsMax = 48;
    /// No number that anybody looks for has more: a card, digit by digit.
    static constexpr std::size_t kGroupsNeeded = 20;
    struct Group {
        std::uint32_t begin;
        std::uint32_t end;
        std::uint32_t digits_before;  ///< In the groups before it.
        char sign;                    ///< Between it and the group before: see Digits::sign.
        bool is_break;
        std::uint32_t size() const { return end - begin; }
    };
    /// They are looked at from each group on, so that nothing about a gap is found out twice.
    std::array<Group, kGroupsMax> groups;
    std::size_t count = 0;
    std::size_t digit_count = 0;
};

/// Reads the number whose first digit is at `begin`.
void read_number(std::string_view text, std::size_t begin, Number& number);

/// What finding cards in a number takes from each of its groups on, added up once.
struct Sums {
    /// Of the digits before each group, and of all: as the Luhn check adds them, with those doubled
    /// that have an odd place in the number, and with the others.
    std::array<std::array<std::uint32_t, 2>, Number::kGroupsMax + 1> luhn;
    /// The last of the groups, from each on, that are of one size and have a card's gaps between.
    std::array<std::uint32_t, Number::kGroupsMax> last_even;
};
inline constexpr std::size_t kCardDigitsMin = 12;  ///< Shorter ones are not added up.
void add_up(std::string_view text, const Number& number, Sums& sums);
bool is_card_gap(char sign);

/// A number inside of its text, from one of its groups on.
struct Digits {
    std::string_view text;
    const Number& number;
    const Sums& sums;  ///< Only of numbers that are long enough for a card.
    std::size_t first;

    std::size_t groups_left() const { return number.count - first; }
    const Number::Group& group(std::size_t i) const { return number.groups[first + i]; }
    std::uint32_t size(std::size_t i) const { return group(i).size(); }
    /// The signs between group i and the one before it.
    std::string_view gap(std::size_t i) const {
        const std::size_t begin = number.groups[first + i - 1].end;
        return text.substr(begin, group(i).begin - begin);
    }
    std::string_view digits(std::size_t i) const {
        return text.substr(group(i).begin, group(i).size());
    }
    /// The sign in that gap: a space for any white space, a dash or slash also between spaces; 0
    /// for more.
    char sign(std::size_t i) const { return group(i).sign; }
    /// Whether the gap leads to another line, or to another column.
    bool is_break(std::size_t i) const { return group(i).is_break; }
    /// How many digits there are from the first group on, and in the groups up to `last`.
    std::size_t digits_left() const { return number.digit_count - group(0).digits_before; }
    std::size_t digits_to(std::size_t last) const {
        return group(last).digits_before + size(last) - group(0).digits_before;
    }
    /// Whether other groups of the number stand before the first: no word does, then.
    bool is_in_row() const { return first > 0; }
    /// Whether the digits of groups 0 to `last` end with their Luhn digit.
    bool passes_luhn(std::size_t last) const;
    unsigned value(std::size_t i) const;
    /// Whether the first groups have just these sizes, and the same sign between each two.
    bool has_sizes(std::string_view sizes, std::string_view signs) const;
    /// All digits of groups 0 to `last`.
    std::string joined(std::size_t last) const;
};

}  // namespace parlance::personal
