#include "narrative/aggregate.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/fold.h"
#include "base/json.h"
#include "base/json_equal.h"
#include "base/json_write.h"

namespace parlance::narrative {

namespace {

/// Members in which an agent says in words what it found.
constexpr std::array<std::string_view, 7> kWords{
    "answer", "summary", "text", "message", "result", "document", "narrative"};

struct Sureness {
    std::uint32_t least;  ///< In thousandths.
    std::string_view word;
};
/// As the contract's confidence levels.
constexpr std::array kSureness{Sureness{800, "high"},
                               Sureness{500, "medium"},
                               Sureness{250, "low"},
                               Sureness{0, "speculative"}};

std::string_view word_of(std::uint32_t confidence) {
    return std::ranges::find_if(kSureness,
                                [&](const Sureness& row) { return confidence >= row.least; })
        ->word;
}

std::string number_of(std::uint32_t thousandths) {
    return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

std::string& next(std::string& list) {
    if (list.size() > 1) list += ',';
    return list;
}

/// A key as users are told it: the one word for it, or its own with spaces.
std::string term_of(std::string_view key, const Vocabulary& words) {
    const auto found =
        std::ranges::find(words.terms, key, &std::pair<std::string, std::string>::first);
    if (found != words.terms.end()) return found->second;
    std::string term{key};
    std::ranges::replace(term, '_', ' ');
    return term;
}

bool is_scalar(json::Value value) {
    return !value.is_object() && !value.is_array() && !value.is_null();
}

std::string plain(json::Value value) {
    std::string spare;
    return value.is_string() ? std::string{value.text(spare)} : std::string{value.raw};
}

/// What a part brought, in words.
std::string told(json::Value output, const Vocabulary& words) {
    if (!output.is_object()) return plain(output);
    for (const auto key : kWords) {
        const auto value = json::find(output, key);
        if (value && value->is_string()) return plain(*value);
    }
    std::string text;
    for (json::Members members{output}; members.next();) {
        if (members.value.is_null()) continue;
        if (!text.empty()) text += "; ";
        text += term_of(members.key, words) + ": " + plain(members.value);
    }
    return text;
}

/// One value of something that several parts speak of.
struct Claim {
    const Part* part;
    std::string value;  ///< JSON.
};

/// By folded term, in the order of the terms.
std::map<std::string, std::pair<std::string, std::vector<Claim>>> claims_of(
    const std::vector<Part>& parts, const Vocabulary& words) {
    std::map<std::string, std::pair<std::string, std::vector<Claim>>> claims;
    for (const auto& part : parts) {
        if (part.output.empty() || !json::root(part.output).is_object()) continue;
        for (json::Members members{json::root(part.output)}; members.next();) {
            const bool is_words = std::ranges::find(kWords, members.key) != kWords.end();
            if (!is_scalar(members.value) || is_words) continue;
            auto term = term_of(members.key, words);
            auto& [shown, values] = claims[folded(term)];
            if (shown.empty()) shown = std::move(term);
            values.push_back({&part, std::string{members.value.raw}});
        }
    }
    return claims;
}

bool is_agreed(const std::vector<Claim>& claims) {
    return std::ranges::all_of(claims, [&](const Claim& claim) {
        return json::is_equal(
            json::root(claim.value), json::root(claims.front().value), json::Numbers::ByValue);
    });
}

std::uint32_t sureness_of(const Claim& claim) {
    return claim.part->confidence == kNoConfidence ? 0 : claim.part->confidence;
}

/// The surest; nothing if another value is as sure.
const Claim* preferred(const std::vector<Claim>& claims) {
    const auto& best = *std::ranges::max_element(claims, {}, sureness_of);
    const bool is_tied = std::ranges::any_of(claims, [&](const Claim& claim) {
        return sureness_of(claim) == sureness_of(best) &&
               !json::is_equal(
                   json::root(claim.value), json::root(best.value), json::Numbers::ByValue);
    });
    return is_tied ? nullptr : &best;
}

std::string values_text(const std::vector<Claim>& claims) {
    std::string text;
    for (const auto& claim : claims) {
        if (!text.empty()) text += ", ";
        text += fmt::format("{} ({})", plain(json::root(claim.value)), claim.part->label);
    }
    return text;
}

std::string conflict_json(std::string_view term,
                          const std::vector<Claim>& claims,
                          const Claim* best) {
    std::string values = "[";
    for (const auto& claim : claims) {
        json::ObjectWriter value;
        value.raw("value", claim.value).text("source", claim.part->label);
        if (claim.part->confidence != kNoConfidence) {
            value.raw("confidence", number_of(claim.part->confidence));
        }
        next(values) += value.done();
    }
    json::ObjectWriter out;
    out.text("about", term).raw("values", values + "]");
    return out.raw("preferred", best == nullptr ? "null" : best->value).done();
}

void add_conflicts(Aggregate& all, const std::vector<Part>& parts, const Vocabulary& words) {
    all.conflicts = "[";
    for (const auto& [key, entry] : claims_of(parts, words)) {
        const auto& [term, claims] = entry;
        if (claims.size() < 2 || is_agreed(claims)) continue;
        const auto* best = preferred(claims);
        next(all.conflicts) += conflict_json(term, claims, best);
        if (best != nullptr) {
            all.answer += fmt::format(
                "Note: there are different values for {}: {}. I go by {}, which is surer.\n",
                term,
                values_text(claims),
                plain(json::root(best->value)));
        } else {
            all.question += fmt::format(
                "{}There are different values for {}, equally sure: {}. Which should I go by?",
                all.question.empty() ? "" : " ",
                term,
                values_text(claims));
        }
    }
    all.conflicts += ']';
}

void add_part(Aggregate& all, const Part& part, const Vocabulary& words) {
    json::ObjectWriter component;
    component.text("label", part.label);
    if (part.output.empty()) {
        all.answer += fmt::format(
            "{}: not available{}{}.\n", part.label, part.reason.empty() ? "" : ", ", part.reason);
        next(all.components) += component.boolean("missing", true).done();
        return;
    }
    component.raw("content", part.output);
    all.answer += fmt::format("{}: {}", part.label, told(json::root(part.output), words));
    if (part.confidence != kNoConfidence) {
        component.raw("confidence", number_of(part.confidence))
            .text("confidence_level", word_of(part.confidence));
        all.answer += fmt::format(" (confidence {})", word_of(part.confidence));
    }
    all.answer += '\n';
    next(all.components) += component.done();
}

/// What agents say to one another of who does what, and what users are told instead.
constexpr std::array kRoutingWords{Internal{"routing to", "asking"},
                                   Internal{"routed to", "seen to by"},
                                   Internal{"delegating to", "asking"},
                                   Internal{"delegated to", "seen to by"},
                                   Internal{"handing off to", "asking"},
                                   Internal{"handed off to", "seen to by"},
                                   Internal{"handoff to", "question to"},
                                   Internal{"target_agent", "who does it"},
                                   Internal{"target_capability", "what is done"}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool is_letter(char c) {
    const auto low = lower(c);
    return (c >= '0' && c <= '9') || (low >= 'a' && low <= 'z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// Whether the name stands at this place as a word of its own.
bool stands_at(std::string_view text, std::size_t at, std::string_view name) {
    if (name.empty() || text.substr(at, name.size()) != name) return false;
    const auto end = at + name.size();
    return (at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]));
}

/// One pass, so that what is put in is not looked at again.
template <class Names>
std::string replaced(std::string_view text, std::string_view sought, const Names& names) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const bool begins = at == 0 || !is_letter(text[at - 1]);
        const auto found =
            begins
                ? std::ranges::find_if(
                      names, [&](const Internal& each) { return stands_at(sought, at, each.name); })
                : std::end(names);
        if (found == std::end(names)) {
            out += text[at++];
            continue;
        }
        const auto first = out.size();
        out += found->instead;
        // A sentence begins as it did.
        const bool is_capital = text[at] != lower(text[at]) && sought[at] != text[at];
        if (is_capital && out.size() > first) out[first] = upper(out[first]);
        at += found->name.size();
    }
    return out;
}

}  // namespace

void longest_first(std::vector<Internal>& internals) {
    std::ranges::stable_sort(
        internals, std::ranges::greater{}, [](const Internal& each) { return each.name.size(); });
}

std::string discreet(std::string_view text, const std::vector<Internal>& internals) {
    std::string low{text};
    std::ranges::transform(low, low.begin(), lower);
    const auto unrouted = replaced(text, low, kRoutingWords);
    return replaced(unrouted, unrouted, internals);
}

Aggregate aggregate(const std::vector<Part>& parts, const Vocabulary& words) {
    Aggregate all{.components = "["};
    for (const auto& part : parts) add_part(all, part, words);
    all.components += ']';
    add_conflicts(all, parts, words);
    if (all.answer.ends_with('\n')) all.answer.pop_back();
    all.answer = discreet(all.answer, words.internals);
    all.question = discreet(all.question, words.internals);
    return all;
}

}  // namespace parlance::narrative
