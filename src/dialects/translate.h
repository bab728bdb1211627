// Translation from one dialect into another, and back without loss (P1).
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "dialects/dialects.h"

namespace parlance::dialects {

/// The hub's knowledge of a message in transit.
struct Passage {
    Time now{};
    std::string_view from{};  ///< Sender and recipient, if the message names none.
    std::string_view to{};
    /// The message's id, if the hub carries the message: an extension, written by the sender, then
    /// cannot override the hub's knowledge. Empty: the hub has not carried the message.
    std::string_view id{};
    std::string_view answers{};      ///< The request's id for its requester; overrides the message.
    std::string_view correlation{};  ///< The workflow's id, likewise.
    Time began{};                    ///< When the workflow began, if the hub knows.
    Duration patience{};             ///< Requests: the hub's own time limit.
    /// Answers: the type, by which the answer may have a special form (answer_type()).
    std::string_view type{};
};

/// The message in another dialect. read_message() must accept the message in its own dialect.
Reading<std::string> translate(std::string_view text,
                               Dialect from,
                               Dialect to,
                               const Passage& passage);

/// True if readers of this dialect see the message as a request: some dialects can express one-way
/// messages only as requests.
bool is_shown_as_request(const Envelope& message, Dialect reader);

}  // namespace parlance::dialects
