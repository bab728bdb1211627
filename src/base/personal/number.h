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
        std::uint32_t size() const { return end - begin; }
    };
    std::array<Group, kGroupsMax> groups;
    std::size_t count = 0;
    std::size_t digit_count = 0;
};

/// Reads the number whose first digit is at `begin`.
void read_number(std::string_view text, std::size_t begin, Number& number);

/// A number inside of its text, from one of its groups on.
struct Digits {
    std::string_view text;
    const Number& number;
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
    /// The sign in that gap: a space for any white space, a dash also between spaces; 0 for more.
    char sign(std::size_t i) const;
    /// Whether the gap leads to another line, or to another column.
    bool is_break(std::size_t i) const;
    unsigned value(std::size_t i) const;
    /// Whether the first groups have just these sizes, and the same sign between each two.
    bool has_sizes(std::string_view sizes, std::string_view signs) const;
    /// All digits of groups 0 to `last`.
    std::string joined(std::size_t last) const;
};

}  // namespace parlance::personal
