// Facts the hub has recorded. The journal is a sequence of events and the state is their sum.
//
// An event is named in the past tense, complete without looking anything up, and never changed once
// released. A new need is a new event, or a new field with a default. The time of an event is the
// time of its record: all events of one turn share it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "model/command.h"
#include "model/envelope.h"
#include "model/handing.h"
#include "model/human_task.h"
#include "model/ids.h"
#include "model/message.h"
#include "model/plan.h"
#include "model/profile.h"
#include "model/refusal.h"

namespace parlance {

struct HubFounded {
    std::string hub_id;
    std::uint64_t hash_key_0 = 0;
    std::uint64_t hash_key_1 = 0;
};

/// A process began to serve. The connections of the previous process are gone.
struct HubStarted {
    std::string version;
    Epoch epoch{};  ///< Of this run; 0 in records older than epochs.
};

struct AgentRegistered {
    AgentId agent;
    Profile profile;
    bool binds_tools = false;  ///< An operator chose the tools: the agent itself cannot add any.
};

struct AgentRemoved {
    AgentId agent;
};

struct InstanceJoined {
    InstanceNumber instance;
    AgentId agent;
    std::string name;
    InstanceKind kind = InstanceKind::Socket;
    std::uint32_t credit = 0;
};

struct InstanceLeft {
    InstanceNumber instance;
    std::string reason;
};

struct InstanceSeen {
    InstanceNumber instance;
    /// No sign of life: the instance polls, and its lease outlasts the permitted silence.
    bool is_excused = false;
};

struct CreditGranted {
    InstanceNumber instance;
    std::uint32_t credit = 0;
};

struct Subscribed {
    AgentId agent;
    TopicName topic;
};

struct Unsubscribed {
    AgentId agent;
    TopicName topic;
};

/// The hub is responsible for a message from here on. A message to a topic becomes one copy per
/// subscriber, with consecutive tickets in the order of the subscribers' names. Copies without room
/// are settled by the events that follow.
struct MessageAccepted {
    Ticket ticket;
    EnvelopePtr envelope;
    Priority priority = Priority::Normal;
    Time expires_at{};  ///< Zero: never.
    Time deadline{};    ///< Request only: when the answer is due.
    std::uint32_t retry_count_max = 0;
    std::uint64_t fingerprint = 0;
    bool waits = false;
    std::uint32_t missed_count = 0;  ///< Copies for subscribers without room.
    bool is_held = false;  ///< Request only: waits for a person's approval, in no mailbox.
};

struct MessageRefused {
    std::string from;
    std::string id;
    Refusal refusal = Refusal::None;
    std::string detail;
    // For a refused delegation, as the request claims:
    std::string to{};
    std::string user{};
    std::string objective{};
    std::uint64_t retry_after_ms = 0;  ///< Wait before a retry can succeed; 0: unknown.
};

/// A known id came again with the same content: the hub repeats the first outcome.
struct DuplicateReceived {
    std::string from;
    std::string id;
    Sequence first;      ///< Where the first message was accepted.
    Ticket ticket;       ///< Of the first message.
    Sequence answer;     ///< Where the first message's answer was recorded, if answered.
    bool waits = false;  ///< The requester holds the line, and the request is still open.
};

/// A copy was handed to an instance. The record is durable before the copy is sent.
struct LeaseGranted {
    Ticket ticket;
    InstanceNumber instance;
    std::uint32_t attempt = 0;
    Time until{};
};

struct LeaseExtended {
    Ticket ticket;
    Time until{};
};

/// Progress of a delivery, or a part of the answer ahead of the whole.
struct ProgressReported {
    Ticket ticket;
    Time until{};
    std::string note;
    std::uint64_t number = 0;   ///< Request only: number of the part in the stream, from 1.
    std::uint32_t attempt = 0;  ///< Of the delivery that reported the progress.
};

struct DeliveryAcknowledged {
    Ticket ticket;
    std::uint32_t attempt = 0;
};

/// A delivery came back unsettled and will be tried again, not before `retry_at`.
struct DeliveryReturned {
    Ticket ticket;
    std::uint32_t attempt = 0;
    DeliveryFailure failure = DeliveryFailure::Nacked;
    Time retry_at{};
    std::string reason;
    bool is_unanswered = false;  ///< The message was posted to an endpoint, and no response came.
};

/// The wait before a retry is over: the message is at the head of its mailbox again.
struct RetryBegan {
    Ticket ticket;
};

/// The single delivery of an at-most-once message failed: the message is dropped, on record.
struct MessageDropped {
    Ticket ticket;
    DeliveryFailure failure = DeliveryFailure::Nacked;
    std::string reason;
    bool is_unanswered = false;  ///< As in DeliveryReturned.
};

/// A message's ttl passed while the message waited.
struct MessageExpired {
    Ticket ticket;
};

struct MessageDeadLettered {
    Ticket ticket;
    DeliveryFailure failure = DeliveryFailure::RetriesExhausted;
    std::string reason;
    bool is_unanswered = false;  ///< As in DeliveryReturned.
};

/// A dead letter is back in its former mailbox, with a fresh count of retries.
struct DeadLetterRedelivered {
    Ticket ticket;
    std::string by;
};

struct DeadLetterDiscarded {
    Ticket ticket;
    std::string by;
    std::string reason;
};

/// A settlement without effect: the delivery is settled already, or held by a different instance.
struct SettlementRefused {
    DeliveryToken delivery;
    std::string by;
    Refusal refusal = Refusal::DeliveryStale;
};

/// The only answer to a request. Also settles the delivery, if still open.
struct RequestAnswered {
    Ticket request;
    EnvelopePtr envelope;
    Ticket ticket;  ///< The answer's copy in the requester's mailbox; 0 if the requester holds the
                    ///< line.
    std::uint64_t tokens_used = 0;       ///< As the agent reports.
    bool falls_short = false;            ///< The answer says: not done, or done only in part.
    AnswerKind kind = AnswerKind::Done;  ///< What the answer says about its agent.
};

/// An answer cites another user's sources: no facts are learnt from the answer, nor from answers
/// built on it.
struct FactsWithheld {
    Ticket request;
    std::string by;
    std::string owner;
};

/// The hub answers a request because the target did not.
struct RequestFailed {
    Ticket request;
    Refusal refusal = Refusal::RequestTimedOut;
    std::string detail;
    Ticket ticket;  ///< As in RequestAnswered.
};

/// A reply that came too late, twice, or from the wrong agent: recorded, never shown.
struct ReplyDropped {
    std::string from;
    std::string id;
    Ticket request;
    Refusal refusal = Refusal::RequestAlreadyAnswered;
};

struct WaitEnded {
    Ticket request;
};

/// The first delegation out of a request: the request becomes the root of a tree.
struct DelegationFounded {
    Ticket request;
    std::string user;
    std::uint32_t depth_max = 0;
    std::uint64_t tokens = 0;  ///< Budget of the whole tree; 0: no limit.
    std::uint64_t cost = 0;
    std::string id{};  ///< The id of the request.
    // The request's objective, as in DelegationAdmitted. Empty in older records.
    std::string objective_hash{};
    std::string words_hash{};
};

/// The request accepted just before is a delegation, at this position in the tree.
struct DelegationAdmitted {
    Ticket request;
    Ticket parent;  ///< 0: delegated out of a session known only by its id.
    Ticket root;    ///< The request itself if first in its tree.
    std::string user;
    std::string session;        ///< The requester's.
    std::string child_session;  ///< The target's.
    std::string objective;
    std::string objective_hash;  ///< SHA-256 of the folded objective.
    std::uint32_t depth = 0;
    std::uint32_t depth_max = 0;
    std::uint64_t tokens = 0;  ///< Reserved for the delegation and all delegations below.
    std::uint64_t cost = 0;    ///< Reserved, in millionths of the currency.
    std::vector<std::string> tools;
    bool limits_tools = false;
    std::uint64_t root_tokens = 0;  ///< New tree only: budget of the whole tree; 0: no limit.
    std::uint64_t root_cost = 0;
    bool is_granted = false;  ///< A person granted a separate budget: no other budget is charged.
    /// SHA-256 of the folded words alone, where the objective consists of more than words.
    std::string words_hash{};
};

/// The tree has ended: no answer is due in it, and equal objectives may be delegated anew.
struct DelegationTreeEnded {
    Ticket root;
};

/// The policy in force from the next command on.
struct PolicyChanged {
    std::uint64_t version = 0;
    std::string settings;
    std::string by;
    std::string reason;
};

struct FleetStopped {
    std::string by;
    std::string reason;
    bool cancels = false;
};

struct FleetResumed {
    std::string by;
    std::string reason;
};

/// An operator or requester cancelled a request. The outcome of the request and of its delivery
/// follows on record.
struct RequestCancelled {
    Ticket request;
    std::string by;
    std::string reason;
    InstanceNumber instance{};  ///< The instance at work on the request; 0: none yet.
    std::uint32_t attempt = 0;
};

struct ToolAuthorized {
    std::string agent;
    std::string tool;
    std::string by;
};

struct ToolRefused {
    std::string agent;
    std::string tool;
    std::string by;
    Refusal refusal = Refusal::ToolNotAllowed;
    std::string detail;
};

/// The agent failed too often: no deliveries to the agent until `until`.
struct BreakerOpened {
    AgentId agent;
    Time until{};
    std::uint64_t failures = 0;
};

/// The breaker's time is over: one delivery at a time is let through as a probe.
struct BreakerProbed {
    AgentId agent;
};

struct BreakerClosed {
    AgentId agent;
};

/// A workflow begins. The sequence of this record is the run's number.
struct WorkflowStarted {
    std::string id;
    std::string plan_hash;
    std::string plan;  ///< Text of the plan; empty if the hub knows the plan by its hash.
    std::string input;
    std::string request;
    std::string constraints;
    std::string correlation;
    std::string user;
    std::string session;
    std::string by;
    Time deadline{};
    std::uint64_t fingerprint = 0;
    Ticket parent{};           ///< Request the starter works on; its limits hold for the whole run.
    bool is_by_agent = false;  ///< Then the start counts towards the agent's message rate.
};

/// A step that runs once per element of a list begins with `count` elements.
struct StepOpened {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t count = 0;
};

/// The request recorded just before belongs to a step.
struct StepBegan {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
    std::uint32_t attempt = 0;
    StepPath path = StepPath::Planned;
    Ticket request;
};

/// An attempt of a step failed; the next attempt begins at `until` or later.
struct StepDelayed {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
    StepPath path = StepPath::Planned;  ///< Path of the next attempt.
    std::uint32_t attempt = 0;          ///< Attempts on the path so far.
    Time until{};
    std::string code;
    std::string detail;
    std::string strategy;  ///< The capability for the next attempt, if an agent named one.
};

/// One item of a step has ended. Its output is in the answer at `output_at`, or in `output`.
struct StepEnded {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
    StepEnd end = StepEnd::Done;
    bool is_partial = false;
    std::uint32_t confidence = kNoConfidence;  ///< In thousandths.
    std::uint32_t output_at = 0;
    std::uint32_t output_size = 0;
    std::string output;
    std::string code;
    std::string detail;
};

/// A workflow was cancelled: completed steps are being compensated.
struct WorkflowUndone {
    Ticket run;
    std::string by;
    std::string reason;
};

/// A person decides how a step goes on. An answer to decide about is referenced here.
struct StepAsked {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
    Ticket human_task;
    std::uint32_t confidence = kNoConfidence;
    std::uint32_t output_at = 0;
    std::uint32_t output_size = 0;
    std::string code;
    std::string detail;
};

/// A workflow is over and leaves the state; the report remains.
struct WorkflowEnded {
    Ticket run;
    std::string id;
    WorkflowEnd end = WorkflowEnd::Completed;
    std::string reason;
    std::string report;
};
/// A human task is open. Fields the requester left out are filled in from the role's rules.
struct HumanAsked {
    Ticket id;
    Ticket request{};  ///< The message that opened the task; 0: no message.
    std::string workflow{};
    std::string step{};
    std::string role{};
    HumanKind kind = HumanKind::Answer;
    std::string question{};
    std::string context{};
    std::vector<std::string> options{};
    std::string asked_by{};
    std::string user{};
    std::uint64_t deadline_ms = 0;
    std::uint64_t reminder_ms = 0;  ///< 0: no reminder.
    std::string escalation{};
    IfNobody if_nobody = IfNobody::Fail;
    std::uint32_t approvals_needed = 1;
    std::uint64_t state_version = 0;
    bool is_by_agent = false;  ///< Without a message: counts towards the message rate.
};

/// Reminder of an unanswered human task. If overdue, the deadline starts anew.
struct HumanReminded {
    Ticket id;
    bool is_overdue = false;
};

/// The deadline passed; the task goes to a further role with a new deadline.
struct HumanEscalated {
    Ticket id;
    std::string role;
};

/// People were notified of a human task by mail or in Slack.
struct HumanNotified {
    Ticket id;
};

struct HumanAnswered {
    Ticket id;
    std::string by;
    HumanDecision decision = HumanDecision::Approve;
    std::string reason{};
    std::string content{};            ///< JSON.
    std::uint64_t state_version = 0;  ///< The version the answer was given for.
    bool awaits_another = false;      ///< A second person has to approve as well.
    std::uint64_t tokens = 0;  ///< Token budget granted, where the existing budget was too small.
};

/// Nobody answered in time; `follows` is the consequence.
struct HumanLapsed {
    Ticket id;
    IfNobody follows = IfNobody::Fail;
};

/// A human task is withdrawn: the workflow or request behind the task has ended.
struct HumanWithdrawn {
    Ticket id;
    std::string by;  ///< Empty: the hub itself.
    std::string reason;
};

struct ContextWritten {
    std::string workflow;
    std::uint64_t version = 0;
    std::string owner;  ///< The agent whose turn it is.
    std::string status;
    std::string entities;  ///< A merge patch, by entity name.
    std::string domain;    ///< Of new entities.
    std::vector<std::string> history;
    std::vector<std::string> artifacts;
    std::string by;
};

/// A context is read-only until the request that carries the context ends.
struct ContextLocked {
    std::string workflow;
    Ticket request;
    std::string to;
    EnvelopePtr done;
};

struct HandoffEnded {
    std::string workflow;
    std::uint64_t version = 0;
    std::string owner;  ///< The agent whose turn it is.
    bool is_taken = false;
};

struct TaskWritten {
    std::string id;
    std::uint64_t version = 0;
    std::string document;
    std::string agent;
    std::string user;
    std::string by;
};

struct TaskDeleted {
    std::string id;
    std::uint64_t version = 0;
    std::string by;
};

struct AllocationWritten {
    std::string id;
    std::uint64_t version = 0;
    Allocation allocation;
    std::string by;
};

struct AllocationEnded {
    std::string id;
    std::uint64_t version = 0;
    std::string by;
    bool is_expired = false;
};

/// As WriteSession: an empty field leaves the value unchanged.
struct SessionWritten {
    std::string id;
    std::string user;
    std::string parent;
    std::string history;
    std::string workflow;
    std::string agent;
    std::string agent_state;
    std::string by;
};

struct FactLearnt {
    std::string user;
    std::string session;  ///< Empty: any session of the user.
    std::string kind;
    std::string about;
    std::string value;
    std::string agent;
    std::string source;
};

struct AnalysisKept {
    std::string session;
    std::string key;
    std::string capability;
    std::string result;
    std::string agent;
};

/// A copy moves to a new recipient; a request is then the new recipient's to answer.
struct MessageMoved {
    Ticket ticket;
    EnvelopePtr envelope;  ///< As the new recipient gets the message.
    Priority priority = Priority::High;
    bool is_priced = false;  ///< By the new recipient's price; else the cost is unchanged.
    std::uint64_t cost = 0;  ///< Reserved from here on, in millionths of the currency.
};

/// The request accepted just before is passed on to the next agent if declined.
struct PassingBegan {
    Ticket request;
    Ticket task;           ///< The request handed over with this request; 0: a request for help.
    std::string wanted;    ///< As in Passing.
    std::string fallback;  ///< As in Passing.
    std::vector<std::string> skills;
    Time patience{};  ///< When the hub stops waiting for the first recipient; 0: at the deadline.
};

/// A recipient declined or did not answer. The next recipient follows on record.
struct PassingRefused {
    Ticket request;
    std::string by;
    EnvelopePtr reply;  ///< Null: no reply came.
    std::string detail;
    AnswerKind kind = AnswerKind::Declined;  ///< What the reply says about the agent.
};

/// The request accepted just before goes to several agents.
struct CallOpened {
    Ticket request;
    CallKind kind = CallKind::Earliest;
    std::vector<std::string> agents;
    std::string capability;
    Time until{};            ///< When the answers received so far must do.
    std::string by{};        ///< The originator, who may not approve the requests.
    Ticket parent{};         ///< Parent delegation; 0: none.
    bool is_placed = false;  ///< `parent` was resolved; else resolved per request.
};

/// One agent of a call was sent the request, or could not be.
struct CallAsked {
    Ticket call;
    std::uint32_t place = 0;
    Ticket request;  ///< 0: not sent; `code` says why.
    std::string code;
    std::string detail;
};

struct CallEnded {
    Ticket call;
    std::string chosen;  ///< Empty: no agent, or all.
    std::string detail;
};

/// A requester saved its working state; the state comes back with the answer to this request.
struct StatePushed {
    Ticket request;
    std::string state;  ///< JSON.
};

/// The request accepted just before waits for a person's approval, because of this refusal. The
/// claims are kept here and checked against the limits again after the decision.
struct RequestHeld {
    Ticket request;
    Refusal refusal = Refusal::None;
    std::string detail;
    std::uint64_t timeout_ms = 0;  ///< Time for the answer after release.
    Time expires_at{};             ///< 0: never.
    std::uint32_t retry_count_max = 0;
    std::string user{};
    std::string session{};
    std::string child_session{};
    std::string capability{};
    std::string objective{};
    std::string objective_hash{};
    std::uint32_t depth = 0;
    std::uint32_t depth_max = 0;
    std::uint64_t tokens_max = 0;
    std::uint64_t tokens_estimated = 0;
    std::vector<std::string> tools{};
    bool has_session = false;
    Ticket parent{};  ///< Parent delegation; 0: begins a tree.
};

/// A person approved a held request, and the request goes to its recipient.
struct RequestReleased {
    Ticket request;
    std::string by;
    Time deadline{};
    Time expires_at{};
    std::uint64_t tokens = 0;  ///< Token budget granted by the person; 0: as the budgets allow.
    EnvelopePtr envelope{};    ///< As the recipient gets the request; null: unchanged.
};

using Event = std::variant<HubFounded,
                           HubStarted,
                           AgentRegistered,
                           AgentRemoved,
                           InstanceJoined,
                           InstanceLeft,
                           InstanceSeen,
                           CreditGranted,
                           Subscribed,
                           Unsubscribed,
                           MessageAccepted,
                           MessageRefused,
                           DuplicateReceived,
                           LeaseGranted,
                           LeaseExtended,
                           ProgressReported,
                           DeliveryAcknowledged,
                           DeliveryReturned,
                           RetryBegan,
                           MessageDropped,
                           MessageExpired,
                           MessageDeadLettered,
                           DeadLetterRedelivered,
                           DeadLetterDiscarded,
                           SettlementRefused,
                           RequestAnswered,
                           RequestFailed,
                           ReplyDropped,
                           WaitEnded,
                           DelegationFounded,
                           DelegationAdmitted,
                           DelegationTreeEnded,
                           PolicyChanged,
                           FleetStopped,
                           FleetResumed,
                           RequestCancelled,
                           ToolAuthorized,
                           ToolRefused,
                           BreakerOpened,
                           BreakerProbed,
                           BreakerClosed,
                           WorkflowStarted,
                           StepOpened,
                           StepBegan,
                           StepDelayed,
                           StepEnded,
                           WorkflowUndone,
                           WorkflowEnded,
                           StepAsked,
                           HumanAsked,
                           HumanReminded,
                           HumanEscalated,
                           HumanAnswered,
                           HumanLapsed,
                           HumanWithdrawn,
                           ContextWritten,
                           ContextLocked,
                           HandoffEnded,
                           TaskWritten,
                           TaskDeleted,
                           AllocationWritten,
                           AllocationEnded,
                           SessionWritten,
                           FactLearnt,
                           AnalysisKept,
                           MessageMoved,
                           PassingBegan,
                           PassingRefused,
                           CallOpened,
                           CallAsked,
                           CallEnded,
                           StatePushed,
                           RequestHeld,
                           RequestReleased,
                           HumanNotified,
                           FactsWithheld>;
using Events = std::vector<Event>;
/// Shared pointer: copying an event generates much code at every place of use.
using EventPtr = std::shared_ptr<const Event>;

}  // namespace parlance
