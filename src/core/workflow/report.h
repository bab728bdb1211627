// Reports on a run: for callers who ask about its progress, and as context for its agents.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "core/workflow/values.h"
#include "core/workflow/workflow.h"

namespace parlance::core::workflow {

/// Maps a handle to the agent's name.
using NameOf = std::function<std::string_view(AgentHandle)>;

/// Resolves a plan's pointers in a run; owns the values made on the way.
class PointerResolver {
  public:
    /// `element`: the list element that the step runs for; empty if the step runs once.
    explicit PointerResolver(const Run& run, json::Value element = {})
        : run_{run}, element_{element} {}
    json::Value at(std::string_view pointer);
    Lookup lookup() {
        return [this](std::string_view pointer) { return at(pointer); };
    }

  private:
    json::Value in_step(std::string_view pointer);
    json::Value made(std::string text);

    const Run& run_;
    json::Value element_;
    std::deque<std::string> made_;
};

/// The output of a step as JSON; a step over a list gives a list. Empty without output.
std::string output_of(const Step& step, const StepPlan& plan);

/// K10, K14: the outputs so far, for the agent at work on this step.
std::string context_for(const Run& run, std::uint32_t step, const NameOf& name_of);

/// Whether a request waits for people's approval before its recipient gets it.
using IsHeld = std::function<bool(Ticket)>;
/// The report of an open run.
std::string report(const Run& run, const NameOf& name_of, const IsHeld& is_held);
/// How a run ended, for its final report.
struct Ending {
    WorkflowEnd end = WorkflowEnd::Completed;
    std::string_view reason{};
    Time now{};
};
std::string report(const Run& run, const NameOf& name_of, const Ending& ending);

}  // namespace parlance::core::workflow
