// A dialect's page of fields as data: what may stand where, and which section says so.
//
// The same rows find the fields, hold them to their rules and name what is wrong with them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dialects/dialects.h"

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
};

enum class Need : std::uint8_t {
    Optional,
    Required,
    CallerStandsIn,   ///< Required, but the hub knows who is calling.
    FreshIdStandsIn,  ///< Required, but the hub can give one.
};

struct FieldRule {
    std::string_view name;
    Need need = Need::Optional;
    Kind kind = Kind::Anything;
    std::size_t bytes_max = kIdBytesMax;         ///< Of a string.
    std::span<const std::string_view> words{};   ///< Of a Word.
    std::int64_t least = 0;                      ///< Of an Integer.
    std::int64_t most = std::int64_t{1} << 53U;  ///< What a double still holds exactly.
    std::string_view expected{};                 ///< The rule in words, behind "must be".
    std::string_view section{};                  ///< Of the dialect's document.
};

using Problems = std::vector<Problem>;

/// Finds the members that the rules name; `found` gets one value a rule, empty if it is absent.
/// A null counts as absent, except where anything may stand.
void collect(json::Value object, std::span<const FieldRule> rules, std::span<json::Value> found);

/// Adds a problem for each value that breaks its rule. `parent` is the object's JSON pointer.
void hold_to_rules(std::span<const FieldRule> rules,
                   std::span<const json::Value> found,
                   std::string_view parent,
                   const Reception& reception,
                   Problems& problems);

bool fits(const FieldRule& rule, json::Value value);

/// The text of a string that is no longer than an id may be; else nothing.
std::string_view short_text(json::Value value, std::string& spare);

/// A value as a problem shows it: its first characters.
std::string shortened(std::string_view raw);

}  // namespace parlance::dialects
