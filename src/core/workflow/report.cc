#include "core/workflow/report.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json_write.h"
#include "base/mutant.h"
#include "model/names.h"
#include "narrative/aggregate.h"
#include "narrative/reasons.h"

namespace parlance::core::workflow {

namespace {

constexpr std::string_view kStepsPointer = "/steps/";

struct StageName {
    Stage stage;
    std::string_view name;
};
constexpr std::array kStageNames{
    StageName{Stage::Waiting, "PENDING"},
    StageName{Stage::Running, "RUNNING"},
    StageName{Stage::Answered, "RUNNING"},
    StageName{Stage::Broken, "RUNNING"},
    StageName{Stage::Delayed, "RETRYING"},
    StageName{Stage::WaitingForHuman, "WAITING_FOR_HUMAN"},
    StageName{Stage::Done, "COMPLETED"},
    StageName{Stage::Failed, "FAILED"},
    StageName{Stage::Skipped, "SKIPPED"},
    StageName{Stage::Blocked, "BLOCKED"},
    StageName{Stage::Compensated, "COMPENSATED"},
};

std::string_view stage_name(Stage stage) {
    return std::ranges::find(kStageNames, stage, &StageName::stage)->name;
}

std::string confidence_text(std::uint32_t thousandths) {
    return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

/// The least of the items: a list is as sure as its weakest part.
std::uint32_t confidence_of(const Step& step) {
    std::uint32_t least = kNoConfidence;
    for (const auto& item : step.items) least = std::min(least, item.confidence);
    return least;
}

std::string quoted(std::string_view text) {
    std::string out;
    json::append_quoted(out, text);
    return out;
}

/// Appends to a list or an object in the making.
std::string& next(std::string& out) {
    if (out.size() > 1) out += ',';
    return out;
}

const Item* failed_item(const Step& step) {
    const auto found = std::ranges::find_if(
        step.items, [](const Item& item) { return !item.code.empty() || !item.detail.empty(); });
    return found == step.items.end() ? nullptr : &*found;
}

std::string_view agent_of(const Step& step, const NameOf& name_of) {
    for (const auto& item : step.items) {
        if (item.agent != kNoAgent) return name_of(item.agent);
    }
    return {};
}

std::string error_of(const Item& item) {
    return json::ObjectWriter{}.text("code", item.code).text("message", item.detail).done();
}

/// A running item whose request is held for approval shows as waiting for people.
Stage seen_as(const Item& item, const IsHeld& is_held) {
    return item.stage == Stage::Running && is_held(item.request) ? Stage::WaitingForHuman
                                                                 : item.stage;
}

/// Whether all running items of the step wait for approval.
bool is_held_up(const Step& step, const IsHeld& is_held) {
    const auto is_running = [](const Item& item) { return item.stage == Stage::Running; };
    const auto goes_on = [&](const Item& item) { return seen_as(item, is_held) == Stage::Running; };
    return std::ranges::any_of(step.items, is_running) && std::ranges::none_of(step.items, goes_on);
}

/// For a final report, or for an open run: then with knowledge of held requests.
struct View {
    bool is_over = false;
    IsHeld is_held = [](Ticket) { return false; };
};

/// A step's status: a failed compensation shows as such, and in an ended run nothing is under way.
std::string_view status_of(const Step& step, const View& view) {
    const bool stays_done = std::ranges::any_of(step.items, [](const Item& item) {
        return item.stage == Stage::Compensated && !item.code.empty();
    });
    if (stays_done) return "COMPENSATION_FAILED";
    if (view.is_over && !is_final(step.stage)) return "CANCELLED";
    return stage_name(is_held_up(step, view.is_held) ? Stage::WaitingForHuman : step.stage);
}

/// K16: the elements without output, counted from 0.
std::string lost_elements(const Step& step) {
    std::string out = "[";
    for (std::size_t i = 0; i < step.items.size(); ++i) {
        if (is_lost(step.items[i].stage)) next(out) += std::to_string(i);
    }
    return out + "]";
}

std::string step_report(const Step& step,
                        const StepPlan& plan,
                        const NameOf& name_of,
                        const View& view) {
    json::ObjectWriter out;
    out.text("id", plan.id).text("label", plan.label).text("status", status_of(step, view));
    if (const auto agent = agent_of(step, name_of); !agent.empty()) out.text("agent", agent);
    if (!plan.duty.capability.empty()) out.text("capability", plan.duty.capability);
    std::int64_t attempts = 0;
    bool is_partial = false;
    auto path = StepPath::Planned;
    for (const auto& item : step.items) {
        attempts += item.attempt;
        is_partial = is_partial || item.is_partial;
        path = std::max(path, item.path);
    }
    const auto lost = step.stage == Stage::Done ? lost_count(step) : 0;
    is_partial = is_partial || lost > 0;
    out.integer("attempts", attempts);
    if (path != StepPath::Planned) out.text("by", enum_name(path));
    if (is_partial) out.boolean("partial", true);
    if (lost > 0) out.raw("missing_elements", lost_elements(step));
    if (const auto least = confidence_of(step); least != kNoConfidence) {
        out.raw("confidence", confidence_text(least));
    }
    if (step.tokens_used > 0) out.integer("tokens_used", step.tokens_used);
    if (const auto output = output_of(step, plan); !output.empty()) out.raw("output", output);
    if (const auto* item = failed_item(step)) out.raw("error", error_of(*item));
    return out.done();
}

/// K16, K20: which outputs are missing, and why.
std::string missing_of(const Run& run) {
    std::string out = "[";
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const auto& step = run.steps[i];
        const auto lost = lost_count(step);
        const bool is_settled = step.stage == Stage::Done || step.stage == Stage::Skipped;
        if (is_settled && lost == 0) continue;
        json::ObjectWriter each;
        each.text("step", run.plan->steps[i].id).text("label", run.plan->steps[i].label);
        const auto* item = failed_item(step);
        each.text("reason", item != nullptr ? item->detail : "it was not done");
        if (item != nullptr) each.text("code", item->code);
        if (is_settled) {
            each.integer("elements", static_cast<std::int64_t>(lost))
                .integer("of", static_cast<std::int64_t>(step.items.size()));
        }
        next(out) += each.done();
    }
    return out + "]";
}

void write_report(json::ObjectWriter& out,
                  const Run& run,
                  const NameOf& name_of,
                  const View& view) {
    std::string steps = "[";
    std::string output = "{";
    std::int64_t tokens_used = 0;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const auto& plan = run.plan->steps[i];
        tokens_used += run.steps[i].tokens_used;
        next(steps) += step_report(run.steps[i], plan, name_of, view);
        const auto brought = output_of(run.steps[i], plan);
        if (!brought.empty()) next(output) += quoted(plan.id) + ":" + brought;
    }
    if (tokens_used > 0) out.integer("tokens_used", tokens_used);
    out.raw("steps", steps + "]").raw("output", output + "}");
}

/// Whether the run does nothing until a person has answered.
bool waits_for_people(const Run& run, const IsHeld& is_held) {
    bool is_waiting_for_human = false;
    for (const auto& step : run.steps) {
        for (const auto& item : step.items) {
            const auto stage = seen_as(item, is_held);
            if (stage == Stage::Running || stage == Stage::Delayed) return false;
            is_waiting_for_human = is_waiting_for_human || stage == Stage::WaitingForHuman;
        }
    }
    return is_waiting_for_human;
}

std::string_view standing_of(const Run& run, const IsHeld& is_held) {
    if (run.is_compensating) return "COMPENSATING";
    return waits_for_people(run, is_held) ? "WAITING_FOR_HUMAN" : "RUNNING";
}

/// K11: names hidden from users, and their replacements.
std::vector<narrative::Internal> internals_of(const Run& run, const NameOf& name_of) {
    std::vector<narrative::Internal> internals{{kOrchestrator, "our team"}};
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const auto& plan = run.plan->steps[i];
        for (const auto* duty : {&plan.duty, &plan.fallback, &plan.compensation}) {
            internals.push_back({duty->capability, plan.label});
            internals.push_back({duty->agent, plan.label});
        }
        internals.push_back({agent_of(run.steps[i], name_of), plan.label});
    }
    narrative::longest_first(internals);
    return internals;
}

