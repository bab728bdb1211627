// What a dialect's folder offers to the room: one row of tables, and of functions that read by
// them.
#pragma once

#include <span>
#include <string_view>

#include "dialects/dialects.h"
#include "dialects/form.h"
#include "dialects/meaning.h"
#include "dialects/versions.h"

namespace parlance::dialects {

/// A word of the hub about a message, to be said in a dialect.
struct HubWord {
    std::string_view about;  ///< The message's id.
    std::string_view from{};
    std::string_view to{};
    std::string_view correlation{};
    std::string_view task{};
    std::string_view child_session{};  ///< Where a request was to be worked on.
    Refusal refusal = Refusal::None;
    std::string_view detail{};
    Time now{};
};

struct DialectRow {
    Dialect dialect;
    std::string_view name;
    std::string_view document;                ///< For people: what its document is called.
    std::span<const std::string_view> marks;  ///< Any of these members makes it this dialect.
    const Forms* forms;
    const Versions* versions = nullptr;  ///< Null: its messages name none.
    /// A request's action is always a capability of its recipient; in others it may be one.
    bool names_capabilities = false;
    /// Where it may be free text: the list whose words may name one too, or none.
    std::string_view hints{};
    /// Its requests are delegations, and a session says out of which one each comes.
    bool threads_sessions = false;
    std::span<const Shape* const> objects{};  ///< What is kept and shown, and never sent by itself.
    /// Whether what a form's body lacks is a problem when it is sent, and not only when asked.
    bool is_body_whole = true;
    /// What the dialect forbids although the tables allow it; Refusal::None if nothing.
    Refusal (*forbid)(const Form& form,
                      const Meaning& meaning,
                      const Reception& reception,
                      Problems& problems) = nullptr;
    /// What two of its agents may not say to one another, although it is in another dialect: the
    /// rule in words, empty if they may.
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
    /// The message with what is filled in when it is shown, and not at the door; empty if that is
    /// nothing.
    std::string (*with_defaults)(const Envelope& envelope, Time now);
};

/// The text as a value, by its outline if it came with one.
json::Value value_of(std::string_view text, const Reception& reception);

/// The row of a dialect; null for one that is not spoken.
const DialectRow* row_of(Dialect dialect);
/// As what a message reaches the readers of a dialect; null if it is in no form of its own. What
/// an extension would make of it on its way home is not looked at.
const Form* form_shown(const DialectRow& reader, const Envelope& message);
/// Every dialect that is spoken.
std::span<const DialectRow* const> all_rows();

}  // namespace parlance::dialects
