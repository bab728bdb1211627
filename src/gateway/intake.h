// The one way in for messages: whatever route or frame brings a message, the message is read,
// checked and completed here before the core decides about it.
//
// The intake knows dialects and capabilities. Who may send, what is a repeat and who gets the
// message is for the core to decide.
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
    json::Value outlined{};            ///< `text` as a value, where its reader has outlined it.
    std::optional<Dialect> dialect{};  ///< As the sender names it; without it, it is recognised.
    std::string_view sender{};         ///< Stands in for a sender that the message leaves out.
    std::string_view fresh_id{};       ///< Stands in for an id that the message leaves out.
};

/// Reads the message; a reply is matched with the open request that it answers.
dialects::Reading<SendMessage> read_incoming(Desk& desk, const Incoming& incoming);
/// Holds the message against the capabilities of its recipient, and adds what the core decides by:
/// the claim of a delegation, the question for people, the next recipient after a refusal, and the
/// state that the sender keeps with the hub. Returns why the message is unfit, if it is.
std::optional<dialects::Rejection> complete(Desk& desk, SendMessage& message);
/// Reads the message and completes it.
dialects::Reading<SendMessage> take_in(Desk& desk, const Incoming& incoming);

/// Adds to a message that the hub would put to people what they are asked.
void add_question(SendMessage& message);

}  // namespace parlance::gateway
