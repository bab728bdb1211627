#include "model/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/fold.h"
#include "base/json.h"
#include "base/schema/schema.h"
#include "base/sha256.h"
#include "model/plan_schema.h"

namespace parlance {

namespace {

constexpr std::string_view kStepsPointer = "/steps/";

const schema::Schema& plan_schema() {
    static const auto compiled = [] {
        auto schema = schema::compile(kPlanSchema);
        CHECK(schema.has_value());  // The schema is a constant.
        return *std::move(schema);
    }();
    return compiled;
}

std::string text_at(json::Value object, std::string_view key) {
    const auto value = json::find(object, key);
    std::string spare;
    return value && value->is_string() ? std::string{value->text(spare)} : std::string{};
}

std::string raw_at(json::Value object, std::string_view key) {
    const auto value = json::find(object, key);
    return value ? std::string{value->raw} : std::string{};
}

std::int64_t number_at(json::Value object, std::string_view key, std::int64_t otherwise = 0) {
    const auto value = json::find(object, key);
    return value ? value->integer().value_or(otherwise) : otherwise;
}

bool flag_at(json::Value object, std::string_view key) {
    const auto value = json::find(object, key);
    return value && value->raw == "true";
}

Duty duty_at(json::Value object) {
    return {.agent = text_at(object, "agent"),
            .capability = text_at(object, "capability"),
            .inputs = raw_at(object, "inputs")};
}

/// The names of the steps, and the faults found.
struct Reader {
    std::vector<std::string> names{};
    std::vector<PlanFault> faults{};

