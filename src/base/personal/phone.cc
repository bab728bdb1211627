// Telephone numbers. Some have a form that nothing else has; any other digits are one only where
// the words around say so.
#include <algorithm>
#include <array>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

/// E.164 has at most fifteen digits; the shortest in use have six.
constexpr std::size_t kDigitsMax = 15;
constexpr std::size_t kDigitsMin = 6;
constexpr std::size_t kExtensionMax = 6;
/// A group of so many is the rest of its number.
constexpr std::size_t kGroupMax = 9;

/// Behind "x123" or " ext. 123", if one follows; else where it was asked.
std::size_t extension_end(std::string_view text, std::size_t place) {
    std::size_t i = place;
    if (at(text, i) == ' ') ++i;
    if (text.substr(std::min(i, text.size()), 3) == "ext") {
        i += 3;
        if (at(text, i) == '.') ++i;
        if (at(text, i) == ' ') ++i;
    } else if (lower(at(text, i)) == 'x') {
        ++i;
    } else {
        return place;
    }
    std::size_t end = i;
    while (end - i <= kExtensionMax && is_digit(at(text, end))) ++end;
    const bool is_extension = end > i && end - i <= kExtensionMax && !is_glued_right(text, end);
    return is_extension ? end : place;
}

/// The groups that could be one telephone number.
struct Candidate {
    std::size_t begin;  ///< With the sign or parenthesis before the first group.
    std::size_t last;   ///< Its last group.
    std::size_t digits;
    std::size_t end;  ///< With its extension.
    bool has_plus;
    bool has_parenthesis;  ///< Around the first group.
    bool has_extension;
};

bool is_phone_gap(const Sight& sight, std::size_t i) {
    constexpr std::array<std::string_view, 5> kAroundParentheses{") ", " (", ")-", "-(", ") ("};
    return sight.sign(i) != '\0' ||
           std::ranges::find(kAroundParentheses, sight.gap(i)) != kAroundParentheses.end();
}

/// The last group of as many as fit; it may belong to a word that follows ("40th").
std::size_t widest(const Sight& sight) {
    std::size_t last = 0;
    std::size_t digits = sight.size(0);
    while (last + 1 < sight.groups_left() && sight.size(last) < kGroupMax &&
           is_phone_gap(sight, last + 1) && digits + sight.size(last + 1) <= kDigitsMax) {
        digits += sight.size(++last);
    }
    const std::size_t end = sight.group(last).end;
    const bool is_of_next_word = last > 0 && sight.gap(last) == " " &&
                                 is_glued_right(sight.text, end) &&
                                 extension_end(sight.text, end) == end;
    return is_of_next_word ? last - 1 : last;
}

/// The groups up to `last`.
Candidate candidate(const Sight& sight, std::size_t last) {
    const std::string_view text = sight.text;
    const std::size_t digits_end = sight.group(last).end;
    Candidate found{.begin = sight.group(0).begin,
                    .last = last,
                    .digits = sight.digits_to(last),
                    .end = extension_end(text, digits_end),
                    .has_plus = false,
                    .has_parenthesis = false,
                    .has_extension = false};
    found.has_extension = found.end != digits_end;
    found.has_parenthesis = before(text, found.begin) == '(' && last > 0 &&
                            sight.gap(1).starts_with(')') && found.begin > sight.floor();
    if (found.has_parenthesis) --found.begin;
    found.has_plus = before(text, found.begin) == '+' && found.begin > sight.floor();
    if (found.has_plus) --found.begin;
    return found;
}

/// Whether all gaps between the groups from `from` on are one of these signs, in one line.
bool has_gaps(const Sight& sight,
              const Candidate& found,
              std::size_t from,
              std::string_view signs) {
    for (std::size_t i = from; i <= found.last; ++i) {
        if (sight.is_break(i) || signs.find(sight.sign(i)) == std::string_view::npos) return false;
    }
    return true;
}

bool is_international(const Sight& sight, const Candidate& found) {
    if (found.has_plus)
        return found.digits >= (found.last > 0 ? 8U : 10U) && sight.digits(0)[0] != '0';
    const bool has_prefix =
        sight.digits(0).starts_with("00") && sight.size(0) <= 5 && found.last >= 2;
    return has_prefix && found.digits >= 10;
}

/// (555) 123-4567, (03) 5327 5996.
bool is_parenthesised(const Sight& sight, const Candidate& found) {
    return found.has_parenthesis && sight.size(0) >= 2 && sight.size(0) <= 5 && found.digits >= 7 &&
           found.digits <= 12 && sight.size(found.last) >= 2;
}

/// 555-123-4567 with or without a 1 before it. With spaces between, it must be one that exists.
bool is_north_american(const Sight& sight, const Candidate& found) {
    const std::size_t head = sight.size(0) == 1 && sight.digits(0) == "1" ? 1 : 0;
    const bool is_grouped = found.last == head + 2 && sight.size(head) == 3 &&
                            sight.size(head + 1) == 3 && sight.size(head + 2) == 4;
    if (!is_grouped) return false;
    const auto is_code = [&](std::size_t i) { return sight.digits(i)[0] >= '2'; };
    if (has_gaps(sight, found, 1, "-.")) return true;
    return has_gaps(sight, found, 1, "-. /_") && is_code(head) && is_code(head + 1);
}

