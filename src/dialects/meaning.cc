#include "dialects/meaning.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/iso_time.h"
#include "base/json_outline_writer.h"
#include "base/json_write.h"
#include "base/uuid.h"
#include "dialects/id_forms.h"

namespace parlance::dialects {

namespace {

/// The confidence that a word is read as, and the least confidence for which the word is written.
/// Most confident first, as in every dialect's own table.
struct ConfidenceRow {
    std::string_view says;
    double least;
};
constexpr std::array kConfidence{ConfidenceRow{"0.9", 0.8},
                                 ConfidenceRow{"0.7", 0.5},
                                 ConfidenceRow{"0.4", 0.25},
                                 ConfidenceRow{"0.15", 0.0}};

constexpr std::array<std::string_view, 22> kNumbers{"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",
                                                    "8",  "9",  "10", "11", "12", "13", "14", "15",
                                                    "16", "17", "18", "19", "20", "21"};

std::int64_t number_of_word(const FieldRule& rule, std::size_t place) {
    return rule.means.empty() ? static_cast<std::int64_t>(place) : rule.means[place];
}

bool is_worded(Slot slot) {
    return slot == Slot::Priority || slot == Slot::Status || slot == Slot::Severity ||
           slot == Slot::Urgency;
}

json::Value understood_word(const FieldRule& rule, json::Value value) {
    if (value.is_bool()) return {value.raw == "true" ? kNumbers[kSuccess] : kNumbers[kFailed]};
    std::string spare;
    const auto word = std::ranges::find(rule.words, short_text(value, spare));
    if (word == rule.words.end()) return {};
    const auto place = static_cast<std::size_t>(word - rule.words.begin());
    return {kNumbers[static_cast<std::size_t>(number_of_word(rule, place))]};
}

json::Value understood_confidence(const FieldRule& rule, json::Value value, Texts& texts) {
    if (value.is_string()) {
        std::string spare;
        const auto word = std::ranges::find(rule.words, value.text(spare));
        const auto place = static_cast<std::size_t>(word - rule.words.begin());
        return place < kConfidence.size() ? json::Value{kConfidence[place].says} : json::Value{};
    }
    if (rule.most == 1) return value;
    return {texts.keep(fmt::format("{:.12g}", value.number().value() / 100))};
}

json::Value understood_timeout(json::Value value, Time now, Texts& texts) {
    if (!value.is_string()) return value;
    std::string spare;
    const Time deadline = iso_time_in(value.text(spare)).value();
    return numbered(std::max((deadline - now).count(), std::int64_t{1}), texts);
}

/// A workflow's own id, restored if this dialect uses an id derived from it.
json::Value understood_workflow(json::Value value, Texts& texts) {
    std::string spare;
    const std::string_view said = short_text(value, spare);
    const std::string_view workflow = workflow_of(said);
    return workflow.size() == said.size() ? value : quoted(workflow, texts);
}

/// True for a list of events, each with its agent.
bool is_history(const FieldRule& rule) {
    return rule.element != nullptr && rule.element->shape != nullptr;
}

/// Only the first agents are translated, the extension keeps the others: an event per agent takes
/// many times the room of a name.
constexpr std::size_t kPriorAgentsMax = 64;
/// Events searched for agents: each event's agent is compared with all found before.
constexpr std::size_t kEventsReadMax = 1024;

/// The agents that a history mentions, each once and in order.
json::Value understood_history(json::Value history, Texts& texts) {
    std::vector<json::Value> agents;
    std::size_t count = 0;
    json::Elements events{history};
    while (agents.size() < kPriorAgentsMax && count++ < kEventsReadMax && events.next()) {
        const auto agent =
            events.value.is_object() ? json::find(events.value, "agent_id") : std::nullopt;
        if (!agent || !fits(kEachAgent, *agent)) continue;
        if (std::ranges::find(agents, agent->raw, &json::Value::raw) != agents.end()) continue;
        agents.push_back(*agent);
    }
    if (agents.empty()) return {};
    std::string list;
    for (const json::Value agent : agents) list.append(list.empty() ? "[" : ",").append(agent.raw);
    return {texts.keep(list += ']')};
}

/// Zero tokens say nothing: 0 is also the fill value.
json::Value understood_tokens(json::Value value, Texts& texts) {
    const std::uint64_t tokens = tokens_in(value);
    return tokens == 0 ? json::Value{} : numbered(static_cast<std::int64_t>(tokens), texts);
}

/// A value on its slot's scale.
json::Value understood(const FieldRule& rule, json::Value value, Time now, Texts& texts) {
    if (is_worded(rule.slot)) return understood_word(rule, value);
    if (rule.slot == Slot::Confidence) return understood_confidence(rule, value, texts);
    if (rule.slot == Slot::Timeout) return understood_timeout(value, now, texts);
    if (rule.slot == Slot::TokensUsed) return understood_tokens(value, texts);
    if (rule.kind == Kind::CorrelationId) return understood_workflow(value, texts);
    if (rule.slot == Slot::PriorAgents && is_history(rule)) return understood_history(value, texts);
    if (rule.slot == Slot::NextSteps && value.is_string()) {
        return {texts.keep(fmt::format("[{}]", value.raw))};
    }
    return value;
}

const Shape* shape_of(const FieldRule& rule, const Form& form) {
    return rule.kind == Kind::Body ? form.body : rule.shape;
}

/// Where an object's shape has a row for the object's own slot. Even then the slot's value may be
/// the whole object: a payload of the sender's own design.
enum class Inside : std::uint8_t { Nowhere, Directly, Deeper };

bool has_row_for(const Shape& shape, Slot slot) {
    return std::ranges::find(shape.fields, slot, &FieldRule::slot) != shape.fields.end();
}

Inside place_inside(const Shape& shape, Slot slot) {
    if (has_row_for(shape, slot)) return Inside::Directly;
    const bool is_deeper = std::ranges::any_of(shape.fields, [&](const FieldRule& rule) {
        return rule.shape != nullptr && place_inside(*rule.shape, slot) != Inside::Nowhere;
    });
    return is_deeper ? Inside::Deeper : Inside::Nowhere;
}

/// A value equal to the field's fill says nothing, unless it is a word or a number.
bool is_mere_fill(const FieldRule& rule, json::Value value) {
    const bool speaks = rule.kind == Kind::Word || rule.kind == Kind::Boolean ||
                        rule.kind == Kind::Number || rule.kind == Kind::Integer;
    return !speaks && value.raw == rule.fill;
}

class Gathering {
  public:
    Gathering(const Form& form, Time now, Texts& texts, Meaning& meaning)
        : form_{form}, now_{now}, texts_{texts}, meaning_{meaning} {}

