#include "dialects/content.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "dialects/dialect_row.h"
#include "dialects/fields.h"

namespace parlance::dialects {

namespace {

/// Kinds of field in which somebody's own words can stand.
constexpr std::array kOpenKinds{
    Kind::Anything, Kind::Object, Kind::Text, Kind::String, Kind::List, Kind::Map, Kind::Body};

/// Free text in form, but by what it means an id of something.
constexpr std::array kIdSlots{Slot::Type,
                              Slot::Id,
                              Slot::From,
                              Slot::To,
                              Slot::Correlation,
                              Slot::Answers,
                              Slot::Task,
                              Slot::User,
                              Slot::Session,
                              Slot::ChildSession,
                              Slot::ErrorCode,
                              Slot::ErrorSource,
                              Slot::Sources};

bool is_open(const FieldRule& rule) {
    return std::ranges::find(kOpenKinds, rule.kind) != kOpenKinds.end() &&
           std::ranges::find(kIdSlots, rule.slot) == kIdSlots.end();
}

class Gathering {
  public:
    Gathering(const Form& form, std::span<const std::string> exempt)
        : form_(form), exempt_(exempt) {}

    void gather(const Shape& shape, json::Value object) {
        for (json::Members members{object}; members.next();) {
            const std::size_t size = pointer_.size();
            if (!exempt_.empty()) json::append_step(pointer_, members.key);
            const auto rule = std::ranges::find(shape.fields, members.key, &FieldRule::name);
            if (!is_exempt()) take(rule == shape.fields.end() ? nullptr : &*rule, members.value);
            pointer_.resize(size);
        }
    }

    std::vector<std::string_view> parts;

  private:
    bool is_exempt() const {
        return !exempt_.empty() && std::ranges::find(exempt_, pointer_) != exempt_.end();
    }

    void take(const FieldRule* rule, json::Value value) {
        if (rule != nullptr && !is_open(*rule)) return;
        const Shape* const inner = rule == nullptr            ? nullptr
                                   : rule->kind == Kind::Body ? form_.body
                                                              : rule->shape;
        if (inner != nullptr && value.is_object()) return gather(*inner, value);
        const bool has_rows = rule != nullptr && rule->element != nullptr && value.is_array();
        if (!has_rows) return parts.push_back(value.raw);
        for (json::Elements elements{value}; elements.next();) {
            take(rule->element, elements.value);
        }
    }

    const Form& form_;
    std::span<const std::string> exempt_;
    std::string pointer_;
};

}  // namespace

std::vector<std::string_view> content_of(Dialect dialect,
                                         std::string_view message,
                                         std::span<const std::string> exempt) {
    const DialectRow* const row = row_of(dialect);
    const json::Value value = json::root(message);
    const Form* const form =
        row != nullptr && value.is_object() ? form_of(*row->forms, value) : nullptr;
    if (form == nullptr) return {value.raw};
    Gathering gathering{*form, exempt};
    gathering.gather(*form->shape, value);
    return std::move(gathering.parts);
}

}  // namespace parlance::dialects
