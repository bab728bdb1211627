#include "dialects/form.h"

#include <algorithm>

#include "base/check.h"

namespace parlance::dialects {

namespace {

std::string_view text_of(json::Value message, std::string_view field, std::string& spare) {
    if (field.empty()) return {};
    const auto value = json::find(message, field);
    return value ? short_text(*value, spare) : std::string_view{};
}

std::string_view field_with(const Shape& shape, Slot slot) {
    const auto rule = std::ranges::find(shape.fields, slot, &FieldRule::slot);
    return rule == shape.fields.end() ? std::string_view{} : rule->name;
}

bool has_body_mark(const Form& form, json::Value message) {
    const auto rule = std::ranges::find(form.shape->fields, Kind::Body, &FieldRule::kind);
    if (rule == form.shape->fields.end()) return false;
    const auto body = json::find(message, rule->name);
    if (!body || !body->is_object()) return false;
    const auto mark = json::find(*body, form.body_mark);
    return mark && mark->is_bool();
}

/// Result of one walk over the members: the type, and the forms with a mark.
struct Signs {
    json::Value type{};
    std::uint32_t marked = 0;  ///< Bit n: the message has a mark of form n.
};

Signs signs_of(const Forms& forms, json::Value message) {
    Signs signs;
    for (json::Members members{message}; members.next();) {
        if ((forms.looks & look_of(members.key)) == 0) continue;
        if (!forms.type_field.empty() && is_named(members.key, forms.type_field)) {
            signs.type = members.value;
        }
        for (std::size_t i = 0; i < forms.all.size(); ++i) {
            for (const std::string_view mark : forms.all[i].marks) {
                if (is_named(members.key, mark)) signs.marked |= 1U << i;
            }
        }
    }
    return signs;
}

bool is_of(const Form& form, json::Value message) {
    std::string spare;
    if (!form.status_word.empty() &&
        text_of(message, field_with(*form.shape, Slot::Status), spare) != form.status_word) {
        return false;
    }
    return form.body_mark.empty() || has_body_mark(form, message);
}

}  // namespace

const Form* form_of(const Forms& forms, json::Value message) {
    CHECK(forms.all.size() <= 32);
    const Signs signs = signs_of(forms, message);
    std::string spare;
    const std::string_view type = short_text(signs.type, spare);
    for (std::size_t i = 0; i < forms.all.size(); ++i) {
        const Form& form = forms.all[i];
        // A missing type equals the empty word of a form without a type.
        const bool is_marked = form.marks.empty() || (signs.marked >> i & 1U) != 0;
        if (form.word == type && is_marked && is_of(form, message)) return &form;
    }
    return nullptr;
}

const Form* form_named(const Forms& forms, std::string_view name) {
    const auto form = std::ranges::find(forms.all, name, &Form::name);
    return form == forms.all.end() ? nullptr : &*form;
}

const Form& form_for(const Forms& forms, Act act) {
    const Form* form = form_named(forms, forms.by_act[static_cast<std::size_t>(act)]);
    CHECK(form != nullptr);  // A test ensures that every dialect has a form for each act.
    return *form;
}

}  // namespace parlance::dialects
