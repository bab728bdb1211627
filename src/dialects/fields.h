// A dialect's page of fields as data: what may stand where, what it means, and which section says
// so.
//
// The same rows find the fields, hold them to their rules, fill in defaults, carry a message into
// another dialect and name what is wrong. A row that is added is a field that all of them know.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dialects/dialects.h"
#include "dialects/slot.h"

namespace parlance::dialects {

/// What may stand in a field.
enum class Kind : std::uint8_t {
    Anything,
    Object,
    Id,         ///< Printable ASCII without spaces and quotes.
    Agent,      ///< Letters, digits and ._-:/@ but not a topic.
    Recipient,  ///< An agent, or "topic:" and a name of the same letters.
    Text,       ///< Any characters but control characters.
    Word,       ///< One of a few.
    Instant,    ///< An ISO 8601 time.
    Integer,
    Number,
    Boolean,
    String,  ///< Any string of any length. Its words, if it has any, are only the known ones.
    List,
    Map,            ///< An object whose keys are data; its values are like `element`.
    Body,           ///< An object whose shape depends on the form of the message; or anything.
    Uuid4,          ///< A UUID of version 4.
    RequestId,      ///< A UUID, or a session id and a time.
    CorrelationId,  ///< A session id, eight hexadecimal digits and a time, joined by '_'.
    ErrorCode,      ///< CATEGORY_SPECIFIC_ERROR: capitals and digits with underscores between.
};

enum class Need : std::uint8_t {
    Optional,
    Defaulted,  ///< Always there in the end: its preset stands in.
    Required,
    Routing,          ///< Required of a message; an object that is not sent anywhere has none.
    CallerStandsIn,   ///< Required, but the hub knows who is calling.
    FreshIdStandsIn,  ///< Required, but the hub can give one.
    NowStandsIn,      ///< Required, but the hub knows what time it is.
};

struct Shape;

struct FieldRule {
    std::string_view name{};
    Need need = Need::Optional;
    Kind kind = Kind::Anything;
    Slot slot = Slot::None;                      ///< What it means.
    bool is_echo = false;                        ///< Says again what another field says.
    bool is_only_read = false;                   ///< Understood, and written in another field.
    bool is_never_absent = false;                ///< The hub writes null where nothing is said.
    bool is_object = false;                      ///< Of a Body: nothing else may stand there.
    bool is_never_empty = false;                 ///< Of a String: it says something.
    std::size_t bytes_max = kIdBytesMax;         ///< Of a string.
    std::span<const std::string_view> words{};   ///< Of a Word.
    std::span<const std::int8_t> means{};        ///< The number of each word; else its place.
    std::int64_t least = 0;                      ///< Of an Integer or a Number.
    std::int64_t most = std::int64_t{1} << 53U;  ///< What a double still holds exactly.
    std::string_view expected{};   ///< The rule in words, behind "must be"; else the kind says it.
    std::string_view section{};    ///< Of the dialect's document; else the shape's.
    const Shape* shape = nullptr;  ///< Of an Object.
    const FieldRule* element = nullptr;  ///< Of a List or a Map: what each of its values is like.
    std::string_view preset{};           ///< JSON: the document's default, filled in at the door.
    std::string_view fill{};  ///< JSON: what a translation writes that must and has nothing better.
};

/// Where null is a value like any other; elsewhere it stands for nothing at all.
constexpr bool takes_null(const FieldRule& rule) {
    return rule.kind == Kind::Anything || (rule.kind == Kind::Body && !rule.is_object);
}

/// The least of a number that may be negative.
inline constexpr std::int64_t kBelowZero = -(std::int64_t{1} << 53U);

/// What a name looks like by its length and first letter: names that look alike are rare.
inline constexpr std::size_t kLooks = 64;
constexpr std::size_t glance_at(std::string_view name) {
    const auto first = name.empty() ? 0U : static_cast<unsigned char>(name.front());
    return (std::size_t{first} * 7U + name.size()) % kLooks;
}
/// A bit for it: most names that are none of a few are told from them by the bits of those few.
constexpr std::uint64_t look_of(std::string_view name) {
    return std::uint64_t{1} << glance_at(name);
}

/// Where the first rule with a name of each look stands, counted from 1; 0: there is none.
using Places = std::array<std::uint8_t, kLooks>;
constexpr Places places_of(std::span<const FieldRule> rules) {
    Places places{};
    for (std::size_t i = rules.size(); i-- > 0;) {
        places[glance_at(rules[i].name)] = static_cast<std::uint8_t>(i + 1);
    }
    return places;
}

/// What the elements of a list may be.
inline constexpr FieldRule kEachString{.kind = Kind::String};
inline constexpr FieldRule kEachAgent{.kind = Kind::Agent};

/// The section of what Parlance adds to a document.
inline constexpr std::string_view kExtension = "an extension of Parlance";

enum class Demand : std::uint8_t { Present, Empty };

/// "`other` must be there when `field` is one of these words."
struct WhenRule {
    std::string_view field;
    std::span<const std::string_view> words;
    std::string_view other;
    Demand demand = Demand::Present;
    std::string_view rule{};  ///< In words, for people.
};

/// An object's rows, and what holds between them.
struct Shape {
    std::string_view name;  ///< As the document calls it.
    std::string_view section;
    std::span<const FieldRule> fields;
    std::span<const WhenRule> when{};
    /// Ours, where the document lets anything stand: understood where it fits, never insisted on.
    bool is_soft = false;
    /// What no table says; null for nearly all.
    void (*also)(json::Value object, std::string_view pointer, std::vector<Problem>&) = nullptr;
    Places places = places_of(fields);
};

inline constexpr std::size_t kFieldsMax = 24;  ///< No shape has more rows.

using Problems = std::vector<Problem>;

/// How strictly an object is held to its shape.
struct Checking {
    const Reception* reception = nullptr;  ///< Who and what can stand in; null: nobody.
    const Shape* body = nullptr;           ///< Of a field of Kind::Body; null: anything.
    bool is_message = true;                ///< Must say where it goes.
    bool is_whole = true;                  ///< Also what is missing is a problem.
    bool is_body_whole = true;             ///< The same, inside of the body.
};

/// The values of an object's fields in the order of its shape's rows; empty where there is none.
using Found = std::array<json::Value, kFieldsMax>;
Found fields_in(json::Value object, const Shape& shape);

/// Finds the members that the rules name; `found` gets one value a rule, empty if it is absent.
/// A null counts as absent, except where anything may stand (takes_null()). `places` are the
/// rules'.
void collect(json::Value object,
             std::span<const FieldRule> rules,
             const Places& places,
             std::span<json::Value> found);

/// Adds a problem for each value that breaks its rule. `parent` is the object's JSON pointer.
void hold_to_rules(std::span<const FieldRule> rules,
                   std::span<const json::Value> found,
                   std::string_view parent,
                   const Reception& reception,
                   Problems& problems);

/// The same for an object and everything inside of it.
void hold_to_shape(const Shape& shape,
                   json::Value object,
                   std::string_view parent,
                   const Checking& checking,
                   Problems& problems);

/// The same for a message whose fields somebody has found already.
void hold_to_shape(const Shape& shape,
                   json::Value message,
                   const Found& found,
                   const Checking& checking,
                   Problems& problems);

/// Whether the value itself keeps its rule; what is inside of it is not looked at.
bool fits(const FieldRule& rule, json::Value value);
/// Whether the value and everything inside of it keep their rules.
bool fits_deeply(const FieldRule& rule, json::Value value);

/// The rule in words, behind "must be".
std::string expectation(const FieldRule& rule);

/// The text of a string that is no longer than an id may be; else nothing.
std::string_view short_text(json::Value value, std::string& spare);

bool is_empty_text(json::Value value);

/// "a, b or c"
std::string listed(std::span<const std::string_view> words);

using json::shortened;  // As a problem shows a value.

/// Equality that rarely comes as far as calling out: this is asked of every member.
inline bool is_named(std::string_view key, std::string_view name) {
    return key.size() == name.size() &&
           (key.empty() ||
            (key.front() == name.front() && std::memcmp(key.data(), name.data(), key.size()) == 0));
}

/// The rule of this name, or null. `places` are the rules'.
inline const FieldRule* find_rule(std::span<const FieldRule> rules,
                                  const Places& places,
                                  std::string_view name) {
    const std::size_t first = places[glance_at(name)];
    if (first == 0) return nullptr;
    for (const FieldRule& rule : rules.subspan(first - 1)) {
        if (is_named(name, rule.name)) return &rule;
    }
    return nullptr;
}
inline const FieldRule* find_rule(const Shape& shape, std::string_view name) {
    return find_rule(shape.fields, shape.places, name);
}

}  // namespace parlance::dialects
