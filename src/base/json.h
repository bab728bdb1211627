// Strict JSON, read where it stands: checked once as a whole, then walked without copying.
//
// Stricter than most parsers: bad UTF-8, lone surrogates, duplicate keys, trailing bytes and
// nesting beyond the limit are errors. For documents that are edited or written, use Boost.JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parlance::json {

/// Of a text that comes from outside.
inline constexpr std::size_t kDepthMax = 64;
/// Of one that was made around such texts: a message in another dialect, with what that has no
/// place for; a delivery; an event with its message. Nothing is walked that is deeper.
inline constexpr std::size_t kDepthMadeMax = 2 * kDepthMax;

/// Where the values of a text stand, in the order in which they begin: whoever walks a text with
/// its outline need not look at a byte of it again.
struct Outline {
    struct Row {
        std::uint32_t begin;  ///< Of the value, from the begin of the text.
        std::uint32_t end;    ///< Behind its last byte.
        std::uint32_t next;   ///< The row of the first value behind it, not inside of it.
        std::uint32_t key;    ///< A member's: where its key's text begins, and its size.
        std::uint32_t key_size : 29;
        std::uint32_t has_key_escapes : 1;
        std::uint32_t has_escapes : 1;  ///< A string's.
        std::uint32_t is_closed : 1;    ///< A container's: what is inside has no rows.
    };
    std::size_t depth_max = kDepthMadeMax;  ///< What is nested more deeply is not outlined.
    const char* begin = nullptr;
    std::unique_ptr<Row[]> rows;  ///< Room for as many values as the text could have.
    std::size_t room = 0;
    std::size_t count = 0;  ///< 0: the text has no outline.
    std::size_t depth = 0;  ///< How deeply its containers are nested.
};

/// Nothing if `text` is one strict JSON value; else what is wrong and at which byte.
Result<void> check(std::string_view text, std::size_t depth_max = kDepthMax);
/// The same, and outlines it. The outline keeps its memory from one text to the next.
Result<void> check(std::string_view text, Outline& outline, std::size_t depth_max = kDepthMax);

/// A value inside text that check() has passed: its bytes, without surrounding space.
struct Value {
    std::string_view raw;
    const Outline* outline = nullptr;  ///< Of the text that it stands in, if that has one.
    std::uint32_t row = 0;             ///< The value's own, in the outline.
    /// Nothing. Without it a value is copied in two pieces that overlap, and each copy of a copy
    /// has the processor wait for both: a tenth of what it takes to read a message.
    std::uint32_t filler = 0;

    bool is_object() const { return !raw.empty() && raw.front() == '{'; }
    bool is_array() const { return !raw.empty() && raw.front() == '['; }
    bool is_string() const { return !raw.empty() && raw.front() == '"'; }
    bool is_number() const;
    bool is_bool() const { return !raw.empty() && (raw.front() == 't' || raw.front() == 'f'); }
    bool is_null() const { return !raw.empty() && raw.front() == 'n'; }

    /// The text of a string. `spare` is written only if the string has escapes.
    std::string_view text(std::string& spare) const;
    std::optional<std::int64_t> integer() const;  ///< Also of 3.0 and 3e2; nothing if not whole.
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
    std::uint32_t row_ = 0;  ///< With an outline: of the next member, and of the first behind all.
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
    std::uint32_t row_ = 0;  ///< As with Members.
    std::uint32_t row_end_ = 0;
};

/// The whole of checked text as a value.
Value root(std::string_view text);
Value root(std::string_view text, const Outline& outline);
/// A member by name, or nothing.
std::optional<Value> find(Value object, std::string_view key);

/// What a JSON pointer leads to; nothing if there is nothing. "" is the value itself.
std::optional<Value> find_at(Value value, std::string_view pointer);

/// Whether the text stands in a JSON string as it is.
bool is_plain(std::string_view text);
/// Appends `text` as a JSON string, quotes included.
void append_quoted(std::string& out, std::string_view text);

/// Appends a key to a JSON pointer, with the slash before it.
void append_step(std::string& pointer, std::string_view key);

/// A text as people are shown it: its first characters.
std::string shortened(std::string_view text, std::size_t bytes_max = 60);

}  // namespace parlance::json
