#include "dialects/written.h"

#include <algorithm>

namespace parlance::dialects {

namespace {

bool is_among(std::span<const Slot> slots, Slot slot) {
    return std::ranges::find(slots, slot) != slots.end();
}

/// True for a string in place of an object that has a field of these slots.
bool is_told_in_a_word(const FieldRule& rule, json::Value value, std::span<const Slot> slots) {
    return rule.shape != nullptr && value.is_string() &&
           std::ranges::any_of(rule.shape->fields,
                               [&](const FieldRule& inner) { return is_among(slots, inner.slot); });
}

void gather(const Form& form,
            const Shape& shape,
            json::Value object,
            std::span<const Slot> slots,
            std::vector<Written>& written) {
    for (json::Members members{object}; members.next();) {
        const auto rule = std::ranges::find(shape.fields, members.key, &FieldRule::name);
        if (rule == shape.fields.end()) continue;
        const json::Value value = members.value;
        if (is_among(slots, rule->slot) || is_told_in_a_word(*rule, value, slots)) {
            written.push_back({&*rule, value});
            continue;
        }
        const Shape* const inner = rule->kind == Kind::Body ? form.body : rule->shape;
        if (inner != nullptr && value.is_object()) gather(form, *inner, value, slots, written);
    }
}

}  // namespace

std::vector<Written> written_in(const Form& form,
                                json::Value message,
                                std::span<const Slot> slots) {
    std::vector<Written> written;
    gather(form, *form.shape, message, slots, written);
    return written;
}

}  // namespace parlance::dialects
