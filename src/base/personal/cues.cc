#include "base/personal/cues.h"

#include <algorithm>
#include <array>

#include "base/personal/characters.h"

namespace parlance::personal {

namespace {

struct Word {
    std::string_view word;
    Cues cues;
};

/// In order, so that those with the same first letter stand together. The names of a page's tags
/// are looked past.
constexpr std::array kWords{
    Word{"a", kFiller},
    Word{"account", kFiller},
    Word{"acct", kFiller},
    Word{"amex", kCard},
    Word{"and", kFiller},
    Word{"answer", kReach},
    Word{"answering", kReach},
    Word{"answers", kReach},
    Word{"at", kToward},
    Word{"b", kFiller},
    Word{"back", kFiller},
    Word{"bday", kBirth},
    Word{"birth", kBirth},
    Word{"birthdate", kBirth},
    Word{"birthday", kBirth},
    Word{"born", kBirth},
    Word{"build", kVersion},
    Word{"by", kFiller},
    Word{"call", kCall},
    Word{"called", kCall},
    Word{"calling", kCall},
    Word{"card", kCard},
    Word{"cardnumber", kCard},
    Word{"cards", kCard},
    Word{"cc", kCard},
    Word{"cell", kPhone},
    Word{"cellphone", kPhone},
    Word{"cellular", kPhone},
    Word{"code", kFiller},
    Word{"contact", kReach},
    Word{"credit", kCard},
    Word{"creditcard", kCard},
    Word{"date", kFiller},
    Word{"dateofbirth", kBirth},
    Word{"dd", kFiller},
    Word{"debit", kCard},
    Word{"desk", kPhone},
    Word{"dial", kCall},
    Word{"direct", kFiller},
    Word{"div", kFiller},
    Word{"dob", kBirth},
    Word{"driver", kDriver},
    Word{"driver's", kDriver},
    Word{"drivers", kDriver},
    Word{"driving", kDriver},
    Word{"dt", kFiller},
    Word{"em", kFiller},
    Word{"fax", kPhone},
    Word{"firmware", kVersion},
    Word{"for", kFiller},
    Word{"geb", kBirth},
    Word{"geboren", kBirth},
    Word{"geburtsdatum", kBirth},
    Word{"her", kFiller},
    Word{"here", kFiller},
    Word{"him", kFiller},
    Word{"his", kFiller},
    Word{"home", kFiller},
    Word{"hotline", kPhone},
    Word{"i", kFiller},
    Word{"iban", kIban},
    Word{"id", kFiller},
    Word{"in", kFiller},
    Word{"insurance", kInsurance},
    Word{"is", kFiller},
    Word{"it's", kFiller},
    Word{"itin", kItin},
    Word{"its", kFiller},
    Word{"landline", kPhone},
    Word{"li", kFiller},
    Word{"licence", kLicence},
    Word{"license", kLicence},
    Word{"line", kFiller},
    Word{"lost", kFiller},
    Word{"mastercard", kCard},
    Word{"me", kFiller},
    Word{"message", kReach},
    Word{"messages", kReach},
    Word{"mob", kPhone},
    Word{"mobile", kPhone},
    Word{"msisdn", kPhone},
    Word{"my", kFiller},
    Word{"nacimiento", kBirth},
    Word{"naissance", kBirth},
    Word{"national", kNational},
    Word{"ni", kNino},
    Word{"nino", kNino},
    Word{"no", kFiller},
    Word{"now", kFiller},
    Word{"nr", kFiller},
    Word{"num", kFiller},
    Word{"number", kFiller},
    Word{"of", kFiller},
    Word{"office", kFiller},
    Word{"on", kToward},
    Word{"or", kFiller},
    Word{"our", kFiller},
    Word{"p", kFiller},
    Word{"pager", kPhone},
    Word{"pan", kCard},
    Word{"passport", kPassport},
    Word{"patch", kVersion},
    Word{"phone", kPhone},
    Word{"phonenumber", kPhone},
    Word{"phones", kPhone},
    Word{"please", kFiller},
    Word{"reach", kReach},
    Word{"reached", kReach},
    Word{"registered", kFiller},
    Word{"release", kVersion},
    Word{"ring", kCall},
    Word{"security", kSecurity},
    Word{"sin", kSin},
    Word{"sms", kPhone},
    Word{"social", kSocial},
    Word{"span", kFiller},
    Word{"ssn", kSsn},
    Word{"ssns", kSsn},
    Word{"strong", kFiller},
    Word{"td", kFiller},
    Word{"tel", kPhone},
    Word{"telefon", kPhone},
    Word{"telefono", kPhone},
    Word{"telephone", kPhone},
    Word{"text", kReach},
    Word{"th", kFiller},
    Word{"the", kFiller},
    Word{"their", kFiller},
    Word{"them", kFiller},
    Word{"this", kFiller},
    Word{"tin", kItin},
    Word{"to", kToward},
    Word{"tr", kFiller},
    Word{"u", kFiller},
    Word{"update", kVersion},
    Word{"upgrade", kVersion},
    Word{"us", kFiller},
    Word{"v", kVersion},
    Word{"ver", kVersion},
    Word{"version", kVersion},
    Word{"via", kToward},
    Word{"visa", kCard},
    Word{"was", kFiller},
    Word{"whatsapp", kPhone},
    Word{"with", kFiller},
    Word{"work", kFiller},
    Word{"you", kFiller},
    Word{"your", kFiller},
};
static_assert(std::ranges::is_sorted(kWords, {}, &Word::word));

/// Where the words with each first letter begin, and where those with the last one end.
constexpr auto kBegins = [] {
    std::array<std::uint8_t, 27> begins{};
    for (std::size_t letter = 0; letter < begins.size(); ++letter) {
        std::size_t begin = 0;
        while (begin < kWords.size() &&
               static_cast<std::size_t>(kWords[begin].word[0] - 'a') < letter) {
            ++begin;
        }
        begins[letter] = static_cast<std::uint8_t>(begin);
    }
    return begins;
}();
static_assert(kBegins.back() == kWords.size());

constexpr std::size_t kWordBytesMax = 16;
constexpr int kWordsMax = 7;
constexpr std::size_t kSignsMax = 8;

/// What stands behind a number of a letterhead. Where a line goes on, it is about something else.
constexpr std::array<std::string_view, 9> kBehind{
    "cell", "desk", "direct", "fax", "home", "landline", "mobile", "office", "work"};

Cues cues_of_word(std::string_view written) {
    if (written.empty() || written.size() > kWordBytesMax || !is_letter(written[0])) return 0;
    const auto letter = static_cast<std::size_t>(lower(written[0]) - 'a');
    for (std::size_t i = kBegins[letter]; i < kBegins[letter + 1]; ++i) {
        const std::string_view word = kWords[i].word;
        const bool is_said =
            word.size() == written.size() && std::ranges::equal(word, written, {}, {}, lower);
        if (is_said) return kWords[i].cues;
    }
    return 0;
}

bool is_word_byte(char c) { return is_letter(c) || c == '\'' || is_beyond_ascii(c); }

/// What only two words together say.
Cues settled(Cues cues) {
    const auto has = [&cues](Cues both) { return (cues & both) == both; };
    if (has(kSocial | kSecurity)) cues |= kSsn;
    if (has(kSocial | kInsurance)) cues |= kSin;
    if (has(kNational | kInsurance)) cues |= kNino;
    if (has(kReach | kToward)) cues |= kCall;
    if (!has(kDriver | kLicence)) cues &= ~(kDriver | kLicence);
    return cues;
}

/// The word that ends before `place`, over a few signs; empty behind a digit, a placeholder or too
/// many signs.
std::string_view word_before(std::string_view text, std::size_t place) {
    const std::size_t floor = place - std::min(place, kSignsMax);
    while (place > floor && (!is_word_byte(text[place - 1]) || text[place - 1] == '\'')) {
        const char c = text[place - 1];
        if (is_digit(c) || c == ']') return {};
        --place;
    }
    std::size_t begin = place;
    const std::size_t word_floor = place - std::min(place, kWordBytesMax + 1);
    while (begin > word_floor && is_word_byte(text[begin - 1])) --begin;
    // What hangs on a digit is the end of something else: 9Tel== is no telephone.
    if (is_digit(before(text, begin))) return {};
    return text.substr(begin, place - begin);
}

/// D.O.B. is three words of one letter each.
bool is_abbreviated_birth(std::string_view text, std::size_t place) {
    constexpr std::string_view kLetters = "bod";
    for (const char letter : kLetters) {
        const std::string_view word = word_before(text, place);
        if (word.size() != 1 || lower(word[0]) != letter) return false;
        place = static_cast<std::size_t>(word.data() - text.data());
    }
    return true;
}

/// Calls `use(cues)` for each word before a place, until it returns false.
template <class Use>
void each_word_before(std::string_view text, std::size_t place, Use use) {
    for (int n = 0; n < kWordsMax; ++n) {
        const std::string_view word = word_before(text, place);
        if (word.empty() || !use(cues_of_word(word))) return;
        place = static_cast<std::size_t>(word.data() - text.data());
    }
}

}  // namespace

Cues cues_of_last_word(std::string_view text, std::size_t place) {
    if (!is_letter(before(text, place))) return 0;
    const std::size_t floor = place - std::min(place, kWordBytesMax + 1);
    std::size_t begin = place;
    while (begin > floor && is_letter(text[begin - 1])) {
        --begin;
        // cardNumber: the last of its words is as good as one that stands alone.
        const bool is_hump = is_upper(text[begin]) && begin > 0 && is_letter(text[begin - 1]) &&
                             !is_upper(text[begin - 1]);
        if (is_hump) break;
    }
    const bool is_whole = place - begin >= 2 && !is_digit(before(text, begin));
    return is_whole ? cues_of_word(text.substr(begin, place - begin)) : 0;
}

Cues cues_before(std::string_view text, std::size_t place) {
    Cues cues = 0;
    each_word_before(text, place, [&cues](Cues said) {
        cues |= said;
        return said != 0;
    });
    return settled(cues);
}

bool is_birth_before(std::string_view text, std::size_t place) {
    bool is_birth = false;
    each_word_before(text, place, [&is_birth](Cues said) {
        is_birth = (said & kBirth) != 0;
        return !is_birth;
    });
    return is_birth || is_abbreviated_birth(text, place);
}

Cues cues_of_label(const Label& label) {
    if (label.cues) return *label.cues;
    const std::string_view name = label.name;
    Cues cues = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= name.size(); ++i) {
        const bool is_edge = i == name.size() || !is_letter(name[i]);
        const bool is_hump = !is_edge && i > begin && is_upper(name[i]) && !is_upper(name[i - 1]);
        if (!is_edge && !is_hump) continue;
        if (i > begin) cues |= cues_of_word(name.substr(begin, i - begin));
        begin = is_hump ? i : i + 1;
    }
    // A key names things: call_id is no telephone, and message_to is none either.
    label.cues = settled(cues & ~(kCall | kReach | kToward));
    return *label.cues;
}

bool names_phone_behind(std::string_view text, std::size_t place) {
    if (at(text, place) == ' ' || at(text, place) == '-') ++place;
    if (at(text, place) == '(') ++place;
    std::size_t end = place;
    while (end - place <= kWordBytesMax && is_letter(at(text, end))) ++end;
    std::array<char, kWordBytesMax + 1> bytes{};
    std::ranges::transform(text.substr(place, end - place), bytes.begin(), lower);
    const std::string_view word{bytes.data(), end - place};
    if (std::ranges::find(kBehind, word) == kBehind.end()) return false;
    return end >= text.size() ||
           std::string_view{",;)\n\r\\|"}.find(text[end]) != std::string_view::npos;
}

}  // namespace parlance::personal
