// The routes of workflows: started from a definition, shown during and after the run, and awaited
// by callers that hold the line.
#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/json_write.h"
#include "dialects/id_forms.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/unreadable.h"
#include "model/plan_schema.h"
#include "model/user.h"

namespace parlance::gateway {

namespace {

/// The refusal of a definition, with all its flaws.
transport::Response invalid(const std::vector<PlanFault>& faults) {
    std::vector<dialects::Problem> problems;
    problems.reserve(faults.size());
    for (const auto& fault : faults) {
        problems.push_back({.pointer = fault.pointer, .value = fault.value, .rule = fault.rule});
    }
    const dialects::Rejection rejection{.refusal = Refusal::WorkflowInvalid, .problems = problems};
    return problem(Refusal::WorkflowInvalid, rejection.summary(), problems, {});
}

/// The registered capabilities of an agent, for a definition that names a missing capability.
std::string abilities_of(const core::State& state, core::AgentHandle agent) {
    std::vector<std::string_view> codes;
    for (const auto& [code, agents] : state.registry.by_capability) {
        if (agents.contains(agent)) codes.emplace_back(code);
    }
    return codes.empty() ? "nothing" : fmt::format("{}", fmt::join(codes, ", "));
}

/// A step whose agent lacks the capability would fail when reached, so the definition is refused at
/// once (K1, K19). An agent that is not registered yet may still register.
std::vector<PlanFault> doubts_about_agents(const core::State& state, const Plan& plan) {
    std::vector<PlanFault> faults;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const auto& step = plan.steps[i];
        const std::array duties{std::pair{"", &step.duty},
                                std::pair{"/fallback", &step.fallback},
                                std::pair{"/compensate", &step.compensation}};
        for (const auto& [place, duty] : duties) {
            if (duty->agent.empty() || duty->capability.empty()) continue;
            const auto agent = core::registry::find_agent(state.registry, duty->agent);
            if (agent == core::kNoAgent || !state.registry.agents[agent].is_registered) continue;
            if (core::registry::has_capability(state.registry, agent, duty->capability)) continue;
            faults.push_back({.pointer = fmt::format("/steps/{}{}/capability", i, place),
                              .value = fmt::format("\"{}\"", duty->capability),
                              .rule = fmt::format("must be what agent '{}' has registered: {}",
                                                  duty->agent,
                                                  abilities_of(state, agent))});
        }
    }
    return faults;
}

/// The members of the plan, as written: two runs of a plan have the same text.
std::string plan_of(json::Value body) {
    json::ObjectWriter plan;
    for (const auto key : kPlanMembers) {
        if (const auto value = json::find(body, key)) plan.raw(key, value->raw);
    }
    return plan.done();
}

std::string raw_member(json::Value body, std::string_view key) {
    const auto value = json::find(body, key);
    return value ? std::string{value->raw} : std::string{};
}

/// C1: the session, the request, and the time.
std::string correlation_for(Desk& desk, const StartWorkflow& start) {
    return dialects::make_correlation_id(start.session.empty() ? start.id : start.session,
                                         start.request.empty() ? start.plan : start.request,
                                         desk.clock());
}

StartWorkflow read_start(Desk& desk, json::Value body) {
    StartWorkflow start{.id = text_member(body, "workflow_id"),
                        .plan = plan_of(body),
                        .input = raw_member(body, "input"),
                        .request = text_member(body, "request"),
                        .constraints = raw_member(body, "constraints"),
                        .correlation = text_member(body, "correlation_id"),
                        .user = user_named(text_member(body, "user_id")),
                        .session = text_member(body, "session_id")};
    if (start.id.empty()) start.id = "wf-" + fresh_uuid(desk);
    if (start.correlation.empty()) start.correlation = correlation_for(desk, start);
    return start;
}

/// The report as the caller may see the report: operators see no personal data.
std::string shown_report(const Desk& desk, const Caller& caller, std::string_view report) {
    const auto correlation = text_member(json::root(report), "correlation_id");
    return shown_to(desk.options, caller, std::string{report}, correlation);
}

/// Whether the caller is the starter or an operator, and may know of the workflow's user.
bool may_see(const Desk& desk, const Caller& caller, std::string_view by, std::string_view user) {
    const bool is_own = caller.is_operator || caller.role != OperatorRole::None ||
                        caller.agent.value.empty() || caller.agent.value == by;
    return is_own && core::may_know_of(desk.engine->state(), caller, user);
}

transport::Response not_found(std::string_view id) {
    return problem(Refusal::WorkflowNotFound,
                   fmt::format("there is no workflow '{}'", json::shortened(id)));
}

/// Answers another caller's workflow like a missing workflow, and records the attempt.
transport::Response not_yours(Desk& desk, const CallerPtr& caller, std::string_view id) {
    record_unseen(
        desk, Refusal::IdentityMismatch, fmt::format("workflow '{}'", json::shortened(id)), caller);
    return not_found(id);
}

/// Answers with the recorded report of an ended workflow.
void answer_from_record(Desk& desk,
                        const ExchangePtr& exchange,
                        const CallerPtr& caller,
                        Sequence at) {
    auto& loop = desk.loop;
    desk.feed.read_one(at, [&desk, &loop, exchange, caller](const Result<EventPtr>& event) {
        loop.post([&desk, exchange, caller, event] {
            if (!event) return exchange->respond(unreadable(event.error()));
            const auto* ended = std::get_if<WorkflowEnded>(event->get());
            if (ended == nullptr) {
                return exchange->respond(
                    problem(Refusal::HubStorageFailed, "the record of its end cannot be read"));
            }
            exchange->respond({.headers = {}, .body = shown_report(desk, *caller, ended->report)});
        });
    });
}

/// The same, if the caller may see the workflow by its recorded start.
void answer_starter(Desk& desk,
                    const Call& call,
                    std::string id,
                    const core::WorkflowStanding& at) {
    auto& loop = desk.loop;
    desk.feed.read_one(at.started,
                       [&desk,
                        &loop,
                        exchange = call.exchange,
                        caller = call.caller,
                        id = std::move(id),
                        ended = at.ended](const Result<EventPtr>& event) {
                           loop.post([&desk, exchange, caller, id, ended, event] {
                               if (!event) return exchange->respond(unreadable(event.error()));
                               const auto* start = std::get_if<WorkflowStarted>(event->get());
                               if (start == nullptr) return exchange->respond(not_found(id));
                               if (!may_see(desk, *caller, start->by, start->user)) {
                                   return exchange->respond(not_yours(desk, caller, id));
                               }
                               answer_from_record(desk, exchange, caller, ended);
                           });
                       });
}

/// Takes a waiting caller off the desk; nothing if the caller was answered already.
std::optional<Holder> take_waiter(Desk& desk, const std::string& id, std::uint64_t number) {
    const auto found = desk.workflow_waiters.find(id);
    if (found == desk.workflow_waiters.end()) return std::nullopt;
    auto& waiters = found->second;
    const auto waiter = std::ranges::find(waiters, number, &Holder::number);
    if (waiter == waiters.end()) return std::nullopt;
    auto gone = std::move(*waiter);
    waiters.erase(waiter);
    if (waiters.empty()) desk.workflow_waiters.erase(found);
    return gone;
}

/// The caller's wait is over, or its connection has ended.
void stop_waiting(Desk& desk, const std::string& id, std::uint64_t number) {
    if (const auto gone = take_waiter(desk, id, number)) gone->exchange->respond(gone->meanwhile);
}

}  // namespace

