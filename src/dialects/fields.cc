#include "dialects/fields.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/iso_time.h"

namespace parlance::dialects {

namespace {

constexpr std::string_view kTopicPrefix = "topic:";

using Alphabet = std::array<bool, 256>;

constexpr Alphabet kIdAlphabet = [] {
    Alphabet alphabet{};
    for (unsigned c = 0x21; c < 0x7F; ++c) alphabet[c] = c != '"' && c != '\'';
    return alphabet;
}();

constexpr Alphabet kAgentAlphabet = [] {
    Alphabet alphabet{};
    for (unsigned c = '0'; c <= '9'; ++c) alphabet[c] = true;
    for (unsigned c = 'A'; c <= 'Z'; ++c) alphabet[c] = alphabet[c | 0x20U] = true;
    for (const char c : std::string_view{"._-:/@"}) alphabet[static_cast<unsigned char>(c)] = true;
    return alphabet;
}();

constexpr Alphabet kTextAlphabet = [] {
    Alphabet alphabet{};
    for (unsigned c = 0x20; c < 0x100; ++c) alphabet[c] = c != 0x7F;
    return alphabet;
}();

bool is_written_in(const Alphabet& alphabet, std::string_view text) {
    return std::ranges::all_of(text,
                               [&](char c) { return alphabet[static_cast<unsigned char>(c)]; });
}

bool fits_text(const FieldRule& rule, std::string_view text) {
    if (text.size() > rule.bytes_max) return false;
    const bool is_topic = text.starts_with(kTopicPrefix);
    switch (rule.kind) {
        case Kind::Id:
            return !text.empty() && is_written_in(kIdAlphabet, text);
        case Kind::Agent:
            return !text.empty() && !is_topic && is_written_in(kAgentAlphabet, text);
        case Kind::Recipient:
            return !text.empty() && text != kTopicPrefix && is_written_in(kAgentAlphabet, text);
        case Kind::Text:
            return is_written_in(kTextAlphabet, text);
        case Kind::Word:
            return std::ranges::find(rule.words, text) != rule.words.end();
        case Kind::Instant:
            return parse_iso_time(text).has_value();
        default:
            return false;
    }
}

bool has_stand_in(const FieldRule& rule, const Reception& reception) {
    switch (rule.need) {
        case Need::Optional:
            return true;
        case Need::CallerStandsIn:
            return !reception.caller.empty();
        case Need::FreshIdStandsIn:
            return !reception.fresh_id.empty();
        default:
            return false;
    }
}

Problem problem_with(const FieldRule& rule, json::Value value, std::string_view parent) {
    const bool is_missing = value.raw.empty();
    return {.pointer = fmt::format("{}/{}", parent, rule.name),
            .value = is_missing ? std::string{} : shortened(value.raw),
            .rule = fmt::format("{}must be {}", is_missing ? "is missing; " : "", rule.expected),
            .section = std::string{rule.section}};
}

/// Equality that rarely comes as far as calling out: this is asked of every member.
bool is_named(std::string_view key, std::string_view name) {
    return key.size() == name.size() && key.front() == name.front() && key == name;
}

}  // namespace

void collect(json::Value object, std::span<const FieldRule> rules, std::span<json::Value> found) {
    for (json::Members members{object}; members.next();) {
        for (std::size_t i = 0; i < rules.size(); ++i) {
            if (!is_named(members.key, rules[i].name)) continue;
            const bool counts = !members.value.is_null() || rules[i].kind == Kind::Anything;
            if (counts) found[i] = members.value;
            break;
        }
    }
}

void hold_to_rules(std::span<const FieldRule> rules,
                   std::span<const json::Value> found,
                   std::string_view parent,
                   const Reception& reception,
                   Problems& problems) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const bool is_right =
            found[i].raw.empty() ? has_stand_in(rules[i], reception) : fits(rules[i], found[i]);
        if (!is_right) problems.push_back(problem_with(rules[i], found[i], parent));
    }
}

bool fits(const FieldRule& rule, json::Value value) {
    if (rule.kind == Kind::Anything) return true;
    if (rule.kind == Kind::Object) return value.is_object();
    if (rule.kind == Kind::Integer) {
        const auto integer = value.integer();
        return integer && *integer >= rule.least && *integer <= rule.most;
    }
    if (!value.is_string()) return false;
    std::string spare;
    return fits_text(rule, value.text(spare));
}

std::string_view short_text(json::Value value, std::string& spare) {
    if (!value.is_string()) return {};
    const std::string_view text = value.text(spare);
    return text.size() <= kIdBytesMax ? text : std::string_view{};
}

std::string shortened(std::string_view raw) {
    constexpr std::size_t kBytesMax = 60;
    if (raw.size() <= kBytesMax) return std::string{raw};
    std::size_t end = kBytesMax;
    while (end > 0 && (static_cast<unsigned char>(raw[end]) & 0xC0U) == 0x80U) --end;
    return std::string{raw.substr(0, end)} + "…";
}

}  // namespace parlance::dialects
