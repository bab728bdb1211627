// The small nouns of delivery: priorities, why a delivery ended, what kinds of instances there are.
#pragma once

#include <cstdint>

namespace parlance {

/// Numbers are written to the journal. Lower is more urgent.
enum class Priority : std::uint8_t { Critical = 0, High, Normal, Low };
inline constexpr std::size_t kPriorities = 4;

/// Critical and high have room kept for them and lend their urgency to the rest of their task.
constexpr bool is_urgent(Priority priority) { return priority <= Priority::High; }

/// The one rule of delivery (T8, W1): critical and high messages, and the answer to any request,
/// are delivered at least once; normal and low messages, and such requests themselves, at most
/// once.
constexpr bool is_at_least_once(Priority priority, bool is_answer) {
    return is_answer || is_urgent(priority);
}

/// How an instance of an agent takes its messages.
enum class InstanceKind : std::uint8_t {
    Socket = 1,  ///< A WebSocket connection; deliveries are pushed while it has credit.
    Poll,        ///< Asks over HTTP; it is live for a while after each question.
    Push,        ///< The hub posts to the agent's endpoint.
};

/// What an answer tells of the agent that gave it (K21). Numbers are written to the journal.
enum class AnswerKind : std::uint8_t {
    Done = 0,  ///< What was asked, wholly or in part.
    Declined,  ///< Not this, not so or not for you: it says nothing of how the agent is.
    Failed,    ///< The agent's own failure: an internal error, a timeout, something unavailable.
};

/// Why a delivery came back to the hub unsettled, or why a message was given up.
enum class Setback : std::uint8_t {
    Nacked = 1,        ///< The agent said that it cannot take it now.
    LeaseExpired,      ///< The agent did not settle it in time.
    InstanceLost,      ///< The instance that held it went away.
    RetriesExhausted,  ///< It was tried as often as allowed.
    Expired,           ///< Its ttl passed.
    Rejected,          ///< The agent said that it never will take it.
    AgentRemoved,      ///< Its recipient is no longer registered.
    HubRestarted,      ///< The hub went away while it was out, and the connection with it.
    MailboxFull,       ///< A copy of a topic's message for whose subscriber there was no room.
    Cancelled,         ///< Whoever asked, or an operator, wants no answer any more.
    CircuitOpen,       ///< Its agent fails too often and is left alone.
    NotReached,        ///< Nobody was there to take it.
};

/// Whether a try that ended so counts toward the limit. What the hub broke off, or what never came
/// to the agent, is not the agent's failure.
constexpr bool is_counted(Setback setback) {
    return setback != Setback::HubRestarted && setback != Setback::NotReached;
}

}  // namespace parlance
