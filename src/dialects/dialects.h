// The languages: from the bytes of a message to what the hub must know of it, and back.
//
// A dialect is tables. This room touches no socket and holds nothing between two messages.
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

/// One thing that is wrong with a message.
struct Problem {
    std::string pointer{};     ///< JSON pointer of the field, "" for the whole message.
    std::string value{};       ///< What stood there, shortened; empty if it is missing.
    std::string rule{};        ///< What it should be, in words.
    std::string section{};     ///< Where the dialect's document says so.
    bool is_sentence = false;  ///< The rule is a sentence by itself: of what cannot even be read.
};

/// Enough to mend a message by. How many more there are is said in one more.
inline constexpr std::size_t kProblemsMax = 100;

/// A message that cannot be taken: why, and everything that is wrong with it.
struct Rejection {
    Refusal refusal = Refusal::MessageMalformed;
    std::optional<Dialect> dialect{};  ///< The message's, and so on, as far as it could be read.
    std::string id{};
    std::string from{};
    std::string correlation{};
    std::string answers{};  ///< Of an answer to a delivery: the id of its request.
    EnvelopePtr reply{};    ///< Of an answer that names its request: its header, without a body.
    std::vector<Problem> problems{};
    // Of a delegation, as it claims to be one:
    std::string to{};
    std::string user{};
    std::string objective{};
    std::string summary() const;  ///< All problems in one sentence or two.
};

template <class T>
using Reading = tl::expected<T, Rejection>;

/// The role that an agent is registered with in the message's dialect: empty for one of another
/// dialect, nothing for one that has none or is not registered.
using RoleOf = std::function<std::optional<std::string_view>(std::string_view agent)>;

/// What decoding needs beside the bytes.
struct Reception {
    json::Value message{};             ///< The text as a value, if whoever checked it outlined it.
    std::optional<Dialect> dialect{};  ///< Named by the sender; else recognised.
    std::string_view caller{};         ///< Stands in for a sender that the message leaves out.
    std::string_view fresh_id{};       ///< Stands in for an id that the message leaves out.
    Time now{};                        ///< Turns a deadline date into a time left.
    const RoleOf* role_of = nullptr;   ///< Null: nobody has one.
};

/// Reads one message. `text` must already be strict JSON (base/json.h).
Reading<SendMessage> read_message(std::string_view text, const Reception& reception);

/// Reads an agent's answer to `request` in that agent's dialect. What the answer leaves out and
/// the request settles (ids, correlation, sender, recipient) is filled in.
Reading<SendMessage> read_reply(std::string_view text,
                                const Envelope& request,
                                const Reception& reception);

/// As what an answer from an agent of another dialect must reach who asked, where the document has
/// an answer of its own for such a request: HELP_RESPONSE. It is the type of the answer's envelope.
std::string_view answer_type(const Envelope& request, Dialect answered_in);

/// The hub's own answer to `request` for an agent that gave none, in the dialect of its reader;
/// without one, as the request was asked.
std::string write_failure(const Envelope& request,
                          Refusal refusal,
                          std::string_view detail,
                          Time now,
                          std::optional<Dialect> reader = {});

/// The dialect's own form of a refusal, a JSON object, for problem+json's `dialect_error`. Of an
/// answer it is about the request that was to be answered.
std::string write_refusal(Dialect dialect,
                          std::string_view message_id,
                          std::string_view to,
                          Refusal refusal,
                          std::string_view detail,
                          Time now,
                          std::string_view correlation = {});

/// A message with what its dialect always has and it leaves out, for a reader of the same dialect;
/// empty if it lacks nothing.
std::string with_defaults(const Envelope& message, Time now);

/// Everything that is wrong with an object of this name in the dialect's document (TaskState,
/// Global Context), or with a message of this form, held to every rule. A name that is not known is
/// a problem too. `text` must already be strict JSON.
std::vector<Problem> check_object(Dialect dialect, std::string_view name, std::string_view text);

/// A message that its document shows as a part of something else: right in itself, but it does not
/// say where it goes.
struct Part {
    std::string_view type;             ///< Its form.
    std::vector<std::string> lacks{};  ///< JSON pointers of what it must say to be sent by itself.
};
/// Nothing if it is no such part, or not right even as one. `text` must already be strict JSON.
std::optional<Part> read_part(Dialect dialect, std::string_view text);

/// The message in the current version of its dialect; empty if it is that already.
Reading<std::string> in_current_version(Dialect dialect, std::string_view text);

/// Whether the text is a message in a dialect's own text form, and no JSON.
bool is_text_form(std::string_view text);
/// A message in its dialect's text form as JSON, and which dialect that is.
struct FromText {
    Dialect dialect;
    std::string json;
};
Result<FromText> from_text_form(std::string_view text);
/// A message of this dialect in its text form; nothing if it has none.
std::optional<std::string> to_text_form(Dialect dialect, std::string_view message);

std::optional<Dialect> dialect_named(std::string_view name);
std::string_view name_of(Dialect dialect);
std::string names_of_all();  ///< Of the dialects that are spoken, in words: "a, b or c".

}  // namespace parlance::dialects
