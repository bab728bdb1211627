// The walk over a text: stops at each digit, '@' or ':' and calls the detectors of its kinds.
#include <algorithm>
#include <array>
#include <bit>

#include "base/personal/characters.h"
#include "base/personal/columns.h"
#include "base/personal/detectors.h"
#include "base/personal/fold.h"
#include "base/personal/personal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace parlance::personal {

namespace {

/// Sizes of digit groups, one bit each; the last bit stands for all larger sizes.
using Sizes = std::uint32_t;
constexpr unsigned kSizeOfMore = 31;
constexpr Sizes kAnySize = ~Sizes{0};
constexpr Sizes kUpToThree = 0b1110;
constexpr Sizes kThreeOrNine = 1U << 3U | 1U << 9U;

/// Most groups of digits are not personal: the table excludes most groups before any detector runs.
struct AtNumber {
    Kind kind;
    Found (*find)(const Sight& sight);
    std::size_t digits_min;  ///< From this group on; most numbers are too short.
    bool begins_word;        ///< Whether a finding begins with the digits.
    Sizes sizes = kAnySize;  ///< Allowed sizes of the first group.
    bool may_follow = true;  ///< Whether other groups of digits may precede.
};

/// Detectors with certainty come first: a check digit is worth more than a word.
constexpr std::array kAtNumbers{
    AtNumber{Kind::Iban, find_iban, 2, false, kAnySize & ~0b11U, false},
    AtNumber{Kind::Nino, find_nino, 6, false, 1U << 2U | 1U << 6U, false},
    AtNumber{Kind::Ip, find_ip4, 4, true, kUpToThree},
    AtNumber{Kind::Card, find_card, kCardDigitsMin, true},
    AtNumber{Kind::Ssn, find_ssn, 9, true, kThreeOrNine},
    AtNumber{Kind::Itin, find_itin, 9, true, kThreeOrNine},
    AtNumber{Kind::Licence, find_licence, 1, false},
    AtNumber{Kind::Passport, find_passport, 1, false},
    AtNumber{Kind::Sin, find_sin, 9, true, kThreeOrNine},
    AtNumber{Kind::Phone, find_phone, 6, true},
    AtNumber{Kind::Address, find_address, 1, true},
};

struct AtSign {
    Kind kind;
    Found (*find)(const Sign& sign);
};

constexpr std::array kAtAts{AtSign{Kind::Login, find_login}, AtSign{Kind::Email, find_email}};
constexpr std::array kAtColons{AtSign{Kind::Mac, find_mac}, AtSign{Kind::Ip, find_ip6}};

static_assert('9' + 1 == ':');
bool is_stop(char c) { return (c >= '0' && c <= ':') || c == '@'; }

std::size_t next_stop(std::string_view text, std::size_t from) {
#if defined(__SSE2__)
    const __m128i ten = _mm_set1_epi8(10);
    for (; from + 16 <= text.size(); from += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + from));
        const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        const __m128i near = _mm_cmpeq_epi8(_mm_min_epu8(above, ten), above);
        const __m128i ats = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('@'));
        const int stops = _mm_movemask_epi8(_mm_or_si128(near, ats));
        if (stops != 0) {
            return from + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(stops)));
        }
    }
#endif
    while (from < text.size() && !is_stop(text[from])) ++from;
    return from;
}

/// Traits of a text, one bit each.
using Traits = unsigned;
constexpr Traits kStops = 1;  ///< Bytes at which the walk stops.
constexpr Traits kEscapes = 2;
constexpr Traits kBeyond = 4;  ///< Characters beyond ASCII.
constexpr Traits kSigns = 8;   ///< Bytes that begin character codes.

constexpr auto kTraits = [] {
    std::array<std::uint8_t, 256> traits{};
    for (unsigned i = 0x80; i < traits.size(); ++i) traits[i] = kBeyond;
    for (const char c : std::string_view{"0123456789:@"})
        traits[static_cast<unsigned char>(c)] = kStops;
    for (const char c : std::string_view{"%&~"}) traits[static_cast<unsigned char>(c)] = kSigns;
    traits['\\'] = kEscapes;
    return traits;
}();

/// Most strings have no traits: words of a dialect, names, prose.
Traits traits_of(std::string_view text) {
    std::size_t from = 0;
    Traits traits = 0;
#if defined(__SSE2__)
    __m128i stops = _mm_setzero_si128();
    __m128i escapes = stops;
    __m128i beyond = stops;
    __m128i signs = stops;
    for (; from + 16 <= text.size(); from += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + from));
        const auto is = [&bytes](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
        const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        const __m128i near = _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(10)), above);
        stops = _mm_or_si128(stops, _mm_or_si128(near, is('@')));
        escapes = _mm_or_si128(escapes, is('\\'));
        // The highest bit marks a byte beyond ASCII, as in a comparison mask.
        beyond = _mm_or_si128(beyond, bytes);
        signs = _mm_or_si128(signs, _mm_or_si128(_mm_or_si128(is('%'), is('&')), is('~')));
    }
    traits = (_mm_movemask_epi8(stops) != 0 ? kStops : 0) |
             (_mm_movemask_epi8(escapes) != 0 ? kEscapes : 0) |
             (_mm_movemask_epi8(beyond) != 0 ? kBeyond : 0) |
             (_mm_movemask_epi8(signs) != 0 ? kSigns : 0);
