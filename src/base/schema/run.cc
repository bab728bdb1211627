// Checks an instance against a compiled schema. All violations are reported, except those that
// follow from a reported violation.
#include "base/schema/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/schema/equal.h"

namespace parlance::schema {

namespace {

/// Bound on steps. A step takes ten to twenty nanoseconds; an ordinary message takes a few hundred
/// steps.
constexpr std::int64_t kStepsMax = 2'500'000;
/// Bound on nested schema applications; an instance is at most 64 deep.
constexpr std::size_t kDepthMax = 320;
constexpr std::size_t kPointerShown = 1024;

void append_pointer(std::string& out, const Spot& spot) {
    if (spot.around == nullptr || out.size() > kPointerShown) return;
    append_pointer(out, *spot.around);
    if (spot.is_place) {
        json::append_step(out, std::to_string(spot.place));
    } else {
        json::append_step(out, spot.key);
    }
}

std::string pointer_to(const Spot& spot) {
    std::string out;
    append_pointer(out, spot);
    return out;
}

std::string names_of(std::uint8_t types) {
    std::string out;
    for (const auto& row : kTypeNames) {
        if ((types & row.type) == 0) continue;
        out += (out.empty() ? "" : " or ") + std::string{row.name};
    }
    return out;
}

bool is_of_type(std::uint8_t types, json::Value value) {
    if (value.is_string()) return (types & StringType) != 0;
    if (value.is_object()) return (types & ObjectType) != 0;
    if (value.is_array()) return (types & ArrayType) != 0;
    if (value.is_bool()) return (types & BooleanType) != 0;
    if (value.is_null()) return (types & NullType) != 0;
    if ((types & NumberType) != 0) return true;
    return (types & IntegerType) != 0 && (value.integer() || decimal_of(value.raw).is_whole());
}

std::string printed(const Decimal& number) {
    constexpr std::int64_t kZerosMax = 18;
    std::string out = number.is_negative ? "-" : "";
    if (number.digits.empty()) return "0";
    const auto size = static_cast<std::int64_t>(number.digits.size());
    if (number.exponent >= 0 && number.exponent <= kZerosMax) {
        return json::shortened(out + number.digits +
                               std::string(static_cast<std::size_t>(number.exponent), '0'));
    }
    if (number.exponent < 0 && -number.exponent < size) {
        const auto whole = static_cast<std::size_t>(size + number.exponent);
        return json::shortened(out + number.digits.substr(0, whole) + "." +
                               number.digits.substr(whole));
    }
    if (number.exponent < 0 && -number.exponent - size <= kZerosMax) {
        const auto zeros = static_cast<std::size_t>(-number.exponent - size);
        return json::shortened(out + "0." + std::string(zeros, '0') + number.digits);
    }
    return json::shortened(out + number.digits) + "e" + std::to_string(number.exponent);
}

std::size_t code_points(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::vector<Violation> Run::whole(json::Value instance) {
    // The outline avoids scanning the text again on each of many walks.
    json::Outline outline;
    if (instance.outline == nullptr && (instance.is_object() || instance.is_array())) {
        CHECK(json::check(instance.raw, outline, json::kDepthMadeMax));
        instance = json::root(instance.raw, outline);
    }
    steps_left_ = kStepsMax;
    const Spot spot{.value = instance};
    fits(0, {.spot = spot});
    if (unlisted_ > 0) {
        violations_.push_back({.rule = fmt::format("has {} more violation{}, not listed here",
                                                   unlisted_,
                                                   unlisted_ == 1 ? "" : "s")});
    }
    if (!is_spent()) return std::move(violations_);
    return {{.rule = "takes too long to be held against the schema, or leads too deep into it",
             .keyword = ""}};
}

bool Run::spend(std::size_t steps) {
    if (!is_spent()) steps_left_ -= static_cast<std::int64_t>(steps);
    return !is_spent();
}

void Run::note(NodeId id, std::string_view keyword, const Spot& spot, std::string rule) {
    auto location = program_.pointer_of(id);
    if (!keyword.empty()) json::append_step(location, keyword);
    violations_.push_back({.pointer = json::shortened(pointer_to(spot), kPointerShown),
                           .value = json::shortened(spot.value.raw),
                           .rule = std::move(rule),
                           .keyword = std::move(location)});
}

bool Run::wrong_missing(NodeId id,
                        std::string_view keyword,
                        const Spot& spot,
                        std::string_view key) {
    return wrong(id, keyword, {.around = &spot, .key = key}, [] {
        return std::string{"is missing; it is required"};
    });
}

bool Run::fits_silently(NodeId id, const CheckContext& context) {
    ++silent_;
    const bool is_right = fits(id, context);
    --silent_;
    return is_right;
}

bool Run::fits(NodeId id, const CheckContext& context) {
    if (!spend(2)) return false;
    if (depth_ == kDepthMax) {
        steps_left_ = -1;
        return false;
    }
    const Node& node = program_.nodes[id];
    if (node.is_never) {
        return wrong(id, {}, context.spot, [] { return std::string{"is not allowed here"}; });
    }
    ++depth_;
    const Scope inner{node.resource, context.scope};
    const bool is_entered = context.scope == nullptr || context.scope->resource != node.resource;
    const bool is_right = keeps_all(id,
                                    node,
                                    {.spot = context.spot,
                                     .scope = is_entered ? &inner : context.scope,
                                     .evaluated = context.evaluated});
    --depth_;
    return is_right;
}

bool Run::keeps_all(NodeId id, const Node& node, const CheckContext& context) {
    const auto value = context.spot.value;
    bool is_right = keeps_type(id, node, context.spot);
    if (is_enough(is_right)) return false;
    is_right &= keeps_constants(id, node, context.spot);
    if (is_enough(is_right)) return false;
    if (node.number && value.is_number()) is_right &= keeps_number(id, *node.number, context.spot);
    if (node.string && value.is_string()) is_right &= keeps_string(id, *node.string, context.spot);
    if (is_enough(is_right)) return false;

    // Members count as evaluated for this schema only if this schema's own keywords evaluated them.
    const bool minds_rest = node.in_place && (node.in_place->unevaluated_items != kNone ||
                                              node.in_place->unevaluated_properties != kNone);
    Places own;
    const CheckContext inner{
        .spot = context.spot,
        .scope = context.scope,
        .evaluated = minds_rest ? &own : context.evaluated,
    };
    if (node.in_place) is_right &= keeps_in_place(id, *node.in_place, inner);
    if (is_enough(is_right)) return false;
    if (node.object && value.is_object()) is_right &= keeps_object(id, *node.object, inner);
    if (node.array && value.is_array()) is_right &= keeps_array(id, *node.array, inner);
    if (!minds_rest) return is_right;

    // After another violation, unevaluated members are not reported as well.
    if (!is_right || !keeps_unevaluated(*node.in_place, inner, own)) return false;
    if (context.evaluated != nullptr) context.evaluated->add(own);
    return spend(own.size());
}

bool Run::keeps_type(NodeId id, const Node& node, const Spot& spot) {
    if (node.types == 0) return true;
    // Deciding whether a number is whole reads its digits.
    if (spot.value.is_number() && !spend(spot.value.raw.size() / 2)) return false;
    if (is_of_type(node.types, spot.value)) return true;
    return wrong(id, "type", spot, [&] { return "must be " + names_of(node.types); });
}

bool Run::keeps_constants(NodeId id, const Node& node, const Spot& spot) {
    if (node.listed.raw.empty() && !node.constant) return true;
    if (!spend(spot.value.raw.size())) return false;
    const auto hash = hash_of(spot.value);
    const auto is_it = [&](const Constant& constant) {
        return constant.hash == hash && is_equal(constant.value, spot.value);
    };
    bool is_right = true;
    if (node.constant && !is_it(*node.constant)) {
        is_right = wrong(id, "const", spot, [&] {
            return "must be " + json::shortened(node.constant->value.raw);
        });
    }
    if (node.listed.raw.empty()) return is_right;
    auto same = std::ranges::lower_bound(node.allowed, hash, {}, &Constant::hash);
    for (; same != node.allowed.end() && same->hash == hash; ++same) {
        if (is_it(*same)) return is_right;
    }
    return wrong(id, "enum", spot, [&] {
        return "must be one of " + json::shortened(node.listed.raw, 200);
    });
}

bool Run::keeps_number(NodeId id, const NumberRules& rules, const Spot& spot) {
    // Division takes longer per digit.
    const std::size_t digit_cost = rules.multiple_of ? 4 : 1;
    if (!spend(spot.value.raw.size() * digit_cost / 2)) return false;
    const auto number = decimal_of(spot.value.raw);
    bool is_right = true;
    const auto hold = [&](const auto& limit, bool fits, const char* keyword, const char* rule) {
        if (fits) return;
        is_right =
            wrong(id, keyword, spot, [&] { return rule + json::shortened(printed(*limit)); });
    };
    const auto compared = [&](const std::optional<Decimal>& limit) {
        return limit ? compare(number, *limit) : std::strong_ordering::equal;
    };
    const auto is_inside = [&](const std::optional<Decimal>& limit, auto test) {
        return !limit || test(compare(number, *limit));
    };
    hold(rules.maximum, compared(rules.maximum) <= 0, "maximum", "must be at most ");
    hold(rules.minimum, compared(rules.minimum) >= 0, "minimum", "must be at least ");
    hold(rules.exclusive_maximum,
         is_inside(rules.exclusive_maximum, [](auto order) { return order < 0; }),
         "exclusiveMaximum",
         "must be below ");
    hold(rules.exclusive_minimum,
         is_inside(rules.exclusive_minimum, [](auto order) { return order > 0; }),
         "exclusiveMinimum",
         "must be above ");
    hold(rules.multiple_of,
         !rules.multiple_of || is_multiple(number, *rules.multiple_of),
         "multipleOf",
         "must be a multiple of ");
    return is_right;
}

/// The worst cost of a match is charged in advance; a match beyond the limit is skipped. A small
/// pattern is matched byte by byte; a large pattern may try each of its instructions.
bool Run::can_match(const Pattern& pattern, std::string_view text) {
    constexpr std::size_t kSmall = 14;
    const auto size = pattern.size();
    return spend((size <= kSmall ? text.size() / 2 : text.size() * size / 6) + 4);
}

bool Run::keeps_string(NodeId id, const StringRules& rules, const Spot& spot) {
    if (!spend(spot.value.raw.size() / 16)) return false;
    std::string spare;
    const auto text = spot.value.text(spare);
    bool is_right = true;
    const auto hold = [&](bool fits, const char* keyword, auto say) {
        if (!fits) is_right = wrong(id, keyword, spot, say);
    };
    if (rules.length_min > 0 || rules.length_max != kNoLimit) {
        const auto length = code_points(text);
        hold(length >= rules.length_min, "minLength", [&] {
            return fmt::format("must have at least {} characters", rules.length_min);
        });
        hold(length <= rules.length_max, "maxLength", [&] {
            return fmt::format("must have at most {} characters", rules.length_max);
        });
    }
    if (rules.pattern && can_match(*rules.pattern, text)) {
        hold(rules.pattern->matches(text), "pattern", [&] {
            return "must match the pattern " + json::shortened(rules.pattern->source(), 200);
        });
    }
    if (rules.format != nullptr && spend(rules.format->steps + text.size() / 2)) {
        hold(rules.format->fits(text), "format", [&] {
            return "must be " + std::string{rules.format->meaning};
        });
    }
    return is_right && !is_spent();
}

std::vector<Violation> check(const Schema& schema, json::Value instance) {
    return Run{schema.program()}.whole(instance);
}

}  // namespace parlance::schema
