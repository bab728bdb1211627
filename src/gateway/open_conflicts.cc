#include "gateway/open_conflicts.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/fold.h"
#include "gateway/handlers.h"

namespace parlance::gateway {

namespace {

constexpr std::array<std::string_view, 5> kOrdinals{"first", "second", "third", "fourth", "fifth"};

struct Side {
    std::string value;  ///< JSON.
    std::string shown;
    std::string source;
};

std::vector<Side> sides_of(json::Value conflict) {
    std::vector<Side> sides;
    const auto values = json::find(conflict, "values");
    if (!values || !values->is_array()) return sides;
    std::string spare;
    for (json::Elements each{*values}; each.next();) {
        const auto value = json::find(each.value, "value");
        if (!value) continue;
        sides.push_back({.value = std::string{value->raw},
                         .shown = std::string{value->is_string() ? value->text(spare) : value->raw},
                         .source = text_member(each.value, "source")});
    }
    return sides;
}

/// The text with single spaces between and around words, for searching whole words.
std::string spaced(std::string_view words) {
    std::string out = " ";
    for (const char c : folded(words)) {
        const bool is_gap = c == ' ' || c == ',' || c == '!' || c == '?' || c == '"';
        if (!is_gap) out += c;
        if (is_gap && out.back() != ' ') out += ' ';
    }
    if (out.back() == '.') out.pop_back();
    if (out.back() != ' ') out += ' ';
    return out;
}

bool says(const std::string& words, std::string_view sought) {
    return !sought.empty() && words.find(spaced(sought)) != std::string::npos;
}

/// The only side that passes; null if none or several pass.
template <class Holds>
const Side* only_one(const std::vector<Side>& sides, Holds holds) {
    const auto found = std::ranges::find_if(sides, holds);
    if (found == sides.end()) return nullptr;
    const bool is_only =
        std::none_of(found + 1, sides.end(), [&](const Side& side) { return holds(side); });
    return is_only ? &*found : nullptr;
}

const Side* chosen(const std::vector<Side>& sides, const std::string& words) {
    if (const auto* side =
            only_one(sides, [&](const Side& each) { return says(words, each.shown); })) {
        return side;
    }
    if (const auto* side =
            only_one(sides, [&](const Side& each) { return says(words, each.source); })) {
        return side;
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const bool is_named = (i < kOrdinals.size() && says(words, kOrdinals[i])) ||
                              words == spaced(fmt::format("{}", i + 1));
        if (is_named) return &sides[i];
    }
    return says(words, "last") ? &sides.back() : nullptr;
}

}  // namespace

std::string open_conflicts_in(std::string_view conflicts) {
    std::string open_conflicts;
    for (json::Elements each{json::root(conflicts)}; each.next();) {
        const auto preferred = json::find(each.value, "preferred");
        if (!preferred || !preferred->is_null()) continue;
        open_conflicts += open_conflicts.empty() ? "[" : ",";
        open_conflicts += each.value.raw;
    }
    return open_conflicts.empty() ? open_conflicts : open_conflicts + "]";
}

std::optional<narrative::Decision> settled(json::Value conflict, std::string_view words) {
    const auto sides = sides_of(conflict);
    const auto* side = sides.empty() ? nullptr : chosen(sides, spaced(words));
    if (side == nullptr) return std::nullopt;
    return narrative::Decision{.about = text_member(conflict, "about"), .value = side->value};
}

std::string question_about(json::Value conflict) {
    std::string values;
    for (const auto& side : sides_of(conflict)) {
        values += fmt::format("{}{} ({})", values.empty() ? "" : ", ", side.shown, side.source);
    }
    return fmt::format("There are different values for {}, equally sure: {}. Which should I go by?",
                       text_member(conflict, "about"),
                       values);
}

}  // namespace parlance::gateway