    void object(const Shape& shape, const Found& found, Trust trust) {
        // Values inside a soft shape are never checked.
        if (shape.is_soft) trust = Trust::Nobody;
        // In the order of the table: of two fields with the same meaning, the later one counts.
        for (std::size_t i = 0; i < shape.fields.size(); ++i) {
            if (!found[i].raw.empty()) field(shape.fields[i], found[i], trust);
        }
    }

  private:
    void field(const FieldRule& rule, json::Value value, Trust trust) {
        const bool is_unsaid =
            value.is_null() && (rule.slot != Slot::Content || rule.is_never_absent);
        if (is_unsaid || is_mere_fill(rule, value) || rule.is_echo) return;
        if (trust == Trust::Nobody && !fits(rule, value)) return;
        const Shape* shape = shape_of(rule, form_);
        if (shape != nullptr && value.is_object()) object(*shape, fields_in(value, *shape), trust);
        if (rule.slot == Slot::None) return;
        const auto inside = shape == nullptr ? Inside::Nowhere : place_inside(*shape, rule.slot);
        const bool is_said_inside = meaning_.says(rule.slot) && inside == Inside::Directly;
        if (is_said_inside || inside == Inside::Deeper) return;
        const bool is_whole_body =
            rule.kind == Kind::Body && inside == Inside::Directly && value.is_object();
        if (is_whole_body && form_.intent == Intent::Reply) value = own_words(*shape, value);
        if (value.raw.empty()) return;
        const json::Value meant = understood(rule, value, now_, texts_);
        // Of several fields for token usage, an empty one does not erase the others.
        if (meant.raw.empty() && rule.slot == Slot::TokensUsed) return;
        meaning_[rule.slot] = meant;
    }

