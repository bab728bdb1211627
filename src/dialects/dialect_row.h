// Interface of a dialect's folder to the room: one row of tables and of functions that read by the
// tables.
#pragma once

#include <span>
#include <string_view>

#include "dialects/dialects.h"
#include "dialects/form.h"
#include "dialects/meaning.h"
#include "dialects/versions.h"

namespace parlance::dialects {

/// The hub's own statement about a message, to be written in a dialect.
struct HubWord {
    std::string_view about;  ///< The message's id.
    std::string_view from{};
    std::string_view to{};
    std::string_view correlation{};
    std::string_view task{};
    std::string_view child_session{};  ///< The session that the request opened for its work.
    Refusal refusal = Refusal::None;
    std::string_view detail{};
    Time now{};
};

struct DialectRow {
    Dialect dialect;
    std::string_view name;
    std::string_view document;                ///< Title of the dialect's document, for people.
    std::span<const std::string_view> marks;  ///< Any of these members marks the dialect.
    const Forms* forms;
    const Versions* versions = nullptr;  ///< Null: messages name no version.
    /// A request's action is always a capability of its recipient; in other dialects, possibly.
    bool names_capabilities = false;
    /// If the action may be free text: name of a list whose words may also name a capability.
    std::string_view hints{};
    /// Requests are delegations, and sessions link each request to its parent.
    bool threads_sessions = false;
    std::span<const Shape* const> objects{};  ///< Objects stored and shown, but never sent alone.
    /// Whether a sent message is refused for fields missing in its body; if not, only
    /// check_object() reports them.
    bool is_body_whole = true;
    /// The dialect's rules beyond the tables; Refusal::None allows the message.
    Refusal (*forbid)(const Form& form,
                      const Meaning& meaning,
                      const Reception& reception,
                      Problems& problems) = nullptr;
    /// Forbids messages between two agents of the dialect, even in another dialect: returns the
    /// rule in words, empty if the message is allowed.
    std::string (*forbid_between)(const DialectRow& row,
                                  const Envelope& message,
                                  const Reception& reception) = nullptr;

    Reading<SendMessage> (*read_message)(const DialectRow& row,
                                         std::string_view text,
                                         const Reception& reception);
    Reading<SendMessage> (*read_reply)(const DialectRow& row,
                                       std::string_view text,
                                       const Envelope& request,
                                       const Reception& reception);
    std::string (*write_failure)(const DialectRow& row,
                                 const Envelope& request,
                                 const HubWord& word);
    std::string (*write_refusal)(const DialectRow& row, const HubWord& word);
    /// The message completed for its reader, with members not filled in on receipt; empty if
    /// complete.
    std::string (*with_defaults)(const Envelope& envelope, Time now);
};

/// The text as a value, with its outline if the reception has an outlined value.
json::Value value_of(std::string_view text, const Reception& reception);

/// The row of a dialect; null for an unsupported dialect.
const DialectRow* row_of(Dialect dialect);
/// The form in which readers of a dialect see a message; null if the message fits no form of its
/// sender's dialect. Ignores an extension that may restore the original message.
const Form* form_shown(const DialectRow& reader, const Envelope& message);
/// Every supported dialect.
std::span<const DialectRow* const> all_rows();

}  // namespace parlance::dialects
