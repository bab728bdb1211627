// A workflow's plan: steps, their inputs, and how failures are handled (K14-K16).
//
// A plan is written as JSON (plan_schema.h), and the journal holds its text. Reading reports all
// faults at once; a plan without faults is consistent: names are unique, every dependency exists,
// and no step waits for itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/time.h"

namespace parlance {

/// The sender name of requests from workflows.
inline constexpr std::string_view kOrchestrator = "ORC";

/// The path of an attempt of a step: as planned, or a path after a failure.
enum class StepPath : std::uint8_t {
    Planned = 1,
    Fallback,
    Strategy,      ///< With the capability a failed agent suggested.
    Compensation,  ///< The compensation.
};
inline constexpr std::uint32_t kNoConfidence = 0xFFFF'FFFFU;

/// The outcome of a step, and of a workflow.
enum class StepEnd : std::uint8_t {
    Done = 1,
    Failed,
    Skipped,  ///< The condition did not hold.
    Blocked,  ///< A required input did not come.
    Compensated,
};
enum class WorkflowEnd : std::uint8_t { Completed = 1, Partial, Failed, Cancelled, TimedOut };

/// What follows when a step has failed for good.
enum class OnError : std::uint8_t {
    Continue,   ///< The remaining steps go on; the result names the gap.
    Fail,       ///< The whole workflow ends.
    HumanTask,  ///< A person decides.
};

/// The target of a step's request.
struct Duty {
    std::string agent{};       ///< Empty: any agent with the capability.
    std::string capability{};  ///< Empty: the agent's only one, or none.
    std::string inputs{};      ///< JSON with references to fill in; empty: unchanged inputs.
    bool empty() const { return agent.empty() && capability.empty(); }
};

/// A human task in a plan.
struct HumanTaskPlan {
    std::string role{};
    std::string kind{};  ///< approve, answer, edit or choose.
    std::string question{};
    std::vector<std::string> options{};
    Duration deadline{};  ///< 0: as in the policy.
    Duration reminder{};
    std::string escalate_to{};
    std::string if_nobody{};
    std::uint32_t approvals = 1;
};

struct StepPlan {
    std::string id;
    std::string label{};           ///< For people.
    std::string objective{};       ///< For the agent; default: the label.
    std::string objective_hash{};  ///< SHA-256 of the normalised objective, for every run.
    Duty duty{};
    std::vector<std::uint32_t> after{};  ///< Numbers of the steps to wait for; sorted.
    std::string when{};                  ///< A condition, JSON; empty: always.
    std::string for_each{};              ///< A pointer to a list; empty: once.
    std::uint32_t count_max = 100;       ///< Bound on the elements of the list.
    Duration timeout{};                  ///< 0: as in the policy.
    std::uint64_t tokens_max = 0;        ///< Token budget; 0: the default.
    std::uint32_t retry_count_max = 0;
    bool says_retries = false;
    Duration backoff{std::chrono::milliseconds{200}};
    Duty fallback{};
    std::string fallback_value{};      ///< JSON, in place of an answer; empty: none.
    std::uint32_t confidence_min = 0;  ///< In thousandths.
    OnError on_error = OnError::Continue;
    Duty compensation{};  ///< Runs when the workflow is cancelled.
    bool is_human_task = false;
    HumanTaskPlan human_task{};
    bool is_internal = false;  ///< Hidden from the user's result.
};

struct Plan {
    std::string name{};
    std::string text{};  ///< As written.
    std::vector<StepPlan> steps{};
    /// Wording for keys in answers: "mkt_size", "market size".
    std::vector<std::pair<std::string, std::string>> terms{};
    Duration timeout{};
};
using PlanPtr = std::shared_ptr<const Plan>;

/// One fault of a plan.
struct PlanFault {
    std::string pointer;
    std::string value;
    std::string rule;
};
tl::expected<PlanPtr, std::vector<PlanFault>> read_plan(std::string_view text);

/// Faults in a valid plan: references to nothing, conditions without a comparison. Checked only
/// when a workflow starts, so that plans started by older releases can still be read.
std::vector<PlanFault> doubts_about(std::string_view plan);

}  // namespace parlance
