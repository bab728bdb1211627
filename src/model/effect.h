// What the gateway should do next. Effects leave only after their events are durable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "model/command.h"
#include "model/event.h"

namespace parlance {

/// Tells the sender "accepted". For a duplicate, names the first message.
struct TellAccepted {
    ReplyTarget reply_target;
    Ticket ticket;  ///< Of the (first) copy; a request's answer will name the ticket.
    Sequence sequence;
    EnvelopePtr envelope;  ///< Null for a duplicate: `id` has the message's id then.
    std::string id;
    bool is_duplicate = false;
    bool is_open_request = false;    ///< A reply or failure will follow.
    bool is_settlement = false;      ///< The message was a reply and settled its delivery.
    Sequence answer;                 ///< Where the answer of a finished duplicate is recorded.
    std::uint32_t missed_count = 0;  ///< Subscribers of the topic without room for a copy.
};

struct TellRefused {
    ReplyTarget reply_target;
    std::string id;  ///< The message's, if any.
    Refusal refusal = Refusal::None;
    std::string detail;
    DeliveryToken delivery{};          ///< The delivery concerned, if any.
    std::uint64_t retry_after_ms = 0;  ///< Wait before a retry can succeed; 0: unknown.
    EnvelopePtr envelope{};            ///< The message or answer submitted, if any.
};

/// Tells the caller that a command without a specific answer worked.
struct TellDone {
    ReplyTarget reply_target;
    bool is_settlement = false;  ///< The command settled a delivery.
};

struct TellJoined {
    ReplyTarget reply_target;
    InstanceNumber instance;
    AgentId agent;
};

/// The hub's error answer, shown instead of an envelope.
struct Failure {
    Refusal refusal = Refusal::None;
    std::string detail;
};

/// The delegation limits on the hub's record for a request, whatever its requester wrote.
struct Grant {
    std::uint32_t depth = 0;
    std::uint32_t depth_max = 0;  ///< A delegation of this depth is refused.
    Time deadline{};
    Duration left{};           ///< From the hand-over to the deadline.
    std::uint64_t tokens = 0;  ///< Reserved for the request and all below; 0: none.
    std::vector<std::string> tools{};
    bool limits_tools = false;  ///< Else all tools of the agent.
    std::string user{};
    std::string session{};  ///< Session in which the recipient works.
    std::string parent{};   ///< The requester, who gets the result.
    std::string parent_session{};
    Ticket root{};
};

struct Deliver {
    ReplyTarget reply_target;  ///< Set when the copies are the answer to a TakeMessages.
    InstanceNumber instance;
    DeliveryToken delivery;
    EnvelopePtr envelope;
    Failure failure;      ///< If set, replaces the envelope.
    std::string state{};  ///< Answer only: state the requester saved with its request. JSON.
    std::shared_ptr<const Grant> grant{};  ///< Set for a request in a delegation tree.
};

/// Delivers an answer to a requester that holds the line.
struct TellAnswer {
    Ticket request;
    EnvelopePtr reply;  ///< Null: the failure below is the answer.
    Failure failure;
};

/// Reports progress to a requester that holds the line or is connected.
struct TellProgress {
    Ticket request;
    AgentId requester;
    EnvelopePtr asked;
    std::string note;
    std::uint64_t number = 0;   ///< Number of the part in the request's stream, from 1.
    std::uint32_t attempt = 0;  ///< Of the delivery that reported the progress.
};

/// A message waits for a polling agent: the gateway may repeat the agent's parked poll.
struct StirMailbox {
    AgentId agent;
};

/// The hub is to reach the agent at this address; an empty address means no longer.
struct OpenEndpoint {
    AgentId agent;
    std::string endpoint;
    std::uint32_t credit = 1;
};

/// The hub dropped this instance; the gateway should close its connection.
struct CloseInstance {
    InstanceNumber instance;
    std::string reason;
};

/// Tells the holder of a delivery to stop: the answer is no longer wanted.
struct TellCancelled {
    InstanceNumber instance;
    DeliveryToken delivery;
    std::string reason;
};

/// Tells the starter of a workflow that the workflow runs.
struct TellStarted {
    ReplyTarget reply_target;
    std::string id;
    std::string correlation;
    Sequence sequence;
    bool is_duplicate = false;  ///< The workflow was started before.
};

/// Reports the end of a workflow.
struct TellEnded {
    std::string id;
    std::string report;
};

/// Tells the caller the id of the new human task.
struct TellAsked {
    ReplyTarget reply_target;
    Ticket id;
    Time asked_at{};
};

/// Notifies the people of a role of a waiting human task.
struct NotifyPeople {
    enum class Occasion : std::uint8_t { Asked, Reminded, Escalated };
    Ticket id;
    Occasion occasion = Occasion::Asked;
    std::string role;
    std::string question;
    std::string asked_by;
    Time asked_at{};
    Time deadline{};
    Sequence news{};  ///< Sequence of the event to notify about.
};

using Effect = std::variant<TellAccepted,
                            TellRefused,
                            TellDone,
                            TellJoined,
                            Deliver,
                            TellAnswer,
                            TellProgress,
                            StirMailbox,
                            OpenEndpoint,
                            CloseInstance,
                            TellCancelled,
                            TellStarted,
                            TellEnded,
                            TellAsked,
                            NotifyPeople>;
using Effects = std::vector<Effect>;

}  // namespace parlance
