// What has happened. The journal is a sequence of these and the state is their sum.
//
// An event is a fact: named in the past tense, complete without looking anything up, and never
// changed once released. A new need is a new event, or a new field with a default.
// When it happened is the record's time, not the event's: all of one turn share it.
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
#include "model/ids.h"
#include "model/message.h"
#include "model/person.h"
#include "model/plan.h"
#include "model/profile.h"
#include "model/refusal.h"

namespace parlance {

struct HubFounded {
    std::string hub_id;
    std::uint64_t hash_key_0 = 0;
    std::uint64_t hash_key_1 = 0;
};

/// A process began to serve. Connections of the one before it are gone.
struct HubStarted {
    std::string version;
    Epoch epoch{};  ///< Of this run; none in records from before there were epochs.
};

struct AgentRegistered {
    AgentId agent;
    Profile profile;
    bool binds_tools = false;  ///< An operator said which tools: the agent itself adds none.
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
    /// Nothing was heard of it: it polls, and has a lease for longer than it may be silent.
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

/// A message is the hub's responsibility from here on. To a topic: one copy per subscriber, with
/// consecutive tickets in the subscribers' order of name. For some there may be no room; what
/// becomes of each of those copies is on record next.
struct MessageAccepted {
    Ticket ticket;
    EnvelopePtr envelope;
    Priority priority = Priority::Normal;
    Time expires_at{};  ///< Zero: never.
    Time deadline{};    ///< Request only: when the answer is due.
    std::uint32_t retry_count_max = 0;
    std::uint64_t fingerprint = 0;
    bool waits = false;
    std::uint32_t missed_count = 0;  ///< How many copies there was no room for.
    bool is_held = false;            ///< Request only: it waits for a person, in no mailbox.
};

struct MessageRefused {
    std::string from;
    std::string id;
    Refusal refusal = Refusal::None;
    std::string detail;
    // Of a request that is a delegation, as it claims to be one:
    std::string to{};
    std::string user{};
    std::string objective{};
    std::uint64_t retry_after_ms = 0;  ///< When the same would be taken, where the hub knows.
};

/// The same id with the same content came again: its first outcome is told again.
struct DuplicateReceived {
    std::string from;
    std::string id;
    Sequence first;      ///< Where the first one was accepted.
    Ticket ticket;       ///< Of the first one.
    Sequence answer;     ///< Where its answer was recorded, if it has one.
    bool waits = false;  ///< The asker holds the line, and the request is still open.
};

/// A copy was handed to an instance. Durable before it is sent.
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

/// How far the work is, or a part of its answer ahead of the whole.
struct ProgressReported {
    Ticket ticket;
    Time until{};
    std::string note;
    std::uint64_t number = 0;   ///< Of a request: which part of its stream this is, from 1.
    std::uint32_t attempt = 0;  ///< Of the delivery that brought it.
};

struct DeliveryAcknowledged {
    Ticket ticket;
    std::uint32_t attempt = 0;
};

/// A delivery came back unsettled and will be tried again, not before `retry_at`.
struct DeliveryReturned {
    Ticket ticket;
    std::uint32_t attempt = 0;
    Setback setback = Setback::Nacked;
    Time retry_at{};
    std::string reason;
    bool is_unanswered = false;  ///< It was posted to an endpoint, and nothing came back.
};

/// Its wait after a setback is over: it stands at the head of its mailbox again.
struct RetryBegan {
    Ticket ticket;
};

/// At-most-once, and its one hand-over came to nothing: given up, on record.
struct MessageDropped {
    Ticket ticket;
    Setback setback = Setback::Nacked;
    std::string reason;
    bool is_unanswered = false;  ///< As DeliveryReturned has it.
};

/// Its ttl passed while it waited.
struct MessageExpired {
    Ticket ticket;
};

struct MessageDeadLettered {
    Ticket ticket;
    Setback setback = Setback::RetriesExhausted;
    std::string reason;
    bool is_unanswered = false;  ///< As DeliveryReturned has it.
};

/// Back into the mailbox it came from, with all its tries again.
struct DeadLetterRedelivered {
    Ticket ticket;
    std::string by;
};

struct DeadLetterDiscarded {
    Ticket ticket;
    std::string by;
    std::string reason;
};

/// A settlement that changes nothing: its delivery is settled, or is another instance's now.
struct SettlementRefused {
    DeliveryToken delivery;
    std::string by;
    Refusal refusal = Refusal::DeliveryStale;
};

/// The one answer to a request. It also settles the delivery, if that is still open.
struct RequestAnswered {
    Ticket request;
    EnvelopePtr envelope;
    Ticket ticket;  ///< The answer's copy in the requester's mailbox; none if the asker waits.
    std::uint64_t tokens_used = 0;  ///< As the agent reports it.
    bool falls_short = false;       ///< It says that what was asked is not done, or not wholly.
    AnswerKind kind = AnswerKind::Done;  ///< What it tells of its agent.
};

/// An answer says that it used what is another user's: nothing is learnt from it, nor from the
/// answers that are made of it.
struct FactsWithheld {
    Ticket request;
    std::string by;
    std::string owner;
};

/// The hub answers for a target that did not.
struct RequestFailed {
    Ticket request;
    Refusal refusal = Refusal::RequestTimedOut;
    std::string detail;
    Ticket ticket;  ///< As above.
};

/// A reply that came too late, twice, or from the wrong agent: on record and never shown.
struct ReplyDropped {
    std::string from;
    std::string id;
    Ticket request;
    Refusal refusal = Refusal::RequestAlreadyAnswered;
};

struct WaitEnded {
    Ticket request;
};

/// A request out of which something is delegated for the first time: the root of a tree from here.
struct DelegationFounded {
    Ticket request;
    std::string user;
    std::uint32_t depth_max = 0;
    std::uint64_t tokens = 0;  ///< What the whole tree may spend; 0: no limit.
    std::uint64_t cost = 0;
    std::string id{};  ///< The request's own.
    // What it is about, as DelegationAdmitted has it. Empty in records from before it was kept.
    std::string objective_hash{};
    std::string words_hash{};
};

/// The request that was accepted just before is a delegation, and this is its place in the tree.
struct DelegationAdmitted {
    Ticket request;
    Ticket parent;  ///< None: it comes out of a session that the hub knows only by its id.
    Ticket root;    ///< The request itself if it is the first of its tree.
    std::string user;
    std::string session;        ///< The asker's.
    std::string child_session;  ///< The target's.
    std::string objective;
    std::string objective_hash;  ///< SHA-256 of the folded objective.
    std::uint32_t depth = 0;
    std::uint32_t depth_max = 0;
    std::uint64_t tokens = 0;  ///< Set aside for it and all that it delegates.
    std::uint64_t cost = 0;    ///< Set aside for it, in millionths of the currency.
    std::vector<std::string> tools;
    bool limits_tools = false;
    std::uint64_t root_tokens = 0;  ///< Of a new tree: what all of it may spend; 0: no limit.
    std::uint64_t root_cost = 0;
    bool is_granted = false;  ///< A person gave it a purse of its own: it draws on no other.
    /// SHA-256 of the folded words alone, where the objective has more in it than words.
    std::string words_hash{};
};

/// Nothing of this tree can come back; its errands may be given anew.
struct DelegationTreeEnded {
    Ticket root;
};

/// From the next command on this is permitted, and nothing else.
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

/// What becomes of the request and of its delivery is on record next.
struct RequestCancelled {
    Ticket request;
    std::string by;
    std::string reason;
    InstanceNumber instance{};  ///< Who is at work on it; none: nobody yet.
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

/// The agent failed too often: nothing is handed to it until then.
struct BreakerOpened {
    AgentId agent;
    Time until{};
    std::uint64_t failures = 0;
};

/// The time is over: one delivery at a time is let through to see.
struct BreakerProbed {
    AgentId agent;
};

struct BreakerClosed {
    AgentId agent;
};

/// A workflow runs from here on. Its number is this record's.
struct WorkflowStarted {
    std::string id;
    std::string plan_hash;
    std::string plan;  ///< Its text, where the hub does not have it in mind.
    std::string input;
    std::string request;
    std::string constraints;
    std::string correlation;
    std::string user;
    std::string session;
    std::string by;
    Time deadline{};
    std::uint64_t fingerprint = 0;
    Ticket parent{};  ///< The request that its starter works on, whose limits hold for all of it.
    bool is_by_agent = false;  ///< Then it counts towards what that agent may send.
};

/// A step that runs for each element of a list begins, and there are so many.
struct StepOpened {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t count = 0;
};

/// The request that is on record before this is a step's.
struct StepBegan {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
    std::uint32_t attempt = 0;
    Road road = Road::Planned;
    Ticket request;
};

/// It did not work out, and is tried again not before then.
struct StepDelayed {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
    Road road = Road::Planned;  ///< By which way it will be tried.
    std::uint32_t attempt = 0;  ///< Tries on that way so far.
    Time until{};
    std::string code;
    std::string detail;
    std::string strategy;  ///< The capability that it will be tried with, where an agent named it.
};

/// One run of a step has come to its end. What it brought stands in the answer, at this place, or
/// is said here.
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

/// Nobody wants it any more: what was done is being taken back.
struct WorkflowUndone {
    Ticket run;
    std::string by;
    std::string reason;
};

/// A person decides how the step goes on. If there is an answer to decide about, it stands here.
struct StepAsked {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
    Ticket appeal;
    std::uint32_t confidence = kNoConfidence;
    std::uint32_t output_at = 0;
    std::uint32_t output_size = 0;
    std::string code;
    std::string detail;
};

/// It leaves the hub's mind; the report is what there is to say of it.
struct WorkflowEnded {
    Ticket run;
    std::string id;
    WorkflowEnd end = WorkflowEnd::Completed;
    std::string reason;
    std::string report;
};
/// A question waits for a person from here on. Whatever the asker left out is filled in.
struct HumanAsked {
    Ticket id;
    Ticket request{};  ///< The message by which it was asked; none: it was no message.
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
    std::uint64_t reminder_ms = 0;  ///< 0: none.
    std::string escalation{};
    IfNobody if_nobody = IfNobody::Fail;
    std::uint32_t approvals_needed = 1;
    std::uint64_t state_version = 0;
    bool is_by_agent = false;  ///< And by no message: it counts towards what that agent may send.
};

/// Nobody has answered yet. If its time is over, it has as much again.
struct HumanReminded {
    Ticket id;
    bool is_overdue = false;
};

/// The time is over, and another role has as much again.
struct HumanEscalated {
    Ticket id;
    std::string role;
};

/// Whoever is asked has been told of it, by mail or in Slack.
struct HumanNotified {
    Ticket id;
};

struct HumanAnswered {
    Ticket id;
    std::string by;
    HumanDecision decision = HumanDecision::Approve;
    std::string reason{};
    std::string content{};            ///< JSON.
    std::uint64_t state_version = 0;  ///< Of what it was given for.
    bool awaits_another = false;      ///< A second person has to approve as well.
    std::uint64_t tokens = 0;         ///< What it may spend, of what a purse had too little for.
};

/// Nobody answered in time; this is what follows.
struct HumanLapsed {
    Ticket id;
    IfNobody follows = IfNobody::Fail;
};

/// What it belonged to has ended; nobody needs the answer.
struct HumanWithdrawn {
    Ticket id;
    std::string by;  ///< Empty: by the hub itself.
    std::string reason;
};

struct ContextWritten {
    std::string workflow;
    std::uint64_t version = 0;
    std::string owner;  ///< Whose turn it is.
    std::string status;
    std::string entities;  ///< A merge patch, by name.
    std::string domain;    ///< Of those that are new.
    std::vector<std::string> history;
    std::vector<std::string> artifacts;
    std::string by;
};

/// Nobody writes until the request that carries the context has its end.
struct ContextLocked {
    std::string workflow;
    Ticket request;
    std::string to;
    EnvelopePtr done;
};

struct HandoffEnded {
    std::string workflow;
    std::uint64_t version = 0;
    std::string owner;  ///< Whose turn it is.
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

/// As WriteSession: what is empty is as it was.
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
    std::string session;  ///< Empty: whatever session of the user.
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

/// A copy is for another agent from here on; a request is that one's to answer.
struct MessageMoved {
    Ticket ticket;
    EnvelopePtr envelope;  ///< As its new recipient gets it.
    Priority priority = Priority::High;
    bool is_priced = false;  ///< By its new recipient's price; else its cost is what it was.
    std::uint64_t cost = 0;  ///< Set aside for it from here on, in millionths of the currency.
};

/// The request that was accepted just before goes on to somebody else if it is refused.
struct PassingBegan {
    Ticket request;
    Ticket task;           ///< The request that changes hands with it; none: it asks for help.
    std::string wanted;    ///< As Passing has it.
    std::string fallback;  ///< The same.
    std::vector<std::string> skills;
    Time patience{};  ///< Until when the first is waited for; zero: to its end.
};

/// Whoever had the request said no, or nothing. Who has it next is on record next.
struct PassingRefused {
    Ticket request;
    std::string by;
    EnvelopePtr reply;  ///< None: it gave none.
    std::string detail;
    AnswerKind kind = AnswerKind::Declined;  ///< What it tells of who had it.
};

/// Several are asked for the request that was accepted just before.
struct CallOpened {
    Ticket request;
    CallKind kind = CallKind::Earliest;
    std::vector<std::string> agents;
    std::string capability;
    Time until{};            ///< When what has come by then must do.
    std::string by{};        ///< On whose word, so that they do not approve it.
    Ticket parent{};         ///< Out of which it is asked; none: out of no other.
    bool is_placed = false;  ///< That was found; else, in what was opened before, each one's is.
};

/// One of those has been asked, or could not be.
struct CallAsked {
    Ticket call;
    std::uint32_t place = 0;
    Ticket request;  ///< None: it could not be, and why.
    std::string code;
    std::string detail;
};

struct CallEnded {
    Ticket call;
    std::string chosen;  ///< Empty: nobody, or all.
    std::string detail;
};

/// Who asks has laid down what it was at; it comes back with the answer to this request.
struct StatePushed {
    Ticket request;
    std::string state;  ///< JSON.
};

/// The request that was accepted just before is asked of people first, under this refusal. What it
/// claims stands here, to be held against the limits again when they have decided.
struct RequestHeld {
    Ticket request;
    Refusal refusal = Refusal::None;
    std::string detail;
    std::uint64_t timeout_ms = 0;  ///< How long its answer may take, once it is let through.
    Time expires_at{};             ///< Zero: never.
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
    Ticket parent{};  ///< Out of which it is delegated; none: it begins a tree.
};

/// A person let it through: it goes into its recipient's mailbox from here on.
struct RequestReleased {
    Ticket request;
    std::string by;
    Time deadline{};
    Time expires_at{};
    std::uint64_t tokens = 0;  ///< What the person gave it to spend; 0: what the purses have.
    EnvelopePtr envelope{};    ///< It, if that is not what it asked for: as its recipient gets it.
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
/// One that is passed around: copying an event is a lot of code wherever it is done.
using EventPtr = std::shared_ptr<const Event>;

}  // namespace parlance
