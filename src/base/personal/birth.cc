// Dates, and dates of birth among them.
#include <algorithm>
#include <array>
#include <cstdint>

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

bool is_date_with_year(const Sight& sight) {
    return (is_year(sight, 0) && is_day_and_month(sight, 1)) ||
           (is_day_and_month(sight, 0) && is_year(sight, 2));
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
    const bool is_short = is_day_and_month(sight, 0) && sight.size(2) == 2;
    if (!is_short && !is_date_with_year(sight)) return {};
    return TextRange{sight.group(0).begin, sight.group(2).end};
}

/// Offsets of the year, and of day and month in either order, in eight digits.
struct Packing {
    std::size_t year;
    std::size_t first;
    std::size_t second;
};
constexpr std::array kPackings{Packing{0, 4, 6}, Packing{4, 0, 2}};

/// 19800225, 25021980.
Found find_packed(const Sight& sight) {
    if (sight.size(0) != 8) return {};
    const std::string_view digits = sight.digits(0);
    const auto part = [&](std::size_t begin, std::size_t size) {
        unsigned value = 0;
        for (const char c : digits.substr(begin, size)) value = value * 10 + digit_of(c);
        return value;
    };
    const bool is_date = std::ranges::any_of(kPackings, [&](const Packing& packing) {
        const unsigned year = part(packing.year, 4);
        const unsigned less = std::min(part(packing.first, 2), part(packing.second, 2));
        const unsigned more = std::max(part(packing.first, 2), part(packing.second, 2));
        return year >= kYearMin && year <= kYearMax && less >= 1 && less <= 12 && more <= 31;
    });
    return is_date ? Found{TextRange{sight.group(0).begin, sight.group(0).end}} : Found{};
}

/// The first three bytes of month names in the most written languages.
constexpr std::string_view kMonths =
    "jan feb mar apr may jun jul aug sep oct nov dec "
    "m\xC3\xA4 mrz mai okt dez f\xC3\xA9 fev avr jui ao\xC3 d\xC3\xA9 "
    "ene abr ago dic gen mag giu lug set ott out maj ";
constexpr std::size_t kMonthBytesMax = 11;

constexpr std::uint32_t head_of(std::string_view word) {
    std::uint32_t head = 0;
    for (const char c : word.substr(0, 3)) head = head << 8U | static_cast<unsigned char>(lower(c));
    return head;
}

constexpr auto kMonthHeads = [] {
    std::array<std::uint32_t, kMonths.size() / 4> heads{};
    for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = head_of(kMonths.substr(4 * i, 3));
    return heads;
}();

bool is_month(std::string_view word) {
    if (word.size() < 3 || word.size() > kMonthBytesMax) return false;
    const std::uint32_t head = head_of(word);
    bool is_one = false;
    for (const std::uint32_t month : kMonthHeads) is_one |= month == head;
    return is_one;
}

bool is_month_byte(char c) { return is_letter(c) || is_beyond_ascii(c); }

/// The end of the letters that begin here.
std::size_t word_end(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end - begin <= kMonthBytesMax && is_month_byte(at(text, end))) ++end;
    return end;
}

std::size_t skip_signs(std::string_view text, std::size_t place) {
    constexpr std::string_view kSigns = " ,.-/_\t\n'";
    std::size_t i = place;
    while (i - place < 3 && i < text.size() && kSigns.find(text[i]) != std::string_view::npos) ++i;
    return i;
}

/// Skips "of", "de" and the like.
std::size_t skip_of(std::string_view text, std::size_t place) {
    constexpr std::array<std::string_view, 4> kOf{"of", "de", "del", "di"};
    const char first = lower(at(text, place));
    if (first != 'o' && first != 'd') return place;
    const std::size_t end = word_end(text, place);
    const bool is_of = std::ranges::any_of(kOf, [&](std::string_view of) {
        return std::ranges::equal(of, text.substr(place, end - place), {}, {}, lower);
    });
    return is_of ? skip_signs(text, end) : place;
}

/// The end of a year of four or two digits; nothing if none begins here.
std::optional<std::size_t> year_end(std::string_view text, std::size_t begin) {
    unsigned value = 0;
    std::size_t end = begin;
    while (end - begin <= 4 && is_digit(at(text, end))) value = value * 10 + digit_of(text[end++]);
    const bool is_whole = end - begin == 4 && value >= kYearMin && value <= kYearMax;
    // 25-Jul-94, 6 Jun '76; in 25 Jul 10:30 the two digits are an hour.
    const bool is_short = end - begin == 2 && at(text, end) != ':';
    const bool is_year_there = (is_whole || is_short) && !is_glued_right(text, end);
    return is_year_there ? std::optional{end} : std::nullopt;
}

/// Skips "st", "nd", "rd" or "th".
std::size_t skip_ordinal(std::string_view text, std::size_t place) {
    const std::size_t end = word_end(text, place);
    return end - place == 2 ? end : place;
}

/// The end of the month name after a few signs; 0 if none follows.
std::size_t month_end(std::string_view text, std::size_t place) {
    std::size_t begin = skip_signs(text, place);
    if (!is_month_byte(at(text, begin))) return 0;
    begin = skip_of(text, begin);
    const std::size_t end = word_end(text, begin);
    return begin < text.size() && is_month(text.substr(begin, end - begin)) ? end : 0;
}

