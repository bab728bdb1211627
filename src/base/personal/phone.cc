// Telephone numbers. Some forms are unique to telephones; other digits are a telephone only if
// nearby words say so.
#include <algorithm>
#include <array>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

/// E.164 has at most fifteen digits; the shortest numbers in use have six.
constexpr std::size_t kDigitsMax = 15;
constexpr std::size_t kDigitsMin = 6;
constexpr std::size_t kExtensionMax = 6;
/// A group of so many digits ends its number.
constexpr std::size_t kGroupMax = 9;

struct Extension {
    std::size_t end;           ///< End of the extension; the start position if none.
    bool makes_phone = false;  ///< Whether only a telephone can have this extension.
};

/// Names of extensions, longer names first.
constexpr std::array<std::string_view, 6> kExtensions{
    "extension", "extn", "ext", "poste", "x", "#"};

/// Parses "x123", " ext. 123", ", Ext: 14" or " (ext. 5)".
Extension extension(std::string_view text, std::size_t place) {
    const auto skip = [&text](std::size_t i, std::string_view signs, std::size_t most) {
        const std::size_t end = std::min(i + most, text.size());
        while (i < end && signs.find(text[i]) != std::string_view::npos) ++i;
        return i;
    };
    std::size_t i = skip(place, ",;", 1);
    i = skip(i, " ", 1);
    const bool has_parenthesis = at(text, i) == '(';
    if (has_parenthesis) ++i;
    const std::string_view rest = text.substr(std::min(i, text.size()));
    const auto word = std::ranges::find_if(kExtensions, [rest](std::string_view name) {
        return rest.size() >= name.size() &&
               std::ranges::equal(name, rest.substr(0, name.size()), {}, {}, lower);
    });
    const bool has_comma = i - place > 0 && text[place] != ' ' && text[place] != '(';
    if (word == kExtensions.end() || (has_comma && word->size() == 1)) return {place};
    const std::size_t digits = skip(skip(i + word->size(), ".:#", 1), " ", 1);
    std::size_t end = digits;
    while (end - digits <= kExtensionMax && is_digit(at(text, end))) ++end;
    if (end == digits || end - digits > kExtensionMax || is_glued_right(text, end)) return {place};
    if (has_parenthesis && at(text, end) != ')') return {place};
    // 1920 1080 x 1200 is a size, and #5 an item number.
    const bool is_sure = word->size() > 1 || (*word == "x" && digits == i + 1);
    return {end + (has_parenthesis ? 1U : 0U), is_sure};
}

/// Groups that may form one telephone number.
struct Candidate {
    std::size_t begin;  ///< Includes a sign or parenthesis before the first group.
    std::size_t last;   ///< The last group.
    std::size_t digits;
    std::size_t end;  ///< Includes the extension.
    bool has_plus;
    bool has_parenthesis;  ///< Around the first group, or the group after a leading digit.
    bool has_extension;
};

bool is_phone_gap(const Sight& sight, std::size_t i) {
    constexpr std::array<std::string_view, 10> kAroundParentheses{
        ") ", " (", ")-", "-(", ") (", ")/", ").", ")", "(", ").("};
    // 07.56.53 -96.29: digits after a minus are another number.
    if (sight.sign(i) == '-' && sight.gap(i).size() == 2) return false;
    return sight.sign(i) != '\0' ||
           std::ranges::find(kAroundParentheses, sight.gap(i)) != kAroundParentheses.end();
}

/// The last group of the longest fit; a group attached to the next word ("40th") is left out.
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
                                 extension(sight.text, end).end == end;
    return is_of_next_word ? last - 1 : last;
}

/// 1 (415) 555-0123, 8 (912) 345-67-89: a long-distance prefix.
bool has_head(const Sight& sight, std::size_t last) {
    return last > 1 && sight.size(0) == 1 && digit_of(sight.digits(0)[0]) % 7 <= 1 &&
           sight.gap(1).ends_with('(') && sight.gap(2).starts_with(')');
}

/// The candidate of the groups up to `last`.
Candidate candidate(const Sight& sight, std::size_t last) {
    const std::string_view text = sight.text;
    const auto [end, makes_phone] = extension(text, sight.group(last).end);
    Candidate found{.begin = sight.group(0).begin,
                    .last = last,
                    .digits = sight.digits_to(last),
                    .end = end,
                    .has_plus = false,
                    .has_parenthesis = false,
                    .has_extension = makes_phone};
    const bool is_opened = before(text, found.begin) == '(' && last > 0 &&
                           sight.gap(1).starts_with(')') && found.begin > sight.floor();
    if (is_opened) --found.begin;
    found.has_parenthesis = is_opened || has_head(sight, last);
    found.has_plus = before(text, found.begin) == '+' && found.begin > sight.floor();
    if (found.has_plus) --found.begin;
    return found;
}

