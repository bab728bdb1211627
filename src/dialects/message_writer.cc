#include "dialects/message_writer.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/json_write.h"
#include "dialects/dialect_row.h"
#include "dialects/id_forms.h"
#include "dialects/tables.h"
#include "dialects/written.h"

namespace parlance::dialects {

namespace {

/// The action in words: the capability, or the objective in dialects that describe delegations in
/// words.
std::string_view action_of(const DialectRow& row, const HubRequest& request) {
    const bool is_told = row.threads_sessions || request.capability.empty();
    return is_told ? request.objective : request.capability;
}

std::string text_in(const Meaning& meaning, Slot slot) {
    std::string spare;
    return meaning[slot].is_string() ? std::string{meaning[slot].text(spare)} : std::string{};
}

/// A delegate's result with its artifacts (X10), which the next step works with.
std::string with_artifacts(json::Value message) {
    const auto artifacts = json::find(message, "artifacts");
    if (!artifacts || !artifacts->is_array()) return {};
    json::ObjectWriter out;
    for (const auto* const key : {"summary", "result"}) {
        if (const auto value = json::find(message, key)) out.raw(key, value->raw);
    }
    return out.raw("artifacts", artifacts->raw).done();
}

/// A string that contains an object or a list, parsed.
std::string unwrapped(json::Value content) {
    if (!content.is_string()) return {};
    std::string spare;
    const auto text = content.text(spare);
    const bool is_structure = text.starts_with('{') || text.starts_with('[');
    return is_structure && json::check(text) ? std::string{text} : std::string{};
}

void read_failure(Said& said, const Meaning& meaning) {
    said.code = text_in(meaning, Slot::ErrorCode);
    if (said.code.empty()) {
        const bool is_late = meaning.number(Slot::Status) == kTimedOut;
        said.code = is_late ? "REQUEST_TIMED_OUT" : "AGENT_REPORTED_ERROR";
    }
    said.text = text_in(meaning, Slot::ErrorText);
    if (said.text.empty()) said.text = "the agent says that it failed, and not why";
    const json::Value retryable = meaning[Slot::Retryable];
    if (retryable.is_bool()) said.is_retryable = retryable.raw == "true";
    said.fallback = text_in(meaning, Slot::Fallback);
}

/// Words in an error code that blame the request and not the agent. An error with none of these
/// words is the agent's own failure.
constexpr std::array<std::string_view, 38> kDeclining{"INPUT",          "INPUTS",
                                                      "INVALID",        "VALIDATION",
                                                      "MALFORMED",      "MISSING",
                                                      "REQUIRED",       "UNSUPPORTED",
                                                      "SUPPORTED",      "NOT_FOUND",
                                                      "FORBIDDEN",      "UNAUTHORIZED",
                                                      "AUTHENTICATION", "AUTHORIZATION",
                                                      "AUTHORIZED",     "PERMISSION",
                                                      "PERMITTED",      "NOT_ALLOWED",
                                                      "DENIED",         "DECLINED",
                                                      "REJECTED",       "CANNOT",
                                                      "UNABLE",         "CAPABILITY",
                                                      "SCOPE",          "CONFLICT",
                                                      "DUPLICATE",      "POLICY",
                                                      "BUDGET",         "CANCELLED",
                                                      "CANCELED",       "DELEGATION",
                                                      "CIRCUIT_OPEN",   "INSUFFICIENT_DATA",
                                                      "NO_DATA",        "NOT_REGISTERED",
                                                      "AMBIGUOUS",      "ISOLATION"};

/// True if the field describes the failure, beyond its mere occurrence.
bool says_how(const FieldRule& rule) {
    if (rule.slot != Slot::Status) return true;
    return !rule.means.empty() &&
           std::ranges::all_of(rule.means, [](std::int8_t meant) { return meant >= kFailed; });
}

/// The words that describe a failure: its code and type, else its text.
std::string words_of(const Form& form, json::Value message, const Meaning& meaning) {
    std::string words;
    constexpr std::array kTelling{Slot::ErrorCode, Slot::Status};
    for (const auto& [rule, value] : written_in(form, message, kTelling)) {
        std::string spare;
        if (says_how(*rule) && value.is_string()) words += ' ' + std::string{value.text(spare)};
    }
    return words.empty() ? text_in(meaning, Slot::ErrorText) : words;
}

/// True if only the text of a failure with a code reports a timeout. Agents copy parts of requests
/// into their texts, so a text must not count against the agent.
bool is_late_in_words_only(const Form& form, json::Value message, const Meaning& meaning) {
    constexpr std::array kStatus{Slot::Status};
    const bool has_own_word =
        std::ranges::any_of(written_in(form, message, kStatus), [](const Written& each) {
            return std::ranges::find(each.rule->means, kTimedOut) != each.rule->means.end();
        });
    return !has_own_word && meaning.says(Slot::ErrorCode);
}

bool is_declining(std::string_view words) {
    const auto code = '_' + make_error_code(words) + '_';
    return std::ranges::any_of(kDeclining, [&](std::string_view word) {
        return code.find('_' + std::string{word} + '_') != std::string::npos;
    });
}

}  // namespace

AnswerKind kind_of(const Envelope& answer) {
    const DialectRow* const row = row_of(answer.dialect());
    CHECK(row != nullptr);  // Only messages that a dialect has read become envelopes.
    const json::Value message = json::root(answer.body());
    const Form* const form = message.is_object() ? form_of(*row->forms, message) : nullptr;
    if (form == nullptr || form->act == Act::HandoffReply) return AnswerKind::Declined;
    Texts texts;
    const Meaning meaning = understand(*form, message, {}, texts);
    const auto status = meaning.number(Slot::Status).value_or(kSuccess);
    if (status == kPartial) return AnswerKind::Done;
    if (status == kTimedOut && !is_late_in_words_only(*form, message, meaning)) {
        return AnswerKind::Failed;
    }
    if (act_of(*form, meaning) != Act::Failure) return AnswerKind::Declined;
    return is_declining(words_of(*form, message, meaning)) ? AnswerKind::Declined
                                                           : AnswerKind::Failed;
}

EnvelopePtr write_request(Dialect dialect, const HubRequest& request) {
    const DialectRow* const row = row_of(dialect);
    CHECK(row != nullptr);  // Agents register with a supported dialect.
    Texts texts;
    Meaning meaning;
    const auto say = [&](Slot slot, std::string_view text) {
        if (!text.empty()) meaning[slot] = quoted(text, texts);
    };
    say(Slot::Id, request.id);
    say(Slot::From, request.from);
    say(Slot::To, request.to);
    say(Slot::Action, action_of(*row, request));
    say(Slot::Correlation, request.correlation);
    say(Slot::Task, request.correlation);
    say(Slot::User, request.user);
    say(Slot::Session, request.session);
    meaning[Slot::Content] = {request.inputs};
    meaning[Slot::Context] = {request.context};
    meaning[Slot::Timeout] = numbered(request.timeout.count(), texts);
    if (request.tokens_max > 0) {
        meaning[Slot::TokensMax] = numbered(static_cast<std::int64_t>(request.tokens_max), texts);
    }
    meaning[Slot::Priority] = numbered(static_cast<std::int64_t>(request.priority), texts);
    const std::string text = express(form_for(*row->forms, Act::Request), meaning, request.now);
    if (text.size() > kMessageBytesMax || !json::check(text)) return nullptr;
    auto message = row->read_message(
        *row,
        text,
        {.dialect = dialect, .caller = request.from, .fresh_id = request.id, .now = request.now});
    if (!message || message->envelope->intent() != Intent::Request) return nullptr;
    return message->envelope;
}

Said read_said(const Envelope& answer) {
    const DialectRow* const row = row_of(answer.dialect());
    CHECK(row != nullptr);  // Only messages that a dialect has read become envelopes.
    const json::Value message = json::root(answer.body());
    const Form* const form = message.is_object() ? form_of(*row->forms, message) : nullptr;
    if (form == nullptr) {
        return {.code = "AGENT_REPORTED_ERROR",
                .text = "its answer is none of its dialect's forms"};
    }
    Texts texts;
    const Meaning meaning = understand(*form, message, {}, texts);
    Said said;
    said.is_done = act_of(*form, meaning) != Act::Failure;
    said.is_partial = meaning.number(Slot::Status) == kPartial;
    said.confidence = meaning[Slot::Confidence].number();
    said.tokens_used = tokens_in(meaning[Slot::TokensUsed]);
    if (!said.is_done) {
        read_failure(said, meaning);
        return said;
    }
    said.text = said.is_partial ? std::string{meaning[Slot::Warnings].raw} : std::string{};
    said.made = with_artifacts(message);
    if (said.made.empty()) said.made = unwrapped(meaning[Slot::Content]);
    if (said.made.empty()) said.content = meaning[Slot::Content].raw;
    return said;
}

}  // namespace parlance::dialects
