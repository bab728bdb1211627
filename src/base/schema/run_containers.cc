// The keywords about members of objects and elements of arrays. Each container is walked once for
// all keywords of a schema.
#include <algorithm>

#include <fmt/format.h>

#include "base/schema/equal.h"
#include "base/schema/run.h"

namespace parlance::schema {

namespace {

std::size_t cost_of(json::Value value) { return value.raw.size() / 64 + 1; }

}  // namespace

bool Run::keeps_object(NodeId id, const ObjectRules& rules, const CheckContext& context) {
    Places present;  // Indices of names that the schema's keywords name.
    std::size_t count = 0;
    bool is_right = true;
    for (json::Members members{context.spot.value}; members.next(); ++count) {
        if (!spend(cost_of(members.value) + members.key.size() / 4)) return false;
        const Spot member{.value = members.value, .around = &context.spot, .key = members.key};
        is_right &= keeps_member(rules, context, member, present, count);
        if (is_enough(is_right)) return false;
    }
    if (count < rules.count_min) {
        is_right = wrong(id, "minProperties", context.spot, [&] {
            return fmt::format("must have at least {} members", rules.count_min);
        });
    }
    if (count > rules.count_max) {
        is_right = wrong(id, "maxProperties", context.spot, [&] {
            return fmt::format("must have at most {} members", rules.count_max);
        });
    }
    return keeps_presence(id, rules, context, present) && is_right;
}

bool Run::keeps_member(const ObjectRules& rules,
                       const CheckContext& context,
                       const Spot& member,
                       Places& present,
                       std::size_t place) {
    bool is_right = true;
    bool is_evaluated = false;
    const auto hold = [&](NodeId schema) {
        is_evaluated = true;
        is_right &= fits(schema, {.spot = member, .scope = context.scope});
    };
    const auto named =
        std::ranges::lower_bound(rules.names, member.key, {}, &ObjectRules::Name::text);
    if (named != rules.names.end() && named->text == member.key) {
        present.add(static_cast<std::size_t>(named - rules.names.begin()));
        if (named->property != kNone) hold(named->property);
    }
    for (const auto& row : rules.by_pattern) {
        if (!can_match(row.pattern, member.key)) return false;
        if (row.pattern.matches(member.key)) hold(row.schema);
    }
    if (!is_evaluated && rules.additional != kNone) hold(rules.additional);
    if (is_evaluated && context.evaluated != nullptr) context.evaluated->add(place);
    return keeps_name(rules, context, member) && is_right;
}

bool Run::keeps_name(const ObjectRules& rules, const CheckContext& context, const Spot& member) {
    if (rules.property_names == kNone) return true;
    std::string quoted;
    json::append_quoted(quoted, member.key);
    const Spot name{.value = {.raw = quoted}, .around = member.around, .key = member.key};
    return fits(rules.property_names, {.spot = name, .scope = context.scope});
}

bool Run::keeps_presence(NodeId id,
                         const ObjectRules& rules,
                         const CheckContext& context,
                         const Places& present) {
    bool is_right = true;
    const auto require = [&](std::string_view keyword, const std::vector<std::uint32_t>& places) {
        if (!spend(places.size() / 8)) return;
        for (const auto place : places) {
            if (present.has(place)) continue;
            is_right = wrong_missing(id, keyword, context.spot, rules.names[place].text);
            if (is_enough(is_right)) return;
        }
    };
    require("required", rules.required);
    if (!spend(rules.dependents.size() / 8)) return false;
    for (const auto& dependent : rules.dependents) {
        if (is_enough(is_right)) return false;
        if (!present.has(dependent.trigger)) continue;
        require(dependent.keyword, dependent.required);
        if (dependent.schema != kNone) is_right &= fits(dependent.schema, context);
    }
    return is_right;
}

bool Run::keeps_array(NodeId id, const ArrayRules& rules, const CheckContext& context) {
    std::size_t count = 0;
    bool is_right = true;
    for (json::Elements elements{context.spot.value}; elements.next(); ++count) {
        if (!spend(cost_of(elements.value))) return false;
        const bool is_prefix = count < rules.prefix_items.size();
        const auto schema = is_prefix ? rules.prefix_items[count] : rules.items;
        if (schema == kNone) continue;
        const Spot element{
            .value = elements.value, .around = &context.spot, .place = count, .is_place = true};
        is_right &= fits(schema, {.spot = element, .scope = context.scope});
        if (is_enough(is_right)) return false;
        if (context.evaluated != nullptr) context.evaluated->add(count);
    }
    if (count < rules.count_min) {
        is_right = wrong(id, "minItems", context.spot, [&] {
            return fmt::format("must have at least {} items", rules.count_min);
        });
    }
    if (count > rules.count_max) {
        is_right = wrong(id, "maxItems", context.spot, [&] {
            return fmt::format("must have at most {} items", rules.count_max);
        });
    }
    if (is_enough(is_right)) return false;
    if (rules.is_unique) is_right &= keeps_unique(id, context.spot);
    if (is_enough(is_right)) return false;
    if (rules.contains != kNone) is_right &= keeps_contains(id, rules, context);
    return is_right;
}

bool Run::keeps_contains(NodeId id, const ArrayRules& rules, const CheckContext& context) {
    std::size_t found = 0;
    std::size_t place = 0;
    for (json::Elements elements{context.spot.value}; elements.next(); ++place) {
        if (!spend(cost_of(elements.value))) return false;
        const Spot element{
            .value = elements.value, .around = &context.spot, .place = place, .is_place = true};
        if (!fits_silently(rules.contains, {.spot = element, .scope = context.scope})) continue;
        ++found;
        if (context.evaluated != nullptr) context.evaluated->add(place);
    }
    if (found < rules.contains_min) {
        return wrong(id, rules.contains_min == 1 ? "contains" : "minContains", context.spot, [&] {
            return fmt::format(
                "must have at least {} of the items that this schema allows, and "
                "has {}",
                rules.contains_min,
                found);
        });
    }
    if (found <= rules.contains_max) return true;
    return wrong(id, "maxContains", context.spot, [&] {
        return fmt::format("must have at most {} of the items that this schema allows, and has {}",
                           rules.contains_max,
                           found);
    });
}

/// Equal items have equal hashes, so sorting by hash makes equal items adjacent.
bool Run::keeps_unique(NodeId id, const Spot& spot) {
    struct Item {
        std::uint64_t hash;
        std::size_t place;
        json::Value value;
    };
    if (!spend(spot.value.raw.size() / 4)) return false;
    std::vector<Item> items;
    for (json::Elements elements{spot.value}; elements.next();) {
        items.push_back({hash_of(elements.value), items.size(), elements.value});
    }
    if (!spend(items.size() * 8)) return false;
    std::ranges::sort(items, {}, [](const Item& item) { return std::pair{item.hash, item.place}; });
    const auto same = std::ranges::adjacent_find(items, [](const Item& one, const Item& other) {
        return one.hash == other.hash && is_equal(one.value, other.value);
    });
    if (same == items.end()) return true;
    return wrong(id, "uniqueItems", spot, [&] {
        return fmt::format("must have no two equal items; {} and {} are equal",
                           same->place,
                           std::next(same)->place);
    });
}

/// Runs last, because the other keywords decide which members are unevaluated.
bool Run::keeps_unevaluated(const InPlace& rules,
                            const CheckContext& context,
                            const Places& evaluated) {
    const auto value = context.spot.value;
    const auto schema = value.is_object()  ? rules.unevaluated_properties
                        : value.is_array() ? rules.unevaluated_items
                                           : kNone;
    if (schema == kNone) return true;
    bool is_right = true;
    std::size_t place = 0;
    const auto hold = [&](Spot spot) {
        if (evaluated.has(place)) return;
        spot.around = &context.spot;
        is_right &= fits(schema, {.spot = spot, .scope = context.scope});
    };
    if (value.is_object()) {
        for (json::Members members{value}; members.next() && !is_enough(is_right); ++place) {
            if (!spend(cost_of(members.value))) return false;
            hold({.value = members.value, .key = members.key});
        }
    } else {
        for (json::Elements elements{value}; elements.next() && !is_enough(is_right); ++place) {
            if (!spend(cost_of(elements.value))) return false;
            hold({.value = elements.value, .place = place, .is_place = true});
        }
    }
    if (context.evaluated != nullptr) context.evaluated->add_all();
    return is_right;
}

}  // namespace parlance::schema
