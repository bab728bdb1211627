// What someone asks of the hub. A command may be refused; an event may not.
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
#include "model/ids.h"
#include "model/message.h"
#include "model/person.h"
#include "model/profile.h"
#include "model/refusal.h"

namespace parlance {

/// The first command of a process, before any other. Ids and keys are fresh; a hub that already
/// has them keeps its own.
struct StartHub {
    std::string hub_id;
    std::uint64_t hash_key_0 = 0;
    std::uint64_t hash_key_1 = 0;
    std::string version;
};

struct RegisterAgent {
    AgentId agent;
    Profile profile;
    bool says_tools = false;  ///< Which tools it may use was said, be it none.
};

struct RemoveAgent {
    AgentId agent;
};

/// An instance comes to life. For Poll, a name that is already live is simply seen again.
struct JoinInstance {
    AgentId agent;
    std::string name;
    InstanceKind kind = InstanceKind::Socket;
    std::uint32_t credit = 0;  ///< How many unsettled deliveries it can hold.
    /// A sign of life, of one that polls: nothing is recorded if it is known to be there.
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

/// A sign of life.
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
    std::optional<Duration> timeout{};  ///< Request only: how long the answer may take.
    std::optional<std::uint32_t> retry_count_max{};
    std::uint64_t fingerprint = 0;  ///< Of the content, to tell a repeat from a conflict.
    bool waits = false;             ///< Request only: the asker holds the line.
    ClaimPtr claim{};  ///< What it says of the delegation that it is; else only of its user.
    std::uint64_t tokens_used = 0;  ///< Reply only: what the answer cost.
    bool falls_short = false;       ///< Reply only: it says that not all that was asked is done.
    AnswerKind kind = AnswerKind::Done;  ///< Reply only: what it tells of its agent.
    HumanQuestionPtr question{};         ///< To people only: what it asks, in words for them.
    std::vector<std::string> facts{};    ///< Reply only: what was learnt about the user.
    std::vector<std::string> owners{};   ///< Reply only: whose sources it says that it used.
    PassingPtr passing{};                ///< Request only: where it goes if it is refused.
    std::string state{};  ///< Request only: what the asker lays down meanwhile. JSON.
    std::string by{};     ///< Of the hub's own: whose doing it is, so that they do not approve it.
    /// Of the hub's own: out of which request it is asked, as was found before; none of them: {}.
    std::optional<Ticket> below{};
};

/// Whoever held the line for this request has gone; the answer goes to the mailbox.
struct StopWaiting {
    Ticket request;
};

/// An instance that polls asks for up to `count_max` messages now.
struct TakeMessages {
    InstanceNumber instance;
    std::uint32_t count_max = 1;
};

/// Names one delivery: the copy, which try it is, and the epoch that granted its lease. Tickets and
/// attempts repeat when an older copy of the journal is continued; epochs do not. A stale attempt
/// or another epoch changes nothing.
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
    bool is_final = false;       ///< The agent will never take it: no further try.
    bool is_unheard = false;     ///< The agent was not reached, and so has not had its try.
    bool is_unanswered = false;  ///< Nothing came back, heard or not: no sign of life.
};

struct ExtendLease {
    DeliveryToken delivery;
    std::optional<Duration> by{};
};

/// Keeps the lease alive and tells the requester how far the work is.
struct ReportProgress {
    DeliveryToken delivery;
    std::string note;  ///< JSON, as it came.
};

struct ReplyToDelivery {
    DeliveryToken delivery;
    EnvelopePtr envelope;
    std::uint64_t tokens_used = 0;       ///< What the answer cost, as the agent reports it.
    bool falls_short = false;            ///< It says that not all that was asked is done.
    AnswerKind kind = AnswerKind::Done;  ///< What it tells of its agent.
    std::vector<std::string> facts{};    ///< What was learnt about the user.
    std::vector<std::string> owners{};   ///< Whose sources it says that it used.
    /// Nobody awaits it, but its agent was shown a request, because its dialect has nothing else:
    /// by answering it has acknowledged.
    bool acknowledges = false;
};

