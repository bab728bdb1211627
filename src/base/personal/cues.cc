#include "base/personal/cues.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/personal/characters.h"
#include "base/personal/words.h"

namespace parlance::personal {

namespace {

constexpr int kWordsMax = 7;
constexpr std::size_t kSignsMax = 8;

/// Words after a number in a letterhead. If the line goes on, the words mean something else.
constexpr std::array<std::string_view, 9> kBehind{
    "cell", "desk", "direct", "fax", "home", "landline", "mobile", "office", "work"};

/// Units that are counted, weighed or paid.
constexpr std::array<std::string_view, 48> kCounted{
    "bits",    "btc",    "bytes",   "calls",  "characters", "chf",    "cents",   "dollars",
    "entries", "errors", "eth",     "eur",    "euro",       "euros",  "files",   "gb",
    "gbp",     "hours",  "imei",    "inr",    "items",      "jpy",    "kb",      "kg",
    "km",      "lines",  "mb",      "meters", "miles",      "ms",     "of",      "orders",
    "pages",   "people", "percent", "pieces", "points",     "pounds", "records", "requests",
    "rows",    "rp",     "seconds", "times",  "units",      "usd",    "users",   "votes"};

constexpr std::array<std::string_view, 6> kVersionBehind{
    "build", "patch", "release", "update", "upgrade", "version"};

/// Words between a number and the words that identify it.
constexpr std::array<std::string_view, 6> kLinks{"are", "is", "ist", "est", "es", "was"};

/// Words that begin a new subject.
constexpr std::array<std::string_view, 8> kOnward{
    "and", "at", "but", "for", "from", "or", "to", "und"};

bool is_one_of(std::string_view written, std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [written](std::string_view word) {
        return word.size() == written.size() && std::ranges::equal(word, written, {}, {}, lower);
    });
}

bool is_word_byte(char c) { return is_letter(c) || c == '\'' || is_beyond_ascii(c); }

constexpr Cues kNames = kPhone | kSsn | kItin | kSin | kNino | kBirth | kDriver | kLicence |
                        kPassport | kCard | kIban | kAccount;

/// Resolves cues that need two words, and cues that cancel other cues.
Cues settled(Cues cues) {
    const auto has = [&cues](Cues both) { return (cues & both) == both; };
    if (has(kSocial | kInsurance)) {
        cues |= kSin;
    } else if (has(kSocial)) {
        cues |= kSsn;
    }
    if (has(kNational | kInsurance)) cues |= kNino;
    if (has(kThing)) cues &= ~(kCall | kReach | kContact | kNumber | kHint);
    if ((cues & (kReach | kContact)) != 0 && has(kToward)) cues |= kCall;
    if (has(kContact) && (cues & (kNumber | kColon)) != 0) cues |= kPhone;
    if (has(kMine | kNumber) && (cues & kNames) == 0) cues |= kNumbered;
    const bool is_licence = has(kDriver | kLicence) || has(kMine | kLicence);
    if (!is_licence) cues &= ~(kDriver | kLicence);
    return cues;
}

/// The word that ends before `place`, across a few signs; empty after a digit, a placeholder or too
/// many signs.
std::string_view word_before(std::string_view text, std::size_t place) {
    const std::size_t floor = place - std::min(place, kSignsMax);
    while (place > floor && (!is_word_byte(text[place - 1]) || text[place - 1] == '\'')) {
        const char c = text[place - 1];
        if (is_digit(c) || c == ']' || c == '+') return {};
        --place;
    }
    std::size_t begin = place;
    const std::size_t word_floor = place - std::min(place, kWordBytesMax + 1);
    while (begin > word_floor && is_word_byte(text[begin - 1])) --begin;
    // A word attached to a digit is the end of something else: 9Tel== is no telephone.
    if (is_digit(before(text, begin))) return {};
    return text.substr(begin, place - begin);
}

struct Said {
    std::size_t begin;  ///< Begin of the word, or of the first of its letters.
    std::size_t end;
    Cues cues;
};

constexpr std::size_t kLettersMax = 5;

/// D.O.B., S.I.N.: letters with dots count as a word.
Said abbreviated(std::string_view text, Said last) {
    std::array<char, kLettersMax> letters{};
    std::size_t i = kLettersMax;
    letters[--i] = text[last.begin];
    Said said{last.begin, last.end, 0};
    const auto has_letter_before = [&] {
        return said.begin >= 2 && text[said.begin - 1] == '.' && is_letter(text[said.begin - 2]) &&
               !is_word_byte(before(text, said.begin - 2));
    };
    while (i > 0 && has_letter_before()) {
        said.begin -= 2;
        letters[--i] = text[said.begin];
    }
    said.cues = cues_of_word({letters.data() + i, kLettersMax - i});
    return said.begin < last.begin && said.cues != 0 ? said : last;
}

/// b-day, e-mail: one letter and a word.
Said hyphenated(std::string_view text, Said last) {
    const std::size_t size = last.end - last.begin;
    const bool has_letter = last.begin >= 2 && text[last.begin - 1] == '-' &&
                            is_letter(text[last.begin - 2]) &&
                            !is_word_byte(before(text, last.begin - 2));
    if (!has_letter || size >= kWordBytesMax) return last;
    std::array<char, kWordBytesMax> word{text[last.begin - 2]};
    std::ranges::copy(text.substr(last.begin, size), word.begin() + 1);
    const Cues cues = cues_of_word({word.data(), size + 1});
    return cues != 0 ? Said{last.begin - 2, last.end, cues} : last;
}

/// The cues of the last word before a position. `end` is 0 if there is no word.
Said said_before(std::string_view text, std::size_t place) {
    const std::string_view word = word_before(text, place);
    if (word.empty()) return {0, 0, 0};
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    const Said said{begin, begin + word.size(), cues_of_word(word)};
    const bool has_dot = at(text, said.end) == '.' || before(text, begin) == '.';
    if (word.size() == 1 && has_dot) return abbreviated(text, said);
    if (before(text, begin) == '-') return hyphenated(text, said);
    // Driver's license (CA): an addition in parentheses is skipped.
    if (said.cues == 0 && at(text, said.end) == ')' && before(text, begin) == '(')
        return {said.begin, said.end, kFiller};
    return said;
}

/// Calls `use(said)` for each word before a position, until `use` returns false.
template <class Use>
void each_word_before(std::string_view text, std::size_t place, Use use) {
    for (int n = 0; n < kWordsMax; ++n) {
        const Said said = said_before(text, place);
        if (said.end == 0 || !use(said)) return;
        place = said.begin;
    }
}

/// Whether words further left are about something else.
bool ends_sense(Cues said) {
    return said == 0 || ((said & (kThing | kVersion | kHost)) != 0 && (said & kFiller) == 0);
}

/// The cue of the sign after the last word, as in "contact:", and of a letter before a colon: "T:".
Cues cues_of_sign(std::string_view text, const Said& last) {
    const char next = at(text, last.end);
    const char sign = next == ' ' ? at(text, last.end + 1) : next;
    if (sign != ':' && sign != '=' && sign != '#') return 0;
    const bool is_letter_of_phones =
        last.end - last.begin == 1 && next == ':' &&
        std::string_view{"cfhmoptw"}.find(lower(text[last.begin])) != std::string_view::npos;
    return is_letter_of_phones ? kColon | kHint : kColon;
}

constexpr int kNamesMax = 2;

/// Whether an unknown word is written like a name.
bool is_name(std::string_view text, const Said& said) {
    return said.cues == 0 && said.end - said.begin >= 2 && is_upper(text[said.begin]) &&
           !is_upper(text[said.begin + 1]);
}

/// (b. 3 March 1951), b. 1951-03-03.
bool is_short_for_born(std::string_view text, std::size_t place) {
    std::size_t end = place;
    while (end > 0 && place - end < 2 && text[end - 1] == ' ') --end;
    if (end < 2 || text[end - 1] != '.' || lower(text[end - 2]) != 'b') return false;
    const char c = before(text, end - 2);
    const char sign = c == ' ' ? before(text, end - 3) : c;
    return c == '\0' || c == '(' || c == '\n' || (c == ' ' && (sign == ',' || sign == '('));
}

/// Whether a sentence or a line ends in the gap between two words: words before the gap are about
/// something else.
bool has_end_of_sense(std::string_view gap) {
    return gap.find_first_of(";!?|\n") != std::string_view::npos;
}

/// Unknown words skipped before a number that has a check digit or the like.
constexpr int kUnknownMax = 2;

/// The word that begins here.
std::string_view word_at(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end - begin <= kWordBytesMax && is_word_byte(at(text, end))) ++end;
    return text.substr(std::min(begin, text.size()), end - begin);
}

