#include "views/event_words.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "base/json.h"
#include "journal/event_tables.h"

namespace parlance::views {

namespace {

using journal::As;
using journal::kFields;

/// The kind of content of a printed event's member.
enum class Holds { Figures, Words, Envelope, Parts };

struct Member {
    std::string_view name;
    Holds holds;
    std::span<const Member> parts;
};

template <class T>
constexpr bool kIsNested = !std::is_same_v<std::remove_cv_t<decltype(kFields<T>)>, std::nullptr_t>;

template <class Value>
constexpr Holds holds(As as) {
    if (std::is_same_v<Value, EnvelopePtr>) return Holds::Envelope;
    if (kIsNested<Value>) return Holds::Parts;
    const bool is_text = std::is_same_v<Value, std::string> ||
                         std::is_same_v<Value, std::vector<std::string>> || as == As::Document;
    return is_text && as != As::Name ? Holds::Words : Holds::Figures;
}

template <class T>
constexpr auto members_of();

template <class T>
constexpr std::span<const Member> rows_of();

template <class Owner, class Value>
constexpr Member member_of(const journal::Field<Owner, Value>& field) {
    if constexpr (kIsNested<Value>) {
        return {field.name, Holds::Parts, rows_of<Value>()};
    } else {
        return {field.name, holds<Value>(field.as), {}};
    }
}

template <class T>
constexpr auto members_of() {
    return std::apply([](const auto&... field) { return std::array{member_of(field)...}; },
                      kFields<T>);
}

template <class T>
inline constexpr auto kMembers = members_of<T>();

template <class T>
constexpr std::span<const Member> rows_of() {
    return kMembers<T>;
}

struct Shape {
    std::string_view event;
    std::span<const Member> members;
};

template <class OneEvent>
constexpr Shape shape_of(const journal::Kind<OneEvent>& kind) {
    return {kind.name, rows_of<OneEvent>()};
}

constexpr auto kShapes =
    std::apply([](const auto&... kind) { return std::array{shape_of(kind)...}; }, journal::kKinds);

void add_words(json::Value object, std::span<const Member> members, std::vector<Stretch>& words) {
    for (json::Members each{object}; each.next();) {
        const auto row = std::ranges::find(members, each.key, &Member::name);
        if (row == members.end()) continue;  // Number and time of the event.
        if (row->holds == Holds::Words) words.push_back({each.value.raw});
        if (row->holds == Holds::Envelope) words.push_back({each.value.raw, true});
        if (row->holds == Holds::Parts) add_words(each.value, row->parts, words);
    }
}

}  // namespace

std::vector<Stretch> words_in(std::string_view printed) {
    std::string spare;
    const auto event = json::root(printed);
    const auto name = json::find(event, "event");
    const auto shape = name && name->is_string()
                           ? std::ranges::find(kShapes, name->text(spare), &Shape::event)
                           : kShapes.end();
    if (shape == kShapes.end()) return {{printed}};
    std::vector<Stretch> words;
    add_words(event, shape->members, words);
    return words;
}

}  // namespace parlance::views
