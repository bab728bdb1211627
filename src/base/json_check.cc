// Checks every byte from outside: one pass over the text, no copy, and no allocation unless a key
// has escapes or an object has many keys. Time is linear in any text.
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_scan.h"
#include "base/json_strict.h"

namespace parlance::json {

namespace {

constexpr std::uint32_t kPlaceMax = (std::uint32_t{1} << 29U) - 1;

/// Up to this many keys are compared pairwise; more keys are hashed.
constexpr std::size_t kFewKeys = 16;

/// The keys of all objects with many keys, in one table: an entry is a key and its object's number.
class ManyKeys {
  public:
    /// False if this object already has the key.
    bool add(std::uint32_t object, std::string_view key) {
        if (slots_.size() * 3 <= used_ * 4) grow();
        const auto hash = static_cast<std::uint32_t>(
            siphash_short({process_key().low ^ object, process_key().high}, key));
        Slot& slot = slot_for(hash, [&](const Slot& taken) {
            return taken.hash == hash && taken.object == object && taken.size == key.size() &&
                   std::memcmp(taken.data, key.data(), key.size()) == 0;
        });
        if (slot.object != 0) return false;
        slot = {key.data(), static_cast<std::uint32_t>(key.size()), hash, object};
        ++used_;
        return true;
    }

  private:
    /// Small, because lookups hit a hundred thousand slots in random order.
    struct Slot {
        const char* data;
        std::uint32_t size;
        std::uint32_t hash;
        std::uint32_t object;  ///< Objects are numbered from 1; 0 marks a free slot.
    };

    /// The slot of the key, or the free slot for the key.
    template <class IsIt>
    Slot& slot_for(std::uint32_t hash, IsIt is_it) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        while (slots_[at].object != 0 && !is_it(slots_[at])) at = (at + 1) & mask;
        return slots_[at];
    }

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 4);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.object == 0) continue;
            slot_for(slot.hash, [](const Slot&) { return false; }) = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

class Checker {
  public:
    /// `outline` is null, or has room for every value that the text could have.
    Checker(std::string_view text, std::size_t depth_max, const Outline* outline)
        : rows_{outline == nullptr ? nullptr : outline->rows.get()},
          row_count_max_{outline == nullptr ? 0 : outline->room},
          row_depth_max_{outline == nullptr ? 0 : outline->depth_max},
          begin_{text.data()},
          at_{text.data()},
          end_{text.data() + text.size()},
          depth_max_{std::min(depth_max, kDepthMadeMax)} {}

    bool whole_text() {
        at_ = skip_space(at_, end_);
        if (!value(0, {})) return false;
        at_ = skip_space(at_, end_);
        return at_ == end_ || wrong("something follows the value");
    }

    std::size_t row_count() const { return row_count_; }
    std::size_t depth() const { return depth_; }

    Error error() const {
        return {
            Fault::Malformed,
            fmt::format("JSON is wrong at byte {}: {}{}",
                        wrong_at_ - begin_,
                        wrong_,
                        wrong_ == kTooDeep ? fmt::format(", and {} levels are the most", depth_max_)
                                           : std::string{})};
    }

  private:
    static constexpr const char* kTooDeep = "it is nested too deeply";

    /// A key of an open object. Without initialisers: an unused array of a thousand keys costs
    /// nothing.
    struct FewKey {
        const char* data;
        std::size_t size;
    };
    /// The key of the value that comes next.
    struct Key {
        std::uint32_t place = 0;
        std::uint32_t size = 0;
        bool has_escapes = false;
    };
    struct OpenObject {
        std::size_t first;         ///< Index of the object's first key in few_keys_.
        std::uint32_t number = 0;  ///< In many_keys_, once the object has many keys.
    };

    bool wrong_at(const char* where, const char* what) {
        wrong_at_ = where;
        wrong_ = what;
        return false;
    }
    /// Fails at the current position; at the end of the text, reports the early end instead.
    bool wrong(const char* what) {
        return wrong_at(at_, at_ == end_ ? "the text ends too early" : what);
    }

    /// The current byte; NUL at the end, which is valid nowhere.
    char peek() const { return at_ == end_ ? '\0' : *at_; }

    /// Reads a value and adds a row to the outline.
    bool value(std::size_t depth, const Key& key) {
        bool has_escapes = false;
        if (rows_ == nullptr || depth > row_depth_max_) return bare_value(depth, has_escapes);
        const bool is_closed = depth == row_depth_max_ && (peek() == '{' || peek() == '[');
        CHECK(row_count_ < row_count_max_);
        const auto row = row_count_++;
        const auto begin = place();
        if (!bare_value(depth, has_escapes)) return false;
        rows_[row] = {.begin = begin,
                      .end = place(),
                      .next = row_count_,
                      .key = key.place,
                      .key_size = key.size & kPlaceMax,
                      .has_key_escapes = key.has_escapes ? 1U : 0U,
                      .has_escapes = has_escapes ? 1U : 0U,
                      .is_closed = is_closed ? 1U : 0U};
        return true;
    }

