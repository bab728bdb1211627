// Personal data in every spelling: valid values, times separators of groups, times surroundings,
// times scripts of digits. And innocent twins, which look alike and break a rule.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/personal/made_up.h"
#include "base/personal/personal.h"

namespace parlance::personal {
namespace {

using Groups = std::vector<std::string>;

Groups divided(std::string_view text, std::initializer_list<std::size_t> sizes) {
    Groups groups;
    for (const std::size_t size : sizes) {
        groups.emplace_back(text.substr(0, size));
        text.remove_prefix(std::min(size, text.size()));
    }
    return groups;
}

Groups in_fours(std::string_view text) {
    Groups groups;
    for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(4, text.size()))) {
        groups.emplace_back(text.substr(0, 4));
    }
    return groups;
}

Groups card(SampleEntropy& entropy) {
    const std::string number = std::array{"4", "51", "2221", "6011", "3528"}[entropy.below(5)];
    const std::string whole = number + entropy.digits(15 - number.size());
    return in_fours(whole + luhn_digit(whole));
}
Groups amex(SampleEntropy& entropy) {
    const std::string number = "37" + entropy.digits(12);
    return divided(number + luhn_digit(number), {4, 6, 5});
}
Groups german_account(SampleEntropy& entropy) {
    return in_fours(iban_of("DE", entropy.digits(18)));
}
Groups british_account(SampleEntropy& entropy) {
    return in_fours(
        iban_of("GB", entropy.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 4) + entropy.digits(14)));
}
Groups french_account(SampleEntropy& entropy) {
    return in_fours(iban_of("FR", entropy.digits(10) + entropy.of("AB19", 11) + entropy.digits(2)));
}
Groups ssn(SampleEntropy& entropy) {
    return {fmt::format("{:03}", entropy.between(1, 665)),
            fmt::format("{:02}", entropy.between(1, 99)),
            fmt::format("{:04}", entropy.between(1, 9999))};
}
Groups itin(SampleEntropy& entropy) {
    return {fmt::format("9{:02}", entropy.below(100)),
            fmt::format("{}", entropy.between(70, 88)),
            entropy.digits(4)};
}
Groups sin(SampleEntropy& entropy) {
    const std::string number = fmt::format("{}{}", entropy.between(1, 7), entropy.digits(7));
    return divided(number + luhn_digit(number), {3, 3, 3});
}
Groups nino(SampleEntropy& entropy) {
    return {entropy.of("ABCEGHJKLMNPRSTWXYZ", 1) + entropy.of("ABCEGHJKLMNPRSTWXYZ", 1),
            entropy.digits(2),
            entropy.digits(2),
            entropy.digits(2),
            entropy.of("ABCD", 1)};
}
Groups phone(SampleEntropy& entropy) {
    return {fmt::format("{}", entropy.between(201, 989)),
            fmt::format("{}", entropy.between(201, 989)),
            entropy.digits(4)};
}
Groups phone_abroad(SampleEntropy& entropy) {
    return {"+44", "7" + entropy.digits(3), entropy.digits(6)};
}
Groups birth_date(SampleEntropy& entropy) {
    return {fmt::format("{}", entropy.between(1930, 2020)),
            fmt::format("{:02}", entropy.between(1, 12)),
            fmt::format("{:02}", entropy.between(1, 28))};
}
Groups email(SampleEntropy& entropy) {
    return {entropy.of("abcdefgh", 5) + "." + entropy.of("klmnop", 4),
            "@",
            entropy.of("rstuvw", 6) + std::array{".org", ".co.uk", ".example"}[entropy.below(3)]};
}
Groups ip4(SampleEntropy& entropy) {
    return {fmt::format("{}.{}.{}.{}",
                        entropy.between(11, 223),
                        entropy.below(256),
                        entropy.below(256),
                        entropy.below(256))};
}
Groups ip6(SampleEntropy& entropy) {
    const auto group = [&] { return entropy.of("0123456789abcdef", 4); };
    switch (entropy.below(4)) {
        case 0:
            return {"2001:db8:" + group() + "::" + group()};
        case 1:
            return {"::ffff:" + ip4(entropy)[0]};
        case 2:
            return {"64:ff9b::" + ip4(entropy)[0]};
        default:
            return {fmt::format("2001:{}:{}:{}:{}:{}:{}:{}",
                                group(),
                                group(),
                                group(),
                                group(),
                                group(),
                                group(),
                                group())};
    }
}

