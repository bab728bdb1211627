// The meaning of fields, independent of their names: the dialects' common model.
//
// A slot's value is JSON text, on the same scale for all dialects: a priority or status is its
// number (below), a confidence is 0 to 1, a time limit is milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parlance::dialects {

enum class Slot : std::uint8_t {
    None,
    Type,  ///< The dialect's own word for the form; never translated.
    Id,
    From,
    To,
    Correlation,
    Answers,  ///< The id of the answered request.
    Task,
    Sent,
    Action,   ///< The wanted capability or objective, in a word or a sentence.
    Content,  ///< A request's input or an answer's result.
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
    NextSteps,    ///< The next agents; the first where only one fits.
    Constraints,  ///< A task's constraints, under any name.
    PriorAgents,  ///< Agents that have worked on the task, each once.
    Position,     ///< Position in the workflow.
    History,      ///< Where to read the conversation so far.
    Decisions,
    Findings,
    Gathered,  ///< Data that other agents need not gather again.
    Assumptions,
    Capability,  ///< The capability wanted of the next agent.
    SecondaryIntents,
    SecondaryTargets,
    FollowUp,  ///< Whether follow-up work is needed.
    Depth,
    DepthMax,
    Tools,
    TokensUsed,
    Urgency,   ///< Of a request for help; expressed as the priority elsewhere.
    Patience,  ///< The hub's own time limit, for mandatory limits left out; no field's slot.
    Began,     ///< When the workflow began, if the hub knows. No field has this slot.
    kSlots
};

inline constexpr auto kSlots = static_cast<std::size_t>(Slot::kSlots);

/// Numbers of Slot::Status. A dialect without the exact word takes the word with the nearest
/// number: a partial success is still a success, pending is at best partial, a timeout is a
/// failure.
inline constexpr std::int8_t kSuccess = 0;
inline constexpr std::int8_t kPartial = 4;
inline constexpr std::int8_t kPending = 11;
inline constexpr std::int8_t kFailed = 20;
inline constexpr std::int8_t kTimedOut = 21;

}  // namespace parlance::dialects
