// ADR-0016, the correlation id-based Agent Communication Protocol, as data.
#pragma once

#include <array>
#include <string_view>

#include "dialects/form.h"
#include "dialects/passed_on.h"
#include "dialects/token_usage.h"

namespace parlance::dialects::correlation {

inline constexpr std::string_view kDocument = "ADR-0016 Agent Communication Protocol";
inline constexpr std::string_view kMessageSection = "Message Structure";
inline constexpr std::string_view kTypesSection = "Message Types";
inline constexpr std::string_view kErrorSection = "Error Handling Protocol";

/// The document says "failure" in words and "error" in its example: the hub reads both and writes
/// "error".
inline constexpr std::array<std::string_view, 4> kStatusWords{
    "success", "error", "pending", "failure"};
inline constexpr std::array<std::int8_t, 4> kStatusMeans{kSuccess, kFailed, kPending, kFailed};

/// C3: who may send what to whom. Empty: any agent.
struct TypeRow {
    std::string_view name;
    std::string_view from;
    std::string_view to;
};
inline constexpr std::array kTypes{
    TypeRow{"classification_result", "intent_recognition", "task_planning"},
    TypeRow{"execution_plan", "task_planning", "tool_coordination"},
    TypeRow{"tool_results", "tool_coordination", "response_generation"},
    TypeRow{"orchestration_command", "conversation_manager", ""},
    TypeRow{"status_update", "", "conversation_manager"},
};
inline constexpr auto kTypeWords = [] {
    std::array<std::string_view, kTypes.size()> words{};
    for (std::size_t i = 0; i < kTypes.size(); ++i) words[i] = kTypes[i].name;
    return words;
}();
/// The document's five agents. Directions are enforced only for these names and roles.
inline constexpr std::array<std::string_view, 5> kAgents{"intent_recognition",
                                                         "task_planning",
                                                         "tool_coordination",
                                                         "response_generation",
                                                         "conversation_manager"};

/// In the order of Priority.
inline constexpr std::array<std::string_view, 4> kPriorityWords{
    "critical", "high", "normal", "low"};

inline constexpr std::array kDetailFields{
    FieldRule{.name = "error_type",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::ErrorCode,
              .fill = R"("agent_error")"},
    FieldRule{.name = "error_message",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::ErrorText,
              .fill = R"("The agent reported an error.")"},
    FieldRule{.name = "retry_possible",
              .need = Need::Required,
              .kind = Kind::Boolean,
              .slot = Slot::Retryable,
              .fill = "false"},
};
inline constexpr Shape kDetails{
    .name = "error_details", .section = kErrorSection, .fields = kDetailFields};

inline constexpr FieldRule kCorrelationId{.name = "correlation_id",
                                          .need = Need::Required,
                                          .kind = Kind::CorrelationId,
                                          .slot = Slot::Correlation,
                                          .section = "Correlation ID Format",
                                          .fill = R"("unknown_00000000_0")"};
inline constexpr FieldRule kAgent{.name = "agent",
                                  .need = Need::CallerStandsIn,
                                  .kind = Kind::Agent,
                                  .slot = Slot::From,
                                  .fill = R"("unknown")"};
inline constexpr FieldRule kTargetAgent{.name = "target_agent",
                                        .need = Need::Required,
                                        .kind = Kind::Recipient,
                                        .slot = Slot::To,
                                        .fill = R"("unknown")"};
inline constexpr FieldRule kTimestamp{
    .name = "timestamp", .need = Need::NowStandsIn, .kind = Kind::Instant, .slot = Slot::Sent};
inline constexpr FieldRule kStatus{.name = "status",
                                   .need = Need::Required,
                                   .kind = Kind::Word,
                                   .slot = Slot::Status,
                                   .words = kStatusWords,
                                   .means = kStatusMeans,
                                   .fill = R"("pending")"};
inline constexpr FieldRule kErrorDetails{
    .name = "error_details", .kind = Kind::Object, .shape = &kDetails};
inline constexpr FieldRule kFallback{.name = "fallback_strategy",
                                     .kind = Kind::String,
                                     .slot = Slot::Fallback,
                                     .section = kErrorSection};
inline constexpr FieldRule kInReplyTo{
    .name = "in_reply_to", .kind = Kind::Id, .slot = Slot::Answers, .section = kExtension};
inline constexpr FieldRule kMessageId{
    .name = "message_id", .kind = Kind::Id, .slot = Slot::Id, .section = kExtension};

inline constexpr FieldRule kChildSession{.name = "child_session_id",
                                         .kind = Kind::Id,
                                         .slot = Slot::ChildSession,
                                         .section = kExtension};

inline constexpr FieldRule kAlsoMetadata{
    .name = "metadata", .is_only_read = true, .section = kExtension, .shape = &kUsage};

inline constexpr std::array kMessageFields{
    kCorrelationId,
    kAgent,
    kTargetAgent,
    kTimestamp,
    FieldRule{.name = "message_type",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Type,
              .words = kTypeWords,
              .section = kTypesSection},
    kStatus,
    FieldRule{.name = "payload",
              .need = Need::Required,
              .kind = Kind::Body,
              .slot = Slot::Content,
              .fill = "{}"},
    FieldRule{
        .name = "next_steps", .kind = Kind::List, .slot = Slot::NextSteps, .element = &kEachAgent},
    kErrorDetails,
    kFallback,
    kMessageId,
    kInReplyTo,
    FieldRule{.name = "priority",
              .kind = Kind::Word,
              .slot = Slot::Priority,
              .words = kPriorityWords,
              .section = kExtension},
    FieldRule{.name = "timeout_ms",
              .kind = Kind::Integer,
              .slot = Slot::Timeout,
              .least = 1,
              .section = kExtension},
    FieldRule{.name = "user_id", .kind = Kind::String, .slot = Slot::User, .section = kExtension},
    FieldRule{.name = "warnings",
              .kind = Kind::List,
              .slot = Slot::Warnings,
              .section = kExtension,
              .element = &kEachString},
    kChildSession,
    kAlsoMetadata,
    kTokensUsed,
};

inline constexpr std::array<std::string_view, 2> kFailedWords{"error", "failure"};
inline constexpr std::array kMessageWhen{
    WhenRule{.field = "status",
             .words = kFailedWords,
             .other = "error_details",
             .rule = "must be an object with error_type, error_message and retry_possible"},
};
inline constexpr Shape kMessage{
    .name = "message", .section = kMessageSection, .fields = kMessageFields, .when = kMessageWhen};

/// The document's error message has neither type nor target; by default the status keeper gets it.
inline constexpr std::array kErrorFields{
    kCorrelationId,
    kAgent,
    FieldRule{.name = "target_agent",
              .need = Need::Defaulted,
              .kind = Kind::Recipient,
              .slot = Slot::To,
              .preset = R"("conversation_manager")"},
    kTimestamp,
    FieldRule{.name = "status",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Status,
              .words = std::span{kStatusWords}.subspan(1, 1),
              .means = std::span{kStatusMeans}.subspan(1, 1),
              .section = kErrorSection,
              .fill = R"("error")"},
    FieldRule{.name = "error_details",
              .need = Need::Required,
              .kind = Kind::Object,
              .section = kErrorSection,
              .shape = &kDetails},
    kFallback,
    FieldRule{.name = "payload", .kind = Kind::Body, .slot = Slot::Content},
    kMessageId,
    kInReplyTo,
    kChildSession,
    kAlsoMetadata,
    kTokensUsed,
};
inline constexpr Shape kError{.name = "error", .section = kErrorSection, .fields = kErrorFields};

/// Members of a payload for which other dialects have fields of their own.
inline constexpr std::array kPayloadFields{
    FieldRule{.name = "action", .kind = Kind::String, .slot = Slot::Action, .section = kExtension},
    FieldRule{.name = "data", .slot = Slot::Content, .section = kExtension},
    FieldRule{.name = "context", .slot = Slot::Context, .section = kExtension, .shape = &kPassedOn},
    FieldRule{.name = "confidence",
              .kind = Kind::Number,
              .slot = Slot::Confidence,
              .most = 1,
              .section = kExtension},
    FieldRule{
        .name = "summary", .kind = Kind::String, .slot = Slot::Summary, .section = kExtension},
    kAlsoTokenUsage,
    kAlsoTokensUsed,
};
inline constexpr Shape kPayload{
    .name = "payload", .section = kMessageSection, .fields = kPayloadFields, .is_soft = true};

inline constexpr std::array kClassificationFields{
    FieldRule{.name = "intent_category", .kind = Kind::String, .slot = Slot::Action},
    FieldRule{.name = "entities", .kind = Kind::List},
    FieldRule{.name = "confidence", .kind = Kind::Number, .slot = Slot::Confidence, .most = 1},
    kPassedCapability,
    kPassedIntents,
    kPassedTargets,
};
inline constexpr Shape kClassification{
    .name = "classification", .section = kMessageSection, .fields = kClassificationFields};

inline constexpr std::array kFormRows{
    Form{.name = "classification_result",
         .act = Act::Classification,
         .intent = Intent::OneWay,
         .shape = &kMessage,
         .body = &kClassification,
         .word = "classification_result"},
    Form{.name = "execution_plan",
         .act = Act::Event,
         .intent = Intent::OneWay,
         .shape = &kMessage,
         .body = &kPayload,
         .word = "execution_plan"},
    Form{.name = "tool_results",
         .act = Act::Event,
         .intent = Intent::OneWay,
         .shape = &kMessage,
         .body = &kPayload,
         .word = "tool_results"},
    Form{.name = "orchestration_command",
         .act = Act::Request,
         .intent = Intent::Request,
         .shape = &kMessage,
         .body = &kPayload,
         .word = "orchestration_command"},
    Form{.name = "status_update",
         .act = Act::Reply,
         .intent = Intent::Reply,
         .shape = &kMessage,
         .body = &kPayload,
         .word = "status_update"},
    Form{.name = "error",
         .act = Act::Failure,
         .intent = Intent::Reply,
         .priority = Priority::High,
         .shape = &kError,
         .status_word = "error"},
};

/// In the order of Act.
inline constexpr Forms kForms{.type_field = "message_type",
                              .all = kFormRows,
                              .by_act = {"orchestration_command",
                                         "status_update",
                                         "error",
                                         "status_update",
                                         "error",
                                         "orchestration_command",
                                         "status_update",
                                         "status_update",
                                         "classification_result"}};

/// A message with any of these members is correlation.
inline constexpr std::array<std::string_view, 4> kMarks{
    "agent", "next_steps", "error_details", "fallback_strategy"};

}  // namespace parlance::dialects::correlation
