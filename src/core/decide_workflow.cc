// Starts workflows, moves them from step to step (steps.cc) and ends them.
//
// Everything is decided from the state when a run is attended to, so a restarted hub goes on from
// its last record. A request's id follows from its position in the run: asking again is a
// duplicate, and never a second try.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/mutant.h"
#include "base/sha256.h"
#include "core/admission.h"
#include "core/draft.h"
#include "core/inspect.h"
#include "core/starter.h"
#include "core/steps.h"
#include "core/tree_position.h"
#include "core/workflow/report.h"
#include "model/names.h"

namespace parlance::core {

namespace {

using workflow::Item;
using workflow::Move;
using workflow::Run;
using workflow::Stage;

// --- starting --------------------------------------------------------------------------------

bool is_user_foreign(const Draft& draft, std::string_view user) {
    const auto& caller = draft.cause.caller;
    if (!caller || caller->is_operator || user.empty()) return false;
    return !may_act_for_user(*caller, user);
}

/// Tells a workflow from another workflow with its id.
std::uint64_t fingerprint_of(const State& state, const StartWorkflow& start) {
    return body_key(state.key, start.plan + '\n' + start.input + '\n' + start.user);
}

/// True if the caller may hear the outcome of the workflow: its starter, and operators. A run names
/// its starter; after the run's end the key of starter and id is remembered.
bool is_starter(const Draft& draft, std::string_view id, Ticket run) {
    const auto& caller = draft.cause.caller;
    if (!caller || caller->is_operator || draft.asker().empty()) return true;
    if (const auto going = find_run(draft.state, id)) return going->by == draft.asker();
    const auto key = starter_key(draft.state.key, draft.asker(), id);
    const auto known = broker::find_id(draft.state.dedup, key);
    return known && known->ticket == run;
}

/// A plan that was read once need not be read again.
tl::expected<PlanPtr, std::vector<PlanFault>> find_plan(const State& state,
                                                        const std::string& hash,
                                                        std::string_view text) {
    const auto known = state.workflows.plans.find(hash);
    if (known != state.workflows.plans.end()) return known->second.plan;
    return read_plan(text);
}

/// The first agent named by the plan that the starter may not ask; empty if there is none.
std::string_view forbidden_in(const State& state, const Plan& plan, std::string_view starter) {
    for (const auto& step : plan.steps) {
        for (const auto* duty : {&step.duty, &step.fallback, &step.compensation}) {
            const auto agent = registry::find_agent(state.registry, duty->agent);
            if (agent == kNoAgent || duty->agent.empty()) continue;
            if (!may_be_asked(state, starter, state.registry.agents[agent])) return duty->agent;
        }
    }
    return {};
}

// --- the end ---------------------------------------------------------------------------------

WorkflowEnd end_of(const Run& run) {
    if (run.is_compensating) return WorkflowEnd::Cancelled;
    bool has_done = false;
    bool has_lost = false;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const auto stage = run.steps[i].stage;
        const bool fails_all = run.plan->steps[i].on_error == OnError::Fail;
        if (stage == Stage::Failed && fails_all) return WorkflowEnd::Failed;
        has_done = has_done || stage == Stage::Done || stage == Stage::Skipped;
        has_lost = has_lost || workflow::lost_count(run.steps[i]) > 0;
    }
    if (!has_lost) return WorkflowEnd::Completed;
    return has_done ? WorkflowEnd::Partial : WorkflowEnd::Failed;
}

void withdraw_questions(Draft& draft, const Run& run, const std::string& reason) {
    const bool is_waiting_for_human =
        std::ranges::any_of(run.steps, [](const workflow::Step& step) {
            return std::ranges::find(step.items, Stage::WaitingForHuman, &Item::stage) !=
                   step.items.end();
        });
    if (is_waiting_for_human) withdraw_meant(draft, run.id, reason);
}

void cancel_open(Draft& draft, const Run& run, const std::string& reason) {
    std::set<Ticket> open;
    for (const auto& step : run.steps) {
        for (const auto& item : step.items) {
            if (item.stage == Stage::Running) open.insert(item.request);
        }
    }
    cancel_trees(draft, std::move(open), reason);
    withdraw_questions(draft, run, reason);
}

/// Ends a run whose requests have ended.
void conclude_run(Draft& draft, const Run& run, WorkflowEnd end, const std::string& reason) {
    if (draft.has_ended(Thing::Run, run.number)) return;
    auto report = workflow::report(
        run, names_of(draft.state), {.end = end, .reason = reason, .now = draft.now()});
    draft.add(WorkflowEnded{.run = run.number,
                            .id = run.id,
                            .end = end,
                            .reason = reason,
                            .report = std::move(report)});
    // The tree of a workflow begun from outside ends with the workflow.
    const auto& lineage = draft.state.governor.lineage;
    const auto origin = registry::find_agent(draft.state.registry, kOrchestrator);
    const auto root = governor::find_root(lineage, run.id, origin);
    if (root != nullptr && root->open == 0) draft.add(DelegationTreeEnded{root->number});
}

void end_run(Draft& draft, const Run& run, WorkflowEnd end, const std::string& reason) {
    cancel_open(draft, run, "the workflow has ended");
    conclude_run(draft, run, end, reason);
}

void make(Draft& draft, const Run& run, const Move& move) {
    const StepItem step_item{run, move.step, move.item};
    switch (move.kind) {
        case Move::Kind::None:
            return;
        case Move::Kind::Judge:
            return judge_step(draft, step_item);
        case Move::Kind::Begin:
            return begin_step(draft, step_item);
        case Move::Kind::Open:
            return open_step(draft, step_item);
        case Move::Kind::Compensate:
            return compensate_step(draft, step_item);
        case Move::Kind::TimeOut:
            return end_run(draft, run, WorkflowEnd::TimedOut, "its time is over");
        case Move::Kind::End: {
            const auto end = end_of(run);
            const bool is_late = run.deadline != Time{} && draft.now() >= run.deadline;
            // The requests of the last steps end at the workflow's deadline, too.
            const bool is_cut =
                is_late && (end == WorkflowEnd::Partial || end == WorkflowEnd::Failed);
            if (is_cut) return end_run(draft, run, WorkflowEnd::TimedOut, "its time is over");
            return end_run(draft, run, end, run.reason);
        }
    }
}

}  // namespace

