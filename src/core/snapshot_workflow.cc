// Running workflows as bytes, and back.
#include <algorithm>
#include <utility>

#include "base/json.h"
#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

using workflow::Item;
using workflow::Run;
using workflow::Stage;
using workflow::Step;

/// True for JSON, or for no text.
bool is_json(std::string_view text) { return text.empty() || json::check(text).has_value(); }

/// True if the agents and requests named by a run exist, and its outputs are JSON.
bool is_sound(const Item& item, const State& state) {
    const bool has_agent = item.agent == kNoAgent || item.agent < state.registry.agents.size();
    const bool has_request = item.stage != Stage::Running ||
                             broker::find_request(state.requests, item.request) != nullptr;
    return has_agent && has_request && is_near(item.due) &&
           (item.stage != Stage::Answered || item.reply != nullptr) &&
           (item.stage != Stage::Done || is_json(workflow::output_of(item)));
}

bool is_sound(const Run& run, const State& state) {
    const auto is_step_sound = [&](const Step& step) {
        return std::ranges::all_of(step.items,
                                   [&](const Item& item) { return is_sound(item, state); });
    };
    return is_json(run.input) && is_json(run.constraints) && is_near(run.started_at) &&
           is_near(run.deadline) && is_near(run.due) &&
           !state.workflows.runs.contains(run.number) &&
           std::ranges::all_of(run.steps, is_step_sound);
}

}  // namespace

void put_workflows(PieceWriter& pieces, const workflow::Workflows& workflows) {
    auto& out = pieces.bytes();
    put(out, workflows.plans.size());
    for (const auto& [hash, known] : workflows.plans) {
        if (!pieces.spill()) return;
        put(out, hash);
        put(out, known.plan->text);
        put(out, known.last_used.value);
    }
    put(out, workflows.runs.size());
    for (const auto number : workflows.runs.tickets()) {
        if (!pieces.spill()) return;
        workflows.runs.append_packed(out, number, {&workflows.plans});
    }
}

void take_workflows(PieceReader& in, State& state, RecordEncoding encoding) {
    auto& workflows = state.workflows;
    const auto plans = take_count(in);
    for (std::uint64_t i = 0; i < plans && in.ok(); ++i) {
        in.refill();
        auto hash = take_text(in);
        auto plan = read_plan(take_text(in));
        const Ticket last_used{in.varint()};
        if (!plan) return spoil(in);
        workflows.plans.emplace(std::move(hash),
                                workflow::KnownPlan{.plan = *plan, .last_used = last_used});
    }
    const auto runs = take_count(in);
    for (std::uint64_t i = 0; i < runs && in.ok(); ++i) {
        in.refill();
        auto run = workflow::RunCodec{&workflows.plans}.unpack(in, encoding);
        if (!in.ok() || !is_sound(run, state)) return spoil(in);
        workflow::begin_run_of(workflows, workflows.plans.find(run.plan_hash)->second);
        workflow::index(workflows, run);
        const auto number = run.number;
        workflows.runs.emplace(number, std::move(run));
        workflow::attend(workflows, number, state.now, governor::open_max(state.governor.policy));
        workflow::tidy(workflows, state.limits.awake_max);
    }
}

}  // namespace parlance::core