/// Why a step has no output, in words for users.
std::string_view reason_of(const Step& step) {
    const auto* item = failed_item(step);
    return item != nullptr ? narrative::reason_for(item->code, item->detail) : std::string_view{};
}

/// K17, K18: all outputs as a single answer, for users.
void write_answer(json::ObjectWriter& out, const Run& run, const NameOf& name_of) {
    std::vector<narrative::Part> parts;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const auto& plan = run.plan->steps[i];
        const auto& step = run.steps[i];
        if (plan.is_internal || plan.is_human_task || step.stage == Stage::Skipped) continue;
        parts.push_back({.label = plan.label,
                         .output = output_of(step, plan),
                         .confidence = confidence_of(step),
                         .reason = reason_of(step)});
    }
    const auto all = narrative::aggregate(
        parts, {.terms = run.plan->terms, .internals = internals_of(run, name_of)});
    out.text("answer", all.answer)
        .raw("components", all.components)
        .raw("conflicts", all.conflicts);
    if (!all.question.empty()) out.text("question", all.question);
}

json::ObjectWriter begin_report(const Run& run, std::string_view status) {
    json::ObjectWriter out;
    out.text("workflow_id", run.id).text("correlation_id", run.correlation).text("status", status);
    if (!run.plan->name.empty()) out.text("name", run.plan->name);
    if (!run.user.empty()) out.text("user_id", run.user);
    if (!run.session.empty()) out.text("session_id", run.session);
    out.text("started_at", print_iso_time(run.started_at));
    return out;
}

}  // namespace