void decide_start_workflow(Draft& draft, const StartWorkflow& start) {
    const auto& state = draft.state;
    const auto refuse = [&](Refusal refusal, std::string detail) {
        draft.refuse(start.id, refusal, std::move(detail));
    };
    if (state.message_writer == nullptr) {
        return refuse(Refusal::WorkflowInvalid, "this hub runs no workflows");
    }
    // Before anything else: a caller who repeats another's start would be told its outcome.
    if (is_user_foreign(draft, start.user)) {
        return refuse(Refusal::UserIsolationViolated,
                      fmt::format("'{}' has no grant for user '{}', and who starts a workflow for "
                                  "a user needs one, also out of that user's work",
                                  draft.asker(),
                                  start.user));
    }
    const auto known =
        broker::find_id(state.dedup, message_key(state.key, kOrchestrator, start.id));
    if (known) {
        const auto same = static_cast<std::uint32_t>(fingerprint_of(state, start));
        if (known->fingerprint == same && is_starter(draft, start.id, known->ticket)) {
            return draft.add(DuplicateReceived{.from = std::string{draft.asker()},
                                               .id = start.id,
                                               .first = sequence_of(known->ticket),
                                               .ticket = known->ticket});
        }
        return refuse(
            Refusal::MessageIdConflict,
            fmt::format("workflow '{}' was started by another or with other content", start.id));
    }
    if (state.governor.is_stopped) return refuse(Refusal::FleetStopped, "the fleet is stopped");
    if (state.workflows.runs.size() >= state.limits.workflows_max) {
        return refuse(Refusal::HubOverloaded,
                      fmt::format("the hub runs {} workflows, which is its limit (workflows_max)",
                                  state.workflows.runs.size()));
    }
    const auto hash = to_hex(sha256(start.plan)).substr(0, 32);
    const bool is_run = workflow::is_run(state.workflows, hash);
    const auto bytes = start.input.size() + start.request.size() + start.constraints.size() +
                       (is_run ? 0 : start.plan.size());
    if (auto no = lack_of_bytes(state, bytes); no.refusal != Refusal::None) {
        return refuse(no.refusal, std::move(no.detail));
    }
    const auto starter = draft.requesting_agent();
    if (!starter.empty()) {
        auto no = check_messages(state, as_sender(state, starter), draft.now());
        if (no.refusal != Refusal::None) {
            return draft.refuse(start.id, no.refusal, std::move(no.detail), no.retry_after_ms);
        }
    }
    const auto plan = find_plan(state, hash, start.plan);
    if (!plan) {
        const auto& fault = plan.error().front();
        return refuse(Refusal::WorkflowInvalid, fault.pointer + " " + fault.rule);
    }
    if (const auto forbidden = forbidden_in(state, **plan, starter); !forbidden.empty()) {
        return refuse(Refusal::RouteNotPermitted, not_permitted(starter, forbidden));
    }
    WorkflowStarted started{.id = start.id,
                            .plan_hash = hash,
                            .input = start.input,
                            .request = start.request,
                            .constraints = start.constraints,
                            .correlation = start.correlation.empty() ? start.id : start.correlation,
                            .user = start.user,
                            .session = start.session,
                            .by = std::string{draft.asker()},
                            .fingerprint = fingerprint_of(state, start),
                            .is_by_agent = !starter.empty()};
    // An operator may have the name of an agent, but has no work in hand.
    const bool is_operator = draft.cause.caller && draft.cause.caller->is_operator;
    started.parent = find_work(state,
                               {.by = is_operator ? std::string_view{} : draft.asker(),
                                .session = started.session,
                                .correlation = started.correlation,
                                .user = started.user});
    if (const auto above = governor::find_delegation(state.governor.lineage, started.parent)) {
        if (started.user.empty()) started.user = state.governor.lineage.roots.at(above->root)->user;
    }
    if (is_kept_for_another(state, started.session, started.user)) {
        return refuse(Refusal::UserIsolationViolated,
                      not_of_user("session '" + started.session + "'", started.user));
    }
    if (!state.workflows.plans.contains(started.plan_hash)) started.plan = start.plan;
    if ((*plan)->timeout > Duration{}) started.deadline = draft.now() + (*plan)->timeout;
    draft.add(std::move(started));
}

