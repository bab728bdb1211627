#include "sim/checkers/flow_plan.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace parlance::sim {

namespace {

/// The retries of a step without "retry".
constexpr std::uint64_t kRetriesUnsaid = 2;

std::uint32_t thousandths(const PlainJson& number) {
    return static_cast<std::uint32_t>(std::strtod(number.raw.c_str(), nullptr) * 1'000);
}

/// The steps that a text takes values from.
void gather_sources(const PlainJson& json, std::set<std::string>& steps) {
    constexpr std::string_view kSteps = "/steps/";
    if (const auto& from = json["$from"].text; from.starts_with(kSteps)) {
        const auto name = from.substr(kSteps.size());
        steps.insert(name.substr(0, name.find('/')));
    }
    for (const auto& [name, value] : json.members) gather_sources(value, steps);
    for (const auto& value : json.elements) gather_sources(value, steps);
}

FlowStep read_step(const PlainJson& json, bool fails_all) {
    FlowStep step{.id = json["id"].text,
                  .inputs = json["inputs"].empty() ? read_json("{}") : json["inputs"],
                  .when = json["when"],
                  .for_each = json["for_each"]["$from"].text,
                  .fallback_value = json["fallback"]["value"].raw,
                  .confidence_min = thousandths(json["confidence_min"]),
                  .fails_all = fails_all,
                  .can_be_compensated = !json["compensate"].empty(),
                  .is_human_task = !json["human"].empty()};
    const auto& retry = json["retry"];
    step.retry_max =
        retry.empty() ? kRetriesUnsaid : std::strtoull(retry["limit"].raw.c_str(), nullptr, 10);
    if (!json["on_error"].empty()) step.fails_all = json["on_error"].text == "fail";
    return step;
}

std::uint32_t number_of(const FlowPlan& plan, const std::string& id) {
    return static_cast<std::uint32_t>(std::ranges::find(plan, id, &FlowStep::id) - plan.begin());
}

}  // namespace

FlowPlan read_flow_plan(std::string_view text) {
    const auto json = read_json(text);
    const auto& steps = json["steps"].elements;
    FlowPlan plan;
    for (const auto& step : steps) plan.push_back(read_step(step, json["on_error"].text == "fail"));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::set<std::string> sources;
        for (const auto* part : {"inputs", "when", "for_each"}) {
            gather_sources(steps[i][part], sources);
        }
        for (const auto& named : steps[i]["after"].elements) sources.insert(named.text);
        for (const auto& id : sources) plan[i].after.push_back(number_of(plan, id));
    }
    return plan;
}

FlowAnswer read_flow_answer(std::string_view body) {
    const auto json = read_json(body);
    return {.is_done = json["error"].empty(),
            .output = json["output"].raw,
            .confidence = thousandths(json["confidence"]),
            .says_confidence = !json["confidence"].empty()};
}

}  // namespace parlance::sim
