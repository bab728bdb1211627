// The only way in for messages: every message, from any route or frame, is read, checked and
// completed here before the core decides.
//
// The intake knows dialects and capabilities. The core decides who may send, which message is a
// repeat and who gets the message.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "dialects/dialects.h"
#include "model/command.h"

namespace parlance::gateway {

struct Desk;

/// A message as a client sent it.
struct Incoming {
    std::string_view text;             ///< Strict JSON.
    json::Value outlined{};            ///< `text` as a value, if the caller has outlined the text.
    std::optional<Dialect> dialect{};  ///< Named by the sender; empty: recognised by the members.
    std::string_view sender{};         ///< Replaces a missing sender.
    std::string_view fresh_id{};       ///< Replaces a missing id.
};

/// Reads the message, and matches a reply with the open request that the reply answers.
dialects::Reading<SendMessage> read_incoming(Desk& desk, const Incoming& incoming);
/// Checks the message against the capabilities of its recipient, and adds the facts that the core
/// decides by: the claim of a delegation, the human task, the next recipient after a refusal, and
/// the state that the sender keeps with the hub. Returns the reason if the message is unfit.
std::optional<dialects::Rejection> complete(Desk& desk, SendMessage& message);
/// Reads the message and completes it.
dialects::Reading<SendMessage> take_in(Desk& desk, const Incoming& incoming);

/// Adds a human task to a request for people.
void add_question(SendMessage& message);

}  // namespace parlance::gateway