    /// An answer's body without protocol members: without the request's names, which the hub fills
    /// in, and for a failure without the error's details.
    json::Value own_words(const Shape& shape, json::Value body) {
        const auto is_others = [&](std::string_view name, json::Value value) {
            const FieldRule* const rule = find_rule(shape, name);
            if (rule == nullptr) return false;
            if (form_.act == Act::Failure) {
                return rule->slot != Slot::None || (rule->shape != nullptr && value.is_object());
            }
            return rule->slot == Slot::Answers || rule->slot == Slot::ChildSession;
        };
        json::ObjectWriter own;
        bool has_others = false;
        bool has_own = false;
        for (json::Members members{body}; members.next();) {
            if (is_others(members.key, members.value)) {
                has_others = true;
            } else {
                own.raw(members.key, members.value.raw);
                has_own = true;
            }
        }
        if (!has_others) return body;
        if (!has_own && form_.act == Act::Failure) return {};
        return {texts_.keep(own.done())};
    }

    const Form& form_;
    Time now_;
    Texts& texts_;
    Meaning& meaning_;
};

std::size_t nearest_word(const FieldRule& rule, std::int64_t number) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rule.words.size(); ++i) {
        const auto distance = [&](std::size_t place) {
            return std::abs(number_of_word(rule, place) - number);
        };
        if (distance(i) < distance(best)) best = i;
    }
    return best;
}

json::Value worded_number(const FieldRule& rule, std::int64_t number, Texts& texts) {
    if (rule.kind == Kind::Boolean) return {number < kFailed ? "true" : "false"};
    if (rule.words.empty()) return {};
    return quoted(rule.words[nearest_word(rule, number)], texts);
}

json::Value worded_confidence(const FieldRule& rule, json::Value value, Texts& texts) {
    const double confidence = std::clamp(value.number().value_or(0), 0.0, 1.0);
    if (rule.kind == Kind::Word) {
        const auto row = std::ranges::find_if(
            kConfidence, [&](const ConfidenceRow& each) { return confidence >= each.least; });
        return quoted(rule.words[static_cast<std::size_t>(row - kConfidence.begin())], texts);
    }
    if (rule.most == 1) return value;
    return {texts.keep(fmt::format("{:.12g}", confidence * 100))};
}

json::Value worded_timeout(const FieldRule& rule, std::int64_t ms, Time now, Texts& texts) {
    if (rule.kind != Kind::Instant) {
        return numbered(std::clamp(ms, rule.least, rule.most), texts);
    }
    // A deadline further off is written as this, the furthest that parse_iso_time() surely reads.
    constexpr std::int64_t kFar = std::int64_t{1000} * 3600 * 24 * 365 * 100;
    return quoted(print_iso_time(now + Duration{std::min(ms, kFar)}), texts);
}

/// An event per agent, at the time of the message: the slot has neither times nor details.
json::Value worded_history(json::Value agents, Time now, Texts& texts) {
    if (!agents.is_array()) return {};
    std::string events;
    std::size_t count = 0;
    for (json::Elements each{agents}; count < kPriorAgentsMax && each.next();) {
        if (!fits(kEachAgent, each.value)) continue;
        ++count;
        events += events.empty() ? "[" : ",";
        events += json::ObjectWriter{}
                      .text("timestamp", print_iso_time(now))
                      .text("event_type", "took_part")
                      .raw("agent_id", each.value.raw)
                      .raw("details", "{}")
                      .done();
    }
    return events.empty() ? json::Value{} : json::Value{texts.keep(events += ']')};
}

