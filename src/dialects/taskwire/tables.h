// The Agent Communication Protocols Specification as data: fields, types, priorities, error types.
//
// The indices beside each table are its rows in order; a test compares them.
#pragma once

#include <array>
#include <string_view>

#include "dialects/fields.h"
#include "dialects/token_usage.h"
#include "model/message.h"
#include "model/refusal.h"

namespace parlance::dialects::taskwire {

inline constexpr std::string_view kDocument = "Agent Communication Protocols Specification";
inline constexpr std::string_view kBaseSection = "Base Message Structure";
inline constexpr std::string_view kTypesSection = "Message Types";
/// As an answer to a delivery: progress, before the final answer.
inline constexpr std::string_view kProgressType = "TASK_UPDATE";

/// A position in a payload: a member, or a member of a member.
struct Place {
    std::string_view member{};
    std::string_view inner{};
};

struct TypeRow {
    std::string_view name;
    Priority priority;  ///< Without a sender's priority ("Routing Priority").
    Intent intent;
    std::array<Place, 2> task{};     ///< Positions of the task's id; the first present counts.
    Place answers{};                 ///< Reply: position of the answered request's id.
    Place reply_mark{};              ///< A boolean here makes the request a reply.
    std::string_view answered_by{};  ///< Request: the type of a bare answer.
};

inline constexpr Place kTaskId{"task_id"};
inline constexpr Place kRequestId{"request_id"};
inline constexpr std::array<Place, 2> kTask{kTaskId, Place{}};
inline constexpr std::array<Place, 2> kTaskOrContext{kTaskId, Place{"context", "task_id"}};

inline constexpr std::array kTypes{
    TypeRow{.name = "TASK_ASSIGNMENT",
            .priority = Priority::High,
            .intent = Intent::Request,
            .task = kTask,
            .answered_by = "TASK_COMPLETE"},
    TypeRow{.name = "TASK_HANDOFF",
            .priority = Priority::High,
            .intent = Intent::Request,
            .task = kTaskOrContext,
            .answers = kRequestId,
            .reply_mark = {"accepted"},
            .answered_by = "TASK_HANDOFF"},
    TypeRow{.name = "TASK_UPDATE",
            .priority = Priority::Normal,
            .intent = Intent::OneWay,
            .task = kTask},
    TypeRow{.name = "TASK_COMPLETE",
            .priority = Priority::High,
            .intent = Intent::Reply,
            .task = kTask,
            .answers = kRequestId},
    TypeRow{.name = "TASK_FAILED",
            .priority = Priority::High,
            .intent = Intent::Reply,
            .task = kTask,
            .answers = kRequestId},
    TypeRow{.name = "HELP_REQUEST",
            .priority = Priority::High,
            .intent = Intent::Request,
            .task = kTask,
            .answered_by = "HELP_RESPONSE"},
    TypeRow{.name = "HELP_RESPONSE",
            .priority = Priority::High,
            .intent = Intent::Reply,
            .task = kTask,
            .answers = kRequestId},
    TypeRow{.name = "STATUS_UPDATE",
            .priority = Priority::Normal,
            .intent = Intent::OneWay,
            .task = kTask},
    TypeRow{
        .name = "HEARTBEAT", .priority = Priority::Low, .intent = Intent::OneWay, .task = kTask},
    TypeRow{.name = "ERROR_REPORT",
            .priority = Priority::Critical,
            .intent = Intent::OneWay,
            .task = kTask},
};

inline constexpr auto kTypeNames = [] {
    std::array<std::string_view, kTypes.size()> names{};
    for (std::size_t i = 0; i < kTypes.size(); ++i) names[i] = kTypes[i].name;
    return names;
}();

/// In the order of Priority.
inline constexpr std::array<std::string_view, kPriorities> kPriorityWords{
    "critical", "high", "normal", "low"};

/// Positions of a request's deadline.
inline constexpr std::array kDeadlines{Place{"deadline"}, Place{"constraints", "deadline"}};

enum MetadataField : std::size_t {
    CorrelationId,
    PriorityWord,
    TtlMs,
    RetryCount,
    MaxRetries,
    TimeoutMs,
    TokensUsed,
    kMetadataFields
};

inline constexpr std::array<FieldRule, kMetadataFields> kMetadata{{
    {.name = "correlation_id",
     .kind = Kind::Text,
     .slot = Slot::Correlation,
     .expected = "a string of at most 128 bytes without control characters",
     .section = kBaseSection},
    {.name = "priority",
     .kind = Kind::Word,
     .slot = Slot::Priority,
     .words = kPriorityWords,
     .expected = "low, normal, high or critical",
     .section = kBaseSection},
    {.name = "ttl_ms",
     .kind = Kind::Integer,
     .expected = "a whole number of milliseconds from 0 to 2^53",
     .section = kBaseSection},
    {.name = "retry_count",
     .need = Need::Defaulted,
     .kind = Kind::Integer,
     .expected = "a whole number, 0 or more",
     .section = kBaseSection,
     .preset = "0"},
    {.name = "max_retries",
     .need = Need::Defaulted,
     .kind = Kind::Integer,
     .expected = "a whole number, 0 or more",
     .section = kBaseSection,
     .preset = "5"},
    {.name = "timeout_ms",  // An addition of Parlance: the document has no time limit.
     .kind = Kind::Integer,
     .slot = Slot::Timeout,
     .least = 1,
     .expected = "a whole number of milliseconds, 1 or more",
     .section = kExtension},
    kTokensUsed,
}};
inline constexpr Shape kMetadataShape{
    .name = "MessageMetadata", .section = kBaseSection, .fields = kMetadata};

enum BaseField : std::size_t { Id, Timestamp, From, To, Type, Payload, Metadata, kBaseFields };

inline constexpr std::array<FieldRule, kBaseFields> kBase{{
    {.name = "id",
     .need = Need::FreshIdStandsIn,
     .kind = Kind::Id,
     .slot = Slot::Id,
     .expected = "1 to 128 printable ASCII characters without spaces and quotes, such as a UUID v4",
     .section = kBaseSection},
    {.name = "timestamp",
     .need = Need::NowStandsIn,
     .kind = Kind::Instant,
     .slot = Slot::Sent,
     .expected = "a time in ISO 8601 format, such as 2025-11-23T10:00:00.123Z",
     .section = kBaseSection},
    {.name = "from",
     .need = Need::CallerStandsIn,
     .kind = Kind::Agent,
     .slot = Slot::From,
     .expected = "the sender's agent id: 1 to 128 letters, digits and ._-:/@",
     .section = kBaseSection,
     .fill = R"("unknown")"},
    {.name = "to",
     .need = Need::Required,
     .kind = Kind::Recipient,
     .slot = Slot::To,
     .expected = "the recipient's agent id, or topic: and a name: 1 to 128 letters, digits and "
                 "._-:/@",
     .section = kBaseSection,
     .fill = R"("unknown")"},
    {.name = "type",
     .need = Need::Required,
     .kind = Kind::Word,
     .slot = Slot::Type,
     .words = kTypeNames,
     .expected = "TASK_ASSIGNMENT, TASK_HANDOFF, TASK_UPDATE, TASK_COMPLETE, TASK_FAILED, "
                 "HELP_REQUEST, HELP_RESPONSE, STATUS_UPDATE, HEARTBEAT or ERROR_REPORT",
     .section = kTypesSection},
    {.name = "payload",
     .need = Need::Required,
     .kind = Kind::Body,
     .slot = Slot::Content,
     .expected = "there, with any JSON value",
     .section = kBaseSection,
     .fill = "null"},
    {.name = "metadata",
     .need = Need::Defaulted,
     .kind = Kind::Object,
     .expected = "an object",
     .section = kBaseSection,
     .shape = &kMetadataShape},
}};

/// A message with any of these members is taskwire.
inline constexpr std::array<std::string_view, 3> kMarks{"type", "from", "to"};
inline constexpr Shape kMessageShape{
    .name = "AgentMessage", .section = kBaseSection, .fields = kBase};

/// The document's name for a refusal of the hub ("Error Report Format").
struct ErrorTypeRow {
    Refusal refusal;
    std::string_view error_type;
    std::string_view severity;
};

inline constexpr std::array kErrorTypes{
    ErrorTypeRow{Refusal::MessageMalformed, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::MessageDialectUnknown, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::MessageTooLarge, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::ProtocolVersionUnsupported, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::InputValidationFailed, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::AgentNotRegistered, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::RouteNotPermitted, "AUTHENTICATION_ERROR", "high"},
    ErrorTypeRow{Refusal::MessageIdConflict, "VALIDATION_ERROR", "high"},
    ErrorTypeRow{Refusal::MessageExpired, "TIMEOUT", "low"},
    ErrorTypeRow{Refusal::RequestTimedOut, "TIMEOUT", "high"},
    ErrorTypeRow{Refusal::HubOverloaded, "RATE_LIMIT", "medium"},
    ErrorTypeRow{Refusal::MailboxFull, "RESOURCE_EXHAUSTED", "high"},
    ErrorTypeRow{Refusal::HubStorageFull, "RESOURCE_EXHAUSTED", "critical"},
    ErrorTypeRow{Refusal::HubStorageFailed, "INTERNAL_ERROR", "critical"},
    ErrorTypeRow{Refusal::IdentityRequired, "AUTHENTICATION_ERROR", "high"},
    ErrorTypeRow{Refusal::IdentityMismatch, "AUTHENTICATION_ERROR", "high"},
    ErrorTypeRow{Refusal::DeliveryStale, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::DeliveryNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::DeadLetterNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::RequestUndeliverable, "EXTERNAL_SERVICE_ERROR", "high"},
    ErrorTypeRow{Refusal::RequestAlreadyAnswered, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::InstanceUnknown, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::RouteNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::MethodNotAllowed, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::ConnectionLimitExceeded, "RATE_LIMIT", "medium"},
    ErrorTypeRow{Refusal::HubStopping, "INTERNAL_ERROR", "medium"},
    ErrorTypeRow{Refusal::RequestRejected, "EXTERNAL_SERVICE_ERROR", "high"},
    ErrorTypeRow{Refusal::IdentityRoleForbidden, "AUTHENTICATION_ERROR", "high"},
    ErrorTypeRow{Refusal::AgentHasWork, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::ConnectionUpgradeRequired, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::CapabilityNotRegistered, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::OutputValidationFailed, "VALIDATION_ERROR", "high"},
    ErrorTypeRow{Refusal::DelegationDepthExceeded, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::DelegationFanoutExceeded, "RESOURCE_EXHAUSTED", "medium"},
    ErrorTypeRow{Refusal::DelegationCycleDetected, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::BudgetTokensExceeded, "RESOURCE_EXHAUSTED", "medium"},
    ErrorTypeRow{Refusal::BudgetCostExceeded, "RESOURCE_EXHAUSTED", "medium"},
    ErrorTypeRow{Refusal::UserIsolationViolated, "AUTHENTICATION_ERROR", "critical"},
    ErrorTypeRow{Refusal::ToolNotAllowed, "AUTHENTICATION_ERROR", "high"},
    ErrorTypeRow{Refusal::RequestCancelled, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::DelegationNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::PolicyInvalid, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::StateVersionStale, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::FleetStopped, "RESOURCE_EXHAUSTED", "high"},
    ErrorTypeRow{Refusal::AgentCircuitOpen, "EXTERNAL_SERVICE_ERROR", "high"},
    ErrorTypeRow{Refusal::RateLimitExceeded, "RESOURCE_EXHAUSTED", "medium"},
    ErrorTypeRow{Refusal::WorkflowInvalid, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::WorkflowNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::HumanTaskNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::HumanTaskClosed, "TIMEOUT", "low"},
    ErrorTypeRow{Refusal::HumanAlreadyAnswered, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::HumanAnswerForbidden, "AUTHENTICATION_ERROR", "high"},
    ErrorTypeRow{Refusal::HumanRoleUnknown, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::HumanNotAnswered, "TIMEOUT", "high"},
    ErrorTypeRow{Refusal::ContextNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::ContextNotOwner, "AUTHENTICATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::ContextLocked, "RESOURCE_EXHAUSTED", "low"},
    ErrorTypeRow{Refusal::ContextHistoryImmutable, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::StateNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::StateLimitExceeded, "RESOURCE_EXHAUSTED", "medium"},
    ErrorTypeRow{Refusal::ResourceLimitExceeded, "RESOURCE_EXHAUSTED", "medium"},
    ErrorTypeRow{Refusal::SessionNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::CorrelationNotFound, "VALIDATION_ERROR", "low"},
    ErrorTypeRow{Refusal::StreamLimitExceeded, "RESOURCE_EXHAUSTED", "medium"},
    ErrorTypeRow{Refusal::HandoffContextIncomplete, "VALIDATION_ERROR", "medium"},
    ErrorTypeRow{Refusal::JournalDamaged, "INTERNAL_ERROR", "high"},
    ErrorTypeRow{Refusal::SequenceNotFound, "VALIDATION_ERROR", "low"},
};

}  // namespace parlance::dialects::taskwire