// Separators of groups, a bit for each sort, so that a row can name the sorts used by its kind.
using Sorts = unsigned;
constexpr Sorts kNone = 1;
constexpr Sorts kSpace = 2;
constexpr Sorts kDash = 4;
constexpr Sorts kDot = 8;
constexpr Sorts kSlash = 16;
constexpr Sorts kUnderscore = 32;
constexpr Sorts kBreak = 64;    ///< A tab or a line break.
constexpr Sorts kHidden = 128;  ///< Zero-width characters.
constexpr Sorts kAll = 255;

struct Separator {
    Sorts sort;
    std::string_view text;
};
constexpr std::array kSeparators{
    Separator{kNone, ""},         Separator{kSpace, " "},       Separator{kSpace, "  "},
    Separator{kSpace, "\u00A0"},  Separator{kSpace, "\u2009"},  Separator{kSpace, "\u202F"},
    Separator{kSpace, "\u3000"},  Separator{kSpace, "&nbsp;"},  Separator{kSpace, "%20"},
    Separator{kDash, "-"},        Separator{kDash, "\u2010"},   Separator{kDash, "\u2011"},
    Separator{kDash, "\u2013"},   Separator{kDash, "\u2212"},   Separator{kDash, " - "},
    Separator{kDash, "&ndash;"},  Separator{kDash, "&#8209;"},  Separator{kDash, "&#x2011;"},
    Separator{kDash, "%2D"},      Separator{kDot, "."},         Separator{kDot, "\u00B7"},
    Separator{kSlash, "/"},       Separator{kSlash, "%2F"},     Separator{kUnderscore, "_"},
    Separator{kBreak, "\t"},      Separator{kBreak, "\n"},      Separator{kBreak, "\r\n"},
    Separator{kHidden, "\u200B"}, Separator{kHidden, "\u00AD"}, Separator{kHidden, "\u2060"},
    Separator{kHidden, "\uFEFF"}, Separator{kHidden, "&shy;"},
};

struct Row {
    Kind kind;
    Groups (*make)(SampleEntropy& entropy);
    std::string_view words;  ///< A cue before the value, if the form alone is ambiguous.
    Sorts bare;              ///< Separators accepted without the cue.
    Sorts said;              ///< Separators accepted with the cue.
    bool is_strict;          ///< Every value must be found.
    bool may_hang;           ///< A word may follow without a gap.
};
const std::array kRows{
    Row{Kind::Card, card, "card", kAll, kAll, true, true},
    Row{Kind::Card, amex, "card", kAll, kAll, true, true},
    Row{Kind::Iban, german_account, "IBAN", kAll, kAll, true, true},
    Row{Kind::Iban, british_account, "IBAN", kAll, kAll, true, true},
    Row{Kind::Iban, french_account, "IBAN", kAll, kAll, true, true},
    Row{Kind::Ssn, ssn, "SSN", kDash, kAll, true, true},
    Row{Kind::Itin, itin, "ITIN", kDash, kAll, true, true},
    Row{Kind::Sin, sin, "SIN", kDash, kAll, true, true},
    Row{Kind::Nino,
        nino,
        "NINO",
        kNone | kHidden | kSpace | kDash | kDot,
        kAll & ~kSlash,
        true,
        false},
    Row{Kind::Phone,
        phone,
        "phone",
        kDash | kDot | kSpace | kSlash | kUnderscore,
        kAll & ~kBreak,
        false,
        false},
    Row{Kind::Phone, phone_abroad, "phone", kAll, kAll, false, false},
    Row{Kind::BirthDate, birth_date, "born", 0, kAll, false, false},
    Row{Kind::BirthDate, birth_date, "DOB", 0, kAll, false, false},
    Row{Kind::Email, email, "mail", kNone | kHidden, kNone | kHidden, false, false},
    Row{Kind::Ip, ip4, "from", kNone, kNone, false, false},
    Row{Kind::Ip, ip6, "from", kNone, kNone, false, false},
};

