#include "dialects/schema.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_write.h"
#include "dialects/dialect_row.h"

namespace parlance::dialects {

namespace {

/// Pattern of each kind of string. [!#-&(-~] is printable ASCII without spaces and quotes. Patterns
/// use only syntax that every engine reads alike.
struct TextRow {
    Kind kind;
    std::string_view pattern;
    std::string_view never{};  ///< A pattern that must not match.
};

constexpr std::array kTexts{
    TextRow{Kind::Id, "^[!#-&(-~]+$"},
    TextRow{Kind::Agent, "^[A-Za-z0-9._:/@-]+$", "^topic:"},
    TextRow{Kind::Recipient, "^[A-Za-z0-9._:/@-]+$", "^topic:$"},
    TextRow{Kind::Text, R"(^[^\x00-\x1f\x7f]*$)"},
    TextRow{Kind::Instant,
            "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
            "(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]+)?)?"
            "(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?$"},
    TextRow{Kind::Uuid4,
            "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"},
    TextRow{Kind::RequestId,
            "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
            "|[!#-&(-~]+[-_]([0-9]{10,14}|[0-9]{8}[-_][0-9]{6}))$"},
    TextRow{Kind::CorrelationId, "^[!#-&(-~]+_[0-9a-f]{8}_[0-9]+$"},
    TextRow{Kind::ErrorCode, "^[A-Z0-9]+(_[A-Z0-9]+)+$"},
};

struct NeedRow {
    Need need;
    std::string_view left_out;
};

constexpr std::array kStandIns{
    NeedRow{Need::CallerStandsIn, " Left out, it is who is calling."},
    NeedRow{Need::FreshIdStandsIn, " Left out, the hub gives one."},
    NeedRow{Need::NowStandsIn, " Left out, it is the time of arrival."},
};

/// Strictness towards an object, as in Checking.
struct Scope {
    const Form* form = nullptr;
    bool is_top = true;  ///< The message itself: the form determines its type.
    bool is_message = true;
    bool is_whole = true;
    bool is_body_whole = true;

