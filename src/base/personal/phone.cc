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

bool is_phone_gap(std::string_view gap) {
    return gap.size() == 1 || gap == ") " || gap == " (" || gap == ")-" || gap == " - " ||
           gap == "-(" || gap == ") (";
}

/// As many groups as fit; the last one may belong to a word that follows ("40th").
Candidate widest(const Sight& sight) {
    Candidate found{.begin = sight.group(0).begin,
                    .last = 0,
                    .digits = sight.size(0),
                    .end = 0,
                    .has_plus = false,
                    .has_parenthesis = false,
                    .has_extension = false};
    while (found.last + 1 < sight.groups_left() && is_phone_gap(sight.gap(found.last + 1)) &&
           found.digits + sight.size(found.last + 1) <= kDigitsMax) {
        found.digits += sight.size(++found.last);
    }
    const auto ends_at = [&](std::size_t group) {
        found.end = extension_end(sight.text, sight.group(group).end);
        found.has_extension = found.end != sight.group(group).end;
    };
    ends_at(found.last);
    if (!found.has_extension && found.last > 0 && is_glued_right(sight.text, found.end) &&
        sight.gap(found.last) == " ") {
        found.digits -= sight.size(found.last--);
        ends_at(found.last);
    }
    const std::string_view text = sight.text;
    found.has_parenthesis = before(text, found.begin) == '(' && found.last > 0 &&
                            sight.gap(1).starts_with(')') && found.begin > sight.floor();
    if (found.has_parenthesis) --found.begin;
    found.has_plus = before(text, found.begin) == '+' && found.begin > sight.floor();
    if (found.has_plus) --found.begin;
    return found;
}

/// Whether all gaps between the groups from `from` on are one of these signs.
bool has_gaps(const Sight& sight,
              const Candidate& found,
              std::size_t from,
              std::string_view signs) {
    for (std::size_t i = from; i <= found.last; ++i) {
        const std::string_view gap = sight.gap(i);
        if (gap.size() != 1 || signs.find(gap[0]) == std::string_view::npos) return false;
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
    return has_gaps(sight, found, 1, "-. ") && is_code(head) && is_code(head + 1);
}

/// 0431 19 97 94: the zero that is dialled inside of a country.
bool has_trunk_zero(const Sight& sight, const Candidate& found) {
    const bool is_long_enough = found.digits >= 9 && found.digits <= 12 && found.last > 0;
    if (!is_long_enough || sight.digits(0)[0] != '0' || sight.size(0) < 2 || sight.size(0) > 5 ||
        !has_gaps(sight, found, 1, " -./")) {
        return false;
    }
    if (sight.has_sizes("324", "- .")) return false;  // An American number of another kind.
    bool has_decimal_digit = false;                   // 0101 0110 is something else.
    for (std::size_t i = 0; i <= found.last; ++i) {
        if (sight.size(i) < 2) return false;
        has_decimal_digit = has_decimal_digit ||
                            std::ranges::any_of(sight.digits(i), [](char c) { return c > '1'; });
    }
    return has_decimal_digit;
}

bool has_phone_form(const Sight& sight, const Candidate& found) {
    return (found.has_extension && found.digits >= 10) || is_international(sight, found) ||
           is_parenthesised(sight, found) || is_north_american(sight, found) ||
           has_trunk_zero(sight, found);
}

}  // namespace

Found find_phone(const Sight& sight) {
    if (sight.number.digit_count < kDigitsMin) return {};
    const Candidate found = widest(sight);
    if (found.digits < kDigitsMin || found.digits > kDigitsMax) return {};
    const std::string_view text = sight.text;
    const char sign = before(text, found.begin);
    if (is_tied_left(text, found.begin) || sign == '/' || sign == '$') return {};
    const bool is_named_behind = names_phone_behind(text, found.end);
    const bool is_apart = !is_tied_right(text, found.end) && at(text, found.end) != '%';
    if (!is_named_behind && !is_apart) return {};
    const bool is_phone =
        has_phone_form(sight, found) || is_named_behind || sight.has_cue(kPhone | kCall);
    return is_phone ? Found{Span{found.begin, found.end}} : Found{};
}

}  // namespace parlance::personal