std::string output_of(const Step& step, const StepPlan& plan) {
    if (plan.for_each.empty()) {
        const bool is_done = !step.items.empty() && step.items.front().stage == Stage::Done;
        return is_done ? std::string{output_of(step.items.front())} : std::string{};
    }
    if (step.stage != Stage::Done) return {};
    std::string list = "[";
    for (const auto& item : step.items) {
        const auto output = item.stage == Stage::Done ? output_of(item) : std::string_view{};
        next(list) += output.empty() ? "null" : output;
    }
    return list + "]";
}

json::Value PointerResolver::made(std::string text) {
    return json::root(made_.emplace_back(std::move(text)));
}

/// Resolves "scenarios/output/cases/0": a step's id, and a pointer into the step.
json::Value PointerResolver::in_step(std::string_view pointer) {
    const auto& plans = run_.plan->steps;
    const auto plan = std::ranges::find(plans, pointer.substr(0, pointer.find('/')), &StepPlan::id);
    if (plan == plans.end()) return {};
    pointer.remove_prefix(plan->id.size());
    const auto& step = run_.steps[static_cast<std::size_t>(plan - plans.begin())];
    if (pointer == "/status") return made(quoted(stage_name(step.stage)));
    if (pointer == "/confidence") {
        const auto least = confidence_of(step);
        return least == kNoConfidence ? json::Value{} : made(confidence_text(least));
    }
    if (pointer != "/output" && !pointer.starts_with("/output/")) return {};
    auto output = output_of(step, *plan);
    if (output.empty()) return {};
    return json::find_at(made(std::move(output)),
                         pointer.substr(std::string_view{"/output"}.size()))
        .value_or(json::Value{});
}

json::Value PointerResolver::at(std::string_view pointer) {
    if (pointer.starts_with(kStepsPointer)) return in_step(pointer.substr(kStepsPointer.size()));
    const auto word = pointer.substr(1, pointer.find('/', 1) - 1);
    json::Value root;
    if (word == "input" && !run_.input.empty()) root = json::root(run_.input);
    if (word == "constraints" && !run_.constraints.empty()) root = json::root(run_.constraints);
    if (word == "request") root = made(quoted(run_.request));
    if (word == "item") root = element_;
    if (root.raw.empty()) return {};
    return json::find_at(root, pointer.substr(word.size() + 1)).value_or(json::Value{});
}

std::string context_for(const Run& run, std::uint32_t step, const NameOf& name_of) {
    const auto& plans = run.plan->steps;
    std::string outputs = "{";
    std::string agents = "[" + quoted("ORC");
    std::set<std::string_view> named;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (run.steps[i].stage != Stage::Done) continue;
        const auto brought = output_of(run.steps[i], plans[i]);
        if (!brought.empty()) next(outputs) += quoted(plans[i].id) + ":" + brought;
        const auto agent = agent_of(run.steps[i], name_of);
        if (!agent.empty() && named.insert(agent).second) next(agents) += quoted(agent);
    }
    json::ObjectWriter out;
    if (!run.session.empty()) out.text("session_id", run.session);
    if (!run.user.empty()) out.text("user_id", run.user);
    out.text("workflow_id", run.id);
    if (!run.request.empty()) out.text("original_request", run.request);
    out.text("workflow_position",
             fmt::format("Step {} of {} ({})", step + 1, plans.size(), plans[step].label));
    out.raw("prior_agents", agents + "]").raw("prior_outputs", outputs + "}");
    if (!run.constraints.empty()) out.raw("constraints", run.constraints);
    return out.done();
}

std::string report(const Run& run, const NameOf& name_of, const IsHeld& is_held) {
    auto out = begin_report(run, standing_of(run, is_held));
    write_report(out, run, name_of, {.is_held = is_held});
    return out.done();
}

std::string report(const Run& run, const NameOf& name_of, const Ending& ending) {
    auto out = begin_report(run, enum_name(ending.end));
    out.text("ended_at", print_iso_time(ending.now));
    if (!ending.reason.empty()) out.text("reason", ending.reason);
    write_report(out, run, name_of, {.is_over = true});
    const bool says_missing =
        ending.end != WorkflowEnd::Completed && !is_planted(Mutant::HideWhatIsMissing);
    if (says_missing) out.raw("missing", missing_of(run));
    write_answer(out, run, name_of);
    return out.done();
}

}  // namespace parlance::core::workflow
