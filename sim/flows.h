// Workflows of a simulated world: random plans, started by agents that retry until the hub answers,
// sometimes repeat an id with other input, and cancel runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/door.h"

namespace parlance::sim {

/// A random plan over the world's agents: chains, branches, lists, conditions, retries, fallbacks,
/// human tasks and compensations.
std::string draw_workflow(Entropy& entropy, const Plan& plan);

/// An agent's answer to a workflow step: an output with or without a confidence, or an error.
std::string step_answer(Entropy& entropy, std::uint64_t number);

class Flows {
  public:
    Flows(const Plan& plan, Entropy& entropy, Timeline& timeline, Door& door)
        : plan_(plan), entropy_(entropy), timeline_(timeline), door_(door) {}

    void start();
    void cancel();
    /// From now on nobody starts a workflow.
    void calm() { is_calm_ = true; }

  private:
    const std::string& some_plan();
    void bring(const std::string& caller, const StartWorkflow& order, int tries);

    const Plan& plan_;
    Entropy& entropy_;
    Timeline& timeline_;
    Door& door_;
    std::vector<std::pair<std::string, std::string>> started_;  ///< Id and caller.
    std::vector<std::string> plans_;
    bool is_calm_ = false;
};

}  // namespace parlance::sim
