#include "narrative/aggregate.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/fold.h"
#include "base/json.h"
#include "base/json_equal.h"
#include "base/json_write.h"
#include "narrative/guard.h"

namespace parlance::narrative {

namespace {

/// Members in which an agent puts its result into words.
constexpr std::array<std::string_view, 7> kWords{
    "answer", "summary", "text", "message", "result", "document", "narrative"};

struct Sureness {
    std::uint32_t least;  ///< In thousandths.
    std::string_view word;
};
/// The contract's confidence levels.
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

/// A key in users' words: the vocabulary's term, else the key with spaces.
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

/// A value in users' words: prose without internal names, data unchanged.
std::string told_value(std::string_view key, json::Value value, const Vocabulary& words) {
    if (!value.is_string()) return discreet_json(value, words.internals);
    auto text = plain(value);
    return is_prose(key, text) ? discreet(text, words.internals) : text;
}

/// A part's output in words.
std::string told(json::Value output, const Vocabulary& words) {
    if (!output.is_object()) return told_value({}, output, words);
    for (const auto key : kWords) {
        const auto value = json::find(output, key);
        if (value && value->is_string()) return told_value(key, *value, words);
    }
    std::string text;
    for (json::Members members{output}; members.next();) {
        if (members.value.is_null()) continue;
        if (!text.empty()) text += "; ";
        text += term_of(members.key, words) + ": " + told_value(members.key, members.value, words);
    }
    return text;
}

/// One part's value for a term that several parts may mention.
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

/// The claim with the highest confidence; null if a different value is equally confident.
const Claim* preferred(const std::vector<Claim>& claims) {
    const auto& best = *std::ranges::max_element(claims, {}, sureness_of);
    const bool is_tied = std::ranges::any_of(claims, [&](const Claim& claim) {
        return sureness_of(claim) == sureness_of(best) &&
               !json::is_equal(
                   json::root(claim.value), json::root(best.value), json::Numbers::ByValue);
    });
    return is_tied ? nullptr : &best;
}

/// The claim with the value that the user chose; null without a decision, or if no claim has the
/// chosen value any more.
const Claim* decided(std::string_view term,
                     const std::vector<Claim>& claims,
                     const Vocabulary& words) {
    for (const auto& decision : words.decisions) {
        if (folded(decision.about) != folded(term)) continue;
        const auto chosen = std::ranges::find_if(claims, [&](const Claim& claim) {
            return json::is_equal(
                json::root(claim.value), json::root(decision.value), json::Numbers::ByValue);
        });
        if (chosen != claims.end()) return &*chosen;
    }
    return nullptr;
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
        const auto* chosen = decided(term, claims, words);
        const auto* best = chosen != nullptr ? chosen : preferred(claims);
        next(all.conflicts) += conflict_json(term, claims, best);
        if (best != nullptr) {
            all.answer +=
                fmt::format("Note: there are different values for {}: {}. I go by {}, {}.\n",
                            term,
                            values_text(claims),
                            plain(json::root(best->value)),
                            chosen != nullptr ? "as you decided" : "which is surer");
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
        component.boolean("missing", true);
        if (!part.reason.empty()) component.text("reason", part.reason);
        next(all.components) += component.done();
        return;
    }
    component.raw("content", discreet_json(json::root(part.output), words.internals));
    all.answer += fmt::format("{}: {}", part.label, told(json::root(part.output), words));
    if (part.confidence != kNoConfidence) {
        component.raw("confidence", number_of(part.confidence))
            .text("confidence_level", word_of(part.confidence));
        all.answer += fmt::format(" (confidence {})", word_of(part.confidence));
    }
    all.answer += '\n';
    next(all.components) += component.done();
}

}  // namespace

Aggregate aggregate(const std::vector<Part>& parts, const Vocabulary& words) {
    Aggregate all{.components = "["};
    // Labels come from the plan's author and reasons from agents: either may contain internal
    // names.
    std::vector<std::string> texts;
    texts.reserve(2 * parts.size());
    auto told = parts;
    for (auto& part : told) {
        part.label = texts.emplace_back(discreet(part.label, words.internals));
        part.reason = texts.emplace_back(discreet(part.reason, words.internals));
    }
    for (const auto& part : told) add_part(all, part, words);
    all.components += ']';
    add_conflicts(all, told, words);
    if (all.answer.ends_with('\n')) all.answer.pop_back();
    return all;
}

}  // namespace parlance::narrative
