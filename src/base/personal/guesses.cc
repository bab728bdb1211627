// Names and addresses, as far as nearby words reveal them. Best effort, and documented as such:
// senders who must withhold names should keep names out of the message.
#include <algorithm>
#include <array>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

/// Words before a name: "Mr. Oduya", "my name is Ana Oduya".
constexpr std::array<std::string_view, 14> kHeralds{"dear",
                                                    "dr",
                                                    "dr.",
                                                    "miss",
                                                    "mr",
                                                    "mr.",
                                                    "mrs",
                                                    "mrs.",
                                                    "ms",
                                                    "ms.",
                                                    "name is",
                                                    "name:",
                                                    "prof.",
                                                    "sir"};

constexpr std::array<std::string_view, 22> kStreets{
    "alley", "ave",    "ave.", "avenue",  "blvd",    "boulevard", "calle", "circle",
    "court", "drive",  "lane", "parkway", "place",   "plaza",     "rd",    "road",
    "rue",   "square", "st",   "street",  "terrace", "way"};

constexpr std::size_t kWordMax = 24;
constexpr int kNameWordsMax = 4;
constexpr int kStreetWordsMax = 4;

bool is_name_byte(char c) { return is_letter(c) || is_beyond_ascii(c) || c == '\'' || c == '-'; }
bool is_name_begin(char c) { return is_upper(c) || is_beyond_ascii(c); }

std::size_t word_end(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end - begin <= kWordMax && is_name_byte(at(text, end))) ++end;
    return end;
}

/// Whether the text before this position ends with a whole word of kHeralds.
bool is_heralded(std::string_view text, std::size_t place) {
    std::size_t end = place;
    while (end > 0 && place - end < 2 && text[end - 1] == ' ') --end;
    return end < place && std::ranges::any_of(kHeralds, [&](std::string_view herald) {
               if (herald.size() > end) return false;
               const std::size_t begin = end - herald.size();
               const bool is_same =
                   std::ranges::equal(text.substr(begin, herald.size()), herald, {}, lower);
               return is_same && !is_alnum(before(text, begin));
           });
}

bool is_street_word(std::string_view word) {
    return std::ranges::any_of(kStreets, [&](std::string_view street) {
        return std::ranges::equal(word, street, {}, lower);
    });
}

}  // namespace

Found find_name(const Sign& capital) {
    const std::string_view text = capital.text;
    if (!is_heralded(text, capital.place)) return {};
    std::size_t end = capital.place;
    std::size_t next = capital.place;
    for (int n = 0; n < kNameWordsMax && is_name_begin(at(text, next)); ++n) {
        end = word_end(text, next);
        next = end + (at(text, end) == '.' ? 1U : 0U);
        if (at(text, next) != ' ') break;
        ++next;
    }
    if (end - capital.place < 2) return {};
    return TextRange{capital.place, end};
}

Found find_address(const Sight& sight) {
    const std::string_view text = sight.text;
    const std::size_t begin = sight.group(0).begin;
    if (sight.size(0) > 5 || is_tied_left(text, begin)) return {};
    std::size_t next = sight.group(0).end;
    bool has_name = false;
    for (int n = 0; n <= kStreetWordsMax; ++n) {
        if (at(text, next) != ' ') return {};
        const std::size_t word = next + 1;
        const std::size_t end = word_end(text, word);
        if (end == word) return {};
        if (has_name && is_street_word(text.substr(word, end - word))) return TextRange{begin, end};
        if (!is_name_begin(text[word])) return {};
        has_name = true;
        next = end;
    }
    return {};
}

}  // namespace parlance::personal
