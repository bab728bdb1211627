// Strict JSON, read where it stands: checked once as a whole, then walked without copying.
//
// Stricter than most parsers: bad UTF-8, lone surrogates, duplicate keys, trailing bytes and
// nesting beyond the limit are errors. For documents that are edited or written, use Boost.JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parlance::json {

inline constexpr std::size_t kDepthMax = 64;

/// Where the objects and arrays of a text end, in the order in which they begin: whoever walks a
/// large text with its outline need not look for their ends again.
struct Outline {
    struct Row {
        std::uint32_t end = 0;   ///< Of the container: its last byte, from the begin of the text.
        std::uint32_t next = 0;  ///< The row of the first container behind it.
    };
    const char* begin = nullptr;
    std::vector<Row> rows;
};

/// Nothing if `text` is one strict JSON value; else what is wrong and at which byte.
Result<void> check(std::string_view text, std::size_t depth_max = kDepthMax);
/// The same, and outlines it. The outline keeps its memory from one text to the next.
Result<void> check(std::string_view text, Outline& outline);

/// A value inside text that check() has passed: its bytes, without surrounding space.
struct Value {
    std::string_view raw;
    const Outline* outline = nullptr;  ///< Of the text that it stands in, if that has one.
    std::uint32_t row = 0;             ///< The value's own, if it is a container.

    bool is_object() const { return !raw.empty() && raw.front() == '{'; }
    bool is_array() const { return !raw.empty() && raw.front() == '['; }
    bool is_string() const { return !raw.empty() && raw.front() == '"'; }
    bool is_number() const;
    bool is_bool() const { return raw == "true" || raw == "false"; }
    bool is_null() const { return raw == "null"; }

    /// The text of a string. `spare` is written only if the string has escapes.
    std::string_view text(std::string& spare) const;
    std::optional<std::int64_t> integer() const;  ///< Also of 3.0 and 3e2; nothing if not whole.
    std::optional<double> number() const;
};

/// Walks the members of an object: while (members.next()) use members.key, members.value.
class Members {
  public:
    explicit Members(Value object);
    bool next();
    std::string_view key;  ///< Unescaped; valid until the next call.
    Value value;

  private:
    const char* at_;
    const char* end_;
    std::uint32_t row_;  ///< Of the next container inside.
    std::string spare_;
};

/// Walks the elements of an array.
class Elements {
  public:
    explicit Elements(Value array);
    bool next();
    Value value;

  private:
    const char* at_;
    const char* end_;
    std::uint32_t row_;  ///< Of the next container inside.
};

/// The whole of checked text as a value.
Value root(std::string_view text);
Value root(std::string_view text, const Outline& outline);
/// A member by name, or nothing.
std::optional<Value> find(Value object, std::string_view key);

/// Appends `text` as a JSON string, quotes included.
void append_quoted(std::string& out, std::string_view text);

}  // namespace parlance::json