/// Whether each gap from group `from` on is one of these signs, all in one line.
bool has_gaps(const Sight& sight,
              const Candidate& found,
              std::size_t from,
              std::string_view signs) {
    for (std::size_t i = from; i <= found.last; ++i) {
        if (sight.is_break(i) || signs.find(sight.sign(i)) == std::string_view::npos) return false;
    }
    return true;
}

/// 00447700900123: an international number in one group. kCodes holds the two-digit country codes,
/// kShortCodes the countries with eight-digit numbers.
bool is_whole_from_abroad(const Sight& sight) {
    constexpr std::string_view kCodes =
        "20 27 30 31 32 33 34 36 39 40 41 43 44 46 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 66 "
        "81 82 84 86 90 91 92 93 94 95 98";
    constexpr std::string_view kShortCodes = "45 47 65";
    const std::string_view digits = sight.digits(0);
    if (digits.size() < 12 || digits.size() > kDigitsMax || !digits.starts_with("00")) return false;
    if (digits[2] == '1') return digits.size() == 13 && digits[3] >= '2' && digits[6] >= '2';
    const std::string_view codes = digits.size() == 12 ? kShortCodes : kCodes;
    return digits[2] != '0' && codes.find(digits.substr(2, 2)) != std::string_view::npos;
}

/// Whether the candidate begins within a number: 1.250,00 12/02/1998; 07:14:30+02:00 2021.
bool begins_inside(const Sight& sight) {
    const std::size_t begin = sight.group(0).begin;
    return begin >= 2 && std::string_view{",.:'"}.find(sight.text[begin - 1]) < 4 &&
           is_digit(sight.text[begin - 2]);
}

bool is_international(const Sight& sight, const Candidate& found) {
    if (found.has_plus)
        return found.digits >= (found.last > 0 ? 8U : 10U) && sight.digits(0)[0] != '0';
    if (begins_inside(sight)) return false;
    if (found.last == 0) return is_whole_from_abroad(sight) && !sight.has_cue(kThing);
    const bool has_prefix = sight.digits(0).starts_with("00") && sight.size(0) <= 5 &&
                            found.last >= 2 && has_gaps(sight, found, 1, " -./_(") &&
                            (sight.size(0) == 2 || sight.digits(0)[2] != '0');
    return has_prefix && found.digits >= 10 && !sight.has_cue(kThing);
}

/// (555) 123-4567, (03) 5327 5996, 1 (415) 555-0123.
bool is_parenthesised(const Sight& sight, const Candidate& found) {
    if (!found.has_parenthesis || sight.size(found.last) < 2) return false;
    const std::size_t code = sight.size(has_head(sight, found.last) ? 1 : 0);
    return code >= 2 && code <= 5 && found.digits >= 7 && found.digits <= 13;
}

/// 555-123-4567 with or without a leading 1. With spaces, the area code and exchange must be valid.
bool is_north_american(const Sight& sight, const Candidate& found) {
    const std::size_t head = sight.size(0) == 1 && sight.digits(0) == "1" ? 1 : 0;
    const bool is_grouped = found.last == head + 2 && sight.size(head) == 3 &&
                            sight.size(head + 1) == 3 && sight.size(head + 2) == 4;
    if (!is_grouped) return false;
    const auto is_code = [&](std::size_t i) { return sight.digits(i)[0] >= '2'; };
    if (has_gaps(sight, found, 1, "-.")) return true;
    return has_gaps(sight, found, 1, "-. /_") && is_code(head) && is_code(head + 1);
}

/// Five pairs are a telephone (02 27 96 63 08), unless they are a row of numbers (08 09 10 11 12).
bool is_row_of_pairs(const Sight& sight, const Candidate& found) {
    if (found.last != 4) return true;
    const bool goes_on =
        sight.groups_left() > 5 && sight.size(5) == 2 && sight.gap(5) == sight.gap(1);
    bool is_rising = true;
    for (std::size_t i = 1; i <= found.last; ++i) {
        is_rising = is_rising && sight.value(i) > sight.value(i - 1);
    }
    constexpr unsigned kDrawnMax = 60;
    return goes_on || (is_rising && sight.value(found.last) <= kDrawnMax);
}

