// The events of one command while they are being decided. Included by the decide_*.cc files only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/plain_text.h"
#include "core/core.h"
#include "core/endings.h"

namespace parlance::core {

struct Finding;

struct Draft {
    const State& state;
    const Stamped& cause;
    Events& events;
    /// Set when the caller wants to know which guards were asked.
    std::vector<Finding>* findings = nullptr;
    Heard* heard = nullptr;  ///< Set when the caller keeps signs of life.
    Endings endings{};       ///< Everything that `events` ends so far.

    Time now() const { return cause.now; }
    /// The sequence that the next event added to this draft will have.
    Sequence next_sequence() const { return {state.sequence.value + events.size() + 1}; }
    /// Adds an event, unless its subject was already ended by an earlier event of this decision.
    /// Not a template: growing a list of events is a lot of code, and a plain function is compiled
    /// once.
    void add(Event event);
    bool has_ended(Thing thing, Ticket ticket) const { return endings.has(thing, ticket); }
    /// The request; null if over, also if ended by this very decision.
    const broker::OpenRequest* find_open(Ticket request) const {
        if (has_ended(Thing::Request, request)) return nullptr;
        return broker::find_request(state.requests, request);
    }
    /// The copy in its mailbox; null if gone, also if removed by this very decision.
    const broker::Message* find_copy(Ticket ticket) const {
        if (has_ended(Thing::Copy, ticket)) return nullptr;
        return broker::find_message(state.broker, ticket);
    }
    /// Records a refusal under the identity that the connection proved.
    void refuse(std::string_view id,
                Refusal refusal,
                std::string detail,
                std::uint64_t retry_after_ms = 0) {
        add(MessageRefused{.from = std::string{asker()},
                           .id = std::string{id},
                           .refusal = refusal,
                           .detail = std::move(detail),
                           .retry_after_ms = retry_after_ms});
    }
    /// How many failures of the agent this command has found so far.
    std::uint64_t failures_before(AgentHandle agent) const {
        std::uint64_t count = 0;
        for (const auto& event : events) {
            const auto* request = broker::find_request(state.requests, governor::failed_by(event));
            if (request == nullptr) continue;
            const auto* failed = std::get_if<RequestFailed>(&event);
            const bool had_time =
                failed == nullptr || governor::is_failure(failed->refusal, request->had_time);
            if (had_time && registry::find_agent(state.registry, request->asked->to()) == agent) {
                ++count;
            }
        }
        return count;
    }
    /// The user or agent on record as the requester of this command.
    std::string_view asker() const {
        if (!cause.caller) return {};
        return cause.caller->user.empty() ? cause.caller->agent.value : cause.caller->user;
    }
    /// The agent that sent the command; empty if a person, the hub itself or nobody known did.
    std::string_view requesting_agent() const {
        const auto& caller = cause.caller;
        if (!caller || caller->is_operator || !caller->user.empty()) return {};
        return caller->agent.value == kOrchestrator ? std::string_view{} : caller->agent.value;
    }
    /// True if the caller may act for this agent; the hub itself may.
    bool may_act_for(std::string_view agent) const {
        return !cause.caller || parlance::may_act_for(*cause.caller, agent);
    }
};

/// As much of somebody's reason as is kept: with a dead letter, and with the hub's own answer to
/// who asked, beside the message whose bytes are counted (G7).
inline std::string as_kept(std::string_view reason) {
    constexpr std::size_t kReasonBytesMax = 1'024;
    return std::string{cut(reason, kReasonBytesMax)};
}

// decide_agents.cc
void decide_start(Draft& draft, const StartHub& start);
void decide_register(Draft& draft, const RegisterAgent& registration);
void decide_remove(Draft& draft, const RemoveAgent& removal);
void decide_join(Draft& draft, const JoinInstance& join);
void decide_leave(Draft& draft, const LeaveInstance& leave);
void decide_credit(Draft& draft, const GrantCredit& grant);
void decide_heartbeat(Draft& draft, InstanceNumber number);
void decide_subscribe(Draft& draft, const Subscribe& subscribe);
void decide_unsubscribe(Draft& draft, const Unsubscribe& unsubscribe);

// decide_send.cc
/// The outcome of sending a message.
struct SendOutcome {
    Ticket accepted{};  ///< The first copy of the message; none if the message was not accepted.
    Time deadline{};    ///< Deadline of an accepted request.
    Ticket repeated{};  ///< The earlier message with the same id and the same content.
    Refusal refusal = Refusal::None;
    std::string detail{};  ///< Why the message was refused.
    std::uint64_t retry_after_ms = 0;
    /// The request waits for people's approval, or each share of a call may.
    bool is_held = false;
};
SendOutcome decide_send(Draft& draft, const SendMessage& send);
/// Delivers a message whose sender, id and rate were checked, perhaps to another recipient.
SendOutcome send_on(Draft& draft, const SendMessage& send);
void decide_refusal(Draft& draft, const RecordRefusal& refusal);
/// Why the hub cannot keep `bytes` more bytes that belong to no message; None if the hub can.
Failure lack_of_bytes(const State& state, std::uint64_t bytes);
/// Why a request without a timely answer has failed, in the words of its kind.
std::string timeout_of(const State& state, Ticket request);

// decide_settle.cc
void decide_ack(Draft& draft, const AckDelivery& ack);
void decide_nack(Draft& draft, const NackDelivery& nack);
void decide_extend(Draft& draft, const ExtendLease& extend);
void note_progress(Draft& draft, const broker::Message& message, std::string note);
void decide_progress(Draft& draft, const ReportProgress& progress);
void decide_reply(Draft& draft, const ReplyToDelivery& reply);
void decide_refuse_reply(Draft& draft, const RefuseReply& refused);
/// Removes a request from the agent's mailbox when no other agent gets it next.
void put_away(Draft& draft, const broker::Message* question, const std::string& why);
void decide_stop_waiting(Draft& draft, const StopWaiting& stop);
void decide_redeliver(Draft& draft, const RedeliverDeadLetter& redeliver);
void decide_discard(Draft& draft, const DiscardDeadLetter& discard);

// decide_governor.cc
void decide_policy(Draft& draft, const ChangePolicy& change);
void decide_stop_fleet(Draft& draft, const StopFleet& stop);
void decide_resume_fleet(Draft& draft, const ResumeFleet& resume);
void decide_cancel(Draft& draft, const CancelRequest& order);
void decide_tool(Draft& draft, const AuthorizeTool& command);
/// A request to this agent has ended without an answer, or with an answer: moves the agent's
/// breaker.
void note_failure(Draft& draft, const broker::OpenRequest& request, Refusal refusal);
void note_answer(Draft& draft, std::string_view agent, AnswerKind kind);
/// True if no request is to be delivered to the agent now.
bool is_left_alone(const State& state, AgentHandle agent);
/// Probes an agent whose breaker's open time is over, or fails a request waiting behind an open
/// breaker; false if neither.
bool tend_breakers(Draft& draft);
/// Why the agent is left alone, and which agents the requester can ask instead. Without `claim`,
/// the request itself is read for the capability.
std::string circuit_words(const State& state,
                          AgentHandle agent,
                          const Envelope& request,
                          Time now,
                          const Claim* claim = nullptr);

/// Ends several requests, all delegations below them, and all requests below them that wait for
/// approval. Where a request is over already, the open requests below it are ended.
void cancel_trees(Draft& draft, std::set<Ticket> requests, const std::string& reason);

// decide_workflow.cc
void decide_start_workflow(Draft& draft, const StartWorkflow& start);
/// False if the caller has no running workflow of this id.
bool cancel_workflow(Draft& draft, std::string_view id, const std::string& reason);
/// Cancels all running workflows, after all requests were cancelled. A workflow with steps to
/// compensate compensates them before it ends; while the fleet is stopped, once the fleet goes on.
void cancel_workflows(Draft& draft, const std::string& reason);
/// Decides the next event of a workflow that is due; false if no workflow is due.
bool advance_workflows(Draft& draft);

/// True, with the refusal drafted, if the caller may not decide this.
bool is_not_operator(Draft& draft, std::string_view what);

// decide_contexts.cc
void decide_context(Draft& draft, const WriteContext& write);
void decide_handoff(Draft& draft, const HandOffContext& handoff);
/// A request has ended; a context carried by the request has one owner again.
void end_handoff(Draft& draft, Ticket request, bool is_taken);
/// The recipient of a context has acknowledged the handoff; no further answer is needed.
void take_handoff(Draft& draft, Ticket request);

// decide_state.cc
void decide_task(Draft& draft, const WriteTask& write);
void decide_allocation(Draft& draft, const WriteAllocation& write);
/// Growth of the shared state: an item that had `before` bytes and gets `more`, or `count` new
/// items.
struct Growth {
    std::uint64_t before = 0;
    std::uint64_t more = 0;
    std::uint64_t count = 1;  ///< Number of new items, when nothing was there before.
};
/// True if the growth is within the bounds; else the refusal is drafted.
bool has_room_for(Draft& draft, std::string_view id, const Growth& growth);

// decide_sessions.cc
void decide_session(Draft& draft, const WriteSession& write);
void decide_facts(Draft& draft, const AddFacts& add);
void decide_analysis(Draft& draft, const KeepAnalysis& keep);
/// Facts that an answer says were learnt. They become the user's when the answer is done work,
/// unless learnt from another user's sources.
struct LearntFacts {
    const std::vector<std::string>& facts;
    const std::vector<std::string>& owners;
};
void learn_from(Draft& draft, Ticket request, const LearntFacts& learnt);
/// Called before the answer is added: records the use of another user's sources, if the reply says
/// so.
void note_sources(Draft& draft,
                  const broker::OpenRequest& request,
                  const std::vector<std::string>& owners);

// decide_delivery.cc
void decide_take(Draft& draft, const TakeMessages& take);
/// `silent`: the instance from which nothing was heard for too long, or none.
void decide_tick(Draft& draft, InstanceNumber silent);

// decide_people.cc
void decide_open_human_task(Draft& draft, const OpenHumanTask& command);
void decide_answer_human_task(Draft& draft, const AnswerHumanTask& answer);
void decide_told(Draft& draft, const NotePeopleTold& told);
/// Why the question cannot be put to anybody now; None if it can. `beside`: the bytes of the
/// message that brings the question.
Failure cannot_ask(const Draft& draft, const HumanQuestion& question, std::uint64_t beside = 0);
/// Opens a human task that can be opened, and returns the task's id. Fields left out of the
/// question come from the rules of its role. `by` wants the decision and so may not make it.
/// `request` is the message that asked, if a message did: the answer becomes the reply.
struct HumanAsker {
    std::string_view by{};
    Ticket request{};
    bool is_by_agent = false;  ///< An agent asks, and not by a message.
};
Ticket open_human_task(Draft& draft, const HumanQuestion& question, const HumanAsker& asker);
/// A message has ended, and so have the human tasks opened by the message.
void withdraw_with(Draft& draft, Ticket request, const std::string& reason);
/// Withdraws a workflow's human tasks, if the caller may act for their openers; false if none.
bool withdraw_meant(Draft& draft, std::string_view workflow, const std::string& reason);
/// Sends a reminder or ends a human task whose time is over; false if nothing is due.
bool tend_people(Draft& draft);
/// How a human task ended. If it lapsed: `decision` is made by the task's rules in place of people,
/// and the task's if_nobody says whether the lapse is a failure.
struct HumanOutcome {
    people::Stage stage = people::Stage::Answered;
    HumanDecision decision = HumanDecision::Reject;
    std::string_view by{};
    std::string_view reason{};
    std::string_view content{};  ///< JSON.
};
/// A workflow step that opened the human task goes on with the outcome.
void end_human_task_of_step(Draft& draft,
                            const people::HumanTask& human_task,
                            const HumanOutcome& outcome);
/// Called when a human task has just ended, with its event drafted: continues its request or step.
void after_human_task(Draft& draft,
                      const people::HumanTask& human_task,
                      const HumanOutcome& outcome);

// decide_handing.cc
/// The message with another recipient.
EnvelopePtr readdressed(const State& state, const Envelope& message, std::string_view to);
/// A request as an agent that the hub chooses would receive it (K6).
struct SeenBy {
    const Envelope& request;
    std::string_view agent{};
    std::string_view capability{};  ///< The capability that the agent is chosen by.
    Time now{};
};
/// Why the agent cannot be given the request, by the agent's registration.
Unfit unfit_for(const State& state, const SeenBy& seen);
/// The open request of this task that the agent has in hand, or null.
const broker::OpenRequest* find_task(const State& state,
                                     std::string_view agent,
                                     std::string_view task);
/// The present holder of the task that the message is about, if the task was handed over by the
/// recipient of the message; else empty.
std::string owner_now(const State& state, const Envelope& message);
/// Why the task cannot be handed over like this.
Failure cannot_pass(const State& state, const SendMessage& send);
/// Why the agent offered a task could not have it: the task would become that agent's request, and
/// is held to the same guards as if the agent had been asked.
Failure cannot_take_over(const State& state, const SendMessage& send, Time now);
void begin_passing(Draft& draft, const SendMessage& send, const SendOutcome& outcome);
/// Sends a request to an agent that the hub chooses.
SendOutcome send_to_one_of_many(Draft& draft, const SendMessage& send);
/// True if a refusal does not end the request because the next agent gets it. For a reply that
/// falls short, `kind` also moves the breaker of the agent.
bool is_passed_on(Draft& draft,
                  const broker::OpenRequest& request,
                  const EnvelopePtr& reply,
                  AnswerKind kind);
bool is_passed_on(Draft& draft, Ticket request, Refusal refusal, const std::string& detail);
/// Refuses an answer that accepts a task no longer allowed to its agent: the guards asked at the
/// offer are asked again, with the tokens used by the agent since. None: the agent may take the
/// task.
Failure turn_down(Draft& draft,
                  const broker::OpenRequest& offer,
                  const Envelope& reply,
                  std::uint64_t tokens_used);
/// The request has its answer; if the request handed a task over and `is_taken`, the recipient now
/// has the task.
void end_passing(Draft& draft, const broker::OpenRequest& request, bool is_taken);
/// Passes on a request, or ends a call, whose time to answer is over; false if none is due.
bool tend_passings(Draft& draft);

// decide_calls.cc
/// Sends a request to several agents: one is chosen or all answers are joined.
SendOutcome send_to_several(Draft& draft, const SendMessage& send);
/// Asks the next candidate, or ends a call that all have answered; false if no call is due.
bool advance_calls(Draft& draft);
void conclude_call(Draft& draft, Ticket number);
/// Cancels the open shares of a joined call that is over.
void cancel_shares(Draft& draft, Ticket number, const std::string& reason);
/// Concludes a joined call with no candidate left to ask, also while the fleet is stopped; false if
/// there is none.
bool end_joined_calls(Draft& draft);

// decide_send.cc: accepts a request that no agent has yet, or refuses one.
SendOutcome accept_for_hub(Draft& draft, const SendMessage& send, Time deadline_max = Time::max());
SendOutcome refuse_send(Draft& draft,
                        const SendMessage& send,
                        Refusal refusal,
                        std::string detail,
                        std::uint64_t retry_after_ms = 0);

// decide_held.cc
/// Why a held request cannot be approved like this: the approval would change the request, or
/// differ from earlier approvals.
Failure cannot_approve(const Draft& draft,
                       const people::HumanTask& human_task,
                       const AnswerHumanTask& answer);
/// People have decided whether the held request goes on.
void settle_held(Draft& draft, Ticket request, const AnswerHumanTask& answer);
/// Releases a request that people approved while the fleet was stopped; false if there is none.
bool release_approved(Draft& draft);

// retry.cc: decides what follows a delivery failure.
struct FailedAttempt {
    DeliveryFailure failure = DeliveryFailure::Nacked;
    std::string reason;
    bool is_final = false;
    bool is_unanswered = false;
};
void fail_delivery(Draft& draft,
                   const broker::Message& message,
                   const FailedAttempt& failed_attempt);
void expire(Draft& draft, const broker::Message& message);
/// The hub's own answer, if the message is a request that is still open.
void fail_request(Draft& draft, Ticket ticket, Refusal refusal, std::string detail);
/// Takes back every delivery that an instance holds, then removes the instance.
void lose_instance(Draft& draft,
                   InstanceNumber instance,
                   const std::string& reason,
                   DeliveryFailure failure = DeliveryFailure::InstanceLost);

}  // namespace parlance::core
