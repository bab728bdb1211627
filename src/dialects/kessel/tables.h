// The Inter-Agent Communication Contract EAP-KB-CC-001 as data.
#pragma once

#include <array>
#include <string_view>

#include "dialects/form.h"
#include "dialects/token_usage.h"

namespace parlance::dialects::kessel {

inline constexpr std::string_view kDocument = "Inter-Agent Communication Contract EAP-KB-CC-001";
inline constexpr std::string_view kRequestSection = "Inter-Agent Request Format";
inline constexpr std::string_view kResponseSection = "Inter-Agent Response Format";
inline constexpr std::string_view kHandoffSection = "Context Preservation Requirements";
inline constexpr std::string_view kIntentSection = "Intent Classification Contract";

inline constexpr std::array<std::string_view, 3> kPriorityWords{"HIGH", "NORMAL", "LOW"};
inline constexpr std::array<std::int8_t, 3> kPriorityMeans{1, 2, 3};

inline constexpr std::array<std::string_view, 4> kStatusWords{
    "SUCCESS", "PARTIAL", "ERROR", "TIMEOUT"};
inline constexpr std::array<std::int8_t, 4> kStatusMeans{kSuccess, kPartial, kFailed, kTimedOut};

/// Most confident first.
inline constexpr std::array<std::string_view, 4> kConfidenceWords{
    "HIGH", "MEDIUM", "LOW", "SPECULATIVE"};

inline constexpr FieldRule kSourceAgent{.name = "source_agent",
                                        .need = Need::CallerStandsIn,
                                        .kind = Kind::Agent,
                                        .slot = Slot::From,
                                        .fill = R"("unknown")"};
inline constexpr FieldRule kTargetAgent{.name = "target_agent",
                                        .need = Need::Required,
                                        .kind = Kind::Recipient,
                                        .slot = Slot::To,
                                        .fill = R"("unknown")"};
inline constexpr FieldRule kCorrelationId{
    .name = "correlation_id", .kind = Kind::Text, .slot = Slot::Correlation};
inline constexpr FieldRule kRequestId{
    .name = "request_id", .need = Need::FreshIdStandsIn, .kind = Kind::RequestId, .slot = Slot::Id};

inline constexpr std::array kContextFields{
    FieldRule{.name = "session_id", .kind = Kind::String, .slot = Slot::Session},
    FieldRule{.name = "user_id", .kind = Kind::String, .slot = Slot::User},
};
inline constexpr Shape kContext{
    .name = "context", .section = "Optional Request Fields", .fields = kContextFields};

inline constexpr std::array kRequestFields{
    kSourceAgent,
    kTargetAgent,
    FieldRule{.name = "capability_code",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Action,
              .fill = R"("GENERAL")"},
    kRequestId,
    FieldRule{.name = "inputs_json",
              .need = Need::Required,
              .kind = Kind::Object,
              .slot = Slot::Content,
              .fill = "{}"},
    FieldRule{.name = "priority",
              .kind = Kind::Word,
              .slot = Slot::Priority,
              .words = kPriorityWords,
              .means = kPriorityMeans,
              .preset = R"("NORMAL")"},
    FieldRule{.name = "timeout_ms",
              .kind = Kind::Integer,
              .slot = Slot::Timeout,
              .least = 1,
              .preset = "30000"},
    FieldRule{.name = "context", .kind = Kind::Object, .slot = Slot::Context, .shape = &kContext},
    kCorrelationId,
};
inline constexpr Shape kRequest{
    .name = "REQUEST", .section = kRequestSection, .fields = kRequestFields};

inline constexpr std::array kMetadataFields{
    FieldRule{.name = "processing_time_ms", .kind = Kind::Number, .slot = Slot::ElapsedMs},
    FieldRule{.name = "source_version"},
    FieldRule{.name = "cache_status"},
    FieldRule{.name = "capability_version"},
    kAlsoTokenUsage,
    kTokensUsed,
};
inline constexpr Shape kMetadata{
    .name = "metadata", .section = "Optional Response Fields", .fields = kMetadataFields};

// The document's other forms take these members from their request; a message sent alone needs
// them.
inline constexpr FieldRule kSender{.name = "source_agent",
                                   .need = Need::CallerStandsIn,
                                   .kind = Kind::Agent,
                                   .slot = Slot::From,
                                   .section = kExtension,
                                   .fill = R"("unknown")"};
inline constexpr FieldRule kSentId{.name = "request_id",
                                   .need = Need::FreshIdStandsIn,
                                   .kind = Kind::RequestId,
                                   .slot = Slot::Id,
                                   .section = kExtension};
inline constexpr FieldRule kSentWorkflow{
    .name = "correlation_id", .kind = Kind::Text, .slot = Slot::Correlation, .section = kExtension};

inline constexpr std::array kResponseFields{
    FieldRule{.name = "request_id",
              .need = Need::Required,
              .kind = Kind::RequestId,
              .slot = Slot::Answers,
              .fill = R"("00000000-0000-4000-8000-000000000000")"},
    FieldRule{.name = "status",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Status,
              .words = kStatusWords,
              .means = kStatusMeans,
              .fill = R"("PARTIAL")"},
    FieldRule{.name = "result_json",
              .kind = Kind::Object,
              .slot = Slot::Content,
              .is_never_absent = true,
              .fill = "{}"},
    FieldRule{.name = "confidence_level",
              .kind = Kind::Word,
              .slot = Slot::Confidence,
              .words = kConfidenceWords,
              .fill = R"("MEDIUM")"},
    FieldRule{.name = "error_code",
              .kind = Kind::ErrorCode,
              .slot = Slot::ErrorCode,
              .fill = R"("AGENT_REPORTED_ERROR")"},
    FieldRule{.name = "error_message",
              .kind = Kind::String,
              .slot = Slot::ErrorText,
              .fill = R"("The agent reported an error.")"},
    FieldRule{.name = "warnings",
              .kind = Kind::List,
              .slot = Slot::Warnings,
              .element = &kEachString,
              .fill = R"(["The agent did not say what was limited."])"},
    FieldRule{.name = "metadata", .kind = Kind::Object, .shape = &kMetadata},
    // A response names neither sender nor recipient: its request does.
    FieldRule{
        .name = "source_agent", .kind = Kind::Agent, .slot = Slot::From, .section = kExtension},
    FieldRule{
        .name = "target_agent", .kind = Kind::Recipient, .slot = Slot::To, .section = kExtension},
    kSentWorkflow,
    FieldRule{.name = "child_session_id",
              .kind = Kind::Id,
              .slot = Slot::ChildSession,
              .section = kExtension},
};

inline constexpr std::array<std::string_view, 2> kWithResult{"SUCCESS", "PARTIAL"};
inline constexpr std::array<std::string_view, 1> kPartialOnly{"PARTIAL"};
inline constexpr std::array<std::string_view, 1> kErrorOnly{"ERROR"};
inline constexpr std::array kResponseWhen{
    WhenRule{.field = "status",
             .words = kWithResult,
             .other = "result_json",
             .rule = "must be the capability's output, an object,"},
    WhenRule{.field = "status",
             .words = kErrorOnly,
             .other = "result_json",
             .demand = Demand::Empty,
             .rule = "must be null or empty"},
    WhenRule{.field = "status",
             .words = kWithResult,
             .other = "confidence_level",
             .rule = "must be HIGH, MEDIUM, LOW or SPECULATIVE"},
    WhenRule{.field = "status",
             .words = kPartialOnly,
             .other = "warnings",
             .rule = "must say what was limited"},
    WhenRule{.field = "status",
             .words = kErrorOnly,
             .other = "error_code",
             .rule = "must be a CATEGORY_SPECIFIC_ERROR code"},
    WhenRule{.field = "status",
             .words = kErrorOnly,
             .other = "error_message",
             .rule = "must say what went wrong"},
};
inline constexpr Shape kResponse{.name = "RESPONSE",
                                 .section = kResponseSection,
                                 .fields = kResponseFields,
                                 .when = kResponseWhen};

inline constexpr std::array kHandoffFields{
    FieldRule{.name = "session_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Session,
              .is_never_empty = true,
              .fill = R"("unknown")"},
    FieldRule{.name = "original_request",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Action,
              .is_never_empty = true,
              .fill = R"("unknown")"},
    FieldRule{.name = "workflow_position", .kind = Kind::String, .slot = Slot::Position},
    FieldRule{.name = "prior_agents",
              .kind = Kind::List,
              .slot = Slot::PriorAgents,
              .element = &kEachAgent},
    FieldRule{.name = "prior_outputs", .kind = Kind::Object, .slot = Slot::Content},
    FieldRule{.name = "constraints", .kind = Kind::Object, .slot = Slot::Constraints},
    FieldRule{.name = "user_id", .kind = Kind::String, .slot = Slot::User},
    FieldRule{.name = "history_reference", .kind = Kind::String, .slot = Slot::History},
    FieldRule{.name = "decisions", .slot = Slot::Decisions},
    FieldRule{.name = "findings", .slot = Slot::Findings},
    FieldRule{.name = "data", .slot = Slot::Gathered},
    FieldRule{.name = "assumptions", .slot = Slot::Assumptions},
    // The document's block accompanies a request; a block sent alone names its recipient.
    kSender,
    FieldRule{.name = "target_agent",
              .need = Need::Routing,
              .kind = Kind::Recipient,
              .slot = Slot::To,
              .section = kExtension,
              .fill = R"("unknown")"},
    kSentId,
    kSentWorkflow,
};
inline constexpr Shape kHandoff{
    .name = "HANDOFF CONTEXT", .section = kHandoffSection, .fields = kHandoffFields};

inline constexpr std::array kTargetFields{
    FieldRule{.name = "agent", .need = Need::Required, .kind = Kind::Agent},
    FieldRule{.name = "capability", .need = Need::Required, .kind = Kind::String},
};
inline constexpr Shape kTarget{
    .name = "secondary target", .section = kIntentSection, .fields = kTargetFields};
inline constexpr FieldRule kEachTarget{.kind = Kind::Object, .shape = &kTarget};

inline constexpr std::array kIntentFields{
    FieldRule{.name = "primary_intent",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Action,
              .fill = R"("unknown")"},
    FieldRule{.name = "intent_confidence",
              .need = Need::Required,
              .kind = Kind::Number,
              .slot = Slot::Confidence,
              .most = 1,
              .fill = "0"},
    FieldRule{.name = "target_agent", .kind = Kind::Agent, .slot = Slot::NextSteps},
    FieldRule{.name = "target_capability", .kind = Kind::String, .slot = Slot::Capability},
    FieldRule{.name = "secondary_intents",
              .kind = Kind::List,
              .slot = Slot::SecondaryIntents,
              .element = &kEachString},
    FieldRule{.name = "secondary_targets",
              .kind = Kind::List,
              .slot = Slot::SecondaryTargets,
              .element = &kEachTarget},
    // Here target_agent is the classifier's result, so other members name the recipient.
    kSender,
    FieldRule{.name = "recipient_agent",
              .need = Need::Routing,
              .kind = Kind::Recipient,
              .slot = Slot::To,
              .section = kExtension,
              .fill = R"("unknown")"},
    kSentId,
    kSentWorkflow,
};
inline constexpr Shape kIntent{
    .name = "INTENT CLASSIFICATION", .section = kIntentSection, .fields = kIntentFields};

inline constexpr std::array<std::string_view, 3> kIntentMarks{
    "primary_intent", "intent_confidence", "secondary_intents"};
inline constexpr std::array<std::string_view, 4> kHandoffMarks{
    "original_request", "workflow_position", "prior_agents", "prior_outputs"};
inline constexpr std::array<std::string_view, 4> kResponseMarks{
    "status", "result_json", "confidence_level", "error_code"};

/// K10. The document demands the user and the history too, but its own example has neither.
inline constexpr std::array<std::string_view, 2> kPassesThrough{"session_id", "original_request"};

inline constexpr std::array kFormRows{
    Form{.name = "INTENT CLASSIFICATION",
         .act = Act::Classification,
         .intent = Intent::OneWay,
         .shape = &kIntent,
         .marks = kIntentMarks,
         .is_part = true},
    Form{.name = "HANDOFF CONTEXT",
         .act = Act::Handoff,
         .intent = Intent::OneWay,
         .shape = &kHandoff,
         .marks = kHandoffMarks,
         .is_part = true,
         .keeps = kPassesThrough},
    Form{.name = "RESPONSE",
         .act = Act::Reply,
         .intent = Intent::Reply,
         .shape = &kResponse,
         .marks = kResponseMarks},
    Form{.name = "REQUEST", .act = Act::Request, .intent = Intent::Request, .shape = &kRequest},
};

/// In the order of Act. Acts without a form in kessel become requests for a capability.
inline constexpr Forms kForms{.all = kFormRows,
                              .by_act = {"REQUEST",
                                         "RESPONSE",
                                         "RESPONSE",
                                         "REQUEST",
                                         "RESPONSE",
                                         "HANDOFF CONTEXT",
                                         "RESPONSE",
                                         "REQUEST",
                                         "INTENT CLASSIFICATION"}};

/// A message with any of these members is kessel.
inline constexpr std::array<std::string_view, 9> kMarks{"source_agent",
                                                        "capability_code",
                                                        "inputs_json",
                                                        "result_json",
                                                        "confidence_level",
                                                        "primary_intent",
                                                        "original_request",
                                                        "workflow_position",
                                                        "prior_agents"};

}  // namespace parlance::dialects::kessel