/// Numbers with a leading zero that are no telephones, by the sizes of all groups.
struct OtherSizes {
    std::string_view sizes;
    std::string_view signs;
};
constexpr std::array kOtherSizes{
    OtherSizes{"324", "- ./_"},  // An American number of another kind.
    OtherSizes{"54", "- "},      // A ZIP code.
    OtherSizes{"333", "- ./_"},  // A parcel, an article or a price, as in the next two.
    OtherSizes{"343", "- ./_"},
    OtherSizes{"444", "- ./_"},
    OtherSizes{"224", " "},  // A date.
};

bool is_of_other_sizes(const Sight& sight, const Candidate& found) {
    return std::ranges::any_of(kOtherSizes, [&](const OtherSizes& other) {
        const bool is_all = found.last + 1 == other.sizes.size() || other.sizes != "54";
        return is_all && sight.has_sizes(other.sizes, other.signs);
    });
}

/// 04577.994541: two groups with a dot between are one number.
bool is_decimal(const Sight& sight, const Candidate& found) {
    return found.last == 1 && sight.sign(1) == '.';
}

/// 0431 19 97 94: the zero is the national prefix.
bool has_trunk_zero(const Sight& sight, const Candidate& found) {
    const bool is_long_enough = found.digits >= 9 && found.digits <= 12 && found.last > 0;
    if (!is_long_enough || sight.digits(0)[0] != '0' || sight.size(0) < 2 || sight.size(0) > 5 ||
        !has_gaps(sight, found, 1, " -./_") || begins_inside(sight)) {
        return false;
    }
    if (found.has_plus || is_decimal(sight, found) || is_of_other_sizes(sight, found)) return false;
    bool has_decimal_digit = false;  // 0101 0110 is binary.
    bool is_in_pairs = true;
    for (std::size_t i = 0; i <= found.last; ++i) {
        if (sight.size(i) < 2) return false;
        is_in_pairs = is_in_pairs && sight.size(i) == 2;
        has_decimal_digit = has_decimal_digit ||
                            std::ranges::any_of(sight.digits(i), [](char c) { return c > '1'; });
    }
    if (is_in_pairs && is_row_of_pairs(sight, found)) return false;
    return has_decimal_digit && !is_counted_behind(sight.text, found.end) && !sight.has_cue(kThing);
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

/// Whether the candidate is separate from the text before and after.
bool is_apart(const Sight& sight, const Candidate& found) {
    const std::string_view text = sight.text;
    const char sign = before(text, found.begin);
    const bool is_in_path = sign == '/' && !found.has_plus;
    if (is_in_path || sign == '$' || !sight.is_apart_left(found.begin, kPhone | kCall))
        return false;
    const bool is_before_word = (found.has_plus || found.last > 0) &&
                                is_letter(at(text, found.end)) && ends_word(text, found.end);
    const bool is_before_name =
        at(text, found.end) == '-' && names_phone_behind(text, found.end);  // 555-0123-Office
    return (!is_tied_right(text, found.end) || is_before_word || is_before_name) &&
           at(text, found.end) != '%';
}

/// Possible digit counts of a telephone form that begins with this group, without extension.
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
    if (sight.groups_left() > 2 && sight.gap(1).ends_with('(')) digits.add(7, kDigitsMax);
    return digits;
}

/// A whole number followed by others: 555-123-4567 555-123-4568.
Found find_first_of_many(const Sight& sight, std::size_t last, const FormDigits& digits) {
    while (last-- > 1) {
        if (sight.digits_to(last) < digits.least) return {};
        if (sight.sign(last + 1) == sight.sign(last) || !digits.has(sight.digits_to(last)))
            continue;
        const Candidate found = candidate(sight, last);
        if (is_apart(sight, found) && has_phone_form(sight, found)) {
            return TextRange{found.begin, found.end};
        }
    }
    return {};
}

/// The last group, up to `last`, in the same line.
std::size_t last_in_line(const Sight& sight, std::size_t last) {
    for (std::size_t i = 1; i <= last; ++i) {
        if (sight.is_break(i)) return i - 1;
    }
    return last;
}

/// Whether no cue can apply to the groups up to `last`, or to fewer: other groups of the same
/// number come before and after.
bool is_wordless(const Sight& sight, std::size_t last) {
    return sight.is_in_row() && last + 1 < sight.groups_left() &&
           !sight.is_labelled(kPhone | kCall);
}

