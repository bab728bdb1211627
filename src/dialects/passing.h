// What is passed from one agent to another: where a request goes if it is refused, the same message
// for somebody else, and what its sender lays down until the answer comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/command.h"
#include "model/envelope.h"
#include "model/handing.h"
#include "model/scribe.h"

namespace parlance::dialects {

/// Of a request that hands a task over or asks for help; else null.
PassingPtr passing_of(const Envelope& request);

/// The message with another recipient, id and session wherever it names one and another is given.
/// Every other byte is as it came.
EnvelopePtr readdressed(const Envelope& message, const Redirection& redirection);

/// The request with so many tokens to spend, wherever it says how many. Every other byte is as it
/// came.
EnvelopePtr allotted(const Envelope& request, std::uint64_t tokens);

/// The answer with so many tokens as what it cost, where its dialect says so (X2).
EnvelopePtr charged(const Envelope& answer, std::uint64_t tokens);

/// The answer as one that is done in part, where it says how much is done and its dialect has a
/// word for that, with what was limited as its warning. Every other byte is as it came.
EnvelopePtr made_partial(const Envelope& answer, std::string_view lack);

/// Whom the message itself names as its recipient.
std::string recipient_in(const Envelope& message);

/// Takes what its sender lays down, `"parlance":{"state":…}`, out of a request.
void take_state(SendMessage& request);

}  // namespace parlance::dialects
