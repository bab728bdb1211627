// A workflow's plan and answers as the checker of W8 reads them, from their text alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/checkers/plain_json.h"

namespace parlance::sim {

struct FlowStep {
    std::string id{};
    PlainJson inputs{};
    std::vector<std::uint32_t> after{};  ///< Steps named in "after", or used as sources of values.
    PlainJson when{};
    std::string for_each{};            ///< A pointer to a list; empty: the step runs once.
    std::uint64_t retry_max = 0;       ///< Retries after failures that may pass.
    std::string fallback_value{};      ///< JSON; empty: none.
    std::uint32_t confidence_min = 0;  ///< In thousandths.
    bool fails_all = false;            ///< A failure of the step fails the whole workflow.
    bool can_be_compensated = false;
    bool is_human_task = false;
};
using FlowPlan = std::vector<FlowStep>;

FlowPlan read_flow_plan(std::string_view text);

/// An agent's answer to a step.
struct FlowAnswer {
    bool is_done = false;
    std::string output{};
    std::uint32_t confidence = 0;  ///< In thousandths.
    bool says_confidence = false;
};
FlowAnswer read_flow_answer(std::string_view body);

}  // namespace parlance::sim
