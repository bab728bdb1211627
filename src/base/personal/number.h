// A number as people write it: groups of digits with gaps between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parlance::personal {

/// Groups in a row with at most a few signs between.
struct Number {
    static constexpr std::size_t kGroupsMax = 48;
    /// The longest searched number has as many groups: a card, digit by digit.
    static constexpr std::size_t kGroupsNeeded = 20;
    struct Group {
        std::uint32_t begin;
        std::uint32_t end;
        std::uint32_t digits_before;  ///< Digits in the preceding groups.
        char sign;                    ///< The gap before the group: see Digits::sign.
        bool is_break;
        std::uint32_t size() const { return end - begin; }
    };
    /// Detectors start at each group, so facts about a gap are computed once.
    std::array<Group, kGroupsMax> groups;
    std::size_t count = 0;
    std::size_t digit_count = 0;
};

/// Reads the number whose first digit is at `begin`.
void read_number(std::string_view text, std::size_t begin, Number& number);

/// Sums for finding cards from any group on, computed once per number.
struct Sums {
    /// Luhn sums of the digits before each group, and of all digits: first with the digits at odd
    /// positions doubled, second with the digits at even positions doubled.
    std::array<std::array<std::uint32_t, 2>, Number::kGroupsMax + 1> luhn;
    /// For each group: the last group of the run, starting there, of equal sizes and card gaps.
    std::array<std::uint32_t, Number::kGroupsMax> last_even;
};
inline constexpr std::size_t kCardDigitsMin = 12;  ///< Shorter numbers have no sums.
void add_up(std::string_view text, const Number& number, Sums& sums);
bool is_card_gap(char sign);

/// A number within its text, from one of its groups on.
struct Digits {
    std::string_view text;
    const Number& number;
    const Sums& sums;  ///< Valid only for numbers long enough for a card.
    std::size_t first;

    std::size_t groups_left() const { return number.count - first; }
    const Number::Group& group(std::size_t i) const { return number.groups[first + i]; }
    std::uint32_t size(std::size_t i) const { return group(i).size(); }
    /// The signs between group i and the preceding group.
    std::string_view gap(std::size_t i) const {
        const std::size_t begin = number.groups[first + i - 1].end;
        return text.substr(begin, group(i).begin - begin);
    }
    std::string_view digits(std::size_t i) const {
        return text.substr(group(i).begin, group(i).size());
    }
    /// The sign in the gap before group i: a space for any white space, a dash or slash also when
    /// between spaces; 0 for longer gaps.
    char sign(std::size_t i) const { return group(i).sign; }
    /// Whether the gap contains a line break or a column break.
    bool is_break(std::size_t i) const { return group(i).is_break; }
    /// The number of digits from the first group on, or up to group `last`.
    std::size_t digits_left() const { return number.digit_count - group(0).digits_before; }
    std::size_t digits_to(std::size_t last) const {
        return group(last).digits_before + size(last) - group(0).digits_before;
    }
    /// Whether other groups of the number precede the first; words then do not.
    bool is_in_row() const { return first > 0; }
    /// Whether the digits of groups 0 to `last` end with their Luhn digit.
    bool passes_luhn(std::size_t last) const;
    unsigned value(std::size_t i) const;
    /// Whether the first groups have exactly these sizes, and the same one of `signs` in each gap.
    bool has_sizes(std::string_view sizes, std::string_view signs) const;
    /// All digits of groups 0 to `last`.
    std::string joined(std::size_t last) const;
};

}  // namespace parlance::personal