#endif
    for (; from < text.size(); ++from) traits |= kTraits[static_cast<unsigned char>(text[from])];
    return traits;
}

/// Fewer digits attached to a word are ignored.
constexpr std::size_t kDigitsMinGlued = 6;

constexpr std::string_view kUuidForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

/// The end of the UUID around the digit at `place`, or 0: most numbers in machine messages are
/// parts of UUIDs and not personal.
std::size_t uuid_end(std::string_view text, std::size_t place, std::size_t floor) {
    constexpr std::size_t kDash = kUuidForm.find('-');
    std::size_t begin = place;
    while (begin > floor && place - begin < kDash && is_hex(text[begin - 1])) --begin;
    const auto form = text.substr(begin, kUuidForm.size());
    if (form.size() < kUuidForm.size() || form[kDash] != '-') return 0;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (kUuidForm[i] == '-' ? form[i] != '-' : !is_hex(form[i])) return 0;
    }
    const std::size_t end = begin + form.size();
    return is_tied_left(text, begin) || is_tied_right(text, end) ? 0 : end;
}

class Walk {
  public:
    Walk(std::string_view text, Kinds kinds, const Label& label, std::vector<Finding>& findings)
        : text_(text), kinds_(kinds), label_(label), findings_(findings), columns_(text) {}

    void run() {
        for (std::size_t i = next_stop(text_, 0); i < text_.size(); i = next_stop(text_, i)) {
            if (text_[i] == '@') {
                i = look_at_at(i);
            } else if (text_[i] == ':') {
                i = look_at_colon(i);
            } else {
                i = look_at_number(i);
            }
        }
    }

  private:
    std::size_t take(Kind kind, const TextRange& span) {
        findings_.push_back({kind, span.begin, span.end});
        floor_ = span.end;
        return span.end;
    }

    template <class Table>
    std::optional<std::size_t> ask(const Table& table, std::size_t place) {
        for (const AtSign& row : table) {
            if (!kinds_.has(row.kind)) continue;
            if (const auto found = row.find({text_, place, floor_})) return take(row.kind, *found);
        }
        return {};
    }

    std::size_t look_at_at(std::size_t place) {
        // A host, not a person's address, follows a password.
        return std::max(ask(kAtAts, place).value_or(0), place + 1);
    }

    std::size_t look_at_colon(std::size_t place) {
        const char left = before(text_, place);
        const char right = at(text_, place + 1);
        const bool is_inside = (is_hex(left) || left == ':') && (is_hex(right) || right == ':');
        if (!is_inside || place < floor_) return place + 1;
        if (const auto end = ask(kAtColons, place)) return *end;
        if (is_behind_label({text_, place, floor_})) return place + 1;
        return std::max(colon_word({text_, place, floor_}).end, place + 1);
    }

    std::size_t look_at_number(std::size_t place) {
        if (const std::size_t end = uuid_end(text_, place, floor_); end != 0) return end;
        if (const std::size_t end = placeholder_end_around(text_, place); end != 0) return end;
        read_number(text_, place, number_);
        if (number_.digit_count >= kCardDigitsMin) add_up(text_, number_, sums_);
        const Cues label_cues = cues_of_label(label_);
        const std::size_t end = number_.groups[number_.count - 1].end;
        std::size_t first = 0;
        // A truncated number is read again from the first group with too few groups after it.
        const bool is_cut = number_.count == Number::kGroupsMax;
        while (first < number_.count) {
            if (is_cut && number_.count - first < Number::kGroupsNeeded) {
                return std::max<std::size_t>(number_.groups[first].begin, floor_);
            }
            const Cues said = label_cues | columns_.cues_at(number_.groups[first].begin);
            const Sight sight{{text_, number_, sums_, first}, floor_, said};
            const std::size_t behind = look(sight);
            ++first;
            while (first < number_.count && number_.groups[first].begin < behind) ++first;
        }
        return std::max(end, floor_);
    }

    /// Returns the end of the finding, or of a date, inside which nothing is searched; 0 if none.
    std::size_t look(const Sight& sight) {
        // A cue may be attached to the number: SSN078051121.
        const std::size_t begin = sight.group(0).begin;
        const bool is_in_word =
            is_alnum(before(text_, begin)) &&
            (number_.digit_count < kDigitsMinGlued || cues_of_last_word(text_, begin) == 0);
        if (!is_in_word && kinds_.has(Kind::BirthDate)) {
            if (const auto found = find_birth_date(sight)) return take(Kind::BirthDate, *found);
        }
        if (const auto date = find_date(sight)) return date->end;
        const std::size_t digits_left = sight.digits_left();
        const Sizes size = 1U << std::min(sight.size(0), kSizeOfMore);
        for (const AtNumber& row : kAtNumbers) {
            if (digits_left < row.digits_min || (row.sizes & size) == 0) continue;
            if ((is_in_word && row.begins_word) || (sight.is_in_row() && !row.may_follow)) continue;
            if (!kinds_.has(row.kind)) continue;
            if (const auto found = row.find(sight)) return take(row.kind, *found);
        }
        return 0;
    }