json::Value first_of(json::Value list) {
    if (!list.is_array()) return {};
    json::Elements elements{list};
    return elements.next() ? elements.value : json::Value{};
}

/// A string with deeper JSON stays a string: the translated message must not become too deep.
constexpr std::size_t kDepthInText = 16;

/// An object for a value of another kind.
json::Value as_object(json::Value value, Texts& texts) {
    const json::Value meant = structured(value, texts);
    if (meant.is_object() && value.is_string()) return meant;
    return {texts.keep(fmt::format(R"({{"value":{}}})", value.raw))};
}

json::Value as_string(json::Value value, Texts& texts) { return quoted(value.raw, texts); }

json::Value as_id(const FieldRule& rule, json::Value value, Texts& texts) {
    std::string spare;
    const std::string_view said = short_text(value, spare);
    if (said.empty()) return {};
    if (rule.kind == Kind::ErrorCode) return quoted(make_error_code(said), texts);
    return quoted(derived_uuid(said), texts);
}

/// When a workflow began, by its id, else by the message, else by the hub. So translating a message
/// again gives the same time.
Time beginning_of(std::string_view workflow, const Meaning& meaning, Time now) {
    if (const auto named = time_in(workflow)) return *named;
    std::string spare;
    const auto sent = iso_time_in(short_text(meaning[Slot::Sent], spare));
    if (sent) return *sent;
    for (const Slot slot : {Slot::Answers, Slot::Id}) {
        if (const auto named = time_in(short_text(meaning[slot], spare))) return *named;
    }
    return iso_time_in(short_text(meaning[Slot::Began], spare)).value_or(now);
}

/// The correlation id (C1) of a workflow that has another kind of id.
json::Value as_correlation_id(
    const FieldRule& rule, json::Value value, const Meaning& meaning, Time now, Texts& texts) {
    std::string spare;
    const std::string_view said = short_text(value, spare);
    if (said.empty()) return {};
    const Time began = beginning_of(said, meaning, now);
    const json::Value derived = quoted(derived_correlation_id(said, began), texts);
    return fits(rule, derived) ? derived
                               : quoted(derived_correlation_id(derived_uuid(said), began), texts);
}

/// The slot's value. A workflow without an id is identified by its session or its first request.
json::Value said_for(const FieldRule& rule, const Meaning& meaning) {
    if (meaning.says(rule.slot)) return meaning[rule.slot];
    if (rule.kind != Kind::CorrelationId) return {};
    for (const Slot slot : {Slot::Session, Slot::Answers, Slot::Id}) {
        std::string spare;
        if (!short_text(meaning[slot], spare).empty()) return meaning[slot];
    }
    return {};
}

/// A value that breaks the rule, converted to one that keeps it; empty if impossible.
json::Value coerced(const FieldRule& rule, json::Value value, Texts& texts) {
    switch (rule.kind) {
        case Kind::Object:
            return rule.shape == nullptr || rule.slot == Slot::Context ? as_object(value, texts)
                                                                       : json::Value{};
        case Kind::String:
            // A string that breaks a string's rule is empty.
            return value.is_string() ? json::Value{} : as_string(value, texts);
        case Kind::Uuid4:
        case Kind::RequestId:
        case Kind::ErrorCode:
            return as_id(rule, value, texts);
        default:
            return {};
    }
}

bool can_say(const Form& form, const Shape& shape, std::int8_t number) {
    return std::ranges::any_of(shape.fields, [&](const FieldRule& rule) {
        if (rule.slot == Slot::Status) {
            return std::ranges::find(rule.means, number) != rule.means.end();
        }
        const Shape* inner = shape_of(rule, form);
        return inner != nullptr && can_say(form, *inner, number);
    });
}

bool has_kind(const Form& form, const Shape& shape, Kind kind) {
    return std::ranges::any_of(shape.fields, [&](const FieldRule& rule) {
        const Shape* inner = shape_of(rule, form);
        return rule.kind == kind || (inner != nullptr && has_kind(form, *inner, kind));
    });
}