/// 25 February 1980, 25th of Feb. 1980, 25 de febrero de 1980.
Found find_day_first(const Sight& sight) {
    const std::string_view text = sight.text;
    const std::size_t end = month_end(text, skip_ordinal(text, sight.group(0).end));
    if (end == 0) return {};
    const auto last = year_end(text, skip_of(text, skip_signs(text, end)));
    return last ? Found{TextRange{sight.group(0).begin, *last}} : Found{};
}

/// 1990 Dec 17.
Found find_year_first(const Sight& sight) {
    const std::string_view text = sight.text;
    const std::size_t month = month_end(text, sight.group(0).end);
    if (month == 0) return {};
    const std::size_t day = skip_signs(text, month);
    std::size_t end = day;
    while (end - day < 2 && is_digit(at(text, end))) ++end;
    if (end == day || is_glued_right(text, end)) return {};
    return TextRange{sight.group(0).begin, end};
}

/// The begin of the month name right before the number; the number's begin if none.
std::size_t month_begin(const Sight& sight) {
    const std::string_view text = sight.text;
    const std::size_t digits = sight.group(0).begin;
    std::size_t end = digits;
    while (end > sight.floor() && (text[end - 1] == ' ' || text[end - 1] == '.') &&
           digits - end < 2) {
        --end;
    }
    std::size_t begin = end;
    while (begin > sight.floor() && end - begin <= kMonthBytesMax && is_month_byte(text[begin - 1]))
        --begin;
    return begin < end && is_month(text.substr(begin, end - begin)) ? begin : digits;
}

/// February 25, 1980; Feb. 25th 1980.
Found find_month_first(const Sight& sight) {
    const std::string_view text = sight.text;
    const std::size_t begin = month_begin(sight);
    if (begin == sight.group(0).begin) return {};
    const auto last = year_end(text, skip_signs(text, skip_ordinal(text, sight.group(0).end)));
    return last ? Found{TextRange{begin, *last}} : Found{};
}

Found find_with_month(const Sight& sight) {
    if (is_year(sight, 0)) {
        if (const auto found = find_year_first(sight)) return found;
        // January 1948.
        const std::size_t begin = month_begin(sight);
        return begin < sight.group(0).begin ? Found{TextRange{begin, sight.group(0).end}} : Found{};
    }
    if (!is_day_of_month(sight, 0)) return {};
    const auto found = find_day_first(sight);
    return found ? found : find_month_first(sight);
}

/// The end of a time of day attached to a date, T00:00:00Z; `place` if none.
std::size_t time_end(std::string_view text, std::size_t place) {
    constexpr std::size_t kTimeMax = 24;
    if (lower(at(text, place)) != 't' || !is_digit(at(text, place + 1))) return place;
    std::size_t end = place + 1;
    const auto is_of_time = [&](char c) {
        return is_digit(c) ||
               ((c == ':' || c == '.' || c == '+' || c == '-') && is_digit(at(text, end + 1)));
    };
    while (end - place < kTimeMax && is_of_time(at(text, end))) ++end;
    return lower(at(text, end)) == 'z' ? end + 1 : end;
}

constexpr std::array<std::string_view, 7> kWeekdays{
    "mon", "tue", "wed", "thu", "fri", "sat", "sun"};

/// The begin of a weekday before a date: Monday, February 25, 1980.
std::size_t weekday_begin(const Sight& sight, std::size_t begin) {
    constexpr std::size_t kWeekdayBytesMax = 9;
    const std::string_view text = sight.text;
    std::size_t end = begin;
    while (end > sight.floor() && begin - end < 2 &&
           (text[end - 1] == ' ' || text[end - 1] == ',')) {
        --end;
    }
    std::size_t word = end;
    while (word > sight.floor() && end - word <= kWeekdayBytesMax && is_letter(text[word - 1]))
        --word;
    const std::string_view written = text.substr(word, end - word);
    const bool is_weekday =
        end < begin && std::ranges::any_of(kWeekdays, [&](std::string_view day) {
            return std::ranges::equal(day, written.substr(0, 3), {}, {}, lower) &&
                   (written.size() == 3 || lower(written.back()) == 'y');
        });
    return is_weekday ? word : begin;
}

}  // namespace

Found find_date(const Sight& sight) {
    const auto found = find_numeric(sight, "-./_");
    if (!found || sight.gap(1).size() > 1 || is_tied_left(sight.text, found->begin)) return {};
    return found;
}

bool begins_with_date(const Sight& sight) {
    return sight.groups_left() >= 3 && is_date_with_year(sight);
}

Found find_birth_date(const Sight& sight) {
    // A later group of a number has digits, not words, before it.
    if (sight.is_in_row() && !sight.is_labelled(kBirth)) return {};
    const std::string_view text = sight.text;
    auto found = find_numeric(sight, "-./_ ");
    if (!found) found = find_packed(sight);
    if (!found) found = find_with_month(sight);
    if (!found) return {};
    const std::size_t end = time_end(text, found->end);
    if (end == found->end && at(text, end) != '_' && !ends_word(text, end)) return {};
    const bool is_apart =
        !is_tied_left(text, found->begin) ||
        (!continues_left(text, found->begin) && (cues_before(text, found->begin) & kBirth) != 0);
    const std::size_t begin = weekday_begin(sight, found->begin);
    const bool is_birth = is_apart && (sight.is_labelled(kBirth) || is_birth_before(text, begin) ||
                                       (cues_behind(text, end) & kBirth) != 0);
    return is_birth ? Found{TextRange{begin, end}} : Found{};
}

}  // namespace parlance::personal
