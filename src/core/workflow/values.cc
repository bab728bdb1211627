#include "core/workflow/values.h"

#include <algorithm>
#include <array>
#include <compare>

#include "base/decimal.h"
#include "base/json_equal.h"
#include "base/mutant.h"

namespace parlance::core::workflow {

namespace {

constexpr std::string_view kFrom = "$from";
constexpr std::string_view kDefault = "default";

void append_filled(std::string& out, json::Value text, const Lookup& lookup);

/// The replacement for a placeholder; nothing if the object is not a placeholder.
std::optional<json::Value> placed(json::Value object, const Lookup& lookup) {
    const auto from = json::find(object, kFrom);
    if (!from || !from->is_string()) return std::nullopt;
    std::string spare;
    const json::Value found = lookup(from->text(spare));
    if (!found.raw.empty() && !is_planted(Mutant::FillWithNothing)) return found;
    const auto otherwise = json::find(object, kDefault);
    return otherwise ? *otherwise : json::root("null");
}

void append_object(std::string& out, json::Value object, const Lookup& lookup) {
    if (const auto value = placed(object, lookup)) {
        out += value->raw;
        return;
    }
    out += '{';
    bool is_first = true;
    for (json::Members members{object}; members.next(); is_first = false) {
        if (!is_first) out += ',';
        json::append_quoted(out, members.key);
        out += ':';
        append_filled(out, members.value, lookup);
    }
    out += '}';
}

void append_filled(std::string& out, json::Value text, const Lookup& lookup) {
    if (text.is_object()) return append_object(out, text, lookup);
    if (!text.is_array()) {
        out += text.raw;
        return;
    }
    out += '[';
    bool is_first = true;
    for (json::Elements elements{text}; elements.next(); is_first = false) {
        if (!is_first) out += ',';
        append_filled(out, elements.value, lookup);
    }
    out += ']';
}

bool is_same(json::Value left, json::Value right) {
    return json::is_equal(left, right, json::Numbers::ByValue);
}

/// A text contains a text, a list an element, an object a member.
bool contains(json::Value whole, json::Value part) {
    std::string spare;
    std::string other_spare;
    if (whole.is_array()) {
        for (json::Elements elements{whole}; elements.next();) {
            if (is_same(elements.value, part)) return true;
        }
        return false;
    }
    if (!part.is_string()) return false;
    const auto text = part.text(spare);
    if (whole.is_object()) return json::find(whole, text).has_value();
    return whole.is_string() && whole.text(other_spare).find(text) != std::string_view::npos;
}

/// Compares the value with a number; unordered if either is not a number.
std::partial_ordering against(json::Value value, json::Value number) {
    if (!value.is_number() || !number.is_number()) return std::partial_ordering::unordered;
    return compare(decimal_of(value.raw), decimal_of(number.raw));
}

struct Comparison {
    std::string_view word;
    bool (*holds)(json::Value value, json::Value other);
};
constexpr std::array kComparisons{
    Comparison{"is", [](auto value, auto other) { return is_same(value, other); }},
    Comparison{"is_not", [](auto value, auto other) { return !is_same(value, other); }},
    Comparison{"above", [](auto value, auto other) { return against(value, other) > 0; }},
    Comparison{"at_least", [](auto value, auto other) { return against(value, other) >= 0; }},
    Comparison{"below", [](auto value, auto other) { return against(value, other) < 0; }},
    Comparison{"at_most", [](auto value, auto other) { return against(value, other) <= 0; }},
    Comparison{"contains", [](auto value, auto other) { return contains(value, other); }},
    Comparison{"exists",
               [](auto value, auto other) { return value.is_null() != (other.raw == "true"); }},
};

bool holds_all(json::Value list, const Lookup& lookup) {
    for (json::Elements each{list}; each.next();) {
        if (!holds(each.value, lookup)) return false;
    }
    return true;
}

bool holds_any(json::Value list, const Lookup& lookup) {
    for (json::Elements each{list}; each.next();) {
        if (holds(each.value, lookup)) return true;
    }
    return false;
}

}  // namespace

std::string filled(json::Value text, const Lookup& lookup) {
    std::string out;
    append_filled(out, text, lookup);
    return out;
}

bool holds(json::Value condition, const Lookup& lookup) {
    const auto subject = json::find(condition, "value");
    const std::string value = subject ? filled(*subject, lookup) : "null";
    for (json::Members members{condition}; members.next();) {
        if (members.key == "all" && !holds_all(members.value, lookup)) return false;
        if (members.key == "any" && !holds_any(members.value, lookup)) return false;
        if (members.key == "not" && holds(members.value, lookup)) return false;
        const auto row = std::ranges::find(kComparisons, members.key, &Comparison::word);
        if (row == kComparisons.end()) continue;
        const std::string other = filled(members.value, lookup);
        if (!row->holds(json::root(value), json::root(other))) return false;
    }
    return true;
}

}  // namespace parlance::core::workflow