constexpr std::string_view kPartialWarnings = R"(["The answer is partial."])";
constexpr std::string_view kTimeoutMark = "Timeout: ";
/// An error text with such a beginning reports an exceeded time limit (X7).
constexpr std::array kTimeoutTexts{kTimeoutMark, std::string_view{"Delegation timeout after "}};
/// Error codes that report an exceeded time limit.
constexpr std::array<std::string_view, 2> kTimeoutCodes{"TIMEOUT", "REQUEST_TIMED_OUT"};

bool is_timeout_text(json::Value text) {
    std::string spare;
    const std::string_view said = text.is_string() ? text.text(spare) : std::string_view{};
    return std::ranges::any_of(kTimeoutTexts, [&](auto begin) { return said.starts_with(begin); });
}

/// True if a failure reports a timeout by its code or text instead of its status.
bool says_timeout(const Meaning& meaning) {
    std::string spare;
    const std::string_view code = short_text(meaning[Slot::ErrorCode], spare);
    return std::ranges::find(kTimeoutCodes, code) != kTimeoutCodes.end() ||
           is_timeout_text(meaning[Slot::ErrorText]);
}

/// Begins a member, in one step: most of the output is names. No name in a table needs escapes.
void append_name(std::string& out, std::string_view name) {
    const std::size_t start = out.size();
    out.resize(start + name.size() + 3);
    char* const place = out.data() + start;
    place[0] = '"';
    char* const end = std::ranges::copy(name, place + 1).out;
    end[0] = '"';
    end[1] = ':';
}

class Writing {
  public:
    Writing(const Form& form, Meaning& meaning, Time now, json::Outline* outline)
        : form_{form}, meaning_{meaning}, now_{now}, outline_writer_{outline} {
        if (form.implies_priority && !meaning_.says(Slot::Priority)) {
            meaning_[Slot::Priority] = {kNumbers[static_cast<std::size_t>(form.priority)]};
        }
        // A classification without a status is a success.
        if (form.act == Act::Classification && !meaning_.says(Slot::Status)) {
            meaning_[Slot::Status] = {kNumbers[kSuccess]};
        }
        const auto status = meaning_.number(Slot::Status);
        if (status == kTimedOut) say_the_timeout();
        if (status == kPartial && form.act == Act::Reply) say_that_it_is_partial();
        is_status_implied_ = (form.act == Act::Reply && status == kSuccess) ||
                             (form.act == Act::Failure && status == kFailed);
        meaning_[Slot::Type] = form.word.empty() ? json::Value{} : quoted(form.word, texts_);
    }

    std::string message() {
        std::string out;
        out.reserve(kUsualBytes);
        const std::size_t row = outline_writer_.begin();
        object(*form_.shape, out);
        outline_writer_.end(row, out, {});
        outline_writer_.done(out);
        return out;
    }

  private:
    static constexpr std::size_t kUsualBytes = 1024;

    /// Adds a warning where no status word expresses a partial answer.
    void say_that_it_is_partial() {
        if (meaning_.says(Slot::Warnings) || can_say(form_, *form_.shape, kPartial)) return;
        meaning_[Slot::Warnings] = {kPartialWarnings};
    }

    /// Marks the error text where no status word expresses a timeout.
    void say_the_timeout() {
        // More time may suffice, as after the hub's own timeouts.
        if (!meaning_.says(Slot::Retryable)) meaning_[Slot::Retryable] = {"true"};
        // Where a code needs two words, the status alone reports the timeout.
        if (!meaning_.says(Slot::ErrorCode) && !has_kind(form_, *form_.shape, Kind::ErrorCode)) {
            meaning_[Slot::ErrorCode] = quoted(kTimeoutCodes.front(), texts_);
        }
        if (!meaning_.says(Slot::ErrorText)) {
            meaning_[Slot::ErrorText] = {R"("Timeout: the request exceeded its time limit")"};
            return;
        }
        if (can_say(form_, *form_.shape, kTimedOut)) return;
        std::string spare;
        const json::Value said = meaning_[Slot::ErrorText];
        if (!said.is_string() || is_timeout_text(said)) return;
        meaning_[Slot::ErrorText] =
            quoted(fmt::format("{}{}", kTimeoutMark, said.text(spare)), texts_);
    }