struct Neighbours {
    std::string_view before;
    std::string_view after;
};
constexpr std::array kNeighbours{
    Neighbours{" ", ""},
    Neighbours{" ", " "},
    Neighbours{" ", "."},
    Neighbours{" ", ", and"},
    Neighbours{" ", "!"},
    Neighbours{" (", ")"},
    Neighbours{" [", "]"},
    Neighbours{" {", "}"},
    Neighbours{" \"", "\""},
    Neighbours{" '", "'"},
    Neighbours{" “", "”"},
    Neighbours{":", ""},
    Neighbours{": ", ";"},
    Neighbours{":\"", "\","},
    Neighbours{"=", "&x=1"},
    Neighbours{"=\"", "\""},
    Neighbours{"%3D", "%26x%3D1"},
    Neighbours{"%20", "%20"},
    Neighbours{"#", "#"},
    Neighbours{"#: ", ""},
    Neighbours{",", ",x"},
    Neighbours{",\"", "\",\"x\""},
    Neighbours{"|", "|"},
    Neighbours{"\t", "\t"},
    Neighbours{"\n", "\n"},
    Neighbours{" **", "**"},
    Neighbours{" *", "*"},
    Neighbours{" _", "_"},
    Neighbours{" `", "`"},
    Neighbours{"<b>", "</b>"},
    Neighbours{"</td><td>", "</td>"},
    Neighbours{" &lt;", "&gt;"},
    Neighbours{" &quot;", "&quot;"},
    Neighbours{"&#58;", "&#44;"},
    Neighbours{":\u00A0", "\u00A0"},
    Neighbours{" \u200B", "\u200B"},
};
/// A word right after the value.
constexpr std::array kWordsBehind{
    Neighbours{" ", "EUR"}, Neighbours{" ", "and"}, Neighbours{" ", "_x"}};

struct Script {
    std::string_view name;
    std::uint32_t zero;
};
constexpr std::array kScripts{Script{"ASCII", '0'},
                              Script{"full-width", 0xFF10},
                              Script{"Arabic", 0x0660},
                              Script{"Persian", 0x06F0},
                              Script{"Devanagari", 0x0966},
                              Script{"Bengali", 0x09E6},
                              Script{"Thai", 0x0E50},
                              Script{"mathematical", 0x1D7CE}};

std::string utf8(std::uint32_t code) {
    if (code < 0x80) return {static_cast<char>(code)};
    const unsigned more = code < 0x800 ? 1 : (code < 0x10000 ? 2 : 3);
    constexpr std::array kLeads{0xC0U, 0xE0U, 0xF0U};
    std::string out{static_cast<char>(kLeads.at(more - 1) | code >> 6 * more)};
    for (unsigned i = more; i-- > 0;) out += static_cast<char>(0x80U | (code >> 6 * i & 0x3FU));
    return out;
}

std::string in_script(const Groups& groups, const Script& script, std::string_view separator) {
    std::string out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i > 0) out += separator;
        for (const char c : groups[i]) {
            const bool is_digit = c >= '0' && c <= '9';
            out +=
                is_digit ? utf8(script.zero + static_cast<std::uint32_t>(c - '0')) : std::string{c};
        }
    }
    return out;
}

struct Tally {
    std::size_t written = 0;
    std::size_t found = 0;
    std::size_t finds = 0;
    std::size_t right = 0;
    std::vector<std::string> missed{};

    double recall() const { return static_cast<double>(found) / static_cast<double>(written); }
    double precision() const { return static_cast<double>(right) / static_cast<double>(finds); }
};

class Trial {
  public:
    /// Searches `text`, which contains the value at `begin`.
    void hold(const Row& row, const std::string& text, std::size_t begin, std::size_t size) {
        Tally& tally = tallies[row.kind];
        ++tally.written;
        bool is_found = false;
        for (const Finding& finding : find(text)) {
            ++tally.finds;
            const bool is_right =
                finding.kind == row.kind && finding.begin <= begin && finding.end >= begin + size;
            tally.right += is_right ? 1U : 0U;
            is_found = is_found || is_right;
        }
        tally.found += is_found ? 1U : 0U;
        if (!is_found) tally.missed.push_back(text);
    }

    std::map<Kind, Tally> tallies;
};

void hold_in(Trial& trial,
             const Row& row,
             const std::string& value,
             const Neighbours& around,
             bool is_said) {
    std::string text{is_said ? row.words : std::string_view{"see"}};
    text += around.before;
    const std::size_t begin = text.size();
    text += value;
    text += around.after;
    trial.hold(row, text, begin, value.size());
}

Trial product(SampleEntropy& entropy) {
    Trial trial;
    for (const Row& row : kRows) {
        for (const Separator& separator : kSeparators) {
            for (const Script& script : kScripts) {
                for (const bool is_said : {false, true}) {
                    if (((is_said ? row.said : row.bare) & separator.sort) == 0) continue;
                    const auto value = [&] {
                        return in_script(row.make(entropy), script, separator.text);
                    };
                    for (const Neighbours& around : kNeighbours) {
                        hold_in(trial, row, value(), around, is_said);
                    }
                    if (!row.may_hang) continue;
                    for (const Neighbours& around : kWordsBehind) {
                        hold_in(trial, row, value(), around, is_said);
                    }
                    if (is_said) hold_in(trial, row, value(), {"", ""}, true);
                }
            }
        }
    }
    return trial;
}

