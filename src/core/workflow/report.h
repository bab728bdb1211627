// What there is to say of a run: to whoever asks how far it is, and to the agents it asks.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "core/workflow/values.h"
#include "core/workflow/workflow.h"

namespace parlance::core::workflow {

/// An agent's name.
using NameOf = std::function<std::string_view(AgentHandle)>;

/// Where the values of a plan are found in a run. Keeps what it had to make.
class Places {
  public:
    /// `element`: of the list that the step runs for; empty if it runs once.
    explicit Places(const Run& run, json::Value element = {}) : run_{run}, element_{element} {}
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

/// All that a step brought, as JSON: of a list, a list. Empty if it brought nothing.
std::string output_of(const Step& step, const StepPlan& plan);

/// K10, K14: what was gathered so far, for whoever works on this step.
std::string context_for(const Run& run, std::uint32_t step, const NameOf& name_of);

/// Whether a request waits for people before its recipient has it.
using IsHeld = std::function<bool(Ticket)>;
/// How a run that is still open stands.
std::string report(const Run& run, const NameOf& name_of, const IsHeld& is_held);
/// What is said of it in the end.
struct Ending {
    WorkflowEnd end = WorkflowEnd::Completed;
    std::string_view reason{};
    Time now{};
};
std::string report(const Run& run, const NameOf& name_of, const Ending& ending);

}  // namespace parlance::core::workflow