    std::string_view text_;
    Kinds kinds_;
    const Label& label_;
    std::vector<Finding>& findings_;
    std::size_t floor_ = 0;  ///< End of the last finding.
    Number number_;
    Sums sums_;
    Columns columns_;
};

/// Names have no digit or sign to stop at: every word is examined, only on request.
void find_names(std::string_view text, std::vector<Finding>& findings, std::size_t first) {
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i - 1] != ' ' || !(is_upper(text[i]) || is_beyond_ascii(text[i]))) continue;
        if (const auto found = find_name({text, i, 0})) {
            findings.push_back({Kind::Name, found->begin, found->end});
            i = found->end - 1;
        }
    }
    const auto begin = findings.begin() + static_cast<std::ptrdiff_t>(first);
    std::ranges::stable_sort(begin, findings.end(), {}, &Finding::begin);
    std::size_t taken = 0;
    const auto is_inside = [&taken](const Finding& finding) {
        const bool is_taken = finding.begin < taken;
        if (!is_taken) taken = finding.end;
        return is_taken;
    };
    findings.erase(std::remove_if(begin, findings.end(), is_inside), findings.end());
}

void find_plain(std::string_view text,
                Kinds kinds,
                const Label& label,
                std::vector<Finding>& findings) {
    const std::size_t first = findings.size();
    Walk{text, kinds, label, findings}.run();
    if (kinds.has(Kind::Name)) find_names(text, findings, first);
}

/// Maps findings in the folded text to the written text.
void place_in_written(const Folded& folded, std::span<Finding> findings) {
    for (Finding& finding : findings) {
        finding.begin = folded.begins[finding.begin];
        finding.end = folded.ends[finding.end - 1];
    }
}

std::span<Finding> behind(std::vector<Finding>& findings, std::size_t first) {
    return std::span{findings}.subspan(first);
}

/// Findings in the decoded text take precedence; findings only in the undecoded text, "%4111…", are
/// added.
void find_coded(const Folded& folded,
                Kinds kinds,
                const Label& label,
                std::vector<Finding>& findings,
                Patience* patience) {
    thread_local Folded decoded;
    decode(folded, decoded);
    const std::size_t first = findings.size();
    find_plain(decoded.view(), kinds, label, findings);
    place_in_written(decoded, behind(findings, first));
    if (patience != nullptr && !patience->has(folded.size)) return;

    std::vector<Finding> others;
    find_plain(folded.view(), kinds, label, others);
    place_in_written(folded, others);
    const std::vector<Finding> taken{findings.begin() + static_cast<std::ptrdiff_t>(first),
                                     findings.end()};
    auto next = taken.begin();
    for (const Finding& other : others) {
        while (next != taken.end() && next->end <= other.begin) ++next;
        if (next == taken.end() || next->begin >= other.end) findings.push_back(other);
    }
    std::ranges::sort(behind(findings, first), {}, &Finding::begin);
}

void find_folded(std::string_view text,
                 bool is_escaped,
                 Kinds kinds,
                 const Label& label,
                 std::vector<Finding>& findings,
                 Patience* patience) {
    thread_local Folded folded;
    fold(text, is_escaped, folded);
    if (has_codes(folded.view())) return find_coded(folded, kinds, label, findings, patience);
    const std::size_t first = findings.size();
    find_plain(folded.view(), kinds, label, findings);
    place_in_written(folded, behind(findings, first));
}

/// Whether, judging by its traits, the text reads differently than written.
bool is_disguised(std::string_view text, Traits traits) {
    return ((traits & kBeyond) != 0 && needs_folding(text)) ||
           ((traits & kSigns) != 0 && has_codes(text));
}

}  // namespace

void find(std::string_view text, Kinds kinds, const Label& label, std::vector<Finding>& findings) {
    if (is_disguised(text, traits_of(text)))
        return find_folded(text, false, kinds, label, findings, nullptr);
    find_plain(text, kinds, label, findings);
}

std::vector<Finding> find(std::string_view text, Kinds kinds) {
    std::vector<Finding> findings;
    find(text, kinds, {}, findings);
    return findings;
}

void find_escaped(std::string_view inside,
                  Kinds kinds,
                  const Label& label,
                  std::vector<Finding>& findings,
                  Patience* patience) {
    const Traits traits = traits_of(inside);
    if (traits == 0 && !kinds.has(Kind::Name)) return;
    const bool is_plain = (traits & kEscapes) == 0 && !is_disguised(inside, traits);
    if (!is_plain) return find_folded(inside, true, kinds, label, findings, patience);
    if ((traits & kStops) != 0 || kinds.has(Kind::Name)) find_plain(inside, kinds, label, findings);
}

}  // namespace parlance::personal
