#include "dialects/fields.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/check.h"
#include "base/iso_time.h"
#include "base/uuid.h"
#include "dialects/id_forms.h"

namespace parlance::dialects {

namespace {

constexpr std::string_view kTopicPrefix = "topic:";
/// FieldRule::most of rules without a maximum of their own.
constexpr std::string_view kLimitInWords = "2^53";

using Alphabet = std::array<bool, 256>;

constexpr Alphabet kIdAlphabet = [] {
    Alphabet alphabet{};
    for (unsigned c = 0x21; c < 0x7F; ++c) alphabet[c] = c != '"' && c != '\'';
    return alphabet;
}();

constexpr Alphabet kAgentAlphabet = [] {
    Alphabet alphabet{};
    for (unsigned c = '0'; c <= '9'; ++c) alphabet[c] = true;
    for (unsigned c = 'A'; c <= 'Z'; ++c) alphabet[c] = alphabet[c | 0x20U] = true;
    for (const char c : std::string_view{"._-:/@"}) alphabet[static_cast<unsigned char>(c)] = true;
    return alphabet;
}();

constexpr Alphabet kTextAlphabet = [] {
    Alphabet alphabet{};
    for (unsigned c = 0x20; c < 0x100; ++c) alphabet[c] = c != 0x7F;
    return alphabet;
}();

bool is_written_in(const Alphabet& alphabet, std::string_view text) {
    return std::ranges::all_of(text,
                               [&](char c) { return alphabet[static_cast<unsigned char>(c)]; });
}

bool fits_text(const FieldRule& rule, std::string_view text) {
    if (text.size() > rule.bytes_max) return false;
    const bool is_topic = text.starts_with(kTopicPrefix);
    switch (rule.kind) {
        case Kind::Id:
            return !text.empty() && is_written_in(kIdAlphabet, text);
        case Kind::Agent:
            return !text.empty() && !is_topic && is_written_in(kAgentAlphabet, text);
        case Kind::Recipient:
            return !text.empty() && text != kTopicPrefix && is_written_in(kAgentAlphabet, text);
        case Kind::Text:
            return is_written_in(kTextAlphabet, text);
        case Kind::Word:
            return std::ranges::find(rule.words, text) != rule.words.end();
        case Kind::Instant:
            return iso_time_in(text).has_value();
        case Kind::Uuid4:
            return is_uuid4(text);
        case Kind::RequestId:
            return is_uuid(text) || (is_written_in(kIdAlphabet, text) && ends_in_time(text));
        case Kind::ErrorCode:
            return is_error_code(text);
        case Kind::CorrelationId:
            return is_written_in(kIdAlphabet, text) && is_correlation_id(text);
        default:
            return false;
    }
}

bool has_stand_in(const FieldRule& rule, const Reception& reception) {
    switch (rule.need) {
        case Need::Optional:
            return true;
        case Need::CallerStandsIn:
            return !reception.caller.empty();
        case Need::FreshIdStandsIn:
            return !reception.fresh_id.empty();
        case Need::Defaulted:
        case Need::NowStandsIn:
            return true;
        default:
            return false;
    }
}

std::string_view kind_in_words(Kind kind) {
    switch (kind) {
        case Kind::Object:
        case Kind::Map:
            return "an object";
        case Kind::Id:
            return "1 to 128 printable ASCII characters without spaces and quotes";
        case Kind::Agent:
            return "an agent's id: 1 to 128 letters, digits and ._-:/@";
        case Kind::Recipient:
            return "an agent's id, or topic: and a name: 1 to 128 letters, digits and ._-:/@";
        case Kind::Text:
            return "a string of at most 128 bytes without control characters";
        case Kind::Instant:
            return "a time in ISO 8601 format, such as 2025-11-23T10:00:00.123Z";
        case Kind::Boolean:
            return "true or false";
        case Kind::Word:
        case Kind::String:
            return "a string";
        case Kind::List:
            return "an array";
        case Kind::Uuid4:
            return "a UUID v4, such as 550e8400-e29b-41d4-a716-446655440000";
        case Kind::RequestId:
            return "a UUID, or a session id and a time, such as sess-789-20250118-143022";
        case Kind::ErrorCode:
            return "a code of the form CATEGORY_SPECIFIC_ERROR, such as "
                   "DATA_MISSING_REQUIRED_INPUT";
        case Kind::CorrelationId:
            return "a session id, 8 hexadecimal digits and a time in seconds, joined by _, such as "
                   "session_user_1692633600_a7b2c9d4_1692633612";
        default:
            return "there, with any JSON value";
    }
}

/// The limit that the value exceeds, if the rule's own words do not mention the limit.
std::string_view limit_broken(const FieldRule& rule, json::Value value) {
    const bool has_limit = rule.kind == Kind::Integer || rule.kind == Kind::Number;
    if (!has_limit || rule.most != FieldRule{}.most || !value.is_number()) return {};
    if (rule.expected.ends_with(kLimitInWords)) return {};
    const auto whole = value.integer();
    const auto number = value.number();
    // A number that no double holds is too large, unless it contains a minus sign.
    const bool is_beyond = whole    ? *whole > rule.most
                           : number ? *number > static_cast<double>(rule.most)
                                    : value.raw.find('-') == std::string_view::npos;
    return is_beyond ? kLimitInWords : std::string_view{};
}

Problem problem_at(std::string pointer,
                   const FieldRule& rule,
                   json::Value value,
                   std::string_view section) {
    const bool is_missing = value.raw.empty();
    std::string words =
        fmt::format("{}must be {}", is_missing ? "is missing; " : "", expectation(rule));
    if (const auto limit = limit_broken(rule, value); !limit.empty()) {
        words.append(", and at most ").append(limit);
    }
    return {.pointer = std::move(pointer),
            .value = is_missing ? std::string{} : shortened(value.raw),
            .rule = std::move(words),
            .section = std::string{rule.section.empty() ? section : rule.section}};
}

/// Position of a value: its name or index, and the path of its container.
struct Path {
    const Path* around = nullptr;
    std::string_view name{};  ///< The outermost path has the given pointer.
    std::size_t place = 0;
    bool is_place = false;
};

void append_pointer(std::string& out, const Path& path) {
    if (path.around == nullptr) {
        out += path.name;
        return;
    }
    append_pointer(out, *path.around);
    json::append_step(out, path.is_place ? std::to_string(path.place) : std::string{path.name});
}

std::string pointer_of(const Path& path) {
    std::string pointer;
    append_pointer(pointer, path);
    return pointer;
}

/// One check of a message: its settings, and the problems found.
class Inspection {
  public:
    Inspection(const Checking& checking, Problems& problems)
        : checking_{checking}, problems_{problems} {}

