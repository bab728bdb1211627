// What a workflow is to do: steps, what each needs, and what follows when one fails (K14-K16).
//
// A plan is written as JSON (plan_schema.h), and its text is what the journal has of it. Reading it
// says everything that is wrong with it at once; a plan that was read holds together: names are
// unique, what a step waits for exists, and nothing waits for itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/time.h"

namespace parlance {

/// The name in which the hub sends what its workflows ask for.
inline constexpr std::string_view kOrchestrator = "ORC";

/// By which way a step is tried: as planned, or what was planned for when that fails.
enum class Road : std::uint8_t {
    Planned = 1,
    Fallback,
    Strategy,  ///< What the agent that failed said should be tried.
    Undo,      ///< What takes it back.
};
inline constexpr std::uint32_t kNoConfidence = 0xFFFF'FFFFU;

/// How a step ended, and how a workflow did.
enum class StepEnd : std::uint8_t {
    Done = 1,
    Failed,
    Skipped,  ///< Its condition did not hold.
    Missing,  ///< What it needs did not come.
    Undone,
};
enum class WorkflowEnd : std::uint8_t { Completed = 1, Partial, Failed, Cancelled, TimedOut };

/// What follows when a step has failed for good.
enum class OnError : std::uint8_t {
    Continue,  ///< The others go on; the result says what is missing.
    Fail,      ///< The whole workflow ends.
    Person,    ///< A person is asked.
};

/// Whom to ask, and for what.
struct Duty {
    std::string agent{};       ///< Empty: whoever has the capability.
    std::string capability{};  ///< Empty: the agent's only one, or none.
    std::string inputs{};      ///< JSON with places to be filled; empty: the same as before.
    bool empty() const { return agent.empty() && capability.empty(); }
};

/// What a person is asked.
struct PersonPlan {
    std::string role{};
    std::string kind{};  ///< approve, answer, edit or choose.
    std::string question{};
    std::vector<std::string> options{};
    Duration deadline{};  ///< 0: as the policy has it.
    Duration reminder{};
    std::string escalate_to{};
    std::string if_nobody{};
    std::uint32_t approvals = 1;
};

struct StepPlan {
    std::string id;
    std::string label{};           ///< For people.
    std::string objective{};       ///< In the words of whoever works on it; else its label.
    std::string objective_hash{};  ///< Normalised, full SHA-256: it is asked for with every run.
    Duty duty{};
    std::vector<std::uint32_t> after{};  ///< Steps, by number; sorted.
    std::string when{};                  ///< A condition, JSON; empty: always.
    std::string for_each{};              ///< A pointer to a list; empty: once.
    std::uint32_t count_max = 100;       ///< Of its elements.
    Duration timeout{};                  ///< 0: as the policy has it.
    std::uint64_t tokens_max = 0;        ///< What it may spend; 0: as much as is usual.
    std::uint32_t retry_count_max = 0;
    bool says_retries = false;
    Duration backoff{std::chrono::milliseconds{200}};
    Duty fallback{};
    std::string fallback_value{};      ///< JSON, in place of an answer; empty: none.
    std::uint32_t confidence_min = 0;  ///< In thousandths.
    OnError on_error = OnError::Continue;
    Duty compensation{};  ///< What undoes it when the workflow is cancelled.
    bool asks_person = false;
    PersonPlan person{};
    bool is_internal = false;  ///< Not part of what the user is told.
};

struct Plan {
    std::string name{};
    std::string text{};  ///< As it was written.
    std::vector<StepPlan> steps{};
    std::vector<std::pair<std::string, std::string>> terms{};  ///< One word for one thing.
    Duration timeout{};
};
using PlanPtr = std::shared_ptr<const Plan>;

/// One thing that is wrong with a plan.
struct PlanFault {
    std::string pointer;
    std::string value;
    std::string rule;
};
tl::expected<PlanPtr, std::vector<PlanFault>> read_plan(std::string_view text);

/// What reads and yet says nothing: places that are nowhere, conditions that compare nothing. Asked
/// of what is to be started, so that what was started before it was asked is still read.
std::vector<PlanFault> doubts_about(std::string_view plan);

}  // namespace parlance