    /// True if any value is more than a fill.
    bool object(const Shape& shape, std::string& out) {
        bool is_said = false;
        out += '{';
        for (const FieldRule& rule : shape.fields) is_said |= member(shape, rule, out);
        if (out.back() == ',') out.pop_back();
        out += '}';
        return is_said;
    }

    bool member(const Shape& shape, const FieldRule& rule, std::string& out) {
        if (rule.is_only_read) return false;
        const auto demand = demanded(shape, rule);
        if (demand == Demand::Empty) return absent(rule, out);
        if (rule.slot == Slot::Status && rule.need == Need::Optional && is_status_implied_) {
            return false;
        }
        const bool is_needed = demand == Demand::Present ||
                               (rule.need != Need::Optional && rule.need != Need::Routing);
        // The usual case: an optional field without a value.
        if (!is_needed && rule.need != Need::Routing && !may_say(rule)) {
            return absent(rule, out);
        }
        const std::size_t start = out.size();
        append_name(out, rule.name);
        const std::size_t value_start = out.size();
        const std::size_t row = outline_writer_.begin();
        bool is_said = value(rule, out);
        // A demanded list must not be empty.
        if (demand == Demand::Present && rule.kind == Kind::List &&
            std::string_view{out}.substr(value_start) == "[]") {
            is_said = false;
            out.resize(value_start);
        }
        if (!is_said && !is_needed) out.resize(value_start);
        if (out.size() == value_start) {
            outline_writer_.drop(row);
            if (!fill(rule, is_needed, out)) {
                out.resize(start);
                return absent(rule, out);
            }
            outline_writer_.begin();
        }
        outline_writer_.end(row, out, {start + 1, rule.name.size(), value_start});
        out += ',';
        return is_said;
    }

    /// Writes null if the field is never absent. Always false: the field has no value.
    bool absent(const FieldRule& rule, std::string& out) {
        if (!rule.is_never_absent) return false;
        const std::size_t start = out.size();
        append_name(out, rule.name);
        const std::size_t value_start = out.size();
        const std::size_t row = outline_writer_.begin();
        out += "null";
        outline_writer_.end(row, out, {start + 1, rule.name.size(), value_start});
        out += ',';
        return false;
    }

    bool may_say(const FieldRule& rule) const {
        return meaning_.says(rule.slot) || shape_of(rule, form_) != nullptr ||
               rule.kind == Kind::CorrelationId;
    }

    /// Writes a value that the meaning lacks. False if there is none.
    bool fill(const FieldRule& rule, bool is_needed, std::string& out) {
        if (!is_needed && rule.need != Need::Routing) return false;
        if (rule.need == Need::NowStandsIn) {
            json::append_quoted(out, print_iso_time(now_));
            return true;
        }
        if (rule.slot == Slot::ErrorSource) {  // By default the sender.
            out += meaning_[Slot::From].raw;
            return meaning_.says(Slot::From);
        }
        const auto patience = meaning_.number(Slot::Patience);
        if (rule.slot == Slot::Timeout && patience) {
            out += worded_timeout(rule, *patience, now_, texts_).raw;
            return true;
        }
        const std::string_view filled = rule.fill.empty() ? rule.preset : rule.fill;
        out += filled;
        return !filled.empty();
    }

    bool value(const FieldRule& rule, std::string& out) {
        const Shape* shape = shape_of(rule, form_);
        if (shape != nullptr && !is_taken_whole(rule, *shape)) return object(*shape, out);
        if (shape != nullptr && is_completed(rule, *shape)) {
            out += with_what_is_demanded(*shape, meaning_[rule.slot]);
            return true;
        }
        const json::Value value = worded(rule, meaning_, now_, texts_);
        out += value.raw;
        return !value.raw.empty();
    }