    std::optional<std::uint32_t> number_of(std::string_view name) const {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) return std::nullopt;
        return static_cast<std::uint32_t>(found - names.begin());
    }
    void wait_for(StepPlan& step, std::string_view name, const std::string& pointer) {
        const auto number = number_of(name);
        if (!number) {
            faults.push_back({pointer, std::string{name}, "must name a step of this workflow"});
            return;
        }
        const auto place = std::ranges::lower_bound(step.after, *number);
        if (place == step.after.end() || *place != *number) step.after.insert(place, *number);
    }
};

/// A step waits for every step its values refer to.
void follow_places(Reader& reader, StepPlan& step, json::Value value, const std::string& pointer) {
    if (value.is_array()) {
        for (json::Elements elements{value}; elements.next();) {
            follow_places(reader, step, elements.value, pointer);
        }
    }
    if (!value.is_object()) return;
    for (json::Members members{value}; members.next();) {
        const bool is_place = members.key == "$from" && members.value.is_string();
        if (!is_place) {
            follow_places(reader, step, members.value, pointer);
            continue;
        }
        std::string spare;
        auto from = members.value.text(spare);
        if (!from.starts_with(kStepsPointer)) continue;
        from.remove_prefix(kStepsPointer.size());
        reader.wait_for(step, from.substr(0, from.find('/')), pointer);
    }
}

HumanTaskPlan read_human_task(json::Value human) {
    HumanTaskPlan human_task{
        .role = text_at(human, "role"),
        .kind = text_at(human, "kind"),
        .question = text_at(human, "question"),
        .deadline = Duration{number_at(human, "deadline_ms")},
        .reminder = Duration{number_at(human, "reminder_ms")},
        .escalate_to = text_at(human, "escalate_to"),
        .if_nobody = text_at(human, "if_nobody"),
        .approvals = static_cast<std::uint32_t>(number_at(human, "approvals", 1))};
    if (human_task.kind.empty()) human_task.kind = "approve";
    if (const auto options = json::find(human, "options")) {
        std::string spare;
        for (json::Elements each{*options}; each.next();) {
            human_task.options.emplace_back(each.value.text(spare));
        }
    }
    return human_task;
}

OnError on_error_of(std::string_view word, OnError otherwise) {
    if (word == "fail") return OnError::Fail;
    if (word == "human") return OnError::HumanTask;
    return word == "continue" ? OnError::Continue : otherwise;
}

void read_duties(StepPlan& step, json::Value said) {
    step.duty = duty_at(said);
    if (step.duty.inputs.empty()) step.duty.inputs = "{}";
    if (const auto fallback = json::find(said, "fallback")) {
        step.fallback = duty_at(*fallback);
        step.fallback_value = raw_at(*fallback, "value");
    }
    if (const auto compensation = json::find(said, "compensate"))
        step.compensation = duty_at(*compensation);
}

StepPlan read_step(Reader& reader, json::Value said, const std::string& pointer, OnError preset) {
    StepPlan step{.id = text_at(said, "id"),
                  .label = text_at(said, "label"),
                  .objective = text_at(said, "objective"),
                  .when = raw_at(said, "when"),
                  .timeout = Duration{number_at(said, "timeout_ms")},
                  .tokens_max = static_cast<std::uint64_t>(number_at(said, "max_tokens")),
                  .on_error = on_error_of(text_at(said, "on_error"), preset),
                  .is_internal = flag_at(said, "internal")};
    if (step.label.empty()) step.label = step.id;
    if (step.objective.empty()) step.objective = step.label;
    step.objective_hash = to_hex(sha256(folded(step.objective)));
    read_duties(step, said);
    if (const auto each = json::find(said, "for_each")) {
        step.for_each = text_at(*each, "$from");
        step.count_max = static_cast<std::uint32_t>(number_at(*each, "at_most", step.count_max));
    }
    if (const auto retry = json::find(said, "retry")) {
        step.says_retries = true;
        step.retry_count_max = static_cast<std::uint32_t>(number_at(*retry, "limit"));
        step.backoff = Duration{number_at(*retry, "backoff_ms", step.backoff.count())};
    }
    if (const auto least = json::find(said, "confidence_min")) {
        step.confidence_min =
            static_cast<std::uint32_t>(std::lround(least->number().value_or(0) * 1000));
    }
    if (const auto human = json::find(said, "human")) {
        step.is_human_task = true;
        step.human_task = read_human_task(*human);
    }
    if (const auto after = json::find(said, "after")) {
        std::string spare;
        for (json::Elements names{*after}; names.next();) {
            reader.wait_for(step, names.value.text(spare), pointer + "/after");
        }
    }
    for (const auto* const key : {"inputs", "when", "for_each", "fallback"}) {
        if (const auto value = json::find(said, key)) {
            follow_places(reader, step, *value, pointer + "/" + key);
        }
    }
    return step;
}

/// Marks steps in the order they can begin; a step never reached waits for itself.
void find_rings(Reader& reader, const std::vector<StepPlan>& steps) {
    std::vector<bool> is_reached(steps.size());
    for (bool has_moved = true; has_moved;) {
        has_moved = false;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const bool can_begin =
                std::ranges::all_of(steps[i].after, [&](auto other) { return is_reached[other]; });
            if (is_reached[i] || !can_begin) continue;
            is_reached[i] = has_moved = true;
        }
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (is_reached[i]) continue;
        reader.faults.push_back({"/steps/" + std::to_string(i) + "/after",
                                 steps[i].id,
                                 "must not wait, over others or directly, for itself"});
    }
}

void read_names(Reader& reader, json::Value steps) {
    std::size_t at = 0;
    for (json::Elements each{steps}; each.next(); ++at) {
        auto name = text_at(each.value, "id");
        if (reader.number_of(name)) {
            reader.faults.push_back(
                {"/steps/" + std::to_string(at) + "/id", name, "must be no other step's"});
        }
        reader.names.push_back(std::move(name));
    }
}

// --- faults in a valid plan ------------------------------------------------------------------

/// Checks the references in a step's inputs, conditions and lists.
struct Doubter {
    std::string pointer{};
    bool has_item = false;  ///< The step runs for each element of a list.
    std::vector<PlanFault>& faults;

