#include <algorithm>

#include "base/match.h"
#include "base/mutant.h"
#include "core/core.h"

namespace parlance::core {

namespace {

bool polls(const State& state, InstanceNumber number) {
    const auto* instance = registry::find_instance(state.registry, number);
    return instance != nullptr && instance->kind == InstanceKind::Poll;
}

/// Tells the agent's polling instances that there is something to take, if so.
void stir(const State& state, AgentHandle agent, Effects& effects) {
    const auto& mailbox = broker::mailbox_of(state.broker, agent);
    if (mailbox.poll_count == 0) return;
    for (const auto& list : mailbox.ready) {
        if (list.head == kNoSlot) continue;
        effects.emplace_back(StirMailbox{state.registry.agents[agent].id});
        return;
    }
}

void react_accepted(const State& state,
                    const Stamped& cause,
                    const MessageAccepted& event,
                    Effects& effects) {
    if (cause.reply_target != ReplyTarget{}) {
        effects.emplace_back(
            TellAccepted{.reply_target = cause.reply_target,
                         .ticket = event.ticket,
                         .sequence = state.sequence,
                         .envelope = event.envelope,
                         .is_open_request = event.envelope->intent() == Intent::Request,
                         .missed_count = event.missed_count});
    }
    // A topic's copies have consecutive tickets; without subscribers there is none. The mailbox
    // stirred last is handled at the end of react().
    for (std::uint64_t copy = 0; copy < kCopiesMax; ++copy) {
        const auto* message = broker::find_message(state.broker, Ticket{event.ticket.value + copy});
        if (message == nullptr) return;
        if (message->mailbox != state.broker.stirred) stir(state, message->mailbox, effects);
    }
}

void react_duplicate(const State& state,
                     const Stamped& cause,
                     const DuplicateReceived& event,
                     Effects& effects) {
    if (cause.reply_target == ReplyTarget{}) return;
    if (const auto* start = std::get_if<StartWorkflow>(&cause.command)) {
        return void(effects.emplace_back(
            TellStarted{cause.reply_target, start->id, start->correlation, event.first, true}));
    }
    effects.emplace_back(TellAccepted{
        .reply_target = cause.reply_target,
        .ticket = event.ticket,
        .sequence = event.first,
        .id = event.id,
        .is_duplicate = true,
        .is_open_request = broker::find_request(state.requests, event.ticket) != nullptr,
        .answer = event.answer});
}

/// The recorded grant of a request in a tree; null for any other message.
std::shared_ptr<const Grant> grant_of(const State& state, const broker::Message& message) {
    const auto& lineage = state.governor.lineage;
    if (message.envelope->intent() != Intent::Request || lineage.delegations.empty()) return {};
    const auto delegation = governor::find_delegation(lineage, message.ticket);
    if (delegation == nullptr) return {};
    const auto parent = governor::find_delegation(lineage, delegation->parent);
    return std::make_shared<const Grant>(
        Grant{.depth = delegation->depth,
              .depth_max = delegation->depth_max,
              .deadline = delegation->deadline,
              .left = std::max(delegation->deadline - state.now, Duration{}),
              .tokens = delegation->tokens,
              .tools = delegation->tools,
              .limits_tools = delegation->limits_tools,
              .user = delegation->user,
              .session = delegation->session,
              .parent = std::string{message.envelope->from()},
              .parent_session =
                  parent != nullptr ? parent->session : lineage.roots.at(delegation->root)->session,
              .root = delegation->root});
}

void react_granted(const State& state,
                   const Stamped& cause,
                   const LeaseGranted& event,
                   Effects& effects) {
    const auto* message = broker::find_message(state.broker, event.ticket);
    Deliver deliver{
        .reply_target = polls(state, event.instance) ? cause.reply_target : ReplyTarget{},
        .instance = event.instance,
        .delivery = {event.ticket, event.attempt, state.broker.epoch},
        .envelope = message->envelope};
    const auto notice = state.broker.notices.find(event.ticket.value);
    if (notice != state.broker.notices.end()) deliver.failure = notice->second;
    const auto enclosed = state.broker.enclosed.find(event.ticket);
    if (enclosed != state.broker.enclosed.end()) deliver.state = enclosed->second;
    deliver.grant = grant_of(state, *message);
    if (is_planted(Mutant::ChangeBody) && event.ticket.value % 5 == 0) {
        deliver.envelope = Envelope::make(message->envelope->header(), "{}");
    }
    effects.emplace_back(std::move(deliver));
}

bool is_nack(const Stamped& cause) { return std::holds_alternative<NackDelivery>(cause.command); }

bool is_reply(const Stamped& cause) {
    return std::holds_alternative<ReplyToDelivery>(cause.command);
}

/// True if the reply is only an acknowledgement, to be confirmed as such.
bool acknowledges(const Stamped& cause) {
    const auto* reply = std::get_if<ReplyToDelivery>(&cause.command);
    return reply != nullptr && reply->acknowledges;
}

void react_answered(const State& state,
                    const Stamped& cause,
                    const RequestAnswered& event,
                    Effects& effects) {
    // A person was told already that the answer counts, and an agent that took a context by
    // acknowledging has said nothing to be accepted.
    const bool is_told = std::holds_alternative<AnswerHumanTask>(cause.command) ||
                         std::holds_alternative<AckDelivery>(cause.command);
    if (cause.reply_target != ReplyTarget{} && !is_told) {
        effects.emplace_back(TellAccepted{.reply_target = cause.reply_target,
                                          .ticket = ticket_at(state.sequence),
                                          .sequence = state.sequence,
                                          .envelope = event.envelope,
                                          .is_settlement = is_reply(cause)});
    }
    if (event.ticket != Ticket{}) return;  // The answer is in the mailbox.
    effects.emplace_back(TellAnswer{.request = event.request, .reply = event.envelope});
}

/// Confirms a refusal to the agent that refused, although the requester need not know.
void react_passed_on(const State& state,
                     const Stamped& cause,
                     const PassingRefused& event,
                     Effects& effects) {
    if (cause.reply_target == ReplyTarget{} || !event.reply) return;
    effects.emplace_back(TellAccepted{.reply_target = cause.reply_target,
                                      .ticket = ticket_at(state.sequence),
                                      .sequence = state.sequence,
                                      .envelope = event.reply,
                                      .is_settlement = is_reply(cause)});
}

/// The message or reply brought by the command; null for other commands.
EnvelopePtr brought_by(const Stamped& cause) {
    if (const auto* send = std::get_if<SendMessage>(&cause.command)) return send->envelope;
    if (const auto* reply = std::get_if<ReplyToDelivery>(&cause.command)) return reply->envelope;
    return {};
}

/// The delivery that the command answers, wholly or in part.
DeliveryToken answered_by(const Stamped& cause) {
    if (const auto* reply = std::get_if<ReplyToDelivery>(&cause.command)) return reply->delivery;
    if (const auto* part = std::get_if<ReportProgress>(&cause.command)) return part->delivery;
    return {};
}

void react_unsettled(const Stamped& cause, const SettlementRefused& event, Effects& effects) {
    if (cause.reply_target == ReplyTarget{}) return;
    const auto ticket = std::to_string(event.delivery.ticket.value);
    TellRefused refused{.reply_target = cause.reply_target,
                        .refusal = event.refusal,
                        .envelope = brought_by(cause)};
    if (event.refusal == Refusal::DeadLetterNotFound) {
        refused.detail = "there is no dead letter '" + ticket + "'";
    } else if (event.delivery == DeliveryToken{}) {
        // No delivery: an instance came to take messages.
        refused.detail = event.refusal == Refusal::IdentityMismatch
                             ? "'" + event.by + "' cannot take what waits for another agent"
                             : "the instance that takes messages has left, or never joined";
    } else {
        refused.detail = "delivery " + ticket + "." + std::to_string(event.delivery.attempt) + "." +
                         std::to_string(event.delivery.epoch.value);
        if (event.refusal == Refusal::RouteNotPermitted) refused.detail += " awaits no answer";
        refused.delivery = event.delivery;
    }
    effects.emplace_back(std::move(refused));
}

/// A late reply settles its delivery; the sender hears of the drop.
void react_dropped(const Stamped& cause, const ReplyDropped& event, Effects& effects) {
    if (cause.reply_target == ReplyTarget{}) return;
    effects.emplace_back(TellRefused{.reply_target = cause.reply_target,
                                     .id = event.id,
                                     .refusal = event.refusal,
                                     .detail = "the request has its answer already",
                                     .delivery = answered_by(cause),
                                     .envelope = brought_by(cause)});
}

void react_failed(const RequestFailed& event, Effects& effects) {
    if (event.ticket != Ticket{}) return;  // The notice is in the mailbox.
    effects.emplace_back(
        TellAnswer{.request = event.request, .failure = {event.refusal, event.detail}});
}

void react_progress(const State& state,
                    const Stamped& cause,
                    const ProgressReported& event,
                    Effects& effects) {
    if (const auto* send = std::get_if<SendMessage>(&cause.command);
        send && cause.reply_target != ReplyTarget{}) {
        effects.emplace_back(TellAccepted{.reply_target = cause.reply_target,
                                          .ticket = event.ticket,
                                          .sequence = state.sequence,
                                          .envelope = send->envelope});
    } else if (cause.reply_target != ReplyTarget{}) {
        // A client that counts its settlements counts each reply.
        effects.emplace_back(TellDone{cause.reply_target, is_reply(cause)});
    }
    const auto* request = broker::find_request(state.requests, event.ticket);
    if (request == nullptr) return;
    effects.emplace_back(TellProgress{.request = event.ticket,
                                      .requester = state.registry.agents[request->requester].id,
                                      .asked = request->asked,
                                      .note = event.note,
                                      .number = event.number,
                                      .attempt = event.attempt});
}

/// Confirms a cancel command at its first event; there may be many.
void tell_cancelled_once(const Stamped& cause, Effects& effects) {
    const bool is_asked = std::holds_alternative<CancelRequest>(cause.command);
    const bool is_told = std::ranges::any_of(effects, [&](const Effect& effect) {
        const auto* told = std::get_if<TellDone>(&effect);
        return told != nullptr && told->reply_target == cause.reply_target;
    });
    if (is_asked && cause.reply_target != ReplyTarget{} && !is_told)
        effects.emplace_back(TellDone{cause.reply_target});
}

void react_cancelled(const State& state,
                     const Stamped& cause,
                     const RequestCancelled& event,
                     Effects& effects) {
    tell_cancelled_once(cause, effects);
    if (event.instance == InstanceNumber{}) return;
    const auto epoch = broker::epoch_of_lease(state.broker, event.request);
    effects.emplace_back(
        TellCancelled{event.instance, {event.request, event.attempt, epoch}, event.reason});
}

void notify(const State& state, Ticket id, NotifyPeople::Occasion occasion, Effects& effects) {
    const auto human_task = people::find_human_task(state.people, id);
    if (human_task == nullptr) return;
    effects.emplace_back(NotifyPeople{.id = id,
                                      .occasion = occasion,
                                      .role = people::role_of(*human_task),
                                      .question = human_task->asked.question,
                                      .asked_by = human_task->asked.asked_by,
                                      .asked_at = human_task->asked_at,
                                      .deadline = people::deadline_of(*human_task),
                                      .news = human_task->news});
}

/// Most notifications sent when a hub starts; reminders cover the rest.
constexpr std::size_t kUntoldMax = 10'000;

/// Sends the notifications that people did not get before the last process ended: the first due
/// comes first.
void notify_untold(const State& state, Effects& effects) {
    using Occasion = NotifyPeople::Occasion;
    if (is_planted(Mutant::ForgetTheUntold)) return;
    std::size_t count = 0;
    for (const auto& [time, id] : state.people.due) {
        const auto human_task = people::find_human_task(state.people, id);
        if (human_task->news == Sequence{}) continue;
        if (++count > kUntoldMax) return;
        const auto occasion = human_task->is_reminded    ? Occasion::Reminded
                              : human_task->is_escalated ? Occasion::Escalated
                                                         : Occasion::Asked;
        notify(state, id, occasion, effects);
    }
}

void react_asked(const State& state,
                 const Stamped& cause,
                 const HumanAsked& event,
                 Effects& effects) {
    const bool is_told = std::holds_alternative<OpenHumanTask>(cause.command);
    const auto human_task = people::find_human_task(state.people, event.id);
    if (is_told && cause.reply_target != ReplyTarget{} && human_task != nullptr) {
        effects.emplace_back(TellAsked{cause.reply_target, event.id, human_task->asked_at});
    }
    notify(state, event.id, NotifyPeople::Occasion::Asked, effects);
}

void stir_all(const State& state, Effects& effects) {
    for (AgentHandle agent = 0; agent < state.broker.mailboxes.size(); ++agent) {
        if (broker::mailbox_of(state.broker, agent).waiting > 0) stir(state, agent, effects);
    }
}

void react_started(const State& state, Effects& effects) {
    for (const auto& agent : state.registry.agents) {
        if (!agent.is_registered || agent.profile.endpoint.empty()) continue;
        effects.emplace_back(OpenEndpoint{
            agent.id, agent.profile.endpoint, std::max(agent.profile.instance_count_max, 1U)});
    }
    notify_untold(state, effects);
}

/// True if a refusal is about an agent: its id is then no message's.
bool is_about_an_agent(const Stamped& cause) {
    return std::holds_alternative<RegisterAgent>(cause.command) ||
           std::holds_alternative<RemoveAgent>(cause.command) ||
           std::holds_alternative<JoinInstance>(cause.command) ||
           std::holds_alternative<Subscribe>(cause.command) ||
           std::holds_alternative<Unsubscribe>(cause.command);
}

}  // namespace

void react(const State& state, const Stamped& cause, const Event& event, Effects& effects) {
    const auto done = [&] {
        if (cause.reply_target != ReplyTarget{}) effects.emplace_back(TellDone{cause.reply_target});
    };
    const auto settled = [&] {
        if (cause.reply_target != ReplyTarget{})
            effects.emplace_back(TellDone{cause.reply_target, true});
    };
    const auto refused = [&](std::string_view id,
                             Refusal refusal,
                             std::string_view detail,
                             std::uint64_t retry_after_ms = 0) {
        if (cause.reply_target == ReplyTarget{}) return;
        effects.emplace_back(TellRefused{.reply_target = cause.reply_target,
                                         .id = std::string{id},
                                         .refusal = refusal,
                                         .detail = std::string{detail},
                                         .delivery = answered_by(cause),
                                         .retry_after_ms = retry_after_ms,
                                         .envelope = brought_by(cause)});
    };
    match(
        event,
        [&](const MessageAccepted& accepted) { react_accepted(state, cause, accepted, effects); },
        [&](const LeaseGranted& granted) { react_granted(state, cause, granted, effects); },
        [&](const DeliveryAcknowledged&) {
            // The answer to a message or reply says more than this.
            const bool is_sent = std::holds_alternative<SendMessage>(cause.command);
            if ((!is_reply(cause) && !is_sent) || acknowledges(cause)) settled();
        },
        [&](const HubFounded&) {},
        [&](const HubStarted&) { react_started(state, effects); },
        [&](const AgentRegistered& registered) {
            done();
            effects.emplace_back(OpenEndpoint{registered.agent,
                                              registered.profile.endpoint,
                                              std::max(registered.profile.instance_count_max, 1U)});
        },
        [&](const AgentRemoved& removed) {
            done();
            effects.emplace_back(OpenEndpoint{removed.agent, {}, 0});
        },
        [&](const InstanceJoined& joined) {
            effects.emplace_back(TellJoined{cause.reply_target, joined.instance, joined.agent});
        },
        [&](const InstanceLeft& left) {
            effects.emplace_back(CloseInstance{left.instance, left.reason});
        },
        [&](const InstanceSeen& seen) {
            const auto* instance = registry::find_instance(state.registry, seen.instance);
            const bool is_taking = std::holds_alternative<TakeMessages>(cause.command) ||
                                   std::holds_alternative<Heartbeat>(cause.command);
            if (is_taking) return done();
            if (!std::holds_alternative<JoinInstance>(cause.command)) return;
            effects.emplace_back(TellJoined{
                cause.reply_target, seen.instance, state.registry.agents[instance->agent].id});
        },
        [&](const CreditGranted&) { done(); },
        [&](const Subscribed&) { done(); },
        [&](const Unsubscribed&) { done(); },
        [&](const MessageRefused& no) {
            refused(is_about_an_agent(cause) ? std::string_view{} : no.id,
                    no.refusal,
                    no.detail,
                    no.retry_after_ms);
        },
        [&](const DuplicateReceived& again) { react_duplicate(state, cause, again, effects); },
        [&](const LeaseExtended&) { done(); },
        [&](const ProgressReported& progress) { react_progress(state, cause, progress, effects); },
        [&](const DeliveryReturned&) {
            if (is_nack(cause)) settled();
        },
        [&](const RetryBegan&) {},
        [&](const MessageDropped&) {
            if (is_nack(cause)) settled();
        },
        [&](const MessageExpired&) {
            if (is_nack(cause)) settled();
        },
        [&](const MessageDeadLettered&) {
            if (is_nack(cause)) settled();
        },
        [&](const DeadLetterRedelivered&) { done(); },
        [&](const DeadLetterDiscarded&) { done(); },
        [&](const SettlementRefused& no) { react_unsettled(cause, no, effects); },
        [&](const RequestAnswered& answered) { react_answered(state, cause, answered, effects); },
        [&](const RequestFailed& failed) { react_failed(failed, effects); },
        [&](const ReplyDropped& dropped) { react_dropped(cause, dropped, effects); },
        [&](const WaitEnded&) { done(); },
        [&](const DelegationFounded&) {},
        [&](const DelegationAdmitted&) {},
        [&](const DelegationTreeEnded&) {},
        [&](const PolicyChanged&) { done(); },
        [&](const FleetStopped&) { done(); },
        [&](const FleetResumed&) {
            done();
            stir_all(state, effects);
        },
        [&](const RequestCancelled& cancelled) {
            react_cancelled(state, cause, cancelled, effects);
        },
        [&](const ToolAuthorized&) { done(); },
        [&](const ToolRefused& no) { refused(no.tool, no.refusal, no.detail); },
        [&](const BreakerOpened&) {},
        [&](const BreakerProbed& probed) {
            stir(state, registry::find_agent(state.registry, probed.agent.value), effects);
        },
        [&](const BreakerClosed& closed) {
            stir(state, registry::find_agent(state.registry, closed.agent.value), effects);
        },
        [&](const WorkflowStarted& started) {
            if (cause.reply_target == ReplyTarget{}) return;
            effects.emplace_back(
                TellStarted{cause.reply_target, started.id, started.correlation, state.sequence});
        },
        [&](const StepOpened&) {},
        [&](const StepBegan&) {},
        [&](const StepDelayed&) {},
        [&](const StepEnded&) {},
        [&](const StepAsked&) {},
        [&](const WorkflowUndone&) { tell_cancelled_once(cause, effects); },
        [&](const WorkflowEnded& ended) {
            effects.emplace_back(TellEnded{ended.id, ended.report});
        },
        [&](const HumanAsked& asked) { react_asked(state, cause, asked, effects); },
        [&](const HumanReminded& reminded) {
            notify(state, reminded.id, NotifyPeople::Occasion::Reminded, effects);
        },
        [&](const HumanEscalated& escalated) {
            notify(state, escalated.id, NotifyPeople::Occasion::Escalated, effects);
        },
        [&](const HumanAnswered&) { done(); },
        [&](const HumanLapsed&) {},
        [&](const HumanWithdrawn&) { tell_cancelled_once(cause, effects); },
        [&](const HumanNotified&) {},
        [&](const FactsWithheld&) {},
        [&](const ContextWritten&) { done(); },
        [&](const ContextLocked&) {},
        [&](const HandoffEnded&) {},
        [&](const TaskWritten&) { done(); },
        [&](const TaskDeleted&) { done(); },
        [&](const AllocationWritten&) { done(); },
        [&](const AllocationEnded&) { done(); },
        [&](const SessionWritten&) { done(); },
        [&](const FactLearnt&) {
            if (std::holds_alternative<AddFacts>(cause.command)) done();
        },
        [&](const AnalysisKept&) { done(); },
        [&](const MessageMoved&) {},
        [&](const PassingBegan&) {},
        [&](const PassingRefused& no) { react_passed_on(state, cause, no, effects); },
        [&](const CallOpened&) {},
        [&](const CallAsked&) {},
        [&](const CallEnded&) {},
        [&](const StatePushed&) {},
        [&](const RequestHeld&) {},
        [&](const RequestReleased&) {});
    // Whatever the event was: polling instances hear of a mailbox in which something became ready.
    if (state.broker.stirred != kNoAgent) stir(state, state.broker.stirred, effects);
}

Time next_due(const State& state) {
    auto due = Time::max();
    for (const auto* agenda : {&state.broker.due, &state.requests.deadlines}) {
        const bool is_slept_through =
            (is_planted(Mutant::SleepThroughRetries) && agenda == &state.broker.due) ||
            (is_planted(Mutant::SleepThroughDeadlines) && agenda == &state.requests.deadlines);
        if (is_slept_through) continue;
        if (!agenda->empty()) due = std::min(due, agenda->first().at);
    }
    for (const auto& [agent, breaker] : state.governor.breakers) {
        if (breaker.stage == governor::BreakerStage::Open) due = std::min(due, breaker.open_until);
    }
    const auto& expiring = state.shared.expiring;
    if (!expiring.empty()) due = std::min(due, expiring.begin()->first);
    const auto& idle = state.governor.lineage.idle;
    if (!idle.empty()) due = std::min(due, idle.begin()->first);
    const auto& workflows = state.workflows;
    // Workflows wait for a stopped fleet, whatever the time.
    const bool is_stopped = state.governor.is_stopped;
    if (!workflows.due.empty() && !is_stopped) due = std::min(due, workflows.due.begin()->first);
    if (!state.people.due.empty()) due = std::min(due, state.people.due.begin()->first);
    if (!state.handing.due.empty()) due = std::min(due, state.handing.due.begin()->first);
    return due;
}

}  // namespace parlance::core