    std::uint32_t place() const { return static_cast<std::uint32_t>(at_ - begin_); }

    bool bare_value(std::size_t depth, bool& has_escapes) {
        switch (peek()) {
            case '"':
                return string(has_escapes);
            case '{':
                return goes_deeper(depth) && object(depth + 1);
            case '[':
                return goes_deeper(depth) && array(depth + 1);
            case 't':
                return word("true");
            case 'f':
                return word("false");
            case 'n':
                return word("null");
            default:
                return number();
        }
    }

    bool goes_deeper(std::size_t depth) {
        if (depth >= depth_max_) return wrong(kTooDeep);
        depth_ = std::max(depth_, depth + 1);
        return true;
    }

    bool word(std::string_view expected) {
        const auto left = static_cast<std::size_t>(end_ - at_);
        if (left < expected.size() || std::memcmp(at_, expected.data(), expected.size()) != 0) {
            return wrong("a value was expected, but this word is not true, false or null");
        }
        at_ += expected.size();
        return true;
    }

    bool digits() {
        if (!is_digit(peek())) return wrong("a digit was expected");
        while (at_ != end_ && is_digit(*at_)) ++at_;
        return true;
    }

    bool number() {
        if (peek() == '-') {
            ++at_;
        } else if (!is_digit(peek())) {
            return wrong("a value was expected");
        }
        if (peek() == '0') {
            ++at_;
            if (is_digit(peek())) return wrong("a number has a leading zero");
        } else if (!digits()) {
            return false;
        }
        if (peek() == '.') {
            ++at_;
            if (!digits()) return false;
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!digits()) return false;
        }
        return true;
    }

    bool hex4(unsigned& code) {
        code = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = peek();
            const auto letter = static_cast<unsigned>((c | 0x20) - 'a');
            if (is_digit(c)) {
                code = code << 4U | static_cast<unsigned>(c - '0');
            } else if (letter < 6) {
                code = code << 4U | (letter + 10);
            } else {
                return wrong("four hexadecimal digits were expected behind \\u");
            }
        }
        return true;
    }

    /// Reads an escape, starting at the backslash.
    bool escape() {
        const char* const start = at_++;
        constexpr std::string_view kShort = "\"\\/bfnrt";
        if (peek() != 'u') {
            if (at_ == end_ || kShort.find(*at_) == std::string_view::npos) {
                return wrong("an unknown escape stands in a string");
            }
            ++at_;
            return true;
        }
        ++at_;
        unsigned code = 0;
        if (!hex4(code)) return false;
        if (code < 0xD800 || code > 0xDFFF) return true;

        const bool has_second = code < 0xDC00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u';
        if (!has_second) return wrong_at(start, "a surrogate stands alone");
        at_ += 2;
        unsigned second = 0;
        if (!hex4(second)) return false;
        if (second >= 0xDC00 && second <= 0xDFFF) return true;
        return wrong_at(start, "a surrogate stands alone");
    }

    bool string(bool& has_escapes) {
        const char* const start = at_++;
        while (true) {
            at_ = find_string_stop(at_, end_);
            if (at_ == end_) return wrong_at(start, "a string is not closed");
            if (*at_ == '"') {
                ++at_;
                return true;
            }
            if (*at_ != '\\') return wrong("a control character stands bare in a string");
            if (!escape()) return false;
            has_escapes = true;
        }
    }

    bool array(std::size_t depth) {
        at_ = skip_space(at_ + 1, end_);
        if (peek() == ']') {
            ++at_;
            return true;
        }
        while (true) {
            if (!value(depth, {})) return false;
            at_ = skip_space(at_, end_);
            if (peek() == ']') {
                ++at_;
                return true;
            }
            if (peek() != ',') return wrong("',' or ']' was expected");
            at_ = skip_space(at_ + 1, end_);
        }
    }

    bool object(std::size_t depth) {
        at_ = skip_space(at_ + 1, end_);
        if (peek() == '}') {
            ++at_;
            return true;
        }
        OpenObject open{few_keys_count_};
        while (true) {
            Key name;
            if (!key(open, name)) return false;
            at_ = skip_space(at_, end_);
            if (peek() != ':') return wrong("':' was expected behind a key");
            at_ = skip_space(at_ + 1, end_);
            if (!value(depth, name)) return false;
            at_ = skip_space(at_, end_);
            if (peek() == '}') break;
            if (peek() != ',') return wrong("',' or '}' was expected");
            at_ = skip_space(at_ + 1, end_);
        }
        ++at_;
        few_keys_count_ = open.first;
        return true;
    }

    bool key(OpenObject& object, Key& key) {
        if (peek() != '"') return wrong("a key in quotes was expected");
        const char* const start = at_;
        if (!string(key.has_escapes)) return false;
        std::string_view name{start + 1, static_cast<std::size_t>(at_ - start - 2)};
        key.place = static_cast<std::uint32_t>(start + 1 - begin_);
        key.size = static_cast<std::uint32_t>(name.size());
        if (key.has_escapes) name = unescaped(name);
        return add_key(object, name) || wrong_at(start, "a key stands twice in one object");
    }

    std::string_view unescaped(std::string_view name) {
        // All keys together are shorter than the text: one allocation serves all keys.
        if (!spare_) {
            spare_ =
                std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(end_ - begin_));
        }
        char* const place = spare_.get() + spare_used_;
        const std::size_t size = unescape(name, place);
        spare_used_ += size;
        return {place, size};
    }

    bool add_key(OpenObject& object, std::string_view name) {
        if (object.number != 0) return many_keys_.add(object.number, name);
        for (std::size_t i = object.first; i < few_keys_count_; ++i) {
            const FewKey& other = few_keys_[i];
            if (other.size == name.size() && (name.empty() || *other.data == name.front()) &&
                std::memcmp(other.data, name.data(), name.size()) == 0) {
                return false;
            }
        }
        if (few_keys_count_ - object.first < kFewKeys) {
            few_keys_[few_keys_count_++] = {name.data(), name.size()};
            return true;
        }
        object.number = ++objects_with_many_keys_;
        for (std::size_t i = object.first; i < few_keys_count_; ++i) {
            many_keys_.add(object.number, {few_keys_[i].data, few_keys_[i].size});
        }
        few_keys_count_ = object.first;
        return many_keys_.add(object.number, name);
    }

    Outline::Row* rows_;
    std::uint32_t row_count_ = 0;
    std::size_t row_count_max_;
    std::size_t row_depth_max_;
    const char* begin_;
    const char* at_;
    const char* end_;
    std::size_t depth_max_;
    std::size_t depth_ = 0;
    const char* wrong_at_ = nullptr;
    const char* wrong_ = nullptr;

    /// Keys of all open objects, innermost last.
    std::array<FewKey, kDepthMadeMax * kFewKeys> few_keys_;
    std::size_t few_keys_count_ = 0;
    ManyKeys many_keys_;
    std::uint32_t objects_with_many_keys_ = 0;
    std::unique_ptr<char[]> spare_;  ///< Unescaped copies of keys with escapes.
    std::size_t spare_used_ = 0;
};

