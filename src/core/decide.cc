#include "base/match.h"
#include "core/core.h"
#include "core/draft.h"
#include "core/keys.h"

namespace parlance::core {

void Draft::add(Event event) {
    if (endings.note(event)) events.push_back(std::move(event));
}

void decide(const State& state, const Stamped& request, Events& events, Heard* heard) {
    events.clear();
    Draft draft{.state = state, .cause = request, .events = events, .heard = heard};
    match(
        request.command,
        [&](const SendMessage& send) { decide_send(draft, send); },
        [&](const AckDelivery& ack) { decide_ack(draft, ack); },
        [&](const Tick& tick) { decide_tick(draft, tick.silent); },
        [&](const StartHub& start) { decide_start(draft, start); },
        [&](const RegisterAgent& registration) { decide_register(draft, registration); },
        [&](const RemoveAgent& removal) { decide_remove(draft, removal); },
        [&](const JoinInstance& join) { decide_join(draft, join); },
        [&](const LeaveInstance& leave) { decide_leave(draft, leave); },
        [&](const GrantCredit& grant) { decide_credit(draft, grant); },
        [&](const Heartbeat& heartbeat) { decide_heartbeat(draft, heartbeat.instance); },
        [&](const Subscribe& subscribe) { decide_subscribe(draft, subscribe); },
        [&](const Unsubscribe& unsubscribe) { decide_unsubscribe(draft, unsubscribe); },
        [&](const StopWaiting& stop) { decide_stop_waiting(draft, stop); },
        [&](const TakeMessages& take) { decide_take(draft, take); },
        [&](const NackDelivery& nack) { decide_nack(draft, nack); },
        [&](const ExtendLease& extend) { decide_extend(draft, extend); },
        [&](const ReportProgress& progress) { decide_progress(draft, progress); },
        [&](const ReplyToDelivery& reply) { decide_reply(draft, reply); },
        [&](const RefuseReply& refused) { decide_refuse_reply(draft, refused); },
        [&](const RedeliverDeadLetter& redeliver) { decide_redeliver(draft, redeliver); },
        [&](const DiscardDeadLetter& discard) { decide_discard(draft, discard); },
        [&](const RecordRefusal& refusal) { decide_refusal(draft, refusal); },
        [&](const ChangePolicy& change) { decide_policy(draft, change); },
        [&](const StopFleet& stop) { decide_stop_fleet(draft, stop); },
        [&](const ResumeFleet& resume) { decide_resume_fleet(draft, resume); },
        [&](const CancelRequest& order) { decide_cancel(draft, order); },
        [&](const AuthorizeTool& command) { decide_tool(draft, command); },
        [&](const StartWorkflow& start) { decide_start_workflow(draft, start); },
        [&](const OpenHumanTask& command) { decide_open_human_task(draft, command); },
        [&](const AnswerHumanTask& answer) { decide_answer_human_task(draft, answer); },
        [&](const NotePeopleTold& told) { decide_told(draft, told); },
        [&](const WriteContext& write) { decide_context(draft, write); },
        [&](const HandOffContext& handoff) { decide_handoff(draft, handoff); },
        [&](const WriteTask& write) { decide_task(draft, write); },
        [&](const WriteAllocation& write) { decide_allocation(draft, write); },
        [&](const WriteSession& write) { decide_session(draft, write); },
        [&](const AddFacts& add) { decide_facts(draft, add); },
        [&](const KeepAnalysis& keep) { decide_analysis(draft, keep); });
}

void foresee(const State& state, const Command& command) {
    const auto* send = std::get_if<SendMessage>(&command);
    if (send == nullptr) return;
    const auto& envelope = *send->envelope;
    broker::prefetch_id(state.dedup, message_key(state.key, envelope.from(), envelope.id()));
}

}  // namespace parlance::core