/// The word after a number, across a space.
std::string_view next_word(std::string_view text, std::size_t place) {
    if (at(text, place) == ' ') ++place;
    return word_at(text, place);
}

/// Keys name things: call_id is no telephone, and neither is message_to.
constexpr Cues kUnsaidByNames = kCall | kReach | kToward | kHint | kThing | kMine;

/// Calls `use(cues)` for each word of a name: card_number, dateOfBirth.
template <class Use>
void each_word_of_name(std::string_view name, Use use) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= name.size(); ++i) {
        const bool is_edge = i == name.size() || !(is_letter(name[i]) || is_beyond_ascii(name[i]));
        const bool is_hump = !is_edge && i > begin && is_upper(name[i]) && !is_upper(name[i - 1]);
        if (!is_edge && !is_hump) continue;
        if (i > begin) use(cues_of_word(name.substr(begin, i - begin)));
        begin = is_hump ? i : i + 1;
    }
}

}  // namespace

Cues cues_of_last_word(std::string_view text, std::size_t place) {
    if (!is_letter(before(text, place))) return 0;
    const std::size_t floor = place - std::min(place, kWordBytesMax + 1);
    std::size_t begin = place;
    while (begin > floor && is_letter(text[begin - 1])) {
        --begin;
        // cardNumber: the last word counts like a separate word.
        const bool is_hump = is_upper(text[begin]) && begin > 0 && is_letter(text[begin - 1]) &&
                             !is_upper(text[begin - 1]);
        if (is_hump) break;
    }
    const bool is_whole = place - begin >= 2 && !is_digit(before(text, begin));
    return is_whole ? cues_of_word(text.substr(begin, place - begin)) : 0;
}

