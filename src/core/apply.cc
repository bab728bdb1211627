#include <boost/unordered/unordered_flat_set.hpp>

#include "base/check.h"
#include "base/match.h"
#include "base/mutant.h"
#include "core/broker/lanes.h"
#include "core/core.h"
#include "core/keys.h"
#include "core/starter.h"
#include "model/names.h"

namespace parlance::core {

namespace {

constexpr std::string_view kTopicPrefix = "topic:";

/// The records of messages with a later copy in a mailbox, as a topic's may have. An id leads to
/// the first copy, which may be gone while later copies wait.
boost::unordered_flat_set<std::uint64_t> records_of_later_copies(const broker::Broker& broker) {
    boost::unordered_flat_set<std::uint64_t> records;
    broker.slots.for_each([&](Slot slot) {
        const auto ticket = broker.messages[slot].ticket;
        const auto record = sequence_of(ticket);
        if (ticket != ticket_at(record)) records.insert(record.value);
    });
    return records;
}

void remember(State& state, std::uint64_t key, Ticket ticket, std::uint64_t fingerprint) {
    broker::remember_id(state.dedup,
                        key,
                        {.ticket = ticket, .fingerprint = static_cast<std::uint32_t>(fingerprint)});
    if (!broker::is_full(state.dedup, state.limits.remembered_ids_max)) return;
    const auto later_copies = records_of_later_copies(state.broker);
    broker::age(state.dedup, state.limits.remembered_ids_max, [&](Ticket live) {
        if (is_planted(Mutant::ForgetWhatWaits)) return false;
        return broker::find_message(state.broker, live) != nullptr ||
               later_copies.contains(sequence_of(live).value) ||
               broker::find_request(state.requests, live) != nullptr ||
               state.workflows.runs.contains(live);
    });
    // Each mutant forgets a generation that the dedup window must still have.
    if (is_planted(Mutant::ForgetIdsTooSoon)) state.dedup.older.ids = {};
    if (is_planted(Mutant::ForgetEndedRequests)) {
        state.dedup.older.closed = {};
        state.dedup.older.answers = {};
    }
}

void remember(State& state, const Envelope& envelope, Ticket ticket, std::uint64_t fingerprint) {
    remember(state, message_key(state.key, envelope.from(), envelope.id()), ticket, fingerprint);
}

broker::Arrival arrival(const MessageAccepted& event, AgentHandle mailbox, std::uint64_t copy) {
    return {.ticket = {event.ticket.value + copy},
            .envelope = event.envelope,
            .mailbox = mailbox,
            .priority = event.priority,
            .expires_at = event.expires_at,
            .retry_count_max = event.retry_count_max};
}

AgentHandle recipient(State& state, const Envelope& envelope) {
    const auto handle = registry::intern(state.registry, envelope.to());
    if (is_planted(Mutant::DeliverToNeighbour) && handle > 0) return handle - 1;
    return handle;
}

/// Takes the copy out of its mailbox. An open request without a copy is kept until its answer.
void take_away(State& state, Ticket ticket) {
    const auto* copy = broker::find_message(state.broker, ticket);
    const broker::Retries retries{copy->attempt, copy->retry_count_max};
    broker::remove(state.broker, state.key, ticket);
    broker::set_adrift(state.requests, ticket, true, retries);
}

/// Puts a message into a mailbox that was in none.
void bring_back(State& state, broker::Arrival arrival) {
    const auto* request = broker::find_request(state.requests, arrival.ticket);
    if (request != nullptr && request->attempt > 0) {
        arrival.attempt = request->attempt;
        arrival.retry_count_max = request->retry_count_max;
    }
    broker::set_adrift(state.requests, arrival.ticket, false);
    broker::enqueue(state.broker, state.key, std::move(arrival));
}

void count_rate(State& state, const Subject& sender) {
    auto& governor = state.governor;
    if (limit_of(governor.policy, Rule::MessagesPerMinute, sender) == 0) return;
    governor::count(governor.rates, governor::agent_account(sender.agent), state.now);
}

void count_request_for(State& state, std::string_view user) {
    auto& governor = state.governor;
    if (user.empty()) return;
    // The sender and the capability of the user's next request, which may be limited, are not known
    // yet.
    if (!is_set(governor.policy, Rule::RequestsPerUserMinute)) return;
    governor::count(governor.rates, governor::user_account(user), state.now);
}

void apply_accepted(State& state, const MessageAccepted& event) {
    const auto& envelope = *event.envelope;
    CHECK(event.ticket == ticket_at(state.sequence));
    remember(state, envelope, event.ticket, event.fingerprint);
    if (counts_as_sent(envelope.from())) {
        count_rate(state, {.platform = enum_name(envelope.dialect()), .agent = envelope.from()});
    }

    if (envelope.to().starts_with(kTopicPrefix)) {
        const TopicName topic{std::string{envelope.to().substr(kTopicPrefix.size())}};
        const auto found = state.registry.topics.find(topic);
        if (found == state.registry.topics.end()) return;
        std::uint64_t copy = 0;
        for (const auto subscriber : found->second) {
            broker::enqueue(state.broker, state.key, arrival(event, subscriber, copy++));
        }
        return;
    }
    if (!event.is_held || is_planted(Mutant::BeginBeforeLeave)) {
        broker::enqueue(state.broker, state.key, arrival(event, recipient(state, envelope), 0));
    }
    if (envelope.intent() != Intent::Request) return;
    broker::open_request(state.requests,
                         state.key,
                         {.ticket = event.ticket,
                          .asked = event.envelope,
                          .requester = registry::intern(state.registry, envelope.from()),
                          .priority = event.priority,
                          .waits = event.waits},
                         event.deadline);
    if (!event.is_held) return;
    broker::set_adrift(state.requests, event.ticket, true);
    broker::set_held(state.requests, event.ticket, !is_planted(Mutant::BeginBeforeLeave));
}

/// The mailbox entry of an answer when no connection waits for it: as urgent as the request,
/// without a ttl, and kept until the requester settles it (W1).
broker::Arrival answer_to(const State& state, const broker::OpenRequest& request, Ticket ticket) {
    return {.ticket = ticket,
            .mailbox = request.requester,
            .priority = request.priority,
            .retry_count_max = std::min(state.limits.retry_count_max, std::uint32_t{254}),
            .is_answer = true};
}

/// Packs things that were not touched for a while into the cold stores.
void tidy(State& state) {
    const auto awake_max = state.limits.awake_max;
    workflow::tidy(state.workflows, awake_max);
    state.people.human_tasks.tidy(awake_max);
    governor::tidy(state.governor.lineage, awake_max);
}

void attend_all(State& state) {
    workflow::attend_all(state.workflows,
                         state.now,
                         governor::open_max(state.governor.policy),
                         state.limits.awake_max);
}

/// Checks whether something is to be decided in a workflow.
void attend(State& state, Ticket run) {
    workflow::attend(state.workflows, run, state.now, governor::open_max(state.governor.policy));
}

/// Passes the outcome of a request to its workflow, and checks for the next move there.
void tell_workflow(State& state,
                   Ticket request,
                   const EnvelopePtr& reply,
                   const Failure& failure,
                   std::uint64_t tokens_used = 0) {
    const auto run = workflow::find_asker(state.workflows, request);
    if (run == Ticket{}) return;
    if (reply) {
        workflow::take_answer(state.workflows, request, reply, tokens_used);
    } else {
        workflow::take_failure(state.workflows,
                               request,
                               std::string{refusal_row(failure.refusal).code},
                               failure.detail);
    }
    attend(state, run);
}

/// Passes the outcome of a request to its call.
void tell_call(State& state, Ticket request, const EnvelopePtr& reply, const Failure& failure) {
    if (reply) return handing::take_answer(state.handing, request, reply);
    handing::take_failure(
        state.handing, request, std::string{refusal_row(failure.refusal).code}, failure.detail);
}

template <class Fact>
void apply_step(State& state, const Fact& event) {
    workflow::apply(state.workflows, event);
    attend(state, event.run);
}

void apply_started(State& state, const WorkflowStarted& event) {
    const auto number = ticket_at(state.sequence);
    remember(state, message_key(state.key, kOrchestrator, event.id), number, event.fingerprint);
    // Remembered after the id, so not forgotten before it.
    remember(state, starter_key(state.key, event.by, event.id), number, event.fingerprint);
    if (event.is_by_agent) count_rate(state, as_sender(state, event.by));
    workflow::apply(state.workflows, event, number, state.now);
    attend(state, number);
}

/// True if the requester has one message of this task in all, and was handed the message. The
/// question itself does not count, when an agent asks itself.
bool is_in_hand(const State& state, const broker::OpenRequest& request, std::string_view task) {
    const auto lane =
        broker::find_lane(state.broker, state.key, lane_key(state.key, request.requester, task));
    if (!lane || lane->head != lane->tail) return false;
    const auto& message = state.broker.messages[lane->head];
    return message.stage == broker::Stage::Leased && message.ticket != request.ticket;
}

/// An answer does not wait behind a message of the same task in the requester's hand, which may
/// need the answer to get done; nor behind a task being handed over or helped with; nor behind
/// messages held back by a stopped fleet.
EnvelopePtr set_apart(const State& state,
                      const broker::OpenRequest& request,
                      const EnvelopePtr& answer) {
    const bool is_awaited = handing::find_pass(state.handing, request.ticket) != nullptr ||
                            state.governor.is_stopped || is_in_hand(state, request, answer->task());
    if (!is_awaited) return answer;
    auto header = answer->header();
    header.task = {};
    return Envelope::make(header, answer->body());
}

/// True if the hub asks in its own name, for a workflow or a call. No other sender has the name.
bool is_of_a_plan(const Envelope& asked) { return asked.from() == kOrchestrator; }

governor::Circumstances circumstances(const State& state, Ticket ticket) {
    const auto* request = broker::find_request(state.requests, ticket);
    CHECK(request != nullptr);  // Admitted on acceptance, or while it is open.
    return {.origin = request->requester,
            .target = registry::find_agent(state.registry, request->asked->to()),
            .target_name = request->asked->to(),
            .deadline = broker::deadline_of(state.requests, *request),
            .now = state.now,
            .budget_window = governor::window_of(state.governor.policy),
            .may_repeat = is_of_a_plan(*request->asked)};
}

void hold(State& state, const RequestHeld& held) {
    state.governor.held.emplace(held.request, held);
    state.requests.adrift_bytes += governor::bytes_of(held);
}

/// Ends the wait of a request for people's approval; does nothing for other requests.
void let_go(State& state, Ticket request) {
    const auto held = state.governor.held.extract(request);
    if (held.empty()) return;
    state.requests.adrift_bytes -= governor::bytes_of(held.mapped());
    state.governor.approved.erase(request);
}

/// `answer` is the answer's copy in the requester's mailbox, if any.
void end_request(State& state, Ticket ticket, Ticket answer, std::uint64_t tokens_used = 0) {
    const auto* request = broker::find_request(state.requests, ticket);
    const auto& asked = *request->asked;
    const auto& policy = state.governor.policy;
    governor::end(state.governor.lineage,
                  ticket,
                  {.tokens_used = tokens_used,
                   .target_name = asked.to(),
                   .now = state.now,
                   .budget_window = governor::window_of(policy),
                   .root_idle = Duration{limit_of(policy, Rule::RootIdleMs)}});
    broker::remember_answer(
        state.dedup, message_key(state.key, asked.from(), asked.id()), state.sequence);
    // Pushed state goes back with a mailbox copy only: a requester on the connection still has it.
    auto pushed = handing::end(state.handing, asked, ticket);
    if (!pushed.empty() && answer != Ticket{} && !is_planted(Mutant::AnswerTwice)) {
        broker::enclose(state.broker, answer, std::move(pushed));
    }
    broker::close_request(state.requests, state.dedup, state.key, ticket);
    broker::age_closed(state.dedup, state.limits.remembered_ids_max);
    broker::end_stream(state.streams, ticket, state.sequence, state.limits.streams_ended_max);
    let_go(state, ticket);
}

void count_failure(State& state, std::string_view agent) {
    if (is_no_agent(agent)) return;  // People may take their time.
    const auto handle = registry::find_agent(state.registry, agent);
    const auto most =
        limit_of(state.governor.policy, Rule::BreakerFailures, as_target(state, handle));
    if (most == 0) return;
    governor::note_failure(
        state.governor.breakers, handle, state.now, static_cast<std::uint64_t>(most));
}

/// A request handed over with a fair time left is the agent's to answer in that time.
void note_time(State& state, Ticket ticket) {
    const auto* request = broker::find_request(state.requests, ticket);
    if (request == nullptr || request->had_time) return;
    const auto agent = registry::find_agent(state.registry, request->asked->to());
    const Duration fair{
        limit_of(state.governor.policy, Rule::BreakerFairMs, as_target(state, agent))};
    if (broker::deadline_of(state.requests, *request) - state.now < fair) return;
    broker::note_time(state.requests, ticket);
}

void apply_answered(State& state, const RequestAnswered& event) {
    const auto* request = broker::find_request(state.requests, event.request);
    CHECK(request != nullptr);
    const auto reply_ticket = event.ticket == Ticket{} ? ticket_at(state.sequence) : event.ticket;
    remember(state, *event.envelope, reply_ticket, body_key(state.key, event.envelope->body()));
    if (event.ticket != Ticket{}) {
        auto answer = answer_to(state, *request, event.ticket);
        answer.envelope = set_apart(state, *request, event.envelope);
        broker::enqueue(state.broker, state.key, std::move(answer));
    }
    if (event.kind == AnswerKind::Failed) count_failure(state, request->asked->to());
    if (event.kind == AnswerKind::Done) {
        governor::note_success(state.governor.breakers,
                               registry::find_agent(state.registry, request->asked->to()));
    }
    const auto cost = governor::cost_of(state.governor.lineage, event.request, event.tokens_used);
    const auto tokens =
        governor::charged_tokens(state.governor.lineage, event.request, event.tokens_used);
    shared::charge(state.shared, request->asked->to(), {tokens, cost});
    if (!is_planted(Mutant::AnswerTwice)) {
        end_request(state, event.request, event.ticket, event.tokens_used);
    }
    // The answer also settles the question, in whatever stage it is.
    const auto* question = broker::find_message(state.broker, event.request);
    if (question != nullptr) broker::remove(state.broker, state.key, event.request);
    tell_workflow(state, event.request, event.envelope, {}, event.tokens_used);
    tell_call(state, event.request, event.envelope, {});
}

void apply_failed(State& state, const RequestFailed& event) {
    const auto* request = broker::find_request(state.requests, event.request);
    CHECK(request != nullptr);
    const bool is_held = state.governor.held.contains(event.request);
    const bool is_failure = governor::is_failure(event.refusal, request->had_time);
    if (is_failure && !is_held) count_failure(state, request->asked->to());
    if (event.ticket != Ticket{}) {
        auto answer = answer_to(state, *request, event.ticket);
        answer.envelope = set_apart(state, *request, request->asked);
        broker::enqueue_notice(
            state.broker, state.key, std::move(answer), {event.refusal, event.detail});
    }
    end_request(state, event.request, event.ticket);
    tell_workflow(state, event.request, {}, {event.refusal, event.detail});
    tell_call(state, event.request, {}, {event.refusal, event.detail});
}

void apply_moved(State& state, const MessageMoved& event) {
    const auto mailbox = registry::intern(state.registry, event.envelope->to());
    const auto* request = broker::find_request(state.requests, event.ticket);
    const auto deadline =
        request == nullptr ? Time{} : broker::deadline_of(state.requests, *request);
    if (request != nullptr) {
        const EnvelopePtr before = request->asked;
        governor::retarget(state.governor.lineage,
                           event.ticket,
                           {.target = mailbox,
                            .name_before = before->to(),
                            .name = event.envelope->to(),
                            .now = state.now,
                            .budget_window = governor::window_of(state.governor.policy),
                            .may_repeat = is_of_a_plan(*before),
                            .is_priced = event.is_priced,
                            .cost = event.cost});
        handing::note_moved(state.handing, event.ticket, *before);
        broker::readdress(state.requests, state.dedup, state.key, event);
        broker::age_closed(state.dedup, state.limits.remembered_ids_max);
    }
    // The taker of a handed-over task has agreed to it. A request passed on after a refusal comes
    // unasked, and is in nobody's hands until delivered.
    const bool is_known = handing::find_pass(state.handing, event.ticket) == nullptr;
    if (broker::find_message(state.broker, event.ticket) != nullptr) {
        return broker::move(state.broker, state.key, event, {mailbox, is_known});
    }
    bring_back(state,
               {.ticket = event.ticket,
                .envelope = event.envelope,
                .mailbox = mailbox,
                .priority = event.priority,
                .expires_at = deadline,
                .retry_count_max = std::min(state.limits.retry_count_max, std::uint32_t{254}),
                .is_known = is_known});
}

void apply_passed_on(State& state, const PassingRefused& event) {
    handing::apply(state.handing, event);
    if (event.kind == AnswerKind::Failed) count_failure(state, event.by);
    if (!event.reply) return;
    // The same reply again is a duplicate, and not a second refusal.
    remember(
        state, *event.reply, ticket_at(state.sequence), body_key(state.key, event.reply->body()));
}

/// Sends a held request to its recipient now, as if just accepted.
void apply_released(State& state, const RequestReleased& event) {
    const auto held = state.governor.held.find(event.request);
    CHECK(held != state.governor.held.end());
    const auto retry_count_max = held->second.retry_count_max;
    let_go(state, event.request);
    broker::set_held(state.requests, event.request, false);
    broker::set_deadline(state.requests, event.request, event.deadline);
    if (event.envelope) broker::reword(state.requests, event.request, event.envelope);
    const auto& request = *broker::find_request(state.requests, event.request);
    const bool has_begun = broker::find_message(state.broker, event.request) != nullptr;
    if (is_planted(Mutant::BeginBeforeLeave) && has_begun) return;
    bring_back(state,
               {.ticket = event.request,
                .envelope = request.asked,
                .mailbox = recipient(state, *request.asked),
                .priority = request.priority,
                .expires_at = event.expires_at,
                .retry_count_max = retry_count_max});
}

/// Ended human tasks keep at most one part in this many of `hub_bytes_max`, less the bytes of
/// waiting tasks: old decisions refuse no new work (G7).
constexpr std::uint64_t kPartForEndedHumanTasks = 16;

void forget_ended_human_tasks(State& state) {
    auto& people = state.people;
    const auto bytes_max = state.limits.hub_bytes_max / kPartForEndedHumanTasks;
    while (people.bytes > bytes_max && !people.ended.empty()) {
        const auto oldest = people.ended.begin();
        people.bytes -= people::bytes_of(*people::find_human_task(people, oldest->second));
        people.human_tasks.erase(oldest->second);
        people.ended.erase(oldest);
    }
}

/// A request approved while the fleet is stopped begins when the fleet goes on.
void note_leave(State& state, const HumanAnswered& event) {
    auto& governor = state.governor;
    if (!governor.is_stopped || event.awaits_another) return;
    if (event.decision != HumanDecision::Approve) return;
    const auto request = people::find_human_task(state.people, event.id)->asked.request;
    if (!governor.held.contains(request)) return;
    governor.approved.insert_or_assign(request,
                                       governor::Leave{.by = event.by, .tokens = event.tokens});
}

void apply_policy(State& state, const PolicyChanged& event) {
    auto settings = parse_policy(event.settings);
    // A policy with a rule unknown to this program is not put in force; decide() admits known rules
    // only.
    if (!settings) return;
    const auto before = std::exchange(state.governor.policy,
                                      {.version = event.version, .settings = *std::move(settings)});
    for (auto& [agent, breaker] : state.governor.breakers) {
        const auto subject = as_target(state, agent);
        const auto open_ms = [&subject](const Policy& policy) {
            return Duration{limit_of(policy, Rule::BreakerOpenMs, subject)};
        };
        breaker.open_until += open_ms(state.governor.policy) - open_ms(before);
    }
    attend_all(state);
}

/// The endpoint that holds the delivery did not answer.
void note_missed(State& state, Ticket ticket) {
    const auto* message = broker::find_message(state.broker, ticket);
    registry::miss(state.registry,
                   state.broker.consumers[message->consumer].instance,
                   state.now,
                   state.limits.heartbeat_timeout);
}

void apply_returned(State& state, const DeliveryReturned& event) {
    if (is_planted(Mutant::LoseReturnedMessage)) {
        return broker::remove(state.broker, state.key, event.ticket);
    }
    if (event.is_unanswered) note_missed(state, event.ticket);
    broker::give_back(state.broker, state.key, event, state.now);
}

void apply_buried(State& state, const MessageDeadLettered& event) {
    if (is_planted(Mutant::DropDeadLetter)) {
        return broker::remove(state.broker, state.key, event.ticket);
    }
    if (event.is_unanswered) note_missed(state, event.ticket);
    broker::bury(state.broker, state.key, event, state.now);
}

}  // namespace

void apply(State& state, Time at, const Event& event) {
    ++state.sequence.value;
    state.now = at;
    auto& broker = state.broker;
    auto& registry = state.registry;
    broker.stirred = kNoAgent;
    const auto of_people = [&](const auto& human) {
        people::apply(state.people,
                      human,
                      {.sequence = state.sequence,
                       .at = at,
                       .ended_max = state.limits.human_tasks_ended_max});
        forget_ended_human_tasks(state);
    };
    match(
        event,
        [&](const MessageAccepted& accepted) { apply_accepted(state, accepted); },
        [&](const LeaseGranted& granted) {
            broker::grant(broker, granted);
            note_time(state, granted.ticket);
        },
        [&](const DeliveryAcknowledged& done) { take_away(state, done.ticket); },
        [&](const HubFounded& founded) {
            state.hub_id = founded.hub_id;
            state.key = {founded.hash_key_0, founded.hash_key_1};
        },
        [&](const HubStarted& started) {
            broker::begin_epoch(broker, started.epoch);
            // Connections waiting for an answer ended with the previous process. The hub still
            // waits, also for requests of a workflow or call already over: nobody reads the mailbox
            // of the hub's own name.
            state.requests.slots.for_each([&](Slot slot) {
                auto& request = state.requests.open[slot];
                request.waits =
                    is_of_a_plan(*request.asked) || state.handing.asked.contains(request.ticket);
            });
            // Failures caused by the restart count against no agent.
            std::erase_if(state.governor.breakers, [](const auto& breaker) {
                return breaker.second.stage == governor::BreakerStage::Closed;
            });
            forget_ended_human_tasks(state);  // The limit may be lower than in the previous run.
            if (is_planted(Mutant::ForgetWhoIsAsked)) state.people = {};
            if (is_planted(Mutant::ForgetTheRun)) state.workflows.by_request = {};
        },
        [&](const AgentRegistered& registered) { registry::apply(registry, registered); },
        [&](const AgentRemoved& removed) { registry::apply(registry, removed); },
        [&](const InstanceJoined& joined) {
            registry::apply(registry, joined, at);
            broker::join(broker, joined, registry::find_agent(registry, joined.agent.value));
        },
        [&](const InstanceLeft& left) {
            broker::leave(broker, left.instance);
            registry::apply(registry, left);
        },
        [&](const InstanceSeen& seen) { registry::apply(registry, seen, at); },
        [&](const CreditGranted& granted) {
            broker::set_credit(broker, granted.instance, granted.credit);
        },
        [&](const Subscribed& subscribed) { registry::apply(registry, subscribed); },
        [&](const Unsubscribed& unsubscribed) { registry::apply(registry, unsubscribed); },
        [&](const MessageRefused&) {},  // The record is the point; nothing else changes.
        [&](const DuplicateReceived& again) {
            if (again.waits && broker::find_request(state.requests, again.ticket) != nullptr) {
                broker::set_wait(state.requests, again.ticket, true);
            }
        },
        [&](const LeaseExtended& extended) {
            broker::extend(broker, extended.ticket, extended.until);
        },
        [&](const ProgressReported& progress) {
            broker::extend(broker, progress.ticket, progress.until);
            if (progress.number == 0) return;  // Of no request, or from before streams existed.
            broker::add_part(state.streams, progress.ticket, state.sequence, progress.note.size());
        },
        [&](const DeliveryReturned& returned) { apply_returned(state, returned); },
        [&](const RetryBegan& began) { broker::begin_retry(broker, state.key, began.ticket); },
        [&](const MessageDropped& dropped) {
            if (dropped.is_unanswered) note_missed(state, dropped.ticket);
            take_away(state, dropped.ticket);
        },
        [&](const MessageExpired& expired) { take_away(state, expired.ticket); },
        [&](const MessageDeadLettered& dead) { apply_buried(state, dead); },
        [&](const DeadLetterRedelivered& back) { broker::revive(broker, state.key, back.ticket); },
        [&](const DeadLetterDiscarded& discarded) { take_away(state, discarded.ticket); },
        [&](const SettlementRefused&) {},
        [&](const RequestAnswered& answered) { apply_answered(state, answered); },
        [&](const RequestFailed& failed) { apply_failed(state, failed); },
        [&](const ReplyDropped&) {},
        [&](const WaitEnded& ended) { broker::set_wait(state.requests, ended.request, false); },
        [&](const DelegationFounded& founded) {
            governor::found(state.governor.lineage, founded, circumstances(state, founded.request));
        },
        [&](const DelegationAdmitted& admitted) {
            governor::admit(
                state.governor.lineage, admitted, circumstances(state, admitted.request));
            count_request_for(state, admitted.user);
        },
        [&](const FactsWithheld& withheld) {
            governor::taint(state.governor.lineage, withheld.request);
        },
        [&](const DelegationTreeEnded& ended) {
            governor::end_root(state.governor.lineage, ended.root);
        },
        [&](const PolicyChanged& changed) { apply_policy(state, changed); },
        [&](const FleetStopped& stopped) {
            auto& governor = state.governor;
            if (!governor.is_stopped) governor.stop = {stopped.by, stopped.reason, at};
            governor.is_stopped = true;
            broker::hand_answers_only(broker);
        },
        [&](const FleetResumed&) {
            state.governor.is_stopped = false;
            state.governor.stop = {};
            broker::hand_everything(broker);
        },
        [&](const RequestCancelled&) {},
        [&](const ToolAuthorized&) {},
        [&](const ToolRefused&) {},
        [&](const BreakerOpened& opened) {
            governor::open(state.governor.breakers,
                           registry::find_agent(registry, opened.agent.value),
                           opened.until);
        },
        [&](const BreakerProbed& probed) {
            governor::probe(state.governor.breakers,
                            registry::find_agent(registry, probed.agent.value));
        },
        [&](const BreakerClosed& closed) {
            governor::close(state.governor.breakers,
                            registry::find_agent(registry, closed.agent.value));
        },
        [&](const WorkflowStarted& started) { apply_started(state, started); },
        [&](const StepOpened& opened) { apply_step(state, opened); },
        [&](const StepBegan& began) {
            const auto* request = broker::find_request(state.requests, began.request);
            CHECK(request != nullptr);  // Recorded just before this event.
            workflow::apply(
                state.workflows, began, registry::find_agent(registry, request->asked->to()));
            attend(state, began.run);
        },
        [&](const StepDelayed& delayed) { apply_step(state, delayed); },
        [&](const StepEnded& ended) { apply_step(state, ended); },
        [&](const WorkflowUndone& compensated) { apply_step(state, compensated); },
        [&](const StepAsked& asked) { apply_step(state, asked); },
        [&](const WorkflowEnded& ended) {
            broker::remember_answer(
                state.dedup, message_key(state.key, kOrchestrator, ended.id), state.sequence);
            workflow::apply(state.workflows, ended);
        },
        [&](const HumanAsked& human) {
            if (human.is_by_agent) count_rate(state, as_sender(state, human.asked_by));
            of_people(human);
        },
        [&](const HumanReminded& human) { of_people(human); },
        [&](const HumanEscalated& human) { of_people(human); },
        [&](const HumanNotified& human) { of_people(human); },
        [&](const HumanAnswered& human) {
            note_leave(state, human);
            of_people(human);
        },
        [&](const HumanLapsed& human) { of_people(human); },
        [&](const HumanWithdrawn& human) { of_people(human); },
        [&](const ContextWritten& written) { shared::apply(state.shared, written); },
        [&](const ContextLocked& locked) { shared::apply(state.shared, locked); },
        [&](const HandoffEnded& ended) { shared::apply(state.shared, ended); },
        [&](const TaskWritten& written) { shared::apply(state.shared, written); },
        [&](const TaskDeleted& deleted) { shared::apply(state.shared, deleted); },
        [&](const AllocationWritten& written) { shared::apply(state.shared, written); },
        [&](const AllocationEnded& ended) { shared::apply(state.shared, ended); },
        [&](const SessionWritten& written) { shared::apply(state.shared, written, at); },
        [&](const FactLearnt& learnt) { shared::apply(state.shared, learnt, at); },
        [&](const AnalysisKept& kept) { shared::apply(state.shared, kept, at); },
        [&](const MessageMoved& moved) { apply_moved(state, moved); },
        [&](const PassingBegan& began) { handing::apply(state.handing, began); },
        [&](const PassingRefused& refused) { apply_passed_on(state, refused); },
        [&](const CallOpened& opened) { handing::apply(state.handing, opened); },
        [&](const CallAsked& asked) { handing::apply(state.handing, asked); },
        [&](const CallEnded& ended) { handing::apply(state.handing, ended); },
        [&](const StatePushed& pushed) { handing::apply(state.handing, pushed); },
        [&](const RequestHeld& held) { hold(state, held); },
        [&](const RequestReleased& released) { apply_released(state, released); });
    tidy(state);

    if (is_planted(Mutant::ApplyDependsOnHistory)) {
        static std::uint64_t applied = 0;
        if (++applied % 97 == 0) ++state.registry.instance_last;
    }
}

}  // namespace parlance::core