    /// Adds the number of unlisted problems.
    void conclude() {
        if (unlisted_ == 0) return;
        problems_.push_back(
            {.rule = fmt::format(
                 "has {} more problem{}, not listed here", unlisted_, unlisted_ == 1 ? "" : "s")});
    }

    void object(const Shape& shape, json::Value object, const Path& path, bool is_whole) {
        if (shape.is_soft) return;
        fields(shape, object, fields_in(object, shape), path, is_whole);
    }

    void fields(const Shape& shape,
                json::Value object,
                const Found& found,
                const Path& path,
                bool is_whole) {
        for (std::size_t i = 0; i < shape.fields.size(); ++i) {
            const FieldRule& rule = shape.fields[i];
            const Path inner{.around = &path, .name = rule.name};
            if (!found[i].raw.empty()) {
                value(rule, found[i], inner, shape.section, is_whole);
            } else if (is_whole && !may_lack(rule)) {
                note([&] { return problem_at(pointer_of(inner), rule, {}, shape.section); });
            }
        }
        for (const WhenRule& when : shape.when) {
            condition(shape, when, found, path);
        }
        if (shape.also != nullptr) also(shape, object, path);
    }

    void value(const FieldRule& rule,
               json::Value value,
               const Path& path,
               std::string_view section,
               bool is_whole) {
        if (!fits(rule, value)) {
            note([&] { return problem_at(pointer_of(path), rule, value, section); });
            return;
        }
        if (rule.kind == Kind::Body) {
            if (checking_.body != nullptr && value.is_object()) {
                object(*checking_.body, value, path, is_whole && checking_.is_body_whole);
            }
        } else if (rule.kind == Kind::Object) {
            if (rule.shape != nullptr) object(*rule.shape, value, path, is_whole);
        } else if (rule.element != nullptr) {
            each(rule, value, path, section, is_whole);
        }
    }

