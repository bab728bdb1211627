// What one command causes, while it is being worked out. Shared by the decide_*.cc files only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/core.h"
#include "core/endings.h"

namespace parlance::core {

struct Finding;

struct Draft {
    const State& state;
    const Stamped& cause;
    Events& events;
    std::vector<Finding>* findings = nullptr;  ///< For who wants to know which guards were asked.
    Heard* heard = nullptr;                    ///< For who keeps signs of life.
    Endings endings{};                         ///< Of the events so far.

    Time now() const { return cause.now; }
    /// The sequence that the next event added here will have.
    Sequence next_sequence() const { return {state.sequence.value + events.size() + 1}; }
    /// Adds what happened, unless that is about something that an event of this decision has
    /// already ended. Not a template: growing a list of events is a lot of code, and this is
    /// compiled once.
    void add(Event event);
    bool has_ended(Thing thing, Ticket ticket) const { return endings.has(thing, ticket); }
    /// The request, or null if it is over, also by this very decision.
    const broker::OpenRequest* find_open(Ticket request) const {
        if (has_ended(Thing::Request, request)) return nullptr;
        return broker::find_request(state.requests, request);
    }
    /// The copy in its mailbox, or null if it is there no more, also by this very decision.
    const broker::Message* find_copy(Ticket ticket) const {
        if (has_ended(Thing::Copy, ticket)) return nullptr;
        return broker::find_message(state.broker, ticket);
    }
    /// On record under the identity that the connection proved.
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
    /// Who is on record as having asked.
    std::string_view asker() const {
        if (!cause.caller) return {};
        return cause.caller->user.empty() ? cause.caller->agent.value : cause.caller->user;
    }
    /// The agent that asks; empty if it is a person, the hub itself, or nobody says who.
    std::string_view asking_agent() const {
        const auto& caller = cause.caller;
        if (!caller || caller->is_operator || !caller->user.empty()) return {};
        return caller->agent.value == kOrchestrator ? std::string_view{} : caller->agent.value;
    }
    /// Whether the caller may act for this agent; the hub itself may.
    bool may_act_for(std::string_view agent) const {
        return !cause.caller || parlance::may_act_for(*cause.caller, agent);
    }
};

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
/// What became of a message that was sent.
struct SendOutcome {
    Ticket accepted{};  ///< The first copy of the message; none if the message was not accepted.
    Time deadline{};    ///< Of an accepted request.
    Ticket repeated{};  ///< The message that came before under the same id with the same content.
    Refusal refusal = Refusal::None;
    std::string detail{};  ///< Why the message was refused.
    std::uint64_t retry_after_ms = 0;
    bool is_held = false;  ///< The request waits for people, or each share of a call may.
};
SendOutcome decide_send(Draft& draft, const SendMessage& send);
/// Delivers a message whose sender, id and rate were checked, perhaps to another recipient.
SendOutcome send_on(Draft& draft, const SendMessage& send);
void decide_refusal(Draft& draft, const RecordRefusal& refusal);
/// Why the hub cannot keep so many bytes more that are no message's; None if it can.
Failure lack_of_bytes(const State& state, std::uint64_t bytes);
/// Why a request that nobody answered in time has failed, in the words of its kind.
std::string timeout_of(const State& state, Ticket request);

// decide_settle.cc
void decide_ack(Draft& draft, const AckDelivery& ack);
void decide_nack(Draft& draft, const NackDelivery& nack);
void decide_extend(Draft& draft, const ExtendLease& extend);
void note_progress(Draft& draft, const broker::Message& message, std::string note);
void decide_progress(Draft& draft, const ReportProgress& progress);
void decide_reply(Draft& draft, const ReplyToDelivery& reply);
void decide_refuse_reply(Draft& draft, const RefuseReply& refused);
/// The agent has had its turn with a question that nobody else gets.
void put_away(Draft& draft, const broker::Message* question, const std::string& why);
void decide_stop_waiting(Draft& draft, const StopWaiting& stop);
void decide_redeliver(Draft& draft, const RedeliverDeadLetter& redeliver);
void decide_discard(Draft& draft, const DiscardDeadLetter& discard);

// decide_governor.cc
void decide_policy(Draft& draft, const ChangePolicy& change);
void decide_stop_fleet(Draft& draft, const StopFleet& stop);
void decide_resume_fleet(Draft& draft, const ResumeFleet& resume);
void decide_cancel(Draft& draft, const CancelRequest& order);
void decide_tool(Draft& draft, const AuthorizeTool& ask);
/// A request to this agent has ended without an answer, or with one. Moves its breaker.
void note_failure(Draft& draft, const broker::OpenRequest& request, Refusal refusal);
void note_answer(Draft& draft, std::string_view agent, AnswerKind kind);
/// Whether nothing is to be handed to the agent now.
bool is_left_alone(const State& state, AgentHandle agent);
/// What a breaker's time or a request behind it asks for; false if nothing.
bool tend_breakers(Draft& draft);
/// Why the agent is left alone, and whom its asker can ask instead. Without a claim the request's
/// own words say what is asked for.
std::string circuit_words(const State& state,
                          AgentHandle agent,
                          const Envelope& request,
                          Time now,
                          const Claim* claim = nullptr);

/// Ends an open request, and all that was delegated for it.
void cancel_tree(Draft& draft, Ticket request, const std::string& reason);
/// Of several; those that are over lead to what is open below them.
void cancel_trees(Draft& draft, std::set<Ticket> requests, const std::string& reason);

// decide_workflow.cc
void decide_start_workflow(Draft& draft, const StartWorkflow& start);
/// False if the caller has no workflow of this id that runs.
bool cancel_workflow(Draft& draft, std::string_view id, const std::string& reason);
/// All that run, when all requests have been cancelled. Those of which something is done that is to
/// be taken back do so before they end; with a fleet that is stopped, when it goes on.
void cancel_workflows(Draft& draft, const std::string& reason);
/// What is next in one that has something to be decided; false if there is none.
bool advance_workflows(Draft& draft);

/// True, with the refusal drafted, if this is not for the caller to decide.
bool is_not_operator(Draft& draft, std::string_view what);

// decide_contexts.cc
void decide_context(Draft& draft, const WriteContext& write);
void decide_handoff(Draft& draft, const HandOffContext& handoff);
/// The request has its end; if it carried a context, that has one owner again.
void end_handoff(Draft& draft, Ticket request, bool is_taken);
/// The recipient of a context has acknowledged it, and need not say more.
void take_handoff(Draft& draft, Ticket request);

// decide_state.cc
void decide_task(Draft& draft, const WriteTask& write);
void decide_allocation(Draft& draft, const WriteAllocation& write);
/// By how much what is shared would grow: an item of so many bytes, or so many new ones.
struct Growth {
    std::uint64_t before = 0;
    std::uint64_t more = 0;
    std::uint64_t count = 1;  ///< Of new ones, which have nothing before.
};
/// Whether that is within the bounds; else the refusal is drafted.
bool has_room_for(Draft& draft, std::string_view id, const Growth& growth);

// decide_sessions.cc
void decide_session(Draft& draft, const WriteSession& write);
void decide_facts(Draft& draft, const AddFacts& add);
void decide_analysis(Draft& draft, const KeepAnalysis& keep);
/// What an answer that does the work says was learnt is the user's from here on.
/// Unless it was learnt from another's sources.
struct Lesson {
    const std::vector<std::string>& facts;
    const std::vector<std::string>& owners;
};
void learn_from(Draft& draft, Ticket request, const Lesson& lesson);
/// Before its answer: whether that says that it used what is another user's.
void note_sources(Draft& draft,
                  const broker::OpenRequest& request,
                  const std::vector<std::string>& owners);

// decide_delivery.cc
void decide_take(Draft& draft, const TakeMessages& take);
/// `silent`: the instance that nothing was heard of for too long, or none.
void decide_tick(Draft& draft, InstanceNumber silent);

// decide_people.cc
void decide_ask_person(Draft& draft, const AskPerson& ask);
void decide_answer_person(Draft& draft, const AnswerPerson& answer);
void decide_told(Draft& draft, const NotePeopleTold& told);
/// Why the question cannot be put to anybody now; None if it can.
Failure cannot_ask(const Draft& draft, const HumanQuestion& question);
/// Puts a question that can be asked, and says under which id. What it leaves out is as the rules
/// of its role say. `by` is who wants it decided and so does not decide it; with the message that
/// asked, if that was one: the answer is its reply.
struct HumanAsker {
    std::string_view by{};
    Ticket request{};
    bool is_by_agent = false;  ///< And by no message.
};
Ticket ask_person(Draft& draft, const HumanQuestion& question, const HumanAsker& asker);
/// The message has ended, and with it what it asked of people.
void withdraw_with(Draft& draft, Ticket request, const std::string& reason);
/// So has the workflow; false if nothing that was asked belongs to it.
bool withdraw_meant(Draft& draft, std::string_view workflow, const std::string& reason);
/// A reminder, or the end of somebody's time; false if none is due.
bool tend_people(Draft& draft);
/// How an appeal ended. Lapsed: `decision` is what its rules say in place of people, and the
/// appeal's if_nobody whether that is to fail.
struct HumanOutcome {
    people::Stage stage = people::Stage::Answered;
    HumanDecision decision = HumanDecision::Reject;
    std::string_view by{};
    std::string_view reason{};
    std::string_view content{};  ///< JSON.
};
/// A workflow that asked goes on with what was said.
void end_asking(Draft& draft, const people::Appeal& appeal, const HumanOutcome& outcome);
/// Called when an appeal has just ended, with its event drafted: whoever waits for it goes on here.
void after_person(Draft& draft, const people::Appeal& appeal, const HumanOutcome& outcome);

// decide_handing.cc
/// The message for another recipient.
EnvelopePtr readdressed(const State& state, const Envelope& message, std::string_view to);
/// A request as it would come to an agent that the hub chooses (K6).
struct SeenBy {
    const Envelope& request;
    std::string_view agent{};
    std::string_view capability{};  ///< By which it is chosen.
    Time now{};
};
/// Why the agent cannot be given the request, by what it has registered.
Unfit unfit_for(const State& state, const SeenBy& seen);
/// The open request of this task that the agent has in hand, or null.
const broker::OpenRequest* find_task(const State& state,
                                     std::string_view agent,
                                     std::string_view task);
/// Who has the task that this message is about, if it went from its recipient to another.
std::string owner_now(const State& state, const Envelope& message);
/// Why a task cannot be handed over so.
Failure cannot_pass(const State& state, const SendMessage& send);
/// Why the agent that a task is offered could not have it: it is to be the asker's, and is held to
/// the same guards as if it had been asked of that agent.
Failure cannot_take_over(const State& state, const SendMessage& send, Time now);
void begin_passing(Draft& draft, const SendMessage& send, const SendOutcome& outcome);
/// To whoever can: the hub chooses.
SendOutcome send_to_one_of_many(Draft& draft, const SendMessage& send);
/// Whether a refusal is not the last word, because somebody else has the request next. Of an answer
/// that falls short, with what it tells of its agent.
bool is_passed_on(Draft& draft,
                  const broker::OpenRequest& request,
                  const EnvelopePtr& reply,
                  AnswerKind kind);
bool is_passed_on(Draft& draft, Ticket request, Refusal refusal, const std::string& detail);
/// Refuses an answer that accepts a task which its agent may no longer take: the guards that were
/// asked at the offer are asked again, with the tokens that the agent has used since. None: the
/// agent may take the task.
Failure turn_down(Draft& draft,
                  const broker::OpenRequest& offer,
                  const Envelope& reply,
                  std::uint64_t tokens_used);
/// The request has its answer; if it handed a task over, whoever took it has the task.
void end_passing(Draft& draft, const broker::OpenRequest& request, bool is_taken);
/// Somebody's time to answer is over; false if nobody's is.
bool tend_passings(Draft& draft);

// decide_calls.cc
/// To several: each is asked, and one is chosen or all are joined.
SendOutcome send_to_several(Draft& draft, const SendMessage& send);
/// Asks the next one, or ends a call that all have answered; false if there is none.
bool advance_calls(Draft& draft);
void conclude_call(Draft& draft, Ticket number);
/// Calls off what several still have of a request that each was to have, which is over.
void cancel_shares(Draft& draft, Ticket number, const std::string& reason);
/// Ends one that joins what all have answered, for which nobody is asked; false if there is none.
bool end_joined_calls(Draft& draft);

// decide_send.cc: a request that no agent has yet, or a refusal.
SendOutcome accept_for_hub(Draft& draft, const SendMessage& send, Time deadline_max = Time::max());
SendOutcome refuse_send(Draft& draft,
                        const SendMessage& send,
                        Refusal refusal,
                        std::string detail,
                        std::uint64_t retry_after_ms = 0);

// decide_held.cc
/// Why a request that was held cannot be approved so: it would be something else than was asked, or
/// than others approved.
Failure cannot_approve(const Draft& draft,
                       const people::Appeal& appeal,
                       const AnswerPerson& answer);
/// People have said whether the request that was held goes on.
void settle_held(Draft& draft, Ticket request, const AnswerPerson& answer);
/// Lets through what people approved while the fleet was stopped; false if there is none.
bool release_approved(Draft& draft);

// setback.cc: what follows when a delivery did not work out.
struct Mishap {
    Setback setback = Setback::Nacked;
    std::string reason;
    bool is_final = false;
    bool is_unanswered = false;
};
void set_back(Draft& draft, const broker::Message& message, const Mishap& mishap);
void expire(Draft& draft, const broker::Message& message);
/// The hub's own answer, if the message is a request that is still open.
void fail_request(Draft& draft, Ticket ticket, Refusal refusal, std::string detail);
/// Takes back everything that an instance holds, then lets it go.
void lose_instance(Draft& draft,
                   InstanceNumber instance,
                   const std::string& reason,
                   Setback setback = Setback::InstanceLost);

}  // namespace parlance::core