void post_workflow(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    const auto wait = preferred_wait(call, {});
    if (!wait) return;
    const auto plan = read_plan(body->raw);
    if (!plan) return call.exchange->respond(invalid(plan.error()));
    if (const auto doubts = doubts_about(body->raw); !doubts.empty()) {
        return call.exchange->respond(invalid(doubts));
    }
    const auto unable = doubts_about_agents(desk.engine->state(), **plan);
    if (!unable.empty()) return call.exchange->respond(invalid(unable));
    Pending pending{.kind = Pending::Kind::Workflow,
                    .exchange = call.exchange,
                    .wait = *wait,
                    .caller = call.caller};
    bring(desk, read_start(desk, *body), std::move(pending), std::move(call.caller));
}

void get_workflow(Desk& desk, Call& call) {
    const auto id = call.captures.at(0);
    if (!call.request().parameter("at").empty()) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed,
                    "a workflow is shown as it is now, and 'at' is for its conversation: "
                    "GET /v1/correlations/{correlation_id}?at=SEQ"));
    }
    const auto standing = desk.engine->workflow(id);
    if (standing && standing->ended != Sequence{}) {
        return answer_starter(desk, call, std::string{id}, *standing);
    }
    if (!standing) return call.exchange->respond(not_found(id));
    if (!may_see(desk, *call.caller, standing->by, standing->user)) {
        return call.exchange->respond(not_yours(desk, call.caller, id));
    }
    call.exchange->respond(
        {.headers = {}, .body = shown_report(desk, *call.caller, standing->report)});
}