    /// An object of unknown origin, fitted to the shape: missing members are added, members that
    /// break a rule are dropped. Values of the members' own slots take precedence.
    std::string with_what_is_demanded(const Shape& shape, json::Value object) {
        json::ObjectWriter whole;
        const Found found = fields_in(object, shape);
        for (std::size_t i = 0; i < shape.fields.size(); ++i) {
            const FieldRule& rule = shape.fields[i];
            json::Value value = worded(rule, meaning_, now_, texts_);
            if (value.raw.empty() && !found[i].raw.empty() && fits_deeply(rule, found[i])) {
                value = found[i];
            }
            if (value.raw.empty() && rule.need == Need::Required) value = {rule.fill};
            if (!value.raw.empty()) whole.raw(rule.name, value.raw);
        }
        for (json::Members members{object}; members.next();) {
            const bool is_known = find_rule(shape, members.key) != nullptr;
            if (!is_known) whole.raw(members.key, members.value.raw);
        }
        return whole.done();
    }

    /// True if the slot's object lacks members here: members that the shape demands, or values of
    /// other slots without another place.
    bool is_completed(const FieldRule& rule, const Shape& shape) const {
        if (rule.slot == Slot::Constraints) return true;
        const json::Value said = meaning_[rule.slot];
        if (rule.slot != Slot::Context || !said.is_object()) return false;
        if (!shape.is_soft) return !fits_deeply(rule, said);
        const Found found = fields_in(said, shape);
        for (std::size_t i = 0; i < shape.fields.size(); ++i) {
            if (found[i].raw.empty() && meaning_.says(shape.fields[i].slot)) return true;
        }
        return false;
    }

    /// True if the slot's value becomes the whole object, false if a member of it.
    bool is_taken_whole(const FieldRule& rule, const Shape& shape) const {
        if (rule.slot == Slot::None || !meaning_.says(rule.slot)) return false;
        if (&shape == form_.body && !form_.body_mark.empty()) return false;  // Mandatory mark.
        if (rule.slot == Slot::Constraints && !meaning_[rule.slot].is_object()) return false;
        const Inside inside = place_inside(shape, rule.slot);
        if (inside != Inside::Directly) return inside == Inside::Nowhere;
        const bool has_more = std::ranges::any_of(shape.fields, [&](const FieldRule& inner) {
            const bool is_written = !inner.is_echo && !inner.is_only_read;
            return inner.slot != rule.slot && is_written && meaning_.says(inner.slot);
        });
        return !has_more && meaning_[rule.slot].is_object();
    }

    std::optional<Demand> demanded(const Shape& shape, const FieldRule& rule) {
        for (const WhenRule& when : shape.when) {
            if (when.other != rule.name) continue;
            const auto field = std::ranges::find(shape.fields, when.field, &FieldRule::name);
            json::Value value = worded(*field, meaning_, now_, texts_);
            if (value.raw.empty()) value = {field->fill};
            std::string spare;
            const std::string_view word = short_text(value, spare);
            if (std::ranges::find(when.words, word) != when.words.end()) return when.demand;
        }
        return {};
    }

    const Form& form_;
    Meaning& meaning_;
    Time now_;
    json::OutlineWriter outline_writer_;
    Texts texts_;
    bool is_status_implied_ = false;
};

}  // namespace

json::Value quoted(std::string_view text, Texts& texts) {
    if (json::is_plain(text)) return {texts.keep_in_quotes(text)};
    std::string out;
    json::append_quoted(out, text);
    return {texts.keep(out)};
}

json::Value numbered(std::int64_t number, Texts& texts) {
    return {texts.keep(std::to_string(number))};
}

std::uint64_t tokens_in(json::Value value) {
    constexpr double kMost = std::uint64_t{1} << 53U;
    const auto number = value.is_number() ? value.number() : std::nullopt;
    if (!number || *number <= 0) return 0;
    return static_cast<std::uint64_t>(std::ceil(std::min(*number, kMost)));
}

