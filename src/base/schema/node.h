// A compiled schema for check(): subschemas by number, every keyword read, every reference
// resolved.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/json.h"
#include "base/schema/format.h"
#include "base/schema/pattern.h"

namespace parlance::schema {

/// Number of a subschema; kNone for none.
using NodeId = std::uint32_t;
inline constexpr NodeId kNone = ~NodeId{0};

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// The types of JSON, as bits.
enum TypeBit : std::uint8_t {
    NullType = 1,
    BooleanType = 2,
    ObjectType = 4,
    ArrayType = 8,
    StringType = 16,
    NumberType = 32,
    IntegerType = 64,
};

struct TypeName {
    std::string_view name;
    TypeBit type;
};
inline constexpr std::array kTypeNames{TypeName{"null", NullType},
                                       TypeName{"boolean", BooleanType},
                                       TypeName{"object", ObjectType},
                                       TypeName{"array", ArrayType},
                                       TypeName{"string", StringType},
                                       TypeName{"number", NumberType},
                                       TypeName{"integer", IntegerType}};

struct NumberRules {
    std::optional<Decimal> maximum;
    std::optional<Decimal> exclusive_maximum;
    std::optional<Decimal> minimum;
    std::optional<Decimal> exclusive_minimum;
    std::optional<Decimal> multiple_of;
};

struct StringRules {
    std::uint64_t length_min = 0;  ///< In code points.
    std::uint64_t length_max = kNoLimit;
    std::optional<Pattern> pattern;
    const Format* format = nullptr;
};

struct ArrayRules {
    std::vector<NodeId> prefix_items;
    NodeId items = kNone;
    NodeId contains = kNone;
    std::uint64_t contains_min = 1;
    std::uint64_t contains_max = kNoLimit;
    std::uint64_t count_min = 0;
    std::uint64_t count_max = kNoLimit;
    bool is_unique = false;
};

struct ObjectRules {
    /// A property that some keyword names.
    struct Name {
        std::string text;
        NodeId property = kNone;
    };
    struct Dependent {
        std::uint32_t trigger = 0;              ///< Index in `names`.
        std::string_view keyword{};             ///< dependentRequired or dependentSchemas.
        std::vector<std::uint32_t> required{};  ///< Indices in `names`.
        NodeId schema = kNone;
    };
    struct ByPattern {
        Pattern pattern;
        NodeId schema;
    };
    std::vector<Name> names;  ///< Sorted.
    std::vector<std::uint32_t> required;
    std::vector<Dependent> dependents;
    std::vector<ByPattern> by_pattern;
    NodeId additional = kNone;
    NodeId property_names = kNone;
    std::uint64_t count_min = 0;
    std::uint64_t count_max = kNoLimit;
};

/// Keywords that apply other schemas to the same instance value.
struct InPlace {
    NodeId ref = kNone;
    NodeId dynamic_ref = kNone;
    std::string dynamic_name;  ///< Empty if the reference is an ordinary reference.
    std::vector<NodeId> all_of;
    std::vector<NodeId> any_of;
    std::vector<NodeId> one_of;
    NodeId not_this = kNone;
    NodeId if_this = kNone;
    NodeId then_this = kNone;
    NodeId else_this = kNone;
    NodeId unevaluated_items = kNone;
    NodeId unevaluated_properties = kNone;
};

struct Constant {
    json::Value value;  ///< In the program's text.
    std::uint64_t hash;
};

struct Node {
    NodeId parent = kNone;
    std::string step;  ///< The step from the parent: a piece of a JSON pointer.
    std::uint32_t resource = 0;
    bool is_never = false;  ///< The schema `false`.
    std::uint8_t types = 0;
    json::Value listed{};           ///< The list of enum, as written; empty without enum.
    std::vector<Constant> allowed;  ///< The list of enum, sorted by hash.
    std::optional<Constant> constant;
    std::unique_ptr<NumberRules> number;
    std::unique_ptr<StringRules> string;
    std::unique_ptr<ArrayRules> array;
    std::unique_ptr<ObjectRules> object;
    std::unique_ptr<InPlace> in_place;
};

/// A schema with its own identity: the whole schema, or a part with an $id.
struct Resource {
    std::string uri;  ///< Without a fragment.
    NodeId root = kNone;
    std::map<std::string, NodeId, std::less<>> anchors;
    std::map<std::string, NodeId, std::less<>> dynamic_anchors;
};

struct Program {
    std::string text;
    std::vector<Node> nodes;
    std::vector<Resource> resources;  ///< The first is the whole schema.

    std::string pointer_of(NodeId node) const;
};

}  // namespace parlance::schema
