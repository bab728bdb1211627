// One step of a workflow: who is asked and with what, whether the answer will do, and what follows
// when it will not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/draft.h"

namespace parlance::core {

/// One place in one run.
struct Spot {
    const workflow::Run& run;
    std::uint32_t step;
    std::uint32_t item;

    const StepPlan& plan() const { return run.plan->steps[step]; }
    const workflow::Item* find_item() const {
        const auto& items = run.steps[step].items;
        return item < items.size() ? &items[item] : nullptr;
    }
};

/// Whether the policy lets a step go to the agent. A workflow is no way round a chain that is not
/// enabled: it is asked for in the hub's name, and at the wish of who started it.
bool may_be_asked(const State& state, std::string_view starter, const registry::Agent& agent);
/// What is said if it does not.
std::string not_permitted(std::string_view starter, std::string_view agent);

/// All that it waited for is there: asks, skips it, or opens it for each of a list.
void open_step(Draft& draft, const Spot& spot);
/// Asks, for the first time or once more.
void begin_step(Draft& draft, const Spot& spot);
/// Asks for what was done to be taken back.
void undo_step(Draft& draft, const Spot& spot);
/// What came will do or not.
void judge_step(Draft& draft, const Spot& spot);

}  // namespace parlance::core
