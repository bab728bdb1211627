// The Agent Communication Patterns of the Smart Procurement Co-Pilot as data: the Standard Agent
// Message (SAM), its errors, and the context object.
#pragma once

#include <array>
#include <string_view>

#include "dialects/form.h"
#include "dialects/passed_on.h"
#include "dialects/token_usage.h"

namespace parlance::dialects::sam {

inline constexpr std::string_view kDocument = "Agent Communication Patterns";
inline constexpr std::string_view kMessageSection = "1.2 Message Protocol";
inline constexpr std::string_view kErrorSection = "4.1 Error Message Format";
inline constexpr std::string_view kContextSection = "3.1 The Context Object";

inline constexpr std::array<std::string_view, 4> kTypeWords{
    "REQUEST", "RESPONSE", "EVENT", "ERROR"};
/// In the order of Priority.
inline constexpr std::array<std::string_view, 4> kPriorityWords{
    "critical", "high", "normal", "low"};
/// The document names only CRITICAL; the other words follow the other dialects.
inline constexpr std::array<std::string_view, 4> kSeverityWords{
    "LOW", "MEDIUM", "HIGH", "CRITICAL"};
/// An addition of Parlance: the document reports success by RESPONSE and failure by ERROR.
inline constexpr std::array<std::string_view, 5> kStatusWords{
    "success", "partial", "pending", "failed", "timeout"};
inline constexpr std::array<std::int8_t, 5> kStatusMeans{
    kSuccess, kPartial, kPending, kFailed, kTimedOut};

inline constexpr std::array kSenderFields{
    FieldRule{.name = "agent_id",
              .need = Need::CallerStandsIn,
              .kind = Kind::Agent,
              .slot = Slot::From,
              .fill = R"("unknown")"},
    FieldRule{.name = "role", .kind = Kind::String},
};
inline constexpr Shape kSender{
    .name = "sender", .section = kMessageSection, .fields = kSenderFields};

inline constexpr std::array kRecipientFields{
    FieldRule{.name = "agent_id",
              .need = Need::Required,
              .kind = Kind::Recipient,
              .slot = Slot::To,
              .fill = R"("unknown")"},
    FieldRule{.name = "role", .kind = Kind::String},
};
inline constexpr Shape kRecipient{
    .name = "recipient", .section = kMessageSection, .fields = kRecipientFields};

inline constexpr std::array kMetadataFields{
    FieldRule{
        .name = "priority", .kind = Kind::Word, .slot = Slot::Priority, .words = kPriorityWords},
    FieldRule{.name = "timeout_ms", .kind = Kind::Integer, .slot = Slot::Timeout, .least = 1},
    FieldRule{.name = "status",
              .kind = Kind::String,
              .slot = Slot::Status,
              .words = kStatusWords,
              .means = kStatusMeans,
              .section = kExtension},
    FieldRule{.name = "confidence",
              .kind = Kind::Number,
              .slot = Slot::Confidence,
              .most = 1,
              .section = kExtension},
    FieldRule{.name = "user_id", .kind = Kind::String, .slot = Slot::User, .section = kExtension},
    FieldRule{
        .name = "session_id", .kind = Kind::String, .slot = Slot::Session, .section = kExtension},
    FieldRule{.name = "warnings",
              .kind = Kind::List,
              .slot = Slot::Warnings,
              .section = kExtension,
              .element = &kEachString},
    FieldRule{.name = "duration_ms",
              .kind = Kind::Number,
              .slot = Slot::ElapsedMs,
              .section = kExtension},
    FieldRule{.name = "max_tokens",
              .kind = Kind::Integer,
              .slot = Slot::TokensMax,
              .section = kExtension},
    kAlsoTokenUsage,
    kTokensUsed,
};
inline constexpr Shape kMetadata{
    .name = "metadata", .section = kMessageSection, .fields = kMetadataFields};

inline constexpr std::array kErrorFields{
    FieldRule{.name = "code",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::ErrorCode,
              .fill = R"("AGENT_REPORTED_ERROR")"},
    FieldRule{.name = "message",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::ErrorText,
              .fill = R"("The agent reported an error.")"},
    // The document's error has all five members. Missing ones are filled in: by default the sender
    // is the source and a retry is not said to help.
    FieldRule{
        .name = "source", .need = Need::Defaulted, .kind = Kind::String, .slot = Slot::ErrorSource},
    FieldRule{.name = "severity",
              .need = Need::Defaulted,
              .kind = Kind::Word,
              .slot = Slot::Severity,
              .words = kSeverityWords,
              .preset = R"("HIGH")"},
    FieldRule{.name = "retryable",
              .need = Need::Defaulted,
              .kind = Kind::Boolean,
              .slot = Slot::Retryable,
              .preset = "false"},
};
inline constexpr Shape kError{.name = "error", .section = kErrorSection, .fields = kErrorFields};

inline constexpr std::array kPayloadFields{
    FieldRule{.name = "action", .kind = Kind::String, .slot = Slot::Action},
    FieldRule{.name = "data", .slot = Slot::Content},
    FieldRule{.name = "context", .slot = Slot::Context, .shape = &kPassedOn},
    kAlsoTokenUsage,
    kAlsoTokensUsed,
};
inline constexpr Shape kPayload{
    .name = "payload", .section = kMessageSection, .fields = kPayloadFields};

inline constexpr std::array kRequestPayloadFields{
    FieldRule{.name = "action",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Action,
              .fill = R"("general")"},
    kPayloadFields[1],
    kPayloadFields[2],
};
inline constexpr Shape kRequestPayload{
    .name = "payload", .section = kMessageSection, .fields = kRequestPayloadFields};

inline constexpr std::string_view kPayloadRule = "an object with action, data and context";

inline constexpr std::array kMessageFields{
    FieldRule{
        .name = "message_id", .need = Need::FreshIdStandsIn, .kind = Kind::Id, .slot = Slot::Id},
    FieldRule{.name = "correlation_id", .kind = Kind::Text, .slot = Slot::Correlation},
    FieldRule{
        .name = "timestamp", .need = Need::NowStandsIn, .kind = Kind::Instant, .slot = Slot::Sent},
    FieldRule{
        .name = "sender", .need = Need::CallerStandsIn, .kind = Kind::Object, .shape = &kSender},
    FieldRule{.name = "recipient",
              .need = Need::Routing,
              .kind = Kind::Object,
              .shape = &kRecipient,
              .fill = R"({"agent_id":"unknown"})"},
    FieldRule{.name = "message_type",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Type,
              .words = kTypeWords},
    FieldRule{.name = "payload",
              .kind = Kind::Body,
              .is_object = true,
              .expected = kPayloadRule,
              .fill = "{}"},
    FieldRule{.name = "error", .kind = Kind::Object, .shape = &kError},
    FieldRule{.name = "metadata", .kind = Kind::Object, .shape = &kMetadata},
    FieldRule{
        .name = "in_reply_to", .kind = Kind::Id, .slot = Slot::Answers, .section = kExtension},
    FieldRule{.name = "child_session_id",
              .kind = Kind::Id,
              .slot = Slot::ChildSession,
              .section = kExtension},
};

inline constexpr std::array<std::string_view, 3> kWithPayload{"REQUEST", "RESPONSE", "EVENT"};
inline constexpr std::array<std::string_view, 1> kWithError{"ERROR"};
inline constexpr std::array kMessageWhen{
    WhenRule{.field = "message_type",
             .words = kWithPayload,
             .other = "payload",
             .rule = "must be an object with action, data and context"},
    WhenRule{.field = "message_type",
             .words = kWithError,
             .other = "error",
             .rule = "must be an object with code and message"},
};
inline constexpr Shape kMessage{.name = "Standard Agent Message",
                                .section = kMessageSection,
                                .fields = kMessageFields,
                                .when = kMessageWhen};

inline constexpr std::array kFormRows{
    Form{.name = "REQUEST",
         .act = Act::Request,
         .intent = Intent::Request,
         .shape = &kMessage,
         .body = &kRequestPayload,
         .word = "REQUEST"},
    Form{.name = "RESPONSE",
         .act = Act::Reply,
         .intent = Intent::Reply,
         .shape = &kMessage,
         .body = &kPayload,
         .word = "RESPONSE"},
    Form{.name = "EVENT",
         .act = Act::Event,
         .intent = Intent::OneWay,
         .shape = &kMessage,
         .body = &kPayload,
         .word = "EVENT"},
    Form{.name = "ERROR",
         .act = Act::Failure,
         .intent = Intent::Reply,
         .priority = Priority::High,
         .shape = &kMessage,
         .body = &kPayload,
         .word = "ERROR",
         .is_part = true},
};

/// In the order of Act.
inline constexpr Forms kForms{
    .type_field = "message_type",
    .all = kFormRows,
    .by_act = {
        "REQUEST", "RESPONSE", "ERROR", "EVENT", "ERROR", "REQUEST", "RESPONSE", "EVENT", "EVENT"}};

/// A message with any of these members is sam.
inline constexpr std::array<std::string_view, 2> kMarks{"sender", "recipient"};

inline constexpr std::array kHistoryFields{
    FieldRule{.name = "agent", .need = Need::Required, .kind = Kind::Agent},
    FieldRule{.name = "action", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "timestamp", .kind = Kind::Instant},
};
inline constexpr Shape kHistoryEntry{
    .name = "history entry", .section = kContextSection, .fields = kHistoryFields};
inline constexpr FieldRule kEachHistoryEntry{.kind = Kind::Object, .shape = &kHistoryEntry};

inline constexpr std::array kArtifactFields{
    FieldRule{.name = "type", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "url", .kind = Kind::String},
};
inline constexpr Shape kArtifact{
    .name = "artifact", .section = kContextSection, .fields = kArtifactFields};
inline constexpr FieldRule kEachArtifact{.kind = Kind::Object, .shape = &kArtifact};

/// Any JSON; null for a domain without an entity so far.
inline constexpr FieldRule kEachEntity{.kind = Kind::Anything};

inline constexpr std::array kContextFields{
    FieldRule{.name = "workflow_id", .need = Need::Required, .kind = Kind::Id},
    FieldRule{.name = "status", .need = Need::Required, .kind = Kind::Text},
    FieldRule{.name = "current_agent", .kind = Kind::Agent},
    FieldRule{
        .name = "entities", .need = Need::Required, .kind = Kind::Map, .element = &kEachEntity},
    FieldRule{.name = "history",
              .need = Need::Required,
              .kind = Kind::List,
              .element = &kEachHistoryEntry},
    FieldRule{.name = "artifacts", .kind = Kind::List, .element = &kEachArtifact},
};
inline constexpr Shape kContext{
    .name = "Global Context", .section = kContextSection, .fields = kContextFields};

inline constexpr std::array kObjects{&kContext, &kError};

}  // namespace parlance::dialects::sam
