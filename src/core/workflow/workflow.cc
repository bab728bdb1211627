#include "core/workflow/workflow.h"

#include <algorithm>

#include "base/check.h"
#include "base/mutant.h"

namespace parlance::core::workflow {

namespace {

Run& run_of(Workflows& workflows, Ticket number) {
    auto* run = workflows.runs.wake(number, {&workflows.plans});
    CHECK(run != nullptr);  // decide() names only open runs.
    return *run;
}

Item& item_of(Run& run, std::uint32_t step, std::uint32_t item) {
    CHECK(step < run.steps.size());
    auto& items = run.steps[step].items;
    if (items.empty()) items.resize(1);
    CHECK(item < items.size());
    return items[item];
}

/// A step ends when all its items have ended.
void conclude(Step& step) {
    const bool is_over =
        std::ranges::all_of(step.items, [](const Item& item) { return is_final(item.stage); });
    if (!is_over) return;
    const auto has = [&](Stage stage) {
        return std::ranges::find(step.items, stage, &Item::stage) != step.items.end();
    };
    // A step over a list is done if any element is; else it ends like its first element.
    if (has(Stage::Done)) {
        step.stage = Stage::Done;
    } else {
        step.stage = step.items.empty() ? Stage::Done : step.items.front().stage;
    }
}

/// Whether every step that this step waits for has ended.
bool is_ready(const Run& run, std::size_t step) {
    if (is_planted(Mutant::RunBeforeWhatItNeeds)) return true;
    return std::ranges::all_of(run.plan->steps[step].after, [&](std::uint32_t other) {
        return is_final(run.steps[other].stage);
    });
}

std::optional<std::uint32_t> find_item(const Step& step, Stage stage) {
    const auto found = std::ranges::find(step.items, stage, &Item::stage);
    if (found == step.items.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - step.items.begin());
}

/// The first item of any step that fits.
template <class Fits>
std::optional<Move> find_item(const Run& run, Move::Kind kind, Fits fits) {
    for (std::uint32_t step = 0; step < run.steps.size(); ++step) {
        const auto& items = run.steps[step].items;
        const auto found = std::ranges::find_if(items, fits);
        if (found == items.end()) continue;
        return Move{kind, step, static_cast<std::uint32_t>(found - items.begin())};
    }
    return std::nullopt;
}

bool can_fail_the_whole(const Run& run) {
    for (std::size_t step = 0; step < run.steps.size(); ++step) {
        if (run.plan->steps[step].on_error != OnError::Fail) continue;
        if (run.steps[step].stage == Stage::Failed) return true;
    }
    return false;
}

bool can_be_compensated(const Run& run, std::uint32_t step) {
    return !run.plan->steps[step].compensation.empty() &&
           find_item(run.steps[step], Stage::Done).has_value();
}

/// The steps that steps still to compensate have waited for, directly or not: a plan may name its
/// steps in any order.
std::vector<bool> needed_by_done(const Run& run) {
    const auto& plans = run.plan->steps;
    std::vector<bool> is_needed(plans.size());
    std::vector<std::uint32_t> open;
    for (std::uint32_t step = 0; step < plans.size(); ++step) {
        if (can_be_compensated(run, step))
            open.insert(open.end(), plans[step].after.begin(), plans[step].after.end());
    }
    while (!open.empty()) {
        const auto step = open.back();
        open.pop_back();
        if (is_needed[step]) continue;
        is_needed[step] = true;
        open.insert(open.end(), plans[step].after.begin(), plans[step].after.end());
    }
    return is_needed;
}

/// A planted bug: compensates the earliest step first.
Move first_compensation(const Run& run) {
    for (std::uint32_t step = 0; step < run.steps.size(); ++step) {
        if (!can_be_compensated(run, step)) continue;
        return {Move::Kind::Compensate, step, *find_item(run.steps[step], Stage::Done)};
    }
    return {Move::Kind::End};
}

/// The next compensation: the latest step first, a single step at a time.
Move next_compensation(const Run& run) {
    if (is_planted(Mutant::UndoNothing)) return {Move::Kind::End};
    if (is_planted(Mutant::UndoInOrder)) return first_compensation(run);
    const auto is_needed = needed_by_done(run);
    for (auto step = static_cast<std::uint32_t>(run.steps.size()); step-- > 0;) {
        if (is_needed[step] || !can_be_compensated(run, step)) continue;
        return {Move::Kind::Compensate, step, *find_item(run.steps[step], Stage::Done)};
    }
    return {Move::Kind::End};
}

Move next_new(const Run& run, std::size_t open_max) {
    bool is_over = true;
    const bool has_room = open_count(run) < open_max;
    for (std::uint32_t step = 0; step < run.steps.size(); ++step) {
        const auto& it = run.steps[step];
        if (is_final(it.stage)) continue;
        is_over = false;
        if (!has_room) continue;
        if (it.stage == Stage::Waiting && is_ready(run, step)) return {Move::Kind::Open, step};
        if (it.stage != Stage::Running) continue;
        if (const auto item = find_item(it, Stage::Waiting)) {
            return {Move::Kind::Begin, step, *item};
        }
    }
    return {is_over ? Move::Kind::End : Move::Kind::None};
}

template <class Table>
auto* find_row(Table& by_request, Ticket request) {
    return by_request.find(spread(request.value),
                           [&](const Asker& row) { return row.request == request.value; });
}

void note_request(Workflows& workflows, Ticket request, Ticket run) {
    auto* row = find_row(workflows.by_request, request);
    if (row == nullptr) row = &workflows.by_request.add({.request = request.value});
    row->run = run.value;
}

void forget_request(Workflows& workflows, Item& item) {
    if (const auto* row = find_row(workflows.by_request, item.request)) {
        workflows.by_request.remove(row);
    }
    item.request = {};
}

void set_due(Workflows& workflows, Run& run) {
    Time due = run.is_compensating ? Time{} : run.deadline;
    for (const auto& step : run.steps) {
        for (const auto& item : step.items) {
            if (item.stage != Stage::Delayed) continue;
            if (due == Time{} || item.due < due) due = item.due;
        }
    }
    if (due == run.due) return;
    if (run.due != Time{}) workflows.due.erase({run.due, run.number});
    run.due = due;
    if (due != Time{}) workflows.due.emplace(due, run.number);
}

/// Forgets idle plans, the longest unused first.
void forget_plans(Workflows& workflows) {
    while (workflows.plans.size() > kIdlePlansMax) {
        auto oldest = workflows.plans.end();
        for (auto at = workflows.plans.begin(); at != workflows.plans.end(); ++at) {
            if (at->second.runs > 0) continue;
            const bool is_older =
                oldest == workflows.plans.end() || at->second.last_used < oldest->second.last_used;
            if (is_older) oldest = at;
        }
        if (oldest == workflows.plans.end()) return;
        workflows.plans.erase(oldest);
    }
}

bool has_move(const Run& run, Time now, std::size_t open_max) {
    return next_move(run, now, open_max).kind != Move::Kind::None;
}

PlanPtr know_plan(Workflows& workflows, const WorkflowStarted& event, Ticket number) {
    auto& known = workflows.plans[event.plan_hash];
    if (!known.plan) {
        auto plan = read_plan(event.plan);
        CHECK(plan.has_value());  // Only a readable plan is started.
        known.plan = *std::move(plan);
    }
    known.last_used = number;
    begin_run_of(workflows, known);
    return known.plan;
}

}  // namespace

bool is_run(const Workflows& workflows, std::string_view hash) {
    const auto known = workflows.plans.find(hash);
    return known != workflows.plans.end() && known->second.runs > 0;
}

void begin_run_of(Workflows& workflows, KnownPlan& known) {
    if (known.runs++ == 0) workflows.bytes += known.plan->text.size();
}

Reading<Run> find_run(const Workflows& workflows, Ticket number) {
    return workflows.runs.find(number, {&workflows.plans});
}

Ticket find_asker(const Workflows& workflows, Ticket request) {
    const auto* row = find_row(workflows.by_request, request);
    return row == nullptr ? Ticket{} : Ticket{row->run};
}

ItemPosition position_of(const Run& run, Ticket request) {
    for (std::uint32_t step = 0; step < run.steps.size(); ++step) {
        const auto& items = run.steps[step].items;
        const auto found = std::ranges::find(items, request, &Item::request);
        if (found == items.end()) continue;
        return {step, static_cast<std::uint32_t>(found - items.begin())};
    }
    CHECK(false);  // A run waits for every request of its own in `by_request`.
    return {};
}

std::size_t lost_count(const Step& step) {
    const auto count =
        std::ranges::count_if(step.items, [](const Item& item) { return is_lost(item.stage); });
    return static_cast<std::size_t>(count);
}

std::size_t open_count(const Run& run) {
    std::size_t count = 0;
    for (const auto& step : run.steps) {
        count += static_cast<std::size_t>(std::ranges::count_if(step.items, [](const Item& item) {
            return item.stage == Stage::Running || item.stage == Stage::Delayed;
        }));
    }
    return count;
}

Move next_move(const Run& run, Time now, std::size_t open_max) {
    const auto to_judge = find_item(run, Move::Kind::Judge, [](const Item& item) {
        return item.stage == Stage::Answered || item.stage == Stage::Broken;
    });
    if (to_judge) return *to_judge;
    if (!run.is_compensating && can_fail_the_whole(run)) return {Move::Kind::End};
    const bool is_over = run.deadline != Time{} && run.deadline <= now;
    const bool is_complete = next_new(run, open_max).kind == Move::Kind::End;
    // A run complete at its deadline is complete.
    if (!run.is_compensating && is_over && !is_complete) return {Move::Kind::TimeOut};
    const auto to_retry = find_item(run, Move::Kind::Begin, [&](const Item& item) {
        return item.stage == Stage::Delayed && item.due <= now;
    });
    if (to_retry) return *to_retry;
    if (run.is_compensating) return open_count(run) > 0 ? Move{} : next_compensation(run);
    return next_new(run, open_max);
}

bool has_to_compensate(const Run& run) {
    for (std::uint32_t step = 0; step < run.steps.size(); ++step) {
        if (can_be_compensated(run, step)) return true;
        // An unjudged answer may mean that the work was done.
        if (find_item(run.steps[step], Stage::Answered)) return true;
    }
    return false;
}

void apply(Workflows& workflows, const WorkflowStarted& event, Ticket number, Time now) {
    Run run{.number = number,
            .id = event.id,
            .correlation = event.correlation,
            .plan = know_plan(workflows, event, number),
            .plan_hash = event.plan_hash,
            .input = event.input,
            .request = event.request,
            .constraints = event.constraints,
            .user = event.user,
            .session = event.session,
            .by = event.by,
            .parent = event.parent,
            .started_at = now,
            .deadline = event.deadline,
            .is_by_agent = event.is_by_agent};
    run.steps.resize(run.plan->steps.size());
    workflows.runs.emplace(number, std::move(run));
    forget_plans(workflows);
}

void apply(Workflows& workflows, const StepOpened& event) {
    auto& step = run_of(workflows, event.run).steps[event.step];
    step.items.resize(event.count);
    step.stage = Stage::Running;
    conclude(step);
}

void apply(Workflows& workflows, const StepBegan& event, AgentHandle agent) {
    auto& run = run_of(workflows, event.run);
    auto& item = item_of(run, event.step, event.item);
    if (!run.is_compensating) run.steps[event.step].stage = Stage::Running;
    item.stage = Stage::Running;
    item.path = event.path;
    item.attempt = static_cast<std::uint8_t>(event.attempt);
    item.agent = agent;
    item.request = event.request;
    note_request(workflows, event.request, event.run);
}

void apply(Workflows& workflows, const StepDelayed& event) {
    auto& run = run_of(workflows, event.run);
    auto& item = item_of(run, event.step, event.item);
    run.steps[event.step].stage = Stage::Running;
    item.stage = Stage::Delayed;
    item.path = event.path;
    item.attempt = static_cast<std::uint8_t>(event.attempt);
    item.reply = {};
    item.output_at = 0;
    item.output_size = 0;
    item.due = event.until;
    item.code = event.code;
    item.detail = event.detail;
    item.output = event.strategy;
}

void apply(Workflows& workflows, const StepAsked& event) {
    auto& run = run_of(workflows, event.run);
    auto& item = item_of(run, event.step, event.item);
    run.steps[event.step].stage = Stage::Running;
    item.stage = Stage::WaitingForHuman;
    item.request = event.human_task;
    item.confidence = event.confidence;
    item.output_at = event.output_at;
    item.output_size = event.output_size;
    item.output.clear();
    item.code = event.code;
    item.detail = event.detail;
    note_request(workflows, event.human_task, event.run);
}

void apply(Workflows& workflows, const StepEnded& event) {
    auto& run = run_of(workflows, event.run);
    auto& item = item_of(run, event.step, event.item);
    if (item.stage == Stage::WaitingForHuman) forget_request(workflows, item);
    item.stage = event.end == StepEnd::Done      ? Stage::Done
                 : event.end == StepEnd::Failed  ? Stage::Failed
                 : event.end == StepEnd::Skipped ? Stage::Skipped
                 : event.end == StepEnd::Blocked ? Stage::Blocked
                                                 : Stage::Compensated;
    item.is_partial = event.is_partial;
    item.confidence = event.confidence;
    item.output_at = event.output_at;
    item.output_size = event.output_size;
    item.output = event.output;
    item.code = event.code;
    item.detail = event.detail;
    if (event.output_size == 0) item.reply = {};
    keep_output(item);
    conclude(run.steps[event.step]);
}

void apply(Workflows& workflows, const WorkflowUndone& event) {
    auto& run = run_of(workflows, event.run);
    run.is_compensating = true;
    run.reason = event.reason;
    for (auto& step : run.steps) {
        for (auto& item : step.items) {
            if (item.stage == Stage::WaitingForHuman) forget_request(workflows, item);
            const bool is_waiting =
                item.stage == Stage::Delayed || item.stage == Stage::WaitingForHuman;
            if (!is_waiting) continue;
            item.stage = Stage::Failed;
            keep_output(item);
        }
    }
}

void apply(Workflows& workflows, const WorkflowEnded& event) {
    auto& run = run_of(workflows, event.run);
    for (auto& step : run.steps) {
        for (auto& item : step.items) forget_request(workflows, item);
    }
    if (run.due != Time{}) workflows.due.erase({run.due, run.number});
    workflows.restless.erase(run.number);
    workflows.crowded.erase(run.number);
    workflows.bytes -= run.bytes;
    auto& known = workflows.plans.find(run.plan_hash)->second;
    if (--known.runs == 0) workflows.bytes -= known.plan->text.size();
    workflows.runs.erase(event.run);
    forget_plans(workflows);
}

void take_answer(Workflows& workflows,
                 Ticket request,
                 const EnvelopePtr& reply,
                 std::uint64_t tokens_used) {
    const auto asker = find_asker(workflows, request);
    if (asker == Ticket{}) return;
    auto& run = run_of(workflows, asker);
    const auto position = position_of(run, request);
    auto& spent = run.steps[position.step].tokens_used;
    // Sums beyond 32 bits are capped.
    spent += static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens_used, UINT32_MAX - spent));
    auto& item = item_of(run, position.step, position.item);
    item.stage = Stage::Answered;
    item.reply = reply;
    item.output_size = 0;
    item.output.clear();
    forget_request(workflows, item);
}

