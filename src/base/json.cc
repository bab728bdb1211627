// Walks checked text. All functions trust check(): they look for the ends of values, not for
// errors, and still never leave the text.
#include "base/json.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/decimal.h"
#include "base/json_scan.h"
#include "base/plain_text.h"

namespace parlance::json {

namespace {

/// `at` is after the opening quote; the result is after the closing quote.
const char* skip_string(const char* at, const char* end) {
    while (true) {
        at = find_string_stop(at, end);
        CHECK(at != end);  // check() saw the closing quote.
        if (*at == '"') return at + 1;
        at += 2;  // A backslash and the escaped byte, which is never a bare quote.
        CHECK(at <= end);
    }
}

/// State carried from one block to the next.
struct Nesting {
    std::uint64_t depth = 0;
    bool is_escaped = false;      ///< The next byte follows a backslash.
    std::uint64_t in_string = 0;  ///< All ones inside of a string.
};

/// The positions of bytes escaped by a backslash.
std::uint64_t escaped_places(std::uint64_t backslashes, Nesting& nesting) {
    std::uint64_t escaped = nesting.is_escaped ? 1 : 0;
    nesting.is_escaped = false;
    std::uint64_t left = backslashes & ~escaped;
    while (left != 0) {
        const int place = std::countr_zero(left);
        if (place == 63) {
            nesting.is_escaped = true;
            break;
        }
        escaped |= std::uint64_t{2} << place;
        left &= ~(std::uint64_t{3} << place);
    }
    return escaped;
}

/// Each bit becomes the parity of itself and all lower bits.
std::uint64_t running_parity(std::uint64_t bits) {
    for (const unsigned shift : {1U, 2U, 4U, 8U, 16U, 32U}) bits ^= bits << shift;
    return bits;
}

/// Position in the block at which the open container closes; 64 if not in this block.
int closing_place(const Block& block, Nesting& nesting) {
    const std::uint64_t escaped = (block.backslashes != 0 || nesting.is_escaped)
                                      ? escaped_places(block.backslashes, nesting)
                                      : 0;
    const std::uint64_t in_string = running_parity(block.quotes & ~escaped) ^ nesting.in_string;
    nesting.in_string = (in_string >> 63U) != 0 ? ~std::uint64_t{0} : 0;

    std::uint64_t brackets = (block.opening | block.closing) & ~in_string;
    for (; brackets != 0; brackets &= brackets - 1) {
        const int place = std::countr_zero(brackets);
        const bool opens = (block.opening >> place & 1U) != 0;
        if (opens) {
            ++nesting.depth;
        } else if (--nesting.depth == 0) {
            return place;
        }
    }
    return 64;
}

const char* skip_container(const char* at, const char* end) {
    Nesting nesting;
    while (end - at >= 64) {
        const int place = closing_place(classify(at), nesting);
        if (place < 64) return at + place + 1;
        at += 64;
    }
    char last[64] = {};
    std::memcpy(last, at, static_cast<std::size_t>(end - at));
    const int place = closing_place(classify(last), nesting);
    CHECK(place < end - at);  // check() saw every bracket closed.
    return at + place + 1;
}

const char* skip_scalar(const char* at, const char* end) {
    while (at != end && *at != ',' && *at != '}' && *at != ']' && !is_space(*at)) ++at;
    return at;
}

const char* skip_value(const char* at, const char* end) {
    CHECK(at != end);
    if (*at == '"') {
        const char* const stop = find_string_stop(at + 1, end);
        if (stop != end && *stop == '"') return stop + 1;  // Nearly all strings have no escapes.
        return skip_string(stop, end);
    }
    if (*at == '{' || *at == '[') return skip_container(at, end);
    return skip_scalar(at, end);
}

std::string_view between(const char* from, const char* to) {
    return {from, static_cast<std::size_t>(to - from)};
}

/// Reads the value at `at` and returns the position after the value.
const char* take_value(const char* at, const char* end, Value& value) {
    const char* const value_end = skip_value(at, end);
    value.raw = between(at, value_end);
    return value_end;
}

/// The text of a row's value.
std::string_view raw_of(const Outline& outline, const Outline::Row& row) {
    return {outline.begin + row.begin, row.end - row.begin};
}

/// The outline for walking the values inside a container; null if the text must be scanned.
const Outline* outline_inside(Value container) {
    const Outline* const outline = container.outline;
    if (outline == nullptr || outline->rows[container.row].is_closed != 0) return nullptr;
    return outline;
}

/// Skips a comma, if present. `end` is the closing bracket.
const char* next_item(const char* at, const char* end) {
    at = skip_space(at, end);
    if (at != end && *at == ',') at = skip_space(at + 1, end);
    return at;
}

unsigned hex_value(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    return static_cast<unsigned>((c | 0x20) - 'a') + 10U;
}

unsigned hex4(const char* digits) {
    return hex_value(digits[0]) << 12U | hex_value(digits[1]) << 8U | hex_value(digits[2]) << 4U |
           hex_value(digits[3]);
}

char* put_utf8(char* out, unsigned code) {
    const auto put = [&](unsigned byte) { *out++ = static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | code >> 6U);
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0U | code >> 12U);
        put(0x80U | (code >> 6U & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | code >> 18U);
        put(0x80U | (code >> 12U & 0x3FU));
        put(0x80U | (code >> 6U & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
    return out;
}

char short_escape(char c) {
    switch (c) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return c;  // Quote, backslash and slash stand for themselves.
    }
}

std::optional<std::int64_t> whole_of(const Decimal& decimal) {
    if (decimal.digits.empty()) return 0;
    constexpr std::int64_t kDigitsMax = 19;  // Nineteen nines still fit into an unsigned word.
    const auto digits = static_cast<std::int64_t>(decimal.digits.size());
    if (decimal.exponent < 0 || digits > kDigitsMax || decimal.exponent > kDigitsMax - digits) {
        return {};
    }
    std::uint64_t magnitude = 0;
    for (const char digit : decimal.digits) {
        magnitude = magnitude * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    for (std::int64_t i = 0; i < decimal.exponent; ++i) magnitude *= 10;

    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (magnitude > kMost + (decimal.is_negative ? 1U : 0U)) return {};
    return static_cast<std::int64_t>(decimal.is_negative ? ~magnitude + 1 : magnitude);
}

}  // namespace

std::size_t unescape(std::string_view inner, char* out) {
    const char* at = inner.data();
    const char* const end = at + inner.size();
    const char* const start = out;
    while (at != end) {
        const char* stop = find_string_stop(at, end);
        const auto plain = static_cast<std::size_t>(stop - at);
        std::memcpy(out, at, plain);
        out += plain;
        if (stop == end) break;
        if (stop[1] != 'u') {
            *out++ = short_escape(stop[1]);
            at = stop + 2;
            continue;
        }
        unsigned code = hex4(stop + 2);
        at = stop + 6;
        if (code >= 0xD800 && code < 0xDC00) {  // check() saw the second half of the pair.
            code = 0x10000U + ((code - 0xD800U) << 10U) + (hex4(at + 2) - 0xDC00U);
            at += 6;
        }
        out = put_utf8(out, code);
    }
    return static_cast<std::size_t>(out - start);
}

bool Value::is_number() const {
    return !raw.empty() && (is_digit(raw.front()) || raw.front() == '-');
}

std::string_view Value::text(std::string& spare) const {
    CHECK(is_string() && raw.size() >= 2);
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    const bool has_escapes = outline != nullptr ? outline->rows[row].has_escapes != 0
                                                : inner.find('\\') != std::string_view::npos;
    if (!has_escapes) return inner;
    spare.resize(inner.size());
    spare.resize(unescape(inner, spare.data()));
    return spare;
}

std::optional<std::int64_t> Value::integer() const {
    if (!is_number()) return {};
    std::int64_t value = 0;
    const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    if (read.ec == std::errc{} && read.ptr == raw.data() + raw.size()) return value;
    return whole_of(decimal_of(raw));
}

std::optional<double> Value::number() const {
    if (!is_number()) return {};
    double value = 0;
    const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    if (read.ec != std::errc{}) return {};
    return value;
}

Members::Members(Value object)
    : value{.raw = {}, .outline = outline_inside(object)},
      at_{object.raw.data() + 1},
      end_{object.raw.data() + object.raw.size() - 1} {
    CHECK(object.is_object() && object.raw.size() >= 2);
    if (value.outline == nullptr) {
        at_ = skip_space(at_, end_);
        return;
    }
    row_ = object.row + 1;
    row_end_ = object.outline->rows[object.row].next;
}

void Members::unescape_key() {
    spare_.resize(key.size());
    spare_.resize(unescape(key, spare_.data()));
    key = spare_;
}

bool Members::scan() {
    if (at_ == end_) return false;
    const char* key_end = find_string_stop(at_ + 1, end_);
    CHECK(key_end != end_);
    if (*key_end == '"') {
        key = between(at_ + 1, key_end++);
    } else {
        key_end = skip_string(key_end, end_);
        key = Value{.raw = between(at_, key_end)}.text(spare_);
    }
    at_ = skip_space(key_end, end_) + 1;  // After the colon.
    at_ = skip_space(at_, end_);
    at_ = next_item(take_value(at_, end_, value), end_);
    return true;
}

Elements::Elements(Value array)
    : value{.raw = {}, .outline = outline_inside(array)},
      at_{array.raw.data() + 1},
      end_{array.raw.data() + array.raw.size() - 1} {
    CHECK(array.is_array() && array.raw.size() >= 2);
    if (value.outline == nullptr) {
        at_ = skip_space(at_, end_);
        return;
    }
    row_ = array.row + 1;
    row_end_ = array.outline->rows[array.row].next;
}

bool Elements::next() {
    if (value.outline == nullptr) {
        if (at_ == end_) return false;
        at_ = next_item(take_value(at_, end_, value), end_);
        return true;
    }
    if (row_ == row_end_) return false;
    const Outline::Row& row = value.outline->rows[row_];
    value.raw = raw_of(*value.outline, row);
    value.row = row_;
    row_ = row.next;
    return true;
}

Value root(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return {.raw = text};
}

Value root(std::string_view text, const Outline& outline) {
    if (outline.count == 0) return root(text);
    return {.raw = raw_of(outline, outline.rows[0]), .outline = &outline};
}

std::optional<Value> find(Value object, std::string_view key) {
    for (Members members{object}; members.next();) {
        if (members.key == key) return members.value;
    }
    return {};
}

bool is_plain(std::string_view text) {
    const char* const end = text.data() + text.size();
    return find_string_stop(text.data(), end) == end;
}

void append_quoted(std::string& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const char* at = text.data();
    const char* const end = at + text.size();
    out.push_back('"');
    while (true) {
        const char* const stop = find_string_stop(at, end);
        out.append(at, stop);
        if (stop == end) break;
        const auto byte = static_cast<unsigned char>(*stop);
        if (byte >= 0x20) {
            out.push_back('\\');
            out.push_back(*stop);
        } else if (byte == '\n') {
            out.append("\\n");
        } else {
            out.append("\\u00");
            out.push_back(kHex[byte >> 4U]);
            out.push_back(kHex[byte & 0xFU]);
        }
        at = stop + 1;
    }
    out.push_back('"');
}

void append_step(std::string& pointer, std::string_view key) {
    pointer += '/';
    if (std::ranges::none_of(key, [](char c) { return c == '~' || c == '/'; })) {  // Most keys.
        pointer += key;
        return;
    }
    for (const char c : key) {
        if (c == '~' || c == '/') {
            pointer += c == '~' ? "~0" : "~1";
        } else {
            pointer += c;
        }
    }
}

namespace {

/// Decodes a pointer's step into a key.
std::string unescaped_step(std::string_view step) {
    std::string key;
    for (std::size_t i = 0; i < step.size(); ++i) {
        const bool is_escape = step[i] == '~' && i + 1 < step.size();
        key += is_escape ? (step[++i] == '1' ? '/' : '~') : step[i];
    }
    return key;
}

std::optional<Value> element(Value array, std::string_view step) {
    std::size_t left = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), left);
    if (error != std::errc{} || end != step.data() + step.size()) return std::nullopt;
    Elements elements{array};
    while (elements.next()) {
        if (left-- == 0) return elements.value;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Value> find_at(Value value, std::string_view pointer) {
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const auto step = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(step.size());
        std::optional<Value> inner;
        if (value.is_object()) inner = find(value, unescaped_step(step));
        if (value.is_array()) inner = element(value, step);
        if (!inner) return std::nullopt;
        value = *inner;
    }
    return value;
}

std::string shortened(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return std::string{text};
    return std::string{cut(text, bytes_max)} + "…";
}

}  // namespace parlance::json
