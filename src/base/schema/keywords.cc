// The keywords of the vocabularies, one row each.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/schema/compile.h"
#include "base/schema/equal.h"

namespace parlance::schema {

namespace {

constexpr std::string_view kDraft = "https://json-schema.org/draft/2020-12/schema";

template <class Rules>
Rules& made(std::unique_ptr<Rules>& rules) {
    if (!rules) rules = std::make_unique<Rules>();
    return *rules;
}

NumberRules& number_of(Compiler& in, const Said& said) { return made(in.node(said.node).number); }
StringRules& string_of(Compiler& in, const Said& said) { return made(in.node(said.node).string); }
ArrayRules& array_of(Compiler& in, const Said& said) { return made(in.node(said.node).array); }
ObjectRules& object_of(Compiler& in, const Said& said) { return made(in.node(said.node).object); }
InPlace& in_place_of(Compiler& in, const Said& said) { return made(in.node(said.node).in_place); }

// Readers of keyword values, by kind of value.

void read_count(Compiler& in, const Said& said, std::uint64_t& count) {
    const auto number = said.value.integer();
    if (!number || *number < 0) return in.flaw(said, "must be a whole number from 0");
    count = static_cast<std::uint64_t>(*number);
}

void read_limit(Compiler& in, const Said& said, std::optional<Decimal>& limit) {
    if (!said.value.is_number()) return in.flaw(said, "must be a number");
    limit = decimal_of(said.value.raw);
}

void read_flag(Compiler& in, const Said& said, bool& flag) {
    if (!said.value.is_bool()) return in.flaw(said, "must be true or false");
    flag = said.value.raw == "true";
}

/// Reads a list of schemas, which must not be empty.
void read_schemas(Compiler& in, const Said& said, std::vector<NodeId>& ids) {
    if (!said.value.is_array()) return in.flaw(said, "must be a list of schemas");
    for (json::Elements elements{said.value}; elements.next() && !in.is_over();) {
        ids.push_back(in.subschema(said, elements.value, std::to_string(ids.size())));
    }
    if (ids.empty()) in.flaw(said, "must be a list of at least one schema");
}

/// Calls `use(key, value)` for each member of an object.
template <class Use>
void each_member(Compiler& in, const Said& said, Use use) {
    if (!said.value.is_object()) return in.flaw(said, "must be an object");
    for (json::Members members{said.value}; members.next() && !in.is_over();) {
        use(members.key, members.value);
    }
}

/// Calls `use(text)` for each string of a list without duplicates.
template <class Use>
void each_text(Compiler& in, const Said& said, json::Value list, std::string_view step, Use use) {
    const auto no = [&] { in.flaw(said, "must be a list of different strings", step); };
    if (!list.is_array()) return no();
    std::vector<std::string> texts;
    std::string spare;
    for (json::Elements elements{list}; elements.next();) {
        if (!elements.value.is_string()) return no();
        texts.emplace_back(elements.value.text(spare));
    }
    for (const auto& text : texts) use(text);
    std::ranges::sort(texts);
    if (std::ranges::adjacent_find(texts) != texts.end()) no();
}

/// The index in the schema's names, all of which names_in() has found.
std::uint32_t place_of(const ObjectRules& rules, std::string_view name) {
    const auto found = std::ranges::lower_bound(rules.names, name, {}, &ObjectRules::Name::text);
    return static_cast<std::uint32_t>(found - rules.names.begin());
}

// Keywords with rules of their own.

void read_schema_uri(Compiler& in, const Said& said) {
    std::string spare;
    auto uri = said.value.is_string() ? said.value.text(spare) : std::string_view{};
    if (uri.ends_with('#')) uri.remove_suffix(1);
    if (uri != kDraft) in.flaw(said, fmt::format("must be {}: other drafts are not read", kDraft));
}

void read_anchor(Compiler& in, const Said& said, bool is_dynamic) {
    std::string spare;
    if (!said.value.is_string()) return in.flaw(said, "must be a string");
    const auto name = said.value.text(spare);
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_right = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    };
    const bool starts_right = !name.empty() && (is_letter(name.front()) || name.front() == '_');
    if (!starts_right || !std::ranges::all_of(name, is_right)) {
        return in.flaw(said, "must be a name of letters, digits, '-', '_' and '.'");
    }
    auto& resource = in.resource_of(said.node);
    const std::string anchor{name};
    bool is_new = resource.anchors.emplace(anchor, said.node).second;
    if (is_dynamic) resource.dynamic_anchors.emplace(anchor, said.node);
    // A schema may use one name for both kinds of anchor.
    is_new = is_new || resource.anchors[anchor] == said.node;
    if (!is_new) in.flaw(said, "is the name of another schema already");
}

void read_reference(Compiler& in, const Said& said) {
    if (!said.value.is_string()) return in.flaw(said, "must be a URI reference");
    in_place_of(in, said);
    in.refer(said);
}

void read_definitions(Compiler& in, const Said& said) {
    each_member(
        in, said, [&](std::string_view key, json::Value value) { in.subschema(said, value, key); });
}

void read_type(Compiler& in, const Said& said) {
    std::uint8_t types = 0;
    bool has_unknown = false;
    const auto add = [&](std::string_view name) {
        const auto found = std::ranges::find(kTypeNames, name, &TypeName::name);
        if (found != kTypeNames.end()) {
            types = static_cast<std::uint8_t>(types | found->type);
        } else if (!std::exchange(has_unknown, true)) {
            in.flaw(said, "must be null, boolean, object, array, number, string or integer");
        }
    };
    std::string spare;
    if (said.value.is_string()) {
        add(said.value.text(spare));
    } else {
        each_text(in, said, said.value, {}, add);
        if (types == 0) in.flaw(said, "must be a type, or a list of different types");
    }
    in.node(said.node).types = types;
}

/// Stored without the outline, which is discarded after compiling.
Constant constant_of(json::Value value) { return {{.raw = value.raw}, hash_of(value)}; }

void read_enum(Compiler& in, const Said& said) {
    if (!said.value.is_array()) return in.flaw(said, "must be a list of values");
    auto& allowed = in.node(said.node).allowed;
    for (json::Elements elements{said.value}; elements.next();) {
        allowed.push_back(constant_of(elements.value));
    }
    std::ranges::sort(allowed, {}, &Constant::hash);
    in.node(said.node).listed = {.raw = said.value.raw};
}

void read_const(Compiler& in, const Said& said) {
    in.node(said.node).constant = constant_of(said.value);
}

void read_multiple_of(Compiler& in, const Said& said) {
    auto& multiple_of = number_of(in, said).multiple_of;
    read_limit(in, said, multiple_of);
    if (!multiple_of) return;
    if (multiple_of->digits.empty() || multiple_of->is_negative) {
        return in.flaw(said, "must be a number above 0");
    }
    if (multiple_of->digits.size() > kDivisorDigitsMax) {
        in.flaw(said, fmt::format("must have at most {} digits", kDivisorDigitsMax));
    }
}

void read_pattern(Compiler& in, const Said& said) {
    std::string spare;
    if (!said.value.is_string()) return in.flaw(said, "must be a regular expression");
    string_of(in, said).pattern = in.pattern(said, said.value.text(spare), {});
}

void read_format(Compiler& in, const Said& said) {
    std::string spare;
    if (!said.value.is_string()) return in.flaw(said, "must be a string");
    string_of(in, said).format = format_named(said.value.text(spare));
}

void read_properties(Compiler& in, const Said& said) {
    each_member(in, said, [&](std::string_view key, json::Value value) {
        const auto place = place_of(object_of(in, said), key);
        const auto property = in.subschema(said, value, key);
        object_of(in, said).names[place].property = property;
    });
}

void read_pattern_properties(Compiler& in, const Said& said) {
    each_member(in, said, [&](std::string_view key, json::Value value) {
        std::string step;
        json::append_step(step, key);
        auto pattern = in.pattern(said, key, step);
        if (!pattern) return;
        const auto schema = in.subschema(said, value, key);
        object_of(in, said).by_pattern.push_back({*std::move(pattern), schema});
    });
}

void read_required(Compiler& in, const Said& said) {
    auto& rules = object_of(in, said);
    each_text(in, said, said.value, {}, [&](std::string_view name) {
        rules.required.push_back(place_of(rules, name));
    });
}

void read_dependent_required(Compiler& in, const Said& said) {
    auto& rules = object_of(in, said);
    each_member(in, said, [&](std::string_view key, json::Value value) {
        ObjectRules::Dependent dependent{.trigger = place_of(rules, key), .keyword = said.keyword};
        std::string step;
        json::append_step(step, key);
        each_text(in, said, value, step, [&](std::string_view name) {
            dependent.required.push_back(place_of(rules, name));
        });
        rules.dependents.push_back(std::move(dependent));
    });
}

void read_dependent_schemas(Compiler& in, const Said& said) {
    each_member(in, said, [&](std::string_view key, json::Value value) {
        const auto trigger = place_of(object_of(in, said), key);
        const auto schema = in.subschema(said, value, key);
        object_of(in, said).dependents.push_back(
            {.trigger = trigger, .keyword = said.keyword, .schema = schema});
    });
}

struct Keyword {
    std::string_view name;
    void (*read)(Compiler& in, const Said& said);
};

/// A row for a keyword with one subschema. The subschema is read before the member is looked up,
/// because reading moves the nodes.
template <auto kRules, auto kMember>
void read_one(Compiler& in, const Said& said) {
    const auto id = in.subschema(said, said.value);
    kRules(in, said).*kMember = id;
}
template <auto kMember>
void read_several(Compiler& in, const Said& said) {
    std::vector<NodeId> ids;
    read_schemas(in, said, ids);
    in_place_of(in, said).*kMember = std::move(ids);
}
template <auto kRules, auto kMember>
void read_size(Compiler& in, const Said& said) {
    read_count(in, said, kRules(in, said).*kMember);
}
template <auto kMember>
void read_bound(Compiler& in, const Said& said) {
    read_limit(in, said, number_of(in, said).*kMember);
}

constexpr std::array kKeywords{
    Keyword{"$schema", read_schema_uri},
    Keyword{"$anchor", [](Compiler& in, const Said& said) { read_anchor(in, said, false); }},
    Keyword{"$dynamicAnchor", [](Compiler& in, const Said& said) { read_anchor(in, said, true); }},
    Keyword{"$ref", read_reference},
    Keyword{"$dynamicRef", read_reference},
    Keyword{"$defs", read_definitions},
    Keyword{"definitions", read_definitions},  // The name in older drafts is still reserved.

    Keyword{"allOf", read_several<&InPlace::all_of>},
    Keyword{"anyOf", read_several<&InPlace::any_of>},
    Keyword{"oneOf", read_several<&InPlace::one_of>},
    Keyword{"not", read_one<in_place_of, &InPlace::not_this>},
    Keyword{"if", read_one<in_place_of, &InPlace::if_this>},
    Keyword{"then", read_one<in_place_of, &InPlace::then_this>},
    Keyword{"else", read_one<in_place_of, &InPlace::else_this>},
    Keyword{"dependentSchemas", read_dependent_schemas},
    Keyword{"properties", read_properties},
    Keyword{"patternProperties", read_pattern_properties},
    Keyword{"additionalProperties", read_one<object_of, &ObjectRules::additional>},
    Keyword{"propertyNames", read_one<object_of, &ObjectRules::property_names>},
    Keyword{"prefixItems",
            [](Compiler& in, const Said& said) {
                std::vector<NodeId> ids;
                read_schemas(in, said, ids);
                array_of(in, said).prefix_items = std::move(ids);
            }},
    Keyword{"items", read_one<array_of, &ArrayRules::items>},
    Keyword{"contains", read_one<array_of, &ArrayRules::contains>},
    Keyword{"unevaluatedItems", read_one<in_place_of, &InPlace::unevaluated_items>},
    Keyword{"unevaluatedProperties", read_one<in_place_of, &InPlace::unevaluated_properties>},

    Keyword{"type", read_type},
    Keyword{"enum", read_enum},
    Keyword{"const", read_const},
    Keyword{"multipleOf", read_multiple_of},
    Keyword{"maximum", read_bound<&NumberRules::maximum>},
    Keyword{"exclusiveMaximum", read_bound<&NumberRules::exclusive_maximum>},
    Keyword{"minimum", read_bound<&NumberRules::minimum>},
    Keyword{"exclusiveMinimum", read_bound<&NumberRules::exclusive_minimum>},
    Keyword{"maxLength", read_size<string_of, &StringRules::length_max>},
    Keyword{"minLength", read_size<string_of, &StringRules::length_min>},
    Keyword{"pattern", read_pattern},
    Keyword{"format", read_format},
    Keyword{"maxItems", read_size<array_of, &ArrayRules::count_max>},
    Keyword{"minItems", read_size<array_of, &ArrayRules::count_min>},
    Keyword{
        "uniqueItems",
        [](Compiler& in, const Said& said) { read_flag(in, said, array_of(in, said).is_unique); }},
    Keyword{"maxContains", read_size<array_of, &ArrayRules::contains_max>},
    Keyword{"minContains", read_size<array_of, &ArrayRules::contains_min>},
    Keyword{"maxProperties", read_size<object_of, &ObjectRules::count_max>},
    Keyword{"minProperties", read_size<object_of, &ObjectRules::count_min>},
    Keyword{"required", read_required},
    Keyword{"dependentRequired", read_dependent_required},
};

void add_texts(json::Value list, std::vector<ObjectRules::Name>& names) {
    std::string spare;
    if (!list.is_array()) return;
    for (json::Elements elements{list}; elements.next();) {
        if (elements.value.is_string()) names.push_back({std::string{elements.value.text(spare)}});
    }
}

}  // namespace

void read_keyword(Compiler& compiler, const Said& said) {
    const auto found = std::ranges::find(kKeywords, said.keyword, &Keyword::name);
    if (found == kKeywords.end()) return;
    found->read(compiler, {said.node, found->name, said.value});
}

std::vector<ObjectRules::Name> names_in(json::Value schema) {
    std::vector<ObjectRules::Name> names;
    for (json::Members members{schema}; members.next();) {
        if (members.key == "required") add_texts(members.value, names);
        const bool is_required = members.key == "dependentRequired";
        const bool is_map =
            is_required || members.key == "dependentSchemas" || members.key == "properties";
        if (!is_map || !members.value.is_object()) continue;
        for (json::Members inner{members.value}; inner.next();) {
            names.push_back({std::string{inner.key}});
            if (is_required) add_texts(inner.value, names);
        }
    }
    std::ranges::sort(names, {}, &ObjectRules::Name::text);
    const auto is_same = [](const auto& one, const auto& other) { return one.text == other.text; };
    names.erase(std::unique(names.begin(), names.end(), is_same), names.end());
    return names;
}

}  // namespace parlance::schema
