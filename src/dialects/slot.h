// What fields mean, whatever a dialect calls them. The model between the dialects is these slots.
//
// A slot's value is JSON text. Where dialects differ in scale it is on one: a priority is its
// number, a confidence is 0 to 1, a status is its number below, a time limit is milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parlance::dialects {

enum class Slot : std::uint8_t {
    None,
    Type,  ///< The dialect's own word for the form; never said to another dialect.
    Id,
    From,
    To,
    Correlation,
    Answers,  ///< The id of the request that is answered.
    Task,
    Sent,
    Action,   ///< What is wanted, in a word or a sentence: a capability, an objective.
    Content,  ///< What it is wanted with, or what came out.
    Context,
    Priority,
    Timeout,
    User,
    Session,
    ChildSession,
    Status,
    Confidence,
    Summary,
    Warnings,
    ErrorCode,
    ErrorText,
    ErrorSource,
    Severity,
    Retryable,
    Fallback,
    ElapsedMs,
    TokensMax,
    Facts,
    Sources,
    NextSteps,    ///< Who is next. Where there is room for one only, the first.
    Constraints,  ///< Of a task, whatever they are called.
    PriorAgents,  ///< Who has worked on it, each once.
    Position,     ///< How far its workflow is.
    History,      ///< Where to read what was said so far.
    Decisions,
    Findings,
    Gathered,  ///< Data that somebody else need not gather again.
    Assumptions,
    Capability,  ///< What whoever is next is wanted for.
    SecondaryIntents,
    SecondaryTargets,
    FollowUp,  ///< Whether more is to be done about it.
    Depth,
    DepthMax,
    Tools,
    TokensUsed,
    Urgency,   ///< Of a call for help. Nobody else has one: the priority says it to others.
    Patience,  ///< How long the hub waits; no field says so, but where a time limit must stand and
               ///< the message says none it is this.
    Began,     ///< When its workflow did; no field says so, but the hub may know.
    kSlots
};

inline constexpr auto kSlots = static_cast<std::size_t>(Slot::kSlots);

/// The numbers of Slot::Status. A dialect without the exact word takes the nearest number's: a
/// partial success is still a success, what is pending is at best partial, a timeout is a failure.
inline constexpr std::int8_t kSuccess = 0;
inline constexpr std::int8_t kPartial = 4;
inline constexpr std::int8_t kPending = 11;
inline constexpr std::int8_t kFailed = 20;
inline constexpr std::int8_t kTimedOut = 21;

}  // namespace parlance::dialects