void answer_started(Desk& desk, const TellStarted& started) {
    const auto found = desk.pending.find(started.reply_target.value);
    if (found == desk.pending.end()) return;
    auto pending = std::move(found->second);
    desk.pending.erase(found);
    transport::Response accepted{
        .status = 202,
        .headers = {},
        .body = json::ObjectWriter{}
                    .text("workflow_id", started.id)
                    .text("correlation_id", started.correlation)
                    .text("status", "RUNNING")
                    .integer("sequence", static_cast<std::int64_t>(started.sequence.value))
                    .done()};
    if (pending.wait <= Duration{}) return pending.exchange->respond(std::move(accepted));
    const auto standing = desk.engine->workflow(started.id);
    if (standing && standing->ended != Sequence{} && started.is_duplicate) {
        return answer_from_record(desk, pending.exchange, pending.caller, standing->ended);
    }
    const auto number = ++desk.reply_target_last;
    const auto leave = [&desk, id = started.id, number] { stop_waiting(desk, id, number); };
    const auto place = place_to_wait(desk, *pending.caller);
    // The exchange keeps both as long as it is not answered.
    const auto alarm = desk.loop.alarm(place ? pending.wait : Duration{}, leave);
    pending.exchange->on_gone([leave, alarm, place] { leave(); });
    if (alarm.use_count() == 1) desk.loop.post(leave);  // It is gone already.
    pending.exchange->release_body();
    desk.workflow_waiters[started.id].push_back({.number = number,
                                                 .exchange = std::move(pending.exchange),
                                                 .meanwhile = std::move(accepted),
                                                 .caller = std::move(pending.caller)});
}

void answer_ended(Desk& desk, const TellEnded& ended) {
    const auto found = desk.workflow_waiters.find(ended.id);
    if (found == desk.workflow_waiters.end()) return;
    const auto waiters = std::move(found->second);
    desk.workflow_waiters.erase(found);
    for (const auto& waiter : waiters) {
        waiter.exchange->respond(
            {.headers = {}, .body = shown_report(desk, *waiter.caller, ended.report)});
    }
}

void refuse_fallen_workflow_waiters(Desk& desk) {
    std::vector<std::pair<std::string, std::uint64_t>> fallen;
    for (const auto& [id, waiters] : desk.workflow_waiters) {
        for (const auto& waiter : waiters) {
            if (!stands(desk, *waiter.caller)) fallen.emplace_back(id, waiter.number);
        }
    }
    for (const auto& [id, number] : fallen) {
        const auto gone = take_waiter(desk, id, number);
        if (gone) gone->exchange->respond(no_longer_proved());
    }
}

}  // namespace parlance::gateway
