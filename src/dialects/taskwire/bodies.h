// The payloads of taskwire's messages and the objects of its shared state, as data.
//
// Types without an interface in the document have payloads of any JSON: the soft shapes here only
// say where other dialects' values are written and read.
#pragma once

#include <array>
#include <string_view>

#include "dialects/fields.h"
#include "dialects/passed_on.h"
#include "dialects/taskwire/tables.h"
#include "dialects/token_usage.h"

namespace parlance::dialects::taskwire {

inline constexpr std::string_view kHandoffRequestSection = "Handoff Request Format";
inline constexpr std::string_view kHandoffResponseSection = "Handoff Response Format";
inline constexpr std::string_view kHelpRequestSection = "Help Request Format";
inline constexpr std::string_view kHelpResponseSection = "Help Response Format";
inline constexpr std::string_view kStatusSection = "Status Update Format";
inline constexpr std::string_view kErrorSection = "Error Report Format";
inline constexpr std::string_view kStateSection = "State Synchronization";

/// A date for a deadline that the sender did not name.
inline constexpr std::string_view kNever = R"("9999-12-31T23:59:59.999Z")";

inline constexpr std::array<std::string_view, 4> kLevelWords{"low", "medium", "high", "critical"};

// Fields that several payloads share.
inline constexpr FieldRule kTaskIdField{
    .name = "task_id", .kind = Kind::String, .slot = Slot::Task};
inline constexpr FieldRule kTaskIdRequired{.name = "task_id",
                                           .need = Need::Required,
                                           .kind = Kind::String,
                                           .slot = Slot::Task,
                                           .fill = R"("unknown")"};
inline constexpr FieldRule kRequestIdField{
    .name = "request_id", .kind = Kind::String, .slot = Slot::Answers, .section = kExtension};
inline constexpr FieldRule kChildSessionField{.name = "child_session_id",
                                              .kind = Kind::Id,
                                              .slot = Slot::ChildSession,
                                              .section = kExtension};
inline constexpr FieldRule kActionField{
    .name = "action", .kind = Kind::String, .slot = Slot::Action, .section = kExtension};
inline constexpr FieldRule kContextField{
    .name = "context", .slot = Slot::Context, .section = kExtension, .shape = &kPassedOn};
inline constexpr FieldRule kWarningsField{.name = "warnings",
                                          .kind = Kind::List,
                                          .slot = Slot::Warnings,
                                          .section = kExtension,
                                          .element = &kEachString};
inline constexpr FieldRule kUserField{
    .name = "user_id", .kind = Kind::String, .slot = Slot::User, .section = kExtension};
inline constexpr FieldRule kSessionField{
    .name = "session_id", .kind = Kind::String, .slot = Slot::Session, .section = kExtension};
inline constexpr FieldRule kConfidenceField{.name = "confidence",
                                            .kind = Kind::Number,
                                            .slot = Slot::Confidence,
                                            .most = 1,
                                            .section = kExtension};

inline constexpr std::array<std::string_view, 5> kStatusWords{
    "success", "partial", "pending", "failed", "timeout"};
inline constexpr std::array<std::int8_t, 5> kStatusMeans{
    kSuccess, kPartial, kPending, kFailed, kTimedOut};
inline constexpr FieldRule kOutcomeField{.name = "status",
                                         .kind = Kind::Word,
                                         .slot = Slot::Status,
                                         .words = kStatusWords,
                                         .means = kStatusMeans,
                                         .section = kExtension};

/// The document's ResourceUsage belongs to an agent's status; an answer may state any part of it.
inline constexpr std::array kUsedForItFields{kAlsoTokensUsed};
inline constexpr Shape kUsedForIt{
    .name = "ResourceUsage", .section = kExtension, .fields = kUsedForItFields, .is_soft = true};
inline constexpr FieldRule kResourceUsageField{
    .name = "resource_usage", .is_only_read = true, .section = kExtension, .shape = &kUsedForIt};

inline constexpr std::array kAssignmentFields{
    kTaskIdField,
    kActionField,
    FieldRule{.name = "input", .slot = Slot::Content},
    kContextField,
    kUserField,
    kSessionField,
    FieldRule{.name = "max_tokens", .kind = Kind::Integer, .slot = Slot::TokensMax},
};
inline constexpr Shape kAssignment{
    .name = "TaskAssignment", .section = kExtension, .fields = kAssignmentFields, .is_soft = true};

inline constexpr std::array kUpdateFields{
    kTaskIdField,
    kActionField,
    FieldRule{.name = "data", .slot = Slot::Content},
    kContextField,
    kOutcomeField,
    kConfidenceField,
    kUserField,
    kSessionField,
    kWarningsField,
};
inline constexpr Shape kUpdate{
    .name = "TaskUpdate", .section = kExtension, .fields = kUpdateFields, .is_soft = true};

inline constexpr std::array kCompletionFields{
    kTaskIdField,
    kRequestIdField,
    FieldRule{.name = "result", .slot = Slot::Content},
    FieldRule{.name = "summary", .kind = Kind::String, .slot = Slot::Summary},
    kOutcomeField,
    kConfidenceField,
    kWarningsField,
    FieldRule{.name = "duration_ms", .kind = Kind::Number, .slot = Slot::ElapsedMs},
    FieldRule{
        .name = "new_facts", .kind = Kind::List, .slot = Slot::Facts, .element = &kEachString},
    FieldRule{.name = "follow_up_required", .kind = Kind::Boolean, .slot = Slot::FollowUp},
    kChildSessionField,
    kResourceUsageField,
    kAlsoTokenUsage,
    kAlsoTokensUsed,
};
inline constexpr Shape kCompletion{
    .name = "TaskCompletion", .section = kExtension, .fields = kCompletionFields, .is_soft = true};

/// TIMEOUT is a timeout, all others are failures; the hub writes the second for a failure.
inline constexpr std::array<std::string_view, 8> kErrorTypeWords{"TIMEOUT",
                                                                 "EXTERNAL_SERVICE_ERROR",
                                                                 "RATE_LIMIT",
                                                                 "VALIDATION_ERROR",
                                                                 "NETWORK_ERROR",
                                                                 "AUTHENTICATION_ERROR",
                                                                 "RESOURCE_EXHAUSTED",
                                                                 "INTERNAL_ERROR"};
inline constexpr std::array<std::int8_t, 8> kErrorTypeMeans{
    kTimedOut, kFailed, kFailed, kFailed, kFailed, kFailed, kFailed, kFailed};

inline constexpr std::array kFailureErrorFields{
    FieldRule{.name = "code", .kind = Kind::String, .slot = Slot::ErrorCode},
    FieldRule{.name = "message", .kind = Kind::String, .slot = Slot::ErrorText},
    FieldRule{.name = "retryable", .kind = Kind::Boolean, .slot = Slot::Retryable},
    FieldRule{.name = "source", .kind = Kind::String, .slot = Slot::ErrorSource},
    FieldRule{.name = "severity", .kind = Kind::Word, .slot = Slot::Severity, .words = kLevelWords},
    FieldRule{.name = "fallback", .kind = Kind::String, .slot = Slot::Fallback},
};
inline constexpr Shape kFailureError{
    .name = "error", .section = kExtension, .fields = kFailureErrorFields, .is_soft = true};
inline constexpr std::array kFailureFields{
    kTaskIdField,
    kRequestIdField,
    FieldRule{.name = "error", .kind = Kind::Object, .shape = &kFailureError},
    FieldRule{.name = "error_type",
              .kind = Kind::Word,
              .slot = Slot::Status,
              .words = kErrorTypeWords,
              .means = kErrorTypeMeans},
    FieldRule{.name = "result", .slot = Slot::Content},
    FieldRule{.name = "summary", .kind = Kind::String, .slot = Slot::Summary},
    kConfidenceField,
    kWarningsField,
    kChildSessionField,
    kResourceUsageField,
    kAlsoTokenUsage,
    kAlsoTokensUsed,
};
inline constexpr Shape kTaskFailure{
    .name = "TaskFailure", .section = kExtension, .fields = kFailureFields, .is_soft = true};

inline constexpr std::array kEventFields{
    FieldRule{.name = "timestamp", .need = Need::Required, .kind = Kind::Instant},
    FieldRule{.name = "event_type", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "agent_id", .kind = Kind::String},
    FieldRule{.name = "details", .need = Need::Required, .kind = Kind::Object},
};
inline constexpr Shape kTaskEvent{
    .name = "TaskEvent", .section = kStatusSection, .fields = kEventFields};
inline constexpr FieldRule kEachTaskEvent{.kind = Kind::Object, .shape = &kTaskEvent};

inline constexpr std::array<std::string_view, 4> kTaskPriorityWords{
    "low", "normal", "high", "critical"};
inline constexpr std::array kTaskContextFields{
    FieldRule{.name = "task_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Task,
              .is_echo = true,
              .fill = R"("unknown")"},
    FieldRule{.name = "task_type",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Action,
              .fill = R"("unknown")"},
    FieldRule{.name = "priority",
              .need = Need::Required,
              .kind = Kind::Word,
              .words = kTaskPriorityWords,
              .fill = R"("normal")"},
    FieldRule{.name = "metadata",
              .need = Need::Required,
              .kind = Kind::Object,
              .slot = Slot::Content,
              .fill = "{}"},
    FieldRule{.name = "dependencies",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachString,
              .fill = "[]"},
    FieldRule{.name = "history",
              .need = Need::Required,
              .kind = Kind::List,
              .slot = Slot::PriorAgents,
              .element = &kEachTaskEvent,
              .fill = "[]"},
    kUserField,
    kSessionField,
    kPassedPosition,
    kPassedHistory,
    kPassedDecisions,
    kPassedFindings,
    kPassedData,
    kPassedAssumptions,
};
inline constexpr Shape kTaskContext{
    .name = "TaskContext", .section = kStatusSection, .fields = kTaskContextFields};

inline constexpr std::array kTaskConstraintFields{
    FieldRule{.name = "max_tokens", .kind = Kind::Integer, .slot = Slot::TokensMax},
    FieldRule{.name = "deadline", .kind = Kind::Instant},
    FieldRule{.name = "required_capabilities",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachString,
              .fill = "[]"},
    FieldRule{.name = "budget_usd", .kind = Kind::Number},
    FieldRule{.name = "quality_threshold", .kind = Kind::Number},
};
inline constexpr Shape kTaskConstraints{
    .name = "TaskConstraints", .section = kStatusSection, .fields = kTaskConstraintFields};

inline constexpr std::array<std::string_view, 5> kHandoffReasons{
    "CAPABILITY_LIMIT", "RATE_LIMIT", "ERROR_RECOVERY", "ESCALATION", "LOAD_BALANCING"};
inline constexpr std::array kHandoffRequestFields{
    kTaskIdRequired,
    FieldRule{.name = "from_agent",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::From,
              .is_echo = true,
              .fill = R"("unknown")"},
    FieldRule{.name = "to_agent",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::To,
              .is_echo = true,
              .fill = R"("unknown")"},
    FieldRule{.name = "reason",
              .need = Need::Required,
              .kind = Kind::Word,
              .words = kHandoffReasons,
              .fill = R"("CAPABILITY_LIMIT")"},
    FieldRule{
        .name = "context", .need = Need::Required, .kind = Kind::Object, .shape = &kTaskContext},
    FieldRule{.name = "constraints",
              .need = Need::Required,
              .kind = Kind::Object,
              .slot = Slot::Constraints,
              .shape = &kTaskConstraints,
              .fill = R"({"required_capabilities":[]})"},
    FieldRule{.name = "deadline",
              .need = Need::Required,
              .kind = Kind::Instant,
              .slot = Slot::Timeout,
              .fill = kNever},
};
inline constexpr Shape kHandoffRequest{.name = "TaskHandoffRequest",
                                       .section = kHandoffRequestSection,
                                       .fields = kHandoffRequestFields};

inline constexpr std::array kHandoffResponseFields{
    FieldRule{.name = "accepted",
              .need = Need::Required,
              .kind = Kind::Boolean,
              .slot = Slot::Status,
              .fill = "true"},
    FieldRule{.name = "agent_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::From,
              .is_echo = true,
              .fill = R"("unknown")"},
    FieldRule{.name = "estimated_completion",
              .need = Need::Required,
              .kind = Kind::Instant,
              .fill = kNever},
    FieldRule{.name = "requirements",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachString,
              .fill = "[]"},
    FieldRule{.name = "constraints",
              .need = Need::Required,
              .kind = Kind::Object,
              .slot = Slot::Constraints,
              .shape = &kTaskConstraints,
              .fill = R"({"required_capabilities":[]})"},
    FieldRule{.name = "error", .kind = Kind::String, .slot = Slot::ErrorText},
    kRequestIdField,
    FieldRule{.name = "task_id", .kind = Kind::String, .slot = Slot::Task, .section = kExtension},
    kResourceUsageField,
    kAlsoTokenUsage,
    kAlsoTokensUsed,
};
inline constexpr Shape kHandoffResponse{.name = "TaskHandoffResponse",
                                        .section = kHandoffResponseSection,
                                        .fields = kHandoffResponseFields};

inline constexpr std::array<std::string_view, 5> kHelpTypes{"TECHNICAL_GUIDANCE",
                                                            "DEBUGGING_ASSISTANCE",
                                                            "CODE_REVIEW",
                                                            "ARCHITECTURE_ADVICE",
                                                            "RESOURCE_SHARING"};
inline constexpr std::array kHelpContextFields{
    FieldRule{
        .name = "current_state", .need = Need::Required, .kind = Kind::String, .fill = R"("")"},
    FieldRule{.name = "error_details", .kind = Kind::String},
    FieldRule{.name = "attempted_solutions",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachString,
              .fill = "[]"},
};
inline constexpr Shape kHelpContext{
    .name = "context", .section = kHelpRequestSection, .fields = kHelpContextFields};
inline constexpr std::array kHelpRequestFields{
    FieldRule{.name = "requester_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::From,
              .is_echo = true,
              .fill = R"("unknown")"},
    kTaskIdRequired,
    FieldRule{.name = "help_type",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Action,
              .words = kHelpTypes,
              .fill = R"("TECHNICAL_GUIDANCE")"},
    FieldRule{.name = "description",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Content,
              .fill = R"("")"},
    FieldRule{.name = "context",
              .need = Need::Required,
              .kind = Kind::Object,
              .slot = Slot::Context,
              .shape = &kHelpContext,
              .fill = R"({"current_state":"","attempted_solutions":[]})"},
    FieldRule{.name = "urgency",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Urgency,
              .words = kLevelWords,
              .fill = R"("medium")"},
    FieldRule{.name = "deadline", .kind = Kind::Instant, .slot = Slot::Timeout},
};
inline constexpr Shape kHelpRequest{
    .name = "HelpRequest", .section = kHelpRequestSection, .fields = kHelpRequestFields};

inline constexpr std::array<std::string_view, 5> kHelpResponseTypes{
    "DIRECT_ANSWER", "RESOURCE_PROVISION", "COLLABORATIVE_SESSION", "ESCALATION", "UNABLE_TO_HELP"};
inline constexpr std::array<std::string_view, 5> kResourceTypes{
    "documentation", "code", "api", "example", "tool"};
inline constexpr std::array kResourceFields{
    FieldRule{.name = "type", .need = Need::Required, .kind = Kind::Word, .words = kResourceTypes},
    FieldRule{.name = "url", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "title", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "description", .kind = Kind::String},
};
inline constexpr Shape kResourceReference{
    .name = "ResourceReference", .section = kStatusSection, .fields = kResourceFields};
inline constexpr FieldRule kEachResource{.kind = Kind::Object, .shape = &kResourceReference};

inline constexpr std::array kHelpResponseFields{
    FieldRule{.name = "responder_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::From,
              .is_echo = true,
              .fill = R"("unknown")"},
    FieldRule{.name = "request_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Answers,
              .fill = R"("unknown")"},
    FieldRule{.name = "response_type",
              .need = Need::Required,
              .kind = Kind::Word,
              .words = kHelpResponseTypes,
              .fill = R"("DIRECT_ANSWER")"},
    FieldRule{.name = "content",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Content,
              .fill = R"("")"},
    FieldRule{.name = "resources", .kind = Kind::List, .element = &kEachResource},
    FieldRule{.name = "follow_up_required",
              .need = Need::Required,
              .kind = Kind::Boolean,
              .slot = Slot::FollowUp,
              .fill = "false"},
    FieldRule{.name = "estimated_effort",
              .need = Need::Required,
              .kind = Kind::Number,
              .expected = "a number of minutes, 0 or more",
              .fill = "0"},
    kResourceUsageField,
    kAlsoTokenUsage,
    kAlsoTokensUsed,
};
inline constexpr Shape kHelpResponse{
    .name = "HelpResponse", .section = kHelpResponseSection, .fields = kHelpResponseFields};

inline constexpr std::array<std::string_view, 5> kAgentStates{
    "IDLE", "BUSY", "ERROR", "OFFLINE", "MAINTENANCE"};
inline constexpr std::array kAgentStatusFields{
    FieldRule{.name = "state", .need = Need::Required, .kind = Kind::Word, .words = kAgentStates},
    FieldRule{
        .name = "capability_level", .need = Need::Required, .kind = Kind::Number, .most = 100},
    FieldRule{.name = "error_rate", .need = Need::Required, .kind = Kind::Number, .most = 1},
    FieldRule{.name = "avg_response_time_ms", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "last_heartbeat", .need = Need::Required, .kind = Kind::Instant},
};
inline constexpr Shape kAgentStatus{
    .name = "AgentStatus", .section = kStatusSection, .fields = kAgentStatusFields};

inline constexpr std::array kResourceUsageFields{
    FieldRule{.name = "tokens_used", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "tokens_remaining", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "cost_usd", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "cpu_usage", .need = Need::Required, .kind = Kind::Number, .most = 100},
    FieldRule{.name = "memory_usage", .need = Need::Required, .kind = Kind::Number, .most = 100},
};
inline constexpr Shape kResourceUsage{
    .name = "ResourceUsage", .section = kStatusSection, .fields = kResourceUsageFields};

inline constexpr std::array kHealthFields{
    FieldRule{.name = "uptime_seconds", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "success_rate", .need = Need::Required, .kind = Kind::Number, .most = 1},
    FieldRule{.name = "avg_latency_ms", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "error_count", .need = Need::Required, .kind = Kind::Integer},
    FieldRule{.name = "last_error", .kind = Kind::Instant},
};
inline constexpr Shape kHealthMetrics{
    .name = "HealthMetrics", .section = kStatusSection, .fields = kHealthFields};

inline constexpr std::array kStatusUpdateFields{
    FieldRule{.name = "agent_id", .need = Need::Required, .kind = Kind::String},
    FieldRule{
        .name = "status", .need = Need::Required, .kind = Kind::Object, .shape = &kAgentStatus},
    FieldRule{.name = "current_tasks",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachString},
    FieldRule{.name = "resource_usage",
              .need = Need::Required,
              .kind = Kind::Object,
              .shape = &kResourceUsage},
    FieldRule{.name = "health_metrics",
              .need = Need::Required,
              .kind = Kind::Object,
              .shape = &kHealthMetrics},
    FieldRule{.name = "next_available", .kind = Kind::Instant},
};
inline constexpr Shape kStatusUpdate{
    .name = "StatusUpdate", .section = kStatusSection, .fields = kStatusUpdateFields};

inline constexpr std::array<std::string_view, 3> kOutcomes{"success", "failure", "partial"};
inline constexpr std::array kRecoveryFields{
    FieldRule{.name = "attempt_number", .need = Need::Required, .kind = Kind::Integer},
    FieldRule{.name = "timestamp", .need = Need::Required, .kind = Kind::Instant},
    FieldRule{.name = "strategy", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "outcome", .need = Need::Required, .kind = Kind::Word, .words = kOutcomes},
    FieldRule{.name = "details", .need = Need::Required, .kind = Kind::String},
};
inline constexpr Shape kRecoveryAttempt{
    .name = "RecoveryAttempt", .section = kErrorSection, .fields = kRecoveryFields};
inline constexpr FieldRule kEachRecovery{.kind = Kind::Object, .shape = &kRecoveryAttempt};

inline constexpr std::array kErrorContextFields{
    FieldRule{.name = "input_data"},
    FieldRule{.name = "configuration"},
    FieldRule{.name = "environment"},
};
inline constexpr Shape kErrorContext{
    .name = "context", .section = kErrorSection, .fields = kErrorContextFields};

inline constexpr std::array kErrorReportFields{
    FieldRule{.name = "error_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Id,
              .is_echo = true,
              .fill = R"("unknown")"},
    FieldRule{.name = "agent_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::ErrorSource,
              .fill = R"("unknown")"},
    kTaskIdField,
    FieldRule{.name = "error_type",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Status,
              .words = kErrorTypeWords,
              .means = kErrorTypeMeans,
              .fill = R"("EXTERNAL_SERVICE_ERROR")"},
    FieldRule{.name = "severity",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Severity,
              .words = kLevelWords,
              .fill = R"("medium")"},
    FieldRule{.name = "message",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::ErrorText,
              .fill = R"("The agent reported an error.")"},
    FieldRule{.name = "stack_trace", .kind = Kind::String},
    FieldRule{
        .name = "context", .need = Need::Required, .kind = Kind::Object, .shape = &kErrorContext},
    FieldRule{.name = "recovery_attempts",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachRecovery,
              .fill = "[]"},
    FieldRule{.name = "suggested_actions",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachString,
              .fill = "[]"},
    FieldRule{.name = "code", .kind = Kind::String, .slot = Slot::ErrorCode, .section = kExtension},
    FieldRule{
        .name = "message_id", .kind = Kind::String, .slot = Slot::Answers, .section = kExtension},
    FieldRule{
        .name = "retryable", .kind = Kind::Boolean, .slot = Slot::Retryable, .section = kExtension},
};
inline constexpr Shape kErrorReport{
    .name = "ErrorReport", .section = kErrorSection, .fields = kErrorReportFields};

// The shared state.

inline constexpr std::array<std::string_view, 5> kTaskStatusWords{
    "pending", "in_progress", "completed", "failed", "cancelled"};
inline constexpr std::array kTaskStateFields{
    FieldRule{.name = "id", .need = Need::Required, .kind = Kind::String},
    FieldRule{
        .name = "status", .need = Need::Required, .kind = Kind::Word, .words = kTaskStatusWords},
    FieldRule{.name = "assigned_agent", .kind = Kind::String},
    FieldRule{.name = "created_at", .need = Need::Required, .kind = Kind::Instant},
    FieldRule{.name = "updated_at", .need = Need::Required, .kind = Kind::Instant},
    FieldRule{
        .name = "context", .need = Need::Required, .kind = Kind::Object, .shape = &kTaskContext},
    FieldRule{.name = "result"},
    FieldRule{.name = "error", .kind = Kind::Object, .shape = &kErrorReport},
};
inline constexpr Shape kTaskState{
    .name = "TaskState", .section = kStateSection, .fields = kTaskStateFields};
inline constexpr FieldRule kEachTaskState{.kind = Kind::Object, .shape = &kTaskState};
inline constexpr FieldRule kEachAgentStatus{.kind = Kind::Object, .shape = &kAgentStatus};

inline constexpr std::array<std::string_view, 4> kResourceKinds{
    "tokens", "cpu", "memory", "budget"};
inline constexpr std::array kAllocationFields{
    FieldRule{.name = "agent_id", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "resource_type",
              .need = Need::Required,
              .kind = Kind::Word,
              .words = kResourceKinds},
    FieldRule{.name = "allocated", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "consumed", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "limit", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "expires_at", .kind = Kind::Instant},
};
inline constexpr Shape kAllocation{
    .name = "ResourceAllocation", .section = kStateSection, .fields = kAllocationFields};
inline constexpr FieldRule kEachAllocation{.kind = Kind::Object, .shape = &kAllocation};

inline constexpr std::array kRiskFields{
    FieldRule{.name = "low", .need = Need::Required, .kind = Kind::Number, .least = kBelowZero},
    FieldRule{.name = "high", .need = Need::Required, .kind = Kind::Number, .least = kBelowZero},
};
inline constexpr Shape kRisk{
    .name = "risk_thresholds", .section = kStateSection, .fields = kRiskFields};
inline constexpr std::array kBudgetFields{
    FieldRule{.name = "per_task", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "per_agent", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "total", .need = Need::Required, .kind = Kind::Number},
};
inline constexpr Shape kBudget{
    .name = "budget_limits", .section = kStateSection, .fields = kBudgetFields};
inline constexpr std::array kBreakerFields{
    FieldRule{.name = "error_threshold", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "timeout_ms", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "reset_timeout_ms", .need = Need::Required, .kind = Kind::Number},
};
inline constexpr Shape kBreaker{
    .name = "circuit_breaker_config", .section = kStateSection, .fields = kBreakerFields};
inline constexpr std::array kPolicyFields{
    FieldRule{.name = "version", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "enabled_chains",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachString},
    FieldRule{
        .name = "risk_thresholds", .need = Need::Required, .kind = Kind::Object, .shape = &kRisk},
    FieldRule{
        .name = "budget_limits", .need = Need::Required, .kind = Kind::Object, .shape = &kBudget},
    FieldRule{.name = "circuit_breaker_config",
              .need = Need::Required,
              .kind = Kind::Object,
              .shape = &kBreaker},
};
inline constexpr Shape kPolicy{
    .name = "PolicyState", .section = kStateSection, .fields = kPolicyFields};

inline constexpr std::array kSharedStateFields{
    FieldRule{.name = "task_registry",
              .need = Need::Required,
              .kind = Kind::Map,
              .element = &kEachTaskState},
    FieldRule{.name = "agent_registry",
              .need = Need::Required,
              .kind = Kind::Map,
              .element = &kEachAgentStatus},
    FieldRule{.name = "resource_allocations",
              .need = Need::Required,
              .kind = Kind::Map,
              .element = &kEachAllocation},
    FieldRule{
        .name = "policy_state", .need = Need::Required, .kind = Kind::Object, .shape = &kPolicy},
    FieldRule{.name = "last_updated", .need = Need::Required, .kind = Kind::Instant},
};
inline constexpr Shape kSharedState{
    .name = "SharedState", .section = kStateSection, .fields = kSharedStateFields};

inline constexpr std::array<std::string_view, 3> kOperations{"CREATE", "UPDATE", "DELETE"};
inline constexpr std::array<std::string_view, 4> kEntityTypes{
    "TASK", "AGENT", "RESOURCE", "POLICY"};
inline constexpr std::array kStateUpdateFields{
    FieldRule{
        .name = "operation", .need = Need::Required, .kind = Kind::Word, .words = kOperations},
    FieldRule{
        .name = "entity_type", .need = Need::Required, .kind = Kind::Word, .words = kEntityTypes},
    FieldRule{.name = "entity_id", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "changes", .need = Need::Required, .kind = Kind::Object},
    FieldRule{.name = "version", .need = Need::Required, .kind = Kind::Integer},
    FieldRule{.name = "timestamp", .need = Need::Required, .kind = Kind::Instant},
};
inline constexpr Shape kStateUpdate{
    .name = "StateUpdate", .section = "State Update Protocol", .fields = kStateUpdateFields};

inline constexpr std::array kRetryFields{
    FieldRule{.name = "max_attempts", .need = Need::Required, .kind = Kind::Integer},
    FieldRule{.name = "base_delay_ms", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "max_delay_ms", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "backoff_multiplier", .need = Need::Required, .kind = Kind::Number},
    FieldRule{.name = "jitter", .need = Need::Required, .kind = Kind::Boolean},
};
inline constexpr Shape kRetryConfig{
    .name = "RetryConfig", .section = "Retry Logic", .fields = kRetryFields};

inline constexpr std::array kObjects{
    &kHandoffRequest,  &kHandoffResponse, &kHelpRequest,     &kHelpResponse,  &kStatusUpdate,
    &kErrorReport,     &kTaskContext,     &kTaskConstraints, &kTaskEvent,     &kResourceReference,
    &kRecoveryAttempt, &kAgentStatus,     &kResourceUsage,   &kHealthMetrics, &kSharedState,
    &kTaskState,       &kAllocation,      &kPolicy,          &kStateUpdate,   &kRetryConfig};

}  // namespace parlance::dialects::taskwire
