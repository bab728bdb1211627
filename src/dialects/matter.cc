#include "dialects/matter.h"

#include <algorithm>
#include <functional>

#include "base/check.h"
#include "dialects/dialect_row.h"
#include "dialects/fields.h"

namespace parlance::dialects {

namespace {

/// True if `part` is located in `whole`, as the same bytes, not equal bytes.
bool is_inside(std::string_view whole, std::string_view part) {
    const std::less_equal<> is_not_behind;
    return !part.empty() && is_not_behind(whole.data(), part.data()) &&
           is_not_behind(part.data() + part.size(), whole.data() + whole.size());
}

/// The JSON pointer from an object to a value located in it.
std::string pointer_to(json::Value object, std::string_view part) {
    std::string pointer;
    while (object.is_object() && object.raw.data() != part.data()) {
        bool is_found = false;
        for (json::Members members{object}; !is_found && members.next();) {
            is_found = is_inside(members.value.raw, part);
            if (!is_found) continue;
            json::append_step(pointer, members.key);
            object = members.value;
        }
        if (!is_found) break;
    }
    return pointer;
}

/// The form's value for the slot, including an empty object or a fill, which understand() ignores.
json::Value written_in(const Shape& shape, const Form& form, json::Value object, Slot slot) {
    for (json::Members members{object}; members.next();) {
        const auto rule = std::ranges::find(shape.fields, members.key, &FieldRule::name);
        if (rule == shape.fields.end()) continue;
        if (rule->slot == slot) return members.value;
        const Shape* const inner = rule->kind == Kind::Body ? form.body : rule->shape;
        if (inner == nullptr || !members.value.is_object()) continue;
        const auto value = written_in(*inner, form, members.value, slot);
        if (!value.raw.empty()) return value;
    }
    return {};
}

/// Forms with text content carry an object as its JSON text.
std::string content_of(json::Value value) {
    if (!value.is_string()) return std::string{value.raw};
    std::string spare;
    const auto text = value.text(spare);
    const bool is_structure = text.starts_with('{') || text.starts_with('[');
    return std::string{is_structure && json::check(text) ? text : value.raw};
}

}  // namespace

Matter matter_of(const Envelope& envelope) {
    const DialectRow* const row = row_of(envelope.dialect());
    CHECK(row != nullptr);  // Only messages that a dialect has read become envelopes.
    const json::Value message = json::root(envelope.body());
    const Form* const form = message.is_object() ? form_of(*row->forms, message) : nullptr;
    if (form == nullptr) return {};
    Texts texts;
    const Meaning meaning = understand(*form, message, {}, texts);
    Matter matter{.names_capability = row->names_capabilities && form->act == Act::Request,
                  .is_success = act_of(*form, meaning) == Act::Reply &&
                                meaning.number(Slot::Status) == kSuccess};
    const auto said = [&](Slot slot) {
        const json::Value value = meaning[slot];
        return is_inside(message.raw, value.raw) ? value
                                                 : written_in(*form->shape, *form, message, slot);
    };
    const json::Value action = said(Slot::Action);
    if (action.is_string()) {
        std::string spare;
        matter.action = action.text(spare);
        matter.action_pointer = pointer_to(message, action.raw);
    }
    const json::Value content = said(Slot::Content);
    if (!content.raw.empty()) {
        matter.content = content_of(content);
        matter.content_pointer = pointer_to(message, content.raw);
    }
    return matter;
}

bool names_capabilities(Dialect dialect) {
    const DialectRow* const row = row_of(dialect);
    return row != nullptr && row->names_capabilities;
}

}  // namespace parlance::dialects