  private:
    /// Lists a problem. Beyond the limit, problems are only counted: wording a problem takes longer
    /// than finding it.
    template <class Word>
    void note(Word word) {
        if (problems_.size() < kProblemsMax) {
            problems_.push_back(word());
        } else {
            ++unlisted_;
        }
    }

    void also(const Shape& shape, json::Value object, const Path& path) {
        Problems found;
        shape.also(object, pointer_of(path), found);
        for (Problem& problem : found) note([&] { return std::move(problem); });
    }

    void each(const FieldRule& rule,
              json::Value container,
              const Path& path,
              std::string_view section,
              bool is_whole) {
        if (rule.kind == Kind::Map) {
            for (json::Members members{container}; members.next();) {
                const Path inner{.around = &path, .name = members.key};
                value(*rule.element, members.value, inner, section, is_whole);
            }
            return;
        }
        Path inner{.around = &path, .is_place = true};
        json::Elements elements{container};
        for (; elements.next(); ++inner.place) {
            value(*rule.element, elements.value, inner, section, is_whole);
        }
    }

    bool may_lack(const FieldRule& rule) const {
        switch (rule.need) {
            case Need::Optional:
            case Need::Defaulted:
                return true;
            case Need::Required:
                return false;
            case Need::Routing:
                return !checking_.is_message;
            default:
                return !checking_.is_message ||
                       (checking_.reception != nullptr && has_stand_in(rule, *checking_.reception));
        }
    }

    void condition(const Shape& shape,
                   const WhenRule& when,
                   std::span<const json::Value> found,
                   const Path& path) {
        const auto is_list = [&](std::string_view name) {
            const auto rule = std::ranges::find(shape.fields, name, &FieldRule::name);
            return rule != shape.fields.end() && rule->kind == Kind::List;
        };
        const auto value_of = [&](std::string_view name) {
            const auto rule = std::ranges::find(shape.fields, name, &FieldRule::name);
            CHECK(rule != shape.fields.end());
            return found[static_cast<std::size_t>(rule - shape.fields.begin())];
        };
        std::string spare;
        const std::string_view word = short_text(value_of(when.field), spare);
        if (word.empty() || std::ranges::find(when.words, word) == when.words.end()) return;
        const json::Value other = value_of(when.other);
        const bool is_empty =
            other.raw.empty() || (other.is_object() && !json::Members{other}.next());
        const bool is_said = !other.raw.empty() && !(is_list(when.other) && other.is_array() &&
                                                     !json::Elements{other}.next());
        const bool is_right = when.demand == Demand::Empty ? is_empty : is_said;
        if (is_right) return;
        note([&]() -> Problem {
            return {.pointer = pointer_of({.around = &path, .name = when.other}),
                    .value = shortened(other.raw),
                    .rule = fmt::format("{}{} when {} is {}",
                                        other.raw.empty() ? "is missing; " : "",
                                        when.rule,
                                        when.field,
                                        word),
                    .section = std::string{shape.section}};
        });
    }

    const Checking& checking_;
    Problems& problems_;
    std::size_t unlisted_ = 0;
};

}  // namespace

bool is_empty_text(json::Value value) { return value.raw == R"("")"; }

std::string listed(std::span<const std::string_view> words) {
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
        list += words[i];
    }
    return list;
}

