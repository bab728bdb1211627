#include "dialects/content.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "dialects/dialect_row.h"
#include "dialects/extension.h"
#include "dialects/fields.h"

namespace parlance::dialects {

namespace {

/// Kinds of fields that may hold the sender's own words.
constexpr std::array kOpenKinds{
    Kind::Anything, Kind::Object, Kind::Text, Kind::String, Kind::List, Kind::Map, Kind::Body};

/// Slots of free-form ids.
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
                              Slot::ErrorSource};

constexpr std::string_view kOwnerScope = "owner_scope";
constexpr std::string_view kUserScope = "user:";

/// True if the value names the user who owns a source: a user id. The source itself and any other
/// scope are the sender's words.
bool names_owner(const FieldRule& rule, json::Value value) {
    if (rule.name != kOwnerScope || !value.is_string()) return false;
    std::string spare;
    return value.text(spare).starts_with(kUserScope);
}

bool is_open(const FieldRule& rule) {
    return std::ranges::find(kOpenKinds, rule.kind) != kOpenKinds.end();
}

bool is_id(const FieldRule& rule) {
    return std::ranges::find(kIdSlots, rule.slot) != kIdSlots.end();
}

const char* end_of(json::Value value) { return value.raw.data() + value.raw.size(); }

/// Shape of an object whose members are all the sender's own.
constexpr Shape kNothingKnown{.name = "", .section = "", .fields = {}};

class Gathering {
  public:
    Gathering(const Form& form, std::span<const std::string> exempt)
        : form_(form), exempt_(exempt) {}

    /// `are_ids`: known members hold ids, so only unknown members are the sender's words.
    void gather(const Shape& shape, json::Value object, bool are_ids = false) {
        const char* behind = object.raw.data() + 1;  // End of the previous member.
        for (json::Members members{object}; members.next();) {
            const char* const begin = std::exchange(behind, end_of(members.value));
            const std::size_t size = pointer_.size();
            if (!exempt_.empty()) json::append_step(pointer_, members.key);
            const auto rule = std::ranges::find(shape.fields, members.key, &FieldRule::name);
            if (is_exempt()) {
                // An exempt member's key is exempt too.
            } else if (rule == shape.fields.end()) {
                // The key is the sender's own word, like the value.
                add({begin, static_cast<std::size_t>(behind - begin)}, members.value);
            } else {
                take(*rule, members.value, are_ids);
            }
            pointer_.resize(size);
        }
    }

    std::vector<std::string_view> parts;

  private:
    bool is_exempt() const {
        return !exempt_.empty() && std::ranges::find(exempt_, pointer_) != exempt_.end();
    }

    void take(const FieldRule& rule, json::Value value, bool are_ids) {
        // A value that breaks its rule can be anybody's words: rules of a soft shape are not
        // enforced.
        const bool keeps_its_rule = fits(rule, value);
        if (keeps_its_rule && (!is_open(rule) || names_owner(rule, value))) return;
        are_ids = keeps_its_rule && (are_ids || is_id(rule));
        const Shape* const inner = rule.kind == Kind::Body ? form_.body : rule.shape;
        // A field for anything is the sender's words entirely, whatever its keys.
        const bool is_known = inner != nullptr && rule.kind != Kind::Anything;
        if (is_known && value.is_object()) return gather(*inner, value, are_ids);
        if (rule.element != nullptr && value.is_array()) {
            each_element(value,
                         [&](json::Value element) { take(*rule.element, element, are_ids); });
        } else if (!are_ids) {
            add(value.raw, value);
        }
    }

    /// Calls `use(element)` for each element that is not exempt.
    template <class Use>
    void each_element(json::Value list, Use use) {
        std::size_t number = 0;
        for (json::Elements elements{list}; elements.next(); ++number) {
            const std::size_t size = pointer_.size();
            if (!exempt_.empty()) pointer_ += "/" + std::to_string(number);
            if (!is_exempt()) use(elements.value);
            pointer_.resize(size);
        }
    }

    bool has_exempt_below() const {
        return std::ranges::any_of(exempt_, [this](const std::string& pointer) {
            return pointer.size() > pointer_.size() && pointer.starts_with(pointer_) &&
                   pointer[pointer_.size()] == '/';
        });
    }

    /// Adds the sender's words except exempt values within. `stretch` may begin with the key, which
    /// is left out if something below is exempt.
    void add(std::string_view stretch, json::Value value) {
        const bool is_divided = !exempt_.empty() && has_exempt_below();
        if (is_divided && value.is_object()) return gather(kNothingKnown, value);
        if (is_divided && value.is_array()) {
            return each_element(value, [this](json::Value element) { add(element.raw, element); });
        }
        parts.push_back(stretch);
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

std::vector<std::string_view> pointers_in(std::string_view message) {
    std::vector<std::string_view> pointers;
    const json::Value root = json::root(message);
    const auto extension = root.is_object() ? json::find(root, kExtensionMember) : std::nullopt;
    const bool has_extension = extension && extension->is_object();
    const auto keeps = has_extension ? json::find(*extension, "keeps") : std::nullopt;
    if (!keeps || !keeps->is_array()) return pointers;
    for (json::Elements each{*keeps}; each.next();) {
        const auto at = each.value.is_object() ? json::find(each.value, "at") : std::nullopt;
        if (at && at->is_string()) pointers.push_back(at->raw);
    }
    return pointers;
}

}  // namespace parlance::dialects
