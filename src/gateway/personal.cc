#include "gateway/personal.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/json.h"
#include "base/mutant.h"
#include "base/personal/redact.h"
#include "dialects/content.h"
#include "views/event_words.h"

namespace parlance::gateway {

namespace {

/// Members of a document with ids and names. All other members are free text.
constexpr std::array<std::string_view, 12> kNames{"id",
                                                  "user_id",
                                                  "session_id",
                                                  "parent_session_id",
                                                  "workflow_id",
                                                  "correlation_id",
                                                  "chat_id",
                                                  "current_agent",
                                                  "handoff_to",
                                                  "assigned_agent",
                                                  "asked_by",
                                                  "started_by"};

/// A value has the same placeholder throughout a workflow.
std::string_view scope_of(const Envelope& envelope) {
    return envelope.correlation().empty() ? envelope.id() : envelope.correlation();
}

/// Messages that were delegated for others share the scope of their tree.
std::string scope_in_tree(const Desk& desk, const Envelope& envelope) {
    auto scope = core::conversation_of_tree(desk.engine->state(), envelope);
    return scope.empty() ? std::string{scope_of(envelope)} : scope;
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

/// The message's text without the kinds that are kept from this reader; nothing if no text was
/// redacted.
std::optional<std::string> redacted_text(const Options& options,
                                         const Envelope& envelope,
                                         std::string_view reader,
                                         std::string_view scope = {}) {
    auto masking = masking_for(options, envelope, kinds_kept_from(options.personal, reader));
    if (!scope.empty()) masking.scope = scope;
    return personal::redact(envelope.body(), parts_of(options, envelope), masking);
}

EnvelopePtr redacted_envelope(const Desk& desk,
                              const EnvelopePtr& envelope,
                              std::string_view reader) {
    if (!is_covered(desk, envelope->dialect(), reader)) return envelope;
    auto body = redacted_text(desk.options, *envelope, reader);
    if (!body) return envelope;
    // Most messages have nothing to redact and are spared the search for their tree.
    const auto scope = scope_in_tree(desk, *envelope);
    if (scope != scope_of(*envelope)) {
        body = redacted_text(desk.options, *envelope, reader, scope);
    }
    return body ? Envelope::make(envelope->header(), *body) : envelope;
}

bool awaits_or_needs_no_answer(const Envelope& envelope) {
    return envelope.intent() == Intent::Request || envelope.intent() == Intent::OneWay;
}

std::string text_of(json::Value object, std::string_view key) {
    std::string spare;
    const auto value = object.is_object() ? json::find(object, key) : std::nullopt;
    return value && value->is_string() ? std::string{value->text(spare)} : std::string{};
}

/// The free text in a printed envelope.
std::vector<std::string_view> words_of(json::Value envelope) {
    const auto message = envelope.is_object() ? json::find(envelope, "message") : std::nullopt;
    const auto dialect = dialects::dialect_named(text_of(envelope, "dialect"));
    if (!message) return {};
    if (!dialect || !message->is_object()) return {message->raw};
    return dialects::content_of(*dialect, message->raw);
}

std::string scope_of(json::Value envelope) {
    const auto correlation = text_of(envelope, "correlation");
    return correlation.empty() ? text_of(envelope, "id") : correlation;
}

/// The workflow named in a printed event.
std::string scope_of_event(json::Value event) {
    const auto report = json::find(event, "report");
    for (auto scope : {text_of(event, "correlation"),
                       report ? text_of(*report, "correlation_id") : std::string{},
                       text_of(event, "session"),
                       text_of(event, "workflow"),
                       text_of(event, "id")}) {
        if (!scope.empty()) return scope;
    }
    return {};
}

}  // namespace

EnvelopePtr redacted_for(const Desk& desk, const EnvelopePtr& envelope, const AgentId& reader) {
    // An answer was restored on arrival, for its only reader.
    if (!awaits_or_needs_no_answer(*envelope)) return envelope;
    return redacted_envelope(desk, envelope, reader.value);
}

std::string quoted_for(const Options& options, const Envelope& request, const Taker& reader) {
    const auto& policy = options.personal;
    const bool is_covered = policy.covers(request.dialect()) || policy.covers(reader.dialect);
    auto text = is_covered ? redacted_text(options, request, reader.agent) : std::nullopt;
    return text ? *std::move(text) : std::string{request.body()};
}

std::string restored_for_asker(const Desk& desk,
                               const Envelope& question,
                               std::string_view agent,
                               std::string_view json) {
    if (!is_covered(desk, question.dialect(), agent)) return std::string{json};
    auto masking = masking_for(desk.options, question, desk.options.personal.kinds_for(agent));
    const auto scope = scope_in_tree(desk, question);
    masking.scope = scope;
    auto originals =
        personal::originals(question.body(), parts_of(desk.options, question), masking);
    if (originals.empty()) return std::string{json};
    // The answer's dialect may require text where the request had a number.
    for (auto& original : originals) original.is_number = false;
    return personal::restore(json, originals, dialects::pointers_in(json))
        .value_or(std::string{json});
}

EnvelopePtr restored_answer(const Desk& desk, const Envelope& question, const EnvelopePtr& answer) {
    const std::string body = restored_for_asker(desk, question, answer->from(), answer->body());
    return body == answer->body() ? answer : Envelope::make(answer->header(), body);
}

void restore_facts(const Desk& desk,
                   const Envelope& question,
                   std::string_view agent,
                   std::vector<std::string>& facts) {
    for (auto& fact : facts) fact = restored_for_asker(desk, question, agent, fact);
}

std::optional<dialects::Rejection> unfit_as_sent(Desk& desk, SendMessage& message) {
    auto unfit = unfit_message(desk, *message.envelope);
    if (awaits_or_needs_no_answer(*message.envelope)) return unfit;
    const auto question = desk.engine->question(*message.envelope);
    // An answer without an open request goes on as an ordinary message.
    const auto told = question ? restored_answer(desk, *question, message.envelope)
                               : redacted_envelope(desk, message.envelope, message.envelope->to());
    // A placeholder may break a rule that the value behind the placeholder keeps. The refusal
    // quotes the placeholder, because the sender must not learn the value.
    if (unfit && told != message.envelope && !unfit_message(desk, *told)) unfit.reset();
    if (question && told != message.envelope) {
        restore_facts(desk, *question, message.envelope->from(), message.facts);
    }
    message.envelope = told;
    return unfit;
}

std::string redacted_body(const Options& options,
                          const Envelope& envelope,
                          std::string_view workflow) {
    auto masking = masking_for(options, envelope, options.personal.kinds);
    if (!workflow.empty()) masking.scope = workflow;
    return personal::redact(
               envelope.body(), dialects::content_of(envelope.dialect(), envelope.body()), masking)
        .value_or(std::string{envelope.body()});
}

std::string redacted_answer(const Options& options,
                            const Envelope& question,
                            std::string_view answer) {
    return personal::redact(answer,
                            dialects::content_of(question.dialect(), answer),
                            masking_for(options, question, options.personal.kinds))
        .value_or(std::string{answer});
}

std::string redacted_note(const Options& options, const Envelope& question, std::string_view note) {
    return personal::redact(note, masking_for(options, question, options.personal.kinds))
        .value_or(std::string{note});
}

std::string redacted_words(const Options& options, std::string_view words, std::string_view scope) {
    if (is_planted(Mutant::KeepTheRowsAsTheyCame)) return std::string{words};
    return personal::redact_words(
        words, {.kinds = options.personal.kinds, .scope = scope, .key = options.personal_key});
}

std::string redacted_document(const Options& options,
                              std::string_view json,
                              std::string_view scope) {
    // A key is looked at together with its value, because most members of a task's document are
    // free text.
    std::vector<std::string_view> parts;
    const json::Value object = json::root(json);
    const char* behind = object.raw.data() + 1;  // End of the previous member.
    for (json::Members members{object}; members.next();) {
        const std::string_view value = members.value.raw;
        const char* const begin = std::exchange(behind, value.data() + value.size());
        const bool is_name = std::ranges::find(kNames, members.key) != kNames.end();
        if (!is_name) parts.emplace_back(begin, static_cast<std::size_t>(behind - begin));
    }
    return personal::redact(
               json,
               parts,
               {.kinds = options.personal.kinds, .scope = scope, .key = options.personal_key})
        .value_or(std::string{json});
}

std::string workflow_of(const Desk& desk, const core::people::HumanTask& human_task) {
    const auto& state = desk.engine->state();
    const auto& asked = human_task.asked;
    const auto* request = core::broker::find_request(state.requests, asked.request);
    if (request != nullptr) return scope_in_tree(desk, *request->asked);
    const auto run = core::find_run(state, asked.workflow);
    if (run != nullptr) return run->correlation;
    return asked.workflow.empty() ? std::to_string(asked.id.value) : asked.workflow;
}

std::optional<std::string> redacted_event(const Options& options, std::string_view json) {
    std::vector<std::string_view> parts;
    auto scope = scope_of_event(json::root(json));
    for (const auto& stretch : views::words_in(json)) {
        if (!stretch.is_envelope) {
            if (!is_planted(Mutant::TellTheRecordWhole)) parts.push_back(stretch.json);
            continue;
        }
        const auto envelope = json::root(stretch.json);
        if (auto own = scope_of(envelope); !own.empty()) scope = std::move(own);
        std::ranges::copy(words_of(envelope), std::back_inserter(parts));
    }
    return personal::redact(
        json,
        parts,
        {.kinds = options.personal.kinds, .scope = scope, .key = options.personal_key});
}

bool sees_placeholders(const Caller& caller) {
    return caller.is_operator || caller.role != OperatorRole::None;
}

std::string shown_to(const Options& options,
                     const Caller& caller,
                     std::string json,
                     std::string_view scope) {
    return sees_placeholders(caller) ? redacted_document(options, json, scope) : std::move(json);
}

}  // namespace parlance::gateway