bool cancel_workflow(Draft& draft, std::string_view id, const std::string& reason) {
    const auto run = find_run(draft.state, id);
    if (run == nullptr) return false;
    const auto& caller = draft.cause.caller;
    if (caller && !caller->is_operator && !caller->agent.value.empty() &&
        run->by != draft.asker()) {
        return false;
    }
    if (caller && !may_know_of(draft.state, *caller, run->user)) return false;
    if (run->is_compensating) {
        // Compensation requests go by the workflow's id as well, and must not be cancelled.
        draft.refuse(std::string{id},
                     Refusal::DelegationNotFound,
                     fmt::format("workflow '{}' is being taken back already", id));
        return true;
    }
    draft.add(
        WorkflowUndone{.run = run->number, .by = std::string{draft.asker()}, .reason = reason});
    cancel_open(draft, *run, reason);
    // Delegations below steps that were answered are still to be ended.
    if (run->parent != Ticket{}) cancel_trees(draft, over_of(draft.state, *run), reason);
    const auto& lineage = draft.state.governor.lineage;
    const auto origin = registry::find_agent(draft.state.registry, kOrchestrator);
    if (const auto root = governor::find_root(lineage, run->id, origin)) {
        const auto over = governor::over_in(lineage, root->number);
        cancel_trees(draft, {over.begin(), over.end()}, reason);
    }
    return true;
}

void cancel_workflows(Draft& draft, const std::string& reason) {
    const auto& workflows = draft.state.workflows;
    for (const auto number : workflows.runs.tickets()) {
        const auto run = workflow::find_run(workflows, number);
        if (run->is_compensating) continue;
        draft.add(
            WorkflowUndone{.run = number, .by = std::string{draft.asker()}, .reason = reason});
        withdraw_questions(draft, *run, reason);
        if (!workflow::has_to_compensate(*run)) {
            conclude_run(draft, *run, WorkflowEnd::Cancelled, reason);
        }
    }
}

void decide_run(const State& state, Ticket run, Time now, Events& events) {
    events.clear();
    const auto found = workflow::find_run(state.workflows, run);
    if (found == nullptr || state.governor.is_stopped) return;
    const Stamped tick{.command = Tick{}, .now = now};
    Draft draft{.state = state, .cause = tick, .events = events};
    const auto open_max = governor::open_max(state.governor.policy);
    make(draft, *found, workflow::next_move(*found, now, open_max));
}

bool advance_workflows(Draft& draft) {
    const auto& workflows = draft.state.workflows;
    if (draft.state.message_writer == nullptr) return false;
    const bool is_due = !workflows.due.empty() && workflows.due.begin()->first <= draft.now();
    if (!is_due && workflows.restless.empty()) return false;
    const auto number = is_due ? workflows.due.begin()->second : *workflows.restless.begin();
    const auto run = workflow::find_run(workflows, number);
    make(draft,
         *run,
         workflow::next_move(*run, draft.now(), governor::open_max(draft.state.governor.policy)));
    return !draft.events.empty();
}

}  // namespace parlance::core