std::string expectation(const FieldRule& rule) {
    if (!rule.expected.empty()) return std::string{rule.expected};
    if (rule.kind == Kind::Word) return listed(rule.words);
    if (rule.is_never_empty) return "a string that is not empty";
    if (rule.kind == Kind::Integer || rule.kind == Kind::Number) {
        const std::string what = rule.kind == Kind::Integer ? "a whole number" : "a number";
        const FieldRule unbounded{};
        if (rule.most == unbounded.most) return fmt::format("{}, {} or more", what, rule.least);
        return fmt::format("{} from {} to {}", what, rule.least, rule.most);
    }
    return std::string{kind_in_words(rule.kind)};
}

Found fields_in(json::Value object, const Shape& shape) {
    CHECK(shape.fields.size() <= kFieldsMax);
    Found found{};
    collect(object, shape.fields, shape.places, found);
    return found;
}

void collect(json::Value object,
             std::span<const FieldRule> rules,
             const Places& places,
             std::span<json::Value> found) {
    for (json::Members members{object}; members.next();) {
        const FieldRule* const rule = find_rule(rules, places, members.key);
        if (rule == nullptr) continue;
        const bool counts = !members.value.is_null() || takes_null(*rule);
        if (counts) found[static_cast<std::size_t>(rule - rules.data())] = members.value;
    }
}

void hold_to_rules(std::span<const FieldRule> rules,
                   std::span<const json::Value> found,
                   std::string_view parent,
                   const Reception& reception,
                   Problems& problems) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const bool is_right =
            found[i].raw.empty() ? has_stand_in(rules[i], reception) : fits(rules[i], found[i]);
        if (!is_right) {
            problems.push_back(
                problem_at(fmt::format("{}/{}", parent, rules[i].name), rules[i], found[i], {}));
        }
    }
}

void hold_to_shape(const Shape& shape,
                   json::Value object,
                   std::string_view parent,
                   const Checking& checking,
                   Problems& problems) {
    const Path root{.name = parent};
    Inspection inspection{checking, problems};
    inspection.object(shape, object, root, checking.is_whole);
    inspection.conclude();
}

void hold_to_shape(const Shape& shape,
                   json::Value message,
                   const Found& found,
                   const Checking& checking,
                   Problems& problems) {
    if (shape.is_soft) return;
    const Path root{};
    Inspection inspection{checking, problems};
    inspection.fields(shape, message, found, root, checking.is_whole);
    inspection.conclude();
}

bool fits(const FieldRule& rule, json::Value value) {
    switch (rule.kind) {
        case Kind::Anything:
            return true;
        case Kind::Body:
            return !rule.is_object || value.is_object();
        case Kind::Object:
        case Kind::Map:
            return value.is_object();
        case Kind::List:
            return value.is_array();
        case Kind::Boolean:
            return value.is_bool();
        case Kind::String:
            return value.is_string() && !(rule.is_never_empty && is_empty_text(value));
        case Kind::Integer: {
            const auto integer = value.integer();
            return integer && *integer >= rule.least && *integer <= rule.most;
        }
        case Kind::Number: {
            const auto number = value.number();
            return number && *number >= static_cast<double>(rule.least) &&
                   *number <= static_cast<double>(rule.most);
        }
        default:
            break;
    }
    if (!value.is_string()) return false;
    std::string spare;
    return fits_text(rule, value.text(spare));
}

bool fits_deeply(const FieldRule& rule, json::Value value) {
    if (!fits(rule, value)) return false;
    if (rule.shape == nullptr && rule.element == nullptr) return true;
    Problems problems;
    const Path root{};
    const Checking checking{.is_message = false};
    Inspection{checking, problems}.value(rule, value, root, {}, true);
    return problems.empty();
}

std::string_view short_text(json::Value value, std::string& spare) {
    if (!value.is_string()) return {};
    const std::string_view text = value.text(spare);
    return text.size() <= kIdBytesMax ? text : std::string_view{};
}

}  // namespace parlance::dialects
