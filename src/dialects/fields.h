// A dialect's fields as data: allowed values, meaning, and the section of the document.
//
// The same rows find the fields, check them, fill in defaults, translate a message into another
// dialect and name its problems. A new row is a field that all of these know.
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

/// Allowed values of a field.
enum class Kind : std::uint8_t {
    Anything,
    Object,
    Id,         ///< Printable ASCII without spaces and quotes.
    Agent,      ///< Letters, digits and ._-:/@ but not a topic.
    Recipient,  ///< An agent, or "topic:" and a name of the same letters.
    Text,       ///< Any characters but control characters.
    Word,       ///< One of a few words.
    Instant,    ///< An ISO 8601 time.
    Integer,
    Number,
    Boolean,
    String,  ///< Any string of any length; `words` lists only the known values.
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
    Defaulted,  ///< Filled in with the preset if missing.
    Required,
    Routing,          ///< Required of a message; an object that is not sent has none.
    CallerStandsIn,   ///< Required, but the hub knows the caller.
    FreshIdStandsIn,  ///< Required, but the hub can make an id.
    NowStandsIn,      ///< Required, but the hub knows the time.
};

struct Shape;

struct FieldRule {
    std::string_view name{};
    Need need = Need::Optional;
    Kind kind = Kind::Anything;
    Slot slot = Slot::None;               ///< Meaning.
    bool is_echo = false;                 ///< Repeats another field.
    bool is_only_read = false;            ///< Read, but written in another field.
    bool is_never_absent = false;         ///< The hub writes null in place of a missing value.
    bool is_object = false;               ///< Body: must be an object.
    bool is_never_empty = false;          ///< String: must not be empty.
    std::size_t bytes_max = kIdBytesMax;  ///< Of a string.
    std::span<const std::string_view> words{};   ///< Of a Word.
    std::span<const std::int8_t> means{};        ///< The number of each word; by default its index.
    std::int64_t least = 0;                      ///< Integer and Number: the minimum.
    std::int64_t most = std::int64_t{1} << 53U;  ///< The maximum: 2^53, exact in a double.
    std::string_view expected{};   ///< The rule in words after "must be"; by default the kind's.
    std::string_view section{};    ///< Of the dialect's document; by default the shape's.
    const Shape* shape = nullptr;  ///< Of an Object.
    const FieldRule* element = nullptr;  ///< List and Map: the rule of each value.
    std::string_view preset{};           ///< JSON: the document's default, filled in on receipt.
    std::string_view fill{};             ///< JSON: a translation's stopgap for a mandatory value.
};

/// Fields in which null is a value; elsewhere null counts as absent.
constexpr bool takes_null(const FieldRule& rule) {
    return rule.kind == Kind::Anything || (rule.kind == Kind::Body && !rule.is_object);
}

/// The minimum of a number that may be negative.
inline constexpr std::int64_t kBelowZero = -(std::int64_t{1} << 53U);

/// Cheap hash of a name by length and first letter: collisions are rare.
inline constexpr std::size_t kLooks = 64;
constexpr std::size_t glance_at(std::string_view name) {
    const auto first = name.empty() ? 0U : static_cast<unsigned char>(name.front());
    return (std::size_t{first} * 7U + name.size()) % kLooks;
}
/// One bit per hash: the combined bits of a few names rule out most other names.
constexpr std::uint64_t look_of(std::string_view name) {
    return std::uint64_t{1} << glance_at(name);
}

/// The position of the first rule for each hash, counted from 1; 0: none.
using Places = std::array<std::uint8_t, kLooks>;
constexpr Places places_of(std::span<const FieldRule> rules) {
    Places places{};
    for (std::size_t i = rules.size(); i-- > 0;) {
        places[glance_at(rules[i].name)] = static_cast<std::uint8_t>(i + 1);
    }
    return places;
}

/// Elements of a list.
inline constexpr FieldRule kEachString{.kind = Kind::String};
inline constexpr FieldRule kEachAgent{.kind = Kind::Agent};

/// The section of Parlance's additions to a document.
inline constexpr std::string_view kExtension = "an extension of Parlance";

enum class Demand : std::uint8_t { Present, Empty };

/// "`other` must be present (or empty) when `field` is one of these words."
struct WhenRule {
    std::string_view field;
    std::span<const std::string_view> words;
    std::string_view other;
    Demand demand = Demand::Present;
    std::string_view rule{};  ///< In words, for people.
};

/// An object's rows, and the conditions between rows.
struct Shape {
    std::string_view name;  ///< As in the document.
    std::string_view section;
    std::span<const FieldRule> fields;
    std::span<const WhenRule> when{};
    /// An addition of Parlance where the document allows anything: read if it fits, never enforced.
    bool is_soft = false;
    /// A check that tables cannot express; null for nearly all shapes.
    void (*also)(json::Value object, std::string_view pointer, std::vector<Problem>&) = nullptr;
    Places places = places_of(fields);
};

inline constexpr std::size_t kFieldsMax = 24;  ///< No shape has more rows.

using Problems = std::vector<Problem>;

/// How strictly an object is checked against its shape.
struct Checking {
    const Reception* reception = nullptr;  ///< Stand-ins for missing fields; null: none.
    const Shape* body = nullptr;           ///< Shape of the field of Kind::Body; null: anything.
    bool is_message = true;                ///< Routing fields are mandatory.
    bool is_whole = true;                  ///< Missing fields are problems.
    bool is_body_whole = true;             ///< Missing fields inside the body are problems.
};

/// The values of an object's fields in the order of its shape's rows; empty if absent.
using Found = std::array<json::Value, kFieldsMax>;
Found fields_in(json::Value object, const Shape& shape);

/// Finds the members that the rules name; `found` gets one value per rule, empty if absent. A null
/// counts as absent, unless the field may be anything (takes_null()). `places` are the rules'.
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

/// Checks an object and everything inside.
void hold_to_shape(const Shape& shape,
                   json::Value object,
                   std::string_view parent,
                   const Checking& checking,
                   Problems& problems);

/// Checks a message whose fields are already found.
void hold_to_shape(const Shape& shape,
                   json::Value message,
                   const Found& found,
                   const Checking& checking,
                   Problems& problems);

/// True if the value itself keeps its rule; nested values are not checked.
bool fits(const FieldRule& rule, json::Value value);
/// True if the value and all nested values keep their rules.
bool fits_deeply(const FieldRule& rule, json::Value value);

/// The rule in words, after "must be".
std::string expectation(const FieldRule& rule);

/// The text of a string of at most an id's length; else nothing.
std::string_view short_text(json::Value value, std::string& spare);

bool is_empty_text(json::Value value);

/// "a, b or c"
std::string listed(std::span<const std::string_view> words);

using json::shortened;  // As problems quote a value.

/// Equality that rarely reaches memcmp(): called for every member.
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