/// Whether nothing can begin at this later group of a number. Excludes most groups of a text full
/// of numbers.
bool is_lost_in_row(const Sight& sight) {
    const std::size_t begin = sight.group(0).begin;
    if (!sight.is_in_row() || before(sight.text, begin) == '(') return false;
    // Without a cue only a form counts; a first group between equal signs begins no form.
    const bool is_unsaid = sight.digits_left() > kDigitsMax && !sight.is_labelled(kPhone | kCall);
    const bool has_one_sign = sight.groups_left() > 1 && sight.sign(0) == sight.sign(1);
    if (is_unsaid && (has_one_sign || form_digits(sight).most == 0)) return true;
    return !sight.is_apart_left(begin, kPhone | kCall);
}

/// Whether no cue makes a telephone of the candidate: a share, or digits after a decimal point.
bool is_no_phone(const Sight& sight, const Candidate& found) {
    const bool is_share = sight.digits(0) == "0" && found.last > 0 && sight.sign(1) == '.';
    return is_share || (begins_inside(sight) && found.last == 0 && !sight.is_labelled(kPhone));
}

/// Whether, without a clear cue, the candidate is more likely a price, a version or a time.
bool is_rather_other(const Sight& sight, const Candidate& found) {
    const std::string_view text = sight.text;
    const bool is_price = at(text, found.end) == ',' && is_digit(at(text, found.end + 1)) &&
                          is_digit(at(text, found.end + 2)) && !is_digit(at(text, found.end + 3));
    const bool is_version =
        found.last > 0 && sight.sign(1) == '.' && sight.size(1) <= 2 && found.digits < 10;
    const bool is_time = found.last == 1 && sight.size(0) == 6 && sight.size(1) == 6;
    return is_price || is_version || is_time || begins_with_date(sight) ||
           is_counted_behind(text, found.end);
}

/// Whether the candidate has a telephone's length; `most_in_one` bounds a single group.
bool has_size(const Candidate& found, std::size_t least, std::size_t most_in_one) {
    return found.digits >= least && found.digits <= (found.last == 0 ? most_in_one : 13U);
}

/// 1731740000 is more likely a time.
bool is_time_in_seconds(const Sight& sight, const Candidate& found) {
    return found.last == 0 && found.digits == 10 && sight.digits(0)[0] == '1' && !found.has_plus;
}

/// Whether nearby words identify a telephone.
bool is_said(const Sight& sight, const Candidate& found) {
    const Cues cues = sight.cues();
    if ((cues & kPhone) != 0) return !is_counted_behind(sight.text, found.end);
    if ((cues_behind(sight.text, found.end) & kPhone) != 0) return true;
    if ((cues & (kCall | kNumbered | kHint)) == 0 || is_rather_other(sight, found)) return false;
    const bool has_call = (cues & kCall) != 0;
    if (has_call && (cues & kToward) != 0) return has_size(found, kDigitsMin, 13);
    if (is_time_in_seconds(sight, found) || is_decimal(sight, found)) return false;
    return (has_call && has_size(found, kDigitsMin, 11)) ||
           ((cues & kNumbered) != 0 && has_size(found, 7, 12)) ||
           ((cues & kHint) != 0 && has_size(found, 9, 11));
}

/// Whether the candidate begins its line or table cell, as in a letterhead.
bool begins_line(const Sight& sight, std::size_t begin) {
    while (begin > 0 && sight.text[begin - 1] == ' ') --begin;
    return begin == 0 || begin <= sight.floor() ||
           std::string_view{",;|\n\r\t>]"}.find(sight.text[begin - 1]) != std::string_view::npos;
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
        return TextRange{found.begin, found.end};
    }
    if (const auto first = find_first_of_many(sight, last, digits)) return first;
    if (is_wordless(sight, last)) return {};

    const Candidate line = candidate(sight, last_in_line(sight, last));
    if (line.digits < kDigitsMin || is_no_phone(sight, line)) return {};
    const char sign = before(sight.text, line.begin);
    const bool is_named_behind = names_phone_behind(sight.text, line.end) &&
                                 sight.is_apart_left(line.begin, kPhone | kCall) && sign != '/' &&
                                 sign != '$' && begins_line(sight, line.begin);
    const bool is_phone = is_named_behind || (is_apart(sight, line) && is_said(sight, line));
    return is_phone ? Found{TextRange{line.begin, line.end}} : Found{};
}

}  // namespace parlance::personal