void take_failure(Workflows& workflows, Ticket request, std::string code, std::string detail) {
    const auto asker = find_asker(workflows, request);
    if (asker == Ticket{}) return;
    auto& run = run_of(workflows, asker);
    const auto position = position_of(run, request);
    auto& item = item_of(run, position.step, position.item);
    item.stage = Stage::Broken;
    item.code = std::move(code);
    item.detail = std::move(detail);
    forget_request(workflows, item);
}

void attend(Workflows& workflows, Ticket number, Time now, std::size_t open_max) {
    auto* found = workflows.runs.wake(number, {&workflows.plans});
    if (found == nullptr) return;
    auto& run = *found;
    set_due(workflows, run);
    workflows.bytes -= run.bytes;
    run.bytes = bytes_of(run);
    workflows.bytes += run.bytes;
    const auto note = [&](std::set<Ticket>& runs, bool is_among) {
        is_among ? void(runs.insert(number)) : void(runs.erase(number));
    };
    const bool is_restless = has_move(run, now, open_max);
    note(workflows.restless, is_restless);
    note(workflows.crowded,
         !is_restless && open_count(run) >= open_max && has_move(run, now, SIZE_MAX));
}

void attend_all(Workflows& workflows, Time now, std::size_t open_max, std::size_t awake_max) {
    auto runs = workflows.restless;
    runs.insert(workflows.crowded.begin(), workflows.crowded.end());
    for (const auto number : runs) {
        attend(workflows, number, now, open_max);
        tidy(workflows, awake_max);  // Loading all runs at once would be too many.
    }
}

void tidy(Workflows& workflows, std::size_t awake_max) {
    workflows.runs.tidy(awake_max, {&workflows.plans});
}

void index(Workflows& workflows, const Run& run) {
    workflows.bytes += run.bytes;
    for (const auto& step : run.steps) {
        for (const auto& item : step.items) {
            const bool waits = item.stage == Stage::Running || item.stage == Stage::WaitingForHuman;
            if (waits) note_request(workflows, item.request, run.number);
        }
    }
    if (run.due != Time{}) workflows.due.emplace(run.due, run.number);
}

}  // namespace parlance::core::workflow
