#include "gateway/personal.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/json.h"
#include "base/mutant.h"
#include "base/personal/redact.h"
#include "dialects/content.h"

namespace parlance::gateway {

namespace {

/// Members of an event, or of what people are shown, that name something: agents, users, ids, times
/// and words of the program. Whatever else there is are somebody's words: a new member is looked
/// into until it stands here.
// clang-format off
constexpr std::array<std::string_view, 61> kNames{
    "agent", "agents", "asked_at", "asked_by", "at", "by", "capability", "child_session",
    "chosen", "correlation", "deadline", "decision", "dialect", "domain", "end",
    "ended_at", "escalate_to", "escalation", "event", "expires_at", "fallback",
    "fingerprint", "follows", "from", "hub_id", "id", "if_nobody", "instance", "kind",
    "name", "objective_hash", "objective_id", "owner", "parent", "patience", "plan_hash",
    "priority", "refusal", "resource", "retry_at", "role", "session", "setback",
    "settings", "skills", "source", "step", "task", "to", "tool", "tools",
    "tools_allowed", "topic", "type", "until", "user", "user_id", "version", "wanted",
    "workflow", "workflow_id"};
// clang-format on
/// Objects of events whose members are as an event's own.
constexpr std::array<std::string_view, 3> kNested{"profile", "delivery", "allocation"};

/// A value has the same placeholder in all of a workflow.
std::string_view scope_of(const Envelope& envelope) {
    return envelope.correlation().empty() ? envelope.id() : envelope.correlation();
}

bool is_covered(const Desk& desk, Dialect dialect, std::string_view reader) {
    const auto& policy = desk.options.personal;
    if (policy.covers(dialect)) return true;
    if (policy.dialects.empty()) return false;
    const auto* profile = desk.engine->profile(reader);
    return profile != nullptr && policy.covers(profile->dialect);
}

personal::Masking masking_for(const Options& options,
                              const Envelope& envelope,
                              personal::Kinds kinds) {
    return {.kinds = kinds, .scope = scope_of(envelope), .key = options.personal_key};
}

std::vector<std::string_view> parts_of(const Options& options, const Envelope& envelope) {
    auto parts =
        dialects::content_of(envelope.dialect(), envelope.body(), options.personal.fields_exempt);
    if (is_planted(Mutant::ForwardTheLastField) && parts.size() > 1) parts.pop_back();
    return parts;
}

personal::Kinds kinds_kept_from(const PersonalPolicy& policy, std::string_view reader) {
    if (is_planted(Mutant::RevealToAll) && !policy.reveal.empty()) {
        return policy.kinds.without(policy.reveal.begin()->second);
    }
    return policy.kinds_for(reader);
}

EnvelopePtr redacted_envelope(const Desk& desk,
                              const EnvelopePtr& envelope,
                              std::string_view reader) {
    if (!is_covered(desk, envelope->dialect(), reader)) return envelope;
    const auto kinds = kinds_kept_from(desk.options.personal, reader);
    const auto body = personal::redact(envelope->body(),
                                       parts_of(desk.options, *envelope),
                                       masking_for(desk.options, *envelope, kinds));
    return body ? Envelope::make(envelope->header(), *body) : envelope;
}

bool awaits_or_needs_no_answer(const Envelope& envelope) {
    return envelope.intent() == Intent::Request || envelope.intent() == Intent::OneWay;
}

/// The stretches of a printed event in which somebody's words stand, and their workflow.
struct Words {
    std::vector<std::string_view> parts;
    std::string scope;
};

std::string text_of(json::Value object, std::string_view key) {
    std::string spare;
    const auto value = json::find(object, key);
    return value && value->is_string() ? std::string{value->text(spare)} : std::string{};
}

/// An envelope, whatever the member is called that holds it.
bool is_envelope(json::Value value) {
    return value.is_object() && json::find(value, "message") && json::find(value, "dialect");
}

void add_envelope(json::Value envelope, Words& words) {
    const auto message = json::find(envelope, "message");
    const auto dialect = dialects::dialect_named(text_of(envelope, "dialect"));
    if (!dialect) return words.parts.push_back(message->raw);
    std::ranges::copy(dialects::content_of(*dialect, message->raw),
                      std::back_inserter(words.parts));
    words.scope = text_of(envelope, "correlation");
    if (words.scope.empty()) words.scope = text_of(envelope, "id");
}

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// A name is a text, or a list of texts.
bool is_name(std::string_view key, json::Value value) {
    if (!is_one_of(kNames, key) || value.is_object()) return false;
    if (!value.is_array()) return true;
    for (json::Elements elements{value}; elements.next();) {
        if (!elements.value.is_string()) return false;
    }
    return true;
}

void add_words(json::Value object, Words& words) {
    for (json::Members members{object}; members.next();) {
        const auto value = members.value;
        const bool has_words = value.is_string() || value.is_object() || value.is_array();
        if (is_envelope(value)) {
            add_envelope(value, words);
        } else if (value.is_object() && is_one_of(kNested, members.key)) {
            add_words(value, words);
        } else if (has_words && !is_name(members.key, value) &&
                   !is_planted(Mutant::TellTheRecordWhole)) {
            words.parts.push_back(value.raw);
        }
    }
}

}  // namespace

EnvelopePtr redacted_for(const Desk& desk, const EnvelopePtr& envelope, const AgentId& reader) {
    // An answer has been restored when it came in, for the only one who will see it.
    if (!awaits_or_needs_no_answer(*envelope)) return envelope;
    return redacted_envelope(desk, envelope, reader.value);
}

std::string restored_for_asker(const Desk& desk,
                               const Envelope& question,
                               std::string_view agent,
                               std::string_view json) {
    if (!is_covered(desk, question.dialect(), agent)) return std::string{json};
    const auto kinds = kinds_kept_from(desk.options.personal, agent);
    auto originals = personal::originals(question.body(),
                                         parts_of(desk.options, question),
                                         masking_for(desk.options, question, kinds));
    // A rule of the answer's dialect may ask for text where a number stood in the question.
    for (auto& original : originals) original.is_number = false;
    return personal::restore(json, originals).value_or(std::string{json});
}

EnvelopePtr restored_answer(const Desk& desk, const Envelope& question, const EnvelopePtr& answer) {
    const std::string body = restored_for_asker(desk, question, answer->from(), answer->body());
    return body == answer->body() ? answer : Envelope::make(answer->header(), body);
}

std::optional<dialects::Rejection> unfit_as_sent(Desk& desk, SendMessage& message) {
    auto unfit = unfit_message(desk, *message.envelope);
    if (awaits_or_needs_no_answer(*message.envelope)) return unfit;
    const auto question = desk.engine->question(*message.envelope);
    // An answer to nothing that is open goes on as a message like any other.
    const auto told = question ? restored_answer(desk, *question, message.envelope)
                               : redacted_envelope(desk, message.envelope, message.envelope->to());
    // A placeholder need not keep a rule that its value keeps. What is wrong is said of the
    // placeholder: its value is not the sender's to know.
    if (unfit && told != message.envelope && !unfit_message(desk, *told)) unfit.reset();
    message.envelope = told;
    return unfit;
}

std::string redacted_body(const Options& options, const Envelope& envelope) {
    const auto masking = masking_for(options, envelope, options.personal.kinds);
    return personal::redact(
               envelope.body(), dialects::content_of(envelope.dialect(), envelope.body()), masking)
        .value_or(std::string{envelope.body()});
}

std::string redacted_words(const Options& options, std::string_view words, std::string_view scope) {
    if (is_planted(Mutant::KeepTheRowsAsTheyCame)) return std::string{words};
    return personal::redact_words(
        words, {.kinds = options.personal.kinds, .scope = scope, .key = options.personal_key});
}

std::optional<std::string> redacted_event(const Options& options, std::string_view json) {
    Words words;
    add_words(json::root(json), words);
    return personal::redact(
        json,
        words.parts,
        {.kinds = options.personal.kinds, .scope = words.scope, .key = options.personal_key});
}

}  // namespace parlance::gateway
