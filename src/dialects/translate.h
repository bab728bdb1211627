// From one dialect into another, and back again without loss (P1).
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "dialects/dialects.h"

namespace parlance::dialects {

/// What the hub knows of a message that is on its way.
struct Passage {
    Time now{};
    std::string_view from{};  ///< Who sent it and to whom, where the message does not say.
    std::string_view to{};
    /// The message's own id, where the hub carries it: then an extension, which is the word of
    /// whoever sends it, is taken for nothing that the hub knows. Empty: nobody has had it in hand.
    std::string_view id{};
    std::string_view answers{};      ///< The request's id and workflow as the requester knows them,
    std::string_view correlation{};  ///< whatever the message says.
    Time began{};                    ///< When its workflow did, if the hub knows.
    Duration patience{};             ///< Of a request: how long the hub waits by itself.
    /// Of an answer: its type, by which it may be a special one there (answer_type()).
    std::string_view type{};
};

/// The message in another dialect. It must be one that read_message() takes in its own.
Reading<std::string> translate(std::string_view text,
                               Dialect from,
                               Dialect to,
                               const Passage& passage);

/// Whether a reader of this dialect is shown a request, whatever the message is: some dialects have
/// nothing else for what awaits no answer.
bool is_shown_as_request(const Envelope& message, Dialect reader);

}  // namespace parlance::dialects