/// An answer that breaks the rules, reported by the front desk: it is not passed on, and the
/// requester is told that there will be none. Named by its delivery, or by what it says itself.
struct RefuseReply {
    DeliveryToken delivery{};
    EnvelopePtr reply{};  ///< Without a delivery: as far as it could be read.
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

/// A message that could not even be read, reported by the front desk so that it is on record.
struct RecordRefusal {
    std::string id;
    std::uint8_t refusal = 0;  ///< A Refusal.
    std::string detail;
    // Of what could be read as a delegation, as it claims to be one:
    std::string to{};
    std::string user{};
    std::string objective{};
};

/// The whole policy anew, one setting a line (model/policy.h). It acts on the next command.
struct ChangePolicy {
    std::string settings;
    std::optional<std::uint64_t> version{};  ///< Of the policy that was changed, if it matters.
    std::string reason;
};

/// No new work, and nothing more is handed over, until it is resumed.
struct StopFleet {
    std::string reason;
    bool cancels = false;  ///< Also end what is open; else it waits.
};

struct ResumeFleet {
    std::string reason;
};

/// Ends the open requests that the id means, and all that was delegated for them.
struct CancelRequest {
    std::string id;  ///< Of a request, a session or a workflow.
    std::string reason;
};

/// May this agent use this tool, in what it works on?
struct AuthorizeTool {
    AgentId agent;
    std::string tool;
    std::string request;  ///< Its id or its session; empty: whatever it works on.
};

/// Begins a workflow. The plan has been read once, so it holds together.
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

/// Puts a question to people.
struct AskPerson {
    HumanQuestion question;
};

/// A person's answer. Only to what waits, and only once.
struct AnswerPerson {
    Ticket id;
    HumanDecision decision = HumanDecision::Approve;
    std::string reason{};
    std::string content{};                            ///< JSON.
    std::optional<std::uint64_t> expected_version{};  ///< Of what it is given for.
    EnvelopePtr reply{};       ///< The same in words for who asked, if that was a message.
    std::uint64_t tokens = 0;  ///< Of what a purse had too little for: what it may spend instead.
};

/// People have been told of what waits for them.
struct NotePeopleTold {
    Ticket id;
    Sequence news;  ///< Of what, as NotifyPeople has it.
};

/// Time passes. The engine gives it until nothing follows any more.
struct Tick {
    InstanceNumber silent{};  ///< Nothing was heard of it for too long. None: what else is due.
};

/// Changes a workflow's context; the first write makes it. What is JSON here is strict.
struct WriteContext {
    std::string workflow;
    AgentId agent{};                         ///< Who writes; empty: an operator, as itself.
    std::optional<std::uint64_t> version{};  ///< Of the context that was changed, if it matters.
    std::string status{};                    ///< Empty: as it is.
    AgentId owner{};                         ///< From an operator: whose turn it is from now on.
    std::string entities{};                  ///< A merge patch, by name; empty: as they are.
    std::vector<std::string> history{};      ///< Entries to append.
    std::vector<std::string> artifacts{};    ///< The same.
    bool changes_history = false;            ///< It wants an entry that is there to be another.
};

/// Gives a context to another agent, with a request that carries it.
struct HandOffContext {
    std::string workflow;
    std::uint64_t version = 0;  ///< Of the context that the request carries.
    SendMessage request;
    EnvelopePtr done;  ///< The answer, where the recipient takes it without a word.
};

enum class StateOperation : std::uint8_t { Create, Update, Delete };

/// A task of the shared state, whole.
struct WriteTask {
    StateOperation operation = StateOperation::Create;
    std::string id;
    std::uint64_t version = 0;  ///< Of the task that was changed.
    std::string document{};     ///< JSON.
    std::string agent{};        ///< Whom it is assigned to; empty: nobody.
    std::string user{};         ///< Whose it is; empty: no user's.
};

/// What an agent may use of something. Amounts are millionths.
struct Allocation {
    std::string agent;
    std::string resource;
    std::uint64_t allocated = 0;
    std::uint64_t consumed = 0;
    std::uint64_t limit = 0;
    Time expires_at{};  ///< Zero: never.
    bool operator==(const Allocation&) const = default;
};

struct WriteAllocation {
    StateOperation operation = StateOperation::Create;
    std::string id;
    std::uint64_t version = 0;
    Allocation allocation{};
};

/// Begins a session or changes it. Empty: as it is.
struct WriteSession {
    std::string id;
    std::string user{};
    std::string parent{};
    std::string history{};      ///< Where the conversation is kept.
    std::string workflow{};     ///< JSON: how far the work is.
    std::string agent{};        ///< Who reports its own part.
    std::string agent_state{};  ///< JSON: that part.
};

/// Something that a user said, or that was found out or decided for that user.
struct Fact {
    std::string kind;
    std::string about;
    std::string value;     ///< JSON.
    std::string agent{};   ///< Who says so.
    std::string source{};  ///< In which message.
};

struct AddFacts {
    std::string session;
    std::vector<Fact> facts;
};

/// An analysis as it was presented, to be presented again.
struct KeepAnalysis {
    std::string session;
    std::string key;  ///< Of what was asked, with what.
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
                             AskPerson,
                             AnswerPerson,
                             NotePeopleTold,
                             WriteContext,
                             HandOffContext,
                             WriteTask,
                             WriteAllocation,
                             WriteSession,
                             AddFacts,
                             KeepAnalysis>;

/// Where the direct answer to a command goes. The core passes it through and never looks inside.
using Ask = Strong<struct AskTag, std::uint64_t>;

/// A command with who asked and when: stamped by the hub, never read off the wire.
struct Stamped {
    Command command;
    std::shared_ptr<const Caller> caller;  ///< Null: the hub itself.
    Time now{};
    std::uint64_t chance = 0;  ///< Fresh random bits for this command.
    Ask ask{};
};

}  // namespace parlance
