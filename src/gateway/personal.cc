#include "gateway/personal.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/personal/redact.h"
#include "dialects/content.h"

namespace parlance::gateway {

namespace {

/// What an event says in words, whoever wrote them.
constexpr std::array<std::string_view, 9> kWordyMembers{
    "detail", "reason", "note", "endpoint", "question", "context", "options", "content", "answers"};

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
    return dialects::content_of(
        envelope.dialect(), envelope.body(), options.personal.fields_exempt);
}

EnvelopePtr redacted_envelope(const Desk& desk,
                              const EnvelopePtr& envelope,
                              std::string_view reader) {
    if (!is_covered(desk, envelope->dialect(), reader)) return envelope;
    const auto kinds = desk.options.personal.kinds_for(reader);
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

void add_envelope(json::Value envelope, Words& words) {
    const auto message = json::find(envelope, "message");
    const auto dialect = dialects::dialect_named(text_of(envelope, "dialect"));
    if (!message || !dialect) return;
    std::ranges::copy(dialects::content_of(*dialect, message->raw),
                      std::back_inserter(words.parts));
    words.scope = text_of(envelope, "correlation");
    if (words.scope.empty()) words.scope = text_of(envelope, "id");
}

void add_words(json::Value object, Words& words) {
    for (json::Members members{object}; members.next();) {
        if (members.key == "envelope" && members.value.is_object()) {
            add_envelope(members.value, words);
        } else if (members.key == "profile" && members.value.is_object()) {
            add_words(members.value, words);
        } else if (std::ranges::find(kWordyMembers, members.key) != kWordyMembers.end()) {
            words.parts.push_back(members.value.raw);
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
    const auto kinds = desk.options.personal.kinds_for(agent);
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
