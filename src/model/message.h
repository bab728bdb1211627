// Small types of delivery: priorities, instance kinds, and the outcomes of a delivery.
#pragma once

#include <cstdint>

namespace parlance {

/// Numbers are written to the journal. Lower is more urgent.
enum class Priority : std::uint8_t { Critical = 0, High, Normal, Low };
inline constexpr std::size_t kPriorities = 4;

/// Critical and high messages have reserved room and lend their urgency to the rest of their task.
constexpr bool is_urgent(Priority priority) { return priority <= Priority::High; }

/// The delivery guarantee (T8, W1): critical and high messages, and every answer to a request, are
/// delivered at least once; normal and low messages, including normal and low requests, at most
/// once.
constexpr bool is_at_least_once(Priority priority, bool is_answer) {
    return is_answer || is_urgent(priority);
}

/// How an instance of an agent takes its messages.
enum class InstanceKind : std::uint8_t {
    Socket = 1,  ///< A WebSocket connection; deliveries are pushed while it has credit.
    Poll,        ///< Asks over HTTP; counts as live for a while after each poll.
    Push,        ///< The hub posts to the agent's endpoint.
};

/// The outcome an answer reports about its agent (K21). Numbers are written to the journal.
enum class AnswerKind : std::uint8_t {
    Done = 0,  ///< Done, wholly or in part.
    Declined,  ///< The agent declines this request: no statement about the agent's health.
    Failed,    ///< The agent's own failure: an internal error, a timeout, an unavailable service.
};

/// Why a delivery came back to the hub unsettled, or why a message was given up.
enum class DeliveryFailure : std::uint8_t {
    Nacked = 1,        ///< The agent cannot take the message now.
    LeaseExpired,      ///< The agent did not settle in time.
    InstanceLost,      ///< The holding instance went away.
    RetriesExhausted,  ///< The retries are used up.
    Expired,           ///< The message's ttl passed.
    Rejected,          ///< The agent will never take the message.
    AgentRemoved,      ///< The recipient is no longer registered.
    HubRestarted,      ///< The hub stopped during the delivery, and the connection was lost.
    MailboxFull,       ///< The subscriber's mailbox had no room for a copy.
    Cancelled,         ///< The requester or an operator cancelled the request.
    CircuitOpen,       ///< The agent's breaker is open after too many failures.
    NotReached,        ///< No instance was reached.
};

/// True if the attempt counts toward the retry limit. An attempt ended by the hub, or never
/// received by the agent, is not the agent's failure.
constexpr bool is_counted(DeliveryFailure failure) {
    return failure != DeliveryFailure::HubRestarted && failure != DeliveryFailure::NotReached;
}

}  // namespace parlance
