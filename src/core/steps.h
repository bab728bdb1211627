// A step of a workflow: chooses the agent, sends the request, judges the answer, and decides what
// follows a failure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "core/draft.h"

namespace parlance::core {

/// A step, or one item of a repeated step, in one run.
struct StepItem {
    const workflow::Run& run;
    std::uint32_t step;
    std::uint32_t item;

    const StepPlan& plan() const { return run.plan->steps[step]; }
    const workflow::Item* find_item() const {
        const auto& items = run.steps[step].items;
        return item < items.size() ? &items[item] : nullptr;
    }
};

/// True if the policy lets the step go to the agent. A workflow is no way round a chain that is not
/// enabled: both the hub, which asks, and the workflow's starter must be permitted.
bool may_be_asked(const State& state, std::string_view starter, const registry::Agent& agent);
/// The refusal text if the policy does not.
std::string not_permitted(std::string_view starter, std::string_view agent);

/// The run's requests that are over and on the record of a tree: a request below them may still be
/// open. A run that an agent started has no tree of its own.
std::set<Ticket> over_of(const State& state, const workflow::Run& run);

/// Everything awaited is there: sends the step's request, skips the step, or opens it for each
/// item.
void open_step(Draft& draft, const StepItem& step_item);
/// Sends the step's request, for the first time or again.
void begin_step(Draft& draft, const StepItem& step_item);
/// Sends the step's compensation request.
void compensate_step(Draft& draft, const StepItem& step_item);
/// Judges the answer or failure that came.
void judge_step(Draft& draft, const StepItem& step_item);

}  // namespace parlance::core
