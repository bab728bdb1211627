// The Inter-Agent Communication Protocol of XspensesAI as data.
#pragma once

#include <array>
#include <string_view>

#include "dialects/form.h"
#include "dialects/passed_on.h"
#include "dialects/versions.h"

namespace parlance::dialects::delegation {

inline constexpr std::string_view kDocument = "Inter-Agent Communication Protocol v1.0";
inline constexpr std::string_view kRequestSection = "Request Envelope";
inline constexpr std::string_view kResponseSection = "Response Envelope";

inline constexpr std::array<std::string_view, 3> kStatusWords{"success", "partial", "failed"};
inline constexpr std::array<std::int8_t, 3> kStatusMeans{kSuccess, kPartial, kFailed};
inline constexpr std::array<std::string_view, 5> kArtifactTypes{
    "table", "json", "url", "id", "file"};
/// In the order of Priority. An addition of Parlance: the document has none.
inline constexpr std::array<std::string_view, 4> kPriorityWords{
    "critical", "high", "normal", "low"};
inline constexpr std::string_view kVersionSection = "Protocol Versioning";
/// The current version. Older messages are converted before their fields are read.
inline constexpr std::array<std::string_view, 1> kVersions{"1.0"};

inline constexpr FieldRule kVersion{
    .name = "version", .kind = Kind::Word, .words = kVersions, .section = kVersionSection};

/// X17: described for people in docs/reference/delegation-versions.md.
inline constexpr std::array kFrom09{
    Change{.was = "origin", .is = "origin_employee"},
    Change{.was = "target", .is = "target_employee"},
    Change{.was = "depth", .is = "current_depth"},
    Change{.was = "", .is = "summary", .mark = "result", .value = R"("")"},
};
inline constexpr std::array kFrom08{
    Change{.was = "max_tokens", .object = "constraints", .is = "max_tokens"},
    Change{.was = "max_depth", .object = "constraints", .is = "max_depth"},
    Change{.was = "deadline_ms", .object = "constraints", .is = "deadline_ms"},
    Change{.was = "facts", .object = "handoff_data", .is = "facts"},
    Change{.was = "",
           .is = "token_usage",
           .mark = "result",
           .value = R"({"prompt":0,"completion":0,"total":0})"},
};
inline constexpr std::array kVersionRows{
    VersionRow{.version = "1.0"},
    VersionRow{.version = "0.9", .changes = kFrom09},
    VersionRow{.version = "0.8", .changes = kFrom08},
};
inline constexpr Versions kReadVersions{
    .field = kVersion.name, .section = kVersionSection, .rows = kVersionRows};
inline constexpr FieldRule kCorrelation{
    .name = "correlation_id", .kind = Kind::Text, .slot = Slot::Correlation, .section = kExtension};

inline constexpr std::array kConstraintFields{
    FieldRule{.name = "max_tokens",
              .need = Need::Defaulted,
              .kind = Kind::Integer,
              .slot = Slot::TokensMax,
              .preset = "1200"},
    FieldRule{.name = "max_depth",
              .need = Need::Defaulted,
              .kind = Kind::Integer,
              .slot = Slot::DepthMax,
              .preset = "2"},
    FieldRule{.name = "deadline_ms",
              .need = Need::Defaulted,
              .kind = Kind::Integer,
              .slot = Slot::Timeout,
              .least = 1,
              .preset = "15000"},
};
inline constexpr Shape kConstraints{
    .name = "constraints", .section = kRequestSection, .fields = kConstraintFields};

inline constexpr std::array kSourceFields{
    FieldRule{.name = "owner_scope", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "source_id", .need = Need::Required, .kind = Kind::String},
};
inline constexpr Shape kReference{
    .name = "reference", .section = kRequestSection, .fields = kSourceFields};
inline constexpr FieldRule kEachReference{.kind = Kind::Object, .shape = &kReference};

inline constexpr std::array kHandoffFields{
    FieldRule{.name = "facts", .kind = Kind::List, .slot = Slot::Facts, .element = &kEachString},
    FieldRule{.name = "references",
              .kind = Kind::List,
              .slot = Slot::Sources,
              .element = &kEachReference},
    FieldRule{.name = "intermediate_results", .slot = Slot::Context, .shape = &kPassedOn},
};
inline constexpr Shape kHandoffData{
    .name = "handoff_data", .section = kRequestSection, .fields = kHandoffFields};

inline constexpr std::string_view kHints = "context_hints";

inline constexpr std::array kRequestFields{
    kVersion,
    FieldRule{
        .name = "request_id", .need = Need::FreshIdStandsIn, .kind = Kind::Uuid4, .slot = Slot::Id},
    FieldRule{.name = "origin_employee",
              .need = Need::CallerStandsIn,
              .kind = Kind::Agent,
              .slot = Slot::From,
              .fill = R"("unknown")"},
    FieldRule{.name = "target_employee",
              .need = Need::Required,
              .kind = Kind::Recipient,
              .slot = Slot::To,
              .fill = R"("unknown")"},
    FieldRule{.name = "user_id",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::User,
              .fill = R"("unknown")"},
    FieldRule{.name = "parent_session_id",
              .need = Need::Required,
              .kind = Kind::Id,
              .slot = Slot::Session,
              .fill = R"("unknown")"},
    FieldRule{.name = "child_session_id", .kind = Kind::Id, .slot = Slot::ChildSession},
    FieldRule{.name = "objective",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Action,
              .fill = R"("")"},
    FieldRule{.name = "input",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Content,
              .fill = R"("")"},
    FieldRule{.name = "constraints",
              .need = Need::Defaulted,
              .kind = Kind::Object,
              .shape = &kConstraints},
    FieldRule{.name = kHints,
              .need = Need::Defaulted,
              .kind = Kind::List,
              .element = &kEachString,
              .preset = "[]"},
    FieldRule{.name = "handoff_data",
              .need = Need::Defaulted,
              .kind = Kind::Object,
              .shape = &kHandoffData,
              .preset = "{}"},
    FieldRule{.name = "current_depth", .kind = Kind::Integer, .slot = Slot::Depth},
    // Tools that the target is to use, among its permitted tools.
    FieldRule{.name = "tools",
              .kind = Kind::List,
              .slot = Slot::Tools,
              .section = kExtension,
              .element = &kEachString},
    FieldRule{.name = "priority",
              .kind = Kind::Word,
              .slot = Slot::Priority,
              .words = kPriorityWords,
              .section = kExtension},
    FieldRule{.name = "created_at", .kind = Kind::Instant, .slot = Slot::Sent},
    kCorrelation,
};
inline constexpr Shape kRequest{
    .name = "DelegationRequest", .section = kRequestSection, .fields = kRequestFields};

inline constexpr std::array kArtifactFields{
    FieldRule{.name = "type", .need = Need::Required, .kind = Kind::Word, .words = kArtifactTypes},
    FieldRule{.name = "value", .need = Need::Required},
    FieldRule{.name = "label", .kind = Kind::String},
};
inline constexpr Shape kArtifact{
    .name = "artifact", .section = kResponseSection, .fields = kArtifactFields};
inline constexpr FieldRule kEachArtifact{.kind = Kind::Object, .shape = &kArtifact};

inline constexpr std::array kUsedSourceFields{
    FieldRule{.name = "owner_scope", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "source_id", .need = Need::Required, .kind = Kind::String},
    FieldRule{.name = "relevance", .kind = Kind::Number, .least = kBelowZero},
};
inline constexpr Shape kUsedSource{
    .name = "used source", .section = kResponseSection, .fields = kUsedSourceFields};
inline constexpr FieldRule kEachUsedSource{.kind = Kind::Object, .shape = &kUsedSource};

/// X2: total = prompt + completion.
void check_token_usage(json::Value usage, std::string_view pointer, Problems& problems);

inline constexpr std::array kTokenFields{
    FieldRule{.name = "prompt", .need = Need::Required, .kind = Kind::Integer, .fill = "0"},
    // A known total without its parts is counted as completion.
    FieldRule{.name = "completion",
              .need = Need::Required,
              .kind = Kind::Integer,
              .slot = Slot::TokensUsed,
              .is_echo = true,
              .fill = "0"},
    FieldRule{.name = "total",
              .need = Need::Required,
              .kind = Kind::Integer,
              .slot = Slot::TokensUsed,
              .fill = "0"},
};
inline constexpr Shape kTokenUsage{.name = "token_usage",
                                   .section = kResponseSection,
                                   .fields = kTokenFields,
                                   .also = check_token_usage};

inline constexpr std::array kResponseFields{
    kVersion,
    FieldRule{.name = "request_id",
              .need = Need::Required,
              .kind = Kind::Uuid4,
              .slot = Slot::Answers,
              .fill = R"("00000000-0000-4000-8000-000000000000")"},
    FieldRule{.name = "target_employee",
              .need = Need::CallerStandsIn,
              .kind = Kind::Agent,
              .slot = Slot::From,
              .fill = R"("unknown")"},
    FieldRule{.name = "summary",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Summary,
              .fill = R"("")"},
    FieldRule{.name = "result",
              .need = Need::Required,
              .kind = Kind::String,
              .slot = Slot::Content,
              .fill = R"("")"},
    FieldRule{.name = "artifacts", .kind = Kind::List, .element = &kEachArtifact},
    FieldRule{
        .name = "new_facts", .kind = Kind::List, .slot = Slot::Facts, .element = &kEachString},
    FieldRule{.name = "used_sources",
              .kind = Kind::List,
              .slot = Slot::Sources,
              .element = &kEachUsedSource},
    FieldRule{
        .name = "token_usage", .need = Need::Required, .kind = Kind::Object, .shape = &kTokenUsage},
    FieldRule{.name = "duration_ms", .kind = Kind::Number, .slot = Slot::ElapsedMs},
    FieldRule{.name = "child_session_id", .kind = Kind::Id, .slot = Slot::ChildSession},
    FieldRule{.name = "confidence", .kind = Kind::Number, .slot = Slot::Confidence, .most = 100},
    FieldRule{.name = "requires_followup", .kind = Kind::Boolean, .slot = Slot::FollowUp},
    FieldRule{.name = "status",
              .need = Need::Required,
              .kind = Kind::Word,
              .slot = Slot::Status,
              .words = kStatusWords,
              .means = kStatusMeans,
              .fill = R"("partial")"},
    FieldRule{.name = "error", .kind = Kind::String, .slot = Slot::ErrorText},
    // A response names no recipient: its request does.
    FieldRule{.name = "origin_employee",
              .kind = Kind::Recipient,
              .slot = Slot::To,
              .section = kExtension},
    FieldRule{
        .name = "error_code", .kind = Kind::String, .slot = Slot::ErrorCode, .section = kExtension},
    FieldRule{.name = "warnings",
              .kind = Kind::List,
              .slot = Slot::Warnings,
              .section = kExtension,
              .element = &kEachString},
    kCorrelation,
};
inline constexpr Shape kResponse{
    .name = "DelegationResponse", .section = kResponseSection, .fields = kResponseFields};

inline constexpr std::array<std::string_view, 5> kResponseMarks{
    "summary", "result", "token_usage", "status", "artifacts"};

inline constexpr std::array kFormRows{
    Form{.name = "DelegationResponse",
         .act = Act::Reply,
         .intent = Intent::Reply,
         .shape = &kResponse,
         .marks = kResponseMarks},
    Form{.name = "DelegationRequest",
         .act = Act::Request,
         .intent = Intent::Request,
         .shape = &kRequest},
};

/// In the order of Act. Messages that are no answers become delegations.
inline constexpr Forms kForms{.all = kFormRows,
                              .by_act = {"DelegationRequest",
                                         "DelegationResponse",
                                         "DelegationResponse",
                                         "DelegationRequest",
                                         "DelegationResponse",
                                         "DelegationRequest",
                                         "DelegationResponse",
                                         "DelegationRequest",
                                         "DelegationRequest"}};

/// A message with any of these members is delegation.
inline constexpr std::array<std::string_view, 6> kMarks{"origin_employee",
                                                        "target_employee",
                                                        "parent_session_id",
                                                        "handoff_data",
                                                        "context_hints",
                                                        "token_usage"};

/// X12: the headers of the HTTP form, and the request's member that each must agree with.
struct HeaderRow {
    std::string_view header;
    std::string_view field;
    bool is_number = false;
};
inline constexpr std::array kHeaders{
    HeaderRow{"X-Agent-Request-ID", "request_id"},
    HeaderRow{"X-Agent-Origin", "origin_employee"},
    HeaderRow{"X-Agent-Depth", "current_depth", true},
    HeaderRow{"X-Agent-Parent-Session", "parent_session_id"},
};

}  // namespace parlance::dialects::delegation