    void doubt(std::string_view value, std::string rule) {
        faults.push_back({pointer, std::string{value}, std::move(rule)});
    }
    void look_at_place(std::string_view from) {
        const auto begins = [&](std::string_view root) {
            return from == root || (from.starts_with(root) && from[root.size()] == '/');
        };
        if (begins("/item") && !has_item) {
            return doubt(from, "must not be taken from /item in a step without for_each");
        }
        constexpr std::array<std::string_view, 4> kRoots{
            "/input", "/request", "/constraints", "/item"};
        if (from.starts_with(kStepsPointer) || std::ranges::any_of(kRoots, begins)) return;
        doubt(from, "must point to /input, /request, /constraints, /item or /steps/ID/output");
    }
    void look_for_places(json::Value value) {
        if (value.is_array()) {
            for (json::Elements each{value}; each.next();) look_for_places(each.value);
        }
        if (!value.is_object()) return;
        for (json::Members members{value}; members.next();) {
            std::string spare;
            if (members.key == "$from" && members.value.is_string()) {
                look_at_place(members.value.text(spare));
            } else {
                look_for_places(members.value);
            }
        }
    }
    void look_at_condition(json::Value condition) {
        constexpr std::array<std::string_view, 8> kComparisons{
            "is", "is_not", "above", "at_least", "below", "at_most", "contains", "exists"};
        const bool compares = std::ranges::any_of(
            kComparisons, [&](auto word) { return json::find(condition, word).has_value(); });
        const bool has_value = json::find(condition, "value").has_value();
        if (has_value != compares) {
            doubt(condition.raw, "must have a value and what it is compared with");
        }
        for (const auto* const several : {"all", "any"}) {
            const auto list = json::find(condition, several);
            if (!list) continue;
            for (json::Elements each{*list}; each.next();) look_at_condition(each.value);
        }
        if (const auto other = json::find(condition, "not")) look_at_condition(*other);
    }
};

}  // namespace

std::vector<PlanFault> doubts_about(std::string_view plan) {
    std::vector<PlanFault> faults;
    const json::Value said = json::root(plan);
    for (const auto* const name : {"workflow_id", "correlation_id"}) {
        const auto text = text_at(said, name);
        const bool is_plain = std::ranges::none_of(
            text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
        if (!is_plain) {
            faults.push_back({std::string{"/"} + name, text, "must have no control characters"});
        }
    }
    std::size_t number = 0;
    for (json::Elements steps{*json::find(said, "steps")}; steps.next(); ++number) {
        Doubter doubter{.has_item = json::find(steps.value, "for_each").has_value(),
                        .faults = faults};
        for (const auto* const key : {"inputs", "when", "fallback", "compensate"}) {
            const auto value = json::find(steps.value, key);
            if (!value) continue;
            doubter.pointer = "/steps/" + std::to_string(number) + "/" + key;
            doubter.look_for_places(*value);
            if (std::string_view{key} == "when") doubter.look_at_condition(*value);
        }
    }
    return faults;
}

tl::expected<PlanPtr, std::vector<PlanFault>> read_plan(std::string_view text) {
    if (const auto checked = json::check(text); !checked) {
        return tl::unexpected{std::vector<PlanFault>{{"", "", checked.error().message}}};
    }
    const json::Value said = json::root(text);
    Reader reader;
    for (auto& violation : schema::check(plan_schema(), said)) {
        reader.faults.push_back(
            {std::move(violation.pointer), std::move(violation.value), std::move(violation.rule)});
    }
    if (!reader.faults.empty()) return tl::unexpected{std::move(reader.faults)};

    auto plan = std::make_shared<Plan>();
    plan->name = text_at(said, "name");
    plan->text = text;
    plan->timeout = Duration{number_at(said, "timeout_ms")};
    if (const auto terms = json::find(said, "terms")) {
        std::string spare;
        for (json::Members each{*terms}; each.next();) {
            plan->terms.emplace_back(std::string{each.key}, std::string{each.value.text(spare)});
        }
    }
    const auto preset = on_error_of(text_at(said, "on_error"), OnError::Continue);
    const json::Value steps = *json::find(said, "steps");
    read_names(reader, steps);
    for (json::Elements each{steps}; each.next();) {
        const auto pointer = "/steps/" + std::to_string(plan->steps.size());
        plan->steps.push_back(read_step(reader, each.value, pointer, preset));
    }
    if (reader.faults.empty()) find_rings(reader, plan->steps);
    if (!reader.faults.empty()) return tl::unexpected{std::move(reader.faults)};
    return plan;
}

}  // namespace parlance
