// Dates, and which of them are of birth.
#include <algorithm>
#include <array>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

constexpr unsigned kYearMin = 1850;
constexpr unsigned kYearMax = 2150;

bool is_year(const Sight& sight, std::size_t i) {
    return sight.size(i) == 4 && sight.value(i) >= kYearMin && sight.value(i) <= kYearMax;
}

bool is_day_of_month(const Sight& sight, std::size_t i) {
    return sight.size(i) <= 2 && sight.value(i) >= 1 && sight.value(i) <= 31;
}

/// A day and a month in either order.
bool is_day_and_month(const Sight& sight, std::size_t i) {
    return is_day_of_month(sight, i) && is_day_of_month(sight, i + 1) &&
           std::min(sight.value(i), sight.value(i + 1)) <= 12;
}

/// 1980-02-25, 25.2.1980, 2/25/80.
Found find_numeric(const Sight& sight, std::string_view signs) {
    if (sight.groups_left() < 3) return {};
    const bool is_sized = sight.size(0) <= 4 && sight.size(1) <= 2 &&
                          (sight.size(2) == 2 || sight.size(2) == 4 || sight.size(0) == 4);
    if (!is_sized) return {};
    const char sign = sight.sign(1);
    const bool is_divided = signs.find(sign) != std::string_view::npos && sight.sign(2) == sign;
    const bool goes_on = sight.groups_left() > 3 && sight.sign(3) == sign && sign != ' ';
    if (!is_divided || goes_on) return {};
    const bool begins_with_year = is_year(sight, 0) && is_day_and_month(sight, 1);
    const bool ends_with_year =
        is_day_and_month(sight, 0) && (is_year(sight, 2) || sight.size(2) == 2);
    if (!begins_with_year && !ends_with_year) return {};
    return Span{sight.group(0).begin, sight.group(2).end};
}

/// 19800225.
Found find_packed(const Sight& sight) {
    if (sight.size(0) != 8) return {};
    const std::string_view digits = sight.digits(0);
    const auto part = [&](std::size_t begin, std::size_t size) {
        unsigned value = 0;
        for (const char c : digits.substr(begin, size)) value = value * 10 + digit_of(c);
        return value;
    };
    const bool is_date = part(0, 4) >= kYearMin && part(0, 4) <= kYearMax && part(4, 2) >= 1 &&
                         part(4, 2) <= 12 && part(6, 2) >= 1 && part(6, 2) <= 31;
    return is_date ? Found{Span{sight.group(0).begin, sight.group(0).end}} : Found{};
}

constexpr std::array<std::string_view, 12> kMonths{
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::size_t kMonthBytesMax = 9;

bool is_month(std::string_view word) {
    if (word.size() < 3 || word.size() > kMonthBytesMax) return false;
    const std::array<char, 3> head{lower(word[0]), lower(word[1]), lower(word[2])};
    return std::ranges::find(kMonths, std::string_view{head.data(), 3}) != kMonths.end();
}

/// Behind the letters that follow here.
std::size_t word_end(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end - begin <= kMonthBytesMax && is_letter(at(text, end))) ++end;
    return end;
}

std::size_t skip_signs(std::string_view text, std::size_t place) {
    const auto is_sign = [](char c) {
        return c == ' ' || c == ',' || c == '.' || c == '-' || c == '/' || c == '_' || c == '\t' ||
               c == '\n';
    };
    std::size_t i = place;
    while (i - place < 3 && is_sign(at(text, i))) ++i;
    return i;
}

/// Behind four digits that are a year; nothing if there are none.
std::optional<std::size_t> year_end(std::string_view text, std::size_t begin) {
    unsigned value = 0;
    std::size_t end = begin;
    while (end - begin < 4 && is_digit(at(text, end))) value = value * 10 + digit_of(text[end++]);
    const bool is_year_there = value >= kYearMin && value <= kYearMax && !is_glued_right(text, end);
    return is_year_there ? std::optional{end} : std::nullopt;
}

/// Behind "st", "nd", "rd" or "th", if one follows.
std::size_t skip_ordinal(std::string_view text, std::size_t place) {
    const std::size_t end = word_end(text, place);
    return end - place == 2 ? end : place;
}

/// 25 February 1980, 25th of Feb. 1980.
Found find_day_first(const Sight& sight) {
    const std::string_view text = sight.text;
    std::size_t i = skip_signs(text, skip_ordinal(text, sight.group(0).end));
    std::size_t end = word_end(text, i);
    if (text.substr(i, end - i) == "of") {
        i = skip_signs(text, end);
        end = word_end(text, i);
    }
    if (!is_month(text.substr(i, end - i))) return {};
    const auto last = year_end(text, skip_signs(text, end));
    return last ? Found{Span{sight.group(0).begin, *last}} : Found{};
}

/// February 25, 1980; Feb. 25th 1980.
Found find_month_first(const Sight& sight) {
    const std::string_view text = sight.text;
    std::size_t end = sight.group(0).begin;
    while (end > sight.floor() && (text[end - 1] == ' ' || text[end - 1] == '.') &&
           sight.group(0).begin - end < 2) {
        --end;
    }
    std::size_t begin = end;
    while (begin > sight.floor() && end - begin <= kMonthBytesMax && is_letter(text[begin - 1])) {
        --begin;
    }
    if (begin == end || !is_month(text.substr(begin, end - begin))) return {};
    const auto last = year_end(text, skip_signs(text, skip_ordinal(text, sight.group(0).end)));
    return last ? Found{Span{begin, *last}} : Found{};
}

Found find_with_month(const Sight& sight) {
    if (sight.size(0) > 2 || !is_day_of_month(sight, 0)) return {};
    const auto found = find_day_first(sight);
    return found ? found : find_month_first(sight);
}

}  // namespace

Found find_date(const Sight& sight) {
    const auto found = find_numeric(sight, "-./_");
    if (!found || sight.gap(1).size() > 1 || is_tied_left(sight.text, found->begin)) return {};
    return found;
}

Found find_birth_date(const Sight& sight) {
    // Inside of a row of groups there is no word before it.
    if (sight.is_in_row() && !sight.is_labelled(kBirth)) return {};
    const std::string_view text = sight.text;
    auto found = find_numeric(sight, "-./_ ");
    if (!found) found = find_packed(sight);
    if (!found) found = find_with_month(sight);
    if (!found) return {};
    const bool has_time = lower(at(text, found->end)) == 't' && is_digit(at(text, found->end + 1));
    if (!has_time && at(text, found->end) != '_' && !ends_word(text, found->end)) return {};
    const bool is_apart =
        !is_tied_left(text, found->begin) ||
        (!continues_left(text, found->begin) && (cues_before(text, found->begin) & kBirth) != 0);
    const bool is_birth =
        is_apart && (sight.is_labelled(kBirth) || is_birth_before(text, found->begin));
    return is_birth ? found : Found{};
}

}  // namespace parlance::personal