Cues cues_before(std::string_view text, std::size_t place) {
    Cues cues = 0;
    int words = 0;
    int names = 0;
    Said first{0, 0, 0};
    each_word_before(text, place, [&](const Said& said) {
        first = said;
        if (words++ == 0) {
            cues |= cues_of_sign(text, said);
        } else if ((said.cues & kHint) != 0) {
            // "Text" further away refers to a written text.
            cues |= said.cues & ~kHint;
            return true;
        }
        cues |= said.cues;
        const bool is_next_name = names + 1 == words && names < kNamesMax && is_name(text, said);
        names += is_next_name ? 1 : 0;
        if (is_next_name) return true;
        return !ends_sense(said.cues);
    });
    // License no. 12345678: at the start of a line, a person's licence.
    const bool begins_line = first.begin == 0 || text[first.begin - 1] == '\n';
    if (begins_line && (first.cues & kLicence) != 0 && (cues & (kNumber | kColon)) != 0)
        cues |= kDriver;
    // Emergency contact: Jane Doe (…). The person's name gives no cue about the number.
    if (names > 0) cues = (cues & kContact) != 0 ? kContact | kToward : 0;
    return settled(cues);
}

Cues cues_near(std::string_view text, std::size_t place) {
    Cues cues = 0;
    int unknown = 0;
    std::size_t behind = place;
    each_word_before(text, place, [&](const Said& said) {
        const bool is_first = behind == place;
        if (!is_first && has_end_of_sense(text.substr(said.end, behind - said.end))) return false;
        behind = said.begin;
        cues |= said.cues;
        unknown += said.cues == 0 ? 1 : 0;
        return unknown <= kUnknownMax && (said.cues == 0 || !ends_sense(said.cues));
    });
    return settled(cues);
}

