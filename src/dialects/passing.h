// Requests passed between agents: where a refused request goes next, the same message for another
// recipient, and state that a sender saves with the hub until the answer comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/command.h"
#include "model/envelope.h"
#include "model/handing.h"
#include "model/message_writer.h"

namespace parlance::dialects {

/// For a request that hands a task over or asks for help; else null.
PassingPtr passing_of(const Envelope& request);

/// The message with the redirection's recipient, id and session, wherever the message names them.
/// Every other byte is unchanged.
EnvelopePtr readdressed(const Envelope& message, const Redirection& redirection);

/// The request with this token budget, wherever the request states a budget. Every other byte is
/// unchanged.
EnvelopePtr allotted(const Envelope& request, std::uint64_t tokens);

/// The answer with this token cost, where its dialect has a field for the cost (X2).
EnvelopePtr charged(const Envelope& answer, std::uint64_t tokens);

/// The answer with a partial status, where the answer has a status and its dialect has a word for
/// partial, and with `lack` as its warning. Every other byte is unchanged.
EnvelopePtr made_partial(const Envelope& answer, std::string_view lack);

/// The recipient that the message itself names.
std::string recipient_in(const Envelope& message);

/// Moves the sender's saved state, `"parlance":{"state":…}`, out of the request's envelope.
void take_state(SendMessage& request);

}  // namespace parlance::dialects