json::Value structured(json::Value value, Texts& texts) {
    if (!value.is_string()) return value;
    std::string spare;
    const std::string_view text = value.text(spare);
    const bool may_be_one = text.starts_with('{') || text.starts_with('[');
    return may_be_one && json::check(text, kDepthInText) ? json::Value{texts.keep(text)} : value;
}

Meaning understand(const Form& form, json::Value message, Time now, Texts& texts) {
    return understand(form, fields_in(message, *form.shape), now, texts, Trust::Nobody);
}

Meaning understand(const Form& form, const Found& found, Time now, Texts& texts, Trust trust) {
    Meaning meaning;
    Gathering{form, now, texts, meaning}.object(*form.shape, found, trust);
    meaning[Slot::Type] = {};
    const bool has_status = meaning.says(Slot::Status);
    if (!meaning.says(Slot::Status)) {
        if (form.act == Act::Reply) meaning[Slot::Status] = {kNumbers[kSuccess]};
        if (form.act == Act::Failure) meaning[Slot::Status] = {kNumbers[kFailed]};
    }
    if (meaning.number(Slot::Status) == kFailed && says_timeout(meaning)) {
        const bool has_own_word = has_status && can_say(form, *form.shape, kTimedOut);
        if (!has_own_word) meaning[Slot::Status] = {kNumbers[kTimedOut]};
    }
    if (form.implies_priority && !meaning.says(Slot::Priority)) {
        meaning[Slot::Priority] = {kNumbers[static_cast<std::size_t>(priority_of(form, meaning))]};
    }
    return meaning;
}

Priority priority_of(const Form& form, const Meaning& meaning) {
    if (const auto said = meaning.number(Slot::Priority)) return static_cast<Priority>(*said);
    // The highest urgency makes a request for help critical.
    constexpr std::int64_t kAtOnce = 3;
    const bool is_urgent = form.implies_priority && form.act == Act::Request &&
                           meaning.number(Slot::Urgency) == kAtOnce;
    return is_urgent ? Priority::Critical : form.priority;
}

Act act_of(const Form& form, const Meaning& meaning) {
    if (form.act != Act::Reply) return form.act;
    const auto status = meaning.number(Slot::Status).value_or(kSuccess);
    if (status == kPending) return Act::Status;
    return status >= kFailed ? Act::Failure : Act::Reply;
}

bool falls_short(const Form& form, const Meaning& meaning) {
    return form.act == Act::Failure || meaning.number(Slot::Status).value_or(kSuccess) != kSuccess;
}

json::Value worded(const FieldRule& rule, const Meaning& meaning, Time now, Texts& texts) {
    if (rule.slot == Slot::None) return {};
    const json::Value value = said_for(rule, meaning);
    if (value.raw.empty()) return {};
    if (is_worded(rule.slot)) {
        return worded_number(rule, meaning.number(rule.slot).value_or(0), texts);
    }
    if (rule.slot == Slot::Confidence) return worded_confidence(rule, value, texts);
    if (rule.slot == Slot::Timeout) {
        return worded_timeout(rule, meaning.number(rule.slot).value_or(1), now, texts);
    }
    if (rule.slot == Slot::PriorAgents && is_history(rule)) {
        return worded_history(value, now, texts);
    }
    if (fits_deeply(rule, value)) return value;
    if (rule.slot == Slot::NextSteps && rule.kind == Kind::Agent) {
        const json::Value first = first_of(value);
        return fits(rule, first) ? first : json::Value{};
    }
    if (rule.kind == Kind::CorrelationId) {
        return as_correlation_id(rule, value, meaning, now, texts);
    }
    return coerced(rule, value, texts);
}

std::string express(const Form& form, Meaning meaning, Time now) {
    return Writing{form, meaning, now, nullptr}.message();
}

std::string express(const Form& form, Meaning& meaning, Time now, json::Outline& outline) {
    return Writing{form, meaning, now, &outline}.message();
}

}  // namespace parlance::dialects