bool is_birth_before(std::string_view text, std::size_t place) {
    bool is_birth = false;
    std::size_t behind = 0;
    each_word_before(text, place, [&](const Said& said) {
        if (behind != 0 && has_end_of_sense(text.substr(said.end, behind - said.end))) return false;
        behind = said.begin;
        is_birth = (said.cues & kBirth) != 0;
        const bool is_of_a_thing = (said.cues & kThing) != 0 && (said.cues & kFiller) == 0;
        return !is_birth && !is_of_a_thing;
    });
    return is_birth || is_short_for_born(text, place);
}

Cues cues_behind(std::string_view text, std::size_t place) {
    constexpr std::string_view kClosing = "\"'*_`)";
    for (int n = 0; n < 3 && place < text.size() && kClosing.find(text[place]) < kClosing.size();
         ++n)
        ++place;
    if (at(text, place) != ' ') return 0;
    ++place;
    const bool is_in_parentheses = at(text, place) == '(';
    if (is_in_parentheses) ++place;
    Cues cues = 0;
    Cues last = 0;
    for (int n = 0; n < kWordsMax; ++n) {
        const std::string_view word = word_at(text, place);
        if (n == 0 && !is_in_parentheses && !is_one_of(word, kLinks)) return 0;
        const Cues said = is_one_of(word, kOnward) ? 0 : cues_of_word(word);
        // A phone bill is no phone, but a phone's number is.
        const bool is_of_a_thing = said == 0 && !word.empty() && !is_one_of(word, kOnward) &&
                                   (last & (kFiller | kNumber)) == 0;
        if (is_of_a_thing) cues &= ~(kPhone | kCard | kAccount);
        if (said == 0) break;
        cues |= said;
        last = said;
        place += word.size();
        if (at(text, place) != ' ' && at(text, place) != '-') break;
        ++place;
    }
    return settled(cues) & (kNames & ~kAccount);
}

Cues cues_of_label(const Label& label) {
    if (!label.cues) {
        Cues cues = 0;
        each_word_of_name(label.name, [&cues](Cues said) { cues |= said; });
        label.cues = settled(cues & ~kUnsaidByNames);
    }
    return *label.cues;
}

Cues cues_of_heading(std::string_view name) {
    Cues cues = 0;
    bool is_known = true;
    each_word_of_name(name, [&](Cues said) {
        cues |= said;
        is_known = is_known && said != 0;
    });
    return is_known ? settled(cues & ~kUnsaidByNames) : 0;
}

bool names_phone_behind(std::string_view text, std::size_t place) {
    if (at(text, place) == ' ' || at(text, place) == '-') ++place;
    if (at(text, place) == '(') ++place;
    const std::string_view word = word_at(text, place);
    if (!is_one_of(word, kBehind)) return false;
    const std::size_t end = place + word.size();
    return end >= text.size() ||
           std::string_view{",;)\n\r\\|"}.find(text[end]) != std::string_view::npos;
}

bool is_counted_behind(std::string_view text, std::size_t place) {
    return is_one_of(next_word(text, place), kCounted);
}

bool names_version_behind(std::string_view text, std::size_t place) {
    return is_one_of(next_word(text, place), kVersionBehind);
}

}  // namespace parlance::personal
