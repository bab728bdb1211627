// The dialects: protocols between a message's bytes and the fields that the hub must know, both
// ways.
//
// A dialect is tables. This room touches no socket and keeps no state between two messages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "model/command.h"
#include "model/envelope.h"
#include "model/refusal.h"

namespace parlance::dialects {

/// A single error in a message.
struct Problem {
    std::string pointer{};     ///< JSON pointer of the field, "" for the whole message.
    std::string value{};       ///< The field's value, shortened; empty if the field is missing.
    std::string rule{};        ///< What the value must be, in words.
    std::string section{};     ///< The section of the dialect's document with the rule.
    bool is_sentence = false;  ///< The rule is a whole sentence: the text was not parsed.
};

/// Enough to correct a message by. One further problem counts the rest.
inline constexpr std::size_t kProblemsMax = 100;

/// A refused message: the reason, and all its problems.
struct Rejection {
    Refusal refusal = Refusal::MessageMalformed;
    std::optional<Dialect> dialect{};  ///< Dialect and header fields, as far as readable.
    std::string id{};
    std::string from{};
    std::string correlation{};
    std::string answers{};  ///< Answers to a delivery: the id of the request.
    EnvelopePtr reply{};    ///< Answers that name their request: the header, without a body.
    std::vector<Problem> problems{};
    // Delegations: the message's claims.
    std::string to{};
    std::string user{};
    std::string objective{};
    std::string summary() const;  ///< All problems in one sentence or two.
};

template <class T>
using Reading = tl::expected<T, Rejection>;

/// The role that an agent registered in the message's dialect: empty for an agent of another
/// dialect, nothing for an agent without a role or a registration.
using RoleOf = std::function<std::optional<std::string_view>(std::string_view agent)>;

/// Input of decoding beside the bytes.
struct Reception {
    json::Value message{};  ///< The text as a value, if the caller's check outlined the text.
    std::optional<Dialect> dialect{};  ///< Named by the sender; else recognised.
    std::string_view caller{};         ///< Replaces a missing sender.
    std::string_view fresh_id{};       ///< Replaces a missing id.
    Time now{};                        ///< Turns a deadline date into a remaining time.
    const RoleOf* role_of = nullptr;   ///< Null: no agent has a role.
};

/// Reads one message. `text` must already be strict JSON (base/json.h).
Reading<SendMessage> read_message(std::string_view text, const Reception& reception);

/// Reads an agent's answer to `request` in that agent's dialect. Fields that the answer leaves out
/// and the request determines (ids, correlation, sender, recipient) are filled in.
Reading<SendMessage> read_reply(std::string_view text,
                                const Envelope& request,
                                const Reception& reception);

/// The type under which an answer from another dialect reaches the requester, if the requester's
/// document has a special answer for such a request: HELP_RESPONSE. The answer's envelope has this
/// type.
std::string_view answer_type(const Envelope& request, Dialect answered_in);

/// The hub's own answer to an unanswered `request`, in the dialect of its reader; without a reader,
/// in the request's dialect.
std::string write_failure(const Envelope& request,
                          Refusal refusal,
                          std::string_view detail,
                          Time now,
                          std::optional<Dialect> reader = {});

/// A refusal in the dialect's own form, a JSON object, for problem+json's `dialect_error`. If an
/// answer was refused, the refusal is about the answered request.
std::string write_refusal(Dialect dialect,
                          std::string_view message_id,
                          std::string_view to,
                          Refusal refusal,
                          std::string_view detail,
                          Time now,
                          std::string_view correlation = {});

/// A message completed with the members that its dialect always has, for a reader of the same
/// dialect; empty if no member is missing.
std::string with_defaults(const Envelope& message, Time now);

/// All problems of an object with this name in the dialect's document (TaskState, Global Context),
/// or of a message of this form, checked against every rule. An unknown name is a problem too.
/// `text` must already be strict JSON.
std::vector<Problem> check_object(Dialect dialect, std::string_view name, std::string_view text);

/// A message that its document shows as a part of something else: valid, but without a recipient.
struct Part {
    std::string_view type;             ///< The part's form.
    std::vector<std::string> lacks{};  ///< JSON pointers of members needed for sending.
};
/// Nothing if the text is no valid part. `text` must already be strict JSON.
std::optional<Part> read_part(Dialect dialect, std::string_view text);

/// The message in the current version of its dialect; empty if the message is current.
Reading<std::string> in_current_version(Dialect dialect, std::string_view text);

/// True if the text is a message in a dialect's own text form instead of JSON.
bool is_text_form(std::string_view text);
/// A message in text form, converted to JSON, and its dialect.
struct FromText {
    Dialect dialect;
    std::string json;
};
Result<FromText> from_text_form(std::string_view text);
/// The message in the dialect's text form; nothing if the dialect has none.
std::optional<std::string> to_text_form(Dialect dialect, std::string_view message);

std::optional<Dialect> dialect_named(std::string_view name);
std::string_view name_of(Dialect dialect);
std::string names_of_all();  ///< The supported dialects, in words: "a, b or c".

}  // namespace parlance::dialects
