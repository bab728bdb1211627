// Strict JSON, read in place: checked once as a whole, then walked without copying.
//
// Stricter than most parsers: bad UTF-8, lone surrogates, duplicate keys, trailing bytes and
// nesting beyond the limit are errors. For editing or building documents, use Boost.JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parlance::json {

/// Nesting limit of a text from outside.
inline constexpr std::size_t kDepthMax = 64;
/// Nesting limit of a text made around outside texts: a message in another dialect with its
/// untranslatable members; a delivery; an event with its message. No walk goes deeper.
inline constexpr std::size_t kDepthMadeMax = 2 * kDepthMax;

/// The positions of a text's values, in the order in which they begin: a walk with an outline reads
/// no byte of the text again.
struct Outline {
    struct Row {
        std::uint32_t begin;  ///< Offset of the value in the text.
        std::uint32_t end;    ///< Offset after the value's last byte.
        std::uint32_t next;   ///< Row of the first value after, not inside, this value.
        std::uint32_t key;    ///< A member's key: offset of the key's text, and size.
        std::uint32_t key_size : 29;
        std::uint32_t has_key_escapes : 1;
        std::uint32_t has_escapes : 1;  ///< For a string.
        std::uint32_t is_closed : 1;    ///< For a container: the values inside have no rows.
    };
    std::size_t depth_max = kDepthMadeMax;  ///< Values nested more deeply have no rows.
    const char* begin = nullptr;
    std::unique_ptr<Row[]> rows;  ///< Room for as many values as the text could have.
    std::size_t room = 0;
    std::size_t count = 0;  ///< 0: the text has no outline.
    std::size_t depth = 0;  ///< Nesting depth of the text's containers.
};

/// Succeeds if `text` is one strict JSON value; else names the error and its byte.
Result<void> check(std::string_view text, std::size_t depth_max = kDepthMax);
/// Also fills the outline. The outline reuses its memory for the next text.
Result<void> check(std::string_view text, Outline& outline, std::size_t depth_max = kDepthMax);

/// A value inside checked text: the value's bytes, without surrounding space.
struct Value {
    std::string_view raw;
    const Outline* outline = nullptr;  ///< The outline of the enclosing text, if any.
    std::uint32_t row = 0;             ///< The value's row in the outline.
    /// Unused. Without the filler a value is copied in two overlapping pieces, and a copy of a copy
    /// makes the processor wait for both: a tenth of the time to read a message.
    std::uint32_t filler = 0;

    bool is_object() const { return !raw.empty() && raw.front() == '{'; }
    bool is_array() const { return !raw.empty() && raw.front() == '['; }
    bool is_string() const { return !raw.empty() && raw.front() == '"'; }
    bool is_number() const;
    bool is_bool() const { return !raw.empty() && (raw.front() == 't' || raw.front() == 'f'); }
    bool is_null() const { return !raw.empty() && raw.front() == 'n'; }

    /// The text of a string. `spare` is written only if the string has escapes.
    std::string_view text(std::string& spare) const;
    std::optional<std::int64_t> integer() const;  ///< Also for 3.0 and 3e2; nothing if not whole.
    std::optional<double> number() const;
};

/// Walks the members of an object: while (members.next()) use members.key, members.value.
class Members {
  public:
    explicit Members(Value object);
    bool next() {
        if (value.outline == nullptr) return scan();
        if (row_ == row_end_) return false;
        step();
        return true;
    }
    std::string_view key;  ///< Unescaped; valid until the next call.
    Value value;

  private:
    bool scan();
    void step() {
        const Outline& outline = *value.outline;
        const Outline::Row& row = outline.rows[row_];
        key = {outline.begin + row.key, row.key_size};
        if (row.has_key_escapes != 0) [[unlikely]]
            unescape_key();
        value.raw = {outline.begin + row.begin, row.end - row.begin};
        value.row = row_;
        row_ = row.next;
    }
    void unescape_key();

    const char* at_;
    const char* end_;
    std::uint32_t row_ = 0;  ///< With an outline: rows of the next member and of the end.
    std::uint32_t row_end_ = 0;
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
    std::uint32_t row_ = 0;  ///< As in Members.
    std::uint32_t row_end_ = 0;
};

/// The whole of a checked text as a value.
Value root(std::string_view text);
Value root(std::string_view text, const Outline& outline);
/// The member with this name, or nothing.
std::optional<Value> find(Value object, std::string_view key);

/// The value at a JSON pointer, or nothing. "" is `value` itself.
std::optional<Value> find_at(Value value, std::string_view pointer);

/// Whether a JSON string can hold the text without escapes.
bool is_plain(std::string_view text);
/// Appends `text` as a JSON string, quotes included.
void append_quoted(std::string& out, std::string_view text);

/// Appends a slash and the key to a JSON pointer.
void append_step(std::string& pointer, std::string_view key);

/// The first characters of a text, for messages to people.
std::string shortened(std::string_view text, std::size_t bytes_max = 60);

}  // namespace parlance::json
