// Recall and precision of the search for personal data in labelled sentences.
//
//   parlance_personal_score sentences.json     [{"text":…,"spans":[[label, begin, end],…]},…]
//
// Begin and end count characters. A label is found if a finding of its kind overlaps, and a
// finding is right if a label of its kind overlaps. Then the search runs on generated text without
// personal data, where every finding is wrong.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/personal/personal.h"
#include "base/uuid.h"

namespace parlance::personal {
namespace {

struct LabelRow {
    std::string_view label;
    Kind kind;
};

constexpr std::array kLabels{
    LabelRow{"EMAIL_ADDRESS", Kind::Email},
    LabelRow{"PHONE_NUMBER", Kind::Phone},
    LabelRow{"CREDIT_CARD", Kind::Card},
    LabelRow{"IBAN_CODE", Kind::Iban},
    LabelRow{"US_SSN", Kind::Ssn},
    LabelRow{"IP_ADDRESS", Kind::Ip},
    LabelRow{"DATE_TIME", Kind::BirthDate},
    LabelRow{"US_DRIVER_LICENSE", Kind::Licence},
    LabelRow{"PERSON", Kind::Name},
    LabelRow{"ADDRESS", Kind::Address},
};

struct Span {
    Kind kind;
    std::size_t begin;
    std::size_t end;
    bool counts;  ///< For recall: of dates only dates of birth.
};

struct Score {
    std::size_t labelled = 0;
    std::size_t recalled = 0;
    std::size_t exact = 0;
    std::size_t found = 0;
    std::size_t right = 0;
};

/// The byte offset of character `index`.
std::size_t byte_of(std::string_view text, std::size_t index) {
    std::size_t i = 0;
    while (i < text.size() && index > 0) {
        ++i;
        while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) ++i;
        --index;
    }
    return i;
}

bool is_about_birth(std::string_view text, std::size_t place) {
    const std::string_view words = text.substr(place - std::min<std::size_t>(place, 24), 24);
    return words.find("birth") != words.npos || words.find("born") != words.npos;
}

std::vector<Span> labelled_spans(std::string_view text, json::Value spans) {
    std::vector<Span> out;
    for (json::Elements rows{spans}; rows.next();) {
        std::vector<json::Value> cells;
        for (json::Elements row{rows.value}; row.next();) cells.push_back(row.value);
        std::string spare;
        const auto label = std::ranges::find(kLabels, cells.at(0).text(spare), &LabelRow::label);
        if (label == kLabels.end()) continue;
        const auto begin = byte_of(text, static_cast<std::size_t>(*cells.at(1).integer()));
        const auto end = byte_of(text, static_cast<std::size_t>(*cells.at(2).integer()));
        const bool counts = label->kind != Kind::BirthDate || is_about_birth(text, begin);
        out.push_back({label->kind, begin, end, counts});
    }
    return out;
}

bool is_same(const Span& span, const Finding& finding) {
    return span.kind == finding.kind && finding.begin < span.end && span.begin < finding.end;
}

void show(std::string_view what, std::string_view text, std::size_t begin, std::size_t end) {
    const std::size_t from = begin - std::min<std::size_t>(begin, 40);
    std::string line = fmt::format("{}: …{}⟦{}⟧{}…",
                                   what,
                                   text.substr(from, begin - from),
                                   text.substr(begin, end - begin),
                                   text.substr(end, 20));
    std::ranges::replace(line, '\n', '|');
    fmt::print(stderr, "{}\n", line);
}

void score_sentence(std::string_view text,
                    const std::vector<Span>& spans,
                    Kinds kinds,
                    std::map<Kind, Score>& scores) {
    std::vector<Finding> findings;
    find(text, kinds, {}, findings);
    for (const Span& span : spans) {
        if (!span.counts) continue;
        Score& score = scores[span.kind];
        ++score.labelled;
        const auto hit = std::ranges::find_if(
            findings, [&](const Finding& finding) { return is_same(span, finding); });
        if (hit == findings.end()) {
            if (row_of(span.kind).has_structure) show("missed", text, span.begin, span.end);
            continue;
        }
        ++score.recalled;
        const bool is_exact = hit->begin == span.begin && hit->end == span.end;
        score.exact += is_exact ? 1U : 0U;
    }
    for (const Finding& finding : findings) {
        Score& score = scores[finding.kind];
        ++score.found;
        const bool is_right =
            std::ranges::any_of(spans, [&](const Span& span) { return is_same(span, finding); });
        score.right += is_right ? 1U : 0U;
        const KindRow& row = row_of(finding.kind);
        if (!is_right && row.has_structure) show(row.name, text, finding.begin, finding.end);
    }
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
}

void print_scores(const std::map<Kind, Score>& scores) {
    fmt::print("{:<16}{:>9}{:>9}{:>9}{:>9}{:>10}\n",
               "kind",
               "labelled",
               "recall",
               "exact",
               "found",
               "precision");
    for (const auto& [kind, score] : scores) {
        fmt::print("{:<16}{:>9}{:>9.4f}{:>9.4f}{:>9}{:>10.4f}{}\n",
                   row_of(kind).name,
                   score.labelled,
                   share(score.recalled, score.labelled),
                   share(score.exact, score.labelled),
                   score.found,
                   share(score.right, score.found),
                   row_of(kind).has_structure ? "" : "  best effort");
    }
}

/// A token common in logs and programs, with no personal data.
std::string innocent_token(std::mt19937_64& entropy) {
    const auto below = [&](std::uint64_t n) { return entropy() % n; };
    const auto letters = [&](std::string_view alphabet, std::size_t count) {
        std::string out;
        while (count-- > 0) out += alphabet[below(alphabet.size())];
        return out;
    };
    switch (below(10)) {
        case 0:
            return uuid_v4(entropy(), entropy());
        case 1:
            return letters("0123456789abcdef", std::array{7U, 12U, 32U, 40U, 64U}[below(5)]);
        case 2:
            return fmt::format("${}.{:02}", below(1000000), below(100));
        case 3:
            return fmt::format("{},{:03}.{:02} EUR", 1 + below(999), below(1000), below(100));
        case 4:
            return fmt::format("v{}.{}.{}-rc{}", below(30), below(100), below(1000), below(9));
        case 5:
            return fmt::format("version {}.{}.{}.{}", below(12), below(99), below(255), below(255));
        case 6:
            return fmt::format("{}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                               1990 + below(50),
                               1 + below(12),
                               1 + below(28),
                               below(24),
                               below(60),
                               below(60),
                               below(1000));
        case 7:
            return letters("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                           24 + 4 * below(12)) +
                   "==";
        case 8:
            return std::to_string(1700000000 + below(100000000));
        default:
            return std::to_string(below(std::uint64_t{1} << (8 + below(24))));
    }
}

void print_innocent() {
    constexpr int kTokens = 400'000;
    std::mt19937_64 entropy{7};
    std::map<Kind, std::size_t> hits;
    std::size_t hit_count = 0;
    for (int i = 0; i < kTokens; i += 8) {
        std::string text;
        for (int j = 0; j < 8; ++j) text += innocent_token(entropy) + (j % 3 == 0 ? ", " : " ");
        for (const Finding& finding : find(text)) {
            ++hits[finding.kind];
            if (++hit_count < 30) show("innocent", text, finding.begin, finding.end);
        }
    }
    fmt::print("\ninnocent tokens {}, false hits {}, in 10,000 tokens {:.3f}\n",
               kTokens,
               hit_count,
               share(hit_count * 10'000, kTokens));
    for (const auto& [kind, count] : hits) fmt::print("  {:<16}{}\n", row_of(kind).name, count);
}

int run(const char* path) {
    std::ifstream file{path};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (const auto checked = json::check(text); !checked) {
        fmt::print(stderr, "{}: {}\n", path, checked.error().message);
        return 1;
    }
    Kinds kinds = structured_kinds();
    kinds.add(Kind::Name);
    kinds.add(Kind::Address);
    std::map<Kind, Score> scores;
    for (json::Elements sentences{json::root(text)}; sentences.next();) {
        std::string spare;
        const auto sentence = json::find(sentences.value, "text")->text(spare);
        score_sentence(sentence,
                       labelled_spans(sentence, *json::find(sentences.value, "spans")),
                       kinds,
                       scores);
    }
    print_scores(scores);
    print_innocent();
    return 0;
}

}  // namespace
}  // namespace parlance::personal

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: parlance_personal_score sentences.json\n");
        return 2;
    }
    return parlance::personal::run(argv[1]);
}
