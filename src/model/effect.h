// What the outside should now do. Effects leave only after their events are durable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "model/command.h"
#include "model/event.h"

namespace parlance {

/// "Accepted", to whoever sent it. For a duplicate it names the first one.
struct TellAccepted {
    Ask ask;
    Ticket ticket;  ///< Of the (first) copy; a request's answer will name it.
    Sequence sequence;
    EnvelopePtr envelope;  ///< Null for a duplicate: `id` has the message's id then.
    std::string id;
    bool is_duplicate = false;
    bool is_open_request = false;    ///< A reply or failure will follow.
    bool is_settlement = false;      ///< It came as the reply to a delivery, which it settled.
    Sequence answer;                 ///< Where the answer of a finished duplicate is recorded.
    std::uint32_t missed_count = 0;  ///< Subscribers of the topic that had no room for it.
};

struct TellRefused {
    Ask ask;
    std::string id;  ///< The message's, if it had one.
    Refusal refusal = Refusal::None;
    std::string detail;
    DeliveryToken delivery{};          ///< The one it is about, if it is about one.
    std::uint64_t retry_after_ms = 0;  ///< When the same would be taken, where the hub knows.
    EnvelopePtr envelope{};            ///< The message or the answer that was brought, if one was.
};

/// A command without an answer of its own worked.
struct TellDone {
    Ask ask;
    bool is_settlement = false;  ///< It ended a delivery.
};

struct TellJoined {
    Ask ask;
    InstanceNumber instance;
    AgentId agent;
};

/// How the envelope of a delivery is to be shown.
struct Failure {
    Refusal refusal = Refusal::None;
    std::string detail;
};

/// What the hub's record gives a delegate with a request, whatever its asker wrote.
struct Grant {
    std::uint32_t depth = 0;
    std::uint32_t depth_max = 0;  ///< A delegation of this depth is refused.
    Time deadline{};
    Duration left{};           ///< Until then, when it was handed over.
    std::uint64_t tokens = 0;  ///< Set aside for it and all below; 0: none.
    std::vector<std::string> tools{};
    bool limits_tools = false;  ///< Else all that the agent may use.
    std::string user{};
    std::string session{};  ///< Where it is to be worked on.
    std::string parent{};   ///< Who asked, and has the result.
    std::string parent_session{};
    Ticket root{};
};

struct Deliver {
    Ask ask;  ///< Set when the copies are the answer to a TakeMessages.
    InstanceNumber instance;
    DeliveryToken delivery;
    EnvelopePtr envelope;
    Failure failure;      ///< Set: not the envelope itself, but the hub's error answer to it.
    std::string state{};  ///< Of an answer: what its reader laid down when it asked. JSON.
    std::shared_ptr<const Grant> grant{};  ///< Of a request that is in a tree.
};

/// The answer to a request whose asker holds the line.
struct TellAnswer {
    Ticket request;
    EnvelopePtr reply;  ///< Null: the failure below is the answer.
    Failure failure;
};

/// Progress of a request whose asker holds the line or is connected.
struct TellProgress {
    Ticket request;
    AgentId requester;
    EnvelopePtr asked;
    std::string note;
    std::uint64_t number = 0;   ///< Which part of the request's stream it is, from 1.
    std::uint32_t attempt = 0;  ///< Of the delivery that brought it.
};

/// Something waits for an agent that polls: a parked question may be asked again.
struct StirMailbox {
    AgentId agent;
};

/// The agent is to be reached at this address; an empty one means no longer.
struct OpenEndpoint {
    AgentId agent;
    std::string endpoint;
    std::uint32_t credit = 1;
};

/// The hub let this instance go; its connection should be closed.
struct CloseInstance {
    InstanceNumber instance;
    std::string reason;
};

/// Whoever holds this delivery should stop: nobody wants its answer any more.
struct TellCancelled {
    InstanceNumber instance;
    DeliveryToken delivery;
    std::string reason;
};

/// "It runs", to whoever started it.
struct TellStarted {
    Ask ask;
    std::string id;
    std::string correlation;
    Sequence sequence;
    bool is_duplicate = false;  ///< It was started before.
};

/// A workflow has ended, and this is what there is to say.
struct TellEnded {
    std::string id;
    std::string report;
};

/// The question is put, under this id.
struct TellAsked {
    Ask ask;
    Ticket id;
    Time asked_at{};
};

/// Whoever has the role should hear that something waits for them.
struct NotifyPeople {
    enum class Occasion : std::uint8_t { Asked, Reminded, Escalated };
    Ticket id;
    Occasion occasion = Occasion::Asked;
    std::string role;
    std::string question;
    std::string asked_by;
    Time asked_at{};
    Time deadline{};
    Sequence news{};  ///< Where what they are to hear is on record.
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