bool is_strict(Kind kind) {
    return std::ranges::any_of(
        kRows, [kind](const Row& row) { return row.kind == kind && row.is_strict; });
}

std::string some_of(const std::vector<std::string>& missed) {
    std::string out;
    for (std::size_t i = 0; i < missed.size(); i += 1 + missed.size() / 20) out += missed[i] + "\n";
    return out;
}

TEST(Spellings, X15_OfAValueAreAllFound) {
    SampleEntropy entropy;
    const Trial trial = product(entropy);
    Tally all;
    for (const auto& [kind, tally] : trial.tallies) {
        const double least = is_strict(kind) ? 1.0 : 0.995;
        EXPECT_GE(tally.recall(), least)
            << row_of(kind).name << ": " << tally.missed.size() << " of " << tally.written << "\n"
            << some_of(tally.missed);
        EXPECT_GE(tally.precision(), 0.99) << row_of(kind).name;
        all.written += tally.written;
        all.found += tally.found;
        all.finds += tally.finds;
        all.right += tally.right;
    }
    EXPECT_GT(all.written, 10'000U);
    EXPECT_GE(all.recall(), 0.995);
    EXPECT_GE(all.precision(), 0.99);
}

/// Changes one digit, which every check digit detects.
Groups with_wrong_digit(Groups groups) {
    char& last = groups.back().back();
    last = last == '9' ? '0' : static_cast<char>(last + 1);
    return groups;
}

std::string innocent(SampleEntropy& entropy) {
    const auto separator = kSeparators[entropy.below(kSeparators.size())].text;
    switch (entropy.below(14)) {
        case 0:
            return entropy.uuid();
        case 1:
            return entropy.of("0123456789abcdef",
                              std::array{7U, 12U, 32U, 40U, 64U}[entropy.below(5)]);
        case 2:
            return fmt::format("${}.{:02}", entropy.below(1'000'000), entropy.below(100));
        case 3:
            return fmt::format("{},{:03}.{:02} EUR",
                               entropy.between(1, 999),
                               entropy.below(1000),
                               entropy.below(100));
        case 4:
            return fmt::format("v{}.{}.{}-rc{}",
                               entropy.below(30),
                               entropy.below(100),
                               entropy.below(1000),
                               entropy.below(9));
        case 5:
            return fmt::format("{}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                               entropy.between(1990, 2039),
                               entropy.between(1, 12),
                               entropy.between(1, 28),
                               entropy.below(24),
                               entropy.below(60),
                               entropy.below(60),
                               entropy.below(1000));
        case 6:
            return std::to_string(1'700'000'000 + entropy.below(100'000'000));
        case 7:
            return entropy.of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                              24 + 4 * entropy.below(12)) +
                   "==";
        case 8:
            return "order " + in_script(with_wrong_digit(card(entropy)), kScripts[0], separator);
        case 9:
            return "ref " +
                   in_script(with_wrong_digit(german_account(entropy)), kScripts[0], separator);
        case 10:
            return "lot " + in_script(with_wrong_digit(sin(entropy)), kScripts[0], "");
        case 11:
            return "part 000-" + entropy.digits(2) + "-" + entropy.digits(4);
        case 12:
            return fmt::format(
                "{:02}:{:02}:{:02}", entropy.below(24), entropy.below(60), entropy.below(60));
        default:
            return fmt::format("{}%{}", entropy.below(100), entropy.below(2) == 0 ? "" : " off");
    }
}

TEST(Spellings, X15_OfInnocentTextAreNotFound) {
    constexpr std::size_t kTokens = 60'000;
    SampleEntropy entropy;
    std::size_t hits = 0;
    std::string hit;
    for (std::size_t i = 0; i < kTokens; ++i) {
        const auto& around = kNeighbours[entropy.below(kNeighbours.size())];
        const std::string text =
            "see" + std::string{around.before} + innocent(entropy) + std::string{around.after};
        for (const Finding& finding : find(text)) {
            ++hits;
            hit += std::string{row_of(finding.kind).name} + " in " + text + "\n";
        }
    }
    EXPECT_LE(hits * 10'000, kTokens) << hit;
}

}  // namespace
}  // namespace parlance::personal
