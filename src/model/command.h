// What callers ask of the hub. A command may be refused; an event may not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "model/caller.h"
#include "model/claim.h"
#include "model/envelope.h"
#include "model/handing.h"
#include "model/human_task.h"
#include "model/ids.h"
#include "model/message.h"
#include "model/profile.h"
#include "model/refusal.h"

namespace parlance {

/// The first command of a process. Ids and keys are fresh; a hub with existing ids and keys keeps
/// its own.
struct StartHub {
    std::string hub_id;
    std::uint64_t hash_key_0 = 0;
    std::uint64_t hash_key_1 = 0;
    std::string version;
};

struct RegisterAgent {
    AgentId agent;
    Profile profile;
    bool says_tools = false;  ///< The registration lists the permitted tools, even if none.
};

struct RemoveAgent {
    AgentId agent;
};

/// An instance connects. For Poll, a live name only counts as a sign of life.
struct JoinInstance {
    AgentId agent;
    std::string name;
    InstanceKind kind = InstanceKind::Socket;
    std::uint32_t credit = 0;  ///< Unsettled deliveries the instance can hold.
    /// A sign of life from a polling instance: not recorded if the instance is known to be live.
    bool is_heartbeat = false;
};

struct LeaveInstance {
    InstanceNumber instance;
    std::string reason;
};

struct GrantCredit {
    InstanceNumber instance;
    std::uint32_t credit = 0;  ///< The new total, not an addition.
};

struct Heartbeat {
    InstanceNumber instance;
};

struct Subscribe {
    AgentId agent;
    TopicName topic;
};

struct Unsubscribe {
    AgentId agent;
    TopicName topic;
};

struct SendMessage {
    EnvelopePtr envelope;
    Priority priority = Priority::Normal;
    std::optional<Duration> ttl{};
    std::optional<Duration> timeout{};  ///< Request only: time for the answer.
    std::optional<std::uint32_t> retry_count_max{};
    std::uint64_t fingerprint = 0;  ///< Of the content, to tell a repeat from a conflict.
    bool waits = false;             ///< Request only: the requester holds the line.
    ClaimPtr claim{};               ///< Of a delegation: what it claims; else the user only.
    std::uint64_t tokens_used = 0;  ///< Reply only: cost of the answer.
    bool falls_short = false;  ///< Reply only: the request was done only in part, or not at all.
    AnswerKind kind = AnswerKind::Done;  ///< Reply only: what the reply says about its agent.
    HumanQuestionPtr question{};         ///< To people only: the task in words for them.
    std::vector<std::string> facts{};    ///< Reply only: facts learnt about the user.
    std::vector<std::string> owners{};   ///< Reply only: owners of the sources cited.
    PassingPtr passing{};                ///< Request only: where a declined request goes next.
    std::string state{};  ///< Request only: state the requester saves meanwhile. JSON.
    std::string by{};     ///< From the hub only: originator, who may not approve the request.
    /// From the hub only: parent request as resolved earlier; {}: known to have none.
    std::optional<Ticket> below{};
};

/// The waiting requester disconnected; the answer goes to the mailbox.
struct StopWaiting {
    Ticket request;
};

/// A polling instance asks for up to `count_max` messages now.
struct TakeMessages {
    InstanceNumber instance;
    std::uint32_t count_max = 1;
};

/// Names one delivery: the copy, the attempt, and the epoch that granted the lease. Tickets and
/// attempts repeat when an older copy of the journal is continued; epochs do not. A token with a
/// stale attempt or a foreign epoch changes nothing.
struct DeliveryToken {
    Ticket ticket;
    std::uint32_t attempt = 0;
    Epoch epoch{};
    bool operator==(const DeliveryToken&) const = default;
};

struct AckDelivery {
    DeliveryToken delivery;
};

struct NackDelivery {
    DeliveryToken delivery;
    std::string reason;
    bool is_final = false;       ///< The agent will never take the message: no retry.
    bool is_unheard = false;     ///< The agent was not reached: the attempt does not count.
    bool is_unanswered = false;  ///< No response, reached or not: no sign of life.
};

struct ExtendLease {
    DeliveryToken delivery;
    std::optional<Duration> by{};
};

/// Extends the lease and reports progress to the requester.
struct ReportProgress {
    DeliveryToken delivery;
    std::string note;  ///< JSON, as received.
};

struct ReplyToDelivery {
    DeliveryToken delivery;
    EnvelopePtr envelope;
    std::uint64_t tokens_used = 0;       ///< Cost of the answer, as the agent reports.
    bool falls_short = false;            ///< The request was done only in part, or not at all.
    AnswerKind kind = AnswerKind::Done;  ///< What the answer says about its agent.
    std::vector<std::string> facts{};    ///< Facts learnt about the user.
    std::vector<std::string> owners{};   ///< Owners of the sources cited.
    /// No answer is awaited, but the agent's dialect could only show the message as a request: the
    /// answer counts as an acknowledgement.
    bool acknowledges = false;
};

/// An answer that breaks the rules, reported by the gateway: the answer is not passed on, and the
/// requester gets a failure. The answer is identified by its delivery, or by its own header.
struct RefuseReply {
    DeliveryToken delivery{};
    EnvelopePtr reply{};  ///< Without a delivery: as far as the reply could be read.
    std::string id{};
    Refusal refusal = Refusal::OutputValidationFailed;
    std::string detail{};
};

struct RedeliverDeadLetter {
    Ticket ticket;
};

struct DiscardDeadLetter {
    Ticket ticket;
    std::string reason;
};

/// An unreadable message, reported by the gateway so that the refusal is on record.
struct RecordRefusal {
    std::string id;
    std::uint8_t refusal = 0;  ///< A Refusal.
    std::string detail;
    // As far as read, for a delegation:
    std::string to{};
    std::string user{};
    std::string objective{};
};

/// Replaces the whole policy, one setting per line (model/policy.h). In force from the next
/// command.
struct ChangePolicy {
    std::string settings;
    std::optional<std::uint64_t> version{};  ///< Expected version of the policy; empty: any.
    std::string reason;
};

/// No new work and no deliveries until ResumeFleet.
struct StopFleet {
    std::string reason;
    bool cancels = false;  ///< Also cancels open requests; else open requests wait.
};

struct ResumeFleet {
    std::string reason;
};

/// Cancels the open requests of an id, and all delegations below them.
struct CancelRequest {
    std::string id;  ///< Of a request, a session or a workflow.
    std::string reason;
};

/// Asks if an agent may use a tool in its current work.
struct AuthorizeTool {
    AgentId agent;
    std::string tool;
    std::string request;  ///< Id or session of a request; empty: any work of the agent.
};

/// Begins a workflow. The plan has been read once, so it is valid.
struct StartWorkflow {
    std::string id;
    std::string plan;
    std::string input;
    std::string request;
    std::string constraints;
    std::string correlation;
    std::string user;
    std::string session;
};

/// Opens a human task.
struct OpenHumanTask {
    HumanQuestion question;
};

/// A person's answer to an open human task, accepted only once.
struct AnswerHumanTask {
    Ticket id;
    HumanDecision decision = HumanDecision::Approve;
    std::string reason{};
    std::string content{};                            ///< JSON.
    std::optional<std::uint64_t> expected_version{};  ///< Version the person decided on.
    EnvelopePtr reply{};       ///< The answer as a message, if the task came by message.
    std::uint64_t tokens = 0;  ///< Token budget granted, where the existing budget was too small.
};

/// People were notified of an open human task.
struct NotePeopleTold {
    Ticket id;
    Sequence news;  ///< The news of NotifyPeople.
};

/// Time passes. The engine decides Tick until no event follows.
struct Tick {
    InstanceNumber silent{};  ///< An instance silent for too long. 0: look for other due work.
};

/// Changes a workflow's context; the first write creates the context. JSON fields are strict.
struct WriteContext {
    std::string workflow;
    AgentId agent{};                         ///< The writer; empty: an operator, as itself.
    std::optional<std::uint64_t> version{};  ///< Expected version of the context; empty: any.
    std::string status{};                    ///< Empty: unchanged.
    AgentId owner{};                         ///< From an operator: the agent whose turn is next.
    std::string entities{};                  ///< A merge patch, by entity name; empty: unchanged.
    std::vector<std::string> history{};      ///< Entries to append.
    std::vector<std::string> artifacts{};    ///< Entries to append.
    bool changes_history = false;            ///< The caller tries to alter an existing entry.
};

/// Gives a context to a new agent, with a request that carries the context.
struct HandOffContext {
    std::string workflow;
    std::uint64_t version = 0;  ///< Of the context in the request.
    SendMessage request;
    EnvelopePtr done;  ///< The answer, where the recipient accepts automatically.
};

enum class StateOperation : std::uint8_t { Create, Update, Delete };

/// A task of the shared state, whole.
struct WriteTask {
    StateOperation operation = StateOperation::Create;
    std::string id;
    std::uint64_t version = 0;  ///< Expected version of the task.
    std::string document{};     ///< JSON.
    std::string agent{};        ///< The assignee; empty: nobody.
    std::string user{};         ///< The owner; empty: no user.
};

/// How much of a resource an agent may use. Amounts are millionths.
struct Allocation {
    std::string agent;
    std::string resource;
    std::uint64_t allocated = 0;
    std::uint64_t consumed = 0;
    std::uint64_t limit = 0;
    Time expires_at{};  ///< 0: never.
    bool operator==(const Allocation&) const = default;
};

struct WriteAllocation {
    StateOperation operation = StateOperation::Create;
    std::string id;
    std::uint64_t version = 0;
    Allocation allocation{};
};

/// Begins or changes a session. An empty field leaves the value unchanged.
struct WriteSession {
    std::string id;
    std::string user{};
    std::string parent{};
    std::string history{};      ///< Where the conversation is kept.
    std::string workflow{};     ///< JSON: progress of the work.
    std::string agent{};        ///< The agent that reports `agent_state`.
    std::string agent_state{};  ///< JSON.
};

/// A statement by a user, or a finding or decision about a user.
struct Fact {
    std::string kind;
    std::string about;
    std::string value;     ///< JSON.
    std::string agent{};   ///< The agent that reports the fact.
    std::string source{};  ///< Id of the message with the fact.
};

struct AddFacts {
    std::string session;
    std::vector<Fact> facts;
};

/// An analysis as presented to the user, kept to be presented again.
struct KeepAnalysis {
    std::string session;
    std::string key;  ///< Of the request and its inputs.
    std::string capability;
    std::string result;  ///< JSON.
    std::string agent{};
};

using Command = std::variant<StartHub,
                             RegisterAgent,
                             RemoveAgent,
                             JoinInstance,
                             LeaveInstance,
                             GrantCredit,
                             Heartbeat,
                             Subscribe,
                             Unsubscribe,
                             SendMessage,
                             StopWaiting,
                             TakeMessages,
                             AckDelivery,
                             NackDelivery,
                             ExtendLease,
                             ReportProgress,
                             ReplyToDelivery,
                             RefuseReply,
                             RedeliverDeadLetter,
                             DiscardDeadLetter,
                             RecordRefusal,
                             ChangePolicy,
                             StopFleet,
                             ResumeFleet,
                             CancelRequest,
                             AuthorizeTool,
                             Tick,
                             StartWorkflow,
                             OpenHumanTask,
                             AnswerHumanTask,
                             NotePeopleTold,
                             WriteContext,
                             HandOffContext,
                             WriteTask,
                             WriteAllocation,
                             WriteSession,
                             AddFacts,
                             KeepAnalysis>;

/// Where the direct answer to a command goes. Opaque to the core.
using ReplyTarget = Strong<struct ReplyTargetTag, std::uint64_t>;

/// A command with its caller and time: stamped by the hub, never read off the wire.
struct Stamped {
    Command command;
    std::shared_ptr<const Caller> caller;  ///< Null: the hub itself.
    Time now{};
    std::uint64_t entropy = 0;  ///< Fresh random bits for this command.
    ReplyTarget reply_target{};
};

}  // namespace parlance