/// The size in bytes of the UTF-8 character at the front; 0 if malformed.
std::size_t utf8_width(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
        return byte(i) >= least && byte(i) <= most;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const unsigned least = first == 0xE0 ? 0xA0 : 0x80;  // Lower bytes would be overlong forms.
        const unsigned most = first == 0xED ? 0x9F : 0xBF;   // Higher bytes would be surrogates.
        return follows(1, least, most) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const unsigned least = first == 0xF0 ? 0x90 : 0x80;
        const unsigned most = first == 0xF4 ? 0x8F : 0xBF;  // Unicode ends at U+10FFFF.
        return follows(1, least, most) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

std::size_t first_bad_utf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t width = utf8_width(text.substr(at));
        if (width == 0) break;
        at += width;
    }
    return at;
}

Result<void> check(std::string_view text, std::size_t depth_max, Outline* outline) {
    if (!simdjson::validate_utf8(text)) {
        return fail(
            Fault::Malformed,
            fmt::format("JSON is wrong at byte {}: this is not UTF-8", first_bad_utf8(text)));
    }
    Checker checker{text, depth_max, outline};
    if (!checker.whole_text()) return tl::unexpected(checker.error());
    if (outline == nullptr) return {};
    outline->count = checker.row_count();
    outline->depth = checker.depth();
    return {};
}

/// Bound on values: each value takes a byte, and a comma, colon or bracket; unclosed containers
/// number at most the nesting limit; one more value may be missing at the end.
std::size_t values_max(std::string_view text) { return text.size() / 2 + kDepthMadeMax + 2; }

void make_room(Outline& outline, std::size_t room) {
    constexpr std::size_t kRoomKept = std::size_t{1} << 16U;
    const bool is_enough = outline.room >= room && (outline.room <= kRoomKept || room > kRoomKept);
    if (is_enough) return;
    outline.rows = std::make_unique_for_overwrite<Outline::Row[]>(room);
    outline.room = room;
}

}  // namespace

Result<void> check(std::string_view text, std::size_t depth_max) {
    return check(text, depth_max, nullptr);
}

bool is_strict(std::string_view text) {
    return simdjson::validate_utf8(text) && Checker{text, kDepthMax, nullptr}.whole_text();
}

Result<void> check(std::string_view text, Outline& outline, std::size_t depth_max) {
    outline.begin = text.data();
    outline.count = 0;
    // An outline stores sizes in 29 bits; larger texts are walked without an outline.
    if (text.size() > kPlaceMax) return check(text, depth_max);
    make_room(outline, values_max(text));
    return check(text, depth_max, &outline);
}

}  // namespace parlance::json