    Scope inside() const {
        Scope inner = *this;
        inner.is_top = false;
        return inner;
    }
};

std::string quoted(std::string_view text) {
    std::string out;
    json::append_quoted(out, text);
    return out;
}

/// A list of texts, followed by `last`, which is already JSON.
std::string list_of(std::span<const std::string_view> texts, std::string_view last = {}) {
    std::string out = "[";
    for (const std::string_view text : texts) {
        if (out.size() > 1) out += ',';
        out += quoted(text);
    }
    if (!last.empty()) out.append(out.size() > 1 ? "," : "").append(last);
    return out + ']';
}

std::string type_of(std::string_view type, bool is_nullable) {
    return is_nullable ? fmt::format(R"(["{}","null"])", type) : quoted(type);
}

bool is_needed(const FieldRule& rule, const Scope& scope) {
    if (!scope.is_whole) return false;
    return rule.need == Need::Required || (rule.need == Need::Routing && scope.is_message);
}

void write_object(json::ObjectWriter& out, const Shape& shape, const Scope& scope);

/// The word of this field in this form, if only one is possible.
std::string_view settled_word(const FieldRule& rule, const Scope& scope) {
    if (!scope.is_top || scope.form == nullptr) return {};
    if (rule.slot == Slot::Type) return scope.form->word;
    return rule.slot == Slot::Status ? scope.form->status_word : std::string_view{};
}

void write_text(json::ObjectWriter& out, const FieldRule& rule, bool is_nullable) {
    out.raw("type", type_of("string", is_nullable));
    if (rule.is_never_empty) out.integer("minLength", 1);
    const auto row = std::ranges::find(kTexts, rule.kind, &TextRow::kind);
    if (row == kTexts.end()) return;
    out.text("pattern", row->pattern);
    out.integer("maxLength", static_cast<std::int64_t>(rule.bytes_max));
    if (row->never.empty()) return;
    out.raw("not", json::ObjectWriter{}.text("type", "string").text("pattern", row->never).done());
}

void write_word(json::ObjectWriter& out,
                const FieldRule& rule,
                const Scope& scope,
                bool is_nullable) {
    const std::string_view word = settled_word(rule, scope);
    if (!word.empty()) {
        out.text("const", word);
    } else {
        out.raw("enum", list_of(rule.words, is_nullable ? "null" : ""));
    }
}

void write_body(json::ObjectWriter& out,
                const FieldRule& rule,
                const Scope& scope,
                bool is_nullable) {
    if (rule.is_object) out.raw("type", type_of("object", is_nullable));
    if (scope.form == nullptr || scope.form->body == nullptr) return;
    Scope inner = scope.inside();
    inner.is_whole = scope.is_whole && scope.is_body_whole;
    // A body that is no object is unrestricted, unless a body member identifies the form.
    if (!scope.form->body_mark.empty()) out.text("type", "object");
    write_object(out, *scope.form->body, inner);
}

std::string field_schema(const FieldRule& rule,
                         std::string_view section,
                         const Scope& scope,
                         bool is_nullable);

void write_kind(json::ObjectWriter& out,
                const FieldRule& rule,
                std::string_view section,
                const Scope& scope,
                bool is_nullable) {
    const auto type = [&](std::string_view name) { out.raw("type", type_of(name, is_nullable)); };
    const auto each = [&](std::string_view keyword) {
        if (rule.element == nullptr) return;
        out.raw(keyword, field_schema(*rule.element, section, scope.inside(), false));
    };
    switch (rule.kind) {
        case Kind::Anything:
            return;
        case Kind::Body:
            return write_body(out, rule, scope, is_nullable);
        case Kind::Object:
            type("object");
            if (rule.shape != nullptr) write_object(out, *rule.shape, scope.inside());
            return;
        case Kind::Map:
            type("object");
            return each("additionalProperties");
        case Kind::List:
            type("array");
            return each("items");
        case Kind::Boolean:
            return type("boolean");
        case Kind::Integer:
        case Kind::Number:
            type(rule.kind == Kind::Integer ? "integer" : "number");
            out.integer("minimum", rule.least).integer("maximum", rule.most);
            return;
        case Kind::Word:
            return write_word(out, rule, scope, is_nullable);
        default:
            write_text(out, rule, is_nullable);
            if (!rule.words.empty()) out.raw("examples", list_of(rule.words));
    }
}

std::string in_words(const FieldRule& rule) {
    std::string words = fmt::format("Must be {}.", expectation(rule));
    const auto row = std::ranges::find(kStandIns, rule.need, &NeedRow::need);
    if (row != kStandIns.end()) words += row->left_out;
    return words;
}

std::string field_schema(const FieldRule& rule,
                         std::string_view section,
                         const Scope& scope,
                         bool is_nullable) {
    json::ObjectWriter out;
    out.text("description", in_words(rule));
    out.text("$comment", rule.section.empty() ? section : rule.section);
    write_kind(out, rule, section, scope, is_nullable);
    if (!rule.preset.empty()) out.raw("default", rule.preset);
    return out.done();
}

std::string only(std::string_view name, const std::string& schema) {
    return json::ObjectWriter{}.raw(name, schema).done();
}

/// "if `field` is one of these words, then `other` must be present", or empty.
std::string condition(const Shape& shape, const WhenRule& when) {
    const std::string words = only("enum", list_of(when.words));
    const std::string is_said = json::ObjectWriter{}
                                    .raw("properties", only(when.field, words))
                                    .raw("required", list_of({&when.field, 1}))
                                    .done();
    json::ObjectWriter then;
    then.text("description", fmt::format("{} {}", when.other, when.rule));
    if (when.demand == Demand::Empty) {
        then.raw("properties", only(when.other, R"({"type":["null","object"],"maxProperties":0})"));
    } else {
        then.raw("required", list_of({&when.other, 1}));
        const auto rule = std::ranges::find(shape.fields, when.other, &FieldRule::name);
        if (rule != shape.fields.end() && !takes_null(*rule)) {
            const bool is_list = rule->kind == Kind::List;
            then.raw(
                "properties",
                only(when.other,
                     is_list ? R"({"type":"array","minItems":1})" : R"({"not":{"type":"null"}})"));
        }
    }
    return json::ObjectWriter{}.raw("if", is_said).raw("then", then.done()).done();
}

std::string any_of(std::span<const std::string> schemas) {
    return fmt::format(R"({{"anyOf":[{}]}})", fmt::join(schemas, ","));
}

std::string has_mark_of(const Form& form) {
    std::vector<std::string> marks;
    for (const std::string_view mark : form.marks) {
        marks.push_back(only("required", list_of({&mark, 1})));
    }
    return any_of(marks);
}

std::string_view field_with(const Shape& shape, auto FieldRule::*member, auto value) {
    const auto rule = std::ranges::find(shape.fields, value, member);
    return rule == shape.fields.end() ? std::string_view{} : rule->name;
}

/// The conditions of this form beside the type; see form_of().
std::string signs_of(const Form& form) {
    std::vector<std::string> signs;
    const auto is = [&](std::string_view name, const std::string& schema) {
        signs.push_back(json::ObjectWriter{}
                            .raw("properties", only(name, schema))
                            .raw("required", list_of({&name, 1}))
                            .done());
    };
    if (!form.marks.empty()) signs.push_back(has_mark_of(form));
    if (!form.status_word.empty()) {
        is(field_with(*form.shape, &FieldRule::slot, Slot::Status),
           only("const", quoted(form.status_word)));
    }
    if (!form.body_mark.empty()) {
        is(field_with(*form.shape, &FieldRule::kind, Kind::Body),
           json::ObjectWriter{}
               .text("type", "object")
               .raw("properties", only(form.body_mark, R"({"type":"boolean"})"))
               .raw("required", list_of({&form.body_mark, 1}))
               .done());
    }
    return fmt::format(R"({{"allOf":[{}]}})", fmt::join(signs, ","));
}

/// Signs of earlier forms, which take precedence: a message has the first form that fits.
std::vector<std::string> taken_before(const Form& form, const Forms& forms) {
    std::vector<std::string> taken;
    if (form.word.empty() && !forms.type_field.empty()) {
        taken.push_back(
            json::ObjectWriter{}
                .raw("properties", only(forms.type_field, R"({"type":"string","minLength":1})"))
                .raw("required", list_of({&forms.type_field, 1}))
                .done());
    }
    for (const Form& other : forms.all) {
        if (&other == &form) break;
        if (other.word == form.word) taken.push_back(signs_of(other));
    }
    return taken;
}

/// Parlance's own members, never enforced: names and meanings.
void write_soft(json::ObjectWriter& out, const Shape& shape) {
    json::ObjectWriter properties;
    for (const FieldRule& rule : shape.fields) {
        const std::string words = fmt::format("Understood if it is {}.", expectation(rule));
        properties.raw(rule.name, json::ObjectWriter{}.text("description", words).done());
    }
    out.raw("properties", properties.done());
}

void write_object(json::ObjectWriter& out, const Shape& shape, const Scope& scope) {
    if (shape.is_soft) return write_soft(out, shape);
    json::ObjectWriter properties;
    std::vector<std::string_view> required;
    const bool is_body = scope.form != nullptr && &shape == scope.form->body;
    for (const FieldRule& rule : shape.fields) {
        const bool is_mark = is_body && rule.name == scope.form->body_mark;
        const bool is_settled = !settled_word(rule, scope).empty();
        const bool needed = is_needed(rule, scope) || is_mark || is_settled;
        if (needed) required.push_back(rule.name);
        properties.raw(rule.name, field_schema(rule, shape.section, scope, !needed));
    }
    out.raw("properties", properties.done());
    if (!required.empty()) out.raw("required", list_of(required));
    std::vector<std::string> conditions;
    for (const WhenRule& when : shape.when) conditions.push_back(condition(shape, when));
    if (scope.is_top && scope.form != nullptr && !scope.form->marks.empty()) {
        conditions.push_back(has_mark_of(*scope.form));
    }
    if (!conditions.empty()) out.raw("allOf", fmt::format("[{}]", fmt::join(conditions, ",")));
}

std::string with_underscores(std::string_view name) {
    std::string kind{name};
    std::ranges::replace(kind, ' ', '_');
    return kind;
}

bool is_kind(std::string_view name, std::string_view kind) {
    return with_underscores(name) == with_underscores(kind);
}

std::string whole_schema(const DialectRow& row,
                         std::string_view name,
                         const Shape& shape,
                         const Scope& scope) {
    json::ObjectWriter out;
    out.text("$schema", "https://json-schema.org/draft/2020-12/schema")
        .text("$id", schema_path(row.name, name))
        .text("title", fmt::format("{} {}", row.name, name))
        .text("description",
              fmt::format("From \"{}\", {}. Members that it does not name are kept.",
                          row.document,
                          shape.section))
        .text("type", "object");
    write_object(out, shape, scope);
    if (scope.form != nullptr) {
        const auto taken = taken_before(*scope.form, *row.forms);
        if (!taken.empty()) out.raw("not", any_of(taken));
    }
    return out.done();
}

}  // namespace

std::vector<SchemaName> schema_names() {
    std::vector<SchemaName> names;
    for (const DialectRow* row : all_rows()) {
        for (const Form& form : row->forms->all) {
            names.push_back({row->name, with_underscores(form.name), true});
        }
        for (const Shape* shape : row->objects) {
            names.push_back({row->name, with_underscores(shape->name), false});
        }
    }
    return names;
}

std::string write_schema(std::string_view dialect, std::string_view kind) {
    const auto named = dialect_named(dialect);
    if (!named) return {};
    const DialectRow& row = *row_of(*named);
    for (const Form& form : row.forms->all) {
        if (!is_kind(form.name, kind)) continue;
        const Scope scope{.form = &form, .is_body_whole = row.is_body_whole};
        return whole_schema(row, form.name, *form.shape, scope);
    }
    for (const Shape* shape : row.objects) {
        if (!is_kind(shape->name, kind)) continue;
        return whole_schema(row, shape->name, *shape, {.is_message = false});
    }
    return {};
}

std::string schema_path(std::string_view dialect, std::string_view kind) {
    return fmt::format("/schemas/{}/{}.json", dialect, with_underscores(kind));
}

}  // namespace parlance::dialects
