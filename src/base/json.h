// Strict JSON, read where it stands: checked once as a whole, then walked without copying.
//
// Stricter than most parsers: bad UTF-8, lone surrogates, duplicate keys, trailing bytes and
// nesting beyond the limit are errors. For documents that are edited or written, use Boost.JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parlance::json {

inline constexpr std::size_t kDepthMax = 64;

/// Nothing if `text` is one strict JSON value; else what is wrong and at which byte.
Result<void> check(std::string_view text, std::size_t depth_max = kDepthMax);

/// A value inside text that check() has passed: its bytes, without surrounding space.
struct Value {
    std::string_view raw;

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
};

/// The whole of checked text as a value.
Value root(std::string_view text);
/// A member by name, or nothing.
std::optional<Value> find(Value object, std::string_view key);

/// Appends `text` as a JSON string, quotes included.
void append_quoted(std::string& out, std::string_view text);

}  // namespace parlance::json