/// 0431 19 97 94: the zero that is dialled inside of a country.
bool has_trunk_zero(const Sight& sight, const Candidate& found) {
    const bool is_long_enough = found.digits >= 9 && found.digits <= 12 && found.last > 0;
    if (!is_long_enough || sight.digits(0)[0] != '0' || sight.size(0) < 2 || sight.size(0) > 5 ||
        !has_gaps(sight, found, 1, " -./_")) {
        return false;
    }
    if (sight.has_sizes("324", "- ./_")) return false;  // An American number of another kind.
    bool has_decimal_digit = false;                     // 0101 0110 is something else.
    for (std::size_t i = 0; i <= found.last; ++i) {
        if (sight.size(i) < 2) return false;
        has_decimal_digit = has_decimal_digit ||
                            std::ranges::any_of(sight.digits(i), [](char c) { return c > '1'; });
    }
    return has_decimal_digit;
}

/// The tail of a longer row of groups, as in 3704 0044 0532 0130.
bool is_in_row(const Sight& sight, const Candidate& found) {
    return sight.first > 0 && found.last > 0 && !found.has_plus && !found.has_parenthesis &&
           sight.sign(0) == sight.sign(1);
}

bool has_phone_form(const Sight& sight, const Candidate& found) {
    if (is_in_row(sight, found)) return false;
    return (found.has_extension && found.digits >= 10) || is_international(sight, found) ||
           is_parenthesised(sight, found) || is_north_american(sight, found) ||
           has_trunk_zero(sight, found);
}

/// Whether nothing else begins before it or goes on behind it.
bool is_apart(const Sight& sight, const Candidate& found) {
    const std::string_view text = sight.text;
    const char sign = before(text, found.begin);
    const bool is_in_path = sign == '/' && !found.has_plus;
    if (is_in_path || sign == '$' || !sight.is_apart_left(found.begin, kPhone | kCall))
        return false;
    const bool is_before_word = (found.has_plus || found.last > 0) &&
                                is_letter(at(text, found.end)) && ends_word(text, found.end);
    return (!is_tied_right(text, found.end) || is_before_word) && at(text, found.end) != '%';
}

/// How many digits a telephone may have whose form begins with this group, extensions aside.
struct FormDigits {
    std::size_t least = kDigitsMax;
    std::size_t most = 0;
    void add(std::size_t from, std::size_t to) {
        least = std::min(least, from);
        most = std::max(most, to);
    }
    bool has(std::size_t digits) const { return digits >= least && digits <= most; }
};

FormDigits form_digits(const Sight& sight) {
    FormDigits digits;
    const char sign = before(sight.text, sight.group(0).begin);
    if (sign == '(' || sign == '+' || sight.digits(0).starts_with("00")) digits.add(7, kDigitsMax);
    if (sight.digits(0)[0] == '0' && sight.size(0) >= 2) digits.add(9, 12);
    const bool is_north_american =
        sight.size(0) == 3 || (sight.groups_left() > 3 && sight.size(1) == 3);
    if (is_north_american) digits.add(10, 11);
    return digits;
}

/// A whole number that others follow: 555-123-4567 555-123-4568.
Found find_first_of_many(const Sight& sight, std::size_t last, const FormDigits& digits) {
    while (last-- > 1) {
        if (sight.digits_to(last) < digits.least) return {};
        if (sight.sign(last + 1) == sight.sign(last) || !digits.has(sight.digits_to(last)))
            continue;
        const Candidate found = candidate(sight, last);
        if (is_apart(sight, found) && has_phone_form(sight, found)) {
            return Span{found.begin, found.end};
        }
    }
    return {};
}

/// How many groups stand in one line.
std::size_t last_in_line(const Sight& sight, std::size_t last) {
    for (std::size_t i = 1; i <= last; ++i) {
        if (sight.is_break(i)) return i - 1;
    }
    return last;
}

/// Whether no word can say of groups up to this one, or up to one before it, that they are a
/// telephone's: what stands before and behind them are others of the same number.
bool is_wordless(const Sight& sight, std::size_t last) {
    return sight.is_in_row() && last + 1 < sight.groups_left() &&
           !sight.is_labelled(kPhone | kCall);
}

/// Whether nothing can be found from this group on, which others of the same number stand before:
/// most groups of a text that is full of them.
bool is_lost_in_row(const Sight& sight) {
    const std::size_t begin = sight.group(0).begin;
    if (!sight.is_in_row() || before(sight.text, begin) == '(') return false;
    // Where no word says so, it is a form; with one sign between all, no form counts.
    const bool is_unsaid = sight.digits_left() > kDigitsMax && !sight.is_labelled(kPhone | kCall);
    const bool has_one_sign = sight.groups_left() > 1 && sight.sign(0) == sight.sign(1);
    if (is_unsaid && (has_one_sign || form_digits(sight).most == 0)) return true;
    return !sight.is_apart_left(begin, kPhone | kCall);
}

}  // namespace

Found find_phone(const Sight& sight) {
    if (is_lost_in_row(sight)) return {};
    const std::size_t last = widest(sight);
    const Candidate found = candidate(sight, last);
    if (found.digits < kDigitsMin || found.digits > kDigitsMax) return {};
    const FormDigits digits = form_digits(sight);
    const bool may_have_form = found.has_extension || digits.has(found.digits);
    if (may_have_form && is_apart(sight, found) && has_phone_form(sight, found)) {
        return Span{found.begin, found.end};
    }
    if (const auto first = find_first_of_many(sight, last, digits)) return first;
    if (is_wordless(sight, last)) return {};

    const Candidate line = candidate(sight, last_in_line(sight, last));
    if (line.digits < kDigitsMin) return {};
    const bool is_named_behind = names_phone_behind(sight.text, line.end) &&
                                 sight.is_apart_left(line.begin, kPhone | kCall) &&
                                 before(sight.text, line.begin) != '/' &&
                                 before(sight.text, line.begin) != '$';
    const bool is_phone =
        is_named_behind || (is_apart(sight, line) && sight.has_cue(kPhone | kCall));
    return is_phone ? Found{Span{line.begin, line.end}} : Found{};
}

}  // namespace parlance::personal
