// Why the hub says no. A refusal is an outcome, not an error: it is recorded and answered.
//
// The table is the one place that knows the stable code, the HTTP status and the advice of each.
// Numbers are written to the journal: a row is added at the end and never renumbered.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace parlance {

enum class Refusal : std::uint8_t {
    None = 0,
    MessageMalformed = 1,
    MessageDialectUnknown,
    MessageTooLarge,
    InputValidationFailed,
    AgentNotRegistered,
    RouteNotPermitted,
    MessageIdConflict,
    MessageExpired,
    RequestTimedOut,
    HubOverloaded,
    MailboxFull,
    HubStorageFull,
    HubStorageFailed,
    IdentityRequired,
    IdentityMismatch,
    DeliveryStale,
    DeliveryNotFound,
    DeadLetterNotFound,
    RequestUndeliverable,
    RequestAlreadyAnswered,
    InstanceUnknown,
    RouteNotFound,
    MethodNotAllowed,
    ConnectionLimitExceeded,
    HubStopping,
    RequestRejected,
    IdentityRoleForbidden,
    AgentHasWork,
    ConnectionUpgradeRequired,
    ProtocolVersionUnsupported,
    CapabilityNotRegistered,
    OutputValidationFailed,
};

struct RefusalRow {
    Refusal refusal;
    std::string_view code;  ///< Stable, CATEGORY_SPECIFIC_ERROR.
    int http_status;
    bool retryable;           ///< The same bytes may be accepted later.
    std::string_view advice;  ///< What to do, in a sentence a language model can act on.
};

// A row is two lines, so that the table can be read as one.
// clang-format off
inline constexpr std::array kRefusals{
    RefusalRow{Refusal::MessageMalformed, "MESSAGE_MALFORMED", 400, false,
               "Send one well-formed JSON message, as its dialect's schema says."},
    RefusalRow{Refusal::MessageDialectUnknown, "MESSAGE_DIALECT_UNKNOWN", 400, false,
               "Send a message of a known dialect, or name the dialect in Parlance-Dialect."},
    RefusalRow{Refusal::MessageTooLarge, "MESSAGE_TOO_LARGE", 413, false,
               "Send a smaller message, or a reference to where the large part is kept."},
    RefusalRow{Refusal::InputValidationFailed, "INPUT_VALIDATION_FAILED", 422, false,
               "Correct the named field and send the message again."},
    RefusalRow{Refusal::AgentNotRegistered, "AGENT_NOT_REGISTERED", 404, false,
               "Register the agent with PUT /v1/agents/{id}, or correct the recipient."},
    RefusalRow{Refusal::RouteNotPermitted, "ROUTE_NOT_PERMITTED", 403, false,
               "Send it to an agent that may take this type of message."},
    RefusalRow{Refusal::MessageIdConflict, "MESSAGE_ID_CONFLICT", 409, false,
               "Use a fresh id: this one was used with other content."},
    RefusalRow{Refusal::MessageExpired, "MESSAGE_EXPIRED", 410, false,
               "Send it again with a longer ttl if it still matters."},
    RefusalRow{Refusal::RequestTimedOut, "REQUEST_TIMED_OUT", 504, true,
               "Ask again with a longer time, or take another way."},
    RefusalRow{Refusal::HubOverloaded, "HUB_OVERLOADED", 429, true,
               "Wait for the time in Retry-After, then send it again."},
    RefusalRow{Refusal::MailboxFull, "MAILBOX_FULL", 429, true,
               "Wait until the recipient has taken messages, or clear its dead letters."},
    RefusalRow{Refusal::HubStorageFull, "HUB_STORAGE_FULL", 507, true,
               "Nothing was stored. Free disk space; the hub resumes by itself."},
    RefusalRow{Refusal::HubStorageFailed, "HUB_STORAGE_FAILED", 503, true,
               "The disk failed a sync and nothing more is acknowledged. Restart the hub."},
    RefusalRow{Refusal::IdentityRequired, "IDENTITY_REQUIRED", 401, false,
               "Present a client certificate or a bearer token, or use --dev on loopback."},
    RefusalRow{Refusal::IdentityMismatch, "IDENTITY_MISMATCH", 403, false,
               "Speak only as the agent that this connection proved to be."},
    RefusalRow{Refusal::DeliveryStale, "DELIVERY_STALE", 409, false,
               "Stop working on it: the delivery was settled, or was given to another instance."},
    RefusalRow{Refusal::DeliveryNotFound, "DELIVERY_NOT_FOUND", 404, false,
               "Use the delivery_id exactly as it came with the message."},
    RefusalRow{Refusal::DeadLetterNotFound, "DEAD_LETTER_NOT_FOUND", 404, false,
               "List the dead letters and use an id from there."},
    RefusalRow{Refusal::RequestUndeliverable, "REQUEST_UNDELIVERABLE", 502, true,
               "The target did not take the request. Ask another agent, or ask again later."},
    RefusalRow{Refusal::RequestAlreadyAnswered, "REQUEST_ALREADY_ANSWERED", 409, false,
               "Nothing: the requester already has its one answer."},
    RefusalRow{Refusal::InstanceUnknown, "INSTANCE_UNKNOWN", 404, false,
               "Say hello on this connection first."},
    RefusalRow{Refusal::RouteNotFound, "ROUTE_NOT_FOUND", 404, false,
               "See the README for the routes that exist."},
    RefusalRow{Refusal::MethodNotAllowed, "METHOD_NOT_ALLOWED", 405, false,
               "Use a method that the Allow header names."},
    RefusalRow{Refusal::ConnectionLimitExceeded, "CONNECTION_LIMIT_EXCEEDED", 429, true,
               "Close a connection first; many messages fit in one."},
    RefusalRow{Refusal::HubStopping, "HUB_STOPPING", 503, true,
               "Connect again when the hub is back."},
    RefusalRow{Refusal::RequestRejected, "REQUEST_REJECTED", 502, false,
               "The agent refused the request. Read the reason, change the request or ask another."},
    RefusalRow{Refusal::IdentityRoleForbidden, "IDENTITY_ROLE_FORBIDDEN", 403, false,
               "Use an identity whose role may do this."},
    RefusalRow{Refusal::AgentHasWork, "AGENT_HAS_WORK", 409, false,
               "Let it finish, or clear its mailbox and dead letters, then remove it."},
    RefusalRow{Refusal::ConnectionUpgradeRequired, "CONNECTION_UPGRADE_REQUIRED", 426, false,
               "Open a WebSocket (version 13) and say hello; plain HTTP has /v1/messages and /v1/agents/{id}/inbox."},
    RefusalRow{Refusal::ProtocolVersionUnsupported, "PROTOCOL_VERSION_UNSUPPORTED", 400, false,
               "Send the message in a version that is read, or without one for the current."},
    RefusalRow{Refusal::CapabilityNotRegistered, "CAPABILITY_NOT_REGISTERED", 404, false,
               "Ask for a capability that the agent has registered; GET /v1/agents/{id} lists them."},
    RefusalRow{Refusal::OutputValidationFailed, "OUTPUT_VALIDATION_FAILED", 422, false,
               "The answer breaks a rule and was not passed on. Correct the agent that gives it."},
};
// clang-format on

/// The row of a refusal. Every enumerator but None has one.
const RefusalRow& refusal_row(Refusal refusal);

}  // namespace parlance
